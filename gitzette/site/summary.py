"""What a report leaves for the other pages: its counts, its news, its stories; so no page needs all reports."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from agent.domain.base import Frozen, Language, RepoId
from agent.domain.ledger import Tier
from agent.domain.links import BARE, Story
from agent.domain.report import Report, failed_share
from agent.web import Web
from gitzette.render.addresses import commit_path
from gitzette.render.compose import story_key, story_part
from gitzette.render.model import Item, PageModel, RepoPart, StoryPart, row_id

TOLD = (Tier.HIGH.value, Tier.MID.value)
"""Tiers whose commits have pages of their own."""
_MOST = 8
"""Highlights of a repository on one day."""


class Highlight(Frozen):
    """A commit that stands out, as other pages name it."""

    path: str
    title: str
    tier: str
    breaking: bool
    headline: dict[Language, str]
    lead: dict[Language, str]


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
    stories: tuple[Story, ...] = ()
    commits: tuple[str, ...] = ()
    """The pages of its commits; those of a week are the pages of its days."""
    failed_share: float
    documents: int = 0
    """How many documents of it can be found by searching."""

    @property
    def month(self) -> str:
        """The month in which the report begins, that in which a week ends."""
        return f"{self.end:%Y-%m}" if is_week(self.label) else self.label[:7]


def is_week(label: str) -> bool:
    """Tell a weekly edition by its label."""
    return "W" in label


def summarise(label: str, digest: str, report: Report, pages: Mapping[Language, PageModel], documents: int) -> Summary:
    """Take from the pages of a report what other pages show of it."""
    told = [one for one in pages["en"].items.values() if one.tier in TOLD and not is_week(label)]
    return Summary(
        hash=digest,
        label=label,
        key=report.window.key.replace(report.window.label, label),
        end=report.window.cutoff or report.window.end,
        tz=report.window.tz,
        lead={lang: page.lead for lang, page in pages.items()},
        brief={lang: tuple(one.whole for one in page.brief) for lang, page in pages.items()},
        repos=tuple(_repo_day(part, pages) for part in pages["en"].repos),
        stories=() if is_week(label) else report.stories,
        commits=tuple(commit_path(one.repo, one.row.sha) for one in told),
        failed_share=failed_share(report),
        documents=documents,
    )


def _repo_day(part: RepoPart, pages: Mapping[Language, PageModel]) -> RepoDay:
    sections = [section.of(part.repo) for section in pages["en"].sections]
    return RepoDay(
        repo=part.repo,
        landed=len(part.rows),
        counts={section.tier: section.size for section in sections},
        releases=tuple(one.tag for one in part.section.releases),
        highlights=tuple(_highlight(item, pages) for section in sections[:2] for item in section.items)[:_MOST],
    )


def _highlight(item: Item, pages: Mapping[Language, PageModel]) -> Highlight:
    both = {lang: page.items[row_id(item.row)] for lang, page in pages.items()}
    return Highlight(
        path=commit_path(item.repo, item.row.sha),
        title=item.title or item.headline,
        tier=item.tier,
        breaking=item.breaking,
        headline={lang: one.headline for lang, one in both.items() if one.title},
        lead={lang: one.told[0].text for lang, one in both.items() if one.told},
    )


def told_stories(summaries: Sequence[Summary], web: Web) -> list[tuple[StoryPart, str]]:
    """Collect the stories of all reports, each once with the label of its latest report, newest news first."""
    found: dict[str, tuple[StoryPart, str]] = {}
    for one in sorted(summaries, key=lambda one: (one.end, one.label)):
        for story in one.stories:
            if len(story.timeline) > 1 and story.kind not in BARE:
                found.pop(story_key(story), None)
                found[story_key(story)] = story_part(story, web, one.tz), one.label
    return list(found.values())[::-1]
