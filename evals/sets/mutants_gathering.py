"""Reads what the mutants rest on: two worlds with their threads, and the mirrors that were given."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from agent.errors import NotFound
from agent.evidence import CommitEvidence, EvidenceId, ThreadEvidence
from agent.ids import RepoId, commit_id, thread_id
from agent.links import Grade, Link, Relation
from agent.settings import RepoSpec
from evals.github_server.app import GitHubServer
from evals.github_server.limits import Allowance
from evals.sets.mutants_prose import Statement
from evals.sets.mutants_stock import Stock, read_commits
from evals.sets.oracle import first_parent_line, git_dir_of
from evals.worlds.model import Repo, World
from tools.github.client import GitHubClient
from tools.github.threads import GitHubThreads

_TOKEN = "mutants"  # noqa: S105 -- the loopback server's only token
_FIXES, _SPREAD = 6, 3
_LATEST = 30
"""How many commits of each mirror are read beside those that statements were written about."""


async def world_stock(world: World, name: str, rows: Sequence[Statement], latest: int) -> Stock:
    """Read the commits that statements speak of, the latest ones, their parents, and some threads."""
    commits: dict[EvidenceId, CommitEvidence] = {}
    links = tuple(link for repo in world.repos for link in _links(repo))
    for repo in world.repos:
        landed = [row.sha for row in world.landed if row.repo == repo.full_name and row.dropped_by is None]
        fixing = [link.change.partition("@")[2] for link in links if link.change.startswith(f"{repo.full_name}@")]
        commits |= await _read(
            RepoId(repo.full_name), repo.git_dir, [*_shas(rows, repo.full_name), *fixing, *landed[-latest:]]
        )
    gold: dict[EvidenceId, EvidenceId] = {
        commit_id(RepoId(row.repo), edit.param("commit")): commit_id(RepoId(row.repo), row.sha)
        for row in world.landed
        for edit in row.edits
        if edit.kind in ("revert", "reland") and "commit" in dict(edit.params)
    }
    return Stock(
        name=name,
        place="world",
        commits=commits,
        threads=await _threads(world, links),
        links=links,
        reverted={**gold, **undone(rows)},
        now=world.now,
    )


async def mirror_stock(specs: Sequence[RepoSpec], rows: Sequence[Statement]) -> Stock:
    """Read the commits that statements speak of, the latest ones, and their parents."""
    commits: dict[EvidenceId, CommitEvidence] = {}
    for spec in specs:
        assert spec.path is not None
        line = await first_parent_line(git_dir_of(spec.path))
        latest = [row.sha for row in line[:_LATEST]]
        commits |= await _read(spec.name, spec.path, [*_shas(rows, spec.name), *latest])
    return Stock(name="mirrors", place="mirrors", commits=commits, reverted=undone(rows), now=datetime.now(UTC))


def undone(rows: Sequence[Statement]) -> dict[EvidenceId, EvidenceId]:
    """Map commits to those that undid them, as the statements know it."""
    return {
        commit_id(row.repo, row.sha): commit_id(row.repo, wrong.reverted_by)
        for row in rows
        for wrong in row.mutants
        if wrong.reverted_by
    }


def _shas(rows: Sequence[Statement], repo: str) -> list[str]:
    return [sha for row in rows if row.repo == repo for sha in row.shas]


async def _read(repo: RepoId, path: Path, shas: Sequence[str]) -> dict[EvidenceId, CommitEvidence]:
    commits = await read_commits(repo, path, shas)
    parents = [one.change.commit.parents[0] for one in commits.values() if one.change.commit.parents]
    missing = [sha for sha in parents if commit_id(repo, sha) not in commits]
    return commits | await read_commits(repo, path, missing)


# ---------------------------------------------------------------- threads


def _links(repo: Repo) -> list[Link]:
    """List some fixes that the generator made: a merged pull request that closes an issue of its repository."""
    links: list[Link] = []
    closed_for_good = {issue.number for issue in repo.issues if issue.state == "closed" and not issue.deleted}
    for pull in repo.pulls:
        closed = [number for name, number in pull.closes if name == repo.full_name and number in closed_for_good]
        if pull.merged_at and pull.merge_commit and pull.base == repo.default_branch and len(closed) == 1:
            name = RepoId(repo.full_name)
            issue, change = thread_id(name, closed[0]), commit_id(name, pull.merge_commit)
            links.append(Link(issue=issue, change=change, relation=Relation.FIXES, grade=Grade.A))
    return links[:_FIXES]


async def _threads(world: World, links: Sequence[Link]) -> dict[EvidenceId, ThreadEvidence]:
    found: dict[EvidenceId, ThreadEvidence] = {}
    with GitHubServer(world.repos, tokens=(_TOKEN,), allowance=Allowance(token=1_000_000)) as server:
        async with GitHubClient(base_url=server.url, token=_TOKEN) as client:
            for repo in world.repos:
                source = GitHubThreads(client, RepoId(repo.full_name))
                for number in _numbers(repo, links):
                    try:
                        thread = ThreadEvidence(thread=await source.issue(number))
                    except NotFound:
                        continue
                    found[thread.id] = thread
    return found


def _numbers(repo: Repo, links: Sequence[Link]) -> list[int]:
    """Choose threads in every state, spread over the repository's life."""
    fixed = [int(link.issue.partition("#")[2]) for link in links if link.issue.startswith(f"{repo.full_name}#")]
    groups = (
        [issue.number for issue in repo.issues if issue.state == "open" and not issue.deleted],
        [issue.number for issue in repo.issues if issue.state == "closed" and not issue.deleted],
        [pull.number for pull in repo.pulls if pull.merged_at],
        [pull.number for pull in repo.pulls if pull.closed_at and not pull.merged_at],
    )
    spread = [number for group in groups for number in group[:: len(group) // _SPREAD or 1][:_SPREAD]]
    return sorted({*fixed, *spread})
