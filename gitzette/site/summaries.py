"""Summaries of reports for pages that are made from all of them: their news and stories.

`data/DAY.json` has those of a day.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agent.domain.base import Language
from agent.domain.links import BARE, Story
from agent.domain.report import Report, failed_share
from agent.reports.page_model import Item, RepoPart
from gitzette.render.page_addresses import story_key
from gitzette.site.search_index import DayIndex, Models

_MAX_HIGHLIGHTS = 8  # Commits of a repository on one day
Summary = dict[str, Any]
"""A report in short, as `data/DAY.json` has it; `summarise` says which keys there are."""


def is_week(label: str) -> bool:
    """Return True for the label of a weekly edition."""
    return "W" in label


def summarise(label: str, report: Report, pages: Models, index: DayIndex) -> Summary:
    """Return what other pages show of a report; a week's commits have the pages of its days."""
    window = report.window
    end = window.cutoff or window.end
    stories = [] if is_week(label) else report.stories
    return {
        "label": label,
        "month": f"{end:%Y-%m}" if is_week(label) else label[:7],
        "end": f"{end:%Y-%m-%dT%H:%M:%SZ}",
        "tz": window.tz,
        "lead": {lang: page.lead for lang, page in pages.items()},
        "news": {lang: page.news for lang, page in pages.items()},
        "brief": {lang: list(map(page.words_in_brief, page.brief)) for lang, page in pages.items()},
        "repos": [_repo_day(part, pages) for part in pages["en"].repos],
        "stories": [_story_entry(story) for story in stories if _is_listed(story)],
        "failed_share": failed_share(report),
        "documents": len(index.documents),
    }


def _is_listed(story: Story) -> bool:
    return len(story.timeline) > 1 and story.kind not in BARE


def _story_entry(story: Story) -> dict[str, Any]:
    return {
        "key": story_key(story),
        "repo": story.repo,
        "story": story.model_dump(mode="json"),
    }


def _repo_day(part: RepoPart, pages: Models) -> dict[str, Any]:
    sections = [section.of(part.repo) for section in pages["en"].sections]
    items = [*sections[0].items, *sections[1].items]
    highlights = []
    for item in items[:_MAX_HIGHLIGHTS]:
        highlight = {
            "path": item.path,
            "tier": item.section,
            "breaking": item.is_breaking,
            **_names_and_leads(item, pages),
        }
        highlights.append(highlight)
    return {
        "repo": part.repo,
        "landed": len(part.rows),
        "counts": {section.name: section.size for section in sections},
        "releases": [release.tag for release in part.section.releases],
        "release_lines": [line.model_dump(mode="json") for line in part.section.releases],
        "highlights": highlights,
        "breaking": _breaking(part, pages),
        "areas": _areas(part),
    }


def _breaking(part: RepoPart, pages: Models) -> list[dict[str, Any]]:
    """Return what breaks in a repository, with the names of what no longer works."""
    entries = []
    for item in pages["en"].breaking:
        if item.row.repo != part.repo:
            continue
        entry = {
            "id": item.element_id,
            "sha": item.row.sha,
            "names": list(item.breaks),
            **_names_and_leads(item, pages),
        }
        entries.append(entry)
    return entries


def _names_and_leads(item: Item, pages: Models) -> dict[str, dict[Language, str]]:
    """Return the headline of a commit and its first sentence, if it has one, by language."""
    names: dict[Language, str] = {}
    leads: dict[Language, str] = {}
    for lang, page in pages.items():
        translated = page.items[item.row.id]
        names[lang] = translated.headline
        if translated.told:
            leads[lang] = translated.told[0].text
    return {"name": names, "lead": leads}


def _areas(part: RepoPart) -> dict[str, int]:
    """Return the changed lines of a repository's day by folder."""
    lines: dict[str, int] = {}
    for row in part.rows:
        for folder, count in row.areas.items():
            lines[folder] = lines.get(folder, 0) + count
    return lines


def _time_order(summary: Summary) -> tuple[datetime, str]:
    return datetime.fromisoformat(summary["end"]), summary["label"]


def told_stories(
    summaries: Sequence[Summary], most: int, most_of_repo: int
) -> list[tuple[Story, str, str]]:
    """Return the stories of all reports, each once with the label and zone of its last report.

    The newest news comes first. The newest stories are there, and those of each repository.
    """
    newest: dict[str, tuple[dict[str, Any], Summary]] = {}
    for summary in sorted(summaries, key=_time_order, reverse=True):
        for entry in reversed(summary["stories"]):
            newest.setdefault(entry["key"], (entry, summary))
    stories = []
    stories_of_repo: Counter[str] = Counter()
    for number, (entry, summary) in enumerate(newest.values()):
        stories_of_repo[entry["repo"]] += 1
        if number < most or stories_of_repo[entry["repo"]] <= most_of_repo:
            story = Story.model_validate(entry["story"])
            stories.append((story, summary["label"], summary["tz"]))
    return stories


def months_of(summaries: Sequence[Summary]) -> dict[str, list[Summary]]:
    """Return the summaries by month, the newest month and its newest days first."""
    months: dict[str, list[Summary]] = {}
    for summary in sorted(summaries, key=_label_order, reverse=True):
        months.setdefault(summary["month"], []).append(summary)
    return {month: months[month] for month in sorted(months, reverse=True)}


def _label_order(summary: Summary) -> str:
    return str(summary["label"])
