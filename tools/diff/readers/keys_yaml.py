"""The keys of a YAML text, found by indentation, with lines; also of a fragment and of a template around YAML."""

import re
from collections.abc import Iterator

from tools.diff.readers.keys import ANONYMOUS, MAX_DEPTH, Entry, Item
from tools.diff.readers.lines import fold, unquote

_DASH = re.compile(r"-(?:\s+|$)")
_KEY = re.compile(r"""("[^"]*"|'[^']*'|[^\s#:'"\[\]{},&*!|>%@`-][^:#]{0,200}|-[^\s:#][^:#]{0,200}):(?:\s+|$)""")
_BLOCK = re.compile(r"[|>][-+0-9]*\s*(?:#.*)?$")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_FLOW_ITEM = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*')|([^\s,\[\]{}][^,\[\]{}]*)""")
_NAMES = ("name", "id", "key", "label", "repo", "title", "model")
"""Keys that tell one item of a list from another."""


class _Walk:
    """Where the reader stands: the keys above the line, by their columns."""

    def __init__(self, lines: list[str], first: int) -> None:
        self.lines = lines
        self.first = first
        self.at = 0
        self.above: list[tuple[int, str]] = []
        self.items: list[Item] = []
        self.items_column = -1

    def path(self) -> tuple[str, ...]:
        """Name the keys above, from the top."""
        return tuple(key for _, key in self.above)

    def rise(self, column: int) -> None:
        """Leave every key that is not above this column."""
        while self.above and self.above[-1][0] >= column:
            self.above.pop()

    def rise_to_dash(self, column: int) -> None:
        """Leave what a new list item ends: a list may stand in the same column as its key."""
        while self.above and (
            self.above[-1][0] > column or (self.above[-1][0] == column and self.above[-1][1].startswith("["))
        ):
            self.above.pop()


def yaml_entries(lines: list[str], first: int = 1) -> Iterator[Entry]:
    """Give every key with a scalar or a list of scalars."""
    walk = _Walk(lines, first)
    while walk.at < len(lines):
        line = lines[walk.at]
        text = line.strip()
        if text and text[0] not in "#%" and not text.startswith(("---", "...", "{{", "{%")):
            yield from _line(walk, len(line) - len(line.lstrip()), text)
        walk.at += 1
    yield from _finish_list(walk)


def _line(walk: _Walk, column: int, text: str) -> Iterator[Entry]:
    """Read one line that is neither blank nor a comment."""
    if walk.items and (column != walk.items_column or not _DASH.match(text)):
        yield from _finish_list(walk)
    dashed, first_column = False, column
    while (dash := _DASH.match(text)) and len(walk.above) < MAX_DEPTH:
        walk.rise_to_dash(column)
        dashed = True
        text, step = text[dash.end() :], dash.end()
        if not text or _KEY.match(text) or _DASH.match(text):
            walk.above.append((column, _item_name(text)))
        column += step
    found = _KEY.match(text)
    if found is None:
        if dashed and text:
            _collect(walk, first_column, text)
        return
    if not dashed:
        walk.rise(column)
    yield from _pair(walk, column, unquote(found[1].strip()), text[found.end() :])


def _collect(walk: _Walk, column: int, text: str) -> None:
    """Take one scalar of a list."""
    if not walk.items:
        walk.items_column = column
    walk.items.append(Item(_scalar(text), walk.first + walk.at))


def _finish_list(walk: _Walk) -> Iterator[Entry]:
    """Give the list that ends here."""
    if walk.items:
        items, walk.items = tuple(walk.items), []
        yield Entry(walk.path(), "[" + ", ".join(i.text for i in items) + "]", items[0].line, items[-1].line, items)


def _item_name(text: str) -> str:
    """Name a list item by its first key, where that is a name; order is no name."""
    found = _KEY.match(text)
    if found and unquote(found[1]) in _NAMES and (value := _scalar(text[found.end() :])):
        return f"[{value}]"
    return ANONYMOUS


def _pair(walk: _Walk, column: int, key: str, rest: str) -> Iterator[Entry]:
    """Read what stands behind a key."""
    start = walk.first + walk.at
    path = (*walk.path(), key)
    rest = rest.strip()
    if rest.startswith(("&", "!")):
        rest = rest.partition(" ")[2].strip()
    if not rest or rest.startswith("#"):
        if len(walk.above) < MAX_DEPTH:
            walk.above.append((column, key))
    elif _BLOCK.match(rest):
        text = _block(walk, column)
        yield Entry(path, fold(text), start, walk.first + walk.at)
    elif rest.startswith(("[", "{")) and not rest.startswith("{{"):
        text = _flow(walk, rest)
        items = tuple(Item(unquote(m[0]), start) for m in _FLOW_ITEM.finditer(text)) if text[0] == "[" else None
        yield Entry(path, fold(text), start, walk.first + walk.at, None if "{" in text else items)
    else:
        yield Entry(path, _scalar(rest), start, start)


def _scalar(text: str) -> str:
    """Read a scalar: its quotes and a comment behind it do not count."""
    text = text.strip()
    if text[:1] in ("'", '"') and (end := text.find(text[0], 1)) > 0 and not text[end + 1 :].split("#")[0].strip():
        return fold(text[1:end])
    return fold(_COMMENT.sub("", text) if "#" in text else text)


def _block(walk: _Walk, column: int) -> str:
    """Take the lines of a block scalar: all that are deeper than its key."""
    texts = []
    while walk.at + 1 < len(walk.lines):
        line = walk.lines[walk.at + 1]
        if line.strip() and len(line) - len(line.lstrip()) <= column:
            break
        texts.append(line)
        walk.at += 1
    return "\n".join(texts)


def _flow(walk: _Walk, rest: str) -> str:
    """Take a list or map in brackets, until they close or the text ends."""
    pieces, depth = [], 0
    while True:
        piece = _COMMENT.sub("", rest) if "#" in rest else rest
        depth += piece.count("[") + piece.count("{") - piece.count("]") - piece.count("}")
        pieces.append(piece.strip())
        if depth <= 0 or walk.at + 1 >= len(walk.lines):
            return " ".join(pieces)
        walk.at += 1
        rest = walk.lines[walk.at]
