"""The search index of the site: the documents of each report, and the words that find them.

`data/DAY-search.json` has the lines of a day's documents, which are read when the files of its month
are written. `search/index.js` names the months, `search/MONTH.js` has a line with title and names for
each document of their days, `search/MONTH-words.js` a line with its sentences, `search/docs/DAY.js`
what is shown of each document. They are scripts, because a page that was opened from disk may load
scripts and no data. The page loads the newest month first and shows what it finds; sentences are
looked through after titles and names.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.domain.base import LANGUAGES, Language
from agent.reports.page_model import Item, PageModel
from gitzette.render.page_addresses import element_id_of
from gitzette.render.templating import clean

_FIRST_HEADLINE = 5 + len(LANGUAGES)  # Behind five fields and a text in each language
_NOTHING_WRITTEN = ("",) * (2 * len(LANGUAGES))  # Instead of texts and headlines
_MAX_FOUND_CHARACTERS = 230  # Of a document that the search shows
_CODE = re.compile(r"`([^`]+)`")
Models = Mapping[Language, PageModel]


class Document(NamedTuple):
    """A commit, an issue or a release in the search: its text, and the words that find it."""

    fields: tuple[str, ...]
    """Kind, element id, repository, section, title, its text and its headline in each language."""
    more: str  # Names by which it is found beside its titles
    words: str = ""  # Its sentences and facts in all languages


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


def month_index(month: str, indexes: Sequence[tuple[str, DayIndex]]) -> Iterator[tuple[str, str]]:
    """Yield the files of a month in the search; what is told of a week is on its days."""
    lines = [(label, index.lines) for label, index in indexes]
    yield f"search/{month}.js", script(month, lines)
    words = [(label, index.words) for label, index in indexes]
    yield f"search/{month}-words.js", script(f"{month}-words", words)
