"""What went in one file and came in another: symbols that moved, under their name or another."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.definitions import without_bodies, without_definitions
from tools.diff.draft import Draft
from tools.diff.families import without_handed_up
from tools.diff.grouping import Shown
from tools.diff.headers import is_c, is_of_other_namespace, is_same_thing, is_source, outer_name, same_sort
from tools.diff.homes import Homes
from tools.diff.inherited import FOREIGN, without_heirlooms
from tools.diff.rehoused import House
from tools.diff.spaces import without_named_as_before
from tools.diff.symbols import follows
from tools.diff.unmoved import without_unmoved

_DEFINED = ("function", "class", "struct", "enum")
_VALUES = ("constant", "variable")
_METHODS = ("method", "property")
_CALLED = ("function", *_METHODS)
_OVERRIDE = "override"
_MOST = 200
"""Names that came or went in a commit; where there are more, only what kept its name is followed."""
_TELLING = 8
"""Letters of a name that hardly two functions with the same parameters have by chance."""
_UNMISTAKABLE = 12
"""Letters of a name that hardly two functions have by chance, whatever their parameters."""


def join_moves(shown: Iterable[Shown], homes: Homes) -> list[Shown]:
    """Turn each pair of "removed here, added there" into one "moved"; `homes` knows what whole files declare."""
    shown = without_heirlooms(without_definitions(list(shown)), homes)
    shown = without_named_as_before(without_unmoved(without_handed_up(shown, homes), homes), homes)
    rest: list[Shown] = []
    came: dict[str, list[Shown]] = {}
    went: list[Shown] = []
    for one in _with_sibling_renames(_without_followers(_renamed_alike(shown))):
        if one.draft.kind is FactKind.SYMBOL_REMOVED:
            went.append(one)
        elif one.draft.kind is FactKind.SYMBOL_ADDED:
            came.setdefault(_own(one.draft), []).append(one)
        else:
            rest.append(one)
    added = {other.draft.name for others in came.values() for other in others}
    found: dict[str, list[Shown]] = {}
    several = len(went) <= _MOST
    for one in went:
        if _is_given_on_still(one.draft):
            continue
        inherits = one.draft.bases and one.draft.detail in (*_METHODS, _OVERRIDE)
        if several and inherits and one.place is not None and one.place.file.endswith(".py"):
            one = replace(one, draft=_left_to_bases(one, added, homes))
            # What is nobody else's business may well stand in the new base, or is seen to stand in another.
            if not one.draft.public and (one.draft.rebased or one.draft.detail == _OVERRIDE):
                continue
        there = next((other for other in came.get(_own(one.draft), []) if _is_same(one, other)), None)
        if there is not None and _is_namesake(one, there, homes):
            there = None
        # What several files had, each for itself, moved to the one that has it for all of them.
        shared = next((other for other in found.get(_own(one.draft), ()) if _is_alike(one, other)), None)
        if there is not None:
            came[_own(one.draft)].remove(there)
            found.setdefault(_own(one.draft), []).append(there)
            rest.append(_moved(one, there, homes))
        elif shared is not None:
            rest.append(_moved(one, shared, homes))
        else:
            rest += _gone(one, came if several else {}, homes)
    told = [*rest, *(_from_a_file(one, homes) for others in came.values() for one in _as_one(others))]
    drafts = [one.draft for one in rest if one.draft.kind is FactKind.SYMBOL_RENAMED]
    # What a package gives on of a thing that has another name now is told by that.
    renamed = {name.rpartition(".")[2] for draft in drafts for name in (draft.old, draft.new) if name}
    told = [one for one in told if not _gives_on(one.draft, renamed)]
    # What is registered under its name as before is the same, whatever it is called behind it.
    words = {draft.old: draft.new for draft in drafts if draft.old and draft.new}
    behind = FactKind.REGISTRATION_CHANGED
    told = [one for one in told if one.draft.kind is not behind or not follows(one.draft, words)]
    return without_bodies(_gone_as_one(list(_without_what_moved(_without_wrappers(told)))))


def _without_wrappers(told: Sequence[Shown]) -> Sequence[Shown]:
    """Leave out renames of functions of which another file, that has the work to do, tells that one went and one came.

    What only calls the one has no more become the other than that has.
    """
    renamed = [one for one in told if one.draft.kind is FactKind.SYMBOL_RENAMED and one.draft.detail == "function"]
    if not renamed:
        return told
    went, came = (
        {_place(one): one.draft for one in told if one.draft.kind is kind and one.draft.detail == "function"}
        for kind in (FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED)
    )
    files = {file for file, _ in went} & {file for file, _ in came}
    parted = {
        id(one)
        for one in renamed
        for file in files - {_place(one)[0]}
        if (gone := went.get((file, one.draft.old or ""))) is not None
        and (file, one.draft.new or "") in came
        and (gone.public or not one.draft.public)
    }
    return [one for one in told if id(one) not in parted]


def _without_what_moved(told: Sequence[Shown]) -> Iterator[Shown]:
    """Tell of a file that went those names as gone only which no other fact tells as moved out of it."""
    moved = {(one.draft.old, one.draft.name) for one in told if one.draft.kind is FactKind.SYMBOL_MOVED}
    for one in told:
        names = (one.draft.old or "").split(", ") if moved and one.draft.kind is FactKind.FILE_REMOVED else []
        left = [name for name in names if (one.draft.name, name) not in moved]
        if left != names:
            one = replace(one, draft=one.draft._replace(old=", ".join(left) or one.draft.name))
        yield one


def _renamed_alike(shown: Sequence[Shown]) -> Sequence[Shown]:
    """Take a method for renamed that went and came by the same words as one of another class, with its parameters."""
    named = [one.draft for one in shown if one.draft.kind is FactKind.SYMBOL_RENAMED and one.draft.detail in _METHODS]
    words = {draft.old: draft.new for draft in named}
    if not words:
        return shown
    came = {_place(one): one for one in shown if one.draft.kind is FactKind.SYMBOL_ADDED}
    gone = [one for one in shown if one.draft.kind is FactKind.SYMBOL_REMOVED]
    heirs = {id(one): heir for one in gone if (heir := _heir_by_words(one, words, came)) is not None}
    taken = {id(heir) for heir in heirs.values()}
    return [
        replace(one, draft=_renamed(one.draft, heirs[id(one)].draft.name)) if id(one) in heirs else one
        for one in shown
        if id(one) not in taken
    ]


def _heir_by_words(
    one: Shown, words: Mapping[str | None, str | None], came: Mapping[tuple[str, str], Shown]
) -> Shown | None:
    """Find what came in the same class under the name that another class gave it, with the same parameters."""
    file, name = _place(one)
    owner, dot, own = name.rpartition(".")
    heir = came.get((file, f"{owner}{dot}{words.get(own)}")) if dot and file else None
    return heir if heir is not None and _parameters(one.draft.old) == _parameters(heir.draft.new) else None


def _place(one: Shown) -> tuple[str, str]:
    return (one.place.file if one.place else "", one.draft.name)


def _parameters(signature: str | None) -> str:
    return (signature or "").partition("(")[2]


def _gone(one: Shown, came: Mapping[str, list[Shown]], homes: Homes) -> Iterator[Shown]:
    """Tell of what is not in another changed file under its name: in a new file, under another name, or gone."""
    assert one.place is not None
    draft = one.draft
    if file := homes.of(outer_name(draft, one.place.file), one.place.file, came=True):
        same = not is_c(file) or homes.opens(file, draft.name)
        kept = False if draft.kept or (same and homes.reaches(one.place.file, file)) else draft.breaking
        old = homes.before(one.place.file)
        draft = draft._replace(kind=FactKind.SYMBOL_MOVED, old=old, new=file, breaking=kept)
        yield Shown(draft, one.place)
    elif draft.kept:
        return
    elif (heir := _heir(one, came)) is not None:
        came[_own(heir.draft)].remove(heir)
        yield Shown(_renamed(draft, heir.draft.name), one.place)
    elif (heir := _other_sort(one, came)) is not None:
        came[_own(heir.draft)].remove(heir)
        yield Shown(
            draft._replace(kind=FactKind.SYMBOL_RENAMED, name=heir.draft.name, old=draft.name, new=heir.draft.name),
            one.place,
        )
    elif draft.detail == "function" and (name := homes.successor(draft, one.place.file)):
        yield Shown(_renamed(draft, name), one.place)
    elif draft.detail in _CALLED and (house := homes.rehoused(draft, one.place.file)) is not None:
        yield _rehoused(one, house, came)
    else:
        yield one


def _rehoused(one: Shown, house: House, came: Mapping[str, list[Shown]]) -> Shown:
    """Tell of a function whose body another one has now; what is public for the first time came all the same."""
    rivals = came.get(house.name.rpartition(".")[2], [])
    heir = next((other for other in rivals if _place(other)[0] == house.file), None)
    if heir is not None and (one.draft.public or not heir.draft.public):
        rivals.remove(heir)
    name = heir.draft.name if heir is not None else house.name
    if name.rpartition(".")[0] == one.draft.name.rpartition(".")[0]:
        return Shown(_renamed(one.draft, name), one.place)
    draft = one.draft._replace(kind=FactKind.SYMBOL_RENAMED, name=name, old=one.draft.name, new=name)
    return Shown(draft, one.place)


def _left_to_bases(one: Shown, added: Set[str], homes: Homes) -> Draft:
    """Judge the removal of a method by what the commit shows of bases in other files: they have it, or nobody does."""
    assert one.place is not None
    draft, name = one.draft, _own(one.draft)
    inherits = any(f"{base}.{name}" in added for base in draft.bases) or homes.inherits(draft.bases, name)
    if inherits:
        return draft._replace(breaking=False, detail=_OVERRIDE)
    foreign = all(FOREIGN.match(base) for base in draft.bases)
    if inherits is False or foreign or homes.is_let_go(name, one.place.file):
        return draft
    # What is still called of some object, its class may well have from the base that nobody sees.
    telling = len(name) >= _TELLING and homes.still_calls(name)
    return draft._replace(breaking=False, detail=_OVERRIDE if telling else draft.detail)


def _heir(one: Shown, came: Mapping[str, list[Shown]]) -> Shown | None:
    """Find what came in another file with the same body."""
    if len(came) > _MOST or one.draft.detail not in _DEFINED or not one.draft.shape:
        return None
    others = (other for rivals in came.values() for other in rivals if other.draft.detail == one.draft.detail)
    return next((other for other in others if other.draft.shape == one.draft.shape), None)


def _other_sort(one: Shown, came: Mapping[str, list[Shown]]) -> Shown | None:
    """Find the method that a function of the same file has become under its name, or the function of a method."""
    assert one.place is not None
    wanted = {"function": "method", "method": "function"}.get(one.draft.detail or "")
    if wanted is None or len(_own(one.draft)) < _TELLING:
        return None
    rivals = [
        other
        for other in came.get(_own(one.draft), ())
        if other.draft.detail == wanted and other.place is not None and other.place.file == one.place.file
    ]
    return rivals[0] if len(rivals) == 1 else None


def _renamed(draft: Draft, name: str) -> Draft:
    return draft._replace(kind=FactKind.SYMBOL_RENAMED, name=name, old=_own(draft), new=name.rpartition(".")[2])


def _from_a_file(one: Shown, homes: Homes) -> Shown:
    """Tell of what came from a file that went as a whole: the file says that it went, so nobody is alarmed twice."""
    name = outer_name(one.draft, one.place.file) if one.place is not None else ""
    if one.place is None or "." in name or one.draft.detail in ("variable", "overload"):
        return one
    file = homes.of(name, one.place.file, came=False)
    if file is None:
        return one
    # Nobody includes a source.
    breaking = False if is_source(file) else None
    draft = one.draft._replace(kind=FactKind.SYMBOL_MOVED, old=file, new=one.place.file, breaking=breaking)
    return Shown(draft, one.place)


def _as_one(others: Sequence[Shown]) -> Iterator[Shown]:
    """Tell a name that a package gives on from the module that defines it, where both are new, as one thing."""
    defined = [one for one in others if one.draft.detail in _DEFINED]
    for one in sorted(others, key=lambda other: other.draft.detail == "variable"):
        given_on = one.draft.detail == "variable" and (one.draft.new or "").endswith(f".{one.draft.name}")
        source = _source(one, defined) if given_on else None
        yield one if source is None else Shown(source._replace(public=one.draft.public), one.place)


def _source(one: Shown, defined: Sequence[Shown]) -> Draft | None:
    """Find what a package gives on: of several of the name the one in the module that it imports."""
    named = [other for other in defined if (other.draft.name, _is_python(other)) == (one.draft.name, _is_python(one))]
    module = (one.draft.new or "").removesuffix(f".{one.draft.name}").rpartition(".")[2]
    inside = [other for other in named if other.place is not None and f"/{other.place.file}".endswith(f"/{module}.py")]
    return next((other.draft for other in (*inside, *reversed(named))), None)


def _gone_as_one(told: Sequence[Shown]) -> list[Shown]:
    """Tell a name that a package no longer gives on by the definition, where that went too; both are one thing."""
    gone = [one for one in told if one.draft.kind is FactKind.SYMBOL_REMOVED and _is_python(one)]
    given = [one for one in gone if _is_import(one.draft)]
    if not given:
        return list(told)
    defined = {one.draft.name: one for one in gone if not _is_import(one.draft)}
    along = {id(one) for one in given if one.draft.name in defined}
    # What users had from the package alone is shown where they had it from.
    public = {id(defined[one.draft.name]): one for one in given if id(one) in along and one.draft.public}
    return [
        Shown(one.draft._replace(public=True), public[id(one)].place)
        if id(one) in public and not one.draft.public
        else one
        for one in told
        if id(one) not in along
    ]


def _is_python(one: Shown) -> bool:
    return one.place is not None and one.place.file.endswith((".py", ".pyi"))


def _without_followers(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out values and types that are others only because they name what was renamed in another file."""
    kinds = (FactKind.SYMBOL_RENAMED, FactKind.FIELD_RENAMED, FactKind.MEMBER_RENAMED)
    drafts = (one.draft for one in shown if one.draft.kind in kinds)
    words = {draft.old: draft.new for draft in drafts if draft.old and draft.new}
    if not words:
        return list(shown)
    given_on = {*words.keys(), *words.values()}
    return [one for one in shown if not follows(one.draft, words) and not _gives_on(one.draft, given_on)]


def _gives_on(draft: Draft, names: Set[str]) -> bool:
    """Tell whether a package only gives on, or no longer, what goes by another name where it is defined."""
    return draft.kind in (FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED) and draft.name in names and _is_import(draft)


def _is_import(draft: Draft) -> bool:
    """Tell whether a name that came or went was only given on: `name = .module.name`."""
    return draft.detail == "variable" and (draft.old or draft.new or "").endswith(f".{draft.name}")


def _with_sibling_renames(shown: Sequence[Shown]) -> list[Shown]:
    """Tell a parameter that went and one that came as renamed, where the commit renames it so in other functions."""
    renamed = (one.draft for one in shown if one.draft.kind is FactKind.PARAMETER_RENAMED)
    # In order, so that where two may be meant it is the same one in every run.
    known = dict.fromkeys((draft.old, draft.new) for draft in renamed)
    if not known:
        return list(shown)
    came = {_parameter(one): one for one in shown if one.draft.kind is FactKind.PARAMETER_ADDED}
    pairs: dict[int, Shown] = {}
    for one in shown:
        if one.draft.kind is FactKind.PARAMETER_REMOVED:
            heirs = (came.get((*_parameter(one)[:2], new)) for old, new in known if old == one.draft.detail)
            if (heir := next((found for found in heirs if found is not None), None)) is not None:
                pairs[id(one)] = heir
    taken = {id(heir) for heir in pairs.values()}
    return [_as_renamed(one, pairs[id(one)]) if id(one) in pairs else one for one in shown if id(one) not in taken]


def _parameter(one: Shown) -> tuple[str | None, ...]:
    return one.place.file if one.place else None, one.draft.name, one.draft.detail


def _as_renamed(one: Shown, heir: Shown) -> Shown:
    old, new = one.draft.detail, heir.draft.detail
    draft = one.draft._replace(kind=FactKind.PARAMETER_RENAMED, old=old, new=new, detail=new)
    # Only in Python does a caller write the name of a parameter.
    return Shown(draft if _is_python(one) else draft._replace(public=False), one.place)


def _is_same(one: Shown, other: Shown) -> bool:
    """Tell whether a thing of the same name in another file is the same thing."""
    assert one.place is not None
    assert other.place is not None
    if one.place.file == other.place.file or not same_sort(one.draft, other.draft):
        return False
    if one.draft.shape and one.draft.shape == other.draft.shape:
        return True
    if is_c(one.place.file):
        return is_same_thing(one.draft, other.draft, one.place.file, other.place.file)
    outer = "." not in one.draft.name + other.draft.name and one.place.file.endswith((".py", ".rs"))
    telling = one.draft.detail in _VALUES or len(one.draft.name) >= _TELLING
    # What is declared otherwise in the other file is told beside the move.
    unmistakable = one.draft.detail in _DEFINED and len(one.draft.name) >= _UNMISTAKABLE
    return outer and telling and (unmistakable or one.draft.old == other.draft.new)


def _is_namesake(one: Shown, other: Shown, homes: Homes) -> bool:
    """Tell whether what came to a header is of another namespace, while a new file has a thing of that name as well."""
    if one.place is None or not is_c(one.place.file) or not is_of_other_namespace(one.draft, other.draft):
        return False
    return homes.of(outer_name(one.draft, one.place.file), one.place.file, came=True) is not None


def _moved(one: Shown, other: Shown, homes: Homes) -> Shown:
    assert one.place is not None
    assert other.place is not None
    draft = one.draft._replace(
        kind=FactKind.SYMBOL_MOVED,
        name=other.draft.name,
        old=homes.before(one.place.file),
        new=other.place.file,
        breaking=one.draft.public
        and not (one.draft.kept or _is_anyones(one.draft) or homes.reaches(one.place.file, other.place.file))
        # Whoever links what a source defines still finds it.
        and not is_source(one.place.file)
        and one.draft.breaking is not False,
    )
    return Shown(draft, other.place)


def _is_alike(one: Shown, other: Shown) -> bool:
    return bool(one.draft.shape) and one.draft.shape == other.draft.shape and one.draft.detail == other.draft.detail


def _is_anyones(draft: Draft) -> bool:
    """Tell of a method whose class a hunk does not show: it may well have moved to a base."""
    return draft.detail in _METHODS and "." not in draft.name


def _is_given_on_still(draft: Draft) -> bool:
    """Tell of a name that a module only gave on whether it may do so still, with all that another module has."""
    return draft.kept and _is_import(draft)


def _own(draft: Draft) -> str:
    return draft.name.rpartition(".")[2]
