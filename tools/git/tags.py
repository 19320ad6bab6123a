"""Which tags there are and what they contain: by that a release is known to have a change."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from agent.domain import Release
from agent.ids import RepoId
from agent.sources import Headline
from agent.story_finding.headlines import pull_named
from agent.story_finding.releases import is_version
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
    every = [(one, sha) for one, sha in await _releases(repository, repo) if one.published_at < until]
    # Where a project has versions, its other tags are of something else: a chart, a night, a candidate.
    versions = [(one, sha) for one, sha in every if is_version(one.tag)]
    tags = [(one, sha) for one, sha in versions or every if one.published_at >= since]
    if not tags:
        return {}
    asked = ["log", "-z", "--topo-order", "--format=%H %P%n%s", f"--since=@{int(since.timestamp())} +0000", "--stdin"]
    told = await view.run(asked, stdin="\n".join(sha for _, sha in tags).encode("ascii"))
    first, pulls = _earliest(tags, told.out.split(b"\0") if told.code == 0 else ())
    # A release branch has copies of commits, under their titles and other hashes.
    found = {head.sha: (first.get(head.sha), pulls.get(head.pull or 0)) for head in heads}
    return {sha: _earlier(one or other, other) for sha, (one, other) in found.items() if (one or other)}


def _earliest(
    tags: Sequence[tuple[Release, str]], commits: Iterable[bytes]
) -> tuple[dict[str, Release], dict[int, Release]]:
    """Hand releases down from children to parents, the earliest first; children come before their parents."""
    first: dict[str, Release] = {}
    pulls: dict[int, Release] = {}
    for release, sha in tags:
        first[sha] = _earlier(release, first.get(sha))
    for commit in commits:
        names, _, title = commit.partition(b"\n")
        sha, *parents = names.decode("ascii").split() or [""]
        if (release := first.get(sha)) is None:
            continue
        for parent in parents:
            first[parent] = _earlier(release, first.get(parent))
        if number := pull_named(title.decode("utf-8", "replace")):
            pulls[number] = _earlier(release, pulls.get(number))
    return first, pulls


def _earlier(one: Release, other: Release | None) -> Release:
    return one if other is None or one.published_at < other.published_at else other


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
