"""The page model: everything that a page of a report shows, computed once, for every template."""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from agent.domain.base import Language, RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Story
from agent.domain.report import Report, RepoSection, ThreadLine
from agent.languages import HAN

_PREVIEW = 200
_LETTER = re.compile(r"\w")


def words_in(text: str) -> int:
    """Count words: runs of letters and digits, and two Chinese characters for one."""
    plain, han = (text, 0) if text.isascii() else HAN.subn(" ", text)
    return sum(_LETTER.search(word) is not None for word in plain.split()) + (han + 1) // 2


class ExcerptLine(NamedTuple):
    """One line of an excerpt."""

    text: str
    side: str  # `+`, `-` or empty
    marked: bool  # it holds an identifier, a number or words of the sentence that it proves


class PageExcerpt(NamedTuple):
    """Lines of a diff, or words of a message or a thread where `file` is empty."""

    file: str
    lines: tuple[ExcerptLine, ...]

    @property
    def code(self) -> set[str]:
        """Give its lines apart from their sides and indentation, by which two excerpts are compared."""
        return {line.text.lstrip("+-").strip() for line in self.lines}


class Citation(NamedTuple):
    """One cited artefact, and what its evidence opens on."""

    id: EvidenceId
    name: str  # as short as it is clear: `a52eff1`, `#2453`, `v0.6.3`
    url: str
    title: str = ""
    about: str = ""  # its author, its day, and whether that is earlier than the report's
    place: str = ""  # the anchor under which the page tells of it; empty where it does not
    own: bool = False  # it is the commit under whose headline the sentence stands
    excerpts: tuple[
        PageExcerpt, ...
    ] = ()  # the anchor of the sentence, or the lines of its fact; never other lines

    @property
    def evidence(self) -> str:
        """Give the text that it opens on; of the commit above the sentence there may be none."""
        named = () if self.own else (self.title, self.name, self.id)
        lines = (line.text for one in self.excerpts for line in one.lines)
        return "\n".join((*named, *(one.file for one in self.excerpts), *lines))


@dataclass(frozen=True, eq=False)
class PageSentence:
    """One claim in the reader's language."""

    claim: Claim
    label: str  # what stands in front of it: inferred, advice, or who says it
    parts: tuple[
        str | Citation, ...
    ]  # words, in which backticks mean code, and citations in their places
    behind: tuple[Citation, ...]  # citations that stand behind the words
    text: str  # the words alone, with the names of what they cite in the middle
    words: int

    @property
    def repo(self) -> RepoId:
        """The repository that it speaks of; of several, that of the commit that it is about."""
        sources = (*self.claim.about, *self.claim.sources)
        if self.claim.repo or not sources:
            return self.claim.repo or RepoId("")
        return sources[0].repo

    @property
    def flow(self) -> tuple[str | Citation, ...]:
        """Give words and citations as they are read; Chinese signs need no space behind them."""
        gap = (" ",) if self.text[-1:].isascii() else ()
        return (*self.parts, *(piece for cite in self.behind for piece in (*gap, cite)))

    @property
    def citations(self) -> tuple[Citation, ...]:
        """List what it cites."""
        return (*(one for one in self.parts if isinstance(one, Citation)), *self.behind)


@dataclass(frozen=True, kw_only=True)
class Item:
    """One landed change, or a change and what undid it the same day."""

    row: LedgerRow
    place: str  # its anchor on every page
    path: str  # its own page
    headline: str  # what it does in the reader's language, else its original title
    title: str  # the original title, where the headline is another
    pull: Citation | None
    tier: str  # `act on`, `worth knowing` or `also landed`
    breaking: bool
    sentences: tuple[PageSentence, ...]
    more: tuple[PageSentence, ...]  # further sentences, which are folded
    excerpt: PageExcerpt | None
    quoted: tuple[PageExcerpt, ...]  # lines of code that are published without a sentence
    claims: tuple[Claim, ...]  # everything that is published of it
    undid: LedgerRow | None
    uses: tuple[str, ...]  # places in the reader's own code that use what changed, as `file:line`
    in_brief: tuple[PageSentence, ...] = ()  # what the brief of the page tells already
    full: bool = False  # whether the excerpt is in sight

    @property
    def fresh(self) -> tuple[PageSentence, ...]:
        """List what is said of it beside the brief."""
        return (*self.sentences, *self.more)

    @property
    def told(self) -> tuple[PageSentence, ...]:
        """List all that is said of it."""
        return (*self.in_brief, *self.fresh)

    @cached_property
    def proofs(self) -> tuple[PageExcerpt, ...]:
        """List the excerpts that are folded: what its sentences rest on, no line twice."""
        found = [*self.quoted, *([self.excerpt] if self.excerpt else [])]
        found += [
            one
            for said in self.told
            for cite in said.citations
            for one in cite.excerpts
            if one.file
        ]
        shown = [self.excerpt] if self.full and self.excerpt else []
        kept: list[PageExcerpt] = []
        for one in sorted(found, key=lambda one: -len(one.lines)):
            if not any(
                one.file == other.file and one.code <= other.code for other in (*shown, *kept)
            ):
                kept.append(one)
        return tuple(kept)


class TierSection(NamedTuple):
    """The items of one tier: those in sight, and those that are folded for the sake of length."""

    tier: str
    shown: tuple[Item, ...] = ()
    folded: tuple[Item, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """List all of them."""
        return (*self.shown, *self.folded)

    def of(self, repo: RepoId) -> "TierSection":
        """Keep the items of one repository."""
        mine = (
            tuple(item for item in items if item.row.repo == repo)
            for items in (self.shown, self.folded)
        )
        return TierSection(self.tier, *mine)

    def by_noise(self, repo: RepoId) -> dict[str, list[Item]]:
        """Group the items of one repository by what kind of noise they are, beginning with those that are none."""
        items = sorted(self.of(repo).items, key=lambda item: item.row.noise or "")
        return {
            noise: list(own) for noise, own in groupby(items, lambda item: item.row.noise or "")
        }

    @property
    def size(self) -> int:
        """Count the commits; an item that was undone has two."""
        return sum(2 if item.undid else 1 for item in self.items)


class IssueNews(NamedTuple):
    """What a commit does to an issue, or how the issue stands."""

    words: str
    change: Citation | None = None
    grade: str = ""  # how sure it is that the commit does so


class PageIssue(NamedTuple):
    """An issue with what is new of it."""

    name: str
    url: str
    place: str
    thread: ThreadLine | None  # None where nothing is known but that a commit names it
    news: tuple[IssueNews, ...]


class RepoPart(NamedTuple):
    """What a page tells of one repository beside its commits."""

    section: RepoSection
    repo: RepoId
    place: str
    rows: tuple[LedgerRow, ...]
    summary: tuple[PageSentence, ...]
    more: tuple[PageSentence, ...]
    """Folded: what the brief tells of too, and what is said of none of the page's commits."""
    issues: tuple[tuple[str, tuple[PageIssue, ...]], ...]  # by what happened to them
    stories: tuple[Story, ...]


@dataclass(frozen=True)
class PageModel:
    """One report in one language."""

    report: Report
    lang: Language
    words: dict[str, Any]  # the catalogue of the language
    brief: tuple[
        PageSentence, ...
    ]  # the first seven sentences of a model, else the five weightiest facts
    more: tuple[PageSentence, ...]
    """Further sentences of the brief, and those about no commit and no repository of the report."""
    analysed: bool  # whether the brief is a model's
    sections: tuple[
        TierSection, TierSection, TierSection
    ]  # what to act on, what is worth knowing, what also landed
    repos: tuple[RepoPart, ...]
    account: tuple[str, ...]  # the footer, as lines in which backticks mean code

    @cached_property
    def items(self) -> dict[EvidenceId, Item]:
        """Give every item by `owner/name@hash`, weightiest tier first."""
        return {item.row.id: item for section in self.sections for item in section.items}

    @cached_property
    def breaking(self) -> tuple[Item, ...]:
        """List what breaks something that users reach."""
        return tuple(item for item in self.items.values() if item.breaking)

    @cached_property
    def lead(self) -> str:
        """Give the news of the day in one line, for titles, subjects and previews."""
        heads = (item.headline for section in self.sections[:2] for item in section.items)
        return next(iter((*heads, *(one.text for one in self.brief), "")))

    @property
    def description(self) -> str:
        """Give the brief in the length of a preview."""
        told = self.words["signs"]["gap"].join(one.text for one in self.brief).replace("`", "")
        return told if len(told) <= _PREVIEW else f"{told[:_PREVIEW]} …"
