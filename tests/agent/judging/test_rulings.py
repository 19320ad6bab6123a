"""Two readings of a judge settle a sentence, and what it quotes must stand in the evidence."""

from typing import Any

import pytest

from agent.domain.account import Judging
from agent.domain.base import RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind, Refused
from agent.judging.rulings import (
    Batch,
    Control,
    Opinion,
    Ruling,
    Verdicts,
    can_be_repaired,
    deciding_lines,
    is_shown,
    refusal_text,
)

REPO = RepoId("octo/router")
EVIDENCE = """@@ -10,3 +10,3 @@ def route(request):
     limit = request.limit
-    if topK > 22:
+    if topK > 8:
+    }
     return pick(limit)"""


def claim(name: str = "k1", **about: Any) -> Claim:
    ordinary = {"id": name, "repo": REPO, "role": "effect", "kind": Kind.STATED}
    return Claim.model_validate({**ordinary, "text": {"en": "Large values are refused."}, **about})


def ruling(verdict: Opinion, quote: str = "if topK > 8:", **about: str) -> Ruling:
    return Ruling(id="s1", verdict=verdict, quote=quote, **about)


# ---------------------------------------------------------------- quotations


@pytest.mark.parametrize(
    "quote",
    [
        "if topK > 8:",
        "+    if topK > 8:",
        "- if topK > 22:\n+ if topK > 8:",
        "limit = request.limit ... return pick(limit)",
        "limit = request.limit […] return pick(limit)",
        "limit = request.limit [...] return pick(limit)",
        "limit = request.limit … return pick(limit)",
        "return   pick(limit)\n}",
        "> 8",
    ],
)
def test_lines_of_the_evidence_are_shown_with_or_without_signs_and_around_dots(quote: str) -> None:
    assert is_shown(quote, EVIDENCE)


@pytest.mark.parametrize("quote", ["if topK > 9:", "if topK > 8:\nif topK > 9:", "", "...", "+ }"])
def test_a_line_that_is_missing_and_a_quotation_without_words_are_not_shown(quote: str) -> None:
    assert not is_shown(quote, EVIDENCE)


# ---------------------------------------------------------------- two readings


@pytest.mark.parametrize(
    ("kind", "first", "second", "admitted"),
    [
        (Kind.STATED, "stated", "stated", Kind.STATED),
        (Kind.STATED, "inferred", "stated", Kind.INFERRED),
        (Kind.STATED, "stated", "inferred", Kind.INFERRED),
        (Kind.INFERRED, "stated", "stated", Kind.INFERRED),
        (Kind.ADVICE, "inferred", "stated", Kind.ADVICE),
    ],
)
def test_a_sentence_that_both_readings_pass_is_admitted_as_the_weaker_of_both(
    kind: Kind, first: Opinion, second: Opinion, admitted: Kind
) -> None:
    verdicts = Verdicts()
    verdicts.rule(claim(kind=kind), (ruling(first), ruling(second)), EVIDENCE, "judge-1")
    (passed,) = verdicts.admitted
    assert (passed.kind, passed.judged_by) == (admitted, "judge-1")
    assert verdicts.refused == []
    assert verdicts.judging == Judging(standing=1)


@pytest.mark.parametrize(
    ("no", "check", "judging"),
    [
        (ruling("narrow"), "judge", Judging(narrowed=1)),
        (ruling("unsupported"), "judge", Judging(refuted=1)),
        (ruling("contradicted"), "judge", Judging(refuted=1)),
        (ruling("stated", quote="if topK > 9:"), "judge quote", Judging(refuted=1)),
    ],
)
def test_one_no_of_either_reading_refuses_a_sentence(
    no: Ruling, check: str, judging: Judging
) -> None:
    for rulings in ((no, ruling("stated")), (ruling("stated"), no)):
        verdicts = Verdicts()
        verdicts.rule(claim(), rulings, EVIDENCE, "judge-1")
        assert verdicts.admitted == []
        assert [judgement.check for _, judgement in verdicts.refused] == [check]
        assert verdicts.judging == judging


def test_what_the_first_reading_would_have_to_see_is_kept_though_the_sentence_passes() -> None:
    verdicts = Verdicts()
    first = ruling("stated", needs=" the caller of route ")
    second = ruling("stated", needs="another caller")
    verdicts.rule(claim("k1"), (first, second), EVIDENCE, "judge-1")
    verdicts.rule(claim("k2"), (ruling("stated", needs="  "), second), EVIDENCE, "judge-1")
    verdicts.rule(claim("k3"), (ruling("stated"), ruling("stated")), EVIDENCE, "judge-1")
    assert verdicts.needs == {"k1": "the caller of route", "k2": "another caller"}


# ---------------------------------------------------------------- controls


def test_each_reading_is_asked_one_control_of_each_kind_and_another_one_where_there_is() -> None:
    controls = [
        Control({"en": "first elsewhere"}),
        Control({"en": "second elsewhere"}),
        Control({"en": "third elsewhere"}),
        Control({"en": "only twin"}, "twin"),
    ]
    batch = Batch(account="a", evidence=EVIDENCE, claims=[], controls=controls)
    texts = [[control.text["en"] for control in batch.controls_of_pass(n)] for n in (0, 1)]
    assert texts == [["first elsewhere", "only twin"], ["second elsewhere", "only twin"]]


# ---------------------------------------------------------------- verdicts


def judged(name: str, opinion: Opinion) -> Verdicts:
    verdicts = Verdicts(controls=Judging(controls=1))
    reading = ruling(opinion, needs=f"the caller of {name}")
    verdicts.rule(claim(name), (reading, reading), EVIDENCE, "judge-1")
    return verdicts


def test_sentences_that_are_judged_anew_have_the_new_verdict_alone() -> None:
    verdicts = judged("k1", "unsupported")
    verdicts.add(judged("k2", "stated"))
    verdicts.add(judged("k3", "narrow"))
    verdicts.add(judged("k4", "stated"))
    again = judged("k1", "stated")
    again.add(judged("k2", "narrow"))
    replaced = verdicts.replaced_by(again, [claim("k1"), claim("k2")])
    assert [passed.id for passed in replaced.admitted] == ["k4", "k1"]
    assert [refused.id for refused, _ in replaced.refused] == ["k3", "k2"]
    assert replaced.judging == Judging(standing=2, narrowed=2, controls=6)
    assert list(replaced.needs) == ["k3", "k4", "k1", "k2"]
    # A sentence of which the second judge says nothing is no longer settled.
    assert "k1" not in verdicts.replaced_by(Verdicts(), [claim("k1")]).outcomes
    assert verdicts.judging == Judging(standing=2, narrowed=1, refuted=1, controls=4)


def test_sentences_beside_an_admitted_control_are_void_and_others_are_not() -> None:
    void = Judgement(verdict="unsupported", check="control", reason="it admitted a control")
    verdicts = judged("k1", "unsupported")
    verdicts.refused.append((claim("k2"), void))
    assert [one.id for one in verdicts.void_claims] == ["k2"]


# ---------------------------------------------------------------- the way back to the writer


def refused(*checks: str, nearest: str = "") -> Refused:
    reasons = [
        Judgement(verdict="unsupported", check=check, reason=f"no {check}", nearest=nearest)
        for check in checks
    ]
    return Refused(task="write", claim=claim(), reasons=tuple(reasons))


@pytest.mark.parametrize(
    ("checks", "can_be"),
    [
        (("judge",), True),
        (("judge", "anchor"), True),
        (("judge", "control"), False),
        (("no judge",), False),
        (("no diff", "anchor"), False),
    ],
)
def test_another_wording_helps_unless_the_judge_failed_or_no_diff_can_be_read(
    checks: tuple[str, ...], can_be: bool
) -> None:
    assert can_be_repaired(refused(*checks)) is can_be


def test_the_writer_is_told_the_reason_with_the_nearest_lines_and_its_anchor() -> None:
    sentence = claim(anchors=(Anchor(cite=f"{REPO}@{'a' * 40}", text="if topK > 8:"),))
    verdicts = Verdicts()
    no = ruling("narrow", problem="for all values", quote="if topK > 8:")
    verdicts.rule(sentence, (no, no), EVIDENCE, "judge-1")
    ((_, judgement),) = verdicts.refused
    narrow = Refused(task="write", claim=sentence, reasons=(judgement,))
    assert refusal_text("1", narrow).splitlines() == [
        "1. Large values are refused.",
        "   anchor: if topK > 8:",
        "   refused: the judge calls it too wide: for all values. The evidence has: if topK > 8:",
    ]
    assert refusal_text("2", refused("anchor")).endswith("refused: no anchor.")
    assert deciding_lines([narrow, refused("anchor")]) == ["if topK > 8:"]
