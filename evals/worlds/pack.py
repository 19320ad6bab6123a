"""Writing a bare repository to disk without running git, so that no configuration of the machine can matter."""

import hashlib
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

from evals.worlds.objects import Kind, Objects

_TYPES: dict[Kind, int] = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
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


def write_repository(folder: Path, objects: Objects, refs: Mapping[str, str], branch: str) -> None:
    """Write a bare repository; it serves partial clones as GitHub does, and never throws objects away."""
    for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "config").write_text(_CONFIG, encoding="utf-8", newline="\n")
    (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8", newline="\n")
    write_refs(folder, refs)
    if len(objects):
        _write_pack(folder / "objects" / "pack", objects)


def write_refs(folder: Path, refs: Mapping[str, str]) -> None:
    """Replace all refs at once."""
    lines = ["# pack-refs with: peeled fully-peeled sorted ", *(f"{refs[name]} {name}" for name in sorted(refs))]
    fresh = folder / "packed-refs.new"
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    fresh.replace(folder / "packed-refs")


def read_refs(folder: Path) -> dict[str, str]:
    """Read the refs that `write_refs` wrote."""
    lines = (folder / "packed-refs").read_text(encoding="utf-8").splitlines()
    return {name: sha for sha, _, name in (line.partition(" ") for line in lines if not line.startswith(("#", "^")))}


def _write_pack(folder: Path, objects: Objects) -> None:
    body = [struct.pack(">4sII", b"PACK", 2, len(objects))]
    offset = len(body[0])
    rows: list[tuple[bytes, int, int]] = []
    for sha, kind, content in objects.items():
        packed = _header(kind, len(content)) + zlib.compress(content, 1)
        rows.append((bytes.fromhex(sha), zlib.crc32(packed), offset))
        body.append(packed)
        offset += len(packed)
    data = b"".join(body)
    trailer = hashlib.sha1(data, usedforsecurity=False).digest()
    name = hashlib.sha1(b"".join(sha for sha, _, _ in rows), usedforsecurity=False).hexdigest()
    (folder / f"pack-{name}.pack").write_bytes(data + trailer)
    (folder / f"pack-{name}.idx").write_bytes(_index(rows, trailer))


def _header(kind: Kind, size: int) -> bytes:
    """Say what follows: type and size, seven bits at a time."""
    first, size = _TYPES[kind] << 4 | size & 15, size >> 4
    out = bytearray()
    while size:
        out.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    out.append(first)
    return bytes(out)


def _index(rows: list[tuple[bytes, int, int]], trailer: bytes) -> bytes:
    """Write version 2 of git's index; a world's pack is far below the two gigabytes where offsets get wider."""
    counts = [0] * 256
    for sha, _, _ in rows:
        counts[sha[0]] += 1
    totals, total = [], 0
    for count in counts:
        total += count
        totals.append(total)
    parts = [b"\xfftOc\0\0\0\x02", struct.pack(">256I", *totals), b"".join(sha for sha, _, _ in rows)]
    parts += [struct.pack(f">{len(rows)}I", *(crc for _, crc, _ in rows))]
    parts += [struct.pack(f">{len(rows)}I", *(offset for _, _, offset in rows)), trailer]
    data = b"".join(parts)
    return data + hashlib.sha1(data, usedforsecurity=False).digest()
