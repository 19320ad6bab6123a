"""A bare git repository: objects made in memory, so that every hash is known at once, then written in one pack."""

import hashlib
import shutil
import struct
import subprocess
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

Kind = Literal["commit", "tree", "blob"]
FILE, SCRIPT, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
_FOLDER = 0o040000
_TYPES: dict[Kind, int] = {"commit": 1, "tree": 2, "blob": 3}
_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
"""


class Objects:
    """Every object of one repository, by hash."""

    def __init__(self) -> None:
        self._stored: dict[str, tuple[Kind, bytes]] = {}

    def add(self, kind: Kind, body: bytes) -> str:
        """Keep an object and give its hash."""
        sha = hashlib.sha1(b"%s %d\0" % (kind.encode(), len(body)) + body, usedforsecurity=False).hexdigest()
        self._stored.setdefault(sha, (kind, body))
        return sha

    def body(self, sha: str) -> bytes:
        """Give the content of an object."""
        return self._stored[sha][1]

    def pack(self) -> bytes:
        """Write all objects as one pack, without its index."""
        parts = [struct.pack(">4sII", b"PACK", 2, len(self._stored))]
        for sha in sorted(self._stored):
            kind, body = self._stored[sha]
            parts += [_pack_header(kind, len(body)), zlib.compress(body, 1)]
        data = b"".join(parts)
        return data + hashlib.sha1(data, usedforsecurity=False).digest()


@dataclass(frozen=True)
class Leaf:
    """A file, link or submodule in a tree."""

    mode: int
    sha: str


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


def write_repository(folder: Path, objects: Objects, refs: Mapping[str, str], branch: str) -> None:
    """Write a bare repository, anew if there is one; it serves partial clones as GitHub does."""
    if folder.exists():
        shutil.rmtree(folder)
    packs = folder / "objects" / "pack"
    for part in (packs, folder / "refs" / "heads"):
        part.mkdir(parents=True, exist_ok=True)
    (folder / "config").write_text(_CONFIG, encoding="utf-8", newline="\n")
    (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8", newline="\n")
    lines = ["# pack-refs with: peeled fully-peeled sorted ", *(f"{refs[name]} {name}" for name in sorted(refs))]
    (folder / "packed-refs").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    if refs:
        (packs / "pack-world.pack").write_bytes(objects.pack())
        command = ["git", f"--git-dir={folder}", "index-pack", "objects/pack/pack-world.pack"]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)


def _pack_header(kind: Kind, size: int) -> bytes:
    """Say what follows: type and size, seven bits at a time."""
    first, size = _TYPES[kind] << 4 | size & 15, size >> 4
    out = bytearray()
    while size:
        out.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    out.append(first)
    return bytes(out)
