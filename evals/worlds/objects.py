"""Git objects made in memory, so that every hash is known the moment a thing is made."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Kind = Literal["commit", "tree", "blob", "tag"]

FILE = 0o100644
SCRIPT = 0o100755
LINK = 0o120000
SUBMODULE = 0o160000
_FOLDER = 0o040000


class Objects:
    """Every object of one repository, by hash."""

    def __init__(self) -> None:
        self._stored: dict[str, tuple[Kind, bytes]] = {}

    def add(self, kind: Kind, body: bytes) -> str:
        """Keep an object and give its hash."""
        sha = object_hash(kind, body)
        self._stored.setdefault(sha, (kind, body))
        return sha

    def items(self) -> Iterator[tuple[str, Kind, bytes]]:
        """Walk over the objects in the order of their hashes."""
        for sha in sorted(self._stored):
            kind, body = self._stored[sha]
            yield sha, kind, body

    def __len__(self) -> int:
        return len(self._stored)


def object_hash(kind: Kind, body: bytes) -> str:
    """Name an object as git does."""
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(body)) + body, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Leaf:
    """A file, link or submodule in a tree; `source` is what the content was made from, if it was made."""

    mode: int
    sha: str
    source: object | None = field(default=None, compare=False)


class Tree:
    """A folder that never changes: a new version shares everything untouched with the old one."""

    def __init__(self, entries: "Mapping[bytes, Leaf | Tree] | None" = None) -> None:
        self._entries: dict[bytes, Leaf | Tree] = dict(entries or {})
        self._sha: str | None = None

    def get(self, path: bytes) -> Leaf | None:
        """Find the leaf at a path."""
        name, _, rest = path.partition(b"/")
        entry = self._entries.get(name)
        if rest:
            return entry.get(rest) if isinstance(entry, Tree) else None
        return entry if isinstance(entry, Leaf) else None

    def put(self, path: bytes, leaf: Leaf | None) -> "Tree":
        """Give the tree with this leaf at the path, or without it; empty folders vanish as they do in git."""
        name, _, rest = path.partition(b"/")
        entries = dict(self._entries)
        entry: Leaf | Tree | None = leaf
        if rest:
            below = entries.get(name)
            entry = (below if isinstance(below, Tree) else Tree()).put(rest, leaf)
            if not entry._entries:
                entry = None
        if entry is None:
            entries.pop(name, None)
        else:
            entries[name] = entry
        return Tree(entries)

    def leaves(self, prefix: bytes = b"") -> Iterator[tuple[bytes, Leaf]]:
        """Walk over all leaves, in the order of their paths."""
        for name in sorted(self._entries):
            entry = self._entries[name]
            if isinstance(entry, Tree):
                yield from entry.leaves(prefix + name + b"/")
            else:
                yield prefix + name, entry

    def write(self, objects: Objects) -> str:
        """Keep the tree and everything below it, and give its hash."""
        if self._sha is None:
            rows = []
            for name, entry in self._entries.items():
                if isinstance(entry, Tree):
                    # Git sorts a folder as if its name ended in a slash.
                    rows.append((name + b"/", _FOLDER, name, entry.write(objects)))
                else:
                    rows.append((name, entry.mode, name, entry.sha))
            body = b"".join(b"%o %s\0%s" % (mode, name, bytes.fromhex(sha)) for _, mode, name, sha in sorted(rows))
            self._sha = objects.add("tree", body)
        return self._sha


@dataclass(frozen=True)
class Stamp:
    """Who did something and when, with the zone of their clock."""

    name: str
    email: str
    at: datetime

    def encoded(self, encoding: str) -> bytes:
        """Write the line as a commit has it."""
        zone = self.at.strftime("%z")
        return f"{self.name} <{self.email}> {int(self.at.timestamp())} {zone}".encode(encoding, "surrogateescape")


def commit_body(
    tree: str, parents: tuple[str, ...], author: Stamp, committer: Stamp, message: bytes, encoding: str | None = None
) -> bytes:
    """Write a commit; `encoding` adds the header of that name and is used for the people too."""
    codec = encoding or "utf-8"
    lines = [b"tree " + tree.encode()]
    lines += [b"parent " + parent.encode() for parent in parents]
    lines += [b"author " + author.encoded(codec), b"committer " + committer.encoded(codec)]
    if encoding:
        lines.append(b"encoding " + encoding.encode())
    return b"\n".join(lines) + b"\n\n" + message
