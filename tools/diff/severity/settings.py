"""The severity of a difference in settings, and in what users install or run into."""

import re

from agent.domain.facts import Severity
from agent.domain.surface import SurfaceChange
from tools.diff.changed_file_declarations import declares_entry_points
from tools.diff.documented_names import CONTAINER_FILE, Lines
from tools.diff.file_roles import HIDDEN, NATIVE, Role, is_product, role
from tools.diff.located_differences import Difference, FoundDeclaration
from tools.diff.names_sought_in_trees import COMMENT_SIGNS, SurroundingTrees
from tools.diff.reachable_declarations import is_in_public_function, is_reached_by_users
from tools.diff.severity.requirements import refuses_all_before
from tools.diff.severity.table import severity_of

_SET_ASIDE = re.compile(r"(?:^|[:/])(?:dev|build|test|tests|docs|lint|optional:)")
"""Sections of a manifest that are not installed with the project itself."""
_FOR_DEVELOPERS = frozenset(
    ("dev", "test", "tests", "testing", "doc", "docs", "lint", "ci", "typing")
)
"""Words in the names of files with the requirements of those who work on the project."""
_COMPILED_IN = ("Cargo.toml", "go.mod")
_WORD = re.compile(r"[a-z]+")
_REFERENCE = re.compile(
    r"[A-Za-z_]\w*|\(\s*([\"'])[\w.]+\1,\s*([\"'])\w+\2,?\s*\)|([\"'])[A-Za-z_][\w.]*[.:][A-Za-z_]\w*\3"
)
"""A class or function by its name, or as strings: a module and a name in it, or both in one."""


def setting_severity(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a difference means in something that users set, install or run into."""
    newest = difference.newest
    path = newest.versions.file.path
    if newest.kind == "dependency" and _is_aside(difference):
        return Severity.INTERNAL
    is_of_image = newest.kind == "config" and "docker" in path.lower()
    if is_of_image and difference.kind != "config-key-changed":
        return Severity.INTERNAL
    if newest.kind == "error":
        return _severity_of_error(difference, surface)
    if newest.kind == "registration":
        if path.endswith(NATIVE):
            return Severity.INTERNAL  # What a package of the same project calls, users do not meet
        return _severity_of_registration(difference, trees)
    if difference.kind == "flag-choices-changed":
        return _severity_of_choices(difference)
    if newest.kind == "env" and _is_private_variable(difference.oldest.name):
        return Severity.INTERNAL
    if difference.kind == "dependency-changed" and refuses_all_before(
        newest.name, difference.old or "", difference.new or ""
    ):
        return Severity.BREAKING
    if newest.versions.file.status == "removed":
        # Whether anybody ran a program that was deleted as a whole is not in sight.
        return Severity.MAY_BREAK
    return severity_of(difference.kind)


def _severity_of_choices(difference: Difference) -> Severity:
    """Return what other choices of an option mean; without any, it takes every value."""
    removed = set(_items(difference.old)) - set(_items(difference.new))
    return Severity.BREAKING if removed and difference.new else Severity.BEHAVIOUR


def severity_beside_product(difference: Difference) -> Severity:
    """Return what a difference means in a benchmark, whose options users set; of others nobody has to know."""
    newest = difference.newest
    file = newest.versions.file
    if role(file.path) is not Role.BENCHMARK or newest.kind not in ("flag", "env"):
        return Severity.INTERNAL
    if file.status == "added":
        return Severity.INTERNAL  # That it is new says more
    if newest.kind == "env" and _is_private_variable(difference.oldest.name):
        return Severity.INTERNAL
    meant = severity_of(difference.kind)
    return Severity.MAY_BREAK if meant is Severity.BREAKING else meant


def _is_private_variable(name: str) -> bool:
    """Return True for a variable that its project keeps to itself, by its name."""
    return name.startswith("_") or "INTERNAL" in name.split("_")


def _severity_of_error(difference: Difference, surface: SurfaceChange | None) -> Severity:
    """Return what an error means: users run into those that public functions raise or lead to.

    An assertion is met only in the public function itself.
    """
    newest = difference.newest
    if newest.versions.file.path.endswith(NATIVE):
        # What a package of the same project calls, users do not meet, but they meet its limits.
        is_met = difference.kind == "limit-changed" and "static" not in newest.name.lower()
        return Severity.BEHAVIOUR if is_met else Severity.INTERNAL
    has_words = newest.name != "assert" or "message" in newest.parts
    if difference.kind == "limit-changed" and has_words:
        return Severity.BEHAVIOUR
    if _is_met_in_python(newest, surface):
        return Severity.BEHAVIOUR
    return Severity.INTERNAL


def _is_met_in_python(error: FoundDeclaration, surface: SurfaceChange | None) -> bool:
    if error.name == "assert":
        return is_in_public_function(error, surface)
    return is_reached_by_users(error, surface)


def _severity_of_registration(difference: Difference, trees: SurroundingTrees) -> Severity:
    """Return what another name in a registry means; a table counts where input is looked up in it."""
    newest = difference.newest
    is_operator = "::" in newest.name and difference.kind == "registered"
    if is_operator or newest.declaration.local or "{" in newest.name:
        return Severity.INTERNAL  # Users call the function around an operator
    if HIDDEN.search(newest.module):
        return Severity.INTERNAL
    table = newest.parts.get("table", "")
    if table and newest.versions.file.status == "added":
        return Severity.INTERNAL  # That the file is new says more
    if table and not _is_registry(table, difference, trees):
        return Severity.INTERNAL
    meant = severity_of(difference.kind)
    if meant is not Severity.BREAKING or declares_entry_points(newest.versions.file.path):
        return meant  # An entry point is there by its manifest alone
    if table or trees.after is None or _is_written_as_string(newest.name, trees.after):
        return Severity.MAY_BREAK
    return meant


def _is_registry(table: str, difference: Difference, trees: SurroundingTrees) -> bool:
    """Return True for a table of classes and functions in which code looks names up."""
    for side in (difference.before, difference.after):
        if side is not None and not _is_reference(side.parts.get("value", "")):
            return False
    lines = trees.before if difference.after is None else trees.after
    return lines is not None and _is_table_looked_up(table, lines)


def _is_written_as_string(name: str, lines: Lines) -> bool:
    """Return True where a file may still register a name, in a way that no query knows."""
    strings = (f'"{name}"', f"'{name}'")
    for path, line in lines:
        if not is_product(path):
            continue
        if any(string in line for string in strings):
            return True
    return False


def _is_reference(value: str) -> bool:
    """Return True for a class or function, or for the strings that name its module and itself."""
    return _REFERENCE.fullmatch(" ".join(value.split())) is not None


def _is_table_looked_up(table: str, lines: Lines) -> bool:
    """Return True if code looks a name up in a table that is not written there as a string."""
    word = re.escape(table)
    look_up = re.compile(
        rf"(?<!\w){word}(?:\[\s*[^\s\"'\d\]]|\.get\(\s*[^\s\"'\d)]|\.keys\(|\.items\()"
        rf"|\bin\s+(?:\w+\.)?{word}(?!\w)|\*\*(?:\w+\.)?{word}(?!\w)"
    )
    for path, line in lines:
        code = line.lstrip()
        # A line that begins with two stars merges a table, one star goes on with a comment.
        is_comment = code.startswith(COMMENT_SIGNS) and not code.startswith("**")
        if is_product(path) and not is_comment and look_up.search(line):
            return True
    return False


def _is_aside(difference: Difference) -> bool:
    """Return True if a dependency is none of those that users install with the project."""
    path = difference.newest.versions.file.path
    if _SET_ASIDE.search(difference.newest.owner) or path.endswith(_COMPILED_IN):
        return True
    name = path.rpartition("/")[2].lower()
    if name.endswith((".txt", ".in")) and _FOR_DEVELOPERS & set(_WORD.findall(name)):
        return True
    # What an image installs beside the project is not required by it; a version that it pins is
    # the one that runs there.
    return bool(CONTAINER_FILE.fullmatch(path)) and difference.kind != "dependency-changed"


def _items(text: str | None) -> list[str]:
    return [item.strip() for item in (text or "").strip("[](){} ").split(",") if item.strip()]
