"""Manifests, which say what a project asks for: their text, from which entries with their lines are made."""

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

_QUOTED = re.compile(r"""\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*,?\s*(?:#.*)?""")
"""A line that holds one string, as an element of a list that began above it."""
_REPOSITORY = re.compile(r"git\+[^\s#]+/([\w.-]+?)(?:\.git)?(?:@([^\s#@/]+))?(?:#\S*)?(?:\s*;.*)?")
_HEADER = re.compile(r"\[\[?[^\n]+\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*\s*=""")
_LONGEST = 2_000  # Characters of a line that is read; nobody writes a longer one by hand


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One thing that a manifest says, on whole lines: a dependency, a version, a setting."""

    kind: str
    name: str
    first: int
    last: int
    owner: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is no table, with the keys that lead to it; a fragment may lack the first keys."""

    path: tuple[str, ...]
    value: Any
    first: int
    last: int

    def strings(self, text: "Text") -> Iterator[tuple[str, int | None]]:
        """Give the strings of a list, each with its line."""
        for item in self.value if isinstance(self.value, list) else ():
            if isinstance(item, str):
                yield item, text.line_of(item, self.first, self.last)


class Text:
    """A manifest or a fragment of one, by lines."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source
        rows = source.split(b"\n")
        texts = (row.decode("utf-8", "replace").removesuffix("\r") for row in rows)
        self.lines = [text if len(text) <= _LONGEST else "" for text in texts]
        self.whole = "\n".join(self.lines)
        self._characters = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def line_at(self, offset: int) -> int:
        """Give the number of the line at a place in the whole text."""
        return bisect_right(self._characters, offset)

    def line_of(self, value: str, first: int, last: int) -> int | None:
        """Find the line on which a quoted string stands, outside of comments."""
        written = (json.dumps(value, ensure_ascii=False), f"'{value}'")
        for number in range(first, last + 1):
            line = self.lines[number - 1]
            if not line.lstrip().startswith("#") and any(form in line for form in written):
                return number
        return None

    def declare(
        self, kind: str, name: str, lines: tuple[int, int], owner: str = "", **parts: str
    ) -> ManifestEntry:
        """Make an entry; a part without text is none."""
        return ManifestEntry(
            kind, name, *lines, owner, {part: value for part, value in parts.items() if value}
        )

    def requirement(
        self, written: str, line: int | None, owner: str = ""
    ) -> Iterator[ManifestEntry]:
        """Read what Python's packaging calls a requirement, a wheel or a repository; nothing where it is none."""
        found = _requirement(written)
        if found and line is not None:
            yield self.declare(
                "dependency", canonicalize_name(found[0]), (line, line), owner, version=found[1]
            )

    def entry_point(self, written: str, line: int, group: str) -> Iterator[ManifestEntry]:
        """Read `name = module:function`."""
        name, equals, target = (part.strip() for part in written.partition("="))
        if equals:
            yield self.declare("registration", name, (line, line), group, value=target)

    def listed(self, line: int) -> Iterator[ManifestEntry]:
        """Read a line of a list whose beginning is not in the text: a requirement only if it asks for a version."""
        if found := _QUOTED.fullmatch(self.lines[line - 1]):
            yield from (one for one in self.requirement(found[1] or found[2], line) if one.parts)

    def leaves(self) -> Iterator[Leaf]:
        """Read one statement after the other, each with the header above it; what does not parse is passed over."""
        header = ""
        for first, end in pairwise([*self._starts(), len(self.lines) + 1]):
            line = self.lines[first - 1]
            if _HEADER.fullmatch(line) and _parsed(line) is not None:
                header = line
                continue
            last = end - 1
            while last > first and (
                not (bare := self.lines[last - 1].strip()) or bare.startswith("#")
            ):
                last -= 1
            body = "\n".join(self.lines[first - 1 : last])
            # A fragment may end inside a list.
            value = _parsed(f"{header}\n{body}") or _parsed(f"{header}\n{body}\n]")
            yield from (Leaf(path, one, first, last) for path, one in _flat(value or {}))

    def orphans(self) -> Iterator[int]:
        """Give the lines above the first statement: in a fragment, those of a list that began earlier."""
        return iter(range(1, next(self._starts(), len(self.lines) + 1)))

    def _starts(self) -> Iterator[int]:
        for number, line in enumerate(self.lines, start=1):
            if _HEADER.fullmatch(line) or _KEY.match(line):
                yield number


def _requirement(written: str) -> tuple[str, str] | None:
    """Give a name, and what is written behind it without the white space that only lays it out."""
    if found := _REPOSITORY.fullmatch(written):
        return found[1], found[2] or ""
    wanted, semicolon, marker = written.partition(";")
    try:
        if "://" in wanted and "@" not in wanted:
            wheel = parse_wheel_filename(wanted.strip().rpartition("/")[2].replace("%2B", "+"))
            return wheel[0], str(wheel[1])
        name = Requirement(written).name
    except (InvalidRequirement, InvalidWheelFilename):
        return None
    behind = "".join(wanted.split()).removeprefix(name).removeprefix("@")
    return name, f"{behind}; {' '.join(marker.split())}" if semicolon else behind


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _flat(
    value: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give what a statement sets; an array of tables has one table here."""
    for key, one in value.items():
        if isinstance(one, list) and len(one) == 1 and isinstance(one[0], dict):
            one = one[0]
        if isinstance(one, dict) and len(path) < 20:
            yield from _flat(one, (*path, key))
        else:
            yield (*path, key), one
