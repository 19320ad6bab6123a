"""What a report leaves for the other pages: its counts, its news, its stories; so no page needs all reports."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from agent.domain.base import Language, RepoId
from agent.domain.ledger import Tier
from agent.domain.links import BARE, Story
from agent.domain.report import Report, failed_share
from gitzette.render.addresses import commit_path, story_key
from gitzette.render.model import Item, PageModel, row_id

TOLD = (Tier.HIGH.value, Tier.MID.value)
"""Tiers whose commits have pages of their own."""
_MOST = 8
"""Highlights of a repository on one day."""
Summary = dict[str, Any]
"""One report in short, as `data/DAY.json` has it; `summarise` says which keys there are."""
ToldStory = tuple[Story, str, str]
"""A story, with the label and the time zone of the latest report that tells it."""


def is_week(label: str) -> bool:
    """Tell a weekly edition by its label."""
    return "W" in label


def summarise(label: str, digest: str, report: Report, pages: Mapping[Language, PageModel]) -> Summary:
    """Take from the pages of a report what other pages show of it; a week's commits have the pages of its days."""
    window, page = report.window, pages["en"]
    told = [one for one in page.items.values() if one.tier in TOLD and not is_week(label)]
    end = window.cutoff or window.end
    return {
        "hash": digest,
        "label": label,
        "month": f"{end:%Y-%m}" if is_week(label) else label[:7],
        "key": window.key.replace(window.label, label),
        "end": f"{end:%Y-%m-%dT%H:%M:%SZ}",
        "tz": window.tz,
        "lead": {lang: page.lead for lang, page in pages.items()},
        "brief": {lang: [one.whole for one in page.brief] for lang, page in pages.items()},
        "repos": [_repo_day(part.section.repo, len(part.rows), pages) for part in page.repos],
        "stories": [] if is_week(label) else [one.model_dump(mode="json") for one in report.stories],
        "commits": [commit_path(one.row.repo, one.row.sha) for one in told],
        "failed_share": failed_share(report),
    }


def _repo_day(repo: RepoId, landed: int, pages: Mapping[Language, PageModel]) -> dict[str, Any]:
    page = pages["en"]
    sections = [section.of(repo) for section in page.sections]
    chosen = [item for section in sections[:2] for item in section.items][:_MOST]
    releases = [one.tag for section in page.report.sections if section.repo == repo for one in section.releases]
    counts = {section.tier: section.size for section in sections}
    highlights = [_highlight(item, pages) for item in chosen]
    return {"repo": repo, "landed": landed, "counts": counts, "releases": releases, "highlights": highlights}


def _highlight(item: Item, pages: Mapping[Language, PageModel]) -> dict[str, Any]:
    """Name a commit as other pages do: by what it does, and by its first sentence."""
    both = {lang: page.items[row_id(item.row)] for lang, page in pages.items()}
    names = {lang: one.headline for lang, one in both.items()}
    leads = {lang: one.told[0].text for lang, one in both.items() if one.told}
    path = commit_path(item.row.repo, item.row.sha)
    return {"path": path, "tier": item.tier, "breaking": item.breaking, "name": names, "lead": leads}


def told_stories(summaries: Sequence[Summary]) -> list[ToldStory]:
    """Collect the stories of all reports, each once, newest news first."""
    found: dict[str, ToldStory] = {}
    for one in sorted(summaries, key=lambda one: (datetime.fromisoformat(one["end"]), one["label"])):
        for story in map(Story.model_validate, one["stories"]):
            if len(story.timeline) > 1 and story.kind not in BARE:
                found.pop(story_key(story), None)
                found[story_key(story)] = story, one["label"], one["tz"]
    return list(found.values())[::-1]
