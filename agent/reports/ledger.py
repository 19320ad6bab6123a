"""Which landed commits belong to a report, and what was done with each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.domain.base import EvidenceId
from agent.domain.commits import Change, Landed, Landing
from agent.domain.evidence import Read
from agent.domain.ledger import Depth, LedgerRow, Owner
from agent.triage.collected import Collected
from agent.triage.conventions import Area, area


def ledger_of(found: Collected, reads: Mapping[EvidenceId, Read]) -> tuple[LedgerRow, ...]:
    """Give every landed commit its row."""
    late = {row.commit.sha for row in found.late}
    rows = []
    for landed in found.landed:
        sha = landed.commit.sha
        budget = found.unread.get(sha, "").startswith("subject only")
        unread = (Depth.LIST if budget else Depth.FAILED, found.unread.get(sha, ""))
        one = reads.get(landed.commit.id)
        rows.append(ledger_row(landed, one or unread, late=sha in late, pull=found.threads.pull_of.get(sha)))
    return tuple(rows)


_PLACES = 3


@dataclass(frozen=True)
class Share:
    """What of a landing belongs to this report."""

    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    told_before: tuple[tuple[Landed, Owner], ...]
    """Rows of this window that an earlier run already told as late."""


def share(landing: Landing, elsewhere: Mapping[str, Owner]) -> Share:
    """Keep what no other report owns, so that consecutive reports tell every landed commit exactly once."""
    kept: list[Landed] = []
    told: list[tuple[Landed, Owner]] = []
    for row in landing.rows:
        owner = elsewhere.get(row.commit.sha)
        if owner is not None and owner.late:
            told.append((row, owner))
        else:
            kept.append(row)
    late = tuple(row for row in landing.late if row.commit.sha not in elsewhere)
    return Share(rows=tuple(kept), late=late, told_before=tuple(told))


Unread = tuple[Depth, str]
"""How far a commit got whose diff was not read, and why."""


def ledger_row(landed: Landed, read: Read | Unread, *, late: bool, pull: int | None) -> LedgerRow:
    """Write down what was done with one commit."""
    commit, found = landed.commit, dict[str, Any]()
    if isinstance(read, tuple):
        depth, reason = read
    else:
        depth, reason, change, triage = read.depth, _why(read), read.evidence.change, read.triage
        found = {"files": len(change.files), "additions": change.additions, "deletions": change.deletions}
        found |= {"unreadable": len(change.unreadable), "places": _places(change), "tier": triage.tier}
        found |= {"noise": triage.noise, "purpose": triage.purpose, "weight": triage.score, "marks": triage.reasons}
    return LedgerRow(
        repo=commit.repo,
        sha=commit.sha,
        depth=depth,
        reason=reason,
        late=late,
        subject=commit.subject,
        title=commit.title,
        author=commit.author.name,
        landed_at=commit.committed_at,
        members=landed.members,
        pull=pull,
        **found,
    )


def _places(change: Change) -> tuple[str, ...]:
    """Name the files that changed most; tests and documents only where there is nothing else."""
    ordered = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    telling = [file.path for file in ordered if area(file.path) is Area.PRODUCT]
    return tuple((telling or [file.path for file in ordered])[:_PLACES])


def _why(read: Read) -> str:
    """Say why a commit was read as closely as it was."""
    weight = f"weight {read.triage.score:g}" + (f" ({', '.join(read.triage.reasons)})" if read.triage.reasons else "")
    if read.depth is Depth.DEEP:
        return f"whole diff and files: {weight}"
    if read.triage.noise is not None:
        return f"folded as {read.triage.noise.value}: {weight}"
    return f"facts and line counts: {weight}"
