"""Every kind of fact has a severity."""

from typing import Any, get_args

from agent.domain.facts import FactKind, Severity
from tools.diff.severity.table import severity_of


def _literals(annotation: Any) -> list[Any]:
    if not get_args(annotation):
        return [annotation]
    literals: list[Any] = []
    for argument in get_args(annotation):
        literals += _literals(argument)
    return literals


def test_every_kind_of_fact_is_in_the_table_of_severities() -> None:
    for kind in _literals(FactKind):
        assert severity_of(kind) in Severity
    assert severity_of("flag-removed") is Severity.BREAKING
    assert severity_of("contents-removed") is Severity.MAY_BREAK
    assert severity_of("flag-default-changed") is Severity.BEHAVIOUR
    assert severity_of("flag-added") is Severity.ADDITIVE
    assert severity_of("only-docs") is Severity.INTERNAL
