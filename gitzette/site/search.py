"""What the search page looks through: a line of text for each document, month by month, and what is shown of it.

`search/index.js` names the months, `search/MONTH.js` has the lines of their days, `search/docs/DAY.js` what is shown of
each document. They are scripts, because a page that was opened from disk may load scripts and no data. The page loads
the newest month first and shows what it finds meanwhile. `data/words/DAY.txt` keeps the lines of a day.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from agent.domain.base import Language
from gitzette.render.addresses import place_of
from gitzette.render.model import Item, PageModel
from gitzette.render.templating import clean
from gitzette.site.folder import SiteFolder, mark
from gitzette.site.summary import Summary

Document = tuple[str, ...]
"""Kind (commit, issue, release), anchor, repository, tier, title, English and Chinese text, the headlines of both."""
_CODE = re.compile(r"`([^`]+)`")
_SHOWN = 230


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


def write_index(folder: SiteFolder, days: Sequence[Summary]) -> None:
    """Write the index of these days, oldest first, whose lines are there already."""
    months: dict[str, list[Summary]] = defaultdict(list)
    for day in days:
        months[day["month"]].append(day)
    for name, own in months.items():
        folder.page(f"search/{name}.js", mark(*(day["hash"] for day in own)), partial(_month, folder, name, own))
    folder.page("search/index.js", mark(*months), partial(script, "index", list(months)[::-1]))


def _month(folder: SiteFolder, name: str, days: Sequence[Summary]) -> str:
    files = {day["label"]: folder.folder / f"data/words/{day['label']}.txt" for day in reversed(days)}
    return script(name, [(label, file.read_text("utf-8")) for label, file in files.items()])
