"""How facts are scored: found, not found, not meant, not proved."""

import json
from datetime import UTC, datetime

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange, Person
from agent.domain.facts import Fact, FactKind, Place, Severity
from evals.sets.fact_matching import Meant
from evals.sets.facts import REAL, Tally, changed_lines, judged, prove
from evals.worlds.facts import described, gold_facts
from evals.worlds.model import World


def fact(kind: FactKind, name: str, severity: Severity = Severity.BREAKING, lines: tuple[str, ...] = ()) -> Fact:
    return Fact(kind=kind, severity=severity, name=name, places=(Place(file="a.py", line=1, lines=lines),))


def test_what_is_missed_costs_recall_and_what_is_invented_precision() -> None:
    tally = Tally("blobs")
    gold = [Meant(("symbol-removed",), "gone"), Meant(("flag-added",), "--new")]
    tally.add("x", gold, [fact(FactKind.SYMBOL_REMOVED, "gone"), fact(FactKind.SYMBOL_REMOVED, "other")])
    figures = tally.figures()
    assert figures["recall, blobs"].value == 0.5
    assert figures["precision, blobs"].value == 0.5
    assert figures["recall, blobs"].worst == ("x: not found: flag-added --new",)
    assert figures["recall, blobs: flag-added"].value == 0.0


def test_what_is_internal_costs_nothing_and_what_is_optional_need_not_be_found() -> None:
    tally = Tally("hunks")
    gold = [Meant(("revert",), optional=True)]
    tally.add("x", gold, [fact(FactKind.REVERT, "abc"), fact(FactKind.SYMBOL_ADDED, "_x", Severity.INTERNAL)])
    figures = tally.figures()
    assert figures["precision, hunks"].value == 1.0
    assert figures["precision, hunks"].n == 1
    assert figures["recall, hunks"].n == 0


def test_a_severity_that_is_wrong_is_counted_apart() -> None:
    tally = Tally("blobs")
    tally.add("x", [Meant(("symbol-removed",), "a", severity="additive")], [fact(FactKind.SYMBOL_REMOVED, "a")])
    assert tally.figures()["recall, blobs"].value == 1.0
    assert tally.figures()["severity right"].value == 0.0


def test_a_line_that_is_not_changed_in_that_file_proves_nothing() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    somebody = Person(name="a", email="a@example.org")
    commit = Commit(
        repo=RepoId("a/b"),
        sha="a" * 40,
        parents=(),
        author=somebody,
        authored_at=now,
        committer=somebody,
        committed_at=now,
        message="x",
    )
    file = FileChange(path="a.py", status="modified", additions=1, deletions=1, patch="@@ -1 +1 @@\n-x = 1\n+x = 2")
    lines = changed_lines(Change(commit=commit, files=(file,)))
    assert prove("", fact(FactKind.CONSTANT_CHANGED, "x", lines=("-x = 1", "+x = 2")), lines).value == 1.0
    assert prove("", fact(FactKind.CONSTANT_CHANGED, "x", lines=("+x = 3",)), lines).value == 0.0
    assert prove("", fact(FactKind.CONSTANT_CHANGED, "x", lines=("@@ -1 +1 @@",)), lines).value == 0.0


def test_real_commits_are_kept_as_facts_whose_kinds_exist() -> None:
    rows = json.loads(REAL.read_text(encoding="utf-8"))
    assert len(rows) >= 30
    for row in rows:
        assert len(row["sha"]) == 40
        assert {kind for one in row["facts"] for kind in judged(one).kinds} <= set(FactKind)


def test_every_described_commit_has_gold(facts_world: World) -> None:
    told = {gold.sha for gold in gold_facts(facts_world)}
    assert all(row.sha in told for row in described(facts_world))
