"""Summaries of reports for pages that are made from all of them: news, stories, words.

`data/DAY.json` has its news and stories, `data/DAY-search.json` the lines of its documents, which
are read when the files of its month are written. `search/index.js` names the months, `search/MONTH.js` has
a line with title and names for each document of their days, `search/MONTH-words.js` a line with its
sentences, `search/docs/DAY.js` what is shown of each document. They are scripts, because a page that
was opened from disk may load scripts and no data. The page loads the newest month first and shows
what it finds; sentences are looked through after titles and names.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from agent.domain.base import LANGUAGES, Language
from agent.domain.links import BARE, Story
from agent.domain.report import Report, failed_share
from agent.reports.page_model import Item, PageModel, RepoPart
from gitzette.render.page_addresses import element_id_of, story_key
from gitzette.render.templating import clean

_FIRST_HEADLINE = 5 + len(LANGUAGES)  # Behind five fields and a text in each language
_NOTHING_WRITTEN = ("",) * (2 * len(LANGUAGES))  # Instead of texts and headlines
_MAX_HIGHLIGHTS = 8  # Commits of a repository on one day
_MAX_FOUND_CHARACTERS = 230  # Of a document that the search shows
_CODE = re.compile(r"`([^`]+)`")
Summary = dict[str, Any]
"""A report in short, as `data/DAY.json` has it; `summarise` says which keys there are."""
Models = Mapping[Language, PageModel]


class Document(NamedTuple):
    """A commit, an issue or a release in the search: its text, and the words that find it."""

    fields: tuple[str, ...]
    """Kind, element id, repository, section, title, its text and its headline in each language."""
    more: str  # Names by which it is found beside its titles
    words: str = ""  # Its sentences and facts in all languages


def is_week(label: str) -> bool:
    """Return True for the label of a weekly edition."""
    return "W" in label


def summarise(label: str, report: Report, pages: Models, index: "DayIndex") -> Summary:
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


# ---------------------------------------------------------------- search


class DayIndex(NamedTuple):
    """The part of the search index that a report makes; each document has a line in both texts."""

    documents: list[tuple[str, ...]]
    lines: str  # Title, tab, names
    words: str  # Sentences and facts


def day_index(pages: Models) -> DayIndex:
    """Return the documents of a report, and the lines by which each is found."""
    documents = list(_documents(pages))
    lines = []
    words = []
    for document in documents:
        title = " ".join((document.fields[4], *document.fields[_FIRST_HEADLINE:]))
        lines.append(f"{_folded(title)}\t{_folded(document.more)}")
        words.append(_folded(document.words))
    fields = [document.fields for document in documents]
    return DayIndex(fields, "\n".join(lines), "\n".join(words))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", clean(text)).lower()


def _documents(pages: Models) -> Iterator[Document]:
    """Yield each document with the names and the sentences by which it is found."""
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
    extracts: list[str] = []
    headlines: list[str] = []
    names: dict[str, None] = {}
    words: list[str] = []
    for translated in translations:
        text = " ".join(sentence.text for sentence in translated.told)
        names |= dict.fromkeys(_CODE.findall(text))
        plain_text = text.replace("`", "")
        words.append(plain_text)
        extracts.append(clean(plain_text)[:_MAX_FOUND_CHARACTERS])
        headline = translated.headline.replace("`", "") if translated.title else ""
        headlines.append(clean(headline))
    title = clean(item.title or item.headline)
    fields = ("c", item.element_id, row.repo, item.section, title, *extracts, *headlines)
    more = [row.repo, row.sha[:12], row.author]
    more += row.places
    more += names
    return Document(fields, " ".join(more), " ".join(words))


def script(name: str, data: object) -> str:
    """Return a part of the index as a script that a page may load, also from disk."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    call = f"gitzetteIndex({json.dumps(name)},{text});\n"
    # Two signs that end a line in a script and not in JSON.
    return call.replace("\u2028", " ").replace("\u2029", " ")


def months_of(summaries: Sequence[Summary]) -> dict[str, list[Summary]]:
    """Return the summaries by month, the newest month and its newest days first."""
    months: dict[str, list[Summary]] = {}
    for summary in sorted(summaries, key=_label_order, reverse=True):
        months.setdefault(summary["month"], []).append(summary)
    return {month: months[month] for month in sorted(months, reverse=True)}


def _label_order(summary: Summary) -> str:
    return str(summary["label"])


def month_index(month: str, indexes: Sequence[tuple[str, DayIndex]]) -> Iterator[tuple[str, str]]:
    """Yield the files of a month in the search; what is told of a week is on its days."""
    lines = [(label, index.lines) for label, index in indexes]
    yield f"search/{month}.js", script(month, lines)
    words = [(label, index.words) for label, index in indexes]
    yield f"search/{month}-words.js", script(f"{month}-words", words)
