"""Writes the search index into a site: days into months, and all months together."""

from collections import defaultdict
from collections.abc import Sequence

from pydantic import TypeAdapter

from gitzette.site.desk import Desk, mark
from gitzette.site.search import SHARDS, month_shards, overview, shards
from gitzette.site.summary import Summary

_WORDS = TypeAdapter(dict[str, list[int]])


def words_file(label: str) -> str:
    """Name the file with the words of a day."""
    return f"data/words/{label}.json"


def write_index(desk: Desk, days: Sequence[Summary], maker: str) -> None:
    """Write the index of these days, oldest first, whose words are there already; `maker` marks the code."""
    months: dict[str, list[Summary]] = defaultdict(list)
    for day in days:
        months[day.month].append(day)
    keys = {name: mark(maker, *(day.hash for day in own)) for name, own in months.items()}
    for name, own in months.items():
        if not desk.current(keys[name], _month_file(name)):
            desk.put(_month_file(name), _month(desk, own))
    names = [f"search/words/{number:03}.txt" for number in range(SHARDS)]
    if not desk.current(mark(*keys.values()), *names):
        read = [(desk.folder / _month_file(name)).read_text("utf-8") for name in months]
        for name, text in zip(names, shards(read), strict=True):
            desk.put(name, text)
    text = overview([[(day.label, day.documents) for day in own] for own in months.values()])
    desk.page("search/index.json", mark(text), lambda: text)


def _month(desk: Desk, days: Sequence[Summary]) -> str:
    read = [_WORDS.validate_json((desk.folder / words_file(day.label)).read_bytes()) for day in days]
    return month_shards([(day.documents, words) for day, words in zip(days, read, strict=True)])


def _month_file(month: str) -> str:
    return f"data/words/{month}.txt"
