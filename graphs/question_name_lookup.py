"""Lookup of the names and qualifiers of a question; what fits each is a section of the answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.questions_and_replies import THREADS, AnswerSection, Hit, Named, Query
from graphs.absence_search import MentionSearch
from graphs.ask_context import AskContext

_MAX_HITS = 50_000  # Of a lookup by name or qualifier, which lists everything
_MAX_ABSENT = 4  # Names of which a reply states that nothing mentions them
_MAX_ABSENT_NAME = 100  # Characters


@dataclass(frozen=True)
class SectionFinder:
    """Looks up what a question asks for by name or qualifier."""

    query: Query
    repos: Sequence[RepoId]
    context: AskContext
    mention_search: MentionSearch

    async def requested(self, ranking: Sequence[Hit]) -> list[AnswerSection]:
        """Return a section for all qualifiers or, without any, for each name of the question."""
        if self.query.is_filtered:
            return [self._filtered()]
        return await self._named(ranking)

    async def absent(self, names: Sequence[str]) -> list[AnswerSection]:
        """Return an empty section for each of the names that indeed nothing mentions."""
        unindexed = []
        for text in names:
            name = Named(kind="name", text=text)
            if not self._with_names([name]):
                unindexed.append(name)
        absences = await self.mention_search.absences(unindexed)
        sections = []
        for text, absence in absences.items():
            sections.append(AnswerSection(what=(text,), hits=(), absence=absence))
        return sections

    async def _named(self, ranking: Sequence[Hit]) -> list[AnswerSection]:
        """Return a section for each name of the question, with everything that has it.

        What fits the rest of the question comes first, in the order of the ranking. Where the index
        has nothing, whole commits and threads are searched.
        """
        ranks = {hit.id: rank for rank, hit in enumerate(ranking)}
        sections = []
        for name in self.query.named:
            what = (_shown_name(name),)
            newest = newest_first(self._with_names([name]))
            if newest:
                hits = sorted(newest, key=lambda hit: ranks.get(hit.id, len(ranks)))
                sections.append(AnswerSection(what=what, hits=tuple(hits)))
            elif _is_surely_name(name):
                # What only looks like a name may be none: without hits it is passed over.
                mentions = await self.mention_search.mentions(name)
                section = AnswerSection(what=what, hits=mentions.hits, absence=mentions.absence)
                sections.append(section)
        return sections

    def _filtered(self) -> AnswerSection:
        """Return everything that fits all qualifiers and has everything that is named beside them."""
        query = self.query
        hits = filtered_hits(query, self.repos, self.context)
        names = {name.text for name in query.named}
        if names and not query.wanted("in"):
            named_hits = self._with_names(query.named)
            ids_with_names = {hit.id for hit in named_hits if names <= set(hit.named)}
            hits = [hit for hit in hits if hit.id in ids_with_names]
        words = [f"{key}:{value}" for key, value in query.filters]
        words += map(_shown_name, query.named)
        return AnswerSection(what=tuple(words), hits=newest_first(hits))

    def _with_names(self, names: Sequence[Named]) -> list[Hit]:
        """Return the evidence that has one of these names, as the index knows it."""
        window = self.query.window
        hits = self.context.index.search("", names, self.repos, window, _MAX_HITS)
        return [hit for hit in hits if hit.named]


def absent_names(texts: Sequence[str], sections: Iterable[AnswerSection]) -> list[str]:
    """Return what a model calls absent and has no section yet, each name once and not too many."""
    names = dict.fromkeys(text.strip("`\"' ")[:_MAX_ABSENT_NAME] for text in texts)
    section_names = {section.what[0] for section in sections}
    return [name for name in names if name and name not in section_names][:_MAX_ABSENT]


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


def newest_first(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Sort hits, the newest first; those of the same moment by their ids."""
    by_id = sorted(hits, key=lambda hit: hit.id)
    return tuple(sorted(by_id, key=lambda hit: hit.opened, reverse=True))


def _is_surely_name(name: Named) -> bool:
    return name.kind != "name" or "_" in name.text or name.text.startswith("--")


def _shown_name(name: Named) -> str:
    """Return a name as a reader writes it, with its repository if the question has one."""
    if name.kind == "thread":
        if name.repo is None:
            return f"#{name.text}"
        return str(EvidenceId.listed(name.repo, number=int(name.text)))
    if name.kind == "commit" and name.repo is not None:
        return str(EvidenceId.listed(name.repo, revision=name.text))
    return name.text
