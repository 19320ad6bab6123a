"""Which tags there are and what they contain: by that a release is known to have a change."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from agent.domain import Release
from agent.headlines import pull_named
from agent.ids import RepoId
from agent.release_tags import is_version
from agent.sources import Headline
from tools.git.branch import ask_refs
from tools.git.repository import Repository
from tools.git.view import View

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
    made = [release for release, _ in await _releases(repository, repo)]
    return tuple(one for one in made if start <= one.published_at < end and "nightly" not in one.tag.lower())


async def first_tags(
    repository: Repository, view: View, repo: RepoId, heads: Sequence[Headline], until: datetime
) -> dict[str, Release]:
    """Walk once over what the releases since the oldest of some commits have, and name the earliest for each."""
    since = min((head.at for head in heads), default=until)
    every = await _releases(repository, repo)
    # Where a project has versions, its other tags are of something else: a chart, a night, a candidate.
    versions = [(one, sha) for one, sha in every if is_version(one.tag)]
    tags = [(one, sha) for one, sha in versions or every if since <= one.published_at < until]
    if not tags:
        return {}
    asked = ["log", "-z", "--topo-order", "--format=%H %P%n%s", f"--since=@{int(since.timestamp())} +0000", "--stdin"]
    told = await view.run(asked, stdin="\n".join(sha for _, sha in tags).encode("ascii"))
    first, pulls = _handed_down(tags, told.out.split(b"\0") if told.code == 0 else ())
    # A release branch has copies of commits, under their titles and other hashes.
    found = {head.sha: [first.get(head.sha), pulls.get(head.pull or 0)] for head in heads}
    return {sha: _earliest_of(filter(None, some)) for sha, some in found.items() if any(some)}


def _handed_down(
    tags: Sequence[tuple[Release, str]], commits: Iterable[bytes]
) -> tuple[dict[str, Release], dict[int, Release]]:
    """Hand releases down from children to parents, the earliest of several; children come before their parents."""
    first: dict[str, Release] = {}
    pulls: dict[int, Release] = {}
    for release, sha in tags:
        first[sha] = _earliest_of((release, first.get(sha, release)))
    for commit in commits:
        names, _, title = commit.partition(b"\n")
        sha, *parents = names.decode("ascii").split() or [""]
        if sha in first:
            first |= {parent: _earliest_of((first[sha], first.get(parent, first[sha]))) for parent in parents}
            if number := pull_named(title.decode("utf-8", "replace")):
                pulls[number] = _earliest_of((first[sha], pulls.get(number, first[sha])))
    return first, pulls


def _earliest_of(releases: Iterable[Release]) -> Release:
    return min(releases, key=lambda one: (one.published_at, one.tag))


async def _releases(repository: Repository, repo: RepoId) -> list[tuple[Release, str]]:
    """List all tags as releases of their days, each with the commit that it names."""
    form = "--format=%(refname:strip=2) %(creatordate:unix) %(objectname) %(*objectname)"
    told = await ask_refs(repository, ["for-each-ref", form, "refs/tags"])
    return list(_parsed(told, repo))


def _parsed(told: str, repo: RepoId) -> Iterator[tuple[Release, str]]:
    for line in told.split("\n"):
        name, at, *shas = line.split() or ["", ""]
        if at.isdigit() and shas:
            made = datetime.fromtimestamp(int(at), UTC)
            yield Release(repo=repo, tag=name, name=name, body="", published_at=made, prerelease=False), shas[-1]
