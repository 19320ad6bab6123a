"""What the report says of one repository: its ledger, the news of its issues, and the claims that may be published."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.domain.base import LANGUAGES, Frozen, Language
from agent.domain.claims import Claim, Judgement, Refused
from agent.domain.commits import Change, Issue, Landed, Landing, Release, Threads
from agent.domain.evidence import Dossier, Read
from agent.domain.ledger import Depth, LedgerRow, Owner
from agent.domain.links import Link, Related, Story
from agent.domain.report import Drop, Failure, ReleaseLine, RepoSection, ThreadLine
from agent.domain.spending import Account
from agent.domain.window import Window
from agent.links.issue_digest import GIVEN_UP, Known, standing
from agent.stories.releases import Taken
from agent.triage.collected import Collected
from agent.triage.conventions import Area, area

_PLACES = 3
Unread = tuple[Depth, str]  # How far a commit got whose diff was not read, and why
Check = Callable[
    [Claim, Dossier, Language], Iterable[Judgement]
]  # Says why a claim is refused: the gate


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
    facts: Sequence[Claim],
    analysis: Sequence[Claim],
    refused: Sequence[Refused],
    dossier: Dossier,
    check: Check,
) -> tuple[tuple[Claim, ...], tuple[Drop, ...]]:
    """Join analysis and facts; a fact whose citation or quotation does not stand is left out and counted."""
    claims, drops = (
        list(analysis),
        [drop_of(one.claim, one.reasons[0]) for one in refused if not one.repaired],
    )
    passed = Judgement(verdict="supported", check="code")
    for claim in facts:
        if wrong := [no for lang in LANGUAGES for no in check(claim, dossier, lang)]:
            drops.append(drop_of(claim, wrong[0]))
        else:
            claims.append(claim.model_copy(update={"judgement": passed}))
    return tuple(claims), tuple(drops)


def drop_of(claim: Claim, why: Judgement) -> Drop:
    """Return what a report says of a refused sentence.

    A reason that may quote a model is left out, because its refused words must not be published;
    the run's own file has them.
    """
    is_hidden = claim.free and why.is_quoting
    return Drop(
        repo=claim.repo,
        verdict=why.verdict,
        check=why.check,
        about=claim.about,
        free=claim.free,
        reason="" if is_hidden else why.reason,
    )


# ---------------------------------------------------------------- the ledger


def ledger_of(found: Collected, reads: Iterable[Read], account: Account) -> tuple[LedgerRow, ...]:
    """Give every landed commit its row, which says also why no model explained it."""
    late, read = {row.commit.sha for row in found.late}, {one.evidence.id: one for one in reads}
    why = {
        one.about: f"; not analysed: {one.reason}"
        for one in account.fallbacks
        if one.part == "explaining"
    }
    rows = []
    for landed in found.landed:
        sha, name = landed.commit.sha, landed.commit.id
        spent = found.unread.get(sha, "").startswith("subject only")
        unread: Unread = ("list" if spent else "failed", found.unread.get(sha, ""))
        row = ledger_row(
            landed, read.get(name, unread), late=sha in late, pull=found.threads.pull_of.get(sha)
        )
        rows.append(row.model_copy(update={"reason": row.reason + why.get(name, "")}))
    return tuple(rows)


@dataclass(frozen=True)
class Share:
    """What of a landing belongs to this report."""

    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    told_before: tuple[
        tuple[Landed, Owner], ...
    ]  # Rows of this window that an earlier run already told as late


def share(landing: Landing, elsewhere: Mapping[str, Owner]) -> Share:
    """Leave out what another report told as late, and late commits that any other told: each is told exactly once."""
    owned = [(row, elsewhere.get(row.commit.sha)) for row in landing.rows]
    told = tuple((row, owner) for row, owner in owned if owner is not None and owner.late)
    rows = tuple(row for row, owner in owned if owner is None or not owner.late)
    return Share(rows, tuple(row for row in landing.late if row.commit.sha not in elsewhere), told)


def ledger_row(landed: Landed, read: Read | Unread, *, late: bool, pull: int | None) -> LedgerRow:
    """Write down what was done with one commit."""
    commit = landed.commit
    row: dict[str, Any] = {
        name: getattr(commit, name) for name in ("repo", "sha", "subject", "title")
    }
    row |= {
        "author": commit.author.name,
        "landed_at": commit.committed_at,
        "members": landed.members,
    }
    row |= {"late": late, "pull": pull}
    if isinstance(read, tuple):
        return LedgerRow(depth=read[0], reason=read[1], **row)
    change, triage = read.evidence.change, read.triage
    row |= {
        "files": len(change.files),
        "additions": change.additions,
        "deletions": change.deletions,
    }
    row |= {"unreadable": len(change.unreadable), "places": _places(change), "tier": triage.tier}
    row |= {
        "noise": triage.noise,
        "purpose": triage.purpose,
        "weight": triage.score,
        "marks": triage.reasons,
    }
    return LedgerRow(depth=read.depth, reason=_why(read), **row)


def count_files(changes: Iterable[Change]) -> int:
    """Count the files that commits changed; one that is changed or renamed again counts once."""
    paths: set[str] = set()
    for change in sorted(changes, key=lambda change: change.commit.committed_at):
        for file in change.files:
            if file.status == "renamed" and file.previous_path:
                paths.discard(file.previous_path)
            paths.add(file.path)
    return len(paths)


def _places(change: Change) -> tuple[str, ...]:
    """Name the files that changed most; tests and documents only where there is nothing else."""
    ordered = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    telling = [file for file in ordered if area(file.path) is Area.PRODUCT]
    return tuple(file.path for file in (telling or ordered)[:_PLACES])


def _why(read: Read) -> str:
    """Say why a commit was read as closely as it was."""
    weight = f"weight {read.triage.score:g}" + (
        f" ({', '.join(read.triage.reasons)})" if read.triage.reasons else ""
    )
    if read.depth == "deep":
        return f"whole diff and files: {weight}"
    return (
        f"folded as {read.triage.noise}: {weight}"
        if read.triage.noise
        else f"facts and line counts: {weight}"
    )


# ---------------------------------------------------------------- issues and releases


def issue_news(
    threads: Threads, window: Window, links: Sequence[Link] = (), known: Known | None = None
) -> tuple[ThreadLine, ...]:
    """Tell what happened to issues inside the window: opened, closed, spoken of while open, or addressed by a change.

    Those for which most people wait come first, those that only a change addresses last.
    """
    known = known or Known()
    every: dict[int, Issue] = {one.number: one for one in (*known.issues, *threads.issues)}
    waited_for = sorted(
        threads.issues, key=lambda one: (-2 * one.reactions - one.comments, one.number)
    )
    told = [(one, event) for one in waited_for for event in _events(one, window)]
    linked, named = {link.issue for link in links}, {one.number for one, _ in told}
    told += [
        (one, "linked")
        for number, one in sorted(every.items())
        if one.id in linked and number not in named
    ]
    return tuple(_line(one, event, (*known.links, *links)) for one, event in told)


def _events(issue: Issue, window: Window) -> list[str]:
    """Tell what people did with an issue."""
    opened = ["opened"] if issue.created_at in window else []
    if issue.closed_at is not None and issue.closed_at in window:
        return [*opened, "not planned" if issue.state_reason in GIVEN_UP else "closed"]
    active = (
        issue.state == "open" and issue.created_at < window.start and issue.updated_at in window
    )
    return [*opened, *(["active"] if active else [])]


def _line(issue: Issue, event: str, links: Sequence[Link]) -> ThreadLine:
    closed_at = issue.closed_at or issue.created_at
    moments = {"opened": issue.created_at, "closed": closed_at, "not planned": closed_at}
    told: dict[str, Any] = {
        name: getattr(issue, name) for name in ("number", "title", "author", "labels")
    }
    told |= {
        "event": event,
        "at": moments.get(event, issue.updated_at),
        "standing": standing(issue, links),
    }
    return ThreadLine.model_validate(told)


def release_news(releases: tuple[Release, ...], window: Window) -> tuple[ReleaseLine, ...]:
    """Tell which releases were published inside the window, oldest first."""
    found = sorted(
        (r for r in releases if r.published_at in window), key=lambda r: (r.published_at, r.tag)
    )
    return tuple(ReleaseLine.model_validate(one, from_attributes=True) for one in found)
