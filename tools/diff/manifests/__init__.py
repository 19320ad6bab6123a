"""The text of manifests, which say what a project asks for, and the entries read from it."""

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

_QUOTED = re.compile(r"""\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*,?\s*(?:#.*)?""")
"""A line that holds one string, as an element of a list that began above it."""
_REPOSITORY = re.compile(r"git\+[^\s#]+/([\w.-]+?)(?:\.git)?(?:@([^\s#@/]+))?(?:#\S*)?(?:\s*;.*)?")
_HEADER = re.compile(r"\[\[?[^\n]+\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*\s*=""")
_MAX_LINE = 2_000  # Characters of a line that is read; nobody writes a longer one by hand
_MAX_DEPTH = 20  # Tables inside each other


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One thing that a manifest says, on whole lines: a dependency, a version, a setting."""

    kind: str
    name: str
    first: int
    last: int
    owner: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)


class _Requirement(NamedTuple):
    """A package, and what is written behind its name."""

    name: str
    version: str


class _Setting(NamedTuple):
    """A value that is no table, with the keys that lead to it."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is no table, with the keys that lead to it; a fragment may lack the first keys."""

    path: tuple[str, ...]
    value: Any
    first: int
    last: int

    def strings(self, text: "Text") -> Iterator[tuple[str, int | None]]:
        """Yield the strings of a list, each with its line."""
        if not isinstance(self.value, list):
            return
        for item in self.value:
            if isinstance(item, str):
                yield item, text.line_of(item, self.first, self.last)


class Text:
    """A manifest or a fragment of one, by lines."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source
        rows = source.split(b"\n")
        texts = (row.decode("utf-8", "replace").removesuffix("\r") for row in rows)
        self.lines = [text if len(text) <= _MAX_LINE else "" for text in texts]
        self.joined = "\n".join(self.lines)
        # The offset in the joined text at which each line begins.
        self._line_starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def line_at(self, offset: int) -> int:
        """Return the number of the line at an offset in the joined text."""
        return bisect_right(self._line_starts, offset)

    def line_of(self, value: str, first: int, last: int) -> int | None:
        """Return the number of the line with a quoted string, outside of comments."""
        double_quoted = json.dumps(value, ensure_ascii=False)
        single_quoted = f"'{value}'"
        for number in range(first, last + 1):
            line = self.lines[number - 1]
            if line.lstrip().startswith("#"):
                continue
            if double_quoted in line or single_quoted in line:
                return number
        return None

    def declare(
        self, kind: str, name: str, lines: tuple[int, int], owner: str = "", **parts: str
    ) -> ManifestEntry:
        """Return an entry; parts without text are left out."""
        first, last = lines
        written_parts = {part: value for part, value in parts.items() if value}
        return ManifestEntry(kind, name, first, last, owner, written_parts)

    def declare_at(
        self, line: int, kind: str, name: str, owner: str = "", **parts: str
    ) -> ManifestEntry:
        """Return an entry of a single line."""
        return self.declare(kind, name, (line, line), owner, **parts)

    def requirement(
        self, written: str, line: int | None, owner: str = ""
    ) -> Iterator[ManifestEntry]:
        """Yield an entry for a requirement of Python, a wheel or a repository; none for other text."""
        requirement = _requirement(written)
        if requirement is None or line is None:
            return
        name = canonicalize_name(requirement.name)
        yield self.declare_at(line, "dependency", name, owner, version=requirement.version)

    def entry_point(self, written: str, line: int, group: str) -> Iterator[ManifestEntry]:
        """Yield an entry for `name = module:function`."""
        name, equals, target = (part.strip() for part in written.partition("="))
        if equals:
            yield self.declare_at(line, "registration", name, group, value=target)

    def listed(self, line: int) -> Iterator[ManifestEntry]:
        """Yield the requirement on a line of a list whose beginning the text lacks.

        It counts only if it asks for a version.
        """
        quoted = _QUOTED.fullmatch(self.lines[line - 1])
        if quoted is None:
            return
        for entry in self.requirement(quoted[1] or quoted[2], line):
            if entry.parts:
                yield entry

    def leaves(self) -> Iterator[Leaf]:
        """Yield the values of all statements that parse, each read with the header above it."""
        header = ""
        for first, end in pairwise([*self._starts(), len(self.lines) + 1]):
            line = self.lines[first - 1]
            if _HEADER.fullmatch(line) and _parsed(line) is not None:
                header = line
                continue
            last = self._last_line(first, end - 1)
            body = "\n".join(self.lines[first - 1 : last])
            # A fragment may end inside a list.
            table = _parsed(f"{header}\n{body}") or _parsed(f"{header}\n{body}\n]")
            for setting in _settings(table or {}):
                yield Leaf(setting.path, setting.value, first, last)

    def _last_line(self, first: int, last: int) -> int:
        """Return the last line of a statement, without the blank lines and comments below it."""
        while last > first:
            line = self.lines[last - 1].strip()
            if line and not line.startswith("#"):
                break
            last -= 1
        return last

    def orphans(self) -> Iterator[int]:
        """Yield the lines above the first statement; a fragment may begin inside a list."""
        end = next(self._starts(), len(self.lines) + 1)
        return iter(range(1, end))

    def _starts(self) -> Iterator[int]:
        for number, line in enumerate(self.lines, start=1):
            if _HEADER.fullmatch(line) or _KEY.match(line):
                yield number


def _requirement(written: str) -> _Requirement | None:
    """Return a package with its version, without the white space that only lays it out."""
    repository = _REPOSITORY.fullmatch(written)
    if repository is not None:
        return _Requirement(repository[1], repository[2] or "")
    target, semicolon, marker = written.partition(";")
    try:
        if "://" in target and "@" not in target:
            file = target.strip().rpartition("/")[2]
            wheel_name, version, *_ = parse_wheel_filename(file.replace("%2B", "+"))
            return _Requirement(wheel_name, str(version))
        name = Requirement(written).name
    except (InvalidRequirement, InvalidWheelFilename):
        return None
    version_text = "".join(target.split()).removeprefix(name).removeprefix("@")
    if semicolon:
        version_text += f"; {' '.join(marker.split())}"
    return _Requirement(name, version_text)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _settings(table: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[_Setting]:
    """Yield what a statement sets; an array of tables has one table here."""
    for key, value in table.items():
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]
        if isinstance(value, dict) and len(path) < _MAX_DEPTH:
            yield from _settings(value, (*path, key))
        else:
            yield _Setting((*path, key), value)
