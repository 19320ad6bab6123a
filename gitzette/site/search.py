"""The search index: for each month, words with the documents that have them, in shards that a browser loads on demand.

`search/index.json` names the months and how many documents each day has; `search/MONTH/NN.json` holds the words of one
shard; `search/docs/DAY.json` what is shown of each document. A word's shard is told by its first two characters, so the
beginning of a word is looked for in one shard, too; Chinese, which is indexed by pairs, by the first character alone.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from agent.layouts.view import View
from agent.report import LedgerRow, Report
from agent.web import Web
from gitzette.site.html import clean
from gitzette.site.names import anchor
from gitzette.site.summary import lead_text
from memory.words import has_han, indexed

SHARDS = 32
Document = tuple[str, str, str, str, str, str, str, str]
"""Kind, anchor, repository, tier, title, English text, Chinese text, names and paths."""
_LONGEST = 1_200
_KINDS = {"c": "commit", "i": "issue", "r": "release"}


def documents(report: Report, web: Web) -> list[Document]:
    """List what can be found of a report: its commits, issues and releases."""
    english, chinese = View(report, "en", web), View(report, "zh", web)
    found = [_commit(row, english, chinese) for row in report.ledger]
    for section in report.sections:
        for thread in section.issues:
            name = f"{section.repo}#{thread.number}"
            more = " ".join((f"#{thread.number}", thread.author or "", *thread.labels))
            found.append(("i", anchor(name), section.repo, "", clean(thread.title), "", "", _short(more)))
        for release in section.releases:
            place = anchor(f"{section.repo}@{release.tag}")
            found.append(("r", place, section.repo, "", clean(f"{release.tag} {release.name}"), "", "", ""))
    return found


def _commit(row: LedgerRow, english: View, chinese: View) -> Document:
    texts = []
    for view in (english, chinese):
        claims = view.said(row)
        texts.append(_short(" ".join(lead_text(claim, view.lang, view.web) for claim in claims)))
    # Words of others are in neither language's own; once is enough.
    more = _short(" ".join((row.sha[:12], row.author, *row.places)))
    name = f"{row.repo}@{row.sha}"
    return ("c", anchor(name), row.repo, row.tier or "", clean(row.title), texts[0], texts[1], more)


def _short(text: str) -> str:
    return clean(text)[:_LONGEST].replace("`", "")


def shards(days: Sequence[Sequence[Document]]) -> list[str]:
    """Write the shards of a month, each `{word: [gaps]}`.

    A gap is twice the step to the next document that has the word, plus one where the word is in its title.
    """
    words: list[dict[str, list[int]]] = [defaultdict(list) for _ in range(SHARDS)]
    last: dict[str, int] = {}
    for number, one in enumerate(document for day in days for document in day):
        in_title = _words(one[4])
        elsewhere = _words(" ".join((one[2], *one[5:])))
        for word in in_title | elsewhere:
            gap = number - last.get(word, -1)
            last[word] = number
            words[shard_of(word)][word].append(gap * 2 + (word in in_title))
    return [json.dumps(dict(sorted(one.items())), ensure_ascii=False, separators=(",", ":")) for one in words]


def shard_of(word: str) -> int:
    """Tell in which shard a word is; the script of the search page does the same sum."""
    first = ord(word[0])
    second = 0 if has_han(word[0]) or len(word) < 2 else ord(word[1])
    return (first * 31 + second) % SHARDS


def overview(months: Mapping[str, Iterable[tuple[str, int]]]) -> str:
    """Write the list of months, newest first, with the days in the order of their documents."""
    listed = [{"month": name, "days": [list(day) for day in days]} for name, days in months.items()]
    newest = sorted(listed, key=lambda one: str(one["month"]), reverse=True)
    return json.dumps({"shards": SHARDS, "months": newest}, separators=(",", ":")) + "\n"


def _words(text: str) -> frozenset[str]:
    found = indexed(text)
    return frozenset((*found.words.split(), *found.parts.split()))
