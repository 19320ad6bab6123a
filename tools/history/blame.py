"""Whose lines a day's small fixes change: found by blame, and told apart from taking them back."""

from collections.abc import Set

from agent.analyst import Read
from agent.conventions import CHORES, Purpose, read_heading
from agent.domain import Change
from agent.errors import NotFound
from agent.sources import CodeSource, Headline, LooksBack
from agent.story_finding import lines
from agent.story_finding.candidates import main_writer
from agent.story_finding.found import Pair
from agent.story_finding.headlines import headline
from agent.story_finding.reverts import Undoing, is_revert
from tools.evidence_cache import EvidenceCache
from tools.history.past import NEAR

_MOST_COMMITS, _MOST_LINES, _ENOUGH_LINES = 60, 160, 6


async def changed_lines(
    reads: list[Read], code: CodeSource, library: EvidenceCache, known: Set[tuple[str, str]]
) -> tuple[list[Pair], list[Undoing]]:
    """Pair small fixes with the one commit that wrote the lines they take out, and name those that undo it."""
    pairs: list[Pair] = []
    undone: list[Undoing] = []
    for read in [one for one in reads if _is_small_fix(one)][:_MOST_COMMITS] if isinstance(code, LooksBack) else ():
        commit = read.evidence.change.commit
        doer, since = headline(commit, read.evidence.pull), commit.committed_at - NEAR
        for moved in (False, True):
            writer = main_writer(await code.written_by(doer.sha, since=since, moved=moved))
            earlier = await _head(code, writer) if writer and (doer.sha, writer) not in known else None
            both = await library.whole(code, [doer.sha, earlier.sha]) if earlier else {}
            if earlier is None or len(both) < 2 or not lines.was_moved(both[doer.sha], both[earlier.sha]):
                break
        if earlier is None or len(both) < 2:
            continue
        if undoing := _undoing(doer, earlier, both[doer.sha], both[earlier.sha]):
            undone.append(undoing)
        else:
            pairs.append(Pair(doer=doer, earlier=earlier, by_lines=True))
    return pairs, undone


def _undoing(doer: Headline, earlier: Headline, change: Change, original: Change) -> Undoing | None:
    """Tell whether what comes is what stood there before the earlier commit."""
    said = is_revert(doer.title)
    if lines.share_undone(change, original) == 1 and (said or change.additions + change.deletions >= _ENOUGH_LINES):
        return Undoing(doer, earlier)
    if lines.puts_back(change, original) and (said or lines.counted(change, "+") >= lines.FEW):
        return Undoing(doer, earlier, part=True)
    return None


def _is_small_fix(read: Read) -> bool:
    change, purposes = read.evidence.change, set(read_heading(read.evidence.change.commit.title).purposes)
    fix = Purpose.FIX in purposes and not CHORES & purposes
    return (
        read.triage.noise is None
        and 0 < change.deletions <= _MOST_LINES
        and (fix or is_revert(change.commit.title))
        and len(change.commit.parents) == 1
    )


async def _head(code: CodeSource, sha: str) -> Headline | None:
    try:
        commit = await code.resolve(sha)
    except NotFound:
        return None
    # Who mends what was there from the beginning goes on with nothing.
    return headline(commit) if commit.parents else None
