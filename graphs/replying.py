"""How a reply is put together: from judged sentences, or without a model from exact look-ups and ranked evidence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.asking.query import Filters, Hit, Named, Query
from agent.asking.reply import SHOWN, Known, Page, Reply, evidence_of
from agent.claims import Claim, Role
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, EvidenceId
from agent.gate.check import first_refusal
from agent.ids import RepoId
from agent.markdown import code, inline
from agent.rules import statement
from agent.telling import told_groups
from graphs.ask_context import AskContext

_ALL = 5_000
_TOLD, _FACTS, _BEST = 10, 3, 10
"""Commits whose facts are told, facts of each, and pieces of evidence that fit best."""
State = Mapping[str, Any]


def model_reply(state: State, context: AskContext) -> Reply:
    """Give the sentences that were judged, or that nothing answers, or what the search found."""
    hits, claims = state["hits"], sorted(state["published"], key=lambda one: int(one.id[1:]))
    cites = list(dict.fromkeys(cite for claim in claims for cite in claim.cites))
    near = state.get("nearest")
    listed = evidence_of(hits, cites if near is None and claims else near or [hit.id for hit in hits[:_BEST]])
    page = _page(state, context, listed)
    said = "".join(map(page.sentence, claims))
    if state["trouble"]:
        text = page.say("failed", why=inline(state["trouble"])) + page.rows(listed, {}, why=True)
    elif near is not None:
        text = page.say("nothing") + said + (page.say("nearest") + page.rows(listed, {}) if listed else "")
    elif claims:
        text = said + page.say("evidence") + page.rows(listed, {})
    else:
        text = page.say("best") + page.rows(listed, {}, why=True)
    text += page.say("refused", count=len(state["failed"])) if state.get("failed") else ""
    abstained = near is not None or not claims
    shown = [hit.id for hit in listed] if abstained and near is not None else []
    return _reply(state, context, page, text, claims, dict.fromkeys((*cites, *shown)), abstained=abstained)


async def looked_up(state: State, context: AskContext) -> Reply:
    """Tell what is named outright or filtered for, then what fits the words best, called what it is."""
    query: Query = state["query"]
    sections = _filtered(state, context) if query.filters.any else _named(state, context)
    told = list(dict.fromkeys(hit for _, hits in sections for hit in hits[:SHOWN]))
    rest = [] if query.filters.any else [hit for hit in state["hits"] if hit.id not in {one.id for one in told}]
    page = _page(state, context, [*told, *rest])
    claims = await _facts(query, [hit.id for hit in told if hit.kind == "commit"][:_TOLD], context)
    parts = [page.say("named" if hits else "unknown", what=what, count=len(hits)) + page.rows(hits, claims) for what, hits in sections]
    if query.filters.any:
        parts = [page.say("filtered", what=what, count=len(hits)) + page.rows(hits, claims) for what, hits in sections]
    elif rest:
        parts.append(page.say("best") + page.rows(rest[:_BEST], {}, why=True))
    elif not told:
        parts.append(page.say("none"))
    if context.deps.models is None and not query.filters.any:
        parts.append(page.say("no model"))
    said = [claim for several in claims.values() for claim in several]
    answered = bool(told) or query.filters.any
    return _reply(state, context, page, "".join(parts), said, [hit.id for hit in told], abstained=not answered)


def _reply(
    state: State,
    context: AskContext,
    page: Page,
    text: str,
    claims: Sequence[Claim],
    cites: Iterable[EvidenceId],
    *,
    abstained: bool,
) -> Reply:
    return Reply(
        answer=(text + page.searched(state["searched"], context.reader.most)).strip() + "\n",
        lang=page.lang,
        abstained=abstained,
        claims=tuple(claims),
        cites=tuple(cites),
        evidence=tuple(state["hits"]),
        searched=tuple(state["searched"]),
        dropped=len(state.get("failed") or ()),
    )


def _page(state: State, context: AskContext, hits: Iterable[Hit]) -> Page:
    query: Query = state["query"]
    known: dict[EvidenceId, Known] = {hit.id: one for hit in hits if (one := context.known(hit.id))}
    return Page(query.lang, context.web, context.tz, query.window, known)


def _repos(state: State) -> list[RepoId]:
    return [one.repo for one in state["searched"]]


def _named(state: State, context: AskContext) -> list[tuple[str, list[Hit]]]:
    """Find everything that is named outright, each name by itself."""
    query: Query = state["query"]
    sections = []
    for one in query.named:
        found = context.index.search("", [one], _repos(state), query.window, _ALL)
        hits = _newest(hit for hit in found if hit.named)
        if hits or one.kind != "name" or "_" in one.text or one.text.startswith("--"):
            sections.append((code(_shown(one)), hits))
    return sections


def _shown(one: Named) -> str:
    where = one.repo or ""
    return {"thread": f"{where}#{one.text}", "commit": f"{where}@{one.text}".lstrip("@")}.get(one.kind, one.text)


def _newest(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(sorted(hits, key=lambda hit: hit.id), key=lambda hit: hit.opened, reverse=True)


def _filtered(state: State, context: AskContext) -> list[tuple[str, list[Hit]]]:
    """Find everything that fits all qualifiers and has everything that is named beside them."""
    query: Query = state["query"]
    filters, names = query.filters, {one.text for one in query.named}
    having = context.index.search("", query.named, _repos(state), query.window, _ALL) if names else []
    kept = {hit.id for hit in having if names <= set(hit.named)}
    cards = context.reader.cards.listed(_repos(state), query.window, 50_000)
    found: list[tuple[EvidenceId, str, str, str]] = []
    if {"issue", "pr", "release"} & set(filters.kinds):
        everything = context.index.entries(_repos(state), query.window)
        sort = {"issue": "issue", "pr": "pull", "release": "release"}[next(one for one in filters.kinds if one in ("issue", "pr", "release"))]
        found = [(name, kind, opened, author) for name, kind, opened, author in everything if kind == sort]
        found = [one for one in found if all(name in one[3].lower() for name in filters.authors)]
    else:
        found = [(card.id, "commit", f"{card.at:%Y-%m-%dT%H:%M:%SZ}", card.author) for card in cards if filters.fits(card)]
    titles = {card.id: card.title for card in cards}
    if filters.titles:
        found = [one for one in found if _in_title(titles.get(one[0], ""), query)]
    elif names:
        found = [one for one in found if one[0] in kept]
    hits = [Hit(id=name, kind=kind, opened=opened, score=0.0) for name, kind, opened, _ in found]
    return [(_told(query), _newest(hits))]


def _in_title(title: str, query: Query) -> bool:
    wanted = [one.text.lower() for one in query.named]
    if wanted:
        return all(one in title.lower() for one in wanted)
    return bool(set(query.words.lower().split()) & set(title.lower().split()))


def _told(query: Query) -> str:
    filters: Filters = query.filters
    said = [f"is:{one}" for one in filters.kinds] + [f"author:{one}" for one in filters.authors]
    said += [f"path:{one}" for one in filters.paths] + (["in:title"] if filters.titles else [])
    return ", ".join(code(one) for one in (*said, *(_shown(one) for one in query.named)))


async def _facts(query: Query, names: Sequence[EvidenceId], context: AskContext) -> dict[EvidenceId, list[Claim]]:
    """Tell the facts of commits, first those about what is named; each is held to the diff."""
    await context.load(names, query.window)
    wanted = [one.text.lstrip("-") for one in query.named if one.kind == "name"]
    dossier = Dossier(found=context.found, seen=frozenset(context.found))
    told: dict[EvidenceId, list[Claim]] = {}
    for place, name in enumerate(names):
        one = context.found.get(name)
        if not isinstance(one, CommitEvidence):
            continue
        groups = told_groups(one.facts)
        groups.sort(key=lambda group: not any(word in fact.name for word in wanted for fact in group))
        claims = [statement("fact", Role.CHANGE, group, one) for group in groups[:_FACTS]]
        checked = [claim.model_copy(update={"judgement": first_refusal(claim, dossier, query.lang)}) for claim in claims]
        passed = [claim for claim in checked if claim.judgement and claim.judgement.passed]
        told[name] = [claim.model_copy(update={"id": f"f{place}.{n}"}) for n, claim in enumerate(passed)]
    return told
