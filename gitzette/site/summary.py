"""What a report leaves for the other pages: its counts, its news, its stories; so no page needs all reports."""

from collections.abc import Mapping
from datetime import datetime

from agent.domain.base import Frozen, Language, RepoId
from agent.domain.ledger import Tier
from agent.domain.links import Story
from agent.domain.report import Report, failed_share
from gitzette.render.page import Item, PageModel, RepoPart
from gitzette.site.addresses import commit_path

_MOST = 8
"""Highlights of a repository on one day."""
TOLD = (Tier.HIGH.value, Tier.MID.value)
"""Tiers whose commits have pages of their own."""


class Highlight(Frozen):
    """A commit that stands out, as other pages name it."""

    path: str
    title: str
    tier: str
    breaking: bool
    headline: dict[Language, str]
    lead: dict[Language, str]

    def name(self, lang: Language) -> str:
        """Name the commit by its headline, else by its title."""
        return self.headline.get(lang) or self.title


class RepoDay(Frozen):
    """What one repository did on the day."""

    repo: RepoId
    landed: int
    counts: dict[str, int]
    """Commits by tier."""
    releases: tuple[str, ...]
    highlights: tuple[Highlight, ...]


class Summary(Frozen):
    """One report in short."""

    hash: str
    label: str
    key: str
    end: datetime
    tz: str
    lead: dict[Language, str]
    """Its news in one line."""
    brief: dict[Language, tuple[str, ...]]
    repos: tuple[RepoDay, ...]
    stories: tuple[Story, ...]
    commits: tuple[str, ...]
    """The pages of its commits."""
    failed_share: float
    documents: int
    """How many documents of it can be found by searching."""

    @property
    def landed(self) -> int:
        """How many commits landed."""
        return sum(one.landed for one in self.repos)

    @property
    def month(self) -> str:
        """The month in which the report begins."""
        return f"{self.end:%Y-%m}" if "W" in self.label else self.label[:7]

    @property
    def is_day(self) -> bool:
        """Whether it is of one whole day."""
        return len(self.label) == 10

    def count(self, tier: str) -> int:
        """How many commits are of a tier."""
        return sum(one.counts.get(tier, 0) for one in self.repos)


def summarise(report: Report, digest: str, pages: Mapping[Language, PageModel], documents: int) -> Summary:
    """Take from the pages of a report what other pages show of it."""
    return Summary(
        hash=digest,
        label=report.window.label,
        key=report.window.key,
        end=report.window.cutoff or report.window.end,
        tz=report.window.tz,
        lead={lang: page.lead for lang, page in pages.items()},
        brief={lang: tuple(one.whole for one in page.brief) for lang, page in pages.items()},
        repos=tuple(_repo_day(part, pages) for part in pages["en"].repos),
        stories=report.stories,
        commits=tuple(commit_path(one.repo, one.row.sha) for one in pages["en"].items if one.tier in TOLD),
        failed_share=failed_share(report),
        documents=documents,
    )


def _repo_day(part: RepoPart, pages: Mapping[Language, PageModel]) -> RepoDay:
    page = pages["en"]
    sections = [one.of(part.repo) for one in (page.act_on, page.worth_knowing, page.also_landed)]
    chosen = [item for section in sections if section.tier in TOLD for item in section][:_MOST]
    return RepoDay(
        repo=part.repo,
        landed=len(part.rows),
        counts={section.tier: section.count for section in sections},
        releases=tuple(one.tag for one in part.section.releases),
        highlights=tuple(_highlight(item, pages) for item in chosen),
    )


def _highlight(item: Item, pages: Mapping[Language, PageModel]) -> Highlight:
    both = {lang: page.item(item.id) or item for lang, page in pages.items()}
    return Highlight(
        path=commit_path(item.repo, item.row.sha),
        title=item.title or item.headline,
        tier=item.tier,
        breaking=item.breaking,
        headline={lang: one.headline for lang, one in both.items() if one.title},
        lead={lang: one.told[0].text for lang, one in both.items() if one.told},
    )
