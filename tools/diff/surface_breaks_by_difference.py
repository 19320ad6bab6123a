"""Breaks of a package's public surface, by the differences of declarations that show them."""

from collections.abc import Iterable

from agent.domain.facts import FactKind, Severity
from agent.domain.surface import BreakKind, PublicBreak, SurfaceChange
from tools.diff.file_roles import module_of
from tools.diff.located_differences import Difference, FoundDeclaration
from tools.diff.severity.table import severity_of

_PARAMETER_KINDS: dict[FactKind, BreakKind] = {
    "parameter-removed": "parameter-removed",
    "parameter-renamed": "parameter-removed",
    "parameter-added": "parameter-added",
    "parameter-required": "parameter-required",
    "parameter-reordered": "parameter-reordered",
}


def breaks_of(difference: Difference, surface: SurfaceChange) -> list[PublicBreak]:
    """Return the breaks of the surface that a difference shows."""
    oldest = difference.oldest
    if oldest.kind == "parameter":
        return _parameter_breaks(difference, surface)
    breaks: list[PublicBreak] = []
    for broken in surface.breaks_of(oldest.file, oldest.path):
        if broken.kind == "gone":
            breaks.append(broken)
    if oldest.owner:
        for broken in surface.breaks_of(oldest.file, oldest.owner):
            # A class that is gone takes its members along; a field is an argument of its class.
            is_argument = oldest.kind == "field" and broken.parameter == oldest.name
            if broken.kind == "gone" or is_argument:
                breaks.append(broken)
    return breaks


def _parameter_breaks(difference: Difference, surface: SurfaceChange) -> list[PublicBreak]:
    kind = _PARAMETER_KINDS.get(difference.kind)
    oldest = difference.oldest
    function = oldest.owner.removesuffix(".__init__")
    breaks: list[PublicBreak] = []
    for broken in surface.breaks_of(oldest.file, function):
        # Of an order that changed, the first parameter in another place is named.
        is_same = broken.parameter == oldest.name or kind == "parameter-reordered"
        if broken.kind == kind and is_same:
            breaks.append(broken)
    return breaks


def shown_breaks(
    differences: Iterable[Difference], surface: SurfaceChange | None
) -> set[PublicBreak]:
    """Return the breaks of the surface that differences in declarations show.

    That something else changes inside of a function does not say that the function is gone.
    """
    breaks: set[PublicBreak] = set()
    if surface is None:
        return breaks
    for difference in differences:
        is_breaking = severity_of(difference.kind) is Severity.BREAKING
        if is_breaking or difference.kind == "parameter-added":
            breaks.update(breaks_of(difference, surface))
    return breaks


def public_path(difference: Difference, surface: SurfaceChange | None) -> str:
    """Return the path by which users import what a difference is about; empty where they do not."""
    oldest = difference.oldest
    if surface is None or not oldest.is_python:
        return ""
    if oldest.kind != "parameter":
        for broken in breaks_of(difference, surface):
            if broken.kind == "gone" and broken.name == oldest.path:
                return broken.path  # Another of its paths may be there as before
    path = oldest.owner.removesuffix(".__init__") if oldest.kind == "parameter" else oldest.path
    top, dot, rest = path.partition(".")
    public = surface.public_path(oldest.file, top)
    return f"{public}{dot}{rest}" if public else ""


def replacement_of_break(difference: Difference, surface: SurfaceChange | None) -> str:
    """Return what the surface has in the place of what is gone: a path, a parameter, a field."""
    if surface is None or difference.after is not None:
        return ""
    oldest = difference.oldest
    is_argument = oldest.kind in ("parameter", "field")
    for broken in breaks_of(difference, surface):
        if not broken.replacement:
            continue
        if not is_argument or _has_same_type(oldest, broken.replacement):
            return broken.replacement
    return ""


def _has_same_type(removed: FoundDeclaration, name: str) -> bool:
    """Return True if the parameter or field that takes a place is annotated as the one before."""
    for declaration in removed.versions.new:
        is_beside = declaration.kind == removed.kind and declaration.owner == removed.owner
        if is_beside and declaration.name == name:
            return declaration.parts.get("type") == removed.parts.get("type")
    return False


def is_certain_member(surface: SurfaceChange, file: str, name: str) -> bool:
    """Return True for a function or class, and for a method if a package gives its class on."""
    class_name, dot, _ = name.partition(".")
    if not dot or file.endswith("/__init__.py"):
        return True
    module = surface.public_path(file, class_name).rpartition(".")[0]
    return not module_of(file).endswith(module)
