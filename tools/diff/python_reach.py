"""Whom a difference in Python code concerns, by the paths that users of its package import."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.domain.patch import read_patch
from agent.domain.surface import BreakKind, PublicBreak, SurfaceChange
from tools.diff.kinds import BREAKING, Difference, FoundDeclaration, severity_of
from tools.diff.reached import definitions_of, is_reached, is_used_in_definitions
from tools.diff.roles import HIDDEN, module_of
from tools.surface.records import is_exchanged, is_filled_in

_ABSTRACT = re.compile(r"\bABC(?:Meta)?\b")
_LITERAL = re.compile(
    r"-?[\d._]+[a-zA-Z]*|\"[^\"]*\"|'[^']*'|True|False|None|true|false|\[[^()]*\]"
)
_VALUE = re.compile(r"[\"'\d]|\b(?:True|False|None)\b|\(")
_STARS = re.compile(r"^\*+")
_MAX_GUESSED_DEPTH = 2
"""Where nobody knows what a package exports, users import its modules, but not those deep inside."""
_PARAMETER_KINDS: dict[FactKind, BreakKind] = {
    "parameter-removed": "parameter-removed",
    "parameter-renamed": "parameter-removed",
    "parameter-added": "parameter-added",
    "parameter-required": "parameter-required",
    "parameter-reordered": "parameter-reordered",
}
_VALUE_KINDS: tuple[FactKind, ...] = (
    "choices-changed",
    "constant-changed",
    "field-default-changed",
    "parameter-default-changed",
)
_GONE: tuple[FactKind, ...] = ("symbol-removed", "symbol-renamed", "symbol-moved")
_MAX_SHOWN_LINES = 3
_SIDES = 2  # Texts of a file where both of its versions are at hand


def python_severity(difference: Difference, surface: SurfaceChange | None) -> Severity:
    """Return what a difference means for those who import the package.

    Only what the surface shows to break is breaking; without a surface nothing is certain.
    """
    oldest = difference.oldest
    if _is_private(oldest):
        return Severity.INTERNAL
    if difference.kind in _VALUE_KINDS:
        return _severity_of_value(difference, surface)
    meant = severity_of(difference.kind)
    if difference.kind == "parameter-added" and surface is not None:
        breaks = _breaks_of(difference, surface)
        if breaks:
            # Of arguments that shift, only calls break that pass an optional one by position.
            is_certain = any(broken.is_certain for broken in breaks)
            is_certain = is_certain and not _is_shown_member(difference, surface)
            return Severity.BREAKING if is_certain else Severity.MAY_BREAK
    if meant is Severity.ADDITIVE and not _must_be_passed(difference):
        return meant if _is_new_for_users(difference, surface) else Severity.INTERNAL
    if surface is None:
        return Severity.MAY_BREAK if _is_guessed_public(oldest) else Severity.INTERNAL
    if _is_public(difference, surface):
        return _severity_of_public(difference, surface)
    if difference.kind == "hook-added":
        return Severity.INTERNAL
    is_unclear = not surface.is_exporting(oldest.file) and _is_guessed_public(oldest)
    return Severity.MAY_BREAK if is_unclear or _is_filled_in(oldest) else Severity.INTERNAL


def _severity_of_public(difference: Difference, surface: SurfaceChange) -> Severity:
    """Return what it means that something public went, or must be given."""
    if difference.kind == "hook-added":
        return Severity.BREAKING if _is_abstract(difference.newest) else Severity.MAY_BREAK
    if difference.oldest.kind == "parameter" and _is_of_command(difference.oldest, surface):
        return Severity.INTERNAL
    breaks = _breaks_of(difference, surface)
    if any(broken.is_certain for broken in breaks) and not _is_shown_member(difference, surface):
        return Severity.BREAKING
    if breaks:
        return Severity.MAY_BREAK
    if difference.kind in _GONE and difference.oldest.kind != "export":
        return Severity.INTERNAL  # It can still be imported as before
    if difference.kind == "parameter-added":
        return Severity.INTERNAL  # An argument of a branch or of a record with bases
    if difference.oldest.kind == "parameter" and not _may_be_refused(difference):
        return Severity.INTERNAL  # All calls still fit one of the signatures
    return Severity.MAY_BREAK


def _may_be_refused(difference: Difference) -> bool:
    """Return True for an argument that only `**` takes now: the body may not know its name.

    What takes everything passes it on. Of special methods the surface says nothing.
    """
    oldest = difference.oldest
    if oldest.owner.rpartition(".")[2].startswith("__") and not oldest.owner.endswith("__init__"):
        return True
    stars: set[str] = set()
    for declaration in difference.newest.versions.new:
        if declaration.kind == "parameter" and declaration.owner == oldest.owner:
            stars.add("".join(_STARS.findall(declaration.name)))
    return "**" in stars and "*" not in stars


def _is_of_command(parameter: FoundDeclaration, surface: SurfaceChange) -> bool:
    """Return True for a parameter of a function that a command starts."""
    return surface.is_command(parameter.file, parameter.owner)


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
        return "type" not in oldest.parts and not _is_filled_in(oldest)
    function = oldest.owner.removesuffix(".__init__") if oldest.kind == "parameter" else oldest.path
    return not _is_certain_member(surface, oldest.file, function)


def _is_certain_member(surface: SurfaceChange, file: str, name: str) -> bool:
    """Return True for a function or class, and for a method if a package gives its class on."""
    class_name, dot, _ = name.partition(".")
    if not dot or file.endswith("/__init__.py"):
        return True
    module = surface.public_path(file, class_name).rpartition(".")[0]
    return not module_of(file).endswith(module)


def _severity_of_value(difference: Difference, surface: SurfaceChange | None) -> Severity:
    """Return what another default, constant or list of choices means."""
    newest = difference.newest
    is_public = surface is not None and _is_public(difference, surface)
    is_seen = is_public or _is_filled_in(newest)
    if surface is None or not surface.is_exporting(newest.file):
        is_seen = is_seen or _is_guessed_public(newest)
    if difference.kind == "choices-changed":
        if not is_seen and not newest.name[:1].isupper():
            return Severity.INTERNAL
        return Severity.MAY_BREAK if difference.old else Severity.BEHAVIOUR
    if difference.kind == "constant-changed":
        if not (_VALUE.search(difference.old or "") or _VALUE.search(difference.new or "")):
            return Severity.INTERNAL  # Another name for the same type
        # A constant in capitals with a plain value is a limit or a default of what uses it.
        is_named_value = newest.name.isupper() and _is_literal(difference)
        is_named_value = is_named_value and _is_value_of_users(newest, surface)
        return Severity.BEHAVIOUR if is_seen or is_named_value else Severity.INTERNAL
    if difference.kind == "field-default-changed" and not _is_literal(difference):
        return Severity.INTERNAL  # What a call makes is not the value that users get
    return Severity.BEHAVIOUR if is_seen else Severity.INTERNAL


def _must_be_passed(difference: Difference) -> bool:
    """Return True for a new parameter without a default."""
    if difference.kind != "parameter-added":
        return False
    return not {"=", "*"} & set(difference.new or "=")


def _is_new_for_users(difference: Difference, surface: SurfaceChange | None) -> bool:
    """Return True for an addition that users can import from a package, or fill in."""
    newest = difference.newest
    if newest.kind == "field":
        return _is_filled_in(newest)
    if surface is None or newest.name.startswith("__"):
        return False
    top = newest.path.partition(".")[0]
    public_path = surface.public_path(newest.file, top)
    return bool(public_path) and _is_given_on(public_path, newest)


def _is_given_on(public_path: str, declared: FoundDeclaration) -> bool:
    """Return True if a package gives a name on, rather than a module that documents import."""
    if declared.file.endswith("/__init__.py"):
        return True
    module = public_path.rpartition(".")[0]
    return not module_of(declared.file).endswith(module)


def _is_literal(difference: Difference) -> bool:
    sides = (difference.old or "", difference.new or "")
    return all(_LITERAL.fullmatch(side) for side in sides)


def _is_private(declared: FoundDeclaration) -> bool:
    for name in declared.path.split("."):
        is_special = name.startswith("__")
        # Dataclasses call `__post_init__` themselves.
        if (name.startswith("_") and not is_special) or name == "__post_init__":
            return True
    return False


def _is_guessed_public(declared: FoundDeclaration) -> bool:
    if declared.kind == "field" and _is_filled_in(declared):
        return True
    if declared.kind == "constant" and not declared.owner and declared.name.islower():
        return False  # A module's own object, such as its logger
    return module_of(declared.versions.file.path).count(".") < _MAX_GUESSED_DEPTH


def _is_filled_in(declared: FoundDeclaration) -> bool:
    """Return True for a field of a record that users fill in or exchange with the project."""
    if declared.kind != "field":
        return False
    if is_filled_in(declared.owner.rpartition(".")[2]):
        return True
    for declaration in (*declared.versions.new, *declared.versions.old):
        if declaration.kind == "class" and declaration.path == declared.owner:
            return is_exchanged(declaration.parts.get("base", "").split(","))
    return False


def _is_public(difference: Difference, surface: SurfaceChange) -> bool:
    for declared in (difference.before, difference.after):
        if declared is None:
            continue
        top = declared.path.partition(".")[0]
        if surface.public_path(declared.file, top):
            return True
    return False


def is_in_public_function(declared: FoundDeclaration, surface: SurfaceChange | None) -> bool:
    """Return True for something in the body of a function or class that users import."""
    if surface is None or not declared.is_python or _is_private(declared):
        return False
    top = declared.owner.partition(".")[0]
    return bool(top) and bool(surface.public_path(declared.file, top))


def is_reached_by_users(declared: FoundDeclaration, surface: SurfaceChange | None) -> bool:
    """Return True for something that a public function or class of its file does or leads to.

    Where nothing says what is public, everything without an underscore may be.
    """
    top = declared.owner.partition(".")[0]
    if not top or not declared.is_python:
        return True
    if surface is None or not surface.is_exporting(declared.file):
        return not _is_private(declared)
    return _is_reached(top, declared, surface)


def _is_value_of_users(constant: FoundDeclaration, surface: SurfaceChange | None) -> bool:
    """Return True for a constant that public code of its file uses, or no code of it at all."""
    if HIDDEN.search(constant.file.removesuffix(".py")):
        return False
    text = _text_of(constant)
    if surface is None or not surface.is_exporting(constant.file) or text is None:
        return True
    top = constant.path.partition(".")[0]
    return not is_used_in_definitions(top, text) or _is_reached(top, constant, surface)


def _is_reached(top: str, declared: FoundDeclaration, surface: SurfaceChange) -> bool:
    """Return True if users reach a name of a module, by itself or through public definitions."""
    text = _text_of(declared)
    names = {top} if text is None else {top, *definitions_of(text)}
    public = [
        name for name in names if is_filled_in(name) or surface.public_path(declared.file, name)
    ]
    return top in public if text is None else is_reached(top, text, public)


def _text_of(declared: FoundDeclaration) -> bytes | None:
    """Return the version of a file that has a declaration; None where only hunks are at hand."""
    texts = declared.versions.texts
    if len(texts) < _SIDES:
        return None
    return texts[0] if declared.side == "old" else texts[1]


def _breaks_of(difference: Difference, surface: SurfaceChange) -> list[PublicBreak]:
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
        if difference.kind in BREAKING or difference.kind == "parameter-added":
            breaks.update(_breaks_of(difference, surface))
    return breaks


def public_path(difference: Difference, surface: SurfaceChange | None) -> str:
    """Return the path by which users import what a difference is about; empty where they do not."""
    oldest = difference.oldest
    if surface is None or not oldest.is_python:
        return ""
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
    for broken in _breaks_of(difference, surface):
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


def export_facts(
    change: Change,
    surface: SurfaceChange | None,
    shown_by_facts: set[PublicBreak],
    differences: Iterable[Difference],
) -> Iterator[Fact]:
    """Yield the names that a package stopped giving on, by the removed lines that gave them."""
    if surface is None:
        return
    new_paths = _moved_paths(differences)
    yield from _call_facts(change, surface, shown_by_facts)
    reported = {(broken.file, broken.name) for broken in shown_by_facts}
    for broken in surface.breaks:
        definition = (broken.file, broken.name)
        if broken.kind != "gone" or not broken.is_certain or definition in reported:
            continue
        reported.add(definition)
        module, _, name = broken.path.rpartition(".")
        location = _export_place(change.files, module, name)
        if location is None:
            continue
        yield Fact(
            kind="symbol-removed",
            severity=Severity.BREAKING,
            name=name,
            replacement=broken.replacement or _new_path(broken, change.files, new_paths),
            detail="export",
            path=broken.path,
            module=module,
            places=(location,),
        )


def _call_facts(
    change: Change, surface: SurfaceChange, shown_by_facts: set[PublicBreak]
) -> Iterator[Fact]:
    """Yield the calls that fail though no single declaration shows it: by names only, by branches."""
    seen = {(broken.file, broken.name, broken.parameter) for broken in shown_by_facts}
    for broken in surface.breaks:
        key = (broken.file, broken.name, broken.parameter)
        if broken.kind == "gone" or not broken.is_certain or key in seen:
            continue
        seen.add(key)
        location = _parameter_place(change.files, broken)
        if location is None:
            continue
        is_certain = _is_certain_member(surface, broken.file, broken.name)
        yield Fact(
            kind=broken.kind,
            severity=Severity.BREAKING if is_certain else Severity.MAY_BREAK,
            name=broken.name,
            detail=broken.parameter,
            path=broken.path,
            module=module_of(broken.file),
            places=(location,),
        )


def _parameter_place(files: Sequence[FileChange], broken: PublicBreak) -> FactLocation | None:
    """Return the changed lines of a file that show a parameter: as one, or else its name."""
    name = re.escape(broken.parameter)
    as_parameter = (
        rf"^.?\s*(?:async\s+)?(?:def\s+\w+\(.*(?<!\w){name}(?!\w)|{name}\s*(?:[:,]|=(?!=)|$))"
    )
    patterns = [re.compile(as_parameter)]
    if broken.kind == "parameter-keyword-only":
        patterns.append(re.compile(r"^.?\s*\*,\s*$"))
    patterns.append(re.compile(rf"(?<!\w){name}(?!\w)"))
    for pattern in patterns:
        location = _changed_place(files, broken, pattern)
        if location is not None:
            return location
    return None


def _changed_place(
    files: Sequence[FileChange], broken: PublicBreak, pattern: re.Pattern[str]
) -> FactLocation | None:
    for file in files:
        if broken.file not in (file.path, file.previous_path):
            continue
        patch = read_patch(file.patch)
        for side in ("new", "old"):
            lines = patch.lines("new" if side == "new" else "old")
            location = _lines_with(pattern, file.path, lines)
            if location is not None:
                return location
    return None


def _moved_paths(differences: Iterable[Difference]) -> dict[tuple[str, str], str]:
    """Return where definitions are now, by the files and names under which they were."""
    paths: dict[tuple[str, str], str] = {}
    for difference in differences:
        if difference.kind == "symbol-moved" and difference.newest.is_python:
            oldest = difference.oldest
            paths[oldest.file, oldest.path] = f"{difference.new}.{oldest.path}"
    return paths


def _new_path(
    broken: PublicBreak, files: Sequence[FileChange], new_paths: Mapping[tuple[str, str], str]
) -> str | None:
    """Return the path of a definition that moved, by itself or with its file."""
    if (broken.file, broken.name) in new_paths:
        return new_paths[broken.file, broken.name]
    for file in files:
        if file.status == "renamed" and file.previous_path == broken.file:
            return f"{module_of(file.path)}.{broken.name}"
    return None


def _export_place(files: Sequence[FileChange], module: str, name: str) -> FactLocation | None:
    """Return the removed lines of a module that hold a name, or of any file if it has none."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    candidates = [file for file in files if file.path.endswith(".py") and file.patch]
    candidates.sort(key=lambda file: module_of(file.previous_path or file.path) != module)
    for file in candidates:
        location = _lines_with(word, file.path, read_patch(file.patch).lines("old"))
        if location is not None:
            return location
    return None


def _lines_with(word: re.Pattern[str], path: str, lines: Mapping[int, str]) -> FactLocation | None:
    """Return the first lines that hold a word."""
    matches = {number: line for number, line in lines.items() if word.search(line)}
    if not matches:
        return None
    texts = tuple(matches.values())[:_MAX_SHOWN_LINES]
    return FactLocation(file=path, line=next(iter(matches)), lines=texts)
