"""The landed line before a day: all of its last sixty days, and further back what the day's commits name."""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta

from agent.analyst import Material
from agent.links import Reference
from agent.memories import StoryMemory
from agent.sources import CodeSource, Headline, LooksBack, Past
from agent.story_finding.reverts import Said
from agent.story_finding.series import PARTS, read_part

NEAR, FAR = timedelta(days=60), timedelta(days=400)
"""How far back everything is read, and how far what is named is looked for."""
_MOST_NAMES, _SHORTEST_TITLE = 120, 12


async def near_past(material: Material, code: CodeSource, told: StoryMemory) -> Past:
    """Read the titles of the last sixty days; where the source cannot, take what earlier reports list."""
    if isinstance(code, LooksBack):
        found = await code.headed("", upto=_newest(material), since=material.window.start - NEAR)
        if found is not None:
            return found
    return told.past(material.repo, material.window)


async def parts_past(material: Material, code: CodeSource, near: Past) -> Sequence[Headline]:
    """Look further back for numbered parts, where one landed today: each may follow its last one by sixty days."""
    if not isinstance(code, LooksBack) or not any(read_part(r.evidence.change.commit.title) for r in material.reads):
        return near.found
    found = await code.headed(PARTS, upto=_newest(material), since=material.window.start - FAR)
    return (*near.found, *(found.found if found else ()))


async def far_past(
    material: Material, code: CodeSource, said: Iterable[Said], references: Iterable[Reference], near: Past
) -> Sequence[Headline]:
    """Look further back for the numbers and titles that are named and did not land in the last sixty days."""
    known = {head.pull for head in near.found}
    numbers = {one.number for one in said if one.number} | {_number(one.target) for one in references}
    titles = {one.title for one in said if not one.number and not one.sha and len(one.title) >= _SHORTEST_TITLE}
    wanted = pattern(sorted(number for number in numbers - known if number), titles)
    if not wanted or not isinstance(code, LooksBack):
        return ()
    found = await code.headed(wanted, upto=_newest(material), since=material.window.start - FAR)
    return found.found if found else ()


def pattern(numbers: Iterable[int], titles: Iterable[str] = ()) -> str:
    """Write what the titles of landed pull requests of these numbers, and these titles, must fit."""
    either = "|".join(map(str, list(numbers)[:_MOST_NAMES]))
    # Of other signs every dialect has its own reading.
    plain = sorted(re.sub(r"[^A-Za-z0-9 ]", ".", title[:60].strip()) for title in titles)[:_MOST_NAMES]
    return "|".join(([rf"\(#({either})\)|^Merge pull request #({either}) "] if either else []) + plain)


def _number(target: str) -> int | None:
    repo, mark, number = target.rpartition("#")
    return int(number) if mark and repo else None


def _newest(material: Material) -> str:
    newest = max((read.evidence for read in material.reads), key=lambda one: (one.at, one.id))
    return newest.change.commit.sha
