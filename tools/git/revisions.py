"""Looking things up in history: hashes, tags, days, titles, and who wrote the lines that a commit takes out."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from agent.domain.base import InputError, RepoId
from agent.domain.commits import Commit, Headline, Release
from agent.domain.patch import read_patch
from agent.domain.window import moment
from agent.sources import Past
from agent.stories.releases import is_version
from agent.stories.timeline import pull_named
from agent.triage.conventions import Area, area
from tools.git.log import PATCH_OPTIONS, Walk, read_commits
from tools.git.patch import read_files

if TYPE_CHECKING:
    from tools.git.repository import Repository
    from tools.git.view import View

_FORM = re.compile(r"[0-9a-f]{4,40}")
_AT_ONCE = 500


async def name_commits(view: "View", prefixes: Sequence[str]) -> dict[str, list[str]]:
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


async def _candidates(view: "View", prefixes: Sequence[str]) -> list[str]:
    """List the commits that begin with any of these digits."""
    options = [f"--disambiguate={prefix}" for prefix in prefixes]
    named = (await view.read(["rev-parse", *options])).split()
    return [one.sha.decode("ascii") for one in await view.objects.known(named) if one and one.kind == b"commit"]


async def ancestors(view: "View", tip: str) -> frozenset[str]:
    """List everything that a commit rests on, and itself."""
    return frozenset((await view.read(["rev-list", tip])).decode("ascii").split())


_MOST_TAGS = 60


async def tags_with(repository: "Repository", sha: str) -> tuple[str, ...] | None:
    """Name the tags whose history has a commit, the oldest first; None where the repository has no tags at all."""
    if not await repository.ask(["for-each-ref", "--count=1", "refs/tags"]):
        return None
    form = "--format=%(refname:strip=2)"
    told = await repository.ask(["for-each-ref", f"--contains={sha}", "--sort=creatordate", form, "refs/tags"])
    # What is built every night is no release that anybody waits for.
    return tuple(name for name in told.split("\n") if name and "nightly" not in name.lower())[:_MOST_TAGS]


async def tagged(repository: "Repository", repo: RepoId, names: Sequence[str]) -> Release | None:
    """Find the first of these tags that there is, with the day on which it was made."""
    form = "--format=%(refname:strip=2) %(creatordate:unix)"
    told = await repository.ask(["for-each-ref", form, *(f"refs/tags/{name}" for name in names)])
    made = dict(line.rsplit(" ", 1) for line in told.split("\n") if " " in line)
    name = next((name for name in names if made.get(name, "").isdigit()), None)
    if name is None:
        return None
    at = datetime.fromtimestamp(int(made[name]), UTC)
    return Release(repo=repo, tag=name, name=name, body="", published_at=at, prerelease=False)


async def tags_made(repository: "Repository", repo: RepoId, start: datetime, end: datetime) -> tuple[Release, ...]:
    """List the tags that were made between two moments, as releases of their days; those of every night are none."""
    made = [release for release, _ in await _releases(repository, repo)]
    return tuple(one for one in made if start <= one.published_at < end and "nightly" not in one.tag.lower())


async def first_tags(
    repository: "Repository", view: "View", repo: RepoId, heads: Sequence[Headline], until: datetime
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


async def _releases(repository: "Repository", repo: RepoId) -> list[tuple[Release, str]]:
    """List all tags as releases of their days, each with the commit that it names."""
    form = "--format=%(refname:strip=2) %(creatordate:unix) %(objectname) %(*objectname)"
    told = await repository.ask(["for-each-ref", form, "refs/tags"])
    return list(_parsed(told, repo))


def _parsed(told: str, repo: RepoId) -> Iterator[tuple[Release, str]]:
    for line in told.split("\n"):
        name, at, *shas = line.split() or ["", ""]
        if at.isdigit() and shas:
            made = datetime.fromtimestamp(int(at), UTC)
            yield Release(repo=repo, tag=name, name=name, body="", published_at=made, prerelease=False), shas[-1]


_TAGS = ("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")


async def find_version(repository: "Repository", view: "View", name: str, *, branch: str | None, tz: str) -> str:
    """Find the commit that a tag, a hash or a day means; a day means how the branch stood when it began."""
    for tag in (name, f"v{name}"):
        ref = f"refs/tags/{tag}^{{commit}}"
        if sha := (await repository.ask(["rev-parse", "--quiet", "--verify", "--end-of-options", ref])).strip():
            return sha
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}(?:T[\d:]{4,8}(?:Z|[+-][\d:]{4,5})?)?", name):
        return await _at_day(repository, view, name, branch, tz)
    found = (await name_commits(view, [name.lower()]))[name.lower()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{name} fits several commits: {', '.join(sha[:12] for sha in found[:5])}")
    tags = (await repository.ask([*_TAGS, "--sort=-creatordate"])).split("\n")
    near = difflib.get_close_matches(name, tags, n=3) or [tag for tag in tags if tag][:3]
    hint = f"tags like it are {', '.join(near)}" if near else "the repository has no tags"
    raise InputError(f"{name[:60]!r} is no tag, hash or day of {repository.path.name}; {hint}")


async def _at_day(repository: "Repository", view: "View", day: str, branch: str | None, tz: str) -> str:
    tip = await repository.tip(branch)
    before = int(moment(day, tz).timestamp()) - 1
    asked = ["rev-list", "--first-parent", "-1", f"--before={before}", tip.sha or "HEAD"]
    sha = (await view.read(asked)).decode("ascii").strip() if tip.sha else ""
    if not sha:
        raise InputError(f"nothing had landed on {tip.branch} before {day}")
    return sha


async def commits_between(view: "View", repo: RepoId, old: str, new: str) -> list[Commit]:
    """List the commits that the newer version has and the older has not, newest first, on the newer one's own line."""
    return await read_commits(view, repo, ["--first-parent", new, f"^{old}"])


_MOST = 4_000
_LONGEST_TITLE = 400
_MOST_FILES, _MOST_LINES = 12, 450
_BLAMED = re.compile(rb"^(\^?)([0-9a-f]{39,40})\s", re.ASCII)
_SUBSTANCE = re.compile(r"\w.*\w", re.ASCII)


async def headed(view: "View", repo: RepoId, walk: Walk | None, pattern: str, upto: str, since: datetime) -> Past:
    """List the commits of the line up to one, not before a moment, whose title fits a pattern; newest first."""
    form = re.compile(pattern, re.IGNORECASE)
    if walk is None or not walk.has(upto, since):
        walk = await Walk.down(view, upto, since)
    found = tuple(
        Headline(
            sha=commit.sha,
            at=commit.committed_at,
            author=commit.author.name,
            title=commit.title[:_LONGEST_TITLE],
            pull=pull_named(commit.subject) or pull_named(commit.title),
        )
        for commit in islice(walk.titled(repo, form, upto, since), _MOST)
    )
    whole = not view.shallow and len(found) < _MOST
    return Past(found=found, since=since if whole else None)


async def written_by(view: "View", sha: str, since: datetime, *, moved: bool = False) -> Mapping[str, int]:
    """Count the lines of code that a commit takes out by who had written them; older writers have an empty name.

    Lines that were moved within a file are those of who wrote them first; with `moved` also between files.
    """
    told = await view.run(["diff-tree", "-r", "-z", *PATCH_OPTIONS, "-U0", "--no-renames", f"{sha}^", sha])
    lines = dict(_taken(told.out)) if told.code == 0 else {}
    if not lines or len(lines) > _MOST_FILES or sum(map(len, lines.values())) > _MOST_LINES:
        return {}
    counts: Counter[str] = Counter()
    options = ["-s", "-l", "-M", *(["-C"] if moved else []), "--root", "--first-parent"]
    for path, numbers in lines.items():
        ranges = [part for number in numbers for part in ("-L", f"{number},{number}")]
        limit = f"--since=@{int(since.timestamp())} +0000"
        blamed = await view.run(["blame", *options, limit, *ranges, f"{sha}^", "--", path])
        if blamed.code != 0:
            return {}
        for line in blamed.out.split(b"\n"):
            if found := _BLAMED.match(line):
                counts["" if found[1] else found[2].decode("ascii")] += 1
    return counts


def _taken(body: bytes) -> Iterator[tuple[str, list[int]]]:
    """Give the numbers of the lines of code that go from each file; blank lines and lone brackets say nothing."""
    for file in read_files(body):
        gone = read_patch(file.patch).lines("old") if area(file.path) in (Area.PRODUCT, Area.BENCH) else {}
        if numbers := [number for number, line in gone.items() if _SUBSTANCE.search(line, 1)]:
            yield file.path, numbers
