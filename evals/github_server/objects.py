"""Git's objects as values: commits, trees and histories, parsed from bytes that nobody vouches for."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Signature:
    """Who made a commit and when."""

    name: str
    email: str
    at: datetime


@dataclass(frozen=True)
class CommitObject:
    """A commit as the object says."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True)
class History:
    """The commits that one tip reaches, in the order of `git log`, with their committer dates."""

    shas: tuple[str, ...]
    times: tuple[int, ...]
    members: frozenset[str]


@dataclass(frozen=True)
class TreeEntry:
    """One line of a tree."""

    mode: str
    kind: str
    sha: str
    size: int | None
    path: str


def parse_tree(output: bytes) -> list[TreeEntry]:
    """Read what `git ls-tree -z -l` printed."""
    entries = []
    for line in output.split(b"\0")[:-1]:
        head, path = line.split(b"\t", 1)
        mode, kind, sha, size = head.decode().split()
        number = int(size) if size.isdigit() else None
        entries.append(TreeEntry(mode, kind, sha, number, path.decode("utf-8", "replace")))
    return entries


def parse_commit(sha: str, content: bytes) -> CommitObject:
    """Read a commit object; nothing in it is trusted to be well-formed."""
    head, _, message = content.partition(b"\n\n")
    fields: dict[str, list[bytes]] = {}
    for line in head.split(b"\n"):
        if not line.startswith(b" "):
            key, _, value = line.partition(b" ")
            fields.setdefault(key.decode("ascii", "replace"), []).append(value)
    encoding = fields.get("encoding", [b"utf-8"])[0].decode("ascii", "replace")
    return CommitObject(
        sha=sha,
        tree=fields["tree"][0].decode(),
        parents=tuple(parent.decode() for parent in fields.get("parent", [])),
        author=_signature(fields.get("author", [b""])[0], encoding),
        committer=_signature(fields.get("committer", [b""])[0], encoding),
        # git itself takes a NUL for the end of a message.
        message=_text(message.partition(b"\0")[0], encoding).rstrip("\n"),
    )


def _text(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding, "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def _signature(raw: bytes, encoding: str) -> Signature:
    who, _, when = raw.rpartition(b">")
    name, _, email = who.rpartition(b"<")
    seconds = (when.split() or [b"0"])[0]
    try:
        at = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        at = datetime.fromtimestamp(0, UTC)
    return Signature(_text(name, encoding).strip(), _text(email, encoding).strip(), at)
