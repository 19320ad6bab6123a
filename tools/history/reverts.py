"""What a day's commits undo, bring back or take out of others: as messages name it, as patches and blame show it."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.domain.base import RepoId
from agent.domain.commits import Change, Headline
from agent.domain.evidence import CommitEvidence, Read
from agent.ports import CloneSource, CodeSource
from agent.stories.timeline import NEAR, CommitPair, LandedLine, Said, Undoing, headline
from tools.diff.reverts import read_lineage, read_trailers

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache

_HALF, _MOST, _NEARLY_ALL = 0.5, 0.8, 0.9  # Shares of lines: below the last it is told as a part
_SUBSTANCE = re.compile(r"\w.*\w")


def lines(change: Change, sign: str) -> set[tuple[str, str]]:
    """List the lines with words in them that a change brings or takes out, each with its file."""
    return {
        (file.path, " ".join(line[1:].split()))
        for file in change.files
        for line in (file.patch or "").split("\n")
        if line.startswith(sign) and _SUBSTANCE.search(line, 1)
    }


def share(change: Change, original: Change, *, again: bool) -> float:
    """Give the share of what another change did that this one does again or undoes; all where that has no lines."""
    brought, gone = lines(original, "+"), lines(original, "-")
    both = len(brought & lines(change, "+-"[not again])) + len(
        gone & lines(change, "-+"[not again])
    )
    return both / (len(brought) + len(gone)) if brought or gone else 1.0


def was_moved(change: Change, original: Change) -> bool:
    """Tell whether another change only moved most of the lines that this one takes out: it took them out elsewhere."""
    mended = {line for _, line in lines(change, "-") & lines(original, "+")}
    return 2 * len(mended & {line for _, line in lines(original, "-")}) > len(mended)


_ENOUGH_LINES = 6


def said_in(message: str, repo: RepoId) -> list[Said]:
    """Read which commits of its own repository a message says it undoes or brings back."""
    return [
        Said(one.kind == "reland", one.sha, one.number, one.subject)
        for one in read_lineage(message)
        if one.kind != "cherry-pick" and one.repo.lower() in ("", repo.lower())
    ]


def said_by(one: CommitEvidence, body: str) -> list[Said]:
    """Read what a commit undoes and brings back: by its message, GitHub's words in its pull request, its patch."""
    named = said_in(one.change.commit.message, one.repo)
    for told in read_trailers(body):
        if told.number and (told.repo or one.repo).lower() == one.repo.lower():
            named.append(Said(False, number=told.number))
    # A lone value that is set back may be chance.
    enough = bool(named) or one.change.additions + one.change.deletions >= _ENOUGH_LINES
    for fact in one.facts if enough else ():
        if fact.kind in ("revert", "reland") and fact.old and "patch" in (fact.detail or ""):
            named.append(Said(fact.kind == "reland", sha=fact.old))
    return named


async def find_reverts(
    today: Sequence[CommitEvidence], line: LandedLine, code: CodeSource, library: "EvidenceCache"
) -> list[Undoing]:
    """List what is undone and what comes back, and tell parts from the whole where both patches can be read."""
    ordered = sorted(today, key=lambda one: (one.at, one.id))
    found = [
        undoing
        for one in ordered
        for undoing in line.undoings(headline(one.change.commit, one.pull))
    ]
    return await with_parts(found, code, library)


async def with_parts(
    undoings: Sequence[Undoing], code: CodeSource, library: "EvidenceCache"
) -> list[Undoing]:
    """Tell parts from the whole where both patches can be read."""
    measured = []
    for undoing in undoings:
        doer, target = undoing.doer.sha, undoing.target.sha
        changes = await library.whole(code, [doer, target])
        if len(changes) == 2:
            done = share(changes[doer], changes[target], again=undoing.again)
            part = done < (_NEARLY_ALL if undoing.again else _HALF)
            measured.append(replace(undoing, part=part))
        else:
            measured.append(undoing)
    return measured


_MOST_LINES = 160


async def changed_lines(
    reads: Sequence[Read],
    code: CodeSource,
    library: "EvidenceCache",
    known: Set[tuple[str, str]],
    most: int,
) -> list[CommitPair]:
    """Pair the heaviest small changes with the one commit whose lines they take out."""
    pairs: list[CommitPair] = []
    if not isinstance(code, CloneSource):
        return pairs
    small = [one.evidence for one in reads if _is_small(one)][:most]
    doers = [headline(one.change.commit, one.pull) for one in small]
    await code.fetch_writers({doer.sha: doer.at - NEAR for doer in doers})
    for doer in doers:
        earlier = await writer_of_removed_lines(doer, code, library)
        if earlier is not None and (doer.sha, earlier.sha) not in known:
            pairs.append(CommitPair(doer=doer, earlier=earlier, by_lines=True))
    return pairs


async def writer_of_removed_lines(
    doer: Headline, code: CloneSource, library: "EvidenceCache"
) -> Headline | None:
    """Return the commit of the last weeks that wrote nearly all of the lines that a commit removes.

    Behind a commit that only moved them from another file, it is the one that wrote them there.
    """
    earlier = None
    for moved in (False, True):
        since = doer.at - NEAR
        writers = await code.written_by(doer.sha, since=since, moved=moved, share=_MOST)
        writer, count = max(writers.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
        if not writer or count < _MOST * sum(writers.values()):
            return None
        both = await library.whole(code, [doer.sha, writer])
        # Whoever mends what was there from the beginning goes on with nothing.
        if len(both) < 2 or not both[writer].commit.parents:
            return None
        earlier = headline(both[writer].commit)
        if not was_moved(both[doer.sha], both[writer]):
            break
    return earlier


def _is_small(read: Read) -> bool:
    change = read.evidence.change
    return (
        0 < change.deletions <= _MOST_LINES
        and len(change.commit.parents) == 1
        and read.triage.noise is None
    )
