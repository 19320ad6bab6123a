"""What an answer costs beside one search of the memory for the same words."""

from datetime import timedelta
from pathlib import Path

from agent.window import Window
from evals.bench.stages import Cost, used
from evals.sets.ask_cost import NEEDLES, NOW, REPO, answer_all, empty_stock, made_cards
from memory.catalogue import Catalogue
from memory.database import open_database
from memory.known_threads import KnownThreads

_CARDS = 10
"""For each commit of the day, so many in memory."""


async def asking(folder: Path, size: int) -> Cost:
    """Answer every question once it is warm, beside searching for the words of as many."""
    db = open_database(folder / "ask")
    try:
        book = Catalogue(db)
        window = Window(start=NOW - timedelta(days=91), end=NOW + timedelta(seconds=1), tz="UTC")
        book.put(REPO, made_cards(size * _CARDS), window)
        stock = empty_stock(book, KnownThreads(db))
        await answer_all(stock)
        before = used()
        count = len(await answer_all(stock))
        ours = used() - before
        before = used()
        for place in range(count):
            book.search(NEEDLES[place % len(NEEDLES)], [REPO])
        return Cost(ours, used() - before, size)
    finally:
        db.close()
