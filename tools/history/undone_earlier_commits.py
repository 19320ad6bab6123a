"""The earlier commits that a day's commits undo, bring back or remove, by messages, patches and blame."""

import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Change, Headline
from agent.domain.evidence import CommitEvidence, Read
from agent.domain.revert_messages import read_lineage, read_trailers
from agent.ports import CloneSource, CodeSource
from agent.stories.timeline import NEAR, CommitPair, LandedLine, LineageReference, Undoing, headline
from tools.reading_ahead import read_all

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache

_WHOLE_REVERT = 0.5
"""A revert with a smaller share of the reverted lines is the revert of a part."""
_WHOLE_RELAND = 0.9
"""A re-land with a smaller share of the original's lines brings back a part."""
_ONE_WRITER = 0.8
"""The share of the removed lines that one commit must have written."""
_MIN_PROVING_LINES = 6
"""Changed lines of a patch that proves a revert alone: a lone value set back may be chance."""
_MAX_REMOVED_LINES = 160
"""Removed lines of a commit that are still followed to their writers."""
_MAX_CONCURRENT = 4  # Commits whose removed lines are followed at once
_WORDS = re.compile(r"\w.*\w")


class _FileLine(NamedTuple):
    """A changed line and its file."""

    path: str
    text: str


def _patch_lines(
    change: Change, sign: Literal["+", "-"], paths: Collection[str] | None = None
) -> set[_FileLine]:
    """Return the lines with words in them that a change adds or removes, in these files or all."""
    lines: set[_FileLine] = set()
    for file in change.files:
        if paths is not None and file.path not in paths:
            continue
        for text in _texts_with(sign, file.patch or ""):
            if _WORDS.search(text):
                lines.add(_FileLine(file.path, " ".join(text.split())))
    return lines


def _texts_with(sign: str, patch: str) -> Iterator[str]:
    """Yield the lines of a patch with a sign, without it; most lines of large patches have none."""
    _, *pieces = f"\n{patch}".split(f"\n{sign}")
    for piece in pieces:
        yield piece.partition("\n")[0]


def _done_share(undoing: Undoing, change: Change, original: Change) -> float:
    """Return the share of an original's lines that a change lands again or undoes.

    It is 1.0 where the original has no lines to compare.
    """
    added = _patch_lines(original, "+")
    removed = _patch_lines(original, "-")
    count = len(added) + len(removed)
    if count == 0:
        return 1.0
    added_by_change = _patch_lines(change, "+")
    removed_by_change = _patch_lines(change, "-")
    if undoing.again:
        done = len(added & added_by_change) + len(removed & removed_by_change)
    else:
        done = len(added & removed_by_change) + len(removed & added_by_change)
    return done / count


def _was_moved(change: Change, original: Change) -> bool:
    """Return True if the original moved most of the lines that a change removes.

    Then it removed the same lines in another file.
    """
    removed_lines = _patch_lines(change, "-")
    # The original may be large, and most of its files are none of the change's.
    removed_lines &= _patch_lines(original, "+", {line.path for line in removed_lines})
    removed_texts = {line.text for line in removed_lines}
    if not removed_texts:
        return False
    moved_texts: set[str] = set()
    for file in original.files:
        for line in _texts_with("-", file.patch or ""):
            text = " ".join(line.split())
            if text in removed_texts:
                moved_texts.add(text)
    return 2 * len(moved_texts) > len(removed_texts)


def _may_have_moved(change: Change, original: Change) -> bool:
    """Return True if the original made a changed file, and removed as much code elsewhere.

    Lines that were edited while they moved look as if they were new.
    """
    made_files = {file.path for file in original.files if file.status == "added"}
    if not any(file.deletions and file.path in made_files for file in change.files):
        return False
    return 2 * original.deletions > original.additions


def lineage_in_message(message: str, repo: RepoId) -> list[LineageReference]:
    """Return the commits of its own repository that a message says it undoes or brings back."""
    lineage: list[LineageReference] = []
    for reference in read_lineage(message):
        if reference.kind == "cherry-pick" or reference.repo.lower() not in ("", repo.lower()):
            continue
        again = reference.kind == "reland"
        lineage.append(
            LineageReference(
                again, reference.sha, reference.number, reference.subject, reference.part
            )
        )
    return lineage


def lineage_of(evidence: CommitEvidence, pull_body: str) -> list[LineageReference]:
    """Return the commits that a commit undoes and brings back.

    They are read from its message, from GitHub's words in its pull request, and from its patch.
    """
    repo = evidence.repo
    lineage = lineage_in_message(evidence.change.commit.message, repo)
    for trailer in read_trailers(pull_body):
        if trailer.number and (trailer.repo or repo).lower() == repo.lower():
            lineage.append(LineageReference(False, number=trailer.number))
    changed_lines = evidence.change.additions + evidence.change.deletions
    if not lineage and changed_lines < _MIN_PROVING_LINES:
        return lineage
    for fact in evidence.facts:
        if fact.kind not in ("revert", "reland"):
            continue
        if fact.old and "patch" in (fact.detail or ""):
            lineage.append(LineageReference(fact.kind == "reland", sha=fact.old))
    return lineage


async def find_reverts(
    today: Sequence[CommitEvidence],
    line: LandedLine,
    code: CodeSource,
    evidence_cache: "EvidenceCache",
) -> list[Undoing]:
    """Return the commits that are undone and brought back, fully or in part."""
    undoings: list[Undoing] = []
    for evidence in sorted(today, key=lambda evidence: (evidence.at, evidence.id)):
        undoings += line.undoings(headline(evidence.change.commit, evidence.pull))
    return await with_parts(undoings, code, evidence_cache)


async def with_parts(
    undoings: Sequence[Undoing], code: CodeSource, evidence_cache: "EvidenceCache"
) -> list[Undoing]:
    """Return undoings marked as whole or in part where both patches can be read."""
    measured: list[Undoing] = []
    for undoing in undoings:
        doer = undoing.doer.sha
        target = undoing.target.sha
        changes = await evidence_cache.whole(code, [doer, target])
        if len(changes) < 2:
            measured.append(undoing)
            continue
        whole_share = _WHOLE_RELAND if undoing.again else _WHOLE_REVERT
        share = _done_share(undoing, changes[doer], changes[target])
        measured.append(replace(undoing, part=undoing.part or share < whole_share))
    return measured


async def pairs_by_lines(
    reads: Sequence[Read],
    code: CodeSource,
    evidence_cache: "EvidenceCache",
    reverts: Set[tuple[str, str]],
    limit: int,
) -> list[CommitPair]:
    """Pair the first small changes with the one commit whose lines they remove.

    The pairs of `reverts` (the hashes of the later and the earlier commit) are left out.
    """
    pairs: list[CommitPair] = []
    if not isinstance(code, CloneSource):
        return pairs
    small_changes = [read.evidence for read in reads if _is_small(read)]
    doers: list[Headline] = []
    for evidence in small_changes[:limit]:
        doers.append(headline(evidence.change.commit, evidence.pull))
    await code.fetch_writers({doer.sha: doer.at - NEAR for doer in doers})

    async def writer_of(doer: Headline) -> Headline | None:
        return await writer_of_removed_lines(doer, code, evidence_cache)

    writers = await read_all(doers, writer_of, _MAX_CONCURRENT)
    for doer, earlier in zip(doers, writers, strict=True):
        if earlier is not None and (doer.sha, earlier.sha) not in reverts:
            pairs.append(CommitPair(doer=doer, earlier=earlier, by_lines=True))
    return pairs


async def writer_of_removed_lines(
    doer: Headline, code: CloneSource, evidence_cache: "EvidenceCache"
) -> Headline | None:
    """Return the commit of the last weeks that wrote nearly all of the lines that a commit removes.

    Behind a commit that only moved them from another file, it is the one that wrote them there.
    """
    earlier = None
    for moved in (False, True):
        writer = await _one_writer(doer, code, moved=moved)
        if not writer:
            return None
        changes = await evidence_cache.whole(code, [doer.sha, writer])
        # Nothing goes on with the first commit of a repository, which only brought what there was.
        if len(changes) < 2 or not changes[writer].commit.parents:
            return None
        earlier = headline(changes[writer].commit)
        if not _was_moved(changes[doer.sha], changes[writer]):
            if _may_have_moved(changes[doer.sha], changes[writer]):
                return None
            break
    return earlier


async def _one_writer(doer: Headline, code: CloneSource, *, moved: bool) -> str:
    """Return the hash of the commit that wrote nearly all removed lines, else an empty string."""
    since = doer.at - NEAR
    writers = await code.written_by(doer.sha, since=since, moved=moved, share=_ONE_WRITER)
    if not writers:
        return ""
    writer = max(writers, key=lambda sha: (writers[sha], sha))
    if writers[writer] < _ONE_WRITER * sum(writers.values()):
        return ""
    return writer


def _is_small(read: Read) -> bool:
    change = read.evidence.change
    if not 0 < change.deletions <= _MAX_REMOVED_LINES:
        return False
    return len(change.commit.parents) == 1 and read.triage.noise is None
