"""Values that are only named now, or are no longer: a constant, wherever it stands, that holds what was written."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.reading import Reading
from tools.diff.roles import Role, role
from tools.diff.values import same_value
from tools.diff.versions import Versions

_VALUED = (
    FactKind.CONSTANT_CHANGED,
    FactKind.FIELD_CHANGED,
    FactKind.PARAMETER_DEFAULT,
    FactKind.FLAG_DEFAULT,
)
_TYPE = "type"
_LITERAL = re.compile(r"^(?:[\"'].*[\"']|-?\d+(?:\.\d*)?(?:[eE]-?\d+)?)$")
_CONSTANT = re.compile(r"^(?:\w+(?:\.|::))*([A-Za-z_]\w{3,})$")
_SHOUTED = re.compile(r"(?:[A-Z][A-Z0-9_]+|k[A-Z]\w+)$")
_WORDS = ("None", "True", "False", "true", "false", "nullptr")
_TELLING = 12
"""Letters of a text that hardly two constants hold by chance."""
_ASIDE = (Role.TEST, Role.DOCUMENT, Role.BENCHMARK)


def without_same_constants(
    shown: Sequence[Shown], read: Sequence[Versions], files: Sequence[FileChange]
) -> list[Shown]:
    """Leave out values that only name a constant now which the commit shows to hold the same, or no longer do."""
    doubted = [one for one in shown if _names(one.draft)]
    if not doubted:
        return list(shown)
    old, new = (_Side([v.old for v in read], files, " -"), _Side([v.new for v in read], files, " +"))
    same = {id(one) for one in doubted if _is_same(one.draft, old, new)}
    return [one for one in shown if id(one) not in same]


def words(one: Shown) -> list[str]:
    """Name the constants that the tree may define; nothing for other facts, and for what is a member of something."""
    sides = one.draft.old, one.draft.new
    return [name for name in _names(one.draft) if name in sides and _SHOUTED.match(name)]


def constants(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Give what those constants hold by lines of the tree, where all that define one agree."""
    asked = {name for one in shown for name in words(one)}
    found = ((name, _held(name, lines)) for name in asked)
    return {name: held.pop() for name, held in found if len(held) == 1}


def is_only_named(one: Shown, known: Mapping[str, str]) -> bool:
    """Tell whether a value is the same as before by what the tree says of the constants."""
    asked = words(one) if known else []
    sides = (known.get(text, text) if text in asked else text for text in (one.draft.old, one.draft.new))
    return bool(asked) and same_value(*sides)


def _names(draft: Draft) -> list[str]:
    """Name the constants that stand on either side of a value that changed."""
    if draft.kind not in _VALUED or draft.detail == _TYPE or not draft.old or not draft.new:
        return []
    return [name for text in (draft.old, draft.new) if (name := _constant(text)) is not None]


def _constant(text: str) -> str | None:
    """Give the own name of a constant where a text is nothing but that."""
    named = _CONSTANT.match(text)
    return named[1] if named is not None and text not in _WORDS else None


@dataclass(frozen=True)
class _Side:
    """What the commit shows of the code before it, or after it."""

    read: Sequence[Reading]
    files: Sequence[FileChange]
    signs: str

    def stands_for(self, text: str) -> str:
        """Give the literal that all constants of that name have, or the text itself."""
        name = _constant(text)
        if name is None:
            return text
        symbols = (symbol for reading in self.read for symbol in reading.symbols if symbol.kind == "constant")
        values = {symbol.value or text for symbol in symbols if symbol.name.rpartition(".")[2] == name}
        # Of a file that came or went as a whole only the lines are at hand, which do not say what a member is of.
        values = values or (_held(name, list(self._lines(name))) if name == text else values)
        return values.pop() if len(values) == 1 else text

    def _lines(self, name: str) -> Iterator[tuple[str, str]]:
        patches = ((file.path, file.patch) for file in self.files if file.patch and name in file.patch)
        for path, patch in patches:
            yield from ((path, line[1:]) for line in patch.split("\n") if line[:1] in self.signs)


def _is_same(draft: Draft, old: _Side, new: _Side) -> bool:
    """Tell whether both sides hold the same; what a constant holds that nobody defines may stand elsewhere."""
    held = old.stands_for(draft.old or ""), new.stands_for(draft.new or "")
    unknown = held == (draft.old, draft.new)
    return same_value(*held) or (unknown and _is_held_elsewhere(draft, new.files))


def _is_held_elsewhere(draft: Draft, files: Sequence[FileChange]) -> bool:
    """Tell whether a long text went to another line of the commit, or came from one, that holds nothing else.

    So it is where another language defines the constant that Python names.
    """
    (text, sign), *others = sorted(
        ((draft.old or "", "+"), (draft.new or "", "-")), key=lambda side: _LITERAL.match(side[0]) is None
    )
    if len(text) < _TELLING or _LITERAL.match(text) is None or _constant(others[0][0]) is None:
        return False
    holds = re.compile(rf"^\{sign}(?:[^\n]*[=(]|\s*return)?\s*{re.escape(text)}[;,)]*$", re.MULTILINE)
    return any(text in patch and holds.search(patch) for file in files if (patch := _of_code(file)))


def _of_code(file: FileChange) -> str:
    return (file.patch or "") if role(file.path) not in _ASIDE else ""


def _held(name: str, lines: Sequence[tuple[str, str]]) -> set[str]:
    """List what lines of the tree set a constant to; nothing where one of them computes it."""
    word = re.escape(name)
    sets = re.compile(
        rf"\s*(?:(?:[\w:<>]+[ *&]+)*{word}\s*(?::[^=]+)?=(?!=)|#\s*define\s+{word}\s)\s*(.*?)\s*;?\s*(?:(?:#|//).*)?$"
    )
    held = {found[1] for path, line in lines if name in line and (found := sets.match(line)) and _is_code(path)}
    return held if all(map(_LITERAL.match, held)) else set()


def _is_code(path: str) -> bool:
    return role(path) not in _ASIDE
