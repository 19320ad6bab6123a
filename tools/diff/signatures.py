"""How a signature changed, from a caller's point of view."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent.facts import FactKind
from tools.diff.reading import Param
from tools.diff.values import same_type, same_value

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
    before, after = {param.name: param for param in old}, {param.name: param for param in new}
    gone = [param for param in old if param.name not in after]
    come = [param for param in new if param.name not in before]
    changes = list(_renamed(old, new, gone, come))
    taken = {change.old for change in changes} | {change.new for change in changes}
    changes += [_removed(param) for param in gone if param.name not in taken]
    changes += [_added(param, new, before) for param in come if param.name not in taken]
    for name in (param.name for param in old if param.name in after):
        changes += _altered(before[name], after[name])
    if not changes:
        changes += _reordered(old, new)
    return changes


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
            same_look = same_type(param.annotation, other.annotation) and same_value(param.default, other.default)
            only_one = len(old) == len(new) == 1
            if (
                same_place
                and not other.star
                and (same_look or only_one or (len(gone) == len(come) == 1 and _akin(param, other)))
            ):
                free.remove(other)
                # A positional-only name is nobody's business.
                breaking = not (param.positional_only and other.positional_only)
                yield SignatureChange(FactKind.PARAMETER_RENAMED, other.name, param.name, other.name, breaking)
                break


def _akin(param: Param, other: Param) -> bool:
    """Tell whether two parameters are plausibly the same one: same type, or one name inside the other."""
    if param.annotation and param.annotation == other.annotation:
        return True
    return min(len(param.name), len(other.name)) > 3 and (param.name in other.name or other.name in param.name)


def _removed(param: Param) -> SignatureChange:
    return SignatureChange(FactKind.PARAMETER_REMOVED, param.name, written(param), None, True)


def _added(param: Param, new: tuple[Param, ...], before: Mapping[str, Param]) -> SignatureChange:
    required = param.default is None and not param.star
    # An optional parameter in front of others takes the place of what callers passed by position.
    place = new.index(param)
    shifts = not (param.keyword_only or param.star) and any(
        other.name in before and not other.keyword_only and not other.star for other in new[place + 1 :]
    )
    return SignatureChange(FactKind.PARAMETER_ADDED, param.name, None, written(param), required or shifts)


def _altered(old: Param, new: Param) -> Iterator[SignatureChange]:
    if not same_value(old.default, new.default):
        if new.default is None and not new.star:
            yield SignatureChange(FactKind.PARAMETER_REQUIRED, new.name, old.default, None, True)
        elif old.default is None:
            yield SignatureChange(FactKind.PARAMETER_DEFAULT, new.name, None, new.default, False)
        else:
            yield SignatureChange(FactKind.PARAMETER_DEFAULT, new.name, old.default, new.default, False)
    if (old.star, old.keyword_only) != (new.star, new.keyword_only):
        narrower = new.keyword_only and not old.keyword_only
        yield SignatureChange(FactKind.SIGNATURE_CHANGED, new.name, written(old), written(new), narrower)
    elif old.annotation and new.annotation and not same_type(old.annotation, new.annotation):
        yield SignatureChange(FactKind.SIGNATURE_CHANGED, new.name, written(old), written(new), False)


def _reordered(old: tuple[Param, ...], new: tuple[Param, ...]) -> Iterator[SignatureChange]:
    before = [param.name for param in old if not (param.keyword_only or param.star)]
    after = [param.name for param in new if not (param.keyword_only or param.star)]
    if before != after and sorted(before) == sorted(after):
        yield SignatureChange(FactKind.PARAMETER_REORDERED, "", ", ".join(before), ", ".join(after), True)


def written(param: Param) -> str:
    """Write a parameter as its language does, near enough to be read."""
    text = param.star + param.name
    if param.annotation:
        text += f": {param.annotation}"
    return f"{text} = {param.default}" if param.default is not None else text


def whole(params: tuple[Param, ...]) -> str:
    """Write a whole signature."""
    parts: list[str] = []
    for place, param in enumerate(params):
        if param.keyword_only and not any(p.keyword_only or p.star == "*" for p in params[:place]):
            parts.append("*")
        parts.append(written(param))
    return f"({', '.join(parts)})"
