"""How commits are asked for and taken from the stream: one at a time, framed so that no content can forge a frame."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import NamedTuple

from agent.domain import Commit, Person
from agent.errors import UpstreamError
from agent.ids import RepoId

HEAD_ONLY = ("--no-patch",)
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

FIELDS = "%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B"
"""What `parse_commit` reads."""
# 9999-12-30: every zone can still show it.
LATEST = 253_402_128_000


class Record(NamedTuple):
    """One commit as git printed it."""

    header: bytes
    body: bytes
    last: bool
    """Nothing follows: whether it is whole depends on how git ended."""


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

    async def _pieces(self, read: Callable[[], Awaitable[bytes]]) -> AsyncIterator[tuple[bytes, bool, bool]]:
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
        raise UpstreamError(f"git log: a commit of {repo} has a header that cannot be read", retryable=False)
    sha, parents, author, author_email, authored, committer, committer_email, committed, message = fields
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
