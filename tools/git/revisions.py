"""Look-ups in history: hashes, tags, days, titles, and who wrote the lines that a commit removes."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import InputError, NotFound, RepoId, UnknownVersion, UpstreamError
from agent.domain.commits import (
    Commit,
    FileChange,
    Headline,
    Release,
    is_version,
    is_version_or_candidate,
)
from agent.domain.patch import read_patch
from agent.domain.references import pull_number, thread_numbers
from agent.domain.window import moment
from agent.ports import Past
from agent.triage.conventions import Area, area
from tools.git.changes import stream_files
from tools.git.log import PATCH_OPTIONS, FirstParentWalk, Opened, read_commits

if TYPE_CHECKING:
    from tools.git.view import View

_ABBREVIATION = re.compile(r"[0-9a-f]{4,40}")
_FULL_HASH = 40
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:]{4,8}(?:Z|[+-][\d:]{4,5})?)?")
_TAG_NAMES = ("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
_TAG_DETAILS = "--format=%(refname:strip=2) %(creatordate:unix) %(objectname) %(*objectname)"
_MAX_PREFIXES_AT_ONCE = 500
_MAX_CANDIDATES_NAMED = 5
_MAX_TAGS = 60
_MAX_TAGS_SUGGESTED = 3
_MAX_HEADLINES = 4_000
_MAX_TITLE_CHARACTERS = 400
_MAX_BLAMED_FILES = 12
_MAX_BLAMED_LINES = 450
_MAX_EARLIER_COMMITS = 50
_BLAME_LINE = re.compile(rb"^(?P<is_older>\^?)(?P<sha>[0-9a-f]{39,40})\s", re.ASCII)
_HAS_WORD = re.compile(r"\w.*\w", re.ASCII)


_REVERT = re.compile(r"\W*revert\b", re.IGNORECASE)


class TaggedCommit(NamedTuple):
    """A tag as a release, and the commit that it names."""

    release: Release
    sha: str


class Revisions(Opened):
    """Finds commits by hash, tag, day and title, tags by commit, and who wrote lines."""

    _branch: str | None
    _walk: FirstParentWalk | None

    async def _present(self, view: "View", shas: Sequence[str]) -> list[str]:
        raise NotImplementedError

    async def _complete(self, shas: Sequence[str]) -> None:
        raise NotImplementedError

    async def resolve(self, prefix: str) -> Commit:
        """Return the commit with this full or abbreviated hash.

        Raise NotFound if there is none or more than one.
        """
        prefix = prefix.lower()
        if not _ABBREVIATION.fullmatch(prefix):
            raise NotFound(f"{prefix!r} is not a commit hash; give 4 to 40 hexadecimal digits")
        candidates = (await self._candidates([prefix]))[prefix]
        if len(candidates) > 1:
            names = ", ".join(sha[:12] for sha in candidates[:_MAX_CANDIDATES_NAMED])
            more = ", …" if len(candidates) > _MAX_CANDIDATES_NAMED else ""
            raise NotFound(f"{self.repo}@{prefix} is ambiguous: {names}{more}")
        return await self._commit(candidates[0] if candidates else prefix)

    async def named(self, prefixes: Sequence[str]) -> Mapping[str, tuple[Commit, ...]]:
        """Return the commits that full or abbreviated hashes mean.

        Of several candidates, those on the default branch are meant, if there are any.
        """
        view = await self._view()
        on_branch = await self._shas_on_branch(view)
        candidates = await self._candidates([prefix.lower() for prefix in prefixes])
        meant: dict[str, list[str]] = {}
        for prefix, shas in candidates.items():
            landed = [sha for sha in shas if sha in on_branch]
            meant[prefix] = landed or shas
        commits = await self._commits_by_sha(view, meant.values())
        named: dict[str, tuple[Commit, ...]] = {}
        for prefix in prefixes:
            named[prefix] = tuple(commits[sha] for sha in meant[prefix.lower()])
        return named

    async def _shas_on_branch(self, view: "View") -> frozenset[str]:
        repository = await self._open()
        tip = await repository.tip(self._branch)
        if not tip.sha:
            return frozenset()
        output = await view.read(["rev-list", tip.sha])
        return frozenset(output.decode("ascii").split())

    async def _commits_by_sha(
        self, view: "View", groups: Iterable[Iterable[str]]
    ) -> dict[str, Commit]:
        shas: dict[str, None] = {}
        for group in groups:
            shas |= dict.fromkeys(group)
        if not shas:
            return {}
        selection = ["--no-walk=unsorted", "--stdin"]
        commits = await read_commits(view, self.repo, selection, stdin="\n".join(shas).encode())
        return {commit.sha: commit for commit in commits}

    async def version(self, name: str, *, tz: str = "UTC") -> Commit:
        """Return the commit that a tag, a hash or a day means."""
        return await self._commit(await self._find_version(name, tz))

    async def between(self, old: str, new: str) -> tuple[Commit, ...]:
        """List the commits on the first-parent line of `new` that `old` lacks, newest first."""
        selection = ["--first-parent", new, f"^{old}"]
        return tuple(await read_commits(await self._view(), self.repo, selection))

    async def tags_with(self, sha: str) -> tuple[str, ...] | None:
        """Return the tags that contain this commit, the oldest first; None if there are no tags."""
        repository = await self._open()
        if not await repository.ask(["for-each-ref", "--count=1", "refs/tags"]):
            return None
        output = await repository.ask([*_TAG_NAMES, f"--contains={sha}", "--sort=creatordate"])
        tags = [tag for tag in output.split("\n") if tag and not _is_nightly(tag)]
        return tuple(tags[:_MAX_TAGS])

    async def tagged(self, names: Sequence[str]) -> Release | None:
        """Return the first of these tags that exists, as a release of its day."""
        release_by_tag = {tagged.release.tag: tagged.release for tagged in await self._releases()}
        for name in names:
            if name in release_by_tag:
                return release_by_tag[name]
        return None

    async def tags_made(self, start: datetime, end: datetime) -> tuple[Release, ...]:
        """List the tags made between two moments as releases, without nightly ones."""
        releases: list[Release] = []
        for tagged in await self._releases():
            is_between = start <= tagged.release.published_at < end
            if is_between and not _is_nightly(tagged.release.tag):
                releases.append(tagged.release)
        return tuple(releases)

    async def first_tags(
        self, heads: Sequence[Headline], *, until: datetime, candidates: bool = False
    ) -> Mapping[str, Release]:
        """Return by hash the first release before a moment that has a landed commit or a copy of it.

        With `candidates`, tags of release candidates count as well. It takes one walk over the tags.
        """
        since = min((headline.at for headline in heads), default=until)
        tags = await self._releases()
        # Where a project has versions, its other tags are of something else: a chart, a night.
        is_release = is_version_or_candidate if candidates else is_version
        versions = [tagged for tagged in tags if is_release(tagged.release.tag)]
        in_span: list[TaggedCommit] = []
        for tagged in versions or tags:
            if since <= tagged.release.published_at < until:
                in_span.append(tagged)
        if not in_span:
            return {}
        first = await self._first_releases(in_span, since)
        releases: dict[str, Release] = {}
        for headline in heads:
            containing = [first.by_sha.get(headline.sha), first.by_pull.get(headline.pull or 0)]
            existing = [release for release in containing if release is not None]
            if existing:
                releases[headline.sha] = _earliest(existing)
        return releases

    async def _first_releases(
        self, tags: Sequence[TaggedCommit], since: datetime
    ) -> "_FirstReleases":
        command = ["log", "-z", "--topo-order", "--format=%H %P%n%s", _since_option(since)]
        shas = "\n".join(tagged.sha for tagged in tags).encode("ascii")
        view = await self._view()
        finished = await view.run([*command, "--stdin"], stdin=shas)
        first = _FirstReleases(tags)
        if finished.code == 0:
            for record in finished.out.split(b"\0"):
                first.hand_down(record)
        return first

    async def headed(self, pattern: str, *, upto: str, since: datetime) -> Past:
        """List the landed commits up to this one and since a moment whose title fits a pattern."""
        view = await self._view()
        walk = self._walk
        if walk is None or not walk.has(upto, since):
            walk = await FirstParentWalk.down(view, upto, since)
        titled = walk.titled(self.repo, re.compile(pattern, re.IGNORECASE), upto, since)
        headlines = tuple(_headline(commit) for commit in islice(titled, _MAX_HEADLINES))
        is_complete = not view.shallow and len(headlines) < _MAX_HEADLINES
        return Past(found=headlines, since=since if is_complete else None)

    async def fetch_writers(self, since: Mapping[str, datetime]) -> None:
        """Fetch what a partial clone lacks of these commits and of possible writers of their lines."""
        repository = await self._open()
        if repository.promisor is None:
            return
        view = await self._view()
        await self._complete(list(since))
        earlier: dict[str, None] = {}
        for sha, start in since.items():
            earlier |= dict.fromkeys(await _earlier_commits(view, sha, start))
        with suppress(UpstreamError):
            await self._complete(list(earlier))

    async def written_by(
        self, sha: str, *, since: datetime, moved: bool = False
    ) -> Mapping[str, int]:
        """Count the lines of code that a commit removes by the commits that wrote them.

        Commits before `since` are counted under an empty name. A line that was moved within a file
        counts for its first writer; with `moved`, also one that was moved between files.
        """
        view = await self._view()
        command = ["diff-tree", "-r", "-z", *PATCH_OPTIONS, "-U0", "--no-renames", f"{sha}^", sha]
        try:
            removed = _removed_lines(await stream_files(view, command))
        except UpstreamError:
            return {}
        line_count = sum(len(numbers) for numbers in removed.values())
        if len(removed) > _MAX_BLAMED_FILES or line_count > _MAX_BLAMED_LINES:
            return {}
        options = ["-s", "-l", "-M", "--root", "--first-parent", _since_option(since)]
        if moved:
            options.append("-C")
        counts: Counter[str] = Counter()
        for path, numbers in removed.items():
            ranges = [f"-L{number},{number}" for number in numbers]
            blame = await view.run(["blame", *options, *ranges, f"{sha}^", "--", path])
            if blame.code != 0:
                return {}
            counts.update(_writers(blame.out))
        return counts

    async def _commit(self, sha: str) -> Commit:
        view = await self._view()
        if not await self._present(view, [sha]):
            raise NotFound(f"{self.repo} has no commit {sha}")
        (commit,) = await read_commits(view, self.repo, ["--no-walk", sha])
        return commit

    async def _candidates(self, prefixes: Sequence[str]) -> dict[str, list[str]]:
        """Return the commits that each abbreviation may mean; none if it is missing or no hash."""
        view = await self._view()
        candidates: dict[str, list[str]] = {prefix: [] for prefix in prefixes}
        hashes = [prefix for prefix in candidates if _ABBREVIATION.fullmatch(prefix)]
        names = [f"{prefix}^{{commit}}".encode("ascii") for prefix in hashes]
        for prefix, git_object in zip(hashes, await view.objects.known(names), strict=True):
            if git_object is not None:
                candidates[prefix] = [git_object.sha.decode("ascii")]
        # Git also calls an abbreviation missing that fits several commits.
        unclear: list[str] = []
        for prefix in hashes:
            if not candidates[prefix] and len(prefix) < _FULL_HASH:
                unclear.append(prefix)
        for start in range(0, len(unclear), _MAX_PREFIXES_AT_ONCE):
            batch = unclear[start : start + _MAX_PREFIXES_AT_ONCE]
            shas = await _disambiguated(view, batch)
            for prefix in batch:
                candidates[prefix] = [sha for sha in shas if sha.startswith(prefix)]
        return candidates

    async def _find_version(self, name: str, tz: str) -> str:
        """Return the commit that a name means; a day means the branch as it was when it began."""
        repository = await self._open()
        for tag in (name, f"v{name}"):
            ref = f"refs/tags/{tag}^{{commit}}"
            command = ["rev-parse", "--quiet", "--verify", "--end-of-options", ref]
            sha = (await repository.ask(command)).strip()
            if sha:
                return sha
        if _DAY.fullmatch(name):
            return await self._at_day(name, tz)
        candidates = (await self._candidates([name.lower()]))[name.lower()]
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            names = ", ".join(sha[:12] for sha in candidates[:_MAX_CANDIDATES_NAMED])
            raise InputError(f"{name} fits several commits: {names}")
        problem = f"{name[:60]!r} is no tag, hash or day of {repository.path.name}"
        raise UnknownVersion(f"{problem}; {await self._tag_hint(name)}")

    async def _tag_hint(self, name: str) -> str:
        repository = await self._open()
        tags = (await repository.ask([*_TAG_NAMES, "--sort=-creatordate"])).split("\n")
        similar = difflib.get_close_matches(name, tags, n=_MAX_TAGS_SUGGESTED)
        if not similar:
            similar = [tag for tag in tags if tag][:_MAX_TAGS_SUGGESTED]
        if not similar:
            return "the repository has no tags"
        return f"tags like it are {', '.join(similar)}"

    async def _at_day(self, day: str, tz: str) -> str:
        repository = await self._open()
        tip = await repository.tip(self._branch)
        before = int(moment(day, tz).timestamp()) - 1
        sha = ""
        if tip.sha:
            command = ["rev-list", "--first-parent", "-1", f"--before={before}", tip.sha]
            view = await self._view()
            sha = (await view.read(command)).decode("ascii").strip()
        if not sha:
            raise UnknownVersion(f"nothing had landed on {tip.branch} before {day}")
        return sha

    async def _releases(self) -> list[TaggedCommit]:
        repository = await self._open()
        output = await repository.ask(["for-each-ref", _TAG_DETAILS, "refs/tags"])
        return list(_tagged_commits(output, self.repo))


def _is_nightly(tag: str) -> bool:
    """Return True for a build of every night, which is no release that anybody waits for."""
    return "nightly" in tag.lower()


def _since_option(since: datetime) -> str:
    return f"--since=@{int(since.timestamp())} +0000"


def _headline(commit: Commit) -> Headline:
    return Headline(
        sha=commit.sha,
        at=commit.committed_at,
        author=commit.author.name,
        title=commit.title[:_MAX_TITLE_CHARACTERS],
        pull=pull_number(commit.subject) or pull_number(commit.title),
    )


async def _earlier_commits(view: "View", sha: str, since: datetime) -> list[str]:
    """Return the landed commits before this one that touched the same files."""
    parent = f"{sha}^"
    changed = await view.run(["diff-tree", "-r", "-z", "--name-only", "--no-renames", parent, sha])
    paths = changed.out.decode("utf-8", "surrogateescape").split("\0")[:-1]
    if changed.code != 0 or not 0 < len(paths) <= _MAX_BLAMED_FILES:
        return []
    selection = ["--first-parent", f"-{_MAX_EARLIER_COMMITS}", _since_option(since), parent]
    listed = await view.run(["rev-list", *selection, "--", *paths])
    return listed.out.decode("ascii").split()


async def _disambiguated(view: "View", prefixes: Sequence[str]) -> list[str]:
    """Return all commits whose hash begins with one of these abbreviations."""
    options = [f"--disambiguate={prefix}" for prefix in prefixes]
    names = (await view.read(["rev-parse", *options])).split()
    shas: list[str] = []
    for git_object in await view.objects.known(names):
        if git_object is not None and git_object.kind == b"commit":
            shas.append(git_object.sha.decode("ascii"))
    return shas


class _FirstReleases:
    """The earliest release that contains a commit, or a copy of its pull request.

    A release branch has copies of commits, under their titles and other hashes.
    """

    def __init__(self, tags: Iterable[TaggedCommit]) -> None:
        self.by_sha: dict[str, Release] = {}
        self.by_pull: dict[int, Release] = {}
        for tagged in tags:
            self._note(tagged.sha, tagged.release)

    def hand_down(self, record: bytes) -> None:
        """Hand the release of a commit down to its parents; children must come before parents."""
        names, _, title = record.partition(b"\n")
        sha, *parents = names.decode("ascii").split() or [""]
        release = self.by_sha.get(sha)
        if release is None:
            return
        for parent in parents:
            self._note(parent, release)
        for number in _copied_pulls(title.decode("utf-8", "replace")):
            self.by_pull[number] = _earliest([release, self.by_pull.get(number, release)])

    def _note(self, sha: str, release: Release) -> None:
        self.by_sha[sha] = _earliest([release, self.by_sha.get(sha, release)])


def _copied_pulls(title: str) -> list[int]:
    """Return the pull requests that a commit brings in: its own, and those that its title names.

    A pick for a release branch has a pull request of its own and names the one that it picks. What
    a revert names is what it takes out.
    """
    if _REVERT.match(title):
        own = pull_number(title)
        return [own] if own else []
    return thread_numbers(title)


def _earliest(releases: Iterable[Release]) -> Release:
    return min(releases, key=lambda release: (release.published_at, release.tag))


def _tagged_commits(output: str, repo: RepoId) -> Iterator[TaggedCommit]:
    for line in output.split("\n"):
        name, created, *shas = line.split() or ["", ""]
        if not created.isdigit() or not shas:
            continue
        release = Release(
            repo=repo,
            tag=name,
            name=name,
            body="",
            published_at=datetime.fromtimestamp(int(created), UTC),
            prerelease=False,
        )
        # The last hash is the commit itself: of an annotated tag, the object comes first.
        yield TaggedCommit(release, shas[-1])


def _removed_lines(files: Iterable[FileChange]) -> dict[str, list[int]]:
    """Return the numbers of removed lines of code by file, without blank lines and lone brackets."""
    removed: dict[str, list[int]] = {}
    for file in files:
        if area(file.path) not in (Area.PRODUCT, Area.BENCH):
            continue
        lines = read_patch(file.patch).lines("old")
        numbers = [number for number, line in lines.items() if _HAS_WORD.search(line, 1)]
        if numbers:
            removed[file.path] = numbers
    return removed


def _writers(blame: bytes) -> Iterator[str]:
    """Yield the commit that wrote each blamed line; an empty name for older ones."""
    for line in blame.split(b"\n"):
        match = _BLAME_LINE.match(line)
        if match is None:
            continue
        yield "" if match["is_older"] else match["sha"].decode("ascii")
