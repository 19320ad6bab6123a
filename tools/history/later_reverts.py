"""Later reverts of landed commits, as the titles of later commits say."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from agent.domain.commits import Headline
from agent.domain.revert_messages import TITLE_WORDS
from agent.domain.window import Window
from agent.ports import CloneSource
from agent.stories.timeline import LandedLine
from tools.history.undone_earlier_commits import lineage_in_message


class LaterReverts(NamedTuple):
    """Which commits were taken back, and until when the branch was looked at."""

    by_sha: Mapping[str, Headline]  # The commit that took each back, unless it landed again
    branch: str
    until: datetime  # When the newest commit of the branch landed


async def later_reverts(
    code: CloneSource, headlines: Sequence[Headline], now: datetime
) -> LaterReverts | None:
    """Return the later reverts of these commits on the default branch.

    Return None if the history is incomplete.
    """
    if not headlines:
        return None
    since = min(headline.at for headline in headlines)
    landing = await code.landed(Window(start=now - timedelta(days=1), end=now, tz="UTC"))
    if landing.tip is None:
        return None
    past = await code.headed(TITLE_WORDS, upto=landing.tip, since=since)
    if past is None or past.since is None:
        return None
    lineage = {revert.sha: lineage_in_message(revert.title, code.repo) for revert in past.found}
    line = LandedLine([*headlines, *past.found], lineage)
    taken_back: dict[str, Headline] = {}
    shas = {headline.sha for headline in headlines}
    for revert in reversed(past.found):
        for undoing in line.undoings(revert):
            if undoing.part:
                continue
            if undoing.again:
                taken_back.pop(undoing.target.sha, None)
            elif undoing.target.sha in shas:
                taken_back[undoing.target.sha] = revert
    tip = await code.resolve(landing.tip)
    return LaterReverts(taken_back, landing.branch, tip.committed_at)
