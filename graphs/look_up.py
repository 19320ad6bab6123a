"""What is answered without a model: things named outright, and GitHub-style qualifiers, from facts alone."""

from collections.abc import Iterable, Sequence

from agent.asking.query import Hit, Named, Query
from agent.asking.reply import Section
from agent.claims import Claim, Role
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, EvidenceId
from agent.gate.check import first_refusal
from agent.ids import RepoId
from agent.rules import statement
from agent.telling import told_groups
from graphs.ask_context import AskContext

_ALL = 50_000
_FACTS = 3
"""Facts that are told of each commit."""
_THREADS = {"issue": "issue", "pr": "pull", "release": "release"}


def named_sections(query: Query, repos: Sequence[RepoId], context: AskContext) -> list[Section]:
    """Find everything that is named outright, each name by itself; what looks like a name may be none."""
    sections = []
    for one in query.named:
        found = context.index.search("", [one], repos, query.window, _ALL)
        hits = _newest(hit for hit in found if hit.named)
        if hits or one.kind != "name" or "_" in one.text or one.text.startswith("--"):
            sections.append(Section(what=(_shown(one),), hits=hits))
    return sections


def filtered_section(query: Query, repos: Sequence[RepoId], context: AskContext) -> Section:
    """Find everything that fits all qualifiers and has everything that is named beside them."""
    filters, names = query.filters, {one.text for one in query.named}
    having = context.index.search("", query.named, repos, query.window, _ALL) if names else []
    kept = {hit.id for hit in having if names <= set(hit.named)}
    kinds = [_THREADS[kind] for kind in filters.kinds if kind in _THREADS]
    hits: list[Hit] = []
    if kinds:
        entries = context.index.entries(repos, query.window)
        hits = [
            hit
            for hit, author in entries
            if hit.kind in kinds and all(one in author.lower() for one in filters.authors)
        ]
    else:
        cards = context.reader.cards.listed(repos, query.window, _ALL)
        fitting = [card for card in cards if filters.fits(card) and (not filters.titles or query.titled(card.title))]
        hits = [Hit(id=card.id, kind="commit", opened=f"{card.at:%Y-%m-%dT%H:%M:%SZ}", score=0.0) for card in fitting]
    if names and not filters.titles:
        hits = [hit for hit in hits if hit.id in kept]
    return Section(what=(*filters.told, *map(_shown, query.named)), hits=_newest(hits))


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
    for name in names:
        if isinstance(one := context.found.get(name), CommitEvidence):
            groups = told_groups(one.facts)
            groups.sort(key=lambda group: not any(word in fact.name for word in wanted for fact in group))
            for group in groups[:_FACTS]:
                claim = statement("fact", Role.CHANGE, group, one)
                checked = claim.model_copy(
                    update={"id": f"f{len(told)}", "judgement": first_refusal(claim, dossier, query.lang)}
                )
                told += [checked] if checked.judgement and checked.judgement.passed else []
    return told
