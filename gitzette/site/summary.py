"""What a report leaves for pages that are made from all reports: its news, its stories, and what search finds.

`data/DAY.json` has it. `search/index.js` names the months, `search/MONTH.js` has a line of text for each document of
their days, `search/docs/DAY.js` what is shown of each document. They are scripts, because a page that was opened from
disk may load scripts and no data. The page loads the newest month first and shows what it finds meanwhile.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from agent.domain.base import Language, RepoId
from agent.domain.ledger import Tier
from agent.domain.links import BARE, Story
from agent.domain.report import Report, failed_share
from gitzette.render.model import Item, PageModel, row_id
from gitzette.render.templating import clean, commit_path, place_of, story_key

TOLD = (Tier.HIGH.value, Tier.MID.value)  # Tiers whose commits have pages of their own
_MOST = 8  # Highlights of a repository on one day
_SHOWN = 230
_CODE = re.compile(r"`([^`]+)`")
Summary = dict[str, Any]  # One report in short, as `data/DAY.json` has it; `summarise` says which keys there are
ToldStory = tuple[Story, str, str]  # A story, with the label and the time zone of the latest report that tells it
Document = tuple[str, ...]
"""Kind (commit, issue, release), anchor, repository, tier, title, English and Chinese text, the headlines of both."""


def is_week(label: str) -> bool:
    """Tell a weekly edition by its label."""
    return "W" in label


def summarise(label: str, report: Report, pages: Mapping[Language, PageModel], lines: str) -> Summary:
    """Take from the pages of a report what other pages show of it; a week's commits have the pages of its days."""
    window, page = report.window, pages["en"]
    told = [one for one in page.items.values() if one.tier in TOLD and not is_week(label)]
    end = window.cutoff or window.end
    return {
        "label": label,
        "month": f"{end:%Y-%m}" if is_week(label) else label[:7],
        "end": f"{end:%Y-%m-%dT%H:%M:%SZ}",
        "tz": window.tz,
        "lead": {lang: page.lead for lang, page in pages.items()},
        "brief": {lang: [one.text for one in page.brief] for lang, page in pages.items()},
        "repos": [_repo_day(part.repo, len(part.rows), pages) for part in page.repos],
        "stories": [] if is_week(label) else [one.model_dump(mode="json") for one in report.stories],
        "commits": [commit_path(one.row.repo, one.row.sha) for one in told],
        "failed_share": failed_share(report),
        "lines": lines,
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


# ---------------------------------------------------------------- search


def day_index(pages: Mapping[Language, PageModel]) -> tuple[list[Document], str]:
    """List the commits, issues and releases of a report, and the line by which each is found: title, tab, the rest."""
    documents, lines = [], []
    for document, more in _documents(pages["en"], pages["zh"]):
        title = " ".join((document[4], *document[7:]))
        documents.append(document)
        lines.append("\t".join(unicodedata.normalize("NFKC", clean(one)).lower() for one in (title, more)))
    return documents, "\n".join(lines)


def _documents(english: PageModel, chinese: PageModel) -> Iterator[tuple[Document, str]]:
    """Give each document with the further words by which it is found: names, not whole sentences."""
    for name, item in english.items.items():
        yield _commit(item, chinese.items[name])
    for section in english.report.sections:
        repo = section.repo
        for thread in section.issues:
            more = " ".join((repo, f"{thread.number}", thread.author or "", *thread.labels))
            yield ("i", place_of(f"{repo}#{thread.number}"), repo, "", clean(thread.title), "", "", "", ""), more
        for one in section.releases:
            yield ("r", place_of(f"{repo}@{one.tag}"), repo, "", clean(f"{one.tag} {one.name}"), "", "", "", ""), repo


def _commit(english: Item, chinese: Item) -> tuple[Document, str]:
    both, row = (english, chinese), english.row
    texts = [" ".join(one.text for one in item.told) for item in both]
    heads = (clean(item.headline.replace("`", "")) if item.title else "" for item in both)
    shown = (clean(text.replace("`", ""))[:_SHOWN] for text in texts)
    names = dict.fromkeys(name for text in texts for name in _CODE.findall(text))
    more = " ".join((row.repo, row.sha[:12], row.author, *row.places, *names))
    title = clean(english.title or english.headline)
    return ("c", english.place, row.repo, english.tier, title, *shown, *heads), more


def script(name: str, data: object) -> str:
    """Write a part of the index as a script that a page may load, also from disk."""
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Two signs that end a line in a script and not in JSON.
    return f"gitzetteIndex({json.dumps(name)},{told});\n".replace("\u2028", " ").replace("\u2029", " ")


def index_files(summaries: Sequence[Summary]) -> Iterator[tuple[str, str]]:
    """Write the index of these reports, newest first; what is told of a week is found on its days."""
    days = sorted((one for one in summaries if one["lines"]), key=lambda one: str(one["label"]), reverse=True)
    months = {
        name: [(one["label"], one["lines"]) for one in own] for name, own in groupby(days, lambda one: one["month"])
    }
    yield "search/index.js", script("index", list(months))
    for name, lines in months.items():
        yield f"search/{name}.js", script(name, lines)
