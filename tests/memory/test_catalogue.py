"""The cards of commits are found again by hash, and the stretches of time are known of which all are there."""

from datetime import UTC, datetime, timedelta

from agent.card import Card
from agent.ids import RepoId
from agent.window import Window
from memory.catalogue import Catalogue
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


def test_commits_are_found_by_hash() -> None:
    book = catalogue(card(1), card(255))
    assert titles(book.by_hash("0" * 38 + "f")) == ["Change 255"]
    assert book.known(REPO, [card(1).sha, "f" * 40]) == {card(1).sha}


def test_names_that_are_no_text_are_kept_as_well_as_can_be() -> None:
    book = catalogue(card(1, paths=("bad\udcff.py",)))
    assert book.by_hash(card(1).sha)[0].paths == ("bad?.py",)
