"""The keys of a TOML text, with lines; also of a fragment that begins inside a list."""

import re
from collections.abc import Iterator

from tools.diff.readers.keys import ANONYMOUS, MAX_DEPTH, Entry, Item
from tools.diff.readers.lines import fold, unquote

_HEADER = re.compile(r"^\s*(\[\[?)([^\[\],]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\.(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=(?!=)\s*(.*)$"""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'""")
# Strings first, so that brackets and marks inside them do not count.
_TOKEN = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*')|([\[{])|([\]}])|(\#.*)|([^\s,\[\]{}"'\#]+)""")
_LONG = ('"""', "'''")
_OPENING = re.compile(r"^\s*([A-Za-z0-9_.-]+)\s*=\s*\[")
_LOOSE_ITEMS = re.compile(r"""^\s*(?:(?:"[^"]*"|'[^']*')[\s,]*)+(?:\#.*)?$""")


def toml_entries(lines: list[str], first: int = 1, heading: str = "") -> Iterator[Entry]:
    """Give every key with its value; `heading` is the line that git prints behind `@@`."""
    section: tuple[str, ...] = ()
    at = 0
    if loose := _loose_items(lines, first):
        opened = _OPENING.match(heading)
        path = _parts(opened[1]) if opened else ()
        yield Entry(path, fold(" ".join(item.text for item in loose)), loose[0].line, loose[-1].line, tuple(loose))
        at = loose[-1].line - first + 1
    while at < len(lines):
        line = lines[at]
        if header := _HEADER.match(line):
            section = _parts(header[2]) + ((ANONYMOUS,) if header[1] == "[[" else ())
        elif found := _KEY.match(line):
            entry, at = _entry(section + _parts(found[1]), found[2], lines, at, first)
            yield entry
        at += 1


def _parts(dotted: str) -> tuple[str, ...]:
    """Split a dotted key; a quoted part may hold dots."""
    return tuple(unquote(part) for part in _PART.findall(dotted)[:MAX_DEPTH])


def _is_header(line: str) -> bool:
    """Tell a table's header from the rest; the rows of a list of lists are indented or end with a comma."""
    return line.startswith("[") and _HEADER.match(line) is not None


def _loose_items(lines: list[str], first: int) -> list[Item]:
    """Find the strings at the top of a fragment that are the tail of a list."""
    items = []
    for number, line in enumerate(lines, first):
        if _LOOSE_ITEMS.match(line):
            items += [Item(unquote(token[1]), number) for token in _TOKEN.finditer(line) if token[1]]
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return items


def _entry(path: tuple[str, ...], rest: str, lines: list[str], at: int, first: int) -> tuple[Entry, int]:
    """Read the value that begins behind a key, over as many lines as it takes."""
    start = at
    for quotes in _LONG:
        if rest.startswith(quotes):
            texts = [rest[3:]]
            while quotes not in texts[-1] and at + 1 < len(lines):
                at += 1
                texts.append(lines[at])
            return Entry(path, fold("\n".join(texts).partition(quotes)[0]), first + start, first + at), at
    if rest.startswith(("[", "{")):
        return _nested(path, rest, lines, at, first)
    token = _TOKEN.match(rest)
    scalar = token[1] if token and token[1] else rest.partition("#")[0]
    return Entry(path, fold(unquote(scalar)), first + start, first + at), at


def _nested(path: tuple[str, ...], rest: str, lines: list[str], at: int, first: int) -> tuple[Entry, int]:
    """Read a list or an inline table until its bracket closes or the text ends."""
    start, depth, pieces, items, flat = at, 0, [], [], rest.startswith("[")
    while True:
        for token in _TOKEN.finditer(rest):
            if token[2]:
                depth += 1
                flat = flat and depth == 1
            elif token[3]:
                depth -= 1
            elif token[1] or token[5]:
                items.append(Item(unquote(token[0]), first + at))
            if depth == 0:
                break
        pieces.append(rest if "#" not in rest else _uncommented(rest))
        if depth <= 0 or at + 1 >= len(lines) or _is_header(lines[at + 1]):
            break
        at += 1
        rest = lines[at]
    value = fold(" ".join(pieces))
    return Entry(path, value, first + start, first + at, tuple(items) if flat else None), at


def _uncommented(line: str) -> str:
    """Take a trailing comment away."""
    for token in _TOKEN.finditer(line):
        if token[4]:
            return line[: token.start()]
    return line
