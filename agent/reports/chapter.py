"""What the report says of one repository: its ledger, the news of its issues, and the claims that may be published."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.domain.accounts import Account
from agent.domain.base import LANGUAGES, EvidenceId, Frozen, Language, commit_id
from agent.domain.claims import Claim, Judgement, Refused
from agent.domain.commits import Change, Issue, Landed, Landing, Release, Threads
from agent.domain.evidence import Dossier, Read
from agent.domain.ledger import Depth, LedgerRow, Owner
from agent.domain.links import Link, Related, Story
from agent.domain.report import Drop, Failure, ReleaseLine, RepoSection, ThreadLine
from agent.domain.window import Window
from agent.links.issues import Known, standing
from agent.stories.releases import Taken
from agent.triage.collected import Collected
from agent.triage.conventions import Area, area

_PLACES = 3
Unread = tuple[Depth, str]  # How far a commit got whose diff was not read, and why
Check = Callable[[Claim, Dossier, Language], Iterable[Judgement]]  # Says why a claim is refused: the gate


class Chapter(Frozen):
    """What the report says of one repository."""

    section: RepoSection
    ledger: tuple[LedgerRow, ...]
    claims: tuple[Claim, ...] = ()
    links: tuple[Link, ...] = ()
    stories: tuple[Story, ...] = ()
    related: tuple[Related, ...] = ()  # What a reader of both sides found about commits
    taken: tuple[Taken, ...] = ()  # Dependencies that commits of the day moved
    drops: tuple[Drop, ...] = ()
    failures: tuple[Failure, ...] = ()


def checked_claims(
    facts: Sequence[Claim], analysis: Sequence[Claim], refused: Sequence[Refused], dossier: Dossier, check: Check
) -> tuple[tuple[Claim, ...], tuple[Drop, ...]]:
    """Join analysis and facts; a fact whose citation or quotation does not stand is left out and counted."""
    claims = list(analysis)
    drops = [drop_of(one) for one in refused if not one.repaired]
    for claim in facts:
        wrong = [no for lang in LANGUAGES for no in check(claim, dossier, lang)]
        if wrong:
            drops.append(_drop(claim, wrong[0]))
        else:
            passed = Judgement(verdict="supported", check="code")
            claims.append(claim.model_copy(update={"judgement": passed}))
    return tuple(claims), tuple(drops)


def drop_of(one: Refused) -> Drop:
    """Count a sentence that stays refused."""
    return _drop(one.claim, one.reasons[0])


def _drop(claim: Claim, why: Judgement) -> Drop:
    return Drop(repo=claim.repo, verdict=why.verdict, check=why.check, about=claim.about, free=claim.free)


def unexplained(rows: tuple[LedgerRow, ...], account: Account) -> tuple[LedgerRow, ...]:
    """Say in the ledger which commits no model explained, and why."""
    why = {one.about: one.reason for one in account.fallbacks if one.part == "explaining"}
    noted = ((row, why.get(commit_id(row.repo, row.sha))) for row in rows)
    return tuple(
        row.model_copy(update={"reason": f"{row.reason}; not analysed: {reason}"}) if reason else row
        for row, reason in noted
    )


# ---------------------------------------------------------------- the ledger


def ledger_of(found: Collected, reads: Mapping[EvidenceId, Read]) -> tuple[LedgerRow, ...]:
    """Give every landed commit its row."""
    late = {row.commit.sha for row in found.late}
    rows = []
    for landed in found.landed:
        sha = landed.commit.sha
        budget = found.unread.get(sha, "").startswith("subject only")
        unread: tuple[Depth, str] = ("list" if budget else "failed", found.unread.get(sha, ""))
        one = reads.get(landed.commit.id)
        rows.append(ledger_row(landed, one or unread, late=sha in late, pull=found.threads.pull_of.get(sha)))
    return tuple(rows)


@dataclass(frozen=True)
class Share:
    """What of a landing belongs to this report."""

    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    told_before: tuple[tuple[Landed, Owner], ...]  # Rows of this window that an earlier run already told as late


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
    if read.depth == "deep":
        return f"whole diff and files: {weight}"
    if read.triage.noise is not None:
        return f"folded as {read.triage.noise}: {weight}"
    return f"facts and line counts: {weight}"


# ---------------------------------------------------------------- issues and releases


@dataclass(frozen=True, kw_only=True)
class Connected:
    """What connects the issues with changes, now and on earlier days."""

    links: Sequence[Link] = ()
    known: Known = field(default_factory=Known)

    def of(self, issue: Issue) -> list[Link]:
        """List everything that addresses an issue, oldest first."""
        return [link for link in (*self.known.links, *self.links) if link.issue == issue.id]


def issue_news(threads: Threads, window: Window, connected: Connected | None = None) -> tuple[ThreadLine, ...]:
    """Tell what happened to issues inside the window: opened, closed, spoken of while open, or addressed by a change.

    Those for which most people wait come first, those that only a change addresses last.
    """
    connected = connected or Connected()
    fresh = {issue.number: issue for issue in threads.issues}
    older = {one.number: one for one in connected.known.issues if one.number not in fresh}
    waited_for = sorted(fresh.values(), key=lambda one: (-2 * one.reactions - one.comments, one.number))
    lines = [_line(one, event, connected) for one in waited_for for event in _events(one, window)]
    told = {line.number for line in lines}
    linked = {link.issue for link in connected.links}
    every: list[Issue] = sorted((*older.values(), *fresh.values()), key=lambda one: one.number)
    return (*lines, *(_line(one, "linked", connected) for one in every if one.id in linked and one.number not in told))


def _events(issue: Issue, window: Window) -> list[str]:
    """Tell what people did with an issue."""
    opened = ["opened"] if issue.created_at in window else []
    if issue.closed_at is not None and issue.closed_at in window:
        return [*opened, "not planned" if issue.state_reason in ("not_planned", "duplicate") else "closed"]
    active = issue.state == "open" and issue.created_at < window.start and issue.updated_at in window
    return [*opened, *(["active"] if active else [])]


def _line(issue: Issue, event: str, connected: Connected) -> ThreadLine:
    """Write a line with how the issue stands."""
    closed_at = issue.closed_at or issue.created_at
    moments = {"opened": issue.created_at, "closed": closed_at, "not planned": closed_at}
    told: dict[str, Any] = {"event": event, "at": moments.get(event, issue.updated_at)}
    told["standing"] = standing(issue, connected.of(issue))
    fields = ("number", "title", "author", "labels")
    return ThreadLine.model_validate({name: getattr(issue, name) for name in fields} | told)


def release_news(releases: tuple[Release, ...], window: Window) -> tuple[ReleaseLine, ...]:
    """Tell which releases were published inside the window, oldest first."""
    found = sorted((r for r in releases if r.published_at in window), key=lambda r: (r.published_at, r.tag))
    return tuple(ReleaseLine.model_validate(one, from_attributes=True) for one in found)
