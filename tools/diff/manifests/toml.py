"""Values of a TOML file or of a fragment of one, each with its lines."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tools.diff.manifests.text import Text

_HEADER = re.compile(r"\[\[?[^\n]+\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*\s*=""")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is no table, with the keys that lead to it; a fragment may lack the first keys."""

    path: tuple[str, ...]
    value: Any
    first: int
    last: int

    def strings(self, text: Text) -> Iterator[tuple[str, int | None]]:
        """Give the strings of a list, each with its line."""
        for item in self.value if isinstance(self.value, list) else ():
            if isinstance(item, str):
                yield item, text.line_of(item, self.first, self.last)


def leaves(text: Text) -> Iterator[Leaf]:
    """Read one statement after the other, each with the header above it; what does not parse is passed over."""
    header = ""
    for first, end in pairwise([*_starts(text), len(text.lines) + 1]):
        line = text.lines[first - 1]
        if _HEADER.fullmatch(line) and _parsed(line) is not None:
            header = line
            continue
        last = end - 1
        while last > first and (not (bare := text.lines[last - 1].strip()) or bare.startswith("#")):
            last -= 1
        body = "\n".join(text.lines[first - 1 : last])
        # A fragment may end inside a list.
        value = _parsed(f"{header}\n{body}") or _parsed(f"{header}\n{body}\n]")
        yield from (Leaf(path, one, first, last) for path, one in _flat(value or {}))


def orphans(text: Text) -> Iterator[int]:
    """Give the lines above the first statement: in a fragment, those of a list that began earlier."""
    return iter(range(1, next(_starts(text), len(text.lines) + 1)))


def _starts(text: Text) -> Iterator[int]:
    for number, line in enumerate(text.lines, start=1):
        if _HEADER.fullmatch(line) or _KEY.match(line):
            yield number


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _flat(value: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give what a statement sets; an array of tables has one table here."""
    for key, one in value.items():
        if isinstance(one, list) and len(one) == 1 and isinstance(one[0], dict):
            one = one[0]
        if isinstance(one, dict) and len(path) < 20:
            yield from _flat(one, (*path, key))
        else:
            yield (*path, key), one
