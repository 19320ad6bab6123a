"""The building of replies from what code finds and from the sentences of a model."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

from agent.domain.account import Spent
from agent.domain.claims import Claim
from agent.domain.evidence import Citable, CommitEvidence, EvidenceSet
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, is_changed_default
from agent.facts_worth_stating import stated_facts
from agent.gate.check import refusals
from agent.questions_and_replies import AnswerSection, Outcome, Query, Reply
from agent.reports.chapter import checked_claims
from agent.writing.claims_by_rules import statement
from graphs.absence_search import MentionSearch
from graphs.ask_context import AskContext
from graphs.ask_state import AskInput, ReplyInput
from graphs.question_name_lookup import SectionFinder, absent_names

_MAX_LISTED = 20  # Hits of a section that a reply lists
_MAX_REMEMBERED = 40  # Hits of the ranking that a page may describe
_MAX_FACT_COMMITS = 10  # Commits whose facts a reply states
_MAX_FACTS = 3  # That a reply states of each commit


async def reply_of(state: ReplyInput, context: AskContext) -> Reply:
    """Return what is published; what a question names is shown even if the model ignores it."""
    query = state["query"]
    repos = [searched.repo for searched in state["searched"]]
    sentences = state["sentences"].published
    cited: list[EvidenceId] = []
    for claim in sentences:
        cited += claim.cites
    sections = await _sections(state, cited, context)
    listed = _listed_ids(sections)
    facts = await _facts_of(listed, state, context)
    cited_or_nearest = list(dict.fromkeys((*cited, *(state["nearest"] or []))))
    described = [*cited_or_nearest, *listed]
    described += [hit.id for hit in state["hits"][:_MAX_REMEMBERED]]
    described += state["releases"].values()
    return Reply(
        outcome=_outcome(state, sentences),
        lang=query.lang,
        window=query.window,
        claims=(*sentences, *facts),
        cites=tuple(dict.fromkeys((*cited_or_nearest, *listed))),
        shown=tuple(cited_or_nearest),
        sections=tuple(sections),
        evidence=tuple(state["hits"]),
        known=context.memory.all(described),
        releases=state["releases"],
        affected=state["affected"],
        searched=tuple(state["searched"]),
        failures=tuple(context.memory.problems(repos, query.window)),
        dropped=len(state["sentences"].failed),
        trouble=state["trouble"],
        has_model=context.models is not None,
        spent=_spent(state, context),
    )


def account_of(state: AskInput) -> str:
    """Return the account that pays for a question, the same if it is asked again."""
    digest = hashlib.sha256(f"{state['turn']} {state['question']}".encode()).hexdigest()
    return f"question {digest[:12]}"


def _spent(state: ReplyInput, context: AskContext) -> Spent:
    """Return what the question has cost, the judge included."""
    if context.models is None:
        return Spent()
    return (state["account"] + context.take_spent(account_of(state), "explaining")).spent


def _outcome(state: ReplyInput, claims: Sequence[Claim]) -> Outcome:
    if state["trouble"]:
        return "failed"
    was_model_asked = bool(state["messages"])
    if not was_model_asked:
        return "filtered" if state["query"].is_filtered else "looked up"
    if state["nearest"] is not None:
        return "abstained"
    return "answered" if claims else "refused"


# ---------------------------------------------------------------- sections


async def _sections(
    state: ReplyInput, cited: Collection[EvidenceId], context: AskContext
) -> list[AnswerSection]:
    """Return what the question asks for by name and no sentence cites, and what is absent."""
    query = state["query"]
    searched = state["searched"]
    repos = [part.repo for part in searched]
    mention_search = MentionSearch(query, searched, state["evidence"], context)
    finder = SectionFinder(query, repos, context, mention_search)
    requested = await finder.requested(state["hits"])
    absent = await finder.absent(absent_names(state["absent"], requested))
    return [*_uncited(requested, cited), *absent]


def _uncited(
    sections: Iterable[AnswerSection], cited: Collection[EvidenceId]
) -> list[AnswerSection]:
    """Return the sections with what no sentence cites; those without anything else are left out.

    A text can talk a model into passing over a commit that the question names, and into citing
    the text in its place. So it does not do that something of a section is cited.
    """
    uncited: list[AnswerSection] = []
    for section in sections:
        hits = tuple(hit for hit in section.hits if hit.id not in cited)
        if hits or not section.hits:
            is_rest = len(hits) < len(section.hits)
            uncited.append(section.model_copy(update={"hits": hits, "is_rest": is_rest}))
    return uncited


def _listed_ids(sections: Iterable[AnswerSection]) -> list[EvidenceId]:
    """Return the first hits of all sections, each once."""
    ids: list[EvidenceId] = []
    for section in sections:
        ids += [hit.id for hit in section.hits[:_MAX_LISTED]]
    return list(dict.fromkeys(ids))


# ---------------------------------------------------------------- facts


async def _facts_of(
    listed: Sequence[EvidenceId], state: ReplyInput, context: AskContext
) -> list[Claim]:
    """Return the facts of the first commits that are listed, which are read where they were not."""
    commits = [name for name in listed if not name.is_thread][:_MAX_FACT_COMMITS]
    unread = [name for name in commits if name not in state["evidence"]]
    evidence: dict[EvidenceId, Citable] = dict(state["evidence"])
    evidence |= await context.load(unread, state["query"].window)
    return _stated_facts(state["query"], commits, evidence)


def _stated_facts(
    query: Query, commit_ids: Sequence[EvidenceId], evidence: Mapping[EvidenceId, Citable]
) -> list[Claim]:
    """Return the facts of commits, those about what is named first; the gate checks each."""
    words = [name.text.lstrip("-") for name in query.named if name.kind == "name"]
    asks_for_defaults = "default" in query.wanted("is")

    def is_beside_question(fact: Fact) -> bool:
        if asks_for_defaults and not words:
            return not is_changed_default(fact)
        return not any(word in fact.name for word in words)

    claims: list[Claim] = []
    for commit_id in commit_ids:
        commit = evidence.get(commit_id)
        if isinstance(commit, CommitEvidence):
            facts = sorted(stated_facts(commit.facts), key=is_beside_question)
            claims += [statement(fact, commit) for fact in facts[:_MAX_FACTS]]
    evidence_set = EvidenceSet(by_id=evidence, seen=frozenset(evidence))
    passed, _ = checked_claims(claims, (), (), evidence_set, refusals)
    return [claim.model_copy(update={"id": f"f{index}"}) for index, claim in enumerate(passed)]
