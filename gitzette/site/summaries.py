"""What a report leaves for pages that are made from all reports: its news, its stories, its words.

`data/DAY.json` has its news and stories. `search/index.js` names the months, `search/MONTH.js` has
a line of text for each document of their days, `search/docs/DAY.js` what is shown of each document.
They are scripts, because a page that was opened from disk may load scripts and no data. The page
loads the newest month first and shows what it finds.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from agent.domain.base import LANGUAGES, Language
from agent.domain.links import BARE, Story
from agent.domain.report import Report, failed_share
from agent.reports.page import Item, PageModel, RepoPart
from gitzette.render.templating import clean, element_id_of, story_key

_FIRST_HEADLINE = 5 + len(LANGUAGES)  # Behind five fields and a text in each language
_NOTHING_WRITTEN = ("",) * (2 * len(LANGUAGES))  # Instead of texts and headlines
_MAX_HIGHLIGHTS = 8  # Commits of a repository on one day
_MAX_FOUND_CHARACTERS = 230  # Of a document that the search shows
_CODE = re.compile(r"`([^`]+)`")
Summary = dict[str, Any]
"""A report in short, as `data/DAY.json` has it; `summarise` says which keys there are."""
Models = Mapping[Language, PageModel]


class Document(NamedTuple):
    """What the search shows of a commit, an issue or a release, and by which words it is found."""

    fields: tuple[str, ...]
    """Kind, element id, repository, section, title, its text and its headline in each language."""
    more: str  # Names by which it is found beside its titles


def is_week(label: str) -> bool:
    """Return True for the label of a weekly edition."""
    return "W" in label


def summarise(label: str, report: Report, pages: Models, lines: str) -> Summary:
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
        "brief": {lang: _brief(page) for lang, page in pages.items()},
        "repos": [_repo_day(part, pages) for part in pages["en"].repos],
        "stories": [story.model_dump(mode="json") for story in stories],
        "failed_share": failed_share(report),
        "lines": lines,
    }


def _brief(page: PageModel) -> list[str]:
    """Return the brief as lines; facts have the name of their repository in front."""
    is_prefixed = len(page.repos) > 1 and not page.analysed
    lines = []
    for sentence in page.brief:
        prefix = ""
        if is_prefixed:
            prefix = f"{sentence.repo.partition('/')[2]}{page.words['signs']['colon']}"
        lines.append(f"{prefix}{sentence.text}")
    return lines


def _repo_day(part: RepoPart, pages: Models) -> dict[str, Any]:
    sections = [section.of(part.repo) for section in pages["en"].sections]
    items = [*sections[0].items, *sections[1].items]
    highlights = []
    for item in items[:_MAX_HIGHLIGHTS]:
        translations = {lang: page.items[item.row.id] for lang, page in pages.items()}
        leads = {lang: it.told[0].text for lang, it in translations.items() if it.told}
        highlight = {
            "path": item.path,
            "tier": item.section,
            "breaking": item.is_breaking,
            "name": {lang: translated.headline for lang, translated in translations.items()},
            "lead": leads,
        }
        highlights.append(highlight)
    return {
        "repo": part.repo,
        "landed": len(part.rows),
        "counts": {section.name: section.size for section in sections},
        "releases": [release.tag for release in part.section.releases],
        "highlights": highlights,
    }


def told_stories(summaries: Sequence[Summary]) -> list[tuple[Story, str, str]]:
    """Return the stories of all reports, each once with the label and zone of its last report.

    The newest news comes first.
    """
    stories: dict[str, tuple[Story, str, str]] = {}
    by_time = sorted(
        summaries,
        key=lambda summary: (datetime.fromisoformat(summary["end"]), summary["label"]),
    )
    for summary in by_time:
        for data in summary["stories"]:
            story = Story.model_validate(data)
            if len(story.timeline) > 1 and story.kind not in BARE:
                key = story_key(story)
                stories.pop(key, None)
                stories[key] = (story, summary["label"], summary["tz"])
    return list(stories.values())[::-1]


# ---------------------------------------------------------------- search


def day_index(pages: Models) -> tuple[list[tuple[str, ...]], str]:
    """Return the documents of a report, and the line by which each is found: title, tab, the rest."""
    documents = list(_documents(pages))
    lines = []
    for document in documents:
        title = " ".join((document.fields[4], *document.fields[_FIRST_HEADLINE:]))
        lines.append(f"{_folded(title)}\t{_folded(document.more)}")
    return [document.fields for document in documents], "\n".join(lines)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", clean(text)).lower()


def _documents(pages: Models) -> Iterator[Document]:
    """Yield each document with the further words by which it is found: names, not sentences."""
    for name, item in pages["en"].items.items():
        yield _commit_document(item, [page.items[name] for page in pages.values()])
    for section in pages["en"].report.sections:
        repo = section.repo
        for thread in section.issues:
            element_id = element_id_of(thread.id(repo))
            fields = ("i", element_id, repo, "", clean(thread.title), *_NOTHING_WRITTEN)
            names = (repo, f"{thread.number}", thread.author or "", *thread.labels)
            yield Document(fields, " ".join(names))
        for release in section.releases:
            element_id = element_id_of(release.id(repo))
            title = clean(f"{release.tag} {release.name}")
            yield Document(("r", element_id, repo, "", title, *_NOTHING_WRITTEN), repo)


def _commit_document(item: Item, translations: Sequence[Item]) -> Document:
    row = item.row
    shown: list[str] = []
    headlines: list[str] = []
    names: dict[str, None] = {}
    for translated in translations:
        text = " ".join(sentence.text for sentence in translated.told)
        names |= dict.fromkeys(_CODE.findall(text))
        shown.append(clean(text.replace("`", ""))[:_MAX_FOUND_CHARACTERS])
        headline = translated.headline.replace("`", "") if translated.title else ""
        headlines.append(clean(headline))
    title = clean(item.title or item.headline)
    fields = ("c", item.element_id, row.repo, item.section, title, *shown, *headlines)
    more = (row.repo, row.sha[:12], row.author, *row.places, *names)
    return Document(fields, " ".join(more))


def script(name: str, data: object) -> str:
    """Return a part of the index as a script that a page may load, also from disk."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    call = f"gitzetteIndex({json.dumps(name)},{text});\n"
    # Two signs that end a line in a script and not in JSON.
    return call.replace("\u2028", " ").replace("\u2029", " ")


def index_files(summaries: Sequence[Summary]) -> Iterator[tuple[str, str]]:
    """Yield the index of these reports, newest first; what is told of a week is on its days."""
    indexed = [summary for summary in summaries if summary["lines"]]
    indexed.sort(key=lambda summary: str(summary["label"]), reverse=True)
    months: dict[str, list[tuple[str, str]]] = {}
    for month, days in groupby(indexed, lambda summary: summary["month"]):
        months[month] = [(summary["label"], summary["lines"]) for summary in days]
    yield "search/index.js", script("index", list(months))
    for month, lines in months.items():
        yield f"search/{month}.js", script(month, lines)
