"""The severity of a difference in JavaScript and TypeScript code, whose exports are its surface."""

from agent.domain.facts import Severity
from tools.diff.file_roles import HIDDEN
from tools.diff.located_differences import Difference
from tools.diff.severity.native_code import is_marked_public
from tools.diff.severity.table import severity_of


def script_severity(difference: Difference) -> Severity:
    """Return what a difference in TypeScript or JavaScript means: its exports are its surface."""
    oldest = difference.oldest
    if difference.kind == "parameter-renamed":
        return Severity.INTERNAL  # Only in Python does a caller write the name of a parameter
    if not oldest.file.endswith(("index.ts", "index.js")) or not is_marked_public(oldest):
        return Severity.INTERNAL
    if oldest.name.startswith("_") or HIDDEN.search(oldest.path):
        return Severity.INTERNAL
    if difference.is_required_parameter:
        return Severity.BREAKING
    return severity_of(difference.kind)
