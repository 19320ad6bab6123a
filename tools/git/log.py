"""Commits as `git log` prints them: framed so that no content can forge a frame, one by one or a whole landed line."""

import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import RepoId, UpstreamError
from agent.domain.commits import Commit, Person

if TYPE_CHECKING:
    from tools.git.repository import Repository
    from tools.git.view import View


class Opened:
    """A repository that was opened, as those know it who look things up in its history and in its trees."""

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
# 9999-12-30: every zone can still show it.
LATEST = 253_402_128_000


class Record(NamedTuple):
    """One commit as git printed it."""

    header: bytes
    body: bytes
    last: bool  # Nothing follows: whether it is whole depends on how git ended


class Framing:
    """A mark, random for each reading, that stands before and after the header of each commit."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(16)

    @property
    def options(self) -> tuple[str, ...]:
        """What makes `git log` print the frames."""
        return ("log", "-z", f"--format={self._mark}{FIELDS}{self._mark}")

    async def records(self, read: Callable[[], Awaitable[bytes]]) -> AsyncIterator[Record]:
        """Cut the stream into commits; only one is held at a time."""
        header = None
        async for piece, in_header, last in self._pieces(read):
            if in_header:
                header = piece
            elif header is not None:
                yield Record(header, piece, last)

    async def _pieces(
        self, read: Callable[[], Awaitable[bytes]]
    ) -> AsyncIterator[tuple[bytes, bool, bool]]:
        """Give what lies between marks: header, body, header, body; each byte is searched once."""
        mark, parts, tail, in_header = self._mark.encode(), list[bytes](), b"", False
        while chunk := await read():
            chunk, start = tail + chunk, 0
            while (end := chunk.find(mark, start)) >= 0:
                parts.append(chunk[start:end])
                yield b"".join(parts), in_header, False
                parts, start, in_header = [], end + len(mark), not in_header
            # The last bytes may be the beginning of a mark.
            keep = max(start, len(chunk) - len(mark) + 1)
            parts.append(chunk[start:keep])
            tail = chunk[keep:]
        yield b"".join((*parts, tail)), in_header, True


def parse_commit(repo: RepoId, header: bytes) -> Commit:
    """Read the header of one commit; whatever is not UTF-8 is replaced, as in the API's JSON."""
    fields = header.decode("utf-8", "replace").split("\0", 8)
    if len(fields) != 9:
        raise UpstreamError(
            f"git log: a commit of {repo} has a header that cannot be read", retryable=False
        )
    sha, parents, author, author_email, authored, committer, committer_email, committed, message = (
        fields
    )
    return Commit(
        repo=repo,
        sha=sha,
        parents=tuple(parents.split()),
        author=Person(name=author, email=author_email),
        authored_at=_moment(authored),
        committer=Person(name=committer, email=committer_email),
        committed_at=_moment(committed),
        message=message.rstrip("\n"),
    )


def has_absurd_date(commit: Commit) -> bool:
    """Tell whether the date of a commit was beyond the calendar, and is shown as its last day."""
    return commit.committed_at.timestamp() >= LATEST


def _moment(seconds: str) -> datetime:
    """Read a time as git prints it; nothing is printed for a date that is none, which git itself takes for 1970."""
    digits = seconds.isascii() and seconds.isdigit()
    return datetime.fromtimestamp(min(int(seconds[:20]), LATEST) if digits else 0, UTC)


async def read_commits(
    view: "View", repo: RepoId, selection: Sequence[str], *, stdin: bytes = b""
) -> list[Commit]:
    """Read commits without their diffs."""
    framing, commits = Framing(), list[Commit]()
    async with view.running([*framing.options, "--no-patch", *selection], stdin=stdin) as git:
        async for record in framing.records(git.read):
            commits.append(await with_true_parents(view, parse_commit(repo, record.header)))
        view.expect_success("log", await git.finish())
    return commits


async def with_true_parents(view: "View", commit: Commit) -> Commit:
    """Give a commit at the end of a shallow clone the parents it really has; git shows none."""
    if commit.sha not in view.shallow:
        return commit
    (whole,) = await view.objects.contents([commit.sha.encode("ascii")])
    if whole is None:
        raise UpstreamError(f"git cat-file: {commit.sha} cannot be read", retryable=False)
    lines = whole.content.partition(b"\n\n")[0].split(b"\n")
    parents = tuple(
        line[7:].decode("ascii", "replace") for line in lines if line.startswith(b"parent ")
    )
    return commit.model_copy(update={"parents": parents})


_BACK = 402 * 86_400
"""How far before a window the titles are kept: stories look back, and walking the line again takes as long."""


class Walk:
    """The first-parent line below a tip, newest first, without what is dated before some moment.

    Dates never end the walk: a commit may have landed on top of a later one.
    """

    def __init__(self, tip: str, since: int) -> None:
        self._tip = tip
        self._since = since
        self._shas: list[str] = []
        self._dates: list[int] = []
        self._headers: list[bytes] = []

    @classmethod
    async def down(cls, view: "View", tip: str, start: datetime) -> "Walk":
        """Walk down from a tip, for windows that begin at a moment or later."""
        walk, mark = cls(tip, max(0, int(start.timestamp()) - _BACK)), secrets.token_hex(16)
        since = [f"--since-as-filter=@{walk._since} +0000"] if walk._since else []
        asked = [
            "log",
            "-z",
            f"--format={mark}{FIELDS}",
            "--no-patch",
            "--first-parent",
            *since,
            tip,
        ]
        async with view.running(asked) as git:
            rest, cut = b"", mark.encode("ascii")
            while piece := await git.read():
                *whole, rest = (rest + piece).split(cut)
                walk._add(whole)
            walk._add([rest])
            view.expect_success("log", await git.finish())
        return walk

    def reaches(self, tip: str, start: datetime) -> bool:
        """Tell whether this is the line of a tip, and everything from a moment on is kept of it."""
        return tip == self._tip and start.timestamp() >= self._since

    def has(self, sha: str, since: datetime) -> bool:
        """Tell whether a commit is on this line, and everything from a moment on is kept."""
        return since.timestamp() >= self._since and sha in self._shas

    def between(self, start: int, end: int) -> list[str]:
        """Name the commits that are dated between two moments, the ends included."""
        return [sha for sha, at in zip(self._shas, self._dates, strict=True) if start <= at <= end]

    def titled(
        self, repo: RepoId, form: re.Pattern[str], upto: str, since: datetime
    ) -> Iterator[Commit]:
        """Give the commits up to one, not before a moment, whose title or subject fits; messages are cut."""
        first, moment = self._shas.index(upto), since.timestamp()
        may_fit = re.compile(form.pattern, form.flags | re.MULTILINE).search
        for at, header in zip(self._dates[first:], self._headers[first:], strict=True):
            # Most are ruled out before they are taken apart.
            if at >= moment and may_fit(
                header[header.rindex(b"\0") + 1 :].decode("utf-8", "replace").lstrip()
            ):
                commit = parse_commit(repo, header)
                if form.search(commit.title) or form.search(commit.subject):
                    yield commit

    def _add(self, headers: list[bytes]) -> None:
        for header in headers:
            fields = header.rstrip(b"\0").split(b"\0", 8)
            # Nothing comes before the first mark; what cannot be read is told by whoever asks for the commit.
            if len(fields) == 9:
                message = fields[8]
                # Behind GitHub's merge line the title may be anywhere.
                title = message if b" " in fields[1] else message.lstrip().partition(b"\n")[0]
                self._shas.append(fields[0].decode("ascii"))
                self._dates.append(min(int(fields[7][:20]), LATEST) if fields[7].isdigit() else 0)
                self._headers.append(b"\0".join((*fields[:8], title)))
