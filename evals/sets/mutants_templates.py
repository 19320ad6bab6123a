"""Claims by template over commits, clean and spoilt: every predicate in turn, in both languages."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from agent.claims import Claim, Role
from agent.evidence import CommitEvidence
from agent.settings import Language
from evals.sets.mutants_case import Case, Operator, split_of
from evals.sets.mutants_cites import spoilt_cites
from evals.sets.mutants_draft import Draft, Words
from evals.sets.mutants_drafts import drafts
from evals.sets.mutants_fact_drafts import fact_draft
from evals.sets.mutants_stock import Stock

LANGUAGES: tuple[Language, Language] = ("en", "zh")
_ANYWHERE = (Operator.SHA, Operator.MISSING, Operator.UNSEEN, Operator.OTHER_REPO)
"""What is wrong whatever the claim says; a neighbour may be by the same author or of the same day."""
_BOUND = (Operator.NEIGHBOUR, Operator.SUPERFLUOUS)
_TOO_MUCH: tuple[Words, ...] = (
    {"en": " on every platform", "zh": "，适用于所有平台"},
    {"en": " and in all other backends too", "zh": "，其余后端也全部如此"},
    {"en": ", and nothing else depends on it any more", "zh": "，此后再没有任何代码依赖它"},
)
_BECAUSE: tuple[Words, ...] = (
    {"en": ", which makes start-up twice as fast", "zh": "，从而使启动快了一倍"},
    {"en": " because users ran out of disk space", "zh": "，因为用户的磁盘空间不足"},
    {"en": ", which removes a source of random crashes", "zh": "，从而消除了随机崩溃"},
)


def template_cases(commits: Sequence[CommitEvidence], stock: Stock) -> Iterator[Case]:
    """Make a claim of each commit, taking the kinds and the languages in turn."""
    for turn, commit in enumerate(commits):
        made = list(drafts(commit, stock))
        # Every other claim is of a fact, where there is one.
        draft = made[0] if turn % 2 else made[turn // 2 % len(made)]
        yield from cases_of(draft, commit, stock, LANGUAGES[turn // 2 % 2], turn)


def cases_of(draft: Draft, commit: CommitEvidence, stock: Stock, lang: Language, turn: int) -> Iterator[Case]:
    """Give one claim clean and with everything that can be spoilt in it."""
    clean = _clean(draft, commit, stock, lang)
    yield clean
    for number, (operator, wrong) in enumerate(draft.wrong):
        yield clean.spoilt(operator, str(number), claim=_claim(wrong, clean.id, commit, lang))
    for one in spoilt_cites(clean, commit, stock):
        if one.operator in _ANYWHERE or (one.operator in _BOUND and draft.bound and not _shared(draft, one, stock)):
            yield one
    if draft.words and draft.predicate in ("fact", "touches"):
        yield _said(clean, Operator.OVERCLAIM, _TOO_MUCH[turn % len(_TOO_MUCH)])
        yield _said(clean, Operator.CAUSAL, _BECAUSE[turn % len(_BECAUSE)])


def _clean(draft: Draft, commit: CommitEvidence, stock: Stock, lang: Language) -> Case:
    name = f"{stock.name}/{draft.predicate}/{commit.change.commit.sha[:10]}/{lang}"
    around = [commit, stock.parent(commit), stock.stranger(commit)]
    return Case(
        id=name,
        claim=_claim(draft, name, commit, lang),
        dossier=stock.dossier([one for one in around if one is not None]),
        lang=lang,
        form="template",
        place=stock.place,
        split=split_of(name),
    )


def _claim(draft: Draft, name: str, commit: CommitEvidence, lang: Language) -> Claim:
    return Claim(
        id=name,
        repo=commit.repo,
        role=Role.CHANGE,
        about=(commit.id,),
        predicate=draft.predicate,
        params=dict(draft.params),
        cites=(commit.id,),
        quotes=draft.quotes,
        text={lang: draft.words[lang]} if draft.words else {},
    )


def _shared(draft: Draft, mutant: Case, stock: Stock) -> bool:
    """Tell whether another commit that is cited also speaks of it: then it need not be wrong."""
    told = (draft.params.get("path") or draft.params["name"]).rpartition("/")[2]
    others = [stock.commits[cite] for cite in mutant.claim.cites[-1:]]
    return any(told in text for one in others for text in one.texts)


def _said(clean: Case, operator: Operator, tail: Words) -> Case:
    text = clean.claim.text[clean.lang]
    return clean.saying(operator, f"{text[:-1]}{tail[clean.lang]}{text[-1]}")


# ---------------------------------------------------------------- what was undone


def undone_cases(stock: Stock) -> Iterator[Case]:
    """Tell what commits brought that were undone later: right on the day, wrong by now."""
    for undone, undoing in sorted(stock.reverted.items()):
        # What landed again is there, though it was undone once.
        if undone in stock.commits and undoing in stock.commits and undoing not in stock.reverted:
            yield from _standing(stock.commits[undone], stock.commits[undoing], stock)


def _standing(commit: CommitEvidence, undoing: CommitEvidence, stock: Stock) -> Iterator[Case]:
    back = {fact.name for fact in undoing.facts}
    facts = {fact.name: fact for fact in commit.facts if fact.name in back and fact_draft(fact, commit) is not None}
    for fact in islice(facts.values(), 2):
        for lang in LANGUAGES:
            draft = fact_draft(fact, commit)
            assert draft is not None
            then = _clean(replace(draft, words=draft.now), commit, stock, lang)
            claim = then.claim.model_copy(update={"predicate": "says", "params": {}})
            clean = replace(then, id=f"{then.id}/{fact.name}/now", claim=claim)
            yield clean
            yield clean.spoilt(Operator.REVERTED, dossier=stock.dossier([commit], today=True))
