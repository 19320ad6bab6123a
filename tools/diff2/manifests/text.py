"""The text of a manifest, from which declarations with their lines are made."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion

from tools.diff2.declarations import Declaration

QUOTED = re.compile(r"""\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*,?\s*(?:#.*)?""")
"""A line that holds one string, as an element of a list that began above it."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_REPOSITORY = re.compile(r"git\+[^\s#]+/([\w.-]+?)(?:\.git)?(?:@([^\s#@/]+))?(?:#\S*)?(?:\s*;.*)?")
_EGG = re.compile(r"#(?:\S*&)?egg=([\w.-]+)")


class Text:
    """A manifest or a fragment of one, by lines."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source
        self.lines = [line.decode("utf-8", "replace").removesuffix("\r") for line in source.split(b"\n")]

    @cached_property
    def whole(self) -> str:
        """The lines as one string, in which a line ends with a line feed and nothing else."""
        return "\n".join(self.lines)

    @cached_property
    def _characters(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    @cached_property
    def _bytes(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self.source.split(b"\n")), initial=0))

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Give the lines with their numbers."""
        return enumerate(self.lines, start=1)

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

    def declare(self, kind: str, name: str, lines: tuple[int, int], owner: str = "", **parts: str) -> Declaration:
        """Make a declaration that spans whole lines; a part without text is none."""
        first, last = lines
        return Declaration(
            kind=kind,
            name=name,
            first=first,
            last=last,
            owner=owner,
            parts={part: value for part, value in parts.items() if value},
            source=self.source,
            start=self._bytes[first - 1],
            end=min(self._bytes[last] - 1, len(self.source)),
        )

    def requirement(self, written: str, line: int | None, owner: str = "") -> Iterator[Declaration]:
        """Read what Python's packaging calls a requirement, a wheel or a repository; nothing where it is none."""
        found = _requirement(written.strip())
        if found and line is not None:
            yield self.declare("dependency", found[0], (line, line), owner, version=found[1])

    def entry_point(self, written: str, line: int, group: str) -> Iterator[Declaration]:
        """Read `name = module:function`."""
        name, equals, target = (part.strip() for part in written.partition("="))
        if equals:
            yield self.declare("registration", name, (line, line), group, value=target)

    def listed(self, line: int, owner: str = "") -> Iterator[Declaration]:
        """Read a line of a list whose beginning is not in the text: a requirement only if it asks for a version."""
        if found := QUOTED.fullmatch(self.lines[line - 1]):
            yield from (one for one in self.requirement(found[1] or found[2], line, owner) if one.parts)


def _requirement(written: str) -> tuple[str, str] | None:
    """Give the name in its canonical form, and what is written behind it."""
    if "://" in written.split("@")[0]:
        return _address(written)
    try:
        parsed = Requirement(written)
    except InvalidRequirement:
        return None
    name = _NAME.match(written)
    behind = " ".join(written[name.end() if name else 0 :].split())
    return canonicalize_name(parsed.name), behind.removeprefix("@").strip()


def _address(written: str) -> tuple[str, str] | None:
    """Read the name and the version off a wheel's or a repository's address."""
    if found := _REPOSITORY.fullmatch(written):
        egg = _EGG.search(written)
        return canonicalize_name(egg[1] if egg else found[1]), found[2] or ""
    file = written.partition(";")[0].partition("#")[0].strip().rpartition("/")[2].replace("%2B", "+")
    try:
        name, version, _, _ = parse_wheel_filename(file)
    except (InvalidWheelFilename, InvalidVersion):
        return None
    return name, str(version)
