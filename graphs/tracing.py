"""What stands around the commits and threads of a question: links, lineage, attempts, comments, origins, uses."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.asking.accepting import speaks_of
from agent.asking.inquiry import Act, Aim, Inquiry, Thing
from agent.asking.lineage import Finder, Lineage, lineage_of
from agent.asking.matching import Match
from agent.asking.names import plain
from agent.asking.stems import stem, words_of
from agent.asking.weights import weights
from agent.card import Card
from agent.domain import Comment, Commit, Issue, PullRequest
from agent.errors import AppError, NotFound
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import FactKind
from agent.ids import RepoId, ThreadId
from agent.links import Link
from agent.settings import RepoSpec
from agent.sources import KnowsTags
from agent.window import Window
from graphs.stocking import Stock
from memory.catalogue import Needle

_LINKED = 14
_THREADS = 8
_NAMING = 8
_ATTEMPTS = 4
_LABELLED = 200
_TAGGED = 6
_CAUSED = 3
_CAUSE = re.compile(
    r"\b(?:br[eo]a?ke?n?|introduced|caused|regress\w*|since|after|due to)\b[^\n#]{0,30}#(?P<number>[1-9]\d{0,8})",
    re.IGNORECASE,
)
_PINS = 20
_LATER, _AFTER, _TRIED = 2, 60, 60
_RARE, _TELLING = 4.5, 2.5
"""How much the words of two titles must say together, and one of them at least, to be of one matter."""
_SHORTEST = 3
_AGAIN = re.compile(
    r"\b(?:bring(?:s|ing)? back|redo|re-?land|re-?appl\w+|again|re-?enabl\w+|retry|v2)\b|重新|再次", re.IGNORECASE
)
Threads = dict[ThreadId, Issue | PullRequest]


@dataclass(frozen=True)
class Tracer:
    """Follows what a question speaks of, in memory and in the sources."""

    stock: Stock
    specs: tuple[RepoSpec, ...]

    # ---------------------------------------------------------------- threads

    async def threads(self, inquiry: Inquiry, specs: Sequence[RepoSpec]) -> tuple[Threads, dict[int, str]]:
        """Read the threads that are named, as they are now; where none is, those whose words fit."""
        threads: Threads = {}
        unread: dict[int, str] = {}
        homes = dict(inquiry.homes)
        for number in inquiry.numbers:
            for spec in specs:
                if homes.get(number, spec.name) != spec.name:
                    continue
                try:
                    thread = await self._thread(spec, number)
                except AppError as error:
                    unread[number] = str(error)
                    continue
                threads[thread.id] = thread
        asks_thread = inquiry.aim in (Aim.STATUS, Aim.BEYOND) or (
            (inquiry.bug or Act.FIXED in inquiry.acts) and inquiry.aim in (Aim.WHO, Aim.WHEN, Aim.FATE)
        )
        if not inquiry.numbers and asks_thread:
            threads |= self.by_words(inquiry, [spec.name for spec in specs])
        wanted_pull = Thing.PULL in inquiry.things and Thing.ISSUE not in inquiry.things
        ordered = sorted(threads.values(), key=lambda one: isinstance(one, PullRequest) is not wanted_pull)
        return {one.id: one for one in ordered}, unread

    async def _thread(self, spec: RepoSpec, number: int) -> Issue | PullRequest:
        known = self.stock.threads.get(spec.name, number)
        desk = await self.stock.desks.open(spec)
        try:
            thread = await desk.threads.issue(number)
        except AppError:
            if known is None:
                raise
            return known
        self.stock.threads.put_one(thread)
        return thread

    def by_words(self, inquiry: Inquiry, repos: Sequence[RepoId]) -> Threads:
        """Find the issues that speak of what is asked."""
        if inquiry.names and inquiry.terms and not (found := self._speaking(inquiry, repos)):
            return self._speaking(inquiry.model_copy(update={"terms": ()}), repos)
        return found if inquiry.names and inquiry.terms else self._speaking(inquiry, repos)

    def _speaking(self, inquiry: Inquiry, repos: Sequence[RepoId]) -> Threads:
        needles = [Needle((name,)) for name in inquiry.names]
        needles += [Needle(term.forms, needed=False) for term in inquiry.terms]
        best = [one for one in self.stock.threads.search(needles, repos, _THREADS) if isinstance(one, Issue)]
        weighty = weights(inquiry.terms, self.stock.cards.rarity)
        fitting = [one for one in best if speaks_of(f"{one.title}\n{one.body}", inquiry, weighty)]
        fitting.sort(key=lambda one: not speaks_of(one.title, inquiry, weighty))
        return {one.id: one for one in fitting}

    def labelled(self, inquiry: Inquiry, repos: Sequence[RepoId]) -> tuple[Issue | PullRequest, ...]:
        """Find the threads with a label that the question names."""
        found = [self.stock.threads.search([Needle((label,))], repos, _LABELLED) for label in inquiry.labels]
        return tuple({one.id: one for several in found for one in several}.values())

    def attempts(self, threads: Threads) -> dict[ThreadId, tuple[PullRequest, ...]]:
        """Find the pull requests that name the issues in question."""
        found: dict[ThreadId, tuple[PullRequest, ...]] = {}
        for issue in (one for one in threads.values() if isinstance(one, Issue)):
            named = re.compile(rf"(?<![\w/#])(?:{re.escape(issue.repo)})?#{issue.number}(?!\d)")
            likely = self.stock.threads.search([Needle((str(issue.number),))], [issue.repo], 4 * _THREADS)
            pulls = [one for one in likely if isinstance(one, PullRequest)]
            naming = [one for one in pulls if issue.id in one.closes or named.search(f"{one.title}\n{one.body}")]
            if naming:
                found[issue.id] = tuple(naming[:_ATTEMPTS])
        return found

    async def comments(self, inquiry: Inquiry, threads: Threads) -> dict[ThreadId, tuple[Comment, ...]]:
        """Read what was said below the threads that are named, where the question asks how they stand or why."""
        found: dict[ThreadId, tuple[Comment, ...]] = {}
        if not inquiry.numbers or not (inquiry.reason or inquiry.aim in (Aim.STATUS, Aim.EXPLAIN, Aim.FATE)):
            return found
        for spec in self.specs:
            for thread in [one for one in threads.values() if one.repo == spec.name and one.number in inquiry.numbers]:
                desk = await self.stock.desks.open(spec)
                try:
                    found[thread.id] = await desk.threads.comments(thread.number)
                except AppError:
                    continue
        return found

    def naming(self, inquiry: Inquiry, known: Iterable[int], repos: Sequence[RepoId]) -> dict[int, tuple[Card, ...]]:
        """Find the commits that name the numbers of which nothing else is known."""
        found: dict[int, tuple[Card, ...]] = {}
        for number in set(inquiry.numbers) - set(known):
            named = re.compile(rf"(?<![\w/#])#{number}(?!\d)")
            likely = self.stock.cards.search([Needle((str(number),))], repos, limit=_NAMING)
            if cards := [card for card in likely if named.search(f"{card.message}")]:
                found[number] = tuple(cards)
        return found

    # ---------------------------------------------------------------- links

    def links(self, threads: Iterable[ThreadId], named: Sequence[Card], matches: Sequence[Match]) -> tuple[Link, ...]:
        """Find what connects the threads and the commits in question with others."""
        names = [*threads, *(card.id for card in named), *(one.card.id for one in matches[:_LINKED])]
        links = [link for name in names for link in self.stock.threads.links_of(name)]
        return tuple({(link.issue, link.change): link for link in links}.values())

    def linked_issues(self, links: Sequence[Link], known: Threads) -> Threads:
        """Find the issues that the changes in question fix."""
        found: Threads = {}
        for link in links:
            repo, _, number = link.issue.rpartition("#")
            thread = None if link.issue in known else self.stock.threads.get(RepoId(repo), int(number))
            if thread is not None:
                found[link.issue] = thread
        return found

    def linked(self, links: Sequence[Link]) -> list[Card]:
        """Find the commits at the other end of links, in whichever repository they landed."""
        shas = [link.change.rpartition("@")[2] for link in links if "@" in link.change]
        repos = [spec.name for spec in self.specs]
        return [card for sha in dict.fromkeys(shas) for card in self.stock.cards.by_hash(sha, repos)]

    # ---------------------------------------------------------------- commits

    def lineage(self, cards: Sequence[Card], repos: Sequence[RepoId]) -> Lineage:
        """Find what undid these commits and what brought them back."""
        undoing = self.stock.cards.search([Needle(("revert*", "reland*", "reapply*"))], repos, limit=300)
        book = self.stock.cards
        return lineage_of(cards, undoing, Finder(book.by_hash, book.by_pull, self._by_title))

    def _by_title(self, title: str, repo: RepoId) -> list[Card]:
        """Find commits by the words of a title."""
        return self.stock.cards.search([Needle((title,))], [repo], limit=8)

    def later(self, lineage: Lineage) -> tuple[Card, ...]:
        """Find what landed on the same matter after something was undone and did not come back by its own name."""
        found: dict[EvidenceId, Card] = {}
        for old, by in lineage.undone.items():
            known = {card.id: card for card in lineage.cards}
            first, undoing = known.get(old), known.get(by)
            if first is None or undoing is None or old in lineage.relanded or by in lineage.relanded:
                continue
            found |= {card.id: card for card in self._on_the_same(first, undoing)}
        return tuple(sorted(found.values(), key=lambda card: card.at)[:_LATER])

    def _on_the_same(self, first: Card, undoing: Card) -> list[Card]:
        """Find later commits with the rare words of a title: by the same people, in the same files, or another try."""
        rarity = {base: self.stock.cards.rarity((word,)) for word, base in _title_words(first).items()}
        needles = [Needle((base, f"{base}*"), needed=False) for base in sorted(rarity) if rarity[base] > _TELLING]
        # Another way may be taken before the first one is undone.
        after = Window(start=first.at, end=undoing.at + timedelta(days=_AFTER), tz="UTC")
        fitting: list[tuple[float, Card]] = []
        for card in self.stock.cards.search(needles, [first.repo], after, _TRIED):
            shared = [rarity[base] for base in set(_title_words(card).values()) if rarity.get(base, 0.0) > _TELLING]
            same = card.author in (first.author, undoing.author) or bool(set(card.paths) & set(first.paths))
            again = same or _AGAIN.search(card.title) or len(shared) > 1
            if sum(shared) > _RARE and again and card.id not in (first.id, undoing.id):
                fitting.append((sum(shared), card))
        return [card for _, card in sorted(fitting, key=lambda one: -one[0])[:_LATER]]

    def causes(self, inquiry: Inquiry, matches: Sequence[Match]) -> tuple[Card, ...]:
        """Find the changes that the commits in question name as what broke something, where that is asked."""
        if Act.BROKEN not in inquiry.acts:
            return ()
        named = [(one.card, found) for one in matches[:_CAUSED] for found in _CAUSE.finditer(one.card.message)]
        found = [card for own, said in named for card in self.stock.cards.by_pull(int(said["number"]), [own.repo])]
        return tuple({card.id: card for card in found}.values())

    async def origins(self, cards: Sequence[Card]) -> dict[EvidenceId, Commit]:
        """Find the commits that these were picked from."""
        found: dict[EvidenceId, Commit] = {}
        for card in cards:
            origin = next((fact.old for fact in card.facts if fact.kind is FactKind.CHERRY_PICK and fact.old), None)
            spec = next((one for one in self.specs if one.name == card.repo), None)
            if origin is None or spec is None:
                continue
            try:
                found[card.id] = await (await self.stock.desks.open(spec)).code.resolve(origin)
            except NotFound:
                continue
        return found

    async def members(
        self, inquiry: Inquiry, evidence: Mapping[EvidenceId, CommitEvidence]
    ) -> dict[EvidenceId, tuple[Commit, ...]]:
        """List what merges brought in, where that is asked."""
        found: dict[EvidenceId, tuple[Commit, ...]] = {}
        merges = [one for one in evidence.values() if one.change.commit.is_merge]
        wanted = inquiry.origin or inquiry.merger or inquiry.aim is Aim.EXPLAIN
        for one in merges[:_TAGGED] if wanted else ():
            spec = next(spec for spec in self.specs if spec.name == one.repo)
            found[one.id] = await (await self.stock.desks.open(spec)).code.members(one.change.commit.sha)
        return found

    def pins(self, inquiry: Inquiry) -> tuple[Card, ...]:
        """Find the commits that move one repository to a version of another, newest first."""
        if not inquiry.pins:
            return ()
        found: list[Card] = []
        for used in inquiry.repos:
            short = used.partition("/")[2]
            others = [repo for repo in inquiry.repos if repo != used]
            cards = self.stock.cards.search([Needle((short,)), Needle(("dependency",))], others, limit=_PINS)
            found += [card for card in cards if any(_moves(fact.kind, fact.name, short) for fact in card.facts)]
        return tuple(sorted(found, key=lambda card: card.at, reverse=True))

    async def tags(self, inquiry: Inquiry, cards: Sequence[Card]) -> dict[EvidenceId, tuple[str, ...]]:
        """Ask which tags contain the first of these commits, where somebody wants to know and the source can tell."""
        if not (inquiry.which_release or inquiry.contained or inquiry.pins or inquiry.aim is Aim.STATUS):
            return {}
        found: dict[EvidenceId, tuple[str, ...]] = {}
        outright = [card for card in cards if _is_named(card, inquiry)]
        for spec in self.specs:
            # In a large repository each question about tags takes a second; what is named outright is enough.
            own = [card for card in outright or cards if card.repo == spec.name][:_TAGGED]
            code = (await self.stock.desks.open(spec)).code if own else None
            if isinstance(code, KnowsTags):
                for card in own:
                    tags = await code.tags_with(card.sha)
                    found |= {card.id: tags} if tags is not None else {}
        return found


def _title_words(card: Card) -> dict[str, str]:
    """Give the words of a title, those of names in parts too, each with its stem."""
    words = {word: stem(word) for word in words_of(card.title)}
    return {word: base for word, base in words.items() if len(base) >= _SHORTEST and not base.isdecimal()}


def _is_named(card: Card, inquiry: Inquiry) -> bool:
    return card.pull in inquiry.numbers or any(card.sha.startswith(sha) for sha in inquiry.shas)


def _moves(kind: FactKind, name: str, short: str) -> bool:
    return kind.value.startswith("dependency-") and plain(name) == plain(short)
