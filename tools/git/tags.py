"""Which tags there are and what they contain: by that a release is known to have a change."""

from collections.abc import Sequence
from datetime import UTC, datetime

from agent.domain import Release
from agent.ids import RepoId
from tools.git.branch import ask_refs
from tools.git.repository import Repository

_MOST = 60


async def tags_with(repository: Repository, sha: str) -> tuple[str, ...] | None:
    """Name the tags whose history has a commit, the oldest first; None where the repository has no tags at all."""
    if not await ask_refs(repository, ["for-each-ref", "--count=1", "refs/tags"]):
        return None
    form = "--format=%(refname:strip=2)"
    told = await ask_refs(repository, ["for-each-ref", f"--contains={sha}", "--sort=creatordate", form, "refs/tags"])
    # What is built every night is no release that anybody waits for.
    return tuple(name for name in told.split("\n") if name and "nightly" not in name.lower())[:_MOST]


async def tagged(repository: Repository, repo: RepoId, names: Sequence[str]) -> Release | None:
    """Find the first of these tags that there is, with the day on which it was made."""
    form = "--format=%(refname:strip=2) %(creatordate:unix)"
    told = await ask_refs(repository, ["for-each-ref", form, *(f"refs/tags/{name}" for name in names)])
    made = dict(line.rsplit(" ", 1) for line in told.split("\n") if " " in line)
    name = next((name for name in names if made.get(name, "").isdigit()), None)
    if name is None:
        return None
    at = datetime.fromtimestamp(int(made[name]), UTC)
    return Release(repo=repo, tag=name, name=name, body="", published_at=at, prerelease=False)


async def tags_made(repository: Repository, repo: RepoId, start: datetime, end: datetime) -> tuple[Release, ...]:
    """List the tags that were made between two moments, as releases of their days; those of every night are none."""
    told = await ask_refs(repository, ["for-each-ref", "--format=%(refname:strip=2) %(creatordate:unix)", "refs/tags"])
    made = [line.rsplit(" ", 1) for line in told.split("\n") if " " in line]
    days = {name: datetime.fromtimestamp(int(at), UTC) for name, at in made if at.isdigit()}
    return tuple(
        Release(repo=repo, tag=name, name=name, body="", published_at=at, prerelease=False)
        for name, at in days.items()
        if start <= at < end and "nightly" not in name.lower()
    )
