"""Sentences of templates stand on their values, and only in the words that code writes."""

from collections.abc import Callable

from agent.claims import Claim, Role, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind, Severity
from agent.gate.judge import judge
from agent.templates import params_of, sentence

Maker = Callable[..., CommitEvidence]


def _limit(make_commit: Maker) -> tuple[Claim, Dossier]:
    fact = Fact(kind=FactKind.LIMIT_CHANGED, severity=Severity.BREAKING, name="topK", old="<= 22", new="<= 8")
    evidence = make_commit(facts=[fact])
    params = params_of(fact)
    text = {"en": sentence("fact", params, "en") or "", "zh": sentence("fact", params, "zh") or ""}
    claim = Claim(
        id="1",
        repo=evidence.repo,
        role=Role.CHANGE,
        predicate="fact",
        params=params,
        cites=(evidence.id,),
        text={"en": text["en"], "zh": text["zh"]},
    )
    return claim, Dossier(found={evidence.id: evidence})


def test_a_sentence_of_a_template_stands_when_its_fact_is_on_the_sheet(make_commit: Maker) -> None:
    claim, dossier = _limit(make_commit)
    assert judge(claim, dossier, "en").verdict is Verdict.SUPPORTED
    assert judge(claim, dossier, "zh").verdict is Verdict.SUPPORTED
    assert claim.text["en"] == "The limit of `topK` changes from `<= 22` to `<= 8`."


def test_other_values_than_the_sheet_has_are_refused(make_commit: Maker) -> None:
    claim, dossier = _limit(make_commit)
    params = claim.params | {"new": "<= 9"}
    other = claim.model_copy(update={"params": params, "text": {"en": sentence("fact", params, "en")}})
    judgement = judge(other, dossier, "en")
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert "<= 8" in judgement.reason


def test_words_that_are_not_the_template_s_are_read_like_any_others(make_commit: Maker) -> None:
    claim, dossier = _limit(make_commit)
    other = claim.model_copy(update={"text": {"en": "The limit of `topK` doubles for all users."}})
    assert judge(other, dossier, "en").verdict is not Verdict.SUPPORTED
