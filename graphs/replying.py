"""Builds replies from what code finds and from the sentences of a model."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

from agent.analysts.rules import statement
from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence import Citable, CommitEvidence, EvidenceSet
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact
from agent.domain.spending import Spent
from agent.fact_sentences import stated_facts
from agent.gate.check import refusals
from agent.questions import THREADS, AnswerSection, Hit, Named, Outcome, Query, Reply
from agent.reports.chapter import checked_claims
from graphs.ask_context import AskContext
from graphs.ask_state import AskInput, ReplyInput
from graphs.mentions import MentionSearch

_MAX_HITS = 50_000  # Of a lookup by name or qualifier, which lists everything
_MAX_LISTED = 20  # Hits of a section that a reply lists
_MAX_REMEMBERED = 40  # Hits of the ranking that a page may describe
_MAX_FACT_COMMITS = 10  # Commits whose facts a reply states
_MAX_ABSENT = 4  # Names of which a reply states that nothing mentions them
_MAX_ABSENT_NAME = 100  # Characters
_MAX_FACTS = 3  # That a reply states of each commit


async def reply_of(state: ReplyInput, context: AskContext) -> Reply:
    """Return what is published; what a question names is shown even if the model ignores it."""
    query = state["query"]
    hits = state["hits"]
    repos = [searched.repo for searched in state["searched"]]
    claims = list(state["sentences"].published)
    cited: list[EvidenceId] = []
    for claim in claims:
        cited += claim.cites
    mention_search = MentionSearch(query, state["searched"], state["evidence"], context)
    all_sections = await _sections(query, repos, hits, context, mention_search)
    sections = _uncited(all_sections, cited)
    section_names = {section.what[0] for section in all_sections}
    absent = [name for name in _absent_names(state["absent"]) if name not in section_names]
    sections += await _absent_sections(absent, query, repos, context, mention_search)
    listed = _listed_ids(sections)
    commits = [name for name in listed if not name.is_thread][:_MAX_FACT_COMMITS]
    unread = [name for name in commits if name not in state["evidence"]]
    evidence: dict[EvidenceId, Citable] = dict(state["evidence"])
    evidence |= await context.load(unread, query.window)
    facts = _stated_facts(query, commits, evidence)
    cited_or_nearest = list(dict.fromkeys((*cited, *(state["nearest"] or []))))
    remembered = [*cited_or_nearest, *listed]
    remembered += [hit.id for hit in hits[:_MAX_REMEMBERED]]
    remembered += state["releases"].values()
    return Reply(
        outcome=_outcome(state, claims),
        lang=query.lang,
        window=query.window,
        claims=(*claims, *facts),
        cites=tuple(dict.fromkeys((*cited_or_nearest, *listed))),
        shown=tuple(cited_or_nearest),
        sections=tuple(sections),
        evidence=tuple(hits),
        known=context.memory.all(remembered),
        releases=state["releases"],
        affected=state["affected"],
        searched=tuple(state["searched"]),
        failures=tuple(context.memory.problems(repos, query.window)),
        dropped=len(state["sentences"].failed),
        trouble=state["trouble"],
        has_model=context.models is not None,
        spent=_spent(state, context),
    )


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


def _spent(state: ReplyInput, context: AskContext) -> Spent:
    """Return what the question has cost, the judge included."""
    if context.models is None:
        return Spent()
    return (state["account"] + context.take_spent(account_of(state))).spent


def account_of(state: AskInput) -> str:
    """Return the account that pays for a question, the same if it is asked again."""
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


async def _sections(
    query: Query,
    repos: Sequence[RepoId],
    ranking: Sequence[Hit],
    context: AskContext,
    mention_search: MentionSearch,
) -> list[AnswerSection]:
    if query.is_filtered:
        return [_filtered_section(query, repos, context)]
    return await _named_sections(query, repos, ranking, context, mention_search)


async def _named_sections(
    query: Query,
    repos: Sequence[RepoId],
    ranking: Sequence[Hit],
    context: AskContext,
    mention_search: MentionSearch,
) -> list[AnswerSection]:
    """Return a section for each name of the question, with everything that has it.

    What fits the rest of the question comes first, in the order of the ranking. Where the index has
    nothing, whole commits and threads are searched.
    """
    ranks = {hit.id: rank for rank, hit in enumerate(ranking)}
    sections = []
    for name in query.named:
        candidates = context.index.search("", [name], repos, query.window, _MAX_HITS)
        newest = newest_first(hit for hit in candidates if hit.named)
        hits = sorted(newest, key=lambda hit: ranks.get(hit.id, len(ranks)))
        what = (_shown_name(name),)
        if hits:
            sections.append(AnswerSection(what=what, hits=tuple(hits)))
        elif _is_surely_name(name):
            # What only looks like a name may be none: without hits it is passed over.
            mentions = await mention_search.mentions(name)
            section = AnswerSection(what=what, hits=mentions.hits, absence=mentions.absence)
            sections.append(section)
    return sections


def _is_surely_name(name: Named) -> bool:
    return name.kind != "name" or "_" in name.text or name.text.startswith("--")


def _absent_names(texts: Sequence[str]) -> list[str]:
    """Return what a model calls absent, each name once and not too many of them."""
    names = [text.strip("`\"' ")[:_MAX_ABSENT_NAME] for text in texts]
    return list(dict.fromkeys(name for name in names if name))[:_MAX_ABSENT]


async def _absent_sections(
    names: Sequence[str],
    query: Query,
    repos: Sequence[RepoId],
    context: AskContext,
    mention_search: MentionSearch,
) -> list[AnswerSection]:
    """Return an empty section for each of the names that indeed nothing mentions."""
    sections = []
    for text in names:
        name = Named(kind="name", text=text)
        hits = context.index.search("", [name], repos, query.window, _MAX_HITS)
        if any(hit.named for hit in hits):
            continue
        mentions = await mention_search.mentions(name)
        if mentions.absence is not None:
            sections.append(AnswerSection(what=(text,), hits=(), absence=mentions.absence))
    return sections


def _filtered_section(query: Query, repos: Sequence[RepoId], context: AskContext) -> AnswerSection:
    """Return everything that fits all qualifiers and has everything that is named beside them."""
    hits = filtered_hits(query, repos, context)
    names = {name.text for name in query.named}
    if names and not query.wanted("in"):
        named_hits = context.index.search("", query.named, repos, query.window, _MAX_HITS)
        ids_with_names = {hit.id for hit in named_hits if names <= set(hit.named)}
        hits = [hit for hit in hits if hit.id in ids_with_names]
    words = [f"{key}:{value}" for key, value in query.filters]
    words += map(_shown_name, query.named)
    return AnswerSection(what=tuple(words), hits=newest_first(hits))


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


def _shown_name(name: Named) -> str:
    """Return a name as a reader writes it, with its repository if the question has one."""
    if name.kind == "thread":
        if name.repo is None:
            return f"#{name.text}"
        return str(EvidenceId.listed(name.repo, number=int(name.text)))
    if name.kind == "commit" and name.repo is not None:
        return str(EvidenceId.listed(name.repo, revision=name.text))
    return name.text


def newest_first(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Sort hits, the newest first; those of the same moment by their ids."""
    by_id = sorted(hits, key=lambda hit: hit.id)
    return tuple(sorted(by_id, key=lambda hit: hit.opened, reverse=True))


def _stated_facts(
    query: Query, commit_ids: Sequence[EvidenceId], evidence: Mapping[EvidenceId, Citable]
) -> list[Claim]:
    """Return the facts of commits, those about what is named first; the gate checks each."""
    words = [name.text.lstrip("-") for name in query.named if name.kind == "name"]

    def is_unnamed(fact: Fact) -> bool:
        return not any(word in fact.name for word in words)

    claims: list[Claim] = []
    for commit_id in commit_ids:
        commit = evidence.get(commit_id)
        if isinstance(commit, CommitEvidence):
            facts = sorted(stated_facts(commit.facts), key=is_unnamed)
            claims += [statement(fact, commit) for fact in facts[:_MAX_FACTS]]
    evidence_set = EvidenceSet(by_id=evidence, seen=frozenset(evidence))
    passed, _ = checked_claims(claims, (), (), evidence_set, refusals)
    return [claim.model_copy(update={"id": f"f{index}"}) for index, claim in enumerate(passed)]
