"""Statements that code can decide: what is touched, named, fixed, and what the facts are."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.claims import Verdict
from agent.domain import FileChange
from agent.evidence import Unresolved
from agent.facts import Fact, FactKind, Severity
from agent.gate.statements import statements
from agent.links import Grade, Link, Relation

Make = Callable[..., Any]
ISSUE = "octo/router#12"
COMMIT = "octo/router@" + "a" * 40


@pytest.fixture
def wrong(fault: Make) -> Make:
    """Check a statement by its values."""

    def run(predicate: str, *evidence: Any, dossier: dict[str, Any] | None = None, **params: str) -> str:
        found = fault(statements, *evidence, predicate=predicate, params=params, dossier=dossier)
        assert found is None or found.verdict is Verdict.UNSUPPORTED
        return found.reason if found else ""

    return run


def test_a_path_is_touched_whole_by_its_unique_end_or_as_a_folder(wrong: Make, make_commit: Make) -> None:
    files = [
        FileChange(path=path, status="modified", additions=1, deletions=0, previous_path=old)
        for path, old in (("src/a/limits.py", None), ("src/b/limits.py", None), ("docs/new.md", "docs/old.md"))
    ]
    commit = make_commit(files=files)
    for path in (
        "src/a/limits.py",
        "./src/a/limits.py",
        "a/limits.py",
        "`new.md`",
        "src/",
        "src/a",
        "docs/old.md",
        "b",
    ):
        assert wrong("touches", commit, path=path) == "", path
    assert "fits several paths" in wrong("touches", commit, path="limits.py")
    assert "is not touched; touched is docs/new.md" in wrong("touches", commit, path="src/c.py")
    assert wrong("touches", commit, path="imits.py") != ""


def test_an_identifier_is_named_as_a_whole(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(patch="@@ -0,0 +1 @@\n+parser.add('--max-model-len', make_router_config)")
    for identifier in ("topK", "`make_router_config`", "--max-model-len", "parser.add"):
        assert wrong("names", commit, identifier=identifier) == "", identifier
    for identifier in ("topk", "router_config", "--max-model", "max-model-len", "make_router"):
        assert "nowhere" in wrong("names", commit, identifier=identifier), identifier


def link(grade: Grade, relation: Relation = Relation.FIXES, change: str = COMMIT) -> dict[str, Any]:
    return {"links": (Link(issue=ISSUE, change=change, relation=relation, grade=grade),)}


@pytest.mark.parametrize("grade", [Grade.A, Grade.B])
def test_only_links_that_may_read_fixed_make_a_fix(
    wrong: Make, make_commit: Make, make_issue: Make, grade: Grade
) -> None:
    for issue in ("12", "#12", "octo/router#12"):
        assert wrong("fixes", make_commit(), make_issue(), issue=issue, dossier=link(grade)) == ""


def test_a_fix_by_the_pull_request_is_one_by_its_commit_and_the_other_way(
    wrong: Make, make_commit: Make, make_pull: Make
) -> None:
    assert wrong("fixes", make_commit(pull=41), issue="12", dossier=link(Grade.A, change="octo/router#41")) == ""
    assert wrong("fixes", make_pull(), issue="12", dossier=link(Grade.A)) == ""


def test_what_is_not_fixed_says_why(wrong: Make, make_commit: Make, make_issue: Make) -> None:
    commit, issue = make_commit(), make_issue()
    still_open = make_issue(state="open", closed_at=None, state_reason=None)
    assert "as far as its records" in wrong("fixes", commit, issue, issue="12")
    assert "only likely" in wrong("fixes", commit, issue, issue="12", dossier=link(Grade.C))
    assert "partly" in wrong("fixes", commit, issue, issue="12", dossier=link(Grade.B, Relation.PARTLY))
    assert "not fixed" in wrong("fixes", commit, issue, issue="12", dossier=link(Grade.A, Relation.MENTIONS))
    assert "still open" in wrong("fixes", commit, still_open, issue="12", dossier=link(Grade.A))
    other = "octo/router@" + "c" * 40
    assert f"but by {other}" in wrong("fixes", commit, issue, issue="12", dossier=link(Grade.A, change=other))
    undone = {**link(Grade.A), "reverted": {COMMIT: other}}
    assert f"undone by {other}" in wrong("fixes", commit, issue, issue="12", dossier=undone)


def test_a_fix_of_an_unread_issue_is_undecided_and_of_a_missing_one_nonexistent(fault: Make, make_commit: Make) -> None:
    def verdict(kind: Any) -> Verdict:
        unresolved = {ISSUE: Unresolved(kind=kind, reason="so")}
        about = {"predicate": "fixes", "params": {"issue": "12"}, "dossier": {"unresolved": unresolved}}
        return fault(statements, make_commit(), **about).verdict  # type: ignore[no-any-return]

    assert verdict("unread") is Verdict.UNDECIDED
    assert verdict("missing") is Verdict.NONEXISTENT


def test_a_fact_has_its_kind_name_and_values(wrong: Make, make_commit: Make) -> None:
    limit = Fact(kind=FactKind.LIMIT_CHANGED, severity=Severity.BEHAVIOUR, name="router.topK", old="22", new="8")
    commit = make_commit(facts=[limit])
    assert wrong("fact", commit, kind="limit-changed", name="router.topK", old="22", new="8") == ""
    assert wrong("fact", commit, kind="limit-changed", name="topK") == ""
    assert wrong("fact", commit, kind="limit-changed", name="topK", new="9").endswith("router.topK: 22 → 8")
    assert wrong("fact", commit, kind="limit-changed", name="K").endswith("but of router.topK")
    assert wrong("fact", commit, kind="flag-added", name="topK") == "the diff shows no flag-added of topK"


def test_a_fact_about_several_names_may_be_told_of_some_of_them(wrong: Make, make_commit: Make) -> None:
    shared = Fact(kind=FactKind.PARAMETER_ADDED, severity=Severity.ADDITIVE, name="run, plan, Wrapper.run", new="x=1")
    commit = make_commit(facts=(shared,))
    assert wrong("fact", commit, kind="parameter-added", name="run, Wrapper.run", new="x=1") == ""
    assert "no parameter-added of run, stop" in wrong("fact", commit, kind="parameter-added", name="run, stop")
