"""The earlier commits that are found by their titles."""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta

from agent.domain.commits import Headline
from agent.domain.evidence import Material
from agent.ports import CloneSource, CodeSource, Past, StoryMemory
from agent.stories.timeline import NEAR

FAR = timedelta(days=400)  # How far back what is named is looked for
_MAX_NAMES = 120  # Numbers, and titles, in a pattern
_MIN_TITLE = 12  # Characters of a title that is looked for
_MAX_TITLE = 60  # Characters of a title that must fit


async def near_past(material: Material, code: CodeSource, memory: StoryMemory) -> Past:
    """Return the titles of the last sixty days, from earlier reports where the source has none."""
    if isinstance(code, CloneSource):
        since = material.window.start - NEAR
        past = await code.headed("", upto=_newest(material), since=since)
        if past is not None:
            return past
    return memory.past(material.repo, material.window)


async def far_past(material: Material, code: CodeSource, pattern: str) -> Sequence[Headline]:
    """Return the commits further back whose titles fit a pattern."""
    if not pattern or not isinstance(code, CloneSource):
        return ()
    since = material.window.start - FAR
    past = await code.headed(pattern, upto=_newest(material), since=since)
    return past.found if past else ()


def naming(numbers: Iterable[int], titles: Iterable[str] = ()) -> str:
    """Return a pattern for the titles of landed pull requests of these numbers, and these titles."""
    alternatives: list[str] = []
    either = "|".join(map(str, sorted(numbers)[:_MAX_NAMES]))
    if either:
        alternatives.append(rf"\(#({either})\)|^Merge pull request #({either}) ")
    title_patterns: list[str] = []
    for title in titles:
        if len(title) >= _MIN_TITLE:
            # Every dialect of regular expressions reads other signs in its own way.
            title_patterns.append(re.sub(r"[^A-Za-z0-9 ]", ".", title[:_MAX_TITLE].strip()))
    alternatives += sorted(title_patterns)[:_MAX_NAMES]
    return "|".join(alternatives)


def _newest(material: Material) -> str:
    commits = [read.evidence for read in material.reads]
    newest = max(commits, key=lambda commit: (commit.at, commit.id))
    return newest.change.commit.sha
