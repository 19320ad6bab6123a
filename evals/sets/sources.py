"""Sources: git and the API tell the same of every commit, field by field."""

from collections.abc import Sequence
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.sources import CodeSource
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.github_server.responses import Allowance
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import first_parent_line, git_dir_of
from evals.worlds.mirror import repo_from_mirror
from evals.worlds.model import Repo, World
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code import GitHubCode

_TOKEN = "sources"  # noqa: S105 -- the loopback server's only token
_MIRROR_COMMITS = 40
_ALL = Target(1.0)


async def run(bench: Bench) -> Figures:
    """Read every commit twice and compare."""
    on_world: list[Score] = []
    for world in map(bench.world, ("full", "random")):
        wanted = {repo.full_name: _everything(world, repo) for repo in world.repos}
        on_world += await _agreement(bench, world.repos, wanted)
    on_mirrors: list[Score] = []
    for spec in bench.mirrors:
        assert spec.path is not None
        git_dir = git_dir_of(spec.path)
        newest = [row.sha for row in (await first_parent_line(git_dir))[:_MIRROR_COMMITS]]
        on_mirrors += await _agreement(bench, [repo_from_mirror(spec.name, git_dir, [])], {spec.name: newest})
    return {
        "commits on which git and API agree": share(on_world, _ALL),
        "commits on which git and API agree, mirrors": share(on_mirrors, _ALL),
    }


def _everything(world: World, repo: Repo) -> list[str]:
    """Name every commit that ever landed, with the members of merges."""
    rows = [row for row in world.landed if row.repo == repo.full_name]
    return list(dict.fromkeys(sha for row in rows for sha in (row.sha, *row.members)))


async def _agreement(bench: Bench, repos: Sequence[Repo], wanted: dict[str, list[str]]) -> list[Score]:
    scores: list[Score] = []
    # A limit of its own would only slow the comparison down: what is compared is content.
    with GitHubServer(repos, tokens=(_TOKEN,), allowance=Allowance(token=1_000_000)) as server:
        async with GitHubClient(base_url=server.url, token=_TOKEN) as client:
            for repo in repos:
                shas, name = wanted[repo.full_name], RepoId(repo.full_name)
                bench.say(f"sources: {name}, {len(shas)} commits")
                scores += await compare(GitSource(name, Path(repo.git_dir)), GitHubCode(client, name), shas)
    return scores


async def compare(git: CodeSource, api: CodeSource, shas: Sequence[str]) -> list[Score]:
    """Score each commit 1 when both sources give equal objects, else say which field differs first."""
    scores: list[Score] = []
    by_api = {change.commit.sha: change async for change in api.changes(shas)}
    seen: set[str] = set()
    async for change in git.changes(shas):
        seen.add(change.commit.sha)
        scores.append(_score(change, by_api.get(change.commit.sha)))
    return scores + [Score(f"{git.repo}@{sha}: not in git", 0.0) for sha in shas if sha not in seen]


def _score(one: Change, other: Change | None) -> Score:
    if other is None:
        return Score(f"{one.commit.id}: not in the API", 0.0)
    difference = _difference(one, other)
    return Score(f"{one.commit.id}: {difference or 'equal'}", float(difference is None))


def _difference(one: Change, other: Change) -> str | None:
    """Name the first field in which two readings of a commit differ."""
    for field in type(one.commit).model_fields:
        mine, theirs = getattr(one.commit, field), getattr(other.commit, field)
        if mine != theirs:
            return f"{field}: {mine!r} and {theirs!r}"[:300]
    if len(one.files) != len(other.files):
        return f"{len(one.files)} and {len(other.files)} files"
    for mine, theirs in zip(one.files, other.files, strict=True):
        for field in type(mine).model_fields:
            if getattr(mine, field) != getattr(theirs, field):
                return f"{mine.path}: {field}: {getattr(mine, field)!r} and {getattr(theirs, field)!r}"[:300]
    return None if one == other else "incomplete"


SOURCES = EvalSet("sources", "git and the API tell the same of every commit", run)
