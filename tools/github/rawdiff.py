"""A commit's raw diff, cut into files: the last resort for patches that GitHub's JSON leaves out."""

import re
from dataclasses import dataclass
from itertools import pairwise

_START = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"^@@ ", re.MULTILINE)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(frozen=True)
class RawFile:
    """One file of a raw diff; `patch` is None where there are no hunks."""

    path: str | None
    """None where the header cannot be read without doubt; its place in the order still tells."""
    patch: str | None
    binary: bool


def parse(diff: bytes) -> list[RawFile]:
    """Cut a diff into its files, in order; lines of content never start in column 0 with `diff`."""
    starts = [match.start() for match in _START.finditer(diff)]
    return [_file(diff[start:end]) for start, end in pairwise([*starts, len(diff)])]


def _file(part: bytes) -> RawFile:
    hunk = _HUNK.search(part)
    header = part[: hunk.start()] if hunk else part
    patch = part[hunk.start() :].rstrip(b"\n").decode(errors="replace") if hunk else None
    lines = header.split(b"\n")
    binary = patch is None and any(line.startswith((b"Binary files ", b"GIT binary patch")) for line in lines)
    path = _path(lines)
    return RawFile(path.decode(errors="replace") if path is not None else None, patch, binary)


def _path(lines: list[bytes]) -> bytes | None:
    """Find the name after the change: from the explicit lines, else from two equal halves of the first one."""
    marks = {b"rename to ": b"", b"copy to ": b"", b"+++ ": b"b/", b"--- ": b"a/"}
    for mark, prefix in marks.items():
        for line in lines[1:]:
            # git ends a name that has a blank with a tab
            name = unquote(line.removeprefix(mark).removesuffix(b"\t")) if line.startswith(mark) else b"/dev/null"
            if name != b"/dev/null":
                return name.removeprefix(prefix)
    return _halves(lines[0].removeprefix(b"diff --git "))


def _halves(names: bytes) -> bytes | None:
    """Read `a/NAME b/NAME`, plain or quoted; the names are equal unless it is a rename, which has its own line."""
    middle = len(names) // 2
    first, blank, second = names[:middle], names[middle : middle + 1], names[middle + 1 :]
    first, second = unquote(first), unquote(second)
    if blank == b" " and first.startswith(b"a/") and second.startswith(b"b/") and first[2:] == second[2:]:
        return first[2:]
    return None


def unquote(name: bytes) -> bytes:
    r"""Undo git's quoting of unusual names: `"\346\226\207.md"`."""
    if len(name) < 2 or not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(_character, name[1:-1])


def _character(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _LETTERS.get(code, code)
