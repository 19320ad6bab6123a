"""What changed between the symbols of two versions of a file."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from agent.facts import FactKind
from tools.diff import same_place
from tools.diff.draft import Draft, Where
from tools.diff.heirs import (
    CONTAINERS,
    follow,
    in_other_hunks,
    is_list_of_values,
    is_property,
    own_name,
    owner_of,
    owners,
    renames,
    swapped,
    went_inside,
)
from tools.diff.hunks import Patch
from tools.diff.inherited import gone_for_good, is_rebased, new_to_all, unseen_bases
from tools.diff.kindred import kindred, known_by_members
from tools.diff.overloads import indexed
from tools.diff.reading import Param, Reading, Symbol
from tools.diff.records import must_be_given
from tools.diff.resolving import is_same, is_same_type_by_name, values_of
from tools.diff.retyped import named_after
from tools.diff.signatures import SignatureChange, compare_signatures, whole
from tools.diff.spaces import is_debut, rehomed, told_as_moved
from tools.diff.specialisations import same_bodies
from tools.diff.users import without_others
from tools.diff.values import (
    TEMPLATE,
    asks_otherwise,
    is_handed_alike,
    same_generic,
    same_template,
    same_type,
    same_value,
)

_PLUMBING = ("logger", "log", "_logger", "__slots__", "LOGGER")
_OPTION = re.compile(
    r"\bdeprecated\b|#\[\s*(?:inline|allow|expect|warn|doc|(?:tracing::)?instrument|track_caller|cold|rustfmt)\b"
    r"|^(?:\w+\.)*(?:\w+_)?register\(\s*(?:[\"'][\w.:/+-]+[\"']\s*,?\s*)+\)$"
    r"|^(?:functools\.)?(?:lru_)?cache\b|\b(?:async)?contextmanager$|option\(|argument\(|\.(?:get|post|put|delete|patch|route|api_route|websocket)\("
)
"""Decorators that are told as flags, routes, deprecations and what is registered, or that no caller notices."""
_HANDLES = re.compile(r"\.(?:get|post|put|delete|patch|head|options|route|api_route|websocket)\(\s*[\"'/]")
"""Decorators of what a web framework calls: it fills in the parameters, whatever they are."""
_NEEDLESS = re.compile(r"(?<=[-+*/%=<>,(\[:] )\(([\w.]+(?:\[[^()\[\]]*\])?)\)")
"""Brackets around a single name."""
_WORD = re.compile(r"\w+")
_POINTEE = re.compile(r"^const (?=[^*&]*[*&])| const(?= ?[*&])")
_GIVEN_WORD = re.compile(r'"[^"]*"')
_WRITTEN = (
    FactKind.CONSTANT_CHANGED,
    FactKind.FIELD_CHANGED,
    FactKind.MEMBER_CHANGED,
    FactKind.SIGNATURE_CHANGED,
    FactKind.FLAG_DEFAULT,
    FactKind.PARAMETER_DEFAULT,
    FactKind.REGISTRATION_CHANGED,
    FactKind.BASE_CHANGED,
)
_COUNTED = (FactKind.CONSTANT_CHANGED, FactKind.FIELD_CHANGED)
_UNITS = frozenset(
    ("tiles", "tokens", "blocks", "pages", "bytes", "bits", "elements", "rows", "cols", "warps", "threads", "ctas")
)
_UNITS |= {"kb", "mb", "gb", "s", "sec", "secs", "seconds", "ms", "us", "ns", "minutes", "hours"}
_MANY = 3
"""More changes of a signature than this are told as a whole."""
_REPLACED = [FactKind.PARAMETER_REMOVED, FactKind.PARAMETER_ADDED]
"""What a macro that takes something else in a place shows; nobody gives its arguments by name."""
_CALLABLE = ("function", "method", "macro")
_OBJECTS = ("field", "variable")
"""What has members where its class has no name: `struct { int fast; } mode;`."""
_PROPERTY, _OVERLOAD = "property", "overload"
_LONG = "…"
"""Stands for a default that is too long to be shown."""
_ALIASED = ("struct", "class", "enum")
_ADDED = {"member": FactKind.MEMBER_ADDED, "field": FactKind.FIELD_ADDED}
_REMOVED = {"member": FactKind.MEMBER_REMOVED, "field": FactKind.FIELD_REMOVED}
_RENAMED = {"member": FactKind.MEMBER_RENAMED, "field": FactKind.FIELD_RENAMED}
_VALUE = {"member": FactKind.MEMBER_CHANGED, "field": FactKind.FIELD_CHANGED}


def compare_symbols(old: Reading, new: Reading, patch: Patch | None = None) -> list[Draft]:
    """List what came, went, was renamed or is declared otherwise; a patch shows what stayed, and who uses what."""
    before, after = indexed(old, new)
    generics = old.generics | new.generics
    _part(before, after, old, new)
    gone, come = (
        [one for name, one in side.items() if name not in other and not (one.announced or one.implied)]
        for side, other in ((before, after), (after, before))
    )
    stayed = in_other_hunks(gone, come)
    # Nothing takes a name that was there before and stays.
    went = [symbol for symbol in gone if symbol.name not in new.imports and not symbol.overload]
    came = [symbol for symbol in come if not symbol.overload]
    pairs = list(same_bodies(went, came, before, after)) if old.overloaded and new.overloaded else []
    kept = patch.kept if patch is not None else None
    pairs += same_place.stayed(*_left(went, came, pairs), kept) if kept is not None else ()
    alike = list(renames(*_left(went, came, pairs), kept))
    alike = same_place.without_bodies_of_others(alike, before.values(), kept) if kept is not None else alike
    pairs += kindred(alike, went, before, after)
    if not old.overloaded:
        pairs += known_by_members(*_left(went, came, pairs), before, after)
    if patch is not None and old.overloaded:
        pairs = without_others(pairs, before, after, patch)
    pairs += swapped(before, after, pairs)
    pairs += list(named_after(went, came, pairs))
    if old.overloaded and new.overloaded:
        pairs = [pair for pair in pairs if not is_debut(*pair)]
        pairs += rehomed(*_left(went, came, pairs), before, after, kept)
    # Whoever used a field that only its class sees now has nothing to use in its stead.
    pairs = [(one, other) for one, other in pairs if not (one.kind == "field" and one.public and not other.public)]
    renamed = {one.name: other.name for one, other in pairs}
    pairs += follow(renamed, before, after, {one.name for one, _ in pairs})
    paired_old, paired_new = {one.name for one, _ in pairs}, {other.name for _, other in pairs}
    drafts = [
        # What a new base has for it, a class has still, whatever its own is called now.
        _rename(one, other)._replace(
            breaking=False if is_rebased(one, before, after) else None, bases=unseen_bases(other, after)
        )
        for one, other in pairs
        if own_name(one) != own_name(other)
    ]
    if patch is not None and old.overloaded and new.overloaded:
        drafts += told_as_moved(pairs, before, after, patch)
    housed = list(went_inside(gone, before, after, paired_old))
    drafts += [_rename(one, other)._replace(old=one.name, new=other.name) for one, other in housed]
    paired_old |= {one.name for one, _ in housed}
    gone, come = _of_the_same(gone, before, after), _of_the_same(come, after, before)
    drafts += gone_for_good(_came_or_went(gone, before, paired_old, removed=True), before, after, renamed)
    drafts += new_to_all(_came_or_went(come, after, paired_new, removed=False), before, after)
    same = [(symbol, after[name]) for name, symbol in before.items() if name in after]
    words = {own_name(one): own_name(other) for one, other in pairs if own_name(one) != own_name(other)}
    # A template calls its argument as the class does, and an underscore more.
    words |= {f"{mine}_": f"{its}_" for mine, its in words.items()} if old.overloaded else {}
    known = [values_of(reading.symbols) for reading in (old, new)] if old.overloaded and new.overloaded else []
    for one, other in [*same, *stayed, *pairs]:
        drafts += (
            draft
            for draft in _altered(one, other, generics)
            if not (
                known and draft.kind is FactKind.CONSTANT_CHANGED and is_same(one, other, (known[0], known[1]), words)
            )
            if not (known and _is_retyped(draft) and is_same_type_by_name(one, other, *known))
            if not words or not (follows(draft, words) or (draft.kind in _COUNTED and _in_other_units(one, other)))
        )
    if new.numbered:
        drafts = [draft._replace(breaking=True) if _is_renumbered(draft) else draft for draft in drafts]
    symbols = (*before.values(), *after.values())
    device = {symbol.name for symbol in symbols if symbol.device or _is_handler(symbol)}
    # What a class that is a kernel calls of itself, nobody else does; in C++ others derive from its parts.
    own = {symbol.name for symbol in symbols if symbol.device and symbol.kind == "method" and not new.overloaded}
    drafts = [draft._replace(public=False) if draft.name in own else draft for draft in drafts] if own else drafts
    return [draft._replace(breaking=False) if draft.name in device else draft for draft in drafts] if device else drafts


def _left(
    went: Iterable[Symbol], came: Iterable[Symbol], pairs: Iterable[tuple[Symbol, Symbol]]
) -> tuple[list[Symbol], list[Symbol]]:
    """Leave out what is paired already."""
    taken = {id(symbol) for pair in pairs for symbol in pair}
    free = [[symbol for symbol in side if id(symbol) not in taken] for side in (went, came)]
    return free[0], free[1]


def _is_renumbered(draft: Draft) -> bool:
    return draft.kind in _VALUE.values() and draft.detail in _VALUE


def _is_retyped(draft: Draft) -> bool:
    return draft.kind is FactKind.FIELD_CHANGED and draft.detail == "type"


def _is_handler(symbol: Symbol) -> bool:
    """Tell whether a framework calls a function when somebody asks for a path."""
    return symbol.kind in _CALLABLE and any(map(_HANDLES.search, symbol.decorators))


def _in_other_units(one: Symbol, other: Symbol) -> bool:
    """Tell whether a number was renamed because it counts something else now, and so compares with nothing."""
    before, after = (set(own_name(symbol).lower().split("_")) for symbol in (one, other))
    return bool((before - after) & _UNITS) and bool((after - before) & _UNITS)


def follows(draft: Draft, renamed: dict[str, str]) -> bool:
    """Tell whether a value or type is another only because it names what was renamed."""
    if draft.kind not in _WRITTEN or not draft.old or not draft.new:
        return False
    return draft.old != draft.new and _WORD.sub(lambda word: renamed.get(word[0], word[0]), draft.old) == draft.new


def _part(before: dict[str, Symbol], after: dict[str, Symbol], old: Reading, new: Reading) -> None:
    """Take a definition and an import of its name for two things: one replaced the other, with all its members."""
    for name in (old.imports | new.imports) & before.keys() & after.keys():
        one, other = before[name], after[name]
        if one.kind == other.kind:
            continue
        if other.kind == "variable" and name in new.imports:
            del after[name]
        elif one.kind == "variable" and name in old.imports:
            del before[name]


def _of_the_same(
    symbols: Iterable[Symbol], this_side: dict[str, Symbol], other_side: dict[str, Symbol]
) -> list[Symbol]:
    """Leave out members of what is no class on the other side: what it has become has others, or none."""
    owners = ((symbol, this_side.get(owner_of(symbol)), other_side.get(owner_of(symbol))) for symbol in symbols)
    return [
        symbol
        for symbol, mine, its in owners
        if its is None or not (_is_alias(mine, its) or not (its.kind in CONTAINERS or _is_object(mine, its)))
    ]


def _is_object(one: Symbol | None, other: Symbol) -> bool:
    """Tell whether a field or variable of a class without a name is still one."""
    return one is not None and one.kind == other.kind and other.kind in _OBJECTS


def _is_alias(one: Symbol | None, other: Symbol) -> bool:
    """Tell whether a class has become another name of one, and so has other members."""
    return (
        other.kind == "type" and other.value is not None and one is not None and one.kind in ("struct", "class", "enum")
    )


def _came_or_went(
    symbols: Iterable[Symbol], world: dict[str, Symbol], paired: set[str], *, removed: bool
) -> Iterator[Draft]:
    """Tell what came or went; with a class its members come and go without a word of their own."""
    symbols = [symbol for symbol in symbols if symbol.name not in paired]
    names = {symbol.name for symbol in symbols if symbol.kind in (*CONTAINERS, *_OBJECTS)}
    for symbol in symbols:
        if own_name(symbol) in _PLUMBING or any(owner in names for owner in owners(symbol.name)):
            continue
        yield _one_sided(symbol, world, removed=removed)


def _one_sided(symbol: Symbol, world: dict[str, Symbol], *, removed: bool) -> Draft:
    kinds, default = (_REMOVED, FactKind.SYMBOL_REMOVED) if removed else (_ADDED, FactKind.SYMBOL_ADDED)
    text = _declaration(symbol)
    span = (symbol.start, symbol.head)
    owner = world.get(owner_of(symbol))
    required = not removed and owner is not None and must_be_given(symbol, owner, world)
    breaking = None
    if required or (not removed and _is_left_to_heirs(symbol)):
        # Whoever makes one has to give it, and whoever derives from the class has to write it.
        breaking = True
    elif removed and symbol.special is not None and not owner:
        # A specialisation went: the template is somewhere.
        breaking = False
    return Draft(
        kind=kinds.get(symbol.kind, default),
        name=symbol.name,
        public=symbol.public,
        where=Where(old=span) if removed else Where(new=span),
        old=text if removed else None,
        new=None if removed else text,
        detail=_PROPERTY if is_property(symbol) else _OVERLOAD if symbol.overload else symbol.kind,
        breaking=breaking,
        shape=symbol.shape,
        owner=owner.kind if owner else "",
    )


def _is_left_to_heirs(symbol: Symbol) -> bool:
    """Tell whether a method has to be written by whoever derives from its class."""
    return symbol.kind == "method" and (symbol.pure or any("abstractmethod" in text for text in symbol.decorators))


def _is_left_to_heirs_now(one: Symbol, other: Symbol) -> bool:
    """Tell whether a method has to be written now by those who derive from its class and could leave it out before."""
    return _is_left_to_heirs(other) and not _is_left_to_heirs(one)


def _rename(one: Symbol, other: Symbol) -> Draft:
    return Draft(
        kind=_RENAMED.get(one.kind, FactKind.SYMBOL_RENAMED),
        name=other.name,
        public=one.public,
        where=_where(one, other),
        old=own_name(one),
        new=own_name(other),
        detail=one.kind,
    )


def _altered(one: Symbol, other: Symbol, generics: Set[str]) -> Iterator[Draft]:
    """Tell how a symbol that is still there is declared otherwise, or that it is another sort of thing."""
    if _sort(one) != _sort(other):
        if {one.kind, other.kind} == {"class", "function"} or _is_called_now(one, other):
            kinds, breaking = (one.kind, other.kind), one.kind == "field" or None
            yield Draft(
                FactKind.SIGNATURE_CHANGED,
                other.name,
                one.public,
                _where(one, other),
                *kinds,
                "kind",
                breaking=breaking,
            )
        return
    if _declared(one) == _declared(other) and one.value != _LONG:
        return
    where = _where(one, other)
    public = one.public
    if _is_alias(one, other):
        # Whoever names a member of what is a list of values now gets nothing.
        listed = is_list_of_values(other) or None
        yield Draft(
            FactKind.SIGNATURE_CHANGED, other.name, public, where, one.kind, f"= {other.value}", "kind", breaking=listed
        )
        return
    if "trait" in (one.kind, other.kind) and one.kind != other.kind:
        # Whoever implements it, or has a value of it, writes something else now.
        yield Draft(FactKind.SIGNATURE_CHANGED, other.name, public, where, one.kind, other.kind, "kind", breaking=True)
        return
    if public and not other.public and one.name == other.name and one.kind in (*_CALLABLE, *CONTAINERS):
        # Whoever uses it from outside has lost it, though it is still there.
        yield Draft(FactKind.SYMBOL_REMOVED, one.name, public, where, _declaration(one), None, one.kind)
    if other.public and not public and one.name == other.name and one.kind in (*_CALLABLE, *CONTAINERS):
        yield Draft(FactKind.SYMBOL_ADDED, one.name, True, where, None, _declaration(other), "public now")
    if one.bases != other.bases and (one.kind in CONTAINERS or other.bases) and not _is_renamed_throughout(one, other):
        old, new = ", ".join(one.bases) or None, ", ".join(other.bases) or None
        yield Draft(FactKind.BASE_CHANGED, other.name, public, where, old, new, one.kind)
    if one.params is not None and other.params is not None:
        changes = compare_signatures(_typed_alike(one.params, other.params, generics), other.params)
        changes = [change for change in changes if not _is_generic(change, generics)]
        if not (one.pure or other.pure):
            # Whoever derives from a class repeats the types of its pure methods.
            changes = [change for change in changes if not _is_handed_over(change)]
        yield from _signature(one, other, changes)
    if one.returns and other.returns and not _is_same_type(one.returns, other.returns, generics):
        yield Draft(FactKind.SIGNATURE_CHANGED, other.name, public, where, one.returns, other.returns, "returns")
    if one.decorators != other.decorators and one.kind in (*_CALLABLE, *CONTAINERS):
        yield from _decorated(one, other)
    same = same_type if one.kind == "type" else same_value
    # A member that only says now which number it has had all along has not changed.
    said = one.kind == "member" and (one.value is None) != (other.value is None)
    if said:
        return
    if not same(one.value, other.value) and one.kind not in _CALLABLE and own_name(one) not in _PLUMBING:
        kind = _VALUE.get(one.kind, FactKind.CONSTANT_CHANGED)
        # What is too long to be shown is still there.
        values = [
            value if value is not None or not symbol.shape else _LONG
            for value, symbol in ((one.value, one), (other.value, other))
        ]
        # A plain variable of a module is its own business; one of a class is read by everybody who has the class.
        if one.kind != "variable" or owner_of(one):
            yield Draft(kind, other.name, public, where, values[0], values[1], one.kind)
    elif one.kind == "field" and one.value == _LONG and one.shape and other.shape and one.shape != other.shape:
        yield Draft(FactKind.FIELD_CHANGED, other.name, public, where, None, None, one.kind)
    elif one.kind == "member" and not same_type(one.annotation, other.annotation):
        # Whoever makes or takes apart such a value writes down what it carries.
        carried = one.annotation or "nothing", other.annotation or "nothing"
        yield Draft(FactKind.MEMBER_CHANGED, other.name, public, where, *carried, "carries", breaking=True)
    elif one.kind == "field" and not _is_same_type(_unprotected(one), _unprotected(other), generics):
        yield Draft(FactKind.FIELD_CHANGED, other.name, public, where, one.annotation, other.annotation, "type")


def _is_called_now(one: Symbol, other: Symbol) -> bool:
    """Tell whether what was read as a field has to be called; one that held a function was called before."""
    held = re.search(r"[(]|function|Callable|Fn\b", one.annotation or "(") is not None
    return (one.kind, other.kind) == ("field", "method") and one.public and not held and not is_property(other)


def _is_renamed_throughout(one: Symbol, other: Symbol) -> bool:
    """Tell whether a record was renamed and with it the word that its base is given for it: `LIB_Op<"scan">`."""
    bases = [[_GIVEN_WORD.sub("", base) for base in symbol.bases] for symbol in (one, other)]
    return one.name != other.name and bases[0] == bases[1]


def _typed_alike(params: tuple[Param, ...], others: tuple[Param, ...], generics: Set[str]) -> tuple[Param, ...]:
    """Write the types of parameters as the other version does, where only a template calls them otherwise."""
    if not generics or len(params) != len(others):
        return params
    return tuple(
        param._replace(annotation=other.annotation)
        if _is_same_type(param.annotation, other.annotation, generics)
        else param
        for param, other in zip(params, others, strict=True)
    )


def _is_generic(change: SignatureChange, generics: Set[str]) -> bool:
    """Tell whether a parameter only has a type that the template calls otherwise now."""
    if change.kind is not FactKind.SIGNATURE_CHANGED or not change.old or not change.new:
        return False
    types = [written.partition(": ")[2] for written in (change.old, change.new)]
    return all(types) and _is_same_type(types[0], types[1], generics)


def _is_handed_over(change: SignatureChange) -> bool:
    """Tell whether a parameter is only taken by value now, or by a reference: whoever calls gives the same."""
    if change.kind is not FactKind.SIGNATURE_CHANGED or not change.old or not change.new:
        return False
    return is_handed_alike(change.old.partition(": ")[2], change.new.partition(": ")[2])


def _is_same_type(one: str | None, other: str | None, generics: Set[str]) -> bool:
    generic = generics or "const" in f"{one}{other}"
    return same_generic(one, other, generics) if generic else same_type(one, other)


def _unprotected(symbol: Symbol) -> str | None:
    """Return a field's type whatever may be done with what it points at: whoever sets the field gives the same."""
    text = symbol.annotation
    return _POINTEE.sub("", text) if text and "const" in text else text


def _declared(symbol: Symbol) -> tuple[object, ...]:
    """Give all that can be declared otherwise of what goes by one name."""
    return (
        symbol.kind,
        symbol.public,
        symbol.params,
        symbol.value,
        symbol.annotation,
        symbol.returns,
        symbol.bases,
        symbol.decorators,
    )


def _decorated(one: Symbol, other: Symbol) -> Iterator[Draft]:
    """Tell which decorators, qualifiers or template parameters are others now."""
    told = [
        [_NEEDLESS.sub(r"\1", text) for text in symbol.decorators if not _is_told_apart(text, its.decorators)]
        for symbol, its in ((one, other), (other, one))
    ]
    templates = [next((text for text in side if text.startswith(TEMPLATE)), "") for side in told]
    # A function is seldom made a template; more often one side was not understood.
    if same_template(*templates) or (one.kind in _CALLABLE and not all(templates)):
        told = [[text for text in side if not text.startswith(TEMPLATE)] for side in told]
    old, new = (
        " ".join(text for text in side if text not in its) or None
        for side, its in ((told[0], told[1]), (told[1], told[0]))
    )
    if not same_value(old, new):
        detail = "template" if (old or new or "").startswith(TEMPLATE) else "decorators"
        # Whoever calls a function lets its template's arguments be found; a class is named with them.
        asked = asks_otherwise(*templates) or not all(templates)
        breaking = (detail == "template" and one.kind in CONTAINERS and asked) or _is_left_to_heirs_now(one, other)
        where = _where(one, other)
        yield Draft(
            FactKind.SIGNATURE_CHANGED, other.name, one.public, where, old, new, detail, breaking=breaking or None
        )


def _is_told_apart(decorator: str, others: Sequence[str]) -> bool:
    """Tell whether a decorator is another fact's business; not where the other version gives it what is nobody's."""
    called = decorator.partition("(")[0]
    twin = any(text.partition("(")[0] == called and not _OPTION.search(text) for text in others)
    return _OPTION.search(decorator) is not None and not twin


def _signature(one: Symbol, other: Symbol, changes: list[SignatureChange]) -> Iterator[Draft]:
    where = _where(one, other)
    assert one.params is not None
    assert other.params is not None
    # Whoever derives from the class declares the method with what it took before, and so another one.
    written = one.pure and other.pure and any(change.kind is FactKind.PARAMETER_ADDED for change in changes)
    replaced = one.kind == "macro" and [change.kind for change in changes] == _REPLACED
    if len(changes) > _MANY or (replaced and len(one.params) == len(other.params)):
        breaking = written or any(change.breaking for change in changes)
        old, new = whole(one.params), whole(other.params)
        draft = Draft(FactKind.SIGNATURE_CHANGED, other.name, one.public, where, old, new, breaking=breaking)
        optional = all(change.kind is FactKind.PARAMETER_ADDED and not change.breaking for change in changes)
        yield draft._replace(optional=optional and not written)
        return
    for change in changes:
        breaking = change.breaking or (written and change.kind is FactKind.PARAMETER_ADDED)
        yield Draft(change.kind, other.name, one.public, where, change.old, change.new, change.param, breaking=breaking)


def _where(one: Symbol, other: Symbol) -> Where:
    return Where((one.start, one.head), (other.start, other.head))


def _declaration(symbol: Symbol) -> str | None:
    """Write what a symbol is, as far as that fits on a line."""
    if is_property(symbol):
        return f"{own_name(symbol)}: {symbol.returns}" if symbol.returns else own_name(symbol)
    if symbol.params is not None:
        return f"{own_name(symbol)}{whole(symbol.params)}"
    if symbol.value is not None:
        return f"{own_name(symbol)} = {symbol.value}"
    return own_name(symbol)


def _sort(symbol: Symbol) -> int:
    """Sort into what is called, what contains and what has a value."""
    return 1 if symbol.kind in _CALLABLE else 2 if symbol.kind in CONTAINERS else 3
