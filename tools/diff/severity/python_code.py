"""What a difference in Python code means for those who import the package."""

import re
from collections.abc import Sequence

from agent.domain.facts import FactKind, Severity
from agent.domain.surface import PublicBreak, SurfaceChange
from tools.diff.file_roles import HIDDEN, module_of
from tools.diff.located_differences import Difference, FoundDeclaration
from tools.diff.names_sought_in_trees import SurroundingTrees, is_choice_left
from tools.diff.reachable_declarations import (
    has_public_path,
    is_filled_in_field,
    is_guessed_public,
    is_private,
    is_value_of_users,
)
from tools.diff.severity.table import severity_of
from tools.diff.surface_breaks_by_difference import breaks_of, is_certain_member

_ABSTRACT = re.compile(r"\bABC(?:Meta)?\b")
_LITERAL = re.compile(
    r"-?[\d._]+[a-zA-Z]*|\"[^\"]*\"|'[^']*'|True|False|None|true|false|\[[^()]*\]"
)
_VALUE = re.compile(r"[\"'\d]|\b(?:True|False|None)\b|\(")
_STARS = re.compile(r"^\*+")
_VALUE_KINDS: tuple[FactKind, ...] = (
    "choices-changed",
    "constant-changed",
    "field-default-changed",
    "parameter-default-changed",
)
_CALLED_WITH_ITS_CLASS = ("__new__", "__init_subclass__")
_REMOVALS: tuple[FactKind, ...] = ("symbol-removed", "symbol-renamed", "symbol-moved")


def python_severity(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a difference means for those who import the package.

    Only what the surface shows to break is breaking; without a surface nothing is certain.
    """
    oldest = difference.oldest
    if is_private(oldest):
        return Severity.INTERNAL
    if difference.kind in _VALUE_KINDS:
        return _severity_of_value(difference, surface, trees)
    meant = severity_of(difference.kind)
    if difference.kind == "parameter-added" and surface is not None:
        breaks = breaks_of(difference, surface)
        if breaks:
            return _severity_of_breaks(breaks, difference, surface)
    if meant is Severity.ADDITIVE and not difference.is_required_parameter:
        return meant if _is_new_for_users(difference, surface) else Severity.INTERNAL
    if surface is None:
        return Severity.MAY_BREAK if is_guessed_public(oldest) else Severity.INTERNAL
    if has_public_path(difference, surface):
        return _severity_of_public(difference, surface)
    if difference.kind == "hook-added":
        # Extensions import a base from wherever it is.
        is_base = _is_abstract(difference.newest) and not HIDDEN.search(
            oldest.file.removesuffix(".py")
        )
        return Severity.MAY_BREAK if is_base else Severity.INTERNAL
    if difference.kind in _REMOVALS and _is_listed(oldest):
        return Severity.MAY_BREAK
    is_unclear = not surface.is_exporting(oldest.file) and is_guessed_public(oldest)
    return Severity.MAY_BREAK if is_unclear or is_filled_in_field(oldest) else Severity.INTERNAL


def _severity_of_public(difference: Difference, surface: SurfaceChange) -> Severity:
    """Return what it means that something public went, or must be given."""
    if difference.kind == "hook-added":
        return Severity.BREAKING if _is_abstract(difference.newest) else Severity.MAY_BREAK
    if difference.oldest.kind == "parameter" and _is_of_command(difference.oldest, surface):
        return Severity.INTERNAL
    breaks = breaks_of(difference, surface)
    if breaks:
        return _severity_of_breaks(breaks, difference, surface)
    if difference.kind in _REMOVALS and difference.oldest.kind != "export":
        return Severity.INTERNAL  # It can still be imported as before
    if difference.kind == "parameter-added":
        return Severity.INTERNAL  # An argument of a branch or of a record with bases
    if difference.oldest.kind == "parameter" and not _may_be_refused(difference):
        return Severity.INTERNAL  # All calls still fit one of the signatures
    return Severity.MAY_BREAK


def _severity_of_breaks(
    breaks: Sequence[PublicBreak], difference: Difference, surface: SurfaceChange
) -> Severity:
    # Of arguments that shift, only calls break that pass an optional one by position.
    is_certain = any(broken.is_certain for broken in breaks)
    if is_certain and not _is_shown_member(difference, surface):
        return Severity.BREAKING
    return Severity.MAY_BREAK


def _may_be_refused(difference: Difference) -> bool:
    """Return True for an argument that only `**` takes now: the body may not know its name.

    What takes everything passes it on. `*args` or `**options` that went took arguments of which no
    signature has the names. Of `__new__` and its like the surface says nothing.
    """
    oldest = difference.oldest
    if oldest.owner.rpartition(".")[2] in _CALLED_WITH_ITS_CLASS:
        return True
    stars: set[str] = set()
    for declaration in difference.newest.versions.new:
        if declaration.kind == "parameter" and declaration.owner == oldest.owner:
            stars.add(_stars_of(declaration.name))
    if difference.after is None and _stars_of(oldest.name):
        return _stars_of(oldest.name) not in stars
    return "**" in stars and "*" not in stars


def _stars_of(parameter: str) -> str:
    stars = _STARS.match(parameter)
    return stars[0] if stars else ""


def _is_of_command(parameter: FoundDeclaration, surface: SurfaceChange) -> bool:
    """Return True for a parameter of a function that a command starts."""
    return surface.is_command(parameter.file, parameter.owner)


def _is_listed(declared: FoundDeclaration) -> bool:
    """Return True for a name in the `__all__` of its module, by which this gives it to others."""
    if declared.owner or declared.kind == "export":
        return False
    exports = {sibling.name for sibling in declared.siblings if sibling.kind == "export"}
    return declared.name in exports


def _is_abstract(hook: FoundDeclaration) -> bool:
    """Return True if Python refuses subclasses without a hook: its class is an `ABC` by its own bases.

    Of a class that was none before, nothing says that others have subclasses.
    """
    patch = hook.versions.patch
    for declaration in hook.siblings:
        if declaration.kind != "class" or declaration.path != hook.owner:
            continue
        if not _ABSTRACT.search(declaration.parts.get("base", "")):
            return False
        if declaration.line not in patch.lines("new"):
            return True
        definition = re.compile(rf"-\s*class\s+{re.escape(declaration.name)}\b.*\bABC")
        return any(definition.match(line) for line in patch.lines("old").values())
    return False


def _is_shown_member(difference: Difference, surface: SurfaceChange) -> bool:
    """Return True for a part of a class that users are not certain to touch.

    These are attributes without an annotation, and methods of a class that documents import from
    its own module, as extensions do that change what it does.
    """
    oldest = difference.oldest
    if oldest.kind in ("field", "constant") and oldest.owner:
        return "type" not in oldest.parts and not is_filled_in_field(oldest)
    function = oldest.owner.removesuffix(".__init__") if oldest.kind == "parameter" else oldest.path
    return not is_certain_member(surface, oldest.file, function)


def _severity_of_value(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what another default, constant or list of choices means."""
    newest = difference.newest
    is_public = surface is not None and has_public_path(difference, surface)
    is_seen = is_public or is_filled_in_field(newest)
    if surface is None or not surface.is_exporting(newest.file):
        is_seen = is_seen or is_guessed_public(newest)
    if difference.kind == "choices-changed":
        if not is_seen and not newest.name[:1].isupper():
            return Severity.INTERNAL
        if not difference.old:
            return Severity.BEHAVIOUR
        is_given = is_public or is_filled_in_field(newest)
        is_lost = is_given and not is_choice_left(difference, trees)
        return Severity.BREAKING if is_lost else Severity.MAY_BREAK
    if difference.kind == "constant-changed":
        if not (_VALUE.search(difference.old or "") or _VALUE.search(difference.new or "")):
            return Severity.INTERNAL  # Another name for the same type
        is_seen = is_seen or _is_named_value(difference, surface)
        return Severity.BEHAVIOUR if is_seen else Severity.INTERNAL
    if difference.kind == "field-default-changed" and not _is_literal(difference):
        return Severity.INTERNAL  # What a call makes is not the value that users get
    return Severity.BEHAVIOUR if is_seen else Severity.INTERNAL


def _is_named_value(difference: Difference, surface: SurfaceChange | None) -> bool:
    """Return True for a constant in capitals with a plain value: a limit or a default of its users."""
    constant = difference.newest
    if not constant.name.isupper() or not _is_literal(difference):
        return False
    return is_value_of_users(constant, surface)


def _is_new_for_users(difference: Difference, surface: SurfaceChange | None) -> bool:
    """Return True for an addition that users can import from a package, are shown, or fill in."""
    newest = difference.newest
    if is_filled_in_field(newest):
        return True
    if surface is None or newest.name.startswith("__"):
        return False
    if newest.kind == "export":
        return surface.is_newly_given_on(newest.module, newest.name)
    top = newest.path.partition(".")[0]
    if surface.is_described(newest.file, top):
        return True
    return any(_is_given_on(path, newest) for path in surface.public_paths(newest.file, top))


def _is_given_on(public_path: str, declared: FoundDeclaration) -> bool:
    """Return True if a package gives a name on, rather than a module that documents import."""
    if declared.file.endswith("/__init__.py"):
        return True
    module = public_path.rpartition(".")[0]
    return not module_of(declared.file).endswith(module)


def _is_literal(difference: Difference) -> bool:
    """Return True for a plain value in the place of another, or of none."""
    if difference.old is not None and not _LITERAL.fullmatch(difference.old):
        return False
    return _LITERAL.fullmatch(difference.new or "") is not None
