"""The checks run in the order of the verdicts, and words are read whatever the predicate."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from agent.claims import Quote, Verdict
from agent.gate.judge import judge

Make = Callable[..., Any]


def test_a_statement_without_words_stands_on_its_values(fault: Make, make_commit: Make) -> None:
    found = fault(judge, make_commit(), predicate="exists")
    assert (found.verdict, found.check) == (Verdict.SUPPORTED, "exists")
    assert fault(judge, make_commit(), predicate="authored", params={"author": "Mira König"}).passed
    assert fault(judge, make_commit(), predicate="touches", params={"path": "limits.py"}).passed
    shown = Quote(cite=make_commit().id, text="if topK > 8:", file="src/router/limits.py")
    assert fault(judge, make_commit(), predicate="shows", quotes=(shown,)).passed


def test_words_beside_a_true_value_must_be_true_too(fault: Make, make_commit: Make) -> None:
    found = fault(judge, make_commit(), predicate="exists", text="Lowers the limit to 7 [@1].")
    assert found.verdict is Verdict.NUMBER


def test_a_language_without_words_cannot_be_published(fault: Make, make_commit: Make) -> None:
    found = fault(judge, make_commit(), predicate="exists", text={"en": "It is there."}, lang="zh")
    assert found.verdict is Verdict.MALFORMED


def test_the_first_failure_decides(fault: Make, make_commit: Make) -> None:
    old = make_commit(at=datetime(2026, 1, 1, tzinfo=UTC))
    bad = Quote(cite=old.id, text="nowhere to be found")
    text = "By Jane Doe on 2026-02-09, to 7."
    steps: list[tuple[Verdict, dict[str, Any]]] = [
        (Verdict.MALFORMED, {"text": f"{text} #12"}),
        (Verdict.OUT_OF_SCOPE, {"text": text}),
        (Verdict.UNSEEN, {"text": text, "dossier": {"window": None, "seen": frozenset()}}),
        (Verdict.METADATA, {"text": text, "dossier": {"window": None}}),
        (Verdict.QUOTE, {"text": "It goes to 7.", "dossier": {"window": None}}),
    ]
    for verdict, about in steps:
        assert fault(judge, old, quotes=(bad,), **about).verdict is verdict
    assert fault(judge, old, text="It goes to 7.", dossier={"window": None}).verdict is Verdict.NUMBER


def test_attributed_speech_stands_on_its_quotation_alone(fault: Make, make_issue: Make) -> None:
    issue = make_issue()
    said = Quote(cite=issue.id, text="the router crashes after 90 seconds")
    found = fault(judge, issue, speech=True, quotes=(said,))
    assert (found.verdict, found.check) == (Verdict.SUPPORTED, "speech")
    assert fault(judge, issue, speech=True).verdict is Verdict.MALFORMED
    other = said.model_copy(update={"text": "the router crashes after 9 seconds"})
    assert fault(judge, issue, speech=True, quotes=(other,)).verdict is Verdict.QUOTE
