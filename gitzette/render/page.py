"""The page model: everything that a page of a report shows, computed once, for every template."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agent.domain.base import Language, RepoId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Story
from agent.domain.report import Report, RepoSection, ThreadLine
from agent.domain.window import zone
from gitzette.render.names import moment
from gitzette.render.pieces import Citation, Excerpt, Sentence

_PREVIEW = 200


@dataclass(frozen=True)
class Item:
    """One landed change, or a change and what undid it the same day."""

    row: LedgerRow
    id: str
    place: str
    """Its anchor on every page."""
    short: str
    url: str
    headline: str
    """What it does in the reader's language, else its original title."""
    title: str
    """The original title, where the headline is another."""
    pull: Citation | None
    tier: str
    """`act on`, `worth knowing` or `also landed`."""
    breaking: bool
    when: str
    sentences: tuple[Sentence, ...]
    more: tuple[Sentence, ...]
    """Further sentences, which are folded."""
    excerpt: Excerpt | None
    in_brief: tuple[Sentence, ...] = ()
    """What the brief of the page tells already."""
    full: bool = False
    """Whether the excerpt is in sight."""
    inside: tuple[str, ...] = ()
    """Functions inside of which lines changed that no sentence tells."""
    undid: LedgerRow | None = None
    undid_short: str = ""
    undid_url: str = ""
    undid_when: str = ""
    uses: tuple[str, ...] = ()
    """Places in the reader's own code that use what changed, as `file:line`."""

    @property
    def repo(self) -> RepoId:
        """Name its repository."""
        return self.row.repo

    @property
    def commits(self) -> int:
        """Count the commits that it tells of."""
        return 2 if self.undid else 1

    @cached_property
    def told(self) -> tuple[Sentence, ...]:
        """List all that is said of it."""
        return (*self.in_brief, *self.sentences, *self.more)

    @property
    def fresh(self) -> tuple[Sentence, ...]:
        """List what is said of it beside the brief."""
        return (*self.sentences, *self.more)

    @cached_property
    def proofs(self) -> tuple[Excerpt, ...]:
        """List the excerpts that are folded: what its sentences rest on, each once."""
        cited = (one for sentence in self.told for cite in sentence.citations for one in cite.excerpts)
        found = [*((self.excerpt,) if self.excerpt else ()), *(one for one in cited if one.file)]
        kept: list[Excerpt] = []
        for one in sorted(found, key=lambda one: -len(one.lines)):
            if not any(one.is_part_of(other) for other in kept):
                kept.append(one)
        shown = self.excerpt if self.full else None
        return tuple(one for one in found if one in kept and not (shown and one.is_part_of(shown)))


@dataclass(frozen=True)
class Section:
    """The items of one tier: those in sight, and those that are folded for the sake of length."""

    tier: str
    shown: tuple[Item, ...] = ()
    folded: tuple[Item, ...] = ()

    def __iter__(self) -> Iterator[Item]:
        return iter((*self.shown, *self.folded))

    @property
    def count(self) -> int:
        """Count the commits."""
        return sum(item.commits for item in self)

    def of(self, repo: RepoId) -> "Section":
        """Keep the items of one repository."""
        mine = (tuple(item for item in items if item.repo == repo) for items in (self.shown, self.folded))
        return Section(self.tier, *mine)

    @property
    def groups(self) -> list["Group"]:
        """Group the items by repository, and what is noise by its kind."""
        found: dict[tuple[str, str], list[Item]] = {}
        for item in self:
            found.setdefault((item.repo, item.row.noise or ""), []).append(item)
        return [Group(repo, noise, tuple(items)) for (repo, noise), items in found.items()]


@dataclass(frozen=True)
class Group:
    """Items that are folded together."""

    repo: str
    noise: str
    """Why: `ci`, `docs`, `bot`; empty for those that are no noise."""
    members: tuple[Item, ...]

    @property
    def count(self) -> int:
        """Count the commits."""
        return sum(item.commits for item in self.members)


@dataclass(frozen=True)
class IssueNews:
    """What a commit does to an issue, or how the issue stands."""

    words: str
    change: Citation | None = None
    grade: str = ""


@dataclass(frozen=True)
class Issue:
    """An issue with what is new of it."""

    id: str
    name: str
    url: str
    place: str
    thread: ThreadLine | None
    """None where nothing is known but that a commit names it."""
    news: tuple[IssueNews, ...]


@dataclass(frozen=True)
class IssueGroup:
    """Issues to which the same happened: the first in sight, the rest folded."""

    event: str
    shown: tuple[Issue, ...]
    folded: tuple[Issue, ...] = ()

    @property
    def count(self) -> int:
        """Count the issues."""
        return len(self.shown) + len(self.folded)


@dataclass(frozen=True)
class StoryPart:
    """A story with what is new of it."""

    story: Story
    place: str
    title: str
    steps: tuple[tuple[Any, Citation], ...]
    """Each step with its citation, oldest first."""
    left_out: int = 0


@dataclass(frozen=True)
class RepoPart:
    """What a page tells of one repository beside its commits."""

    section: RepoSection
    repo: RepoId
    place: str
    rows: tuple[LedgerRow, ...]
    summary: tuple[Sentence, ...]
    issues: tuple[IssueGroup, ...] = ()
    stories: tuple[StoryPart, ...] = ()

    @property
    def totals(self) -> dict[str, int]:
        """Count commits, files, lines and merges of what landed in time."""
        rows = [row for row in self.rows if not row.late]
        merges = [row.members for row in rows if row.members]
        counted = {"files": sum(row.files or 0 for row in rows), "merges": len(merges), "members": sum(merges)}
        lines = {name: sum(getattr(row, name) or 0 for row in rows) for name in ("additions", "deletions")}
        return {"commits": len(rows)} | counted | lines


@dataclass(frozen=True)
class PageModel:
    """One report in one language."""

    report: Report
    lang: Language
    words: dict[str, Any]
    """The catalogue of the language."""
    brief: tuple[Sentence, ...]
    """At most seven sentences of a model, else the five weightiest facts."""
    analysed: bool
    """Whether the brief is a model's."""
    act_on: Section
    worth_knowing: Section
    also_landed: Section
    repos: tuple[RepoPart, ...]
    account: tuple[str, ...]
    """The footer, as lines in which backticks mean code: kinds of text, writer, judge, what was read and refused."""
    short: dict[str, str] = field(default_factory=dict)
    """The short hash of every landed commit and tip, by `owner/name@hash`."""
    tiers: dict[str, str] = field(default_factory=dict)
    """The tier of every landed commit, by the same name."""

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """List every item, weightiest tier first."""
        return (*self.act_on, *self.worth_knowing, *self.also_landed)

    @cached_property
    def breaking(self) -> tuple[Item, ...]:
        """List what breaks something that users reach."""
        return tuple(item for item in self.items if item.breaking)

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}

    def item(self, name: str) -> Item | None:
        """Find the item of a commit by `owner/name@hash`."""
        return self._by_id.get(name)

    @property
    def period(self) -> str:
        """Write the window, and whether it was over when it was read."""
        window, where = self.report.window, zone(self.report.window.tz)
        start, end = (f"{at.astimezone(where):%Y-%m-%d %H:%M}" for at in (window.start, window.end))
        told = [self.words["page"]["period"].format(start=start, end=end, tz=window.tz)]
        if window.cutoff is not None:
            told.append(self.words["page"]["partial"].format(f"{window.cutoff.astimezone(where):%Y-%m-%d %H:%M}"))
        return " · ".join(told)

    def status(self, part: RepoPart) -> str:
        """Say how many commits landed on which branch of a repository, in a line in which backticks mean code."""
        say, section, totals = self.words["page"], part.section, part.totals
        if section.tip is None:
            return str(say["empty"])
        if not totals["commits"]:
            return str(say["nothing"].format(branch=f"`{section.branch}`"))
        count = totals["commits"]
        commits = say["one_commit"] if count == 1 else say["commits"].format(count)
        values = {"branch": f"`{section.branch}`", "tip": f"`{self.short[f'{part.repo}@{section.tip}']}`"}
        told = say["branch"].format(**(totals | values | {"commits": commits}))
        return f"{told} {say['merges'].format(**totals)}" if totals["merges"] else str(told)

    @property
    def late(self) -> int:
        """Count the commits that landed late."""
        return sum(row.late for row in self.report.ledger)

    def moment(self, row: LedgerRow) -> str:
        """Write when a commit landed."""
        return moment(row.landed_at, self.report.window, late=row.late)

    @cached_property
    def lead(self) -> str:
        """Give the news of the day in one line, for titles, subjects and previews."""
        first = next(iter(self.act_on), None) or next(iter(self.worth_knowing), None)
        return first.headline if first else (self.brief[0].text if self.brief else "")

    @cached_property
    def description(self) -> str:
        """Give the brief in the length of a preview."""
        told = " ".join(one.whole for one in self.brief).replace("`", "")
        return told if len(told) <= _PREVIEW else f"{told[:_PREVIEW].rsplit(' ', 1)[0]} …"
