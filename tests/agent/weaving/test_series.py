"""Which parts are of one series."""

from datetime import UTC, datetime, timedelta

from agent.weaving.series import series_of

from agent.serials import series_sentence
from agent.sources import Headline

START = datetime(2026, 1, 14, 15, tzinfo=UTC)


def landed(number: int, hours: float, title: str, author: str = "Mira") -> Headline:
    return Headline(sha=f"{number:040x}", at=START + timedelta(hours=hours), author=author, title=title)


def test_a_first_part_does_not_join_a_second_part_that_landed_before_it() -> None:
    heads = [
        landed(1, 0, "[1/N] Reorganize multimodal processing code"),
        landed(2, 10, "[2/N] Move cache factories to MM registry"),
        landed(3, 21, "[3/N] Group together media-related code"),
        landed(4, 120, "[1/N] Initialize MM components in context managers (A-D)"),
        landed(5, 125, "[2/N] Initialize MM components in context managers (E-H)"),
    ]
    assert [[part.index for _, part in one.members] for one in series_of(heads)] == [[1, 2, 3], [1, 2]]


def test_bare_numbers_of_two_people_or_of_distant_days_are_not_one_series() -> None:
    heads = [
        landed(1, 0, "[1/N] Reorganize the code of inputs"),
        landed(2, 5, "[2/N] Move factories elsewhere", author="Jo"),
        landed(3, 24 * 20, "[2/N] Group what belongs together"),
    ]
    assert all(len(one.members) == 1 for one in series_of(heads))


def test_common_words_do_not_make_anothers_part_one_of_a_named_work() -> None:
    heads = [
        landed(1, 0, "[Router Rework][8/N] Plain router for sparse layers"),
        landed(2, 5, "[Router Rework][9/N] One kernel for plain sparse layers"),
        landed(3, 24 * 20, "[Metal][2/N] Support plain sparse layers", author="Jo"),
    ]
    assert [[part.index for _, part in one.members] for one in series_of(heads)] == [[8, 9], [2]]


def test_few_parts_before_the_first_known_one_were_not_found_and_many_are_not_spoken_of() -> None:
    (near,) = series_of([landed(1, 0, "[2/N] Quantization: schemes"), landed(2, 5, "[3/N] Quantization: layers")])
    assert (near.missing(), near.unfound()) == ((), (1,))
    (far,) = series_of([landed(1, 0, "[7/N] Quantization: schemes"), landed(2, 5, "[8/N] Quantization: layers")])
    assert far.unfound() == ()


def test_a_part_that_was_not_found_is_told_in_both_languages() -> None:
    params = {"part": "3", "landed": "2", "unfound": "1"}
    assert series_sentence(params, "en") == "Part 3 of a series; landed: part 2 [@2]; part 1 was not found."
    assert series_sentence(params, "zh") == "系列的第 3 部分；已合入：第 2 部分 [@2]；未找到第 1 部分。"
