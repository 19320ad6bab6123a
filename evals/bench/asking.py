"""What a ranked search costs beside one look through the index for the same words."""

from datetime import timedelta
from pathlib import Path

from agent.domain.window import Window
from evals.bench.stages import Cost, used
from evals.sets.ask_cost import NOW, REPO, made_cards, searches
from memory.evidence import EvidenceStore
from memory.migrations import open_database
from memory.search import SearchIndex

_CARDS = 10
"""For each commit of the day, so many in memory."""


async def asking(folder: Path, size: int) -> Cost:
    """Search for every question once it is warm, beside listing the commits that it looks at."""
    db = open_database(folder / "ask")
    try:
        known, index = EvidenceStore(db), SearchIndex(db)
        window = Window(start=NOW - timedelta(days=91), end=NOW + timedelta(seconds=1), tz="UTC")
        known.keep(REPO, made_cards(size * _CARDS))
        known.complete(REPO, window, ())
        searches(index)
        before = used()
        count = len(searches(index))
        ours = used() - before
        before = used()
        for _ in range(count):
            index.entries([REPO], window)
        return Cost(ours, used() - before, size)
    finally:
        db.close()
