"""What is kept of a list of facts that nobody would read to its end."""

from agent.facts import Fact, FactKind, Severity
from tools.diff.cutting import MOST, cut


def fact(kind: FactKind, name: str, severity: Severity) -> Fact:
    return Fact(kind=kind, severity=severity, name=name, detail=None, old=None, new=None, places=())


def test_what_people_type_is_kept_before_what_only_code_calls() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(30)]
    kinds = (FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED, FactKind.FIELD_ADDED, FactKind.FIELD_REMOVED)
    inner = [fact(kind, f"{kind}_{n}", Severity.INTERNAL) for kind in kinds for n in range(3)]
    flag = fact(FactKind.FLAG_RENAMED, "--gated-act", Severity.INTERNAL)
    kept, left = cut([*removed, *inner, flag])
    assert flag in kept
    assert len(kept) == MOST
    assert left
