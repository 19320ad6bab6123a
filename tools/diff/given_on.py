"""What a file of Python gives on that it defined before: whoever takes it from there still can."""

from collections.abc import Iterator, Sequence

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown

_TELLING = 8
"""Letters of a name that hardly two things of a commit have by chance."""


def without_given_on(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out what one file imports now instead of defining it, there and in the file that defines it."""
    given = [one for one in shown if one.draft.given_on]
    if not given:
        return list(shown)
    taken = {id(heir) for one in given for heir in _heirs(one, shown)}
    return [one for one in shown if not one.draft.given_on and id(one) not in taken]


def _heirs(given: Shown, shown: Sequence[Shown]) -> Iterator[Shown]:
    """Find the same thing in other files, unless only the project itself could use it before."""
    for one in shown:
        came = one.draft.kind is FactKind.SYMBOL_ADDED and one.draft.name == given.draft.name
        elsewhere = came and _file(one) != _file(given) and _file(one).endswith(".py")
        if elsewhere and _is_same(given.draft, one.draft) and (given.draft.public or not one.draft.public):
            yield one


def _is_same(one: Draft, other: Draft) -> bool:
    # What was imported here all along was defined elsewhere before.
    defined = not (one.old or "").endswith(f".{one.name}")
    return defined and one.detail == other.detail and (len(one.name) >= _TELLING or one.old == other.new)


def _file(one: Shown) -> str:
    return one.place.file if one.place is not None else ""
