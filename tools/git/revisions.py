"""What names mean: abbreviated hashes, tags and days; which tags have a commit, and how two versions differ."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from agent.domain.base import InputError, RepoId, UpstreamError
from agent.domain.commits import Change, Commit, Headline, Release
from agent.domain.window import moment
from agent.links.headlines import pull_named
from agent.stories.release_tags import is_version
from tools.git.changes import fetch_blobs, missing_blobs
from tools.git.landing import read_commits
from tools.git.log import PATCH_OPTIONS
from tools.git.mirrors.remote import patiently
from tools.git.patch import MalformedDiff, read_entries, read_files
from tools.git.repository import Repository, ask_refs, find_tip
from tools.git.view import View

_FORM = re.compile(r"[0-9a-f]{4,40}")
_AT_ONCE = 500


async def name_commits(view: View, prefixes: Sequence[str]) -> dict[str, list[str]]:
    """Find every commit that each abbreviation may mean; none for one that is missing or no hash."""
    wanted = [prefix for prefix in dict.fromkeys(prefixes) if _FORM.fullmatch(prefix)]
    found: dict[str, list[str]] = {prefix: [] for prefix in prefixes}
    if not wanted:
        return found
    asked = [f"{prefix}^{{commit}}".encode("ascii") for prefix in wanted]
    for prefix, one in zip(wanted, await view.objects.known(asked), strict=True):
        if one is not None:
            found[prefix] = [one.sha.decode("ascii")]
    # Git calls an abbreviation that fits several commits missing, too.
    unclear = [prefix for prefix in wanted if not found[prefix] and len(prefix) < 40]
    for start in range(0, len(unclear), _AT_ONCE):
        some = unclear[start : start + _AT_ONCE]
        for sha in await _candidates(view, some):
            for prefix in some:
                if sha.startswith(prefix):
                    found[prefix].append(sha)
    return found


async def _candidates(view: View, prefixes: Sequence[str]) -> list[str]:
    """List the commits that begin with any of these digits."""
    options = [f"--disambiguate={prefix}" for prefix in prefixes]
    named = (await view.read(["rev-parse", *options])).split()
    return [one.sha.decode("ascii") for one in await view.objects.known(named) if one and one.kind == b"commit"]


async def ancestors(view: View, tip: str) -> frozenset[str]:
    """List everything that a commit rests on, and itself."""
    return frozenset((await view.read(["rev-list", tip])).decode("ascii").split())


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


_TAGS = ("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
_OF_COMMITS = "--diff-merges=first-parent"
_RENAMES = "-l4000"
"""How many files git compares to find renames: by default it gives up where many came and went."""


async def find_version(repository: Repository, view: View, name: str, *, branch: str | None, tz: str) -> str:
    """Find the commit that a tag, a hash or a day means; a day means how the branch stood when it began."""
    for tag in (name, f"v{name}"):
        ref = f"refs/tags/{tag}^{{commit}}"
        if sha := (await ask_refs(repository, ["rev-parse", "--quiet", "--verify", "--end-of-options", ref])).strip():
            return sha
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}(?:T[\d:]{4,8}(?:Z|[+-][\d:]{4,5})?)?", name):
        return await _at_day(repository, view, name, branch, tz)
    found = (await name_commits(view, [name.lower()]))[name.lower()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{name} fits several commits: {', '.join(sha[:12] for sha in found[:5])}")
    tags = (await ask_refs(repository, [*_TAGS, "--sort=-creatordate"])).split("\n")
    near = difflib.get_close_matches(name, tags, n=3) or [tag for tag in tags if tag][:3]
    hint = f"tags like it are {', '.join(near)}" if near else "the repository has no tags"
    raise InputError(f"{name[:60]!r} is no tag, hash or day of {repository.path.name}; {hint}")


async def _at_day(repository: Repository, view: View, day: str, branch: str | None, tz: str) -> str:
    tip = await find_tip(repository, branch)
    before = int(moment(day, tz).timestamp()) - 1
    asked = ["rev-list", "--first-parent", "-1", f"--before={before}", tip.sha or "HEAD"]
    sha = (await view.read(asked)).decode("ascii").strip() if tip.sha else ""
    if not sha:
        raise InputError(f"nothing had landed on {tip.branch} before {day}")
    return sha


async def commits_between(view: View, repo: RepoId, old: str, new: str) -> list[Commit]:
    """List the commits that the newer version has and the older has not, newest first, on the newer one's own line."""
    return await read_commits(view, repo, ["--first-parent", new, f"^{old}"])


async def tree_change(
    repository: Repository, view: View, repo: RepoId, old: str, new: str, environ: Mapping[str, str]
) -> Change:
    """Read how one tree differs from another, as if one commit had made it."""
    options = [option for option in PATCH_OPTIONS if option != _OF_COMMITS]
    if repository.promisor is not None:
        raw = await view.read(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new])
        if missing := await missing_blobs(view, read_entries(raw)[0]):
            await patiently(lambda: fetch_blobs(repository, missing, environ))
    body = await view.read(["diff-tree", "-r", "-z", _RENAMES, *options, old, new])
    try:
        files = read_files(body)
    except MalformedDiff as error:
        raise UpstreamError(f"git diff {old[:12]} {new[:12]}: {error}", retryable=False) from error
    (commit,) = await read_commits(view, repo, ["--no-walk", new])
    return Change(commit=commit.model_copy(update={"parents": (old,)}), files=files)
