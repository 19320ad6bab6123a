"""The keys of a JSON text, with lines; comments, trailing commas and fragments are tolerated."""

import re
from collections.abc import Iterator

from tools.diff.readers.keys import ANONYMOUS, MAX_DEPTH, Entry, Item
from tools.diff.readers.lines import fold

_TOKEN = re.compile(r"""("[^"\\\n]*(?:\\.[^"\\\n]*)*")|([{\[])|([}\]])|(\n)|(//[^\n]*)|([-+0-9A-Za-z_.]+)|([:,])""")
_NAMES = ("name", "id", "key", "label")


class _Level:
    """An object or list that is open."""

    __slots__ = ("is_list", "items", "key", "mixed", "path", "start")

    def __init__(self, is_list: bool, key: str | None, above: "_Level | None", start: int) -> None:
        self.is_list = is_list
        self.key = key
        self.path: tuple[str, ...] = above.path if above else ()
        if key is not None:
            self.path += (key,)
        elif above and above.is_list:
            # An item of a list has a name only if it says one.
            self.path += (ANONYMOUS,)
        self.start = start
        self.items: list[Item] = []
        self.mixed = False


def json_entries(text: str, first: int = 1) -> Iterator[Entry]:
    """Give every key with a scalar or a list of scalars, up to the first that is nested too deep."""
    levels: list[_Level] = []
    line, key, string = first, None, None
    key_line = first
    for token in _TOKEN.finditer(text):
        kind = token.lastindex
        if kind == 4:
            line += 1
        elif kind == 7 and token[0] == ":":
            key, string, key_line = string, None, line
        elif kind in (1, 6):
            scalar = token[0][1:-1] if kind == 1 else token[0]
            if levels and levels[-1].is_list:
                levels[-1].items.append(Item(scalar, line))
            elif key is not None:
                yield Entry((*(levels[-1].path if levels else ()), key), fold(scalar), key_line, line)
                _name(levels, key, scalar)
                key = None
            else:
                string = scalar
        elif kind == 2:
            if len(levels) >= MAX_DEPTH:
                return
            above = levels[-1] if levels else None
            if above:
                above.mixed = True
            levels.append(_Level(token[0] == "[", key, above, key_line if key is not None else line))
            key = None
        elif kind == 3 and levels:
            yield from _closed(levels.pop(), line)
            key = None


def _name(levels: list[_Level], key: str, value: str) -> None:
    """Let an item of a list be called by its name, from there on."""
    if key in _NAMES and len(levels) > 1 and levels[-2].is_list and levels[-1].key is None:
        levels[-1].key = f"[{value}]"
        levels[-1].path = (*levels[-2].path, f"[{value}]")


def _closed(level: _Level, line: int) -> Iterator[Entry]:
    """Give a list that ends here, if it holds scalars alone."""
    if level.is_list and level.key is not None and level.items and not level.mixed:
        value = "[" + ", ".join(item.text for item in level.items) + "]"
        yield Entry(level.path, fold(value), level.start, line, tuple(level.items))
