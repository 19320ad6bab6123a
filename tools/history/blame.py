"""Whose lines a day's small changes take out: found by blame, and told apart from taking them back."""

from collections.abc import Sequence, Set

from agent.analyst import Read
from agent.domain import Change
from agent.headlines import headline
from agent.sources import CodeSource, Headline, LooksBack
from agent.story_finding.candidates import main_writer
from agent.story_finding.found import Pair
from agent.story_finding.reverts import Undoing, is_revert
from tools.diff.shared_lines import FEW, lines, puts_back, share, was_moved
from tools.evidence_cache import EvidenceCache
from tools.history.past import NEAR

_MOST_LINES, _ENOUGH_LINES = 160, 6


async def changed_lines(
    reads: Sequence[Read], code: CodeSource, library: EvidenceCache, known: Set[tuple[str, str]], most: int
) -> tuple[list[Pair], list[Undoing]]:
    """Pair the heaviest small changes with the one commit whose lines they take out, and name those that undo it."""
    pairs: list[Pair] = []
    undone: list[Undoing] = []
    for read in [one for one in reads if _is_small(one)][:most]:
        doer = headline(read.evidence.change.commit, read.evidence.pull)
        earlier = await _writer(doer, code, library)
        if earlier is None or (doer.sha, earlier.sha) in known:
            continue
        both = await library.whole(code, [doer.sha, earlier.sha])
        if undoing := _undoing(doer, earlier, both[doer.sha], both[earlier.sha]):
            undone.append(undoing)
        else:
            pairs.append(Pair(doer=doer, earlier=earlier, by_lines=True))
    return pairs, undone


async def _writer(doer: Headline, code: CodeSource, library: EvidenceCache) -> Headline | None:
    """Find who wrote nearly all of the lines that go; behind a commit that moved them from another file, who did."""
    earlier = None
    if not isinstance(code, LooksBack):
        return None
    for moved in (False, True):
        writer = main_writer(await code.written_by(doer.sha, since=doer.at - NEAR, moved=moved))
        both = await library.whole(code, [doer.sha, writer]) if writer else {}
        # Who mends what was there from the beginning goes on with nothing.
        if writer is None or len(both) < 2 or not both[writer].commit.parents:
            return None
        earlier = headline(both[writer].commit)
        if not was_moved(both[doer.sha], both[writer]):
            break
    return earlier


def _undoing(doer: Headline, earlier: Headline, change: Change, original: Change) -> Undoing | None:
    """Tell whether what comes is what stood there before the earlier commit; a lone value may be chance."""
    if not puts_back(change, original):
        return None
    said, gone = is_revert(doer.title), lines(original, "-")
    if share(change, original, again=False) == 1 and (said or len(gone | lines(original, "+")) >= _ENOUGH_LINES):
        return Undoing(doer, earlier)
    enough = said or len(gone & lines(change, "+")) >= FEW
    return Undoing(doer, earlier, part=True) if enough else None


def _is_small(read: Read) -> bool:
    change = read.evidence.change
    return 0 < change.deletions <= _MOST_LINES and len(change.commit.parents) == 1 and read.triage.noise is None
