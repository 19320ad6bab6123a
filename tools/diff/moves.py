"""What went in one file and came in another: symbols that moved, and what users set or run into wherever it stands."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown

_DEFINED = ("function", "class", "struct", "enum")
_WENT = {
    FactKind.ERROR_REMOVED: FactKind.ERROR_ADDED,
    FactKind.ENV_REMOVED: FactKind.ENV_ADDED,
    FactKind.FLAG_REMOVED: FactKind.FLAG_ADDED,
    FactKind.ROUTE_REMOVED: FactKind.ROUTE_ADDED,
    FactKind.UNREGISTERED: FactKind.REGISTERED,
}
_CAME = frozenset(_WENT.values())


def join_moves(shown: Iterable[Shown], arrivals: Mapping[str, Sequence[str]]) -> list[Shown]:
    """Turn each pair of "removed here, added there" into one "moved"; `arrivals` is what new files declare."""
    rest: list[Shown] = []
    came: dict[str, list[Shown]] = {}
    went: list[Shown] = []
    for one in _without_unmoved(list(shown)):
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
    return rest + [one for others in came.values() for one in _as_one(others)]


def _as_one(others: Sequence[Shown]) -> Iterator[Shown]:
    """Tell a name that a package gives on from the module that defines it, where both are new, as one thing."""
    defined = {one.draft.name: one.draft for one in others if one.draft.detail in _DEFINED}
    for one in sorted(others, key=lambda other: other.draft.detail == "variable"):
        source = defined.get(one.draft.name)
        given_on = one.draft.detail == "variable" and (one.draft.new or "").endswith(f".{one.draft.name}")
        yield Shown(replace(source, public=one.draft.public), one.place) if given_on and source else one


def _without_unmoved(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out what is set or met as before, only in another file: nobody outside sees where it is read or raised."""
    here = {(_WENT[one.draft.kind], one.draft.name, one.draft.old) for one in shown if one.draft.kind in _WENT}
    there = {(one.draft.kind, one.draft.name, one.draft.new) for one in shown if one.draft.kind in _CAME}
    both = here & there
    if not both:
        return list(shown)
    return [
        one
        for one in shown
        if (one.draft.kind, one.draft.name, one.draft.new) not in both
        and (_WENT.get(one.draft.kind), one.draft.name, one.draft.old) not in both
    ]


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
