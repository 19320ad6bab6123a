"""Whom a difference in Python code concerns, by the paths that users of its package import."""

import re
from collections.abc import Iterable, Iterator, Sequence

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.domain.patch import read_patch
from agent.domain.surface import BreakKind, PublicBreak, SurfaceChange
from tools.diff.kinds import Difference, FoundDeclaration, severity_of
from tools.diff.roles import module_of

_SETTINGS = re.compile(
    r"(?:Config|Configuration|Args|Arguments|Options|Settings|Params|Request|Response)$"
)
"""Records that users fill in, by the names that everybody gives them."""
_RECORD = re.compile(r"(?:BaseModel|Struct|TypedDict)$")
"""Bases of records that are exchanged with others: pydantic, msgspec, typing."""
_LITERAL = re.compile(
    r"-?[\d._]+[a-zA-Z]*|\"[^\"]*\"|'[^']*'|True|False|None|true|false|\[[^()]*\]"
)
_MAX_GUESSED_DEPTH = 2
"""Where nobody knows what a package exports, users import its modules, but not those deep inside."""
_PARAMETER_KINDS: dict[FactKind, BreakKind] = {
    "parameter-removed": "parameter-removed",
    "parameter-renamed": "parameter-removed",
    "parameter-added": "parameter-added",
    "parameter-required": "parameter-required",
    "parameter-reordered": "parameter-reordered",
}
_GONE: tuple[FactKind, ...] = ("symbol-removed", "symbol-renamed", "symbol-moved")
_MAX_SHOWN_LINES = 3


def python_severity(difference: Difference, surface: SurfaceChange | None) -> Severity:
    """Say what a difference means for those who import the package.

    Only what the surface shows to break is breaking; without a surface nothing is certain.
    """
    meant = severity_of(difference.kind)
    if difference.kind == "parameter-added" and not {"=", "*"} & set(difference.new or "="):
        meant = Severity.BREAKING  # Callers must pass it
    found = difference.before or difference.found
    if _is_private(found):
        return Severity.INTERNAL
    if surface is None:
        if not _is_guessed_public(found):
            return _unreached(difference)
        return _uncertain(meant)
    if not _is_public(difference, surface):
        is_anybodys = not surface.is_exporting(file_of(found)) and _is_guessed_public(found)
        if is_anybodys or _is_filled_in(found):
            return _uncertain(meant)
        return _unreached(difference)
    if meant is not Severity.BREAKING:
        return meant
    breaks = list(_breaks_of(difference, surface))
    if any(broken.is_certain for broken in breaks):
        return Severity.BREAKING
    if not breaks and difference.kind in _GONE and found.one.kind != "export":
        return Severity.INTERNAL  # It can still be imported as before
    return Severity.BEHAVIOUR


def _uncertain(meant: Severity) -> Severity:
    return Severity.BEHAVIOUR if meant is Severity.BREAKING else meant


def _unreached(difference: Difference) -> Severity:
    """Return what a difference means that users do not reach by importing it."""
    name = difference.found.one.name
    is_constant = name.isupper() and not name.startswith("_")
    if difference.kind == "constant-changed" and is_constant and _is_literal(difference):
        return Severity.BEHAVIOUR
    return Severity.INTERNAL


def _is_literal(difference: Difference) -> bool:
    return all(
        side is not None and _LITERAL.fullmatch(side) for side in (difference.old, difference.new)
    )


def _is_private(found: FoundDeclaration) -> bool:
    for name in found.one.path.split("."):
        is_special = name.startswith("__")
        # Dataclasses call `__post_init__` themselves.
        if (name.startswith("_") and not is_special) or name == "__post_init__":
            return True
    return False


def _is_guessed_public(found: FoundDeclaration) -> bool:
    one = found.one
    if one.kind == "field" and _is_filled_in(found):
        return True
    if one.kind == "constant" and not one.owner and one.name.islower():
        return False  # A module's own object, such as its logger
    return module_of(found.versions.file.path).count(".") < _MAX_GUESSED_DEPTH


def _is_filled_in(found: FoundDeclaration) -> bool:
    """Return True for a field of a record that users fill in or exchange with the project."""
    one = found.one
    if one.kind != "field":
        return False
    if _SETTINGS.search(one.owner.rpartition(".")[2]):
        return True
    for declaration in (*found.versions.new, *found.versions.old):
        if declaration.kind == "class" and declaration.path == one.owner:
            bases = declaration.parts.get("base", "").split(",")
            return any(_RECORD.search(base.strip()) for base in bases)
    return False


def _is_public(difference: Difference, surface: SurfaceChange) -> bool:
    for found in (difference.before, difference.after):
        if found is None:
            continue
        top = found.one.path.partition(".")[0]
        if surface.public_path(file_of(found), top):
            return True
    return False


def file_of(found: FoundDeclaration) -> str:
    """Return the path of a file on the side that has a declaration."""
    file = found.versions.file
    return file.previous_path or file.path if found.side == "old" else file.path


def _breaks_of(difference: Difference, surface: SurfaceChange) -> list[PublicBreak]:
    """Return the breaks of the surface that a difference shows."""
    found = difference.before or difference.found
    if found.one.kind == "parameter":
        return _parameter_breaks(difference, found, surface)
    file = file_of(found)
    one = found.one
    breaks = [broken for broken in surface.breaks_of(file, one.path) if broken.kind == "gone"]
    if one.owner:
        for broken in surface.breaks_of(file, one.owner):
            # A class that is gone takes its members along; a field is an argument of its class.
            is_argument = one.kind == "field" and broken.parameter == one.name
            if broken.kind == "gone" or is_argument:
                breaks.append(broken)
    return breaks


def _parameter_breaks(
    difference: Difference, found: FoundDeclaration, surface: SurfaceChange
) -> list[PublicBreak]:
    kind = _PARAMETER_KINDS.get(difference.kind)
    function = found.one.owner.removesuffix(".__init__")
    breaks: list[PublicBreak] = []
    for broken in surface.breaks_of(file_of(found), function):
        # Of an order that changed, the first parameter in another place is named.
        is_same = broken.parameter == found.one.name or kind == "parameter-reordered"
        if broken.kind == kind and is_same:
            breaks.append(broken)
    return breaks


def shown_breaks(
    differences: Iterable[Difference], surface: SurfaceChange | None
) -> set[PublicBreak]:
    """Return the breaks of the surface that differences in declarations show."""
    shown: set[PublicBreak] = set()
    if surface is not None:
        for difference in differences:
            shown.update(_breaks_of(difference, surface))
    return shown


def replacement_path(difference: Difference, surface: SurfaceChange | None) -> str | None:
    """Return the path under which users find what is gone, where the tree after has one."""
    if surface is None or difference.kind != "symbol-removed":
        return None
    for broken in _breaks_of(difference, surface):
        if broken.replacement:
            return broken.replacement
    return None


def export_facts(
    change: Change, surface: SurfaceChange | None, shown: set[PublicBreak]
) -> Iterator[Fact]:
    """Yield the names that a package stopped giving on, by the removed lines that gave them."""
    if surface is None:
        return
    told = {(broken.file, broken.name) for broken in shown}
    for broken in surface.breaks:
        if broken.kind != "gone" or not broken.is_certain or (broken.file, broken.name) in told:
            continue
        told.add((broken.file, broken.name))
        module, _, name = broken.path.rpartition(".")
        place = _export_place(change.files, module, name)
        if place is None:
            continue
        yield Fact(
            kind="symbol-removed",
            severity=Severity.BREAKING,
            name=name,
            new=broken.replacement or None,
            detail="export",
            module=module,
            places=(place,),
        )


def _export_place(files: Sequence[FileChange], module: str, name: str) -> FactLocation | None:
    """Return the removed lines of a module that hold a name, or of any file if it has none."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    candidates = [file for file in files if file.path.endswith(".py") and file.patch]
    candidates.sort(key=lambda file: module_of(file.previous_path or file.path) != module)
    for file in candidates:
        removed = read_patch(file.patch).lines("old").items()
        lines = [(number, line) for number, line in removed if word.search(line)]
        if lines:
            texts = tuple(line for _, line in lines[:_MAX_SHOWN_LINES])
            return FactLocation(file=file.path, line=lines[0][0], lines=texts)
    return None
