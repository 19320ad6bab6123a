"""Revisions: look-ups of hashes, days and titles, and of who wrote the lines that a commit removes."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from agent.domain.commits import Commit, FileChange, Headline
from agent.domain.errors import InputError, NotFound, UnknownVersion, UpstreamError
from agent.domain.patch import read_patch
from agent.domain.references import pull_number
from agent.domain.window import moment
from agent.ports import Past
from agent.triage.title_conventions import Area, area
from tools.git.commit_change_reader import stream_files
from tools.git.first_parent_line import FileHistory, FirstParentLine
from tools.git.log import PATCH_OPTIONS, FirstParentWalk, read_commits
from tools.git.release_branch_reverts import ReleaseBranches
from tools.git.releases_with_commits import TAG_NAMES, since_option

if TYPE_CHECKING:
    from tools.git.isolated_repository import View

_ABBREVIATION = re.compile(r"[0-9a-f]{4,40}")
_FULL_HASH = 40
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:]{4,8}(?:Z|[+-][\d:]{4,5})?)?")
_MAX_PREFIXES_AT_ONCE = 500
_MAX_CANDIDATES_NAMED = 5
_MAX_TAGS_SUGGESTED = 3
_MAX_HEADLINES = 4_000
_MAX_TITLE_CHARACTERS = 400
_MAX_BLAMED_FILES = 12
_MAX_BLAMED_LINES = 450
_MAX_EARLIER_COMMITS = 50
_BLAME_LINE = re.compile(rb"^(?P<is_older>\^?)(?P<sha>[0-9a-f]{39,40})\s", re.ASCII)
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"  # In paths that are not UTF-8
_HAS_WORD = re.compile(r"\w.*\w", re.ASCII)


class Revisions(ReleaseBranches):
    """Finds commits by hash, tag, day and title, and who wrote lines."""

    _branch: str | None
    _walk: FirstParentWalk | None
    _line: FirstParentLine

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
        commits_by_prefix: dict[str, tuple[Commit, ...]] = {}
        for prefix in prefixes:
            commits_by_prefix[prefix] = tuple(commits[sha] for sha in meant[prefix.lower()])
        return commits_by_prefix

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

    async def between(self, old: str, new: str, *, members: bool = False) -> tuple[Commit, ...]:
        """List the commits on the first-parent line of `new` that `old` lacks, newest first.

        With `members`, what merges brought in is listed, too.
        """
        line = [] if members else ["--first-parent"]
        selection = [*line, new, f"^{old}"]
        return tuple(await read_commits(await self._view(), self.repo, selection))

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
        self, sha: str, *, since: datetime, moved: bool = False, share: float = 0.0
    ) -> Mapping[str, int]:
        """Count the lines of code that a commit removes by the commits that wrote them.

        Commits before `since` are counted under an empty name. A line that was moved within a file
        counts for its first writer; with `moved`, also one that was moved between files. As soon as
        no commit can have written this share of the lines, all are counted under an empty name.
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
        counts: Counter[str] = Counter()
        unread = line_count
        # The files with the most lines first: they decide earliest that nobody has the share.
        for path, numbers in sorted(removed.items(), key=lambda item: -len(item[1])):
            if not _can_have_share(counts, unread, share):
                return {"": line_count}
            writers = await self._line_writers(view, sha, path, numbers, since, moved=moved)
            if writers is None:
                return {}
            counts.update(writers)
            unread -= len(numbers)
        return counts

    async def _line_writers(
        self,
        view: "View",
        sha: str,
        path: str,
        numbers: Sequence[int],
        since: datetime,
        *,
        moved: bool,
    ) -> list[str] | None:
        """Return who wrote each of these lines of a file before a commit; None if git cannot say.

        The name of a writer from before `since` is empty.
        """
        history = await self._file_history(view, sha, path, since)
        if history is not None and not history.commits:
            return [""] * len(numbers)
        options = ["-s", "-l", "-M", "--root", "--first-parent", since_option(since)]
        grafts = b""
        if moved:
            options.append("-C")
        elif history is not None:
            # Git would look at every commit of the line for those few that touched the file.
            options += ["-S", "/dev/stdin"]
            grafts = history.grafts
        ranges = [f"-L{number},{number}" for number in numbers]
        command = ["blame", *options, *ranges, f"{sha}^", "--", path]
        blame = await view.run(command, stdin=grafts)
        return list(_writers(blame.out)) if blame.code == 0 else None

    async def _file_history(
        self, view: "View", sha: str, path: str, since: datetime
    ) -> FileHistory | None:
        """Return the landed commits since a moment that touched a file; None if that is unknown."""
        if view.shallow or _REPLACEMENT in path:
            return None
        try:
            return await self._line.history(view, sha, path.encode("utf-8"), since)
        except UpstreamError:
            return None

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
        tags = (await repository.ask([*TAG_NAMES, "--sort=-creatordate"])).split("\n")
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
    selection = ["--first-parent", f"-{_MAX_EARLIER_COMMITS}", since_option(since), parent]
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


def _removed_lines(files: Iterable[FileChange]) -> dict[str, list[int]]:
    """Return the numbers of removed lines of code by file, without blanks and lone brackets."""
    removed: dict[str, list[int]] = {}
    for file in files:
        if area(file.path) not in (Area.PRODUCT, Area.BENCH):
            continue
        lines = read_patch(file.patch).lines("old")
        numbers = [number for number, line in lines.items() if _HAS_WORD.search(line, 1)]
        if numbers:
            removed[file.path] = numbers
    return removed


def _can_have_share(counts: Mapping[str, int], unread: int, share: float) -> bool:
    """Return True if some commit may have written this share of all lines."""
    largest = max((count for writer, count in counts.items() if writer), default=0)
    total = sum(counts.values()) + unread
    return largest + unread >= share * total


def _writers(blame: bytes) -> Iterator[str]:
    """Yield the commit that wrote each blamed line; an empty name for older ones."""
    for line in blame.split(b"\n"):
        match = _BLAME_LINE.match(line)
        if match is None:
            continue
        yield "" if match["is_older"] else match["sha"].decode("ascii")
