"""A file that comes or goes is told where users may meet it by its path."""

import pytest

from agent.domain.facts import Severity
from agent.domain.surface import SurfaceChange
from tools.diff.file_roles import Role
from tools.diff.severity.added_and_missing_files import (
    severity_of_added_file,
    severity_of_missing_file,
)
from tools.diff.severity.table import severity_of


def test_new_models_and_programs_are_told_and_other_files_are_not() -> None:
    told = [role for role in Role if severity_of_added_file(role) is not Severity.INTERNAL]
    assert set(told) == {Role.MODEL, Role.EXAMPLE, Role.BENCHMARK}


@pytest.mark.parametrize(
    ("path", "surface", "severity"),
    [
        # Without a surface nobody knows who includes a public header.
        ("include/engine/api.h", None, Severity.MAY_BREAK),
        ("include/engine/api.h", SurfaceChange(), severity_of("file-removed")),
        ("src/engine.cpp", None, severity_of("file-removed")),
    ],
)
def test_a_public_header_that_goes_may_break_who_includes_it(
    path: str, surface: SurfaceChange | None, severity: Severity
) -> None:
    assert severity_of_missing_file("file-removed", path, surface) is severity
