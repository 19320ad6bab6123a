"""Symbols that went in one file and came in another: they moved."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown


def join_moves(shown: Iterable[Shown], arrivals: Mapping[str, Sequence[str]]) -> list[Shown]:
    """Turn each pair of "removed here, added there" into one "moved"; `arrivals` is what new files declare."""
    rest: list[Shown] = []
    came: dict[str, list[Shown]] = {}
    went: list[Shown] = []
    for one in shown:
        if one.draft.kind is FactKind.SYMBOL_REMOVED:
            went.append(one)
        elif one.draft.kind is FactKind.SYMBOL_ADDED:
            came.setdefault(_own(one.draft), []).append(one)
        else:
            rest.append(one)
    for one in went:
        there = next((other for other in came.get(_own(one.draft), []) if _is_same(one, other)), None)
        if there is None and (file := _new_home(one, arrivals)):
            assert one.place is not None
            draft = replace(one.draft, kind=FactKind.SYMBOL_MOVED, old=one.place.file, new=file)
            rest.append(Shown(draft, one.place))
        elif there is None:
            rest.append(one)
        else:
            came[_own(one.draft)].remove(there)
            rest.append(_moved(one, there))
    return rest + [one for others in came.values() for one in others]


def _new_home(one: Shown, arrivals: Mapping[str, Sequence[str]]) -> str | None:
    """Find the new file that declares what went here: the only one, or the one of the same name."""
    files = list(dict.fromkeys(arrivals.get(one.draft.name, ())))
    if one.place is None or not files:
        return None
    stem = one.place.file.rpartition("/")[2]
    alike = [file for file in files if file.rpartition("/")[2] == stem]
    return alike[0] if alike else files[0] if len(files) == 1 else None


def _is_same(one: Shown, other: Shown) -> bool:
    """Tell whether a thing of the same name in another file is the same thing."""
    assert one.place is not None
    assert other.place is not None
    if one.place.file == other.place.file or one.draft.detail != other.draft.detail:
        return False
    # A declaration in a header and the definition elsewhere share a name and nothing else.
    return bool(one.draft.shape) and one.draft.shape == other.draft.shape


def _moved(one: Shown, other: Shown) -> Shown:
    assert one.place is not None
    assert other.place is not None
    draft = replace(
        one.draft,
        kind=FactKind.SYMBOL_MOVED,
        name=other.draft.name,
        old=one.place.file,
        new=other.place.file,
        breaking=one.draft.public,
    )
    return Shown(draft, other.place)


def _own(draft: Draft) -> str:
    return draft.name.rpartition(".")[2]
