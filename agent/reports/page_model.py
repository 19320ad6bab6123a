"""The page model: everything that a page of a report shows, computed once for every template."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from agent.domain.base import Language, RepoId, short_name
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, Noise
from agent.domain.links import Story
from agent.domain.placement import Importance
from agent.domain.release_notes import ReleaseNotes
from agent.domain.report import ReleaseLine, Report, RepoSection, ThreadLine
from agent.domain.upgrade import Part
from agent.report_languages import HAN

SectionName = Literal["act on", "worth knowing", "also landed"]
Mark = Literal["", "inferred", "advice", "attributed"]
MAX_BRIEF_WORDS = 25  # That a sentence of the brief is asked to have; none is cut
_MAX_PREVIEW_CHARACTERS = 200
_FOLDED_RELEASE_PARTS = ("new", "dependencies")
NO_BREAK = "\u00a0"  # A space at which no line breaks
_LETTER = re.compile(r"\w")


def words_in(text: str) -> int:
    """Count words: runs of letters and digits, and two Chinese characters for one."""
    han_characters = 0
    if not text.isascii():
        text, han_characters = HAN.subn(" ", text)
    words = sum(_LETTER.search(word) is not None for word in text.split())
    return words + (han_characters + 1) // 2


class BriefLength(NamedTuple):
    """How many sentences a brief has, and how many of them are longer than was asked for."""

    sentences: int
    long: int


def brief_length(report: Report) -> BriefLength:
    """Measure the brief of a model; a sentence is as long as its longest translation."""
    brief = [claim for claim in report.claims if claim.role == "brief"]
    long = 0
    for claim in brief:
        if max(map(words_in, claim.text.values()), default=0) > MAX_BRIEF_WORDS:
            long += 1
    return BriefLength(len(brief), long)


GAP = "…"
"""The line between passages of a file that need not follow each other."""


class ExcerptLine(NamedTuple):
    """A line of an excerpt."""

    text: str
    side: str  # `+`, `-` or empty
    marked: bool  # It holds an identifier, a number or words of the sentence that it proves


class PageExcerpt(NamedTuple):
    """Lines of a diff, or words of a message or a thread where `file` is empty."""

    file: str
    lines: tuple[ExcerptLine, ...]

    @property
    def code(self) -> set[str]:
        """The lines without their sides and indentation, by which two excerpts are compared."""
        return {line.text.lstrip("+-").strip() for line in self.lines if line.text != GAP}

    def is_part_of(self, other: "PageExcerpt") -> bool:
        """Return True if another excerpt shows all of these lines."""
        return self.file == other.file and self.code <= other.code


class Citation(NamedTuple):
    """A cited artefact, and what its evidence opens on."""

    id: EvidenceId
    name: str  # As short as it is clear: `a52eff1`, `#2453`, `v0.6.3`
    url: str
    title: str = ""
    about: str = ""  # Its author, its day, and whether that is earlier than the report's
    element_id: str = ""  # Where the page shows it; empty where it does not
    is_own: bool = False  # It is the commit under whose headline the sentence stands
    excerpts: tuple[PageExcerpt, ...] = ()
    """The anchor of the sentence, or the lines of its fact; never other lines."""

    @property
    def evidence(self) -> str:
        """The text that it opens on; of the commit above the sentence there may be none."""
        lines: list[str] = []
        if not self.is_own:
            lines += (self.title, self.name, self.id)
        lines += (excerpt.file for excerpt in self.excerpts)
        for excerpt in self.excerpts:
            lines += (line.text for line in excerpt.lines)
        return "\n".join(lines)


class CitedTitle(str):
    """The quoted title behind a citation, by which a reader knows what is cited."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class PageSentence:
    """A claim in the reader's language."""

    claim: Claim
    mark: Mark  # The sign that it carries on a card; the page explains the signs below its brief
    speaker: str  # Who says it, in front of a quotation
    parts: tuple[str | Citation, ...]
    """Words, in which backticks mean code, and citations in their places."""
    behind: tuple[Citation, ...]  # Citations that stand behind the words
    text: str  # The words alone, with the names of what they cite in the middle
    account_sign: str = ""  # Ends the words of a sentence that only its author's words support
    lang: Language | None = None  # The language of its words, where it is not that of the page
    repo_name: str = (
        ""  # Stands in front of a sentence of a brief that does not name its repository
    )

    @property
    def words(self) -> int:
        """How many words a reader has to read."""
        return words_in(f"{self.speaker} {self.text}")

    @property
    def as_headline(self) -> str:
        """The words without a full stop; what has a title is named by it alone."""
        words = ""
        for part, following in zip_longest(self.parts, self.parts[1:]):
            if isinstance(part, Citation):
                words += "" if isinstance(following, CitedTitle) else part.name
            elif isinstance(part, CitedTitle):
                words += part.lstrip()
            else:
                words += part
        return words.strip().rstrip(".。")

    @property
    def repo(self) -> RepoId:
        """The repository that it speaks of; of several, that of the commit that it is about."""
        if self.claim.repo:
            return self.claim.repo
        sources = (*self.claim.about, *self.claim.sources)
        return sources[0].repo if sources else RepoId("")

    @property
    def flow(self) -> tuple[str | Citation, ...]:
        """Words and citations as they are read; Chinese signs need no space behind them."""
        words = self.text.removesuffix(self.account_sign)
        gap = " " if words[-1:].isascii() else ""
        pieces: list[str | Citation] = [*self.parts]
        for citation in self.behind:
            # The sign of its own commit does not begin a line.
            pieces += (gap.replace(" ", NO_BREAK) if citation.is_own else gap, citation)
            gap = " "
        return tuple(pieces)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations in its words and behind them."""
        inside = tuple(part for part in self.parts if isinstance(part, Citation))
        return inside + self.behind


@dataclass(frozen=True, kw_only=True)
class Item:
    """A landed commit, or a commit and the one that undid it in the same window."""

    row: LedgerRow
    element_id: str  # The same on every page
    path: str  # Its own page
    section: SectionName
    importance: Importance
    headline: str  # What it does in the reader's language, else its original title
    title: str  # The original title, where the headline is another
    subtitle: str  # The same, where it says something that the headline and the sentences do not
    pull: Citation | None
    is_breaking: bool
    is_marked_breaking: bool  # Whether its author says so
    breaks: tuple[str, ...]  # The names of what no longer works
    sentences: tuple[PageSentence, ...]  # In sight
    undone_sentences: tuple[PageSentence, ...]  # In sight: what was written of the undone commit
    more: tuple[PageSentence, ...]  # In the fold: facts, quotations and relations
    excerpt: PageExcerpt | None
    is_excerpt_open: bool  # Whether the excerpt is in sight
    quoted: tuple[PageExcerpt, ...]  # Lines of code that are published without a sentence
    claims: tuple[Claim, ...]  # Everything that is published of it
    undid: LedgerRow | None
    uses: tuple[str, ...]  # Where the reader's own code uses what changed, as `name file:line`
    why: str  # Why it stands where it stands
    in_brief: tuple[PageSentence, ...] = ()  # Facts that the brief of the page has already
    affected: str = ""  # Which versions have what it mends, and since when; backticks mean code

    @property
    def number(self) -> str:
        """Its pull request, else the first digits of its hash."""
        return self.pull.name if self.pull else self.row.sha[:7]

    @property
    def commits(self) -> int:
        """How many commits it shows."""
        return 1 if self.undid is None else 2

    @property
    def advice(self) -> tuple[PageSentence, ...]:
        """The advice to the reader."""
        return tuple(sentence for sentence in self.sentences if sentence.mark == "advice")

    @property
    def asks_to_act(self) -> bool:
        """True if it breaks something for certain or comes with advice, and is not out again."""
        return self.undid is None and (self.is_breaking or bool(self.advice))

    @property
    def fresh(self) -> tuple[PageSentence, ...]:
        """The sentences about it, without those of the brief."""
        return self.sentences + self.undone_sentences + self.more

    @property
    def told(self) -> tuple[PageSentence, ...]:
        """All sentences about it."""
        return self.in_brief + self.fresh

    @property
    def is_bare(self) -> bool:
        """True if nothing but the title is in sight."""
        return not (self.sentences or self.undone_sentences or self.is_excerpt_open or self.uses)

    def _excerpts_of(self, citation: Citation) -> Iterator[PageExcerpt]:
        """Yield the lines that a citation shows; those of another commit are named as its."""
        own = [self.row.id] if self.undid is None else [self.row.id, self.undid.id]
        for excerpt in citation.excerpts:
            if not excerpt.file:
                continue
            if citation.id.is_commit and citation.id not in own:
                yield excerpt._replace(file=f"{excerpt.file} ({citation.name})")
            else:
                yield excerpt

    @cached_property
    def proofs(self) -> tuple[PageExcerpt, ...]:
        """The excerpts of the fold: what its sentences rest on, no line twice."""
        candidates = list(self.quoted)
        if self.excerpt:
            candidates.append(self.excerpt)
        for sentence in self.told:
            for citation in sentence.citations:
                candidates += self._excerpts_of(citation)
        candidates.sort(key=lambda excerpt: len(excerpt.lines), reverse=True)
        visible = [self.excerpt] if self.excerpt and self.is_excerpt_open else []
        proofs: list[PageExcerpt] = []
        for candidate in candidates:
            if not any(candidate.is_part_of(excerpt) for excerpt in visible + proofs):
                proofs.append(candidate)
        return tuple(proofs)


@dataclass(frozen=True)
class PageCard:
    """The card under one headline: a commit, or several that belong together."""

    headline: str
    items: tuple[Item, ...]  # In the order of the report; the first one decides where the card is

    @property
    def is_group(self) -> bool:
        """True if several commits share the headline."""
        return len(self.items) > 1

    @property
    def first(self) -> Item:
        """The commit that matters most."""
        return self.items[0]

    @property
    def repo(self) -> RepoId:
        """The repository of its commits."""
        return self.first.row.repo

    @property
    def is_breaking(self) -> bool:
        """True if one of its commits breaks what users reach."""
        return any(item.is_breaking for item in self.items)

    @property
    def asks_to_act(self) -> bool:
        """True if one of its commits breaks something for certain or comes with advice."""
        return any(item.asks_to_act for item in self.items)

    @property
    def breaking_commits(self) -> int:
        """How many of its commits break what users reach."""
        return sum(item.is_breaking for item in self.items)

    @property
    def commits(self) -> int:
        """How many commits it shows."""
        return sum(item.commits for item in self.items)


class PageSection(NamedTuple):
    """The cards of a section."""

    name: SectionName
    cards: tuple[PageCard, ...] = ()
    short_rows: tuple[Item, ...] = ()
    """Commits that have their cards in another section and a short row in this one."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The commits of all cards."""
        items: list[Item] = []
        for card in self.cards:
            items += card.items
        return tuple(items)

    @property
    def repos(self) -> tuple[RepoId, ...]:
        """The repositories of its short rows."""
        return tuple(dict.fromkeys(item.row.repo for item in self.short_rows))

    @property
    def breaks(self) -> bool:
        """True if a commit with a short row breaks what users reach."""
        return any(item.is_breaking for item in self.short_rows)

    @property
    def size(self) -> int:
        """How many commits have their cards here."""
        return sum(card.commits for card in self.cards)

    @property
    def is_empty(self) -> bool:
        """True if it has neither cards nor short rows."""
        return not self.cards and not self.short_rows

    @property
    def cards_alone(self) -> tuple[PageCard, ...]:
        """The cards of which no other section has a short row."""
        return tuple(card for card in self.cards if not card.asks_to_act)

    def of(self, repo: RepoId) -> "PageSection":
        """Return the part about one repository."""
        cards = tuple(card for card in self.cards if card.repo == repo)
        short_rows = tuple(item for item in self.short_rows if item.row.repo == repo)
        return PageSection(self.name, cards, short_rows)

    def minor(self, repo: RepoId) -> tuple[PageCard, ...]:
        """Return the cards of a repository that have a line each."""
        cards = self.of(repo).cards
        return tuple(card for card in cards if card.first.importance > Importance.NOISE)

    def noise(self, repo: RepoId) -> list["NoiseFold"]:
        """Return the commits of a repository that are listed by title, by area.

        The area with most commits comes first, those of no area last.
        """
        items_of_area: dict[str, list[Item]] = {}
        for card in self.of(repo).cards:
            if card.first.importance > Importance.NOISE:
                continue
            for item in card.items:
                items_of_area.setdefault(item.row.main_folder, []).append(item)
        folds = [NoiseFold(area, tuple(items)) for area, items in items_of_area.items()]
        return sorted(folds, key=lambda fold: (not fold.area, -fold.commits, fold.area))


class NoiseFold(NamedTuple):
    """The commits of a repository in one area that are listed by title."""

    area: str  # The first folder of its files, a dot for files in no folder; empty if unknown
    items: tuple[Item, ...]

    @property
    def commits(self) -> int:
        """How many commits there are."""
        return sum(item.commits for item in self.items)

    @property
    def kinds(self) -> tuple[Noise, ...]:
        """The kinds of noise among them."""
        return tuple(dict.fromkeys(item.row.noise for item in self.items if item.row.noise))


class IssueNews(NamedTuple):
    """The effect of a commit on an issue, or the state of the issue."""

    words: str
    change: Citation | None = None  # A commit of the page, which says there what it does
    pull: Citation | None = None  # Its pull request
    grade: str = ""  # How sure it is that the commit does so


class PageIssue(NamedTuple):
    """An issue with what is new of it."""

    name: str
    url: str
    element_id: str
    thread: ThreadLine | None  # None where nothing is known but that a commit names it
    news: tuple[IssueNews, ...]


class IssueList(NamedTuple):
    """The issues to which the same thing happened."""

    event: str
    issues: tuple[PageIssue, ...]


class ReleaseChange(NamedTuple):
    """The changes that the same commits of a release made, a sentence each; backticks mean code."""

    texts: tuple[str, ...]
    commits: tuple[Citation, ...]


class ReleasePart(NamedTuple):
    """The changes of one kind in a release."""

    name: Part
    changes: tuple[ReleaseChange, ...]
    more: int  # How many further sentences there are

    @property
    def size(self) -> int:
        """How many sentences there are."""
        return sum(len(change.texts) for change in self.changes) + self.more


class ReleaseNews(NamedTuple):
    """That a version is out."""

    repo: RepoId
    element_id: str  # Where the page shows it
    headline: str
    prerelease: bool


class PageAdvisory(NamedTuple):
    """A published vulnerability that a release names, and the commits that do so."""

    name: str
    commits: tuple[Citation, ...]


class PagePick(NamedTuple):
    """A commit that a release branch picked."""

    commit: Citation
    originals: tuple[str, ...]  # Titles of what it picks, where its own title does not say them


@dataclass(frozen=True, kw_only=True)
class PageRelease:
    """The card of a release."""

    repo: RepoId
    release: ReleaseLine
    notes: ReleaseNotes
    element_id: str
    url: str
    headline: str
    parts: tuple[ReleasePart, ...]
    picks: tuple[PagePick, ...]
    advisories: tuple[PageAdvisory, ...]

    @property
    def breaks(self) -> bool:
        """True if something that worked with the release before does not work with it."""
        return any(part.name == "breaks" for part in self.parts)

    def in_sight(self) -> tuple[ReleasePart, ...]:
        """Return what a user of the release before must know."""
        return tuple(part for part in self.parts if part.name not in _FOLDED_RELEASE_PARTS)

    def folded(self) -> tuple[ReleasePart, ...]:
        """Return what is in the fold."""
        return tuple(part for part in self.parts if part.name in _FOLDED_RELEASE_PARTS)


class RepoPart(NamedTuple):
    """The part of a page about one repository, beside its commits."""

    section: RepoSection
    repo: RepoId
    element_id: str
    rows: tuple[LedgerRow, ...]
    summary: tuple[PageSentence, ...]  # The paragraph below the brief, or on top of its part
    more: tuple[PageSentence, ...]  # Folded: what is said of none of the page's commits
    issues: tuple[IssueList, ...]
    stories: tuple[Story, ...]  # That go on
    follow_ups: tuple[Story, ...]  # Those of them with a step that no card names

    @property
    def releases(self) -> tuple[ReleaseLine, ...]:
        """The releases that have no card."""
        return tuple(release for release in self.section.releases if release.notes is None)

    @property
    def has_news(self) -> bool:
        """True if there is anything to show beside its commits."""
        return self.has_section or bool(self.section.releases)

    @property
    def has_section(self) -> bool:
        """True if there is anything to show beside its commits and the cards of its releases."""
        return bool(
            self.more or self.issues or self.follow_ups or self.releases or self.section.notices
        )


@dataclass(frozen=True)
class PageModel:
    """A report in one language."""

    report: Report
    lang: Language
    words: dict[str, Any]  # The catalogue of the language
    brief: tuple[PageSentence, ...]
    """The first seven sentences of a model, else the five weightiest facts."""
    more: tuple[PageSentence, ...]
    """Further sentences of the brief, and those about no commit and no repository of the report."""
    summed_up: tuple[PageSentence, ...]
    """Folded: sentences that sum up a repository, about commits that the brief tells of."""
    analysed: bool  # Whether the brief is a model's
    sections: tuple[PageSection, PageSection, PageSection]
    """What to act on, what is worth knowing, what also landed."""
    repos: tuple[RepoPart, ...]
    releases: tuple[PageRelease, ...]  # The first cards of the page
    release_news: tuple[ReleaseNews, ...]  # Every release of the report, those with cards first
    foreign_languages: tuple[Language, ...]
    """The languages of sentences that nobody wrote in the language of the page."""
    left_out: tuple[str, ...]  # What was not analysed, a line for each reason
    account: tuple[str, ...]  # The footer, as lines in which backticks mean code

    @cached_property
    def items(self) -> dict[EvidenceId, Item]:
        """Every item by `owner/name@hash`, in the order of the page."""
        items: dict[EvidenceId, Item] = {}
        for section in self.sections:
            for item in section.items:
                items[item.row.id] = item
        return items

    @cached_property
    def breaking(self) -> tuple[Item, ...]:
        """The cards of changes that break something that users reach."""
        return tuple(item for item in self.items.values() if item.is_breaking)

    @cached_property
    def marked_breaking(self) -> tuple[Item, ...]:
        """The other cards of changes that their authors call breaking."""
        items: list[Item] = []
        for item in self.items.values():
            if item.is_marked_breaking and not item.is_breaking and item.undid is None:
                items.append(item)
        return tuple(items)

    @property
    def quiet_repos(self) -> tuple[RepoPart, ...]:
        """The repositories in which nothing happened."""
        return tuple(part for part in self.repos if not part.rows and not part.has_news)

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """The signs that sentences of the page carry, which are explained below the brief."""
        sentences: list[PageSentence] = []
        for item in self.items.values():
            sentences += item.fresh
        for part in self.repos:
            sentences += (*part.summary, *part.more)
        sentences += (*self.summed_up, *self.more)
        used = {sentence.mark for sentence in sentences}
        if any(sentence.account_sign for sentence in (*sentences, *self.brief)):
            used.add("attributed")
        signs: tuple[Mark, ...] = ("advice", "inferred", "attributed")
        return tuple(mark for mark in signs if mark in used)

    @cached_property
    def opens_own_evidence(self) -> bool:
        """True if a sentence of a card opens on the lines that it rests on."""
        for item in self.items.values():
            for sentence in item.told:
                if any(cite.is_own and cite.excerpts for cite in sentence.citations):
                    return True
        return False

    @property
    def brief_marks(self) -> tuple[Mark, ...]:
        """The signs that sentences of the brief alone carry, which messages explain."""
        is_attributed = any(sentence.account_sign for sentence in self.brief)
        return ("attributed",) if is_attributed else ()

    @cached_property
    def _leading_item(self) -> Item | None:
        """The commit that the brief of a model begins with, else the first one of the page."""
        items = (*self.sections[0].items, *self.sections[1].items)
        if self.analysed and self.brief:
            for cite in self.brief[0].claim.cites:
                for item in items:
                    if item.row.id == cite:
                        return item
        return items[0] if items else None

    @cached_property
    def _leading_release(self) -> ReleaseNews | None:
        """The release that is the news of the day.

        A candidate gives way to what a model found worth leading with.
        """
        for release in self.release_news:
            if not release.prerelease or not self.analysed:
                return release
        return None

    @property
    def leading_repo(self) -> RepoId | None:
        """The repository that the news of the day is from; None where nothing has a card."""
        if self._leading_release is not None:
            return self._leading_release.repo
        if self._leading_item is None:
            return None
        return self.brief[0].repo if self._leads_with_fact else self._leading_item.row.repo

    @cached_property
    def headline(self) -> str:
        """The news of the day with its repository; empty where nothing has a card.

        A release leads, then the commit that a model's brief begins with, then the first one of
        the page; a title that nobody edited gives way to the weightiest fact.
        """
        if self._leading_release is not None:
            return self._leading_release.headline
        if self._leading_item is None or self.leading_repo is None:
            return ""
        text = self._leading_item.headline
        if self._leads_with_fact:
            text = self.brief[0].as_headline
        name = short_name(self.leading_repo)
        if name.casefold() in text.casefold():
            return text
        colon: str = self.words["signs"]["colon"]
        return f"{name}{colon}{text}"

    @cached_property
    def _leads_with_fact(self) -> bool:
        """True if nobody wrote a headline for the leading commit, and there is a fact to lead with."""
        has_headline = self._leading_item is not None and bool(self._leading_item.title)
        return bool(self.brief) and not self.analysed and not has_headline

    @property
    def lead(self) -> str:
        """The news of the day in a line: the first headline, else the first sentence."""
        if self.headline:
            return self.headline
        return self.words_in_brief(self.brief[0]) if self.brief else ""

    def words_in_brief(self, sentence: PageSentence) -> str:
        """Return a sentence of the brief, with its repository where its words do not name it."""
        if not sentence.repo_name:
            return sentence.text
        colon: str = self.words["signs"]["colon"]
        return f"{sentence.repo_name}{colon}{sentence.text}"

    @cached_property
    def scale(self) -> str:
        """How much breaks and how many commits there are, and of what where no headline says it."""
        words = self.words["page"]
        pieces: list[str] = []
        if not self.headline and self.brief and not self.brief[0].repo_name:
            pieces.append(short_name(self.brief[0].repo))
        if self.breaking:
            pieces.append(words["counted"]["breaking"].format(len(self.breaking)))
        commits = len(self.report.ledger)
        pieces.append(words["one_commit"] if commits == 1 else words["commits"].format(commits))
        return " · ".join(pieces)

    @property
    def news(self) -> str:
        """The news of the day and its scale, for titles."""
        return f"{self.lead} · {self.scale}" if self.lead else self.scale

    @property
    def description(self) -> str:
        """The brief in the length of a preview."""
        gap: str = self.words["signs"]["gap"]
        text = gap.join(map(self.words_in_brief, self.brief)).replace("`", "")
        if len(text) <= _MAX_PREVIEW_CHARACTERS:
            return text
        return f"{text[:_MAX_PREVIEW_CHARACTERS]} …"
