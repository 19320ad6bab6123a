"""The cards of commits are found again by everything that people remember of them."""

from datetime import UTC, datetime, timedelta

from agent.card import Card
from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from agent.window import Window
from memory.catalogue import Catalogue, Needle
from memory.database import database_in_memory

REPO = RepoId("lumen-ai/tensorforge")
START = datetime(2026, 2, 1, tzinfo=UTC)


def card(number: int, **more: object) -> Card:
    values = {
        "repo": REPO,
        "sha": f"{number:040x}",
        "at": START + timedelta(hours=number),
        "author": "Ada",
        "title": f"Change {number}",
        "message": f"Change {number}",
    }
    return Card.model_validate(values | more)


def catalogue(*cards: Card) -> Catalogue:
    book = Catalogue(database_in_memory())
    book.put(REPO, cards, Window(start=START, end=START + timedelta(days=1), tz="UTC"))
    return book


def titles(cards: list[Card]) -> list[str]:
    return [one.title for one in cards]


def test_a_flag_is_found_however_it_is_spelt() -> None:
    fact = Fact(kind=FactKind.FLAG_ADDED, severity=Severity.ADDITIVE, name="--enable-lora-overlap-loading")
    book = catalogue(card(1, title="Overlap", facts=(fact,)), card(2, title="Other"))
    for spelling in ("--enable-lora-overlap-loading", "enable_lora_overlap_loading", "enableLoraOverlapLoading"):
        assert titles(book.search([Needle((spelling,))])) == ["Overlap"], spelling


def test_chinese_words_and_paths_are_found() -> None:
    book = catalogue(card(1, title="修复调度器死锁"), card(2, title="Other", paths=("csrc/moe/route_topk.cu",)))
    assert titles(book.search([Needle(("调度器",))])) == ["修复调度器死锁"]
    assert titles(book.search([Needle(("csrc/moe/route_topk.cu",))])) == ["Other"]
    assert titles(book.search([Needle(("topk",))])) == ["Other"]


def test_everything_needed_must_be_there_and_what_is_welcome_comes_first() -> None:
    book = catalogue(
        card(1, title="Cache eviction for decode"), card(2, title="Cache warmup"), card(3, title="Decode only")
    )
    found = book.search([Needle(("cache",)), Needle(("decode",), needed=False)])
    assert titles(found) == ["Cache eviction for decode", "Cache warmup"]


def test_a_search_keeps_to_its_repositories_and_its_window() -> None:
    book = catalogue(card(1, title="Cache a"), card(20, title="Cache b"))
    late = Window(start=START + timedelta(hours=10), end=START + timedelta(days=1), tz="UTC")
    assert titles(book.search([Needle(("cache",))], window=late)) == ["Cache b"]
    assert book.search([Needle(("cache",))], repos=[RepoId("other/name")]) == []


def test_words_of_a_search_are_never_commands_to_the_index() -> None:
    book = catalogue(card(1, title="Cache"))
    for hostile in ('" OR 1', "NEAR(a b)", "title : x", "*", "a AND NOT b", "--", "(", "😀"):
        book.search([Needle((hostile,))])


def test_gaps_are_what_no_stretch_covers() -> None:
    book = catalogue()
    day = timedelta(days=1)
    book.put(REPO, (), Window(start=START + 2 * day, end=START + 3 * day, tz="UTC"))
    gaps = book.gaps(REPO, Window(start=START - day, end=START + 4 * day, tz="UTC"))
    assert [(one.start, one.end) for one in gaps] == [
        (START - day, START),
        (START + day, START + 2 * day),
        (START + 3 * day, START + 4 * day),
    ]
    assert book.gaps(REPO, Window(start=START, end=START + day, tz="UTC")) == []


def test_a_card_made_from_whole_files_is_not_replaced_by_one_from_a_patch() -> None:
    book = catalogue(card(1, title="Whole", route="blobs"))
    book.put(REPO, [card(1, title="Patch")])
    assert titles(book.by_hash(card(1).sha)) == ["Whole"]


def test_commits_are_found_by_hash_and_pull_request() -> None:
    book = catalogue(card(1, pull=77), card(255))
    assert titles(book.by_pull(77)) == ["Change 1"]
    assert titles(book.by_hash("0" * 38 + "f")) == ["Change 255"]
    assert book.known(REPO, [card(1).sha, "f" * 40]) == {card(1).sha}


def test_names_that_are_no_text_are_kept_as_well_as_can_be() -> None:
    book = catalogue(card(1, paths=("bad\udcff.py",)))
    assert book.by_hash(card(1).sha)[0].paths == ("bad?.py",)
