"""The severity of added and missing files: what it means that one comes, or is not where it was."""

from agent.domain.facts import FactKind, Severity
from agent.domain.surface import SurfaceChange
from tools.diff.file_roles import Role, is_public_header
from tools.diff.severity.table import severity_of


def severity_of_added_file(file_role: Role) -> Severity:
    """Return what a new file means; of others than models and programs, what they declare is reported."""
    is_told = file_role in (Role.MODEL, Role.EXAMPLE, Role.BENCHMARK)
    return severity_of("file-added") if is_told else Severity.INTERNAL


def severity_of_missing_file(
    kind: FactKind, old_path: str, surface: SurfaceChange | None
) -> Severity:
    """Return what it means that a file went or has another name: users include headers by paths."""
    if is_public_header(old_path):
        if surface is None:
            return Severity.MAY_BREAK
        if surface.is_documented_header(old_path):
            return Severity.BREAKING
    return severity_of(kind)
