"""Looking for the words and names of a question: in memory, then among the titles of a year."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

from agent.asking.accepting import accepted
from agent.asking.acts import ENTITLED
from agent.asking.deeds import acted, definite
from agent.asking.inquiry import Act, Aim, Inquiry, Term, Thing
from agent.asking.matching import Match, match, text_of
from agent.asking.names import bare_file, is_family, is_path, is_person, pinned, plain, spellings, things_of
from agent.asking.periods import BEGINNING
from agent.asking.saying import said_in
from agent.asking.topics import terms_of
from agent.asking.weights import weights
from agent.card import Card
from agent.facts import FactKind
from agent.ids import RepoId
from agent.settings import RepoSpec
from agent.sources import NamesCommits
from agent.window import Window
from graphs.stocking import Stock
from memory.catalogue import Needle

_PROMOTING = 12
_CANDIDATES = 120
_BACK_DAYS = 400
_BACK_READ = 25
_RARE = 4.5
"""How much a word must say to be a topic: one commit in ninety has it."""
_TELLING = 2
"""Words of a topic that say most about it."""
_NAMES = 12
"""Names that one thing may have had."""


@dataclass
class Weigher:
    """Finds the commits that fit a question, and those that come near."""

    stock: Stock
    specs: tuple[RepoSpec, ...]
    now: datetime
    tz: str
    _titles: dict[RepoId, list[tuple[str, str]]] = field(default_factory=dict)

    def with_names(self, inquiry: Inquiry) -> Inquiry:
        """Take a word for the name of something where facts know it by exactly that name; part what is no path."""
        names = [part for one in inquiry.names if not self._is_made_up(one) for part in self._parted(one)]
        loose = [one for one in names if _is_phrase(one) and not self._is_written(one)]
        spoken = (*inquiry.terms, *(term for one in loose for term in terms_of(one)))
        update = {"names": tuple(one for one in names if one not in loose), "terms": spoken}
        inquiry = self._settled(inquiry.model_copy(update=update))
        asks_value = inquiry.often or inquiry.aim is Aim.WHEN or Act.BUMPED in inquiry.acts
        if inquiry.names or not asks_value:
            return inquiry
        known = [term for term in inquiry.terms if term.said.isascii() and self._is_name(term.said)]
        promoted = sorted(known, key=lambda term: not self._is_pinned(term.said))[:1]
        return inquiry.model_copy(
            update={
                "names": tuple(term.said for term in promoted),
                "terms": tuple(term for term in inquiry.terms if term not in promoted),
            }
        )

    def _settled(self, inquiry: Inquiry) -> Inquiry:
        """Leave out everyday words that nobody wrote, and all of them where something else bounds the question."""
        terms = [self._strengthened(one) if one.weak and one.said.isascii() else one for one in inquiry.terms]
        if len([one for one in terms if not one.weak]) > 1:
            terms = [self._unnumbered(one) if " " in one.said else one for one in terms]
        heard = [one for one in terms if not one.weak or not math.isinf(self.stock.cards.rarity(one.forms))]
        bounded = (
            inquiry.window or inquiry.people or inquiry.things or inquiry.acts or inquiry.names or inquiry.versions
        )
        if bounded and all(one.weak and one.said.isascii() for one in heard):
            heard = []
        return inquiry.model_copy(update={"terms": tuple(heard)})

    def _unnumbered(self, term: Term) -> Term:
        """Take a model whose number nobody wrote for the model, where a question says what else it is about."""
        first = term.said.split()[0]
        cards = self.stock.cards.search([Needle(term.forms)], limit=_PROMOTING)
        return term if any(said_in(text_of(card), [term]) for card in cards) else Term(said=first, forms=(first,))

    def _strengthened(self, term: Term) -> Term:
        """Take an everyday word for the topic where it is what a file is called, and not many commits have it."""
        if self.stock.cards.rarity((term.said,)) < _RARE:
            return term
        cards = self.stock.cards.search([Needle((term.said,))], limit=_PROMOTING)
        stems = {PurePosixPath(path).stem.lower() for card in cards for path in card.paths}
        return term.model_copy(update={"weak": False}) if term.said.lower() in stems else term

    def _is_written(self, words: str) -> bool:
        """Tell whether some commit has these very words."""
        cards = self.stock.cards.search([Needle((words,))], limit=_PROMOTING)
        return any(plain(words) in plain(card.message) for card in cards)

    def _is_made_up(self, name: str) -> bool:
        """Tell whether names are meant that begin as nothing does here: somebody's own, for an example."""
        return is_family(name) and not self.stock.cards.search([Needle(spellings(name))], limit=1)

    def _parted(self, name: str) -> list[str]:
        """Take `a_x/b_y` for two names where nothing has it as a path."""
        if "/" not in name or name.endswith("/") or not is_path(name):
            return [name]
        having = self.stock.cards.search([Needle((name,))], limit=_PROMOTING)
        file = name.rpartition("/")[2]
        if file != bare_file(file) or any(
            plain(name).strip("/") in plain(path) for card in having for path in card.paths
        ):
            return [name]
        return [part for part in name.split("/") if part]

    def _is_name(self, word: str) -> bool:
        """Tell whether a word is the whole name of a dependency, or one with a hyphen that of anything."""
        if self._is_pinned(word):
            return True
        cards = self.stock.cards.search([Needle((word,))], limit=_PROMOTING) if "-" in word else []
        written = [one for card in cards for one in card.written]
        known = [plain(fact.name).rpartition(".")[2] for card in cards for fact in card.facts]
        return plain(word) in known or plain(word) in map(plain, written)

    def _is_pinned(self, word: str) -> bool:
        """Tell whether a word is the whole name of a dependency."""
        cards = self.stock.cards.search([Needle((word,)), Needle(("dependency",))], limit=_PROMOTING)
        return any(pinned(fact) == plain(word) for card in cards for fact in card.facts)

    def elsewhere(self, inquiry: Inquiry, specs: Sequence[RepoSpec], window: Window | None) -> list[Match]:
        """Find what may be meant: the same names in another repository, or the last that landed before a quiet time."""
        if inquiry.names or inquiry.terms:
            others = [spec.name for spec in self.specs if spec not in specs]
            inquiry = inquiry.model_copy(update={"terms": ()}) if inquiry.names else inquiry
            return accepted(self._weighed(inquiry, others, None), inquiry)[:5] if others else []
        if window is None:
            return []
        before = Window(start=BEGINNING, end=window.start, tz=self.tz)
        return [match(card, inquiry, {}) for card in self.stock.cards.listed([one.name for one in specs], before, 1)]

    async def titles(self, spec: RepoSpec) -> list[tuple[str, str]]:
        """List the titles of a year, where that costs nothing; one listing serves the whole question."""
        if spec.name not in self._titles:
            desk = await self.stock.desks.open(spec)
            self._titles[spec.name] = []
            if isinstance(desk.code, NamesCommits):
                now = self.now.astimezone(UTC).replace(microsecond=0)
                year = Window(start=now - timedelta(days=_BACK_DAYS), end=now + timedelta(seconds=1), tz="UTC")
                self.stock.progress.step(spec.name, "looking through a year of titles")
                rows = (await desk.code.landed(year)).rows
                self._titles[spec.name] = [(row.commit.sha, row.commit.title) for row in rows]
        return self._titles[spec.name]

    async def matches(
        self, inquiry: Inquiry, specs: Sequence[RepoSpec], window: Window | None
    ) -> tuple[list[Match], list[Match]]:
        """Find the commits that fit, and those that come near."""
        repos = [spec.name for spec in specs]
        if not (inquiry.names or inquiry.terms or inquiry.versions):
            listed = self.stock.cards.listed(repos, window) if definite(inquiry) or inquiry.things else []
            mine = [card for card in listed if not inquiry.people or _by_one_of(inquiry.people, card)]
            if begins := tuple(one.lower() for one in inquiry.begins):
                return [match(card, inquiry, {}) for card in mine if card.title.lower().startswith(begins)], []
            if Thing.PICK in inquiry.things:
                mine = [card for card in mine if any(fact.kind is FactKind.CHERRY_PICK for fact in card.facts)]
            return [one for card in mine if (one := match(card, inquiry, {})).facts], []
        found = self._weighed(inquiry, repos, window)
        if inquiry.names and (inquiry.aim is Aim.FATE or inquiry.often):
            found = self._with_other_names(inquiry, found, repos)
        fitting = _moved(accepted(found, inquiry), inquiry)
        vague = window is None and not inquiry.shas and not inquiry.numbers
        if not fitting and vague and await self._look_back(inquiry, specs):
            found = self._weighed(inquiry, repos, None)
            fitting = _moved(accepted(found, inquiry), inquiry)
        bare = inquiry.model_copy(update={"versions": ()})
        mistaken = not fitting and inquiry.versions and (inquiry.names or inquiry.terms)
        if mistaken and (nearest := accepted(self._weighed(bare, repos, window), bare)):
            # The version may be what is wrong.
            return [], nearest[:5]
        if window is not None and not fitting:
            # What lies outside the time that was named does not answer, but may be what is meant.
            outside = accepted(self._weighed(inquiry, repos, None), inquiry)
            return [], sorted(outside, key=lambda one: _apart(one.card.at, window))[:5]
        kept = {one.card.id for one in fitting}
        return fitting, [one for one in found if one.card.id not in kept][:5]

    def _with_other_names(self, inquiry: Inquiry, found: list[Match], repos: Sequence[RepoId]) -> list[Match]:
        """Follow renames in both directions, so that a history has the names before and after."""
        names, fresh = set(inquiry.names), list(inquiry.names)
        known = {one.card.id: one for one in found if one.facts or one.works}
        while fresh and len(names) < _NAMES:
            facts = [fact for one in known.values() for fact in one.facts if fact.kind.value.endswith("-renamed")]
            others = {name for fact in facts for name in (fact.old, fact.new) if name}
            fresh = sorted(others - names)
            names |= others
            for name in fresh:
                one_name = inquiry.model_copy(update={"names": (name,), "terms": (), "versions": ()})
                for one in self._weighed(one_name, repos, None):
                    if one.facts:
                        known.setdefault(one.card.id, one)
        return [replace(one, named=1.0) for one in known.values()] or found

    def _weighed(self, inquiry: Inquiry, repos: Sequence[RepoId], window: Window | None) -> list[Match]:
        weighty = weights(inquiry.terms, self.stock.cards.rarity)
        paths = tuple(form for name in inquiry.names if is_path(name) for form in (name, bare_file(name)))
        names = [Needle(spellings(name)) for name in things_of(inquiry.names)] + ([Needle(paths)] if paths else [])
        several = len(inquiry.versions) == 2 or inquiry.contained
        told = () if several else inquiry.versions
        versions = [Needle((version.lstrip("vV"),), needed=not inquiry.names) for version in told]
        terms = [Needle(term.forms, needed=False) for term in inquiry.terms]
        cards = self.stock.cards.search([*names, *versions, *terms], repos, window, _CANDIDATES)
        if not names and len(inquiry.terms) > _TELLING:
            # Words that are everywhere must not crowd out the commits that have the rare ones.
            rare = sorted(inquiry.terms, key=lambda term: -weighty[term.said])[:_TELLING]
            needles = [Needle(term.forms, needed=False) for term in rare]
            further = self.stock.cards.search([*versions, *needles], repos, window, _CANDIDATES // 2)
            cards = list({card.id: card for card in (*cards, *further)}.values())
        if names and not cards:
            # A name that nothing has in full may be there in part.
            loose = [Needle((name,), needed=False) for name in inquiry.names]
            cards = self.stock.cards.search([*loose, *terms], repos, window, 20)
        weighed = [match(card, inquiry, weighty) for card in cards]
        return sorted(weighed, key=lambda one: (-one.rank, -one.card.at.timestamp()))

    async def _look_back(self, inquiry: Inquiry, specs: Sequence[RepoSpec]) -> bool:
        """Read older commits whose titles have every name, or most of the words, of the question."""
        wanted = [plain(name) for name in inquiry.names] or [term.said.lower() for term in inquiry.terms]
        if not wanted:
            return False
        read = 0
        for spec in specs:
            fitting = [
                sha
                for sha, title in await self.titles(spec)
                if sum(one in plain(title) for one in wanted) >= max(1, len(wanted) - (len(wanted) > 2))
            ]
            known = self.stock.cards.known(spec.name, fitting)
            unknown = [sha for sha in fitting if sha not in known][:_BACK_READ]
            await self.stock.read(spec, unknown)
            read += len(unknown)
        return read > 0


def _is_phrase(name: str) -> bool:
    """Tell words in quotation marks from a name."""
    return " " in name or not name.isascii()


def _moved(matches: list[Match], inquiry: Inquiry) -> list[Match]:
    """Where a question asks which version something has come to, keep the commits that moved it."""
    if not (inquiry.last and inquiry.acts == (Act.BUMPED,)):
        return matches
    moved = [one for one in matches if any(acted(fact, Act.BUMPED) for fact in one.facts)]
    return moved or [one for one in matches if ENTITLED[Act.BUMPED].search(one.card.title)]


def _apart(moment: datetime, window: Window) -> timedelta:
    """Tell how far a moment lies from a window."""
    return max(window.start - moment, moment - window.end, timedelta())


def _by_one_of(people: Sequence[str], card: Card) -> bool:
    return any(is_person(name, card.author) for name in people)
