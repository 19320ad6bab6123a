"""Which commits belong to a report, and what was done with each of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.domain import Change, Landed, Landing
from agent.report import Depth, LedgerRow


@dataclass(frozen=True)
class Owner:
    """The other report that a commit already belongs to."""

    window: str
    late: bool


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


@dataclass(frozen=True)
class Unread:
    """Why a commit's diff was not read."""

    depth: Depth
    reason: str


def ledger_row(landed: Landed, change: Change | Unread, *, late: bool, pull: int | None) -> LedgerRow:
    """Write down what was done with one commit."""
    commit = landed.commit
    facts = LedgerRow(
        repo=commit.repo,
        sha=commit.sha,
        depth=Depth.LIST,
        reason="subject and line counts",
        late=late,
        subject=commit.subject,
        title=commit.title,
        author=commit.author.name,
        landed_at=commit.committed_at,
        members=landed.members,
        pull=pull,
    )
    if isinstance(change, Unread):
        return facts.model_copy(update={"depth": change.depth, "reason": change.reason})
    return facts.model_copy(
        update={
            "files": len(change.files),
            "additions": change.additions,
            "deletions": change.deletions,
            "unreadable": len(change.unreadable),
        }
    )
