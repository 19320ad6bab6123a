"""What is found and told without a model: the ranked list, things named outright, and GitHub-style qualifiers."""

from collections.abc import Iterable, Sequence

from agent.analysts.rules import statement
from agent.asking.query import THREADS, Hit, Named, Query
from agent.asking.reply import Section
from agent.domain.base import EvidenceId, RepoId
from agent.domain.claims import Claim
from agent.domain.evidence import CommitEvidence, Dossier
from agent.reports.chapter import checked_claims
from agent.telling.choosing import told_groups
from graphs.ask_context import AskContext

_ALL, _LEAST = 50_000, 20
_FACTS = 3
"""Facts that are told of each commit."""


def ranked(query: Query, repos: Sequence[RepoId], context: AskContext, most: int) -> list[Hit]:
    """Rank what fits a question; where that is little, the newest of the window come last."""
    hits = context.index.search(query.words, query.named, repos, query.window, most)
    if len(hits) < _LEAST:
        found = {hit.id for hit in hits}
        rest = (hit for hit in context.index.entries(repos, query.window) if hit.id not in found)
        hits += _newest(rest)[: _LEAST - len(hits)]
    return hits


def named_sections(query: Query, repos: Sequence[RepoId], context: AskContext) -> list[Section]:
    """Find everything that is named outright, each name by itself; what looks like a name may be none."""
    sections = []
    for one in query.named:
        found = context.index.search("", [one], repos, query.window, _ALL)
        hits = _newest(hit for hit in found if hit.named)
        if hits or one.kind != "name" or "_" in one.text or one.text.startswith("--"):
            sections.append(Section(what=(_shown(one),), hits=hits))
    return sections


def filtered_section(query: Query, repos: Sequence[RepoId], context: AskContext) -> list[Section]:
    """Find everything that fits all qualifiers and has everything that is named beside them."""
    filters, names = query.filters, {one.text for one in query.named}
    titles = bool(filters.of("in"))
    if kinds := [THREADS[kind] for kind in filters.of("is") if kind in THREADS]:
        entries = [hit for hit in context.index.entries(repos, query.window) if hit.kind in kinds]
        hits = [hit for hit in entries if all(one in hit.author.lower() for one in filters.of("author"))]
    else:
        cards = context.memory.listed(repos, query.window, _ALL)
        fitting = [card for card in cards if filters.fits(card) and (not titles or query.titled(card.title))]
        hits = [Hit(id=card.id, kind="commit", opened=f"{card.at:%Y-%m-%dT%H:%M:%SZ}") for card in fitting]
    if names and not titles:
        having = context.index.search("", query.named, repos, query.window, _ALL)
        kept = {hit.id for hit in having if names <= set(hit.named)}
        hits = [hit for hit in hits if hit.id in kept]
    return [Section(what=(*filters.told, *map(_shown, query.named)), hits=_newest(hits))]


def _shown(one: Named) -> str:
    where = one.repo or ""
    return {"thread": f"{where}#{one.text}", "commit": f"{where}@{one.text}".lstrip("@")}.get(one.kind, one.text)


def _newest(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    return tuple(sorted(sorted(hits, key=lambda hit: hit.id), key=lambda hit: hit.opened, reverse=True))


async def told_facts(query: Query, names: Sequence[EvidenceId], context: AskContext) -> list[Claim]:
    """Tell the facts of commits, first those about what is named; each is held to the diff."""
    await context.load(names, query.window)
    wanted = [one.text.lstrip("-") for one in query.named if one.kind == "name"]
    dossier = Dossier(found=context.found, seen=frozenset(context.found))
    told: list[Claim] = []
    for one in (context.found.get(name) for name in names):
        if isinstance(one, CommitEvidence):
            groups = told_groups(one.facts)
            groups.sort(key=lambda group: not any(word in fact.name for word in wanted for fact in group))
            told += [statement(group, one) for group in groups[:_FACTS]]
    passed, _ = checked_claims(told, (), (), dossier)
    return [claim.model_copy(update={"id": f"f{place}"}) for place, claim in enumerate(passed)]
