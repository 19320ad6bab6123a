"""What a day leaves for the other pages: its counts, what stands out, its stories; so no page needs all reports."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from agent.layouts.analysis import label, reported_in
from agent.layouts.view import View, row_id

from agent.claims import MARK, Claim
from agent.conventions import Purpose
from agent.domain import Frozen
from agent.ids import RepoId
from agent.report import Depth, LedgerRow, Report
from agent.settings import Language
from agent.soundness import failed_share
from agent.stories import Story
from agent.triage import Tier
from agent.web import Web
from gitzette.site.names import anchor
from gitzette.site.references import named
from gitzette.site.shell import LANGUAGES

KINDS: Mapping[Purpose, str] = {
    Purpose.FEATURE: "feature",
    Purpose.FIX: "fix",
    Purpose.SECURITY: "fix",
    Purpose.REVERT: "fix",
    Purpose.PERFORMANCE: "speed",
    Purpose.DOCS: "upkeep",
    Purpose.TESTS: "upkeep",
    Purpose.CI: "upkeep",
    Purpose.CHORE: "upkeep",
    Purpose.REFACTOR: "upkeep",
    Purpose.DEPENDENCY: "upkeep",
    Purpose.RELEASE: "upkeep",
}
"""How purposes are counted together; what is missing here counts as other."""
_MOST_HIGH, _MOST_MID = 6, 2


class Highlight(Frozen):
    """A commit that stands out, as other pages name it."""

    anchor: str
    title: str
    tier: Tier
    breaking: bool
    weight: float
    headline: dict[Language, str]
    """What it does, in each language in which that was written."""
    lead: dict[Language, str]

    def name(self, lang: Language) -> str:
        """Name the commit by its headline, else by its title."""
        return self.headline.get(lang) or self.title


class RepoDay(Frozen):
    """What one repository did on the day."""

    repo: RepoId
    landed: int
    tiers: dict[str, int]
    kinds: dict[str, int]
    breaking: int
    opened: int
    closed: int
    releases: tuple[str, ...]
    highlights: tuple[Highlight, ...]


class Summary(Frozen):
    """One report in short."""

    hash: str
    label: str
    key: str
    end: datetime
    tz: str
    analyst: str
    brief: dict[Language, tuple[str, ...]]
    """What is said of the whole report."""
    repos: tuple[RepoDay, ...]
    stories: tuple[Story, ...]
    depths: dict[str, int]
    claims: int
    citations: int
    refused: int
    failed_share: float
    opened: dict[str, datetime]
    """Issues of which the report knows when they were opened."""
    fixed: dict[str, datetime]
    """Issues that a commit of the report fixes (grade A or B), and when it landed."""
    documents: int
    """How many documents of it can be found by searching."""

    @property
    def landed(self) -> int:
        """How many commits landed."""
        return sum(one.landed for one in self.repos)

    @property
    def month(self) -> str:
        """The month in which the report begins."""
        return self.label[:7]

    @property
    def day(self) -> str:
        """The day on which the report begins."""
        return self.label[:10]

    def count(self, tier: Tier) -> int:
        """How many commits are of a tier."""
        return sum(one.tiers.get(tier.value, 0) for one in self.repos)


def summarise(report: Report, digest: str, web: Web, documents: int) -> Summary:
    """Take from a report what other pages show of it."""
    views = {lang: View(report, lang, web) for lang in LANGUAGES}
    depths = Counter(row.depth for row in report.ledger)
    return Summary(
        hash=digest,
        label=report.window.label,
        key=report.window.key,
        end=report.window.cutoff or report.window.end,
        tz=report.window.tz,
        analyst=report.analyst,
        brief={lang: tuple(lead_text(one, view) for one in view.brief()) for lang, view in views.items()},
        repos=tuple(_repo_day(section.repo, views) for section in report.sections),
        stories=report.stories,
        depths={depth.value: depths[depth] for depth in Depth},
        claims=len(report.claims),
        citations=sum(len(claim.sources) for claim in report.claims),
        refused=len(report.drops),
        failed_share=failed_share(report),
        opened=_opened(report),
        fixed=_fixed(report),
        documents=documents,
    )


def lead_text(claim: Claim, view: View) -> str:
    """Write a claim without its links: what it marks stands by its short name, and a label in front of analysis."""
    if claim.speech:
        return " ".join(f"“{quote.text}”" for quote in claim.quotes)
    sources = claim.sources
    words = MARK.sub(
        lambda mark: _short(sources[int(mark[1]) - 1], claim, view) if int(mark[1]) <= len(sources) else "",
        claim.text.get(view.lang, ""),
    )
    before = [label(claim, view.say)] if claim.free and label(claim, view.say) else []
    before += [view.say.reported.format(_short(cite, claim, view)) for cite in reported_in(claim, view.pulls)]
    return "".join(f"{one}{view.say.colon}" for one in before) + words


def _short(cite: str, claim: Claim, view: View) -> str:
    return named(cite, claim.repo, view.web)[0]


def _repo_day(repo: RepoId, views: Mapping[Language, View]) -> RepoDay:
    view = views["en"]
    rows = view.rows(repo)
    section = next(one for one in view.report.sections if one.repo == repo)
    high, mid = view.items(repo, Tier.HIGH), view.items(repo, Tier.MID)
    return RepoDay(
        repo=repo,
        landed=len(rows),
        tiers={tier.value: count for tier in Tier if (count := view.count(repo, tier))},
        kinds=dict(Counter(KINDS.get(row.purpose, "other") if row.purpose else "other" for row in rows)),
        breaking=sum(view.breaking(row) for row in rows),
        opened=sum(one.event == "opened" for one in section.issues),
        closed=sum(one.event in ("closed", "not planned") for one in section.issues),
        releases=tuple(one.tag for one in section.releases),
        highlights=tuple(_highlight(row, views) for row in (*high[:_MOST_HIGH], *mid[:_MOST_MID])),
    )


def _highlight(row: LedgerRow, views: Mapping[Language, View]) -> Highlight:
    view = views["en"]
    shown = view.undid.get(row_id(row), row)
    leads = {lang: " ".join(lead_text(claim, one) for claim in one.lead(row)[:1]) for lang, one in views.items()}
    headlines = {lang: found for lang, one in views.items() if shown is row and (found := one.headline(row))}
    return Highlight(
        anchor=anchor(row_id(row)),
        title=shown.title,
        tier=view.tier(row) or Tier.LOW,
        breaking=view.breaking(row),
        weight=row.weight,
        headline={lang: found.text[lang] for lang, found in headlines.items()},
        lead=leads,
    )


def _opened(report: Report) -> dict[str, datetime]:
    stories = {step.cite: step.at for story in report.stories for step in story.timeline if step.act.value == "opened"}
    return stories | {
        f"{section.repo}#{one.number}": one.at
        for section in report.sections
        for one in section.issues
        if one.event == "opened"
    }


def _fixed(report: Report) -> dict[str, datetime]:
    landed = {row_id(row): row.landed_at for row in report.ledger}
    return {one.issue: landed[one.change] for one in report.links if one.may_read_fixed and one.change in landed}
