"""Sentences of templates stand on their values, and only in the words that code writes."""

from collections.abc import Callable

from agent.claims import Claim, Role, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind, Severity
from agent.gate.judge import judge
from agent.templates import params_of, params_of_several, sentence

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


def _several(make_commit: Maker, told: list[Fact], known: list[Fact]) -> Verdict:
    evidence = make_commit(facts=known)
    params = params_of_several(told)
    text = {"en": sentence("facts", params, "en") or "", "zh": sentence("facts", params, "zh") or ""}
    values = {"id": "1", "repo": evidence.repo, "role": Role.CHANGE, "predicate": "facts", "params": params}
    claim = Claim.model_validate(values | {"cites": (evidence.id,), "text": text})
    return judge(claim, Dossier(found={evidence.id: evidence}), "zh").verdict


def test_a_sentence_about_several_facts_stands_when_all_of_them_do(make_commit: Maker) -> None:
    one, two = (Fact(kind=FactKind.ENV_REMOVED, severity=Severity.BREAKING, name=name) for name in ("A_ENV", "B_ENV"))
    assert _several(make_commit, [one, two], [two, one]) is Verdict.SUPPORTED
    assert _several(make_commit, [one, two], [one]) is Verdict.UNSUPPORTED


def test_what_a_new_function_refuses_stands_when_the_sheet_has_it(make_commit: Maker) -> None:
    values = {"name": "ValueError", "detail": "fold", "new": "n must be a multiple of 16\nand 7 more"}
    one = Fact(kind=FactKind.ERROR_ADDED, severity=Severity.ADDITIVE, **values)
    assert _several(make_commit, [one], [one]) is Verdict.SUPPORTED
    assert _several(make_commit, [one], [one.model_copy(update={"detail": "crease"})]) is Verdict.UNSUPPORTED


def test_a_fact_about_several_functions_may_be_told_of_some_and_of_no_others(make_commit: Maker) -> None:
    known = Fact(kind=FactKind.PARAMETER_REMOVED, severity=Severity.BREAKING, name="a.f, b.f", old="x", detail="x")
    added = Fact(kind=FactKind.PARAMETER_ADDED, severity=Severity.BREAKING, name="a.f", new="y: int", detail="y")
    part = known.model_copy(update={"name": "a.f"})
    assert _several(make_commit, [part, added], [known, added]) is Verdict.SUPPORTED
    other = known.model_copy(update={"name": "c.f"})
    assert _several(make_commit, [other, added], [known, added]) is Verdict.UNSUPPORTED


def test_facts_that_cannot_be_read_are_malformed(make_commit: Maker) -> None:
    evidence = make_commit()
    for told in ("no list", "[]", '[{"kind": "env-removed"}]', '["x"]'):
        values = {"id": "1", "repo": evidence.repo, "role": Role.CHANGE, "predicate": "facts"}
        claim = Claim.model_validate(values | {"params": {"facts": told}, "cites": (evidence.id,)})
        assert judge(claim, Dossier(found={evidence.id: evidence}), "en").verdict is Verdict.MALFORMED
