"""A chapter of the report: the ledger of one repository, news of its issues, and its claims."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.domain.account import Account
from agent.domain.affected_versions import Affected
from agent.domain.base import LANGUAGES, Frozen, Language
from agent.domain.claims import Claim, Judgement, Refused
from agent.domain.commits import Change, Landed, Landing, Notice
from agent.domain.evidence import EvidenceSet, Read
from agent.domain.ledger import LedgerRow, Owner
from agent.domain.links import Link, Related, Story
from agent.domain.placement import CommitGroup, Placement
from agent.domain.report import Drop, Failure, ReleaseLine, RepoSection, ThreadLine
from agent.domain.threads import Issue, Release, Threads
from agent.domain.window import Window
from agent.links.searchable_issues import GIVEN_UP, Known, standing
from agent.stories.dependency_version_changes import DependencyMove
from agent.triage.collected_commits import Collected, UnreadCommit
from agent.triage.title_conventions import Area, area

_MAX_PLACES = 3  # Files that a row of the ledger names
_MAX_AREAS = 6  # Folders that a row of the ledger names
_AREA_DEPTH = 2  # Folders of a path that make an area
_REACTION_WEIGHT = 2  # Comments that one reaction to an issue counts for
Check = Callable[[Claim, EvidenceSet, Language], Iterable[Judgement]]
"""Returns why a claim is refused: the gate."""


class Chapter(Frozen):
    """The part of the report about one repository."""

    section: RepoSection
    ledger: tuple[LedgerRow, ...]
    claims: tuple[Claim, ...] = ()
    links: tuple[Link, ...] = ()
    stories: tuple[Story, ...] = ()
    groups: tuple[CommitGroup, ...] = ()
    related: tuple[Related, ...] = ()  # What a reader of both sides found about commits
    dependency_moves: tuple[DependencyMove, ...] = ()  # Dependencies that commits of the day moved
    drops: tuple[Drop, ...] = ()
    failures: tuple[Failure, ...] = ()


class CheckedClaims(NamedTuple):
    """The claims that may be published, and those that may not."""

    claims: tuple[Claim, ...]
    drops: tuple[Drop, ...]


def checked_claims(
    facts: Sequence[Claim],
    analysis: Sequence[Claim],
    refused: Sequence[Refused],
    evidence_set: EvidenceSet,
    check: Check,
) -> CheckedClaims:
    """Join analysis and facts; facts with a wrong citation or quotation are left out and counted."""
    claims = list(analysis)
    drops: list[Drop] = []
    for refusal in refused:
        if not refusal.repaired:
            drops.append(drop_of(refusal.claim, refusal.reasons[0]))
    passed = Judgement(verdict="supported", check="code")
    for claim in facts:
        objections: list[Judgement] = []
        for lang in LANGUAGES:
            objections += check(claim, evidence_set, lang)
        if objections:
            drops.append(drop_of(claim, objections[0]))
        else:
            claims.append(claim.model_copy(update={"judgement": passed}))
    return CheckedClaims(tuple(claims), tuple(drops))


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


_UNREAD = UnreadCommit(depth="failed", reason="")  # Without a word from who was to read it


def ledger_of(
    collected: Collected,
    reads: Iterable[Read],
    account: Account,
    placements: Mapping[str, Placement],
    left_out: Mapping[str, str],
    affected: Mapping[str, Affected],
    first_releases: Mapping[str, str],
) -> tuple[LedgerRow, ...]:
    """Return a row for every landed commit, which also says why no model explained it.

    `left_out` names the limit of the budget for each commit that it was not enough for.
    """
    late = {row.commit.sha for row in collected.late}
    read_by_id = {read.evidence.id: read for read in reads}
    unexplained: dict[str, str] = {}
    for fallback in account.fallbacks:
        if fallback.part == "explaining" and fallback.about is not None:
            unexplained[fallback.about.sha] = fallback.reason
    for sha, limit in left_out.items():
        unexplained[sha] = f"the limit {limit} of the budget is reached"
    rows = []
    for landed in collected.landed:
        sha = landed.commit.sha
        read = read_by_id.get(landed.commit.id) or collected.unread.get(sha, _UNREAD)
        pull = collected.threads.pull_of.get(sha)
        row = ledger_row(landed, read, late=sha in late, pull=pull)
        reason = row.reason
        if sha in unexplained:
            reason += f"; not analysed: {unexplained[sha]}"
        update = {
            "reason": reason,
            "placement": placements.get(sha),
            "affected": affected.get(sha),
            "first_release": first_releases.get(sha),
        }
        rows.append(row.model_copy(update=update))
    return tuple(rows)


def budget_notices(left_out: Mapping[str, str]) -> Iterator[Notice]:
    """Yield how many commits were left out because of each limit of the budget."""
    for limit, count in sorted(Counter(left_out.values()).items()):
        yield Notice(kind="budget-left-out", about=(str(count), limit))


@dataclass(frozen=True)
class CommitsOfReport:
    """The commits of a landing that belong to this report."""

    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    reported_before: tuple[tuple[Landed, Owner], ...]
    """Commits of this window that an earlier run already reported as late."""


def commits_of_report(landing: Landing, elsewhere: Mapping[str, Owner]) -> CommitsOfReport:
    """Return the commits that no other report has: each is reported exactly once.

    A commit of the window belongs elsewhere if another report has it as late, and a late commit
    if any other report has it at all.
    """
    rows: list[Landed] = []
    reported_before: list[tuple[Landed, Owner]] = []
    for row in landing.rows:
        owner = elsewhere.get(row.commit.sha)
        if owner is not None and owner.late:
            reported_before.append((row, owner))
        else:
            rows.append(row)
    late = tuple(row for row in landing.late if row.commit.sha not in elsewhere)
    return CommitsOfReport(tuple(rows), late, tuple(reported_before))


def ledger_row(
    landed: Landed, read: Read | UnreadCommit, *, late: bool, pull: int | None
) -> LedgerRow:
    """Return what was done with one commit."""
    commit = landed.commit
    row = LedgerRow(
        repo=commit.repo,
        sha=commit.sha,
        depth=read.depth,
        reason=read.reason if isinstance(read, UnreadCommit) else _reading_reason(read),
        late=late,
        subject=commit.subject,
        title=commit.title,
        author=commit.author.name,
        landed_at=commit.committed_at,
        members=landed.members,
        pull=pull,
    )
    if isinstance(read, UnreadCommit):
        return row
    change = read.evidence.change
    triage = read.triage
    update = {
        "files": len(change.files),
        "additions": change.additions,
        "deletions": change.deletions,
        "unreadable": len(change.unreadable),
        "places": _places(change),
        "areas": _areas(change),
        "tier": triage.tier,
        "noise": triage.noise,
        "purpose": triage.purpose,
        "weight": triage.score,
        "marks": triage.reasons,
    }
    return row.model_copy(update=update)


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
    """Return the files that changed most; tests and documents only where there is nothing else."""
    ordered = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    product = [file for file in ordered if area(file.path) is Area.PRODUCT]
    return tuple(file.path for file in (product or ordered)[:_MAX_PLACES])


def _areas(change: Change) -> dict[str, int]:
    """Return the changed lines by the first two folders of their files, most lines first."""
    lines: Counter[str] = Counter()
    for file in change.files:
        folders = file.path.split("/")[:-1][:_AREA_DEPTH]
        lines["/".join(folders) or "."] += file.additions + file.deletions
    ranked = sorted(lines.items(), key=lambda entry: (-entry[1], entry[0]))
    return dict(entry for entry in ranked[:_MAX_AREAS] if entry[1])


def _reading_reason(read: Read) -> str:
    """Return why a commit was read as closely as it was."""
    weight = f"weight {read.triage.score:g}"
    if read.triage.reasons:
        weight += f" ({', '.join(read.triage.reasons)})"
    if read.depth == "deep":
        return f"whole diff and files: {weight}"
    if read.triage.noise:
        return f"folded as {read.triage.noise}: {weight}"
    return f"facts and line counts: {weight}"


# ---------------------------------------------------------------- issues and releases


def issue_news(
    threads: Threads, window: Window, links: Sequence[Link] = (), remembered: Known | None = None
) -> tuple[ThreadLine, ...]:
    """Return what happened to issues: opened, closed, discussed while open, addressed by a change.

    Those for which most people wait come first, those that only a change addresses last.
    """
    remembered = remembered or Known()
    issues: dict[int, Issue] = {}
    for issue in (*remembered.issues, *threads.issues):
        issues[issue.number] = issue
    every_link = (*remembered.links, *links)
    lines = []
    listed: set[int] = set()
    for issue in sorted(threads.issues, key=_waited_for):
        for event in _events(issue, window):
            lines.append(_line(issue, event, every_link))
            listed.add(issue.number)
    linked = {link.issue for link in links}
    for number, issue in sorted(issues.items()):
        if issue.id in linked and number not in listed:
            lines.append(_line(issue, "linked", every_link))
    return tuple(lines)


def _waited_for(issue: Issue) -> tuple[int, int]:
    return -_REACTION_WEIGHT * issue.reactions - issue.comments, issue.number


def _events(issue: Issue, window: Window) -> Iterator[str]:
    """Yield what people did with an issue inside the window."""
    if issue.created_at in window:
        yield "opened"
    if issue.closed_at is not None and issue.closed_at in window:
        yield "not planned" if issue.state_reason in GIVEN_UP else "closed"
        return
    is_old = issue.created_at < window.start
    if issue.state == "open" and is_old and issue.updated_at in window:
        yield "active"


def _line(issue: Issue, event: str, links: Sequence[Link]) -> ThreadLine:
    closed_at = issue.closed_at or issue.created_at
    moments = {"opened": issue.created_at, "closed": closed_at, "not planned": closed_at}
    line = {
        "number": issue.number,
        "title": issue.title,
        "author": issue.author,
        "labels": issue.labels,
        "event": event,
        "at": moments.get(event, issue.updated_at),
        "standing": standing(issue, links),
    }
    return ThreadLine.model_validate(line)


def release_news(releases: tuple[Release, ...], window: Window) -> tuple[ReleaseLine, ...]:
    """Return the releases that were published inside the window, oldest first."""
    published = [release for release in releases if release.published_at in window]
    published.sort(key=lambda release: (release.published_at, release.tag))
    return tuple(ReleaseLine.model_validate(release, from_attributes=True) for release in published)
