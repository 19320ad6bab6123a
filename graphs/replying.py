"""What is found without a model, and the reply that is made of it and of a model's sentences."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from agent.analysts.rules import statement
from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence import Citable, CommitEvidence, EvidenceSet
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact
from agent.domain.spending import Spent
from agent.gate.check import refusals
from agent.questions import THREADS, AnswerSection, Hit, Named, Outcome, Query, Reply
from agent.reports.chapter import checked_claims
from agent.telling import told_facts
from graphs.ask_context import AskContext
from graphs.ask_state import AskInput, ReplyInput

_MAX_HITS = 50_000  # Of a lookup by name or qualifier, which lists everything
_BEST = 20
_MAX_FACT_COMMITS = 10  # Commits whose facts a reply states
_MAX_ABSENT = 4  # Names of which a reply states that nothing mentions them
_MAX_ABSENT_NAME = 100  # Characters
_MAX_FACTS = 3  # That a reply states of each commit


async def reply_of(state: ReplyInput, context: AskContext) -> Reply:
    """Choose what is published; what a question names is shown, whatever a model passes over."""
    query = state["query"]
    hits = state["hits"]
    repos = [searched.repo for searched in state["searched"]]
    claims = list(state["sentences"].published)
    cited: list[EvidenceId] = []
    for claim in claims:
        cited += claim.cites
    sections = []
    for section in _sections(query, repos, hits, context):
        if not {hit.id for hit in section.hits}.intersection(cited):
            sections.append(section)
    sections += _absent_sections(state["absent"], sections, query, repos, context)
    best_hits: list[EvidenceId] = []
    for section in sections:
        best_hits += [hit.id for hit in section.hits[:_BEST]]
    listed = list(dict.fromkeys(best_hits))
    commits = [name for name in listed if not name.is_thread][:_MAX_FACT_COMMITS]
    unread = [name for name in commits if name not in state["evidence"]]
    evidence: dict[EvidenceId, Citable] = dict(state["evidence"])
    evidence |= await context.load(unread, query.window)
    facts = _stated_facts(query, commits, evidence)
    shown = tuple(dict.fromkeys((*cited, *(state["nearest"] or []))))
    remembered = (
        *shown,
        *listed,
        *(hit.id for hit in hits[: 2 * _BEST]),
        *state["releases"].values(),
    )
    return Reply(
        outcome=_outcome(state, claims),
        lang=query.lang,
        window=query.window,
        claims=(*claims, *facts),
        cites=tuple(dict.fromkeys((*shown, *listed))),
        shown=shown,
        sections=tuple(sections),
        evidence=tuple(hits),
        known=context.memory.all(remembered),
        releases=state["releases"],
        searched=tuple(state["searched"]),
        failures=tuple(context.memory.problems(repos, query.window)),
        dropped=len(state["sentences"].failed),
        trouble=state["trouble"],
        has_model=context.models is not None,
        spent=_spent(state, context),
    )


def _spent(state: ReplyInput, context: AskContext) -> Spent:
    """Return what the question has cost, the judge included."""
    if context.models is None:
        return Spent()
    return (state["account"] + context.take_spent(account_of(state))).spent


def account_of(state: AskInput) -> str:
    """Name the account that pays for a question, the same if it is asked again."""
    digest = hashlib.sha256(f"{state['turn']} {state['question']}".encode()).hexdigest()
    return f"question {digest[:12]}"


def _outcome(state: ReplyInput, claims: Sequence[Claim]) -> Outcome:
    if state["trouble"]:
        return "failed"
    was_model_asked = bool(state["messages"])
    if not was_model_asked:
        return "filtered" if state["query"].is_filtered else "looked up"
    if state["nearest"] is not None:
        return "abstained"
    return "answered" if claims else "refused"


def _sections(
    query: Query, repos: Sequence[RepoId], ranking: Sequence[Hit], context: AskContext
) -> list[AnswerSection]:
    if query.is_filtered:
        return [_filtered_section(query, repos, context)]
    return _named_sections(query, repos, ranking, context)


def _named_sections(
    query: Query, repos: Sequence[RepoId], ranking: Sequence[Hit], context: AskContext
) -> list[AnswerSection]:
    """Find everything that is named outright, each name by itself.

    What fits the rest of the question comes first, in the order of the ranking.
    """
    ranks = {hit.id: rank for rank, hit in enumerate(ranking)}
    sections = []
    for named in query.named:
        found = context.index.search("", [named], repos, query.window, _MAX_HITS)
        newest = newest_first(hit for hit in found if hit.named)
        hits = tuple(sorted(newest, key=lambda hit: ranks.get(hit.id, len(ranks))))
        # What only looks like a name may be none: without hits it is passed over.
        is_surely_named = named.kind != "name" or "_" in named.text or named.text.startswith("--")
        if hits or is_surely_named:
            sections.append(AnswerSection(what=(_shown_name(named),), hits=hits))
    return sections


def _absent_sections(
    names: Sequence[str],
    sections: Sequence[AnswerSection],
    query: Query,
    repos: Sequence[RepoId],
    context: AskContext,
) -> list[AnswerSection]:
    """Return an empty section for each name that a model calls absent, if nothing has it indeed."""
    told = {section.what[0] for section in sections}
    absent = []
    for text in list(dict.fromkeys(names))[:_MAX_ABSENT]:
        name = text.strip("`\"' ")[:_MAX_ABSENT_NAME]
        if not name or name in told:
            continue
        named = Named(kind="name", text=name)
        hits = context.index.search("", [named], repos, query.window, _MAX_HITS)
        if not any(hit.named for hit in hits):
            absent.append(AnswerSection(what=(name,), hits=()))
    return absent


def _filtered_section(query: Query, repos: Sequence[RepoId], context: AskContext) -> AnswerSection:
    """Find everything that fits all qualifiers and has everything that is named beside them."""
    hits = filtered_hits(query, repos, context)
    names = {named.text for named in query.named}
    if names and not query.wanted("in"):
        having = context.index.search("", query.named, repos, query.window, _MAX_HITS)
        kept = {hit.id for hit in having if names <= set(hit.named)}
        hits = [hit for hit in hits if hit.id in kept]
    qualifiers = map(":".join, query.filters)
    return AnswerSection(
        what=(*qualifiers, *map(_shown_name, query.named)), hits=newest_first(hits)
    )


def filtered_hits(query: Query, repos: Sequence[RepoId], context: AskContext) -> list[Hit]:
    """Return everything that fits the qualifiers of a question."""
    kinds = [THREADS[kind] for kind in query.wanted("is") if kind in THREADS]
    if kinds:
        return _filtered_threads(query, repos, kinds, context)
    return _filtered_commits(query, repos, context)


def _filtered_threads(
    query: Query, repos: Sequence[RepoId], kinds: Sequence[str], context: AskContext
) -> list[Hit]:
    authors = query.wanted("author")
    hits = []
    for hit in context.index.entries(repos, query.window):
        if hit.kind in kinds and all(author in hit.author.lower() for author in authors):
            hits.append(hit)
    return hits


def _filtered_commits(query: Query, repos: Sequence[RepoId], context: AskContext) -> list[Hit]:
    hits = []
    for card in context.memory.listed(repos, query.window, _MAX_HITS):
        if query.fits(card):
            hits.append(Hit(id=card.id, kind="commit", opened=f"{card.at:%Y-%m-%dT%H:%M:%SZ}"))
    return hits


def _shown_name(named: Named) -> str:
    """Return a name as a reader writes it, with its repository if the question has one."""
    if named.kind == "thread":
        if named.repo is None:
            return f"#{named.text}"
        return str(EvidenceId.listed(named.repo, number=int(named.text)))
    if named.kind == "commit" and named.repo is not None:
        return str(EvidenceId.listed(named.repo, revision=named.text))
    return named.text


def newest_first(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Sort hits, the newest first; those of the same moment by their ids."""
    by_id = sorted(hits, key=lambda hit: hit.id)
    return tuple(sorted(by_id, key=lambda hit: hit.opened, reverse=True))


def _stated_facts(
    query: Query, names: Sequence[EvidenceId], evidence: Mapping[EvidenceId, Citable]
) -> list[Claim]:
    """State the facts of commits, those about what is named first; the gate checks each."""
    words = [named.text.lstrip("-") for named in query.named if named.kind == "name"]

    def is_unnamed(fact: Fact) -> bool:
        return not any(word in fact.name for word in words)

    claims: list[Claim] = []
    for name in names:
        commit = evidence.get(name)
        if isinstance(commit, CommitEvidence):
            facts = sorted(told_facts(commit.facts), key=is_unnamed)
            claims += [statement(fact, commit) for fact in facts[:_MAX_FACTS]]
    evidence_set = EvidenceSet(by_id=evidence, seen=frozenset(evidence))
    passed, _ = checked_claims(claims, (), (), evidence_set, refusals)
    return [claim.model_copy(update={"id": f"f{index}"}) for index, claim in enumerate(passed)]
