"""The search index: what a script reads from it is what the days had."""

import re
from datetime import timedelta

import pytest

from agent.web import Web
from gitzette.render.compose import page_model
from gitzette.site.search import SHARDS, Words, day_index, month_shards, shard_of, shards
from tests.made_reports import FIRST, made_day

_LINE = re.compile(r"(\w+) ([#-\[\]-~]+)")


def places(gaps: str) -> list[int]:
    """Read the documents of a word as the script of the search page does: twice the number, plus one for a title."""
    found, number, step, scale = [], -1, 0, 1
    for sign in gaps:
        code = ord(sign)
        if code > ord("\\"):
            step += (code - 93) * scale
            scale *= 34
            continue
        step += (code - 35) * scale
        number += step >> 1
        found.append(2 * number + (step & 1))
        step, scale = 0, 1
    return found


def read(shard: str) -> list[dict[str, list[int]]]:
    months = [part.split("\n") for part in shard.split("!")[1:]]
    assert all(lines[0] == lines[-1] == "" for lines in months)
    found = [[_LINE.fullmatch(line) for line in lines[1:-1]] for lines in months]
    return [{one[1]: places(one[2]) for one in lines if one is not None} for lines in found]


@pytest.mark.parametrize("count", [2, 57, 1_000, 60_000])
def test_a_word_leads_to_the_documents_that_have_it_however_far_they_are_apart(count: int) -> None:
    days: list[tuple[int, Words]] = [
        (count, {"cache": [1, 2 * count - 2], "默认": [0]}),
        (2, {"cache": [2], "graph": [1, 2]}),
    ]
    first = month_shards(days)
    second = month_shards([(1, {"cache": [1]})])
    written = shards([first, second])
    assert len(written) == SHARDS
    cache, graph, han = (read(written[shard_of(word)]) for word in ("cache", "graph", "默认"))
    assert [month["cache"] for month in cache] == [[1, 2 * count - 2, 2 * count + 2], [1]]
    assert graph[0]["graph"] == [2 * count + 1, 2 * count + 2]
    assert (han[0]["默认"], han[1]) == ([0], {})


def test_a_month_without_a_word_keeps_its_place_in_the_shard() -> None:
    written = shards([month_shards([(1, {"a": [0]})]), month_shards([(1, {})]), month_shards([(1, {"a": [1]})])])
    assert [month.get("a") for month in read(written[shard_of("a")])] == [[0], None, [1]]
    assert all(text.count("!") == 3 for text in written)


def test_words_are_found_in_the_shard_that_their_beginning_tells() -> None:
    assert shard_of("allreduce") == shard_of("all") == shard_of("al")
    assert shard_of("显存") == shard_of("显")


def test_shards_hold_every_document_of_every_word_in_order() -> None:
    reports = [made_day(FIRST + timedelta(days=at), most=3) for at in range(3)]
    web = Web("https://github.com")
    found = [day_index({"en": page_model(one, "en", web), "zh": page_model(one, "zh", web)}) for one in reports]
    written = shards([month_shards([(len(documents), words) for documents, words in found])])
    assert len(written) == SHARDS
    [month] = read(written[shard_of("默认")])
    documents = [document for one, _ in found for document in one]
    assert [place >> 1 for place in month["默认"]] == [at for at, one in enumerate(documents) if "默认" in one[6]]
