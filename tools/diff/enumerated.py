"""Values that a member of an enumeration and a literal both stand for: to users they are the same."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.values import same_value
from tools.diff.versions import Versions

_VALUED = (
    FactKind.CONSTANT_CHANGED,
    FactKind.FIELD_CHANGED,
    FactKind.PARAMETER_DEFAULT,
    FactKind.FLAG_DEFAULT,
    FactKind.ENV_DEFAULT,
    FactKind.ERROR_CHANGED,
)
_MEMBER = re.compile(r"\b([A-Z]\w*[a-z]\w*)\.([A-Z][A-Z0-9_]*)\b(?:\.value\b)?")
_LITERAL = re.compile(r"^(?:[\"'].*[\"']|-?\d+)$")


def without_same_members(shown: Sequence[Shown], read: Iterable[Versions]) -> list[Shown]:
    """Leave out what only names a value by a literal now that a member of an enumeration stood for, or the reverse."""
    doubted = [one for one in shown if _is_exchanged(one.draft)]
    if not doubted:
        return list(shown)
    values = dict(_members(read))
    same = {id(one) for one in doubted if _is_same(one.draft, values)}
    return [one for one in shown if id(one) not in same]


def _is_exchanged(draft: Draft) -> bool:
    """Tell whether one side names a member where the other has none."""
    if draft.kind not in _VALUED or not draft.old or not draft.new:
        return False
    return (_MEMBER.search(draft.old) is None) != (_MEMBER.search(draft.new) is None)


def _members(read: Iterable[Versions]) -> Iterator[tuple[str, str]]:
    """Give the values of members that files of the commit show, before it or after it."""
    for versions in read:
        for reading in (versions.old, versions.new):
            for symbol in reading.symbols:
                if symbol.kind == "member" and symbol.value is not None and _LITERAL.match(symbol.value):
                    yield ".".join(symbol.name.split(".")[-2:]), symbol.value


def _is_same(draft: Draft, values: Mapping[str, str]) -> bool:
    """Write literals for members: the one that is known, else the name in small letters, as most are called."""
    old, new = (
        _MEMBER.sub(lambda found: values.get(f"{found[1]}.{found[2]}", f'"{found[2].lower()}"'), text or "")
        for text in (draft.old, draft.new)
    )
    return same_value(old, new)
