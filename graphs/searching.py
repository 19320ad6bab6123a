"""Looking for what a question means: in memory first, in the sources where that is not enough."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from agent.asking.findings import Findings, Searched
from agent.asking.inquiry import Aim, Inquiry, Thing
from agent.asking.lineage import Lineage
from agent.asking.matching import Match, match
from agent.asking.names import is_person
from agent.asking.periods import BEGINNING
from agent.asking.premises import names_nobody
from agent.card import Card
from agent.domain import Issue, PullRequest
from agent.errors import NotFound
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import FactKind
from agent.ids import RepoId, ThreadId, thread_id
from agent.settings import RepoSpec
from agent.window import Window, midnight, zone
from graphs.likening import likest, parts_of_series
from graphs.stocking import Stock
from graphs.tracing import Tracer
from graphs.weighing import Weigher
from memory.catalogue import Needle

_FIRST_DAYS = 7
_LISTED = 3_000
_READ = 14
"""Commits that are read again before anything is said of them."""
_TOLD = 3
"""Words for each name, above which a question is about what it tells."""
_LISTING = (Aim.BROKE, Aim.COUNT, Aim.SUMMARY, Aim.CHANGES)


@dataclass
class Searcher:
    """Finds what one question needs."""

    stock: Stock
    specs: tuple[RepoSpec, ...]
    now: datetime
    tz: str

    def __post_init__(self) -> None:
        self._words = Weigher(self.stock, self.specs, self.now, self.tz)

    async def find(self, inquiry: Inquiry) -> Findings:
        """Gather everything that an answer may be made from."""
        inquiry = self._words.with_names(self._with_labels(self._with_strangers(inquiry)))
        tracer = Tracer(self.stock, self.specs)
        specs = [spec for spec in self.specs if not inquiry.repos or spec.name in inquiry.repos]
        repos = [spec.name for spec in specs]
        between = await self._between(inquiry, specs)
        window = self._window(inquiry, between, repos)
        searched = [await self._prepare(spec, window) for spec in specs]
        threads, unread = await tracer.threads(inquiry, specs)
        named = await self._named(inquiry, specs, threads)
        groups = [[spec] for spec in specs] if inquiry.each else [specs]
        fitting = [await self._fitting(inquiry, group, window, tracer) for group in groups]
        matches, near, best = ([one for part in parts for one in part] for parts in zip(*fitting, strict=True))
        if inquiry.series and (parts := parts_of_series(inquiry, self.stock.cards, repos, window, self.now)):
            matches, inquiry = parts, inquiry.model_copy(update={"acts": ()})
        if named:
            # What is named outright needs no words to be found by, nor does anything else fit better.
            matches = [match(card, inquiry.model_copy(update={"terms": ()}), {}) for card in named]
        listed = self.stock.cards.listed(repos, window, _LISTED) if _lists(inquiry) else []
        if not matches and not listed:
            near = near or self._words.elsewhere(inquiry, specs, window)
            threads |= tracer.by_words(inquiry, repos) if inquiry.names or inquiry.terms else {}
        links = tracer.links(threads, named, matches)
        threads |= tracer.linked_issues(links, threads)
        attempts = tracer.attempts(threads)
        labelled = tracer.labelled(inquiry, repos)
        pins = tracer.pins(inquiry)
        causes = tracer.causes(inquiry, matches)
        known = {one.number for one in threads.values()} | {card.pull for card in named if card.pull}
        naming = tracer.naming(inquiry, known, repos)
        beside = [*tracer.linked(links), *pins, *causes, *self._brought(labelled)]
        beside += [card for several in naming.values() for card in several]
        cards = {card.id: card for card in (*named, *beside, *(one.card for one in (*matches, *best, *near)))}
        lineage = tracer.lineage(list(cards.values()), repos)
        later = tracer.later(replace(lineage, cards=[*lineage.cards, *cards.values()]))
        cards |= {card.id: card for card in (*lineage.cards, *later)}
        beside += later
        shown = self._shown(inquiry, named, matches, best, near, listed, lineage, beside)
        cards |= {card.id: card for card in shown}
        evidence = await self._evidence(shown)
        return Findings(
            inquiry=inquiry,
            window=window or self._whole(searched),
            searched=tuple(searched),
            matches=tuple(matches),
            near=tuple(near),
            best=tuple(best),
            listed=tuple(listed),
            evidence=evidence,
            cards=cards,
            threads={**threads, **{one.id: one for several in attempts.values() for one in several}}
            | {one.id: one for one in labelled},
            unread=unread,
            naming=naming,
            issues=tuple(self.stock.threads.issues(repos)) if Thing.ISSUE in inquiry.things else (),
            labelled=labelled,
            comments=await tracer.comments(inquiry, threads),
            attempts=attempts,
            links=links,
            releases={repo: self.stock.threads.releases(repo) for repo in repos},
            tags=await tracer.tags(inquiry, shown),
            undone=lineage.undone,
            relanded=lineage.relanded,
            origins=await tracer.origins(shown),
            members=await tracer.members(inquiry, evidence),
            pins=pins,
            causes=causes,
            later=later,
            ambiguous=self._ambiguous(inquiry, named),
            unknown=await self._unknown(inquiry, specs),
            between=between,
        )

    async def _fitting(
        self, inquiry: Inquiry, specs: Sequence[RepoSpec], window: Window | None, tracer: Tracer
    ) -> tuple[list[Match], list[Match], list[Match]]:
        """Find the commits that fit, those that come near, and those that fit the question as a whole best."""
        repos = [spec.name for spec in specs]
        matches, near = await self._words.matches(inquiry, specs, window)
        reported = not matches and inquiry.bug and bool(tracer.by_words(inquiry, repos))
        # Where an issue speaks of a symptom, how it stands is the answer.
        best = [] if reported else likest(inquiry, self.stock.cards, repos, window, self.now)
        if best and not _share_one(best, matches) and _may_replace(best, matches, inquiry):
            # What fits the whole question is meant, and not what has one name of it.
            matches, near = best, [*matches, *near]
        return matches, near, best

    def _with_strangers(self, inquiry: Inquiry) -> Inquiry:
        """Take a word that owns something, as repositories do, for one that is not at hand where nothing has it."""
        unheard = [one for one in inquiry.owners if self.stock.cards.rarity((one.lower(),)) == math.inf]
        return inquiry.model_copy(update={"strangers": (*inquiry.strangers, *unheard)}) if unheard else inquiry

    def _with_labels(self, inquiry: Inquiry) -> Inquiry:
        """Look for labels in titles where there are no threads that could carry them."""
        if not inquiry.labels or any(self.stock.threads.any(spec.name) for spec in self.specs):
            return inquiry
        return inquiry.model_copy(update={"names": (*inquiry.names, *inquiry.labels), "labels": ()})

    def _brought(self, threads: Sequence[Issue | PullRequest]) -> list[Card]:
        pulls = [one for one in threads if isinstance(one, PullRequest)][:_READ]
        return [card for pull in pulls for card in self.stock.cards.by_pull(pull.number, [pull.repo])]

    # ---------------------------------------------------------------- time

    def _window(
        self, inquiry: Inquiry, between: Sequence[tuple[str, datetime]], repos: Sequence[RepoId]
    ) -> Window | None:
        if len(between) == 2 and between[0][1] < between[1][1]:
            return Window(start=between[0][1], end=between[1][1] + timedelta(seconds=1), tz=self.tz)
        window = inquiry.window
        if window is None or window.start > BEGINNING:
            return window
        # Of a time without a beginning, what is known is looked at; nobody wants a whole history read.
        week = (window.cutoff or window.end) - timedelta(days=_FIRST_DAYS)
        known = [start for repo in repos for start, _ in self.stock.cards.spans(repo)]
        return window.model_copy(update={"start": min([week, *known])})

    async def _prepare(self, spec: RepoSpec, window: Window | None) -> Searched:
        """See to it that everything of the time in question is known."""
        repo, now = spec.name, self.now.astimezone(UTC).replace(microsecond=0)
        wanted = window or self._unnamed(repo, now)
        if wanted.start < now:
            end = min(wanted.cutoff or wanted.end, now + timedelta(seconds=1))
            await self.stock.complete(spec, wanted.model_copy(update={"end": end, "cutoff": None}))
        spans = self.stock.cards.spans(repo)
        start = wanted.start if window else min((a for a, _ in spans), default=wanted.start)
        end = min(wanted.cutoff or wanted.end, now + timedelta(seconds=1)) if window else now
        inside = Window(start=start, end=max(end, start + timedelta(seconds=1)), tz=self.tz)
        # Where a budget ended the reading, what was read is what is told.
        first = max(inside.start, min((a for a, b in spans if b > inside.start), default=inside.start))
        count = self.stock.cards.count(repo, inside)
        return Searched(repo, first, max(end, first), count, self.stock.threads.any(repo))

    def _unnamed(self, repo: RepoId, now: datetime) -> Window:
        """Give the time to read for a question that names none: the last days, or what is new since then."""
        spans = self.stock.cards.spans(repo)
        week = midnight((now.astimezone(zone(self.tz)) - timedelta(days=_FIRST_DAYS)).date(), self.tz)
        start = max(spans[-1][1], week) if spans else week
        return Window(start=min(start, now), end=now + timedelta(seconds=1), tz=self.tz)

    def _whole(self, searched: Sequence[Searched]) -> Window:
        start = min((one.start for one in searched), default=self.now - timedelta(days=1))
        end = max((one.end for one in searched), default=self.now)
        return Window(start=start, end=max(end, start + timedelta(seconds=1)), tz=self.tz)

    async def _between(self, inquiry: Inquiry, specs: Sequence[RepoSpec]) -> tuple[tuple[str, datetime], ...]:
        """Find the moments of two versions, for what happened from one to the other."""
        if len(inquiry.versions) != 2 or not specs:
            return ()
        moments = [(version, await self._moment(version, specs)) for version in inquiry.versions]
        found = [(version, moment) for version, moment in moments if moment is not None]
        return tuple(sorted(found, key=lambda one: one[1])) if len(found) == 2 else ()

    async def _unknown(self, inquiry: Inquiry, specs: Sequence[RepoSpec]) -> tuple[str, ...]:
        """Find the version that a question about one version means, and that is not there."""
        narrowed = inquiry.names or inquiry.terms or inquiry.numbers or inquiry.shas
        if inquiry.aim not in (Aim.BROKE, Aim.SUMMARY, Aim.CHANGES) or len(inquiry.versions) != 1 or narrowed:
            return ()
        version = inquiry.versions[0]
        return () if await self._moment(version, specs) else (version,)

    async def _moment(self, version: str, specs: Sequence[RepoSpec]) -> datetime | None:
        bare = version.lstrip("vV")
        for spec in specs:
            for release in self.stock.threads.releases(spec.name):
                if release.tag.lstrip("vV") == bare:
                    return release.published_at
            for card in self.stock.cards.search([Needle((bare,))], [spec.name], limit=30):
                if any(fact.kind is FactKind.VERSION_CHANGED and fact.new == bare for fact in card.facts):
                    return card.at
        for spec in specs:
            read = [sha for sha, title in await self._words.titles(spec) if bare in title][:5]
            await self.stock.read(spec, read)
            for card in self.stock.cards.search([Needle((bare,))], [spec.name], limit=30):
                if any(fact.kind is FactKind.VERSION_CHANGED and fact.new == bare for fact in card.facts):
                    return card.at
        return None

    # ---------------------------------------------------------------- names

    async def _named(
        self, inquiry: Inquiry, specs: Sequence[RepoSpec], threads: dict[ThreadId, Issue | PullRequest]
    ) -> list[Card]:
        """Find the commits that are named by hash or by pull request."""
        found: list[Card] = []
        for sha in inquiry.shas:
            found += await self._by_hash(sha, specs)
        homes = dict(inquiry.homes)
        for number in inquiry.numbers:
            for spec in (one for one in specs if homes.get(number, one.name) == one.name):
                found += await self._by_pull(number, spec, threads.get(thread_id(spec.name, number)))
        return list({card.id: card for card in found}.values())

    async def _by_hash(self, sha: str, specs: Sequence[RepoSpec]) -> list[Card]:
        repos = [spec.name for spec in specs]
        if known := self.stock.cards.by_hash(sha, repos):
            return known
        for spec in specs:
            desk = await self.stock.desks.open(spec)
            try:
                commit = await desk.code.resolve(sha)
            except NotFound:
                continue
            await self.stock.read(spec, [commit.sha])
        return self.stock.cards.by_hash(sha, repos)

    async def _by_pull(self, number: int, spec: RepoSpec, thread: Issue | PullRequest | None) -> list[Card]:
        if isinstance(thread, Issue):
            return []
        if known := self.stock.cards.by_pull(number, [spec.name]):
            return known
        if thread is not None and thread.merge_commit:
            await self.stock.read(spec, [thread.merge_commit])
        elif thread is None:
            tail = f"(#{number})"
            await self.stock.read(
                spec, [sha for sha, title in await self._words.titles(spec) if title.endswith(tail)][:3]
            )
        return self.stock.cards.by_pull(number, [spec.name])

    # ---------------------------------------------------------------- reading again

    def _ambiguous(self, inquiry: Inquiry, named: Sequence[Card]) -> dict[str, tuple[EvidenceId, ...]]:
        several = {sha: tuple(card.id for card in named if card.sha.startswith(sha)) for sha in inquiry.shas}
        return {sha: names for sha, names in several.items() if len(names) > 1}

    def _shown(
        self,
        inquiry: Inquiry,
        named: Sequence[Card],
        matches: Sequence[Match],
        best: Sequence[Match],
        near: Sequence[Match],
        listed: Sequence[Card],
        lineage: Lineage,
        beside: Sequence[Card],
    ) -> list[Card]:
        """Choose the commits that an answer will speak of."""
        newest = sorted(matches, key=lambda one: one.card.at, reverse=True)
        chosen = [*named, *(one.card for one in newest[:_READ]), *(one.card for one in matches[:_READ])]
        chosen += [one.card for one in (*best, *near[:3])]
        if inquiry.aim in _LISTING and names_nobody(inquiry):
            own = [card for card in listed if any(is_person(name, card.author) for name in inquiry.people)]
            all_of_it = own if inquiry.people else listed
            grave = sorted(all_of_it, key=lambda card: -sum(fact.severity.value == "breaking" for fact in card.facts))
            chosen += [*grave[:_READ], *all_of_it[:_READ]]
        chosen += [*beside, *lineage.cards]
        unique = {card.id: card for card in chosen}
        return list(unique.values())[: 3 * _READ]

    async def _evidence(self, cards: Sequence[Card]) -> dict[EvidenceId, CommitEvidence]:
        found: dict[EvidenceId, CommitEvidence] = {}
        for spec in self.specs:
            own = {card.sha: card for card in cards if card.repo == spec.name}
            if not own:
                continue
            desk = await self.stock.desks.open(spec)
            async for change in desk.code.changes(list(own)):
                found[change.commit.id] = own[change.commit.sha].evidence(change)
        return found


def _share_one(some: Sequence[Match], others: Sequence[Match]) -> bool:
    """Tell whether a commit is among both."""
    return not {one.card.id for one in some}.isdisjoint(one.card.id for one in others)


def _may_replace(some: Sequence[Match], others: Sequence[Match], inquiry: Inquiry) -> bool:
    """Tell whether these have every name, or the others none, or the question tells far more than names."""
    named = max(one.named for one in some) == 1.0 or not any(one.named for one in others)
    return named or len(inquiry.terms) > _TOLD * len(inquiry.names)


def _lists(inquiry: Inquiry) -> bool:
    """Tell whether a question is about everything that landed in a time."""
    narrowed = inquiry.names or inquiry.terms or inquiry.shas or inquiry.numbers
    return inquiry.aim in _LISTING and not narrowed
