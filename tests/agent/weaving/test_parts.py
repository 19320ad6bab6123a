"""Which part of what a title says it is."""

from datetime import UTC, datetime, timedelta

import pytest
from agent.weaving.parts import read_part
from agent.weaving.series import Series, series_of

from agent.sources import Headline


@pytest.mark.parametrize(
    ("title", "index", "total"),
    [
        ("[RadixTree][5/N Refactor]: match keys (#18147)", 5, None),
        ("[gRPC] Native server: launcher (3/4) (#23508)", 3, 4),
        ("[2/n] lora - shared experts", 2, None),
        ("Tidy the pool. Part 2 (#24689)", 2, None),
        ("[core] step 2: drop the sentinel", 2, None),
        ("Benchmark Phase 1: extract helpers", 1, None),
        ("[Refactor] Move ownership (stack 2/15) (#30064)", 2, 15),
        ("Migrate kernels (RFC #29630, Phase 2.5, 7/7) (#30795)", 7, 7),
        ("【路由】拆分调度器（2/3）", 2, 3),
    ],
)
def test_parts_are_read_in_every_spelling(title: str, index: int, total: int | None) -> None:
    part = read_part(title)
    assert part is not None
    assert (part.index, part.total) == (index, total)


@pytest.mark.parametrize(
    "title",
    [
        "Support NextN = 2/4 in the draft model",
        "Fix Step3-VL on 24/7 machines",
        "[AMD] tune the stage-1 geometry",
        "model: support Step-3.7-Flash",
        'Revert "[Cache][2/3] move the pool" (#12)',
        "Run 1/2 of the probes",
        "Bump timeout of `api-server-part-2`",
        "part of the pool is pinned",
        "",
    ],
)
def test_fractions_names_and_reverts_are_no_parts(title: str) -> None:
    assert read_part(title) is None


def _landed(*titles: str, author: str = "ada", days: int = 2) -> list[Headline]:
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    return [
        Headline(sha=f"{number:040x}", at=start + timedelta(days=days * number), author=author, title=title)
        for number, title in enumerate(titles)
    ]


def _titles(series: Series) -> list[int]:
    return [part.index for _, part in series.members]


def test_a_series_is_one_whatever_else_lands_and_names_the_gap() -> None:
    landed = _landed(
        "[Cache][1/N] name the pool",
        "[Perf][1/N] fewer copies in the sampler",
        "[Cache][2/N] lock the pool",
        "[Perf][2/N] fewer copies in the decoder",
        "[Cache][4/N] share the pool",
    )
    cache, perf = series_of(landed)
    assert _titles(cache) == [1, 2, 4]
    assert cache.missing() == (3,)
    assert _titles(perf) == [1, 2]
    assert perf.missing() == ()


def test_a_second_first_part_begins_another_series() -> None:
    landed = _landed("[Runner][1/N] a", "[Runner][2/N] b", "[Runner][1/N] c", "[Runner][2/N] d")
    assert [_titles(one) for one in series_of(landed)] == [[1, 2], [1, 2]]


def test_parts_before_the_first_known_one_are_not_called_missing() -> None:
    (series,) = series_of(_landed("[Cache][3/N] a", "[Cache][4/N] b"))
    assert series.missing() == ()


def test_nobody_elses_numbers_are_joined_by_common_words_alone() -> None:
    landed = [*_landed("[1/n] enable graph capture"), *_landed("[2/n] support capture of lists", author="bob")]
    assert len(series_of([landed[0], landed[1].model_copy(update={"sha": "f" * 40})])) == 2
