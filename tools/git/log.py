"""Commits as `git log` prints them, framed so that no content can forge a frame."""

import re
import secrets
from bisect import bisect_right
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Person
from agent.domain.errors import UpstreamError
from agent.domain.future_dated_commits import DatedCommit

if TYPE_CHECKING:
    from tools.git.isolated_repository import View
    from tools.git.opened_repository import Repository


class Opened:
    """A repository that was opened, for those who look things up in its history and its trees."""

    repo: RepoId

    async def _open(self) -> "Repository":
        raise NotImplementedError

    async def _view(self) -> "View":
        raise NotImplementedError


PATCH_OPTIONS = (
    "--raw",
    "--patch",
    "--no-abbrev",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    "--diff-algorithm=default",
    "--diff-merges=first-parent",
    # What GitHub does: renames are found, and hunks one line apart are joined.
    "--find-renames",
    "--inter-hunk-context=1",
)

FIELDS = "%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B"  # What `parse_commit` reads
_FIELD_COUNT = 9
LATEST = 253_402_128_000  # 9999-12-30: every zone can still show it
_MAX_HEADER = 1_000_000  # Bytes that are read of a commit's header, most of which is its message
_MAX_NAME = 300  # Characters of a person's name, and of an address
_MAX_DATE_DIGITS = 20

Read = Callable[[], Awaitable[bytes]]


# ---------------------------------------------------------------- framing


class Body(Protocol):
    """Takes what git prints behind the header of a commit, in pieces as they come."""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""


AnyBody = TypeVar("AnyBody", bound=Body)


class IgnoredBody:
    """Keeps nothing."""

    def feed(self, piece: bytes) -> None:
        """Drop a piece."""


class CollectedBody:
    """Keeps the first `limit` bytes, and counts the others; without a limit it keeps all."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._kept = 0
        self.omitted = 0

    def feed(self, piece: bytes) -> None:
        """Keep a piece as far as the limit allows."""
        kept = piece if self._limit is None else piece[: self._limit - self._kept]
        self._pieces.append(kept)
        self._kept += len(kept)
        self.omitted += len(piece) - len(kept)

    @property
    def value(self) -> bytes:
        """The value that was kept."""
        return b"".join(self._pieces)


class Header(NamedTuple):
    """The fields of a commit as git printed them."""

    value: bytes
    omitted: int = 0  # Bytes of the message that are missing at the end


@dataclass(frozen=True)
class FramedCommit(Generic[AnyBody]):
    """One commit as git printed it."""

    header: Header
    body: AnyBody
    is_last: bool  # Nothing follows: whether it is complete depends on how git ended


class Record(NamedTuple):
    """One commit as git printed it, with its whole body in memory."""

    header: bytes
    body: bytes
    last: bool  # Nothing follows: whether it is complete depends on how git ended


class _Segment(NamedTuple):
    """A piece of the stream up to the next mark, or as far as it was read."""

    content: bytes
    ends_at_mark: bool


class Framing:
    """A random mark for each reading, printed before and after the header of each commit."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(16)

    @property
    def options(self) -> tuple[str, ...]:
        """The options that make `git log` print the frames."""
        return ("log", "-z", f"--format={self._mark}{FIELDS}{self._mark}")

    async def records(self, read: Read) -> AsyncIterator[Record]:
        """Yield each commit with its whole body."""
        async for commit in self.commits(read, CollectedBody):
            yield Record(commit.header.value, commit.body.value, commit.is_last)

    async def commits(
        self, read: Read, make_body: Callable[[], AnyBody]
    ) -> AsyncIterator[FramedCommit[AnyBody]]:
        """Yield each commit; a body decides by itself how much of what git prints it keeps."""
        header = CollectedBody(_MAX_HEADER)
        body: AnyBody | None = None
        in_header = False
        async for segment in self._segments(read):
            if in_header:
                header.feed(segment.content)
            elif body is not None:
                body.feed(segment.content)
            if not segment.ends_at_mark:
                continue
            if in_header:
                body = make_body()
            else:
                if body is not None:
                    yield FramedCommit(Header(header.value, header.omitted), body, is_last=False)
                header = CollectedBody(_MAX_HEADER)
                body = None
            in_header = not in_header
        if body is not None:
            yield FramedCommit(Header(header.value, header.omitted), body, is_last=True)

    async def headers(self, read: Read) -> AsyncIterator[list[bytes]]:
        """Yield the headers of commits, those of each piece that was read together.

        Lines of history are long: nothing is done for each commit that need not be.
        """
        mark = self._mark.encode("ascii")
        tail = b""
        in_header = False
        while chunk := await read():
            *segments, tail = (tail + chunk).split(mark)
            first = 0 if in_header else 1
            yield [segment[:_MAX_HEADER] for segment in segments[first::2]]
            in_header ^= len(segments) % 2 == 1
            if len(tail) > _MAX_HEADER + len(mark):
                # The end may be the beginning of a mark.
                tail = tail[:_MAX_HEADER] + tail[-len(mark) :]

    async def _segments(self, read: Read) -> AsyncIterator[_Segment]:
        """Cut the stream at its marks; each byte is searched once."""
        mark = self._mark.encode("ascii")
        tail = b""
        while chunk := await read():
            content = tail + chunk
            start = 0
            while (end := content.find(mark, start)) >= 0:
                yield _Segment(content[start:end], ends_at_mark=True)
                start = end + len(mark)
            # The last bytes may be the beginning of a mark.
            keep = max(start, len(content) - len(mark) + 1)
            yield _Segment(content[start:keep], ends_at_mark=False)
            tail = content[keep:]
        yield _Segment(tail, ends_at_mark=False)


# ---------------------------------------------------------------- commits


def parse_commit(repo: RepoId, header: bytes, omitted: int = 0) -> Commit:
    """Return the commit of a header; what is not UTF-8 is replaced, as in the API's JSON."""
    fields = header.decode("utf-8", "replace").split("\0", _FIELD_COUNT - 1)
    if len(fields) != _FIELD_COUNT:
        message = f"git log: {unreadable_record(header)} of {repo}"
        raise UpstreamError(message, retryable=False)
    sha, parents, author, author_email, authored, committer, committer_email, committed, message = (
        fields
    )
    return Commit(
        repo=repo,
        sha=sha,
        parents=tuple(parents.split()),
        author=_person(author, author_email),
        authored_at=_moment(authored),
        committer=_person(committer, committer_email),
        committed_at=_moment(committed),
        message=message.rstrip("\n"),
        message_omitted=omitted,
    )


def _person(name: str, email: str) -> Person:
    return Person(name=name[:_MAX_NAME], email=email[:_MAX_NAME])


def unreadable_record(header: bytes) -> str:
    """Return words for a commit whose header does not have the fields that were asked for."""
    return f"a commit that cannot be read, {header[:40].decode('utf-8', 'replace')!r},"


def has_absurd_date(commit: Commit) -> bool:
    """Return True if the date of a commit was beyond the calendar, and is shown as its last day."""
    return commit.committed_at.timestamp() >= LATEST


def _moment(seconds: str) -> datetime:
    return datetime.fromtimestamp(parse_seconds(seconds), UTC)


def parse_seconds(text: str) -> int:
    """Return a time as git prints it; a date that is none counts as 1970, as git itself does."""
    if not (text.isascii() and text.isdigit()):
        return 0
    return min(int(text[:_MAX_DATE_DIGITS]), LATEST)


async def read_commits(
    view: "View", repo: RepoId, selection: Sequence[str], *, stdin: bytes = b""
) -> list[Commit]:
    """Return commits without their diffs."""
    framing = Framing()
    commits: list[Commit] = []
    async with view.running([*framing.options, "--no-patch", *selection], stdin=stdin) as git:
        async for framed in framing.commits(git.read, IgnoredBody):
            commit = parse_commit(repo, *framed.header)
            commits.append(await with_true_parents(view, commit))
        view.expect_success("log", await git.finish())
    return commits


async def with_true_parents(view: "View", commit: Commit) -> Commit:
    """Return a commit at the end of a shallow clone with the parents that git does not show."""
    if commit.sha not in view.shallow:
        return commit
    (stored,) = await view.objects.contents([commit.sha.encode("ascii")])
    if stored is None:
        raise UpstreamError(f"git cat-file: {commit.sha} cannot be read", retryable=False)
    header, _, _ = stored.content.partition(b"\n\n")
    parents: list[str] = []
    for line in header.split(b"\n"):
        if line.startswith(b"parent "):
            parents.append(line.removeprefix(b"parent ").decode("ascii", "replace"))
    return commit.model_copy(update={"parents": tuple(parents)})


# ---------------------------------------------------------------- the landed line

_SECONDS_BACK = 402 * 86_400
"""How far before a window titles are kept: stories look back, and another walk would take as long."""
_MAX_TITLE = (
    4_000  # Bytes that are kept of a title, and of a merge's message, which holds its title
)


class FirstParentWalk:
    """The first-parent line below a tip, newest first, without what is dated before some moment.

    Dates never end the walk: a commit may have landed on top of a later one.
    """

    def __init__(self, tip: str, since: int) -> None:
        self._tip = tip
        self._since = since
        self._shas: list[str] = []
        self._dates: list[int] = []
        self._headers: list[bytes] = []
        self.unreadable: list[str] = []  # Records that are not what was asked for

    @classmethod
    async def down(cls, view: "View", tip: str, start: datetime) -> "FirstParentWalk":
        """Walk down from a tip, for windows that begin at `start` or later."""
        walk = cls(tip, max(0, int(start.timestamp()) - _SECONDS_BACK))
        framing = Framing()
        command = [*framing.options, "--no-patch", "--first-parent"]
        if walk._since:
            command.append(f"--since-as-filter=@{walk._since} +0000")
        async with view.running([*command, tip]) as git:
            async for headers in framing.headers(git.read):
                for header in headers:
                    walk.add(header)
            view.expect_success("log", await git.finish())
        return walk

    def add(self, header: bytes) -> None:
        """Add the next commit of the line by its header, of which only the title is kept."""
        fields = header.split(b"\0", _FIELD_COUNT - 1)
        if len(fields) != _FIELD_COUNT:
            self.unreadable.append(unreadable_record(header))
            return
        *identity, message = fields
        is_merge = b" " in fields[1]
        # Behind GitHub's merge line the title may be anywhere.
        title = message if is_merge else message.lstrip().partition(b"\n")[0]
        self._shas.append(fields[0].decode("ascii"))
        self._dates.append(parse_seconds(fields[7].decode("ascii", "replace")))
        self._headers.append(b"\0".join((*identity, title[:_MAX_TITLE])))

    def reaches(self, tip: str, start: datetime) -> bool:
        """Return True if this is the line of a tip and keeps everything since `start`."""
        return tip == self._tip and start.timestamp() >= self._since

    def has(self, sha: str, since: datetime) -> bool:
        """Return True if a commit is on this line, which keeps everything since then."""
        return since.timestamp() >= self._since and sha in self._shas

    def between(self, start: int, end: int) -> list[str]:
        """Return the commits that are dated between two moments, the ends included."""
        dates = zip(self._shas, self._dates, strict=True)
        return [sha for sha, seconds in dates if start <= seconds <= end]

    def below(self, seconds: int) -> str | None:
        """Return the newest commit below all that are dated at this moment or later."""
        below = None
        for sha, date in zip(reversed(self._shas), reversed(self._dates), strict=True):
            if date >= seconds:
                break
            below = sha
        return below

    def dated(self) -> Iterator[DatedCommit]:
        """Yield the commits of the line with their dates, newest first."""
        for sha, seconds in zip(self._shas, self._dates, strict=True):
            yield DatedCommit(sha, datetime.fromtimestamp(seconds, UTC))

    def titled(
        self, repo: RepoId, form: re.Pattern[str], upto: str, since: datetime
    ) -> Iterator[Commit]:
        """Yield the commits up to one, not before a moment, whose title or subject fits; messages are cut."""
        first = self._shas.index(upto)
        earliest = since.timestamp()
        places: list[int] = []
        for place in range(first, len(self._dates)):
            if self._dates[place] >= earliest:
                places.append(place)
        may_fit = re.compile(form.pattern, form.flags | re.MULTILINE)
        titles = [self._titles[place] for place in places]
        # Most are ruled out before they are taken apart.
        for fitting in _texts_with(may_fit, titles):
            commit = parse_commit(repo, self._headers[places[fitting]])
            if form.search(commit.title) or form.search(commit.subject):
                yield commit

    @cached_property
    def _titles(self) -> list[str]:
        titles: list[str] = []
        for header in self._headers:
            title = header[header.rindex(b"\0") + 1 :]
            titles.append(title.decode("utf-8", "replace").lstrip())
        return titles


def _texts_with(form: re.Pattern[str], texts: Sequence[str]) -> Iterator[int]:
    """Yield the places of the texts in which a pattern may be; all are searched as one text."""
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    joined = "\n".join(texts)
    position = 0
    while position < starts[-1] and (found := form.search(joined, position)):
        place = bisect_right(starts, found.start()) - 1
        yield place
        position = starts[place + 1]
