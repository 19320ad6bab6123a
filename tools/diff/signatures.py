"""How a signature changed, from a caller's point of view."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from agent.facts import FactKind
from tools.diff.likeness import likeness
from tools.diff.reading import Param
from tools.diff.values import same_type, same_value

_BY_REFERENCE = re.compile(r"\bconst\b|&|\s")
_COUNT = re.compile(r"(?:^|_)(?:count|num|number|len|length)(?:_|$)")
_PLAIN = ("bool", "int", "float", "str")
"""Types that two parameters have in common by chance."""
_ANY = ("None", "True", "False")
"""Defaults that say nothing of what a parameter is."""
_ALIKE = 0.5
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PATH = re.compile(r"[&*\s]|\b\w+(?:\.|::)|[\[<].*", re.DOTALL)
_MOST = 600
"""Parameters of both versions together; nobody calls what has more, and they are not told one by one."""


@dataclass(frozen=True, slots=True)
class SignatureChange:
    """One way in which callers or subclasses are concerned."""

    kind: FactKind
    param: str
    old: str | None
    new: str | None
    breaking: bool


def compare_signatures(old: tuple[Param, ...], new: tuple[Param, ...]) -> list[SignatureChange]:
    """List what changed, one entry for each parameter concerned."""
    if len(old) + len(new) > _MOST:
        counts = f"{len(old)} parameters", f"{len(new)} parameters"
        return [] if old == new else [SignatureChange(FactKind.SIGNATURE_CHANGED, "", *counts, breaking=True)]
    old, new = _named_alike(old, new), _named_alike(new, old)
    before, after = {param.name: param for param in old}, {param.name: param for param in new}
    gone = [param for param in old if param.name not in after]
    come = [param for param in new if param.name not in before]
    changes = list(_renamed(old, new, gone, come))
    taken = {change.old for change in changes} | {change.new for change in changes}
    changes += [_removed(param, new) for param in gone if param.name not in taken]
    changes += [_added(param, new, before) for param in come if param.name not in taken]
    for name in (param.name for param in old if param.name in after):
        changes += _altered(before[name], after[name])
    changes += _by_keyword(before, new)
    changes += _reordered(before, after)
    return changes


def _named_alike(params: tuple[Param, ...], others: tuple[Param, ...]) -> tuple[Param, ...]:
    """Give a parameter the name it has in the other version where this one goes without: in C a declaration may."""
    if len(params) != len(others) or all(param.name for param in params):
        return params
    return tuple(
        param if param.name else param._replace(name=other.name) for param, other in zip(params, others, strict=True)
    )


def _renamed(
    old: tuple[Param, ...], new: tuple[Param, ...], gone: list[Param], come: list[Param]
) -> Iterator[SignatureChange]:
    """Pair a parameter that went with one that came in its place and looks the same otherwise."""
    free = list(come)
    for param in gone:
        if param.star:
            continue
        place = old.index(param)
        for other in free:
            same_place = new.index(other) == place or (param.keyword_only and other.keyword_only)
            same_look = _same_thing(param.annotation, other.annotation) and same_value(param.default, other.default)
            # Where there is one parameter only, it is the same one, unless names and types have nothing in common.
            only_one = len(old) == len(new) == 1 and not (param.annotation and other.annotation)
            if _is_other_thing(param, other, gone, come) or _is_one_of_two(param, other, new, come):
                continue
            if same_place and not other.star and (same_look or only_one or _akin(param, other, gone, come)):
                free.remove(other)
                # A positional-only name is nobody's business.
                breaking = not (param.positional_only and other.positional_only)
                yield SignatureChange(FactKind.PARAMETER_RENAMED, other.name, param.name, other.name, breaking)
                if param.annotation and other.annotation and not same_type(param.annotation, other.annotation):
                    types = written(param), written(other)
                    yield SignatureChange(FactKind.SIGNATURE_CHANGED, other.name, *types, False)
                break


def _is_other_thing(param: Param, other: Param, gone: list[Param], come: list[Param]) -> bool:
    """Tell of two parameters that look the same whether the names speak against it: a count, a word, a nearer heir."""
    if bool(_COUNT.search(param.name)) != bool(_COUNT.search(other.name)) and not param.annotation:
        return True
    if param.annotation is None and param.default in _ANY and not _sound_alike(param.name, other.name):
        return True
    if param.annotation or len(gone) == len(come):
        return False
    rivals = [one for one in gone if one.annotation is None and same_value(one.default, param.default)]
    mine = likeness(param.name, other.name, 0.0)
    return any(likeness(one.name, other.name, 0.0) > mine for one in rivals)


def _is_one_of_two(param: Param, other: Param, new: tuple[Param, ...], come: list[Param]) -> bool:
    """Tell whether one came together with its like, and neither sounds like what went: two took the place of one."""
    if len(come) < 2 or _sound_alike(param.name, other.name):
        return False
    place = new.index(other)
    beside = (one for one in new[max(0, place - 1) : place + 2] if one is not other and one in come)
    return any(
        _share_a_word(one.name, other.name)
        and same_type(one.annotation, other.annotation)
        and same_value(one.default, other.default)
        for one in beside
    )


def _same_thing(one: str | None, other: str | None) -> bool:
    """Tell whether two types are one, handed over by value or by reference to what is not changed."""
    if same_type(one, other) or one is None or other is None:
        return same_type(one, other)
    return "&" in one + other and _BY_REFERENCE.sub("", one) == _BY_REFERENCE.sub("", other)


def _akin(param: Param, other: Param, gone: list[Param], come: list[Param]) -> bool:
    """Tell whether the only one that went is plausibly the only one that came: same type, or names with a common word.

    Both must be asked for, or neither: what callers may leave out is not what they have to give.
    """
    if len(gone) != 1 or len(come) != 1:
        return False
    asked = (param.default is None) == (other.default is None)
    if param.annotation and param.annotation == other.annotation and (asked or param.annotation not in _PLAIN):
        return True
    if _share_a_word(param.name, other.name) or _of_one_family(param, other):
        return asked
    return min(len(param.name), len(other.name)) > 3 and (param.name in other.name or other.name in param.name)


def _of_one_family(param: Param, other: Param) -> bool:
    """Tell whether the names of two types begin alike: `TileSchedulerParams`, `TileSchedulerArguments`."""
    names = [_WORDS.findall(_PATH.sub("", one.annotation or "")) for one in (param, other)]
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*names, strict=False)))
    # What is the same in both only holds what they are of.
    return 1 < alike < max(map(len, names)) < alike * 2


def _sound_alike(one: str, other: str) -> bool:
    return _share_a_word(one, other) or one in other or other in one or likeness(one, other, _ALIKE) >= _ALIKE


def _share_a_word(one: str, other: str) -> bool:
    mine, its = ({word.lower() for word in _WORDS.findall(name)} for name in (one, other))
    return any(len(word) > 1 for word in mine & its)


def _removed(param: Param, new: tuple[Param, ...]) -> SignatureChange:
    stars = {other.star for other in new}
    # Whoever still passes it gets no error where everything is taken.
    taken = "**" in stars and (param.keyword_only or "*" in stars)
    return SignatureChange(FactKind.PARAMETER_REMOVED, param.name, written(param), None, not taken)


def _added(param: Param, new: tuple[Param, ...], before: Mapping[str, Param]) -> SignatureChange:
    required = param.default is None and not param.star
    # An optional parameter in front of others takes the place of what callers passed by position.
    place = new.index(param)
    shifts = not (param.keyword_only or param.star) and any(
        other.name in before and _is_positional(other) and not _is_injected(other) for other in new[place + 1 :]
    )
    # Where everything was taken, by position and by name, this was as well, and whoever gave it still can.
    taken = not param.keyword_only and {"*", "**"} <= {other.star for other in before.values()}
    breaking = (required and not taken) or shifts
    return SignatureChange(FactKind.PARAMETER_ADDED, param.name, None, written(param), breaking)


def _altered(old: Param, new: Param) -> Iterator[SignatureChange]:
    if not same_value(old.default, new.default):
        # The type changes with the default, and then goes without saying.
        if new.default is None and not new.star:
            yield SignatureChange(FactKind.PARAMETER_REQUIRED, new.name, old.default, None, True)
        else:
            yield SignatureChange(FactKind.PARAMETER_DEFAULT, new.name, old.default, new.default, False)
        return
    retyped = old.annotation and new.annotation and not same_type(old.annotation, new.annotation)
    if old.star != new.star or retyped:
        yield SignatureChange(FactKind.SIGNATURE_CHANGED, new.name, written(old), written(new), False)


def _by_keyword(before: Mapping[str, Param], new: tuple[Param, ...]) -> Iterator[SignatureChange]:
    """Tell of what can be given by keyword only now: `*` came in front of it."""
    names = [param.name for param in new if param.keyword_only and _is_positional(before.get(param.name))]
    if names:
        star = next((param for param in new if param.star == "*"), None)
        mark = "*" if star is None else written(star)
        # Callers gave them in the old order.
        old = ", ".join(name for name in before if name in names)
        yield SignatureChange(FactKind.SIGNATURE_CHANGED, "", old, f"{mark}, {', '.join(names)}", star is None)


def _reordered(before: Mapping[str, Param], after: Mapping[str, Param]) -> Iterator[SignatureChange]:
    """Compare the order of what could be and can be given by position; what came or went is told by itself."""
    old = [name for name, param in before.items() if _is_positional(param) and _is_positional(after.get(name))]
    new = [name for name, param in after.items() if _is_positional(param) and _is_positional(before.get(name))]
    if old != new:
        yield SignatureChange(FactKind.PARAMETER_REORDERED, "", ", ".join(old), ", ".join(new), True)


def _is_injected(param: Param) -> bool:
    """Tell what no caller gives, because somebody else fills it in: `_semantic=None`."""
    return param.name.startswith("_") and param.default is not None


def _is_positional(param: Param | None) -> bool:
    return param is not None and not (param.keyword_only or param.star)


def written(param: Param) -> str:
    """Write a parameter as its language does, near enough to be read."""
    text = param.star + param.name
    if param.annotation:
        # In C a parameter may go without a name.
        text = f"{text}: {param.annotation}" if text else param.annotation
    return f"{text} = {param.default}" if param.default is not None else text


def whole(params: tuple[Param, ...]) -> str:
    """Write a whole signature."""
    parts: list[str] = []
    for place, param in enumerate(params):
        if param.keyword_only and not any(p.keyword_only or p.star == "*" for p in params[:place]):
            parts.append("*")
        parts.append(written(param))
    return f"({', '.join(parts)})"
