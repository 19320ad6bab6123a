"""The landed line before a day: all of its last sixty days, and further back what the day's commits name."""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta

from agent.analyst import Material
from agent.memories import StoryMemory
from agent.sources import CodeSource, Headline, LooksBack, Past

NEAR, FAR = timedelta(days=60), timedelta(days=400)
"""How far back everything is read, and how far what is named is looked for."""
_MOST_NAMES, _SHORTEST_TITLE = 120, 12


async def near_past(material: Material, code: CodeSource, told: StoryMemory) -> Past:
    """Read the titles of the last sixty days; where the source cannot, take what earlier reports list."""
    found = None
    if isinstance(code, LooksBack):
        found = await code.headed("", upto=_newest(material), since=material.window.start - NEAR)
    return found or told.past(material.repo, material.window)


async def far_past(material: Material, code: CodeSource, pattern: str) -> Sequence[Headline]:
    """Look further back for titles that fit a pattern."""
    if not pattern or not isinstance(code, LooksBack):
        return ()
    found = await code.headed(pattern, upto=_newest(material), since=material.window.start - FAR)
    return found.found if found else ()


def naming(numbers: Iterable[int], titles: Iterable[str] = ()) -> str:
    """Write what the titles of landed pull requests of these numbers, and these titles, must fit."""
    either = "|".join(map(str, sorted(numbers)[:_MOST_NAMES]))
    # Of other signs every dialect has its own reading.
    plain = sorted(re.sub(r"[^A-Za-z0-9 ]", ".", one[:60].strip()) for one in titles if len(one) >= _SHORTEST_TITLE)
    return "|".join(([rf"\(#({either})\)|^Merge pull request #({either}) "] if either else []) + plain[:_MOST_NAMES])


def _newest(material: Material) -> str:
    newest = max((read.evidence for read in material.reads), key=lambda one: (one.at, one.id))
    return newest.change.commit.sha
