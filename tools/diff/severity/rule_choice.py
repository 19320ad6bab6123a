"""The choice of the rules that judge a difference: by what it is in, and by its language."""

from agent.domain.facts import Severity
from agent.domain.surface import SurfaceChange
from tools.diff.documented_names import is_published, needs_publication
from tools.diff.facts_by_declaration_kind import ROWS
from tools.diff.file_roles import NATIVE_OR_RUST, Role, is_product, role
from tools.diff.located_differences import Difference, FoundDeclaration
from tools.diff.named_importables import is_given_on
from tools.diff.names_sought_in_trees import SurroundingTrees, is_option_of_another
from tools.diff.severity.javascript_code import script_severity
from tools.diff.severity.native_code import native_severity
from tools.diff.severity.python_code import python_severity
from tools.diff.severity.settings import setting_severity, severity_beside_product
from tools.diff.severity.table import severity_of


def severity(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a difference means for those who depend on the project."""
    newest = difference.newest
    if _is_submodule(newest):
        # Wherever it is kept, what a project is built with changes.
        return severity_of(difference.kind)
    if not is_product(newest.versions.file.path):
        return severity_beside_product(difference)
    if newest.kind == "argument":
        return _severity_of_argument(difference, trees)
    if not ROWS[newest.kind].symbol:
        return _severity_of_setting(difference, surface, trees)
    if newest.is_python:
        return python_severity(difference, surface, trees)
    if newest.versions.file.path.endswith(NATIVE_OR_RUST):
        return native_severity(difference, surface, trees)
    return script_severity(difference)


def _is_submodule(declared: FoundDeclaration) -> bool:
    """Return True for the pin of a submodule that is not there for tests or documents only."""
    path = declared.versions.file.path
    is_pin = declared.kind == "dependency" and declared.name == path
    return is_pin and (is_product(path) or role(path) is Role.VENDORED)


def _severity_of_setting(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a setting means; nobody is certain to use one that no document or example names."""
    meant = setting_severity(difference, surface, trees)
    if meant is not Severity.BREAKING:
        return meant
    if not needs_publication(difference) or trees.documents is None:
        return meant
    if is_option_of_another(difference, trees):
        return Severity.MAY_BREAK
    return meant if is_published(difference, trees.documents) else Severity.MAY_BREAK


def _severity_of_argument(difference: Difference, trees: SurroundingTrees) -> Severity:
    """Return what another argument means of a native function that a Python package gives on."""
    if not is_given_on(difference.name, trees.before or ()):
        return Severity.INTERNAL
    meant = severity_of(difference.kind)
    if difference.kind == "parameter-added" and "default" not in difference.newest.parts:
        meant = Severity.BREAKING
    if not difference.is_certain:
        return Severity.MAY_BREAK
    return meant
