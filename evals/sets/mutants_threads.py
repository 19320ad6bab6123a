"""Claims by template about issues and pull requests, clean and spoilt: state, title, author, date, fixes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from agent.claims import Claim, Role
from agent.domain import Issue
from agent.evidence import CommitEvidence, EvidenceId, ThreadEvidence
from agent.links import Link
from agent.settings import Language
from evals.sets.mutants_case import Case, Operator, split_of
from evals.sets.mutants_cites import one_word_changed
from evals.sets.mutants_draft import Words
from evals.sets.mutants_stock import Stock
from evals.sets.mutants_templates import LANGUAGES

_STATES: Mapping[str, Words] = {
    "open": {"en": "The issue is still open.", "zh": "该问题仍未关闭。"},
    "closed": {"en": "The issue was closed.", "zh": "该问题已关闭。"},
    "merged": {"en": "The pull request was merged.", "zh": "该 PR 已合并。"},
    "closed without merging": {"en": "The pull request was closed without merging.", "zh": "该 PR 未合并就被关闭。"},
}
_SWAPPED = {"open": "closed", "closed": "open", "merged": "closed without merging", "closed without merging": "merged"}


@dataclass(frozen=True)
class Told:
    """A value that a claim about a thread states."""

    predicate: str
    params: Mapping[str, str]
    words: Words


def thread_cases(stock: Stock) -> Iterator[Case]:
    """Make a claim of each kind in turn about every thread, and one for each fix."""
    for turn, thread in enumerate(stock.threads.values()):
        yield from _cases(thread, _KINDS[turn % len(_KINDS)], stock, LANGUAGES[turn // len(_KINDS) % 2])
    for turn, link in enumerate(stock.links):
        if link.change in stock.commits and link.issue in stock.threads:
            yield from _fix_cases(link, stock, LANGUAGES[turn % 2])


def state_of(thread: ThreadEvidence) -> str:
    """Name the state in one word, or three."""
    about = thread.thread
    if isinstance(about, Issue) or about.state == "open":
        return about.state
    return "merged" if about.merged_at else "closed without merging"


def _told(kind: str, thread: ThreadEvidence, days: int = 0, state: str | None = None) -> Told:
    about = thread.thread
    if kind == "state":
        state = state or state_of(thread)
        return Told("state", {"state": state}, _STATES[state] if isinstance(about, Issue) or state != "open" else {})
    if kind == "titled":
        return Told("titled", {"title": about.title}, {})
    if kind == "dated":
        day = f"{about.created_at + timedelta(days=days):%Y-%m-%d}"
        words: Words = {"en": f"Opened on {day}.", "zh": f"于 {day} 提出。"}
        return Told("dated", {"at": day, "event": "opened"}, words)
    login = about.author or ""
    return Told("authored", {"author": login}, {"en": f"Opened by {login}.", "zh": f"由 {login} 提出。"})


_KINDS = ("state", "titled", "dated", "authored")


def _cases(thread: ThreadEvidence, kind: str, stock: Stock, lang: Language) -> Iterator[Case]:
    told = _told(kind, thread)
    if not all(told.params.values()):
        return
    others = [one for one in stock.threads.values() if one.repo == thread.repo and _told(kind, one) != told]
    near = min(others, key=lambda one: abs(one.thread.number - thread.thread.number), default=None)
    clean = _case(told, (thread.id,), [thread, *([near] if near else [])], stock, lang)
    yield clean
    yield clean.spoilt(Operator.MISSING, claim=clean.claim.model_copy(update={"cites": (), "about": ()}))
    seen = (clean.dossier.seen or frozenset()) - {thread.id}
    yield clean.spoilt(Operator.UNSEEN, dossier=replace(clean.dossier, seen=seen))
    if near is not None:
        yield clean.spoilt(Operator.NEIGHBOUR, claim=_claim(told, clean.id, (near.id,), lang))
    if other := _same_number(thread.id, stock):
        claim = clean.claim.model_copy(update={"cites": (other,), "about": (other,)})
        yield clean.spoilt(Operator.OTHER_REPO, claim=claim)
    for number, (operator, wrong) in enumerate(_wrong(kind, thread, near)):
        yield clean.spoilt(operator, str(number), claim=_claim(wrong, clean.id, (thread.id,), lang))


def _wrong(kind: str, thread: ThreadEvidence, near: ThreadEvidence | None) -> Iterator[tuple[Operator, Told]]:
    if kind == "state":
        yield Operator.STATE, _told(kind, thread, state=_SWAPPED[state_of(thread)])
    elif kind == "dated":
        yield Operator.DATE, _told(kind, thread, days=1)
        yield Operator.DATE, _told(kind, thread, days=-1)
    elif kind == "titled":
        yield Operator.QUOTE_WORD, Told("titled", {"title": one_word_changed(thread.thread.title)}, {})
        if near is not None:
            yield Operator.QUOTE_ELSEWHERE, _told(kind, near)
    elif near is not None and near.thread.author:
        yield Operator.AUTHOR, _told(kind, near)


def _same_number(thread: EvidenceId, stock: Stock) -> EvidenceId | None:
    repo, _, number = thread.partition("#")
    fitting = [one for one in stock.threads if one.endswith(f"#{number}") and not one.startswith(f"{repo}#")]
    others = [one for one in stock.threads if not one.startswith(f"{repo}#")]
    return next(iter(fitting or others), None)


# ---------------------------------------------------------------- fixes


def _fix_cases(link: Link, stock: Stock, lang: Language) -> Iterator[Case]:
    commit, issue = stock.commits[link.change], stock.threads[link.issue]
    around: list[CommitEvidence | ThreadEvidence] = [commit, issue]
    clean = _case(_fix(link.issue), (commit.id, issue.id), around, stock, lang)
    yield clean
    parent, fixed = stock.parent(commit), {one.issue for one in stock.links if one.change == commit.id}
    near = [
        one
        for one in stock.threads.values()
        if one.repo == commit.repo and one.id not in fixed and isinstance(one.thread, Issue)
    ]
    if near:
        other = min(near, key=lambda one: abs(one.thread.number - issue.thread.number))
        dossier = stock.dossier([commit, issue, other])
        claim = _claim(_fix(other.id), clean.id, (commit.id, other.id), lang)
        yield clean.spoilt(Operator.NEIGHBOUR, claim=claim, dossier=dossier)
    if parent is not None and not any(one.change == parent.id for one in stock.links):
        claim = _claim(_fix(link.issue), clean.id, (parent.id, issue.id), lang)
        yield clean.spoilt(Operator.NEIGHBOUR, "commit", claim=claim, dossier=stock.dossier([commit, parent, issue]))
    if (foreign := _same_number(issue.id, stock)) is not None:
        claim = _claim(_fix(foreign), clean.id, (commit.id, foreign), lang)
        yield clean.spoilt(Operator.OTHER_REPO, claim=claim.model_copy(update={"repo": commit.repo}))


def _fix(issue: EvidenceId) -> Told:
    return Told("fixes", {"issue": issue}, {"en": "This fixes [@2].", "zh": "修复了 [@2]。"})


# ---------------------------------------------------------------- claims


def _case(
    told: Told,
    cites: tuple[EvidenceId, ...],
    around: list[CommitEvidence | ThreadEvidence] | list[ThreadEvidence],
    stock: Stock,
    lang: Language,
) -> Case:
    name = f"{stock.name}/{told.predicate}/{'+'.join(cites)}/{lang}"
    return Case(
        id=name,
        claim=_claim(told, name, cites, lang),
        dossier=stock.dossier(around),
        lang=lang,
        form="template",
        place=stock.place,
        split=split_of(name),
    )


def _claim(told: Told, name: str, cites: tuple[EvidenceId, ...], lang: Language) -> Claim:
    return Claim.model_validate(
        {
            "id": name,
            "repo": cites[0].partition("@")[0].partition("#")[0],
            "role": Role.CHANGE,
            "about": cites[:1],
            "predicate": told.predicate,
            "params": dict(told.params),
            "cites": cites,
            "text": {lang: told.words[lang]} if told.words else {},
        }
    )
