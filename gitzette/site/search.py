"""The search index: words with the documents that have them, in shards that a browser loads on demand.

`search/index.js` tells how many documents each day has, month by month; `search/words/NNN.js` holds the words of one
shard, month after month; `search/docs/DAY.js` what is shown of each document. They are scripts, because a page that was
opened from disk may load scripts and no data. A word's shard is told by its first two characters, so the beginning of
a word is looked for in one shard, too; Chinese, which is indexed by pairs, by the first character alone.

`data/words/DAY.json` keeps the words of a day and `data/words/MONTH.txt` the shards of a month, so that the index is
put together without reading texts again.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from pydantic import TypeAdapter

from agent.domain.base import Language
from gitzette.render.addresses import place_of
from gitzette.render.model import Item, PageModel
from gitzette.render.templating import clean
from gitzette.site.folder import SiteFolder, mark
from gitzette.site.summary import Summary
from memory.text_index import has_han, indexed

SHARDS = 128
Document = tuple[str, ...]
"""Kind (commit, issue, release), anchor, repository, tier, title, English and Chinese text, the headlines of both."""
Words = Mapping[str, Sequence[int]]
"""For each word the documents that have it: twice the number, plus one where it is in the title."""
# Signs below the first of those that are indexed by pairs.
_NOT_HAN = re.compile(r"[\x00-\u3004]+")
_BEGIN = "!"
# The signs of numbers: no space, no quotation mark, no backslash.
_LAST, _MORE = ord("#"), ord("]")
_HIGHEST_LAST, _BASE = ord("[") - _LAST, ord("~") - _MORE + 1
_SHOWN, _INDEXED = 230, 1_200
_STORED = TypeAdapter(dict[str, list[int]])


def day_index(pages: Mapping[Language, PageModel]) -> tuple[list[Document], Words]:
    """List the commits, issues and releases of a report, and the words by which they are found."""
    found: list[Document] = []
    words: dict[str, list[int]] = defaultdict(list)
    for document, more in _documents(pages["en"], pages["zh"]):
        in_title = _words(" ".join((document[4], *document[7:])))
        for word in in_title | _words(f"{document[2]} {more}"):
            words[word].append(len(found) * 2 + (word in in_title))
        found.append((*document[:5], document[5][:_SHOWN], document[6][:_SHOWN], *document[7:]))
    return found, words


def _documents(english: PageModel, chinese: PageModel) -> Iterator[tuple[Document, str]]:
    """Give each document with the further text that is looked through and not shown."""
    for name, item in english.items.items():
        yield _commit(item, chinese.items[name])
    for section in english.report.sections:
        for thread in section.issues:
            place = place_of(f"{section.repo}#{thread.number}")
            more = " ".join((f"{thread.number}", thread.author or "", *thread.labels))
            yield ("i", place, section.repo, "", clean(thread.title), "", "", "", ""), clean(more)
        for release in section.releases:
            place = place_of(f"{section.repo}@{release.tag}")
            yield ("r", place, section.repo, "", clean(f"{release.tag} {release.name}"), "", "", "", ""), ""


def _commit(english: Item, chinese: Item) -> tuple[Document, str]:
    both, row = (english, chinese), english.row
    one, other = (clean(" ".join(s.text for s in item.told).replace("`", ""))[:_INDEXED] for item in both)
    heads = (clean(item.headline.replace("`", "")) if item.title else "" for item in both)
    shown = ("c", english.place, row.repo, english.tier, clean(english.title or english.headline), one, other, *heads)
    # Names are the same in both languages, and once is enough.
    return (
        shown,
        f"{one} {_NOT_HAN.sub(' ', other) if one else other} {row.sha[:12]} {row.author} {' '.join(row.places)}",
    )


def _words(text: str) -> dict[str, None]:
    """Give each word once, in the order of the text: a set would have another order in every process."""
    found = indexed(clean(text))
    return dict.fromkeys((*found.words.split(), *found.parts.split()))


def month_shards(days: Sequence[tuple[int, Words]]) -> str:
    """Write the shards of a month from its days, each with its number of documents: a line `word gaps` for each word.

    A gap is twice the step to the next document that has the word, plus one where the word is in its title. A line with
    a sign that neither words nor gaps have begins each shard.
    """
    words: list[dict[str, list[str]]] = [{} for _ in range(SHARDS)]
    last: dict[str, int] = {}
    first = 0
    for count, day in days:
        for word, places in day.items():
            gaps, before = words[shard_of(word)].setdefault(word, []), last.get(word, -2)
            for place in places:
                number = first + (place & ~1)
                gaps.append(_signs(number - before + (place & 1)))
                before = number
            last[word] = before
        first += 2 * count
    return "".join(f"{_BEGIN}\n" + "".join(f"{word} {''.join(one[word])}\n" for word in sorted(one)) for one in words)


def shards(months: Sequence[str]) -> list[str]:
    """Write the shards of all months, one month behind the other."""
    parts = [month.split(_BEGIN)[1:] for month in months]
    return ["".join(_BEGIN + part[at] for part in parts) for at in range(SHARDS)]


@lru_cache(maxsize=65_536)
def _signs(number: int) -> str:
    """Write a number in signs that a script reads without parsing: those above the backslash say that more follow."""
    told = ""
    while number > _HIGHEST_LAST:
        told += chr(_MORE + number % _BASE)
        number //= _BASE
    return told + chr(_LAST + number)


@lru_cache(maxsize=65_536)
def shard_of(word: str) -> int:
    """Tell in which shard a word is; the script of the search page does the same sum."""
    second = 0 if has_han(word[0]) or len(word) < 2 else ord(word[1])
    return (ord(word[0]) * 31 + second) % SHARDS


def script(name: str, data: object) -> str:
    """Write a part of the index as a script that a page may load, also from disk."""
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Two signs that end a line in a script and not in JSON.
    return f"gitzetteIndex({json.dumps(name)},{told});\n".replace("\u2028", " ").replace("\u2029", " ")


def write_index(folder: SiteFolder, days: Sequence[Summary], maker: str) -> None:
    """Write the index of these days, oldest first, whose words are there already; `maker` marks the code."""
    months: dict[str, list[Summary]] = defaultdict(list)
    for day in days:
        months[day["month"]].append(day)
    keys = {f"data/words/{name}.txt": mark(maker, *(day["hash"] for day in own)) for name, own in months.items()}
    for (file, key), own in zip(keys.items(), months.values(), strict=True):
        folder.page(file, key, partial(_month, folder, own))
    names = [f"search/words/{number:03}.js" for number in range(SHARDS)]
    whole = mark(*keys.values())
    if not folder.current(whole, *names):
        for number, text in enumerate(shards([(folder.folder / file).read_text("utf-8") for file in keys])):
            folder.put(names[number], script(f"words/{number:03}", text))
    folder.keys |= dict.fromkeys(names, whole)
    counts = [[(day["label"], day["documents"]) for day in own] for own in months.values()]
    folder.page("search/index.js", whole, lambda: script("index", {"shards": SHARDS, "months": counts}))


def _month(folder: SiteFolder, days: Sequence[Summary]) -> str:
    files = ((folder.folder / f"data/words/{day['label']}.json").read_bytes() for day in days)
    return month_shards(
        [(day["documents"], _STORED.validate_json(file)) for day, file in zip(days, files, strict=True)]
    )
