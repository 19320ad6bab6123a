"""Sources: git and the API tell the same of every commit, field by field."""

from collections.abc import Sequence
from typing import Any

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.sources import CodeSource
from evals.figures import Figures, Score, share
from evals.harness import TOKEN, Bench, EvalSet, serving
from evals.sets.oracle import first_parent_line, git_dir_of
from evals.worlds.mirror import repo_from_mirror
from evals.worlds.model import Repo, World
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code import GitHubCode

_MIRROR_COMMITS = 40


async def run(bench: Bench) -> Figures:
    """Read every commit twice and compare."""
    on_world, on_mirrors = list[Score](), list[Score]()
    for world in map(bench.world, ("full", "random")):
        on_world += await _agreement(world.repos, {repo.full_name: _everything(world, repo) for repo in world.repos})
    for spec in bench.mirrors:
        newest = [row.sha for row in (await first_parent_line(spec))[:_MIRROR_COMMITS]]
        on_mirrors += await _agreement([repo_from_mirror(spec.name, git_dir_of(spec), [])], {spec.name: newest})
    return {
        "commits on which git and API agree": share(on_world),
        "commits on which git and API agree, mirrors": share(on_mirrors),
    }


def _everything(world: World, repo: Repo) -> list[str]:
    """Name every commit that ever landed, with the members of merges."""
    rows = [row for row in world.landed if row.repo == repo.full_name]
    return list(dict.fromkeys(sha for row in rows for sha in (row.sha, *row.members)))


async def _agreement(repos: Sequence[Repo], wanted: dict[str, list[str]]) -> list[Score]:
    scores: list[Score] = []
    with serving(repos) as server:
        async with GitHubClient(base_url=server.url, token=TOKEN) as client:
            for repo in repos:
                name = RepoId(repo.full_name)
                git, api = GitSource(name, repo.git_dir), GitHubCode(client, name)
                scores += await compare(git, api, wanted[repo.full_name])
    return scores


async def compare(git: CodeSource, api: CodeSource, shas: Sequence[str]) -> list[Score]:
    """Score each commit 1 when both sources give equal objects, else say which field differs first."""
    by_git = {change.commit.sha: change async for change in git.changes(shas)}
    by_api = {change.commit.sha: change async for change in api.changes(shas)}
    differences = {sha: _difference(by_git.get(sha), by_api.get(sha)) for sha in shas}
    return [Score(f"{git.repo}@{sha}: {text or 'equal'}", float(not text), sha) for sha, text in differences.items()]


def _difference(one: Change | None, other: Change | None) -> str:
    """Name the first field in which two readings of a commit differ."""
    if one is None or other is None:
        return "not in git" if one is None else "not in the API"
    if len(one.files) != len(other.files):
        return f"{len(one.files)} and {len(other.files)} files"
    pairs: list[tuple[Any, Any]] = [(one.commit, other.commit), *zip(one.files, other.files, strict=True)]
    for mine, theirs in pairs:
        for field in type(mine).model_fields:
            if getattr(mine, field) != getattr(theirs, field):
                return f"{field}: {getattr(mine, field)!r} and {getattr(theirs, field)!r}"[:300]
    return "" if one == other else "incomplete"


SOURCES = EvalSet("sources", "git and the API tell the same of every commit", run)
