"""The links of a day that need nobody's judgement: GitHub's closing records and keywords, and plain references."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import CommitId, EvidenceId, ThreadId
from agent.domain.commits import Commit, Issue, reverts_in
from agent.domain.evidence import CommitEvidence
from agent.domain.links import Grade, Link, Reference, Relation
from agent.links.issue_digest import BROUGHT_BACK, GIVEN_UP, Digest
from agent.links.references import Day

_CLOSED = "closed by it, as GitHub records"
_LISTED = "its pull request closes it, as GitHub lists"
_NAMED = "names its pull request, as GitHub records"
_EARLY, _LATE = timedelta(minutes=10), timedelta(hours=1)
_NUMBER = re.compile(r"#(\d+)")
_Issues = Mapping[EvidenceId, Issue]


def day_links(
    day: Day, references: Iterable[Reference], known: Sequence[Digest] = ()
) -> tuple[Link, ...]:
    """Link the day's commits with issues; of what is said several times of the same two, the strongest stands.

    `known` are issues of earlier days that today's threads do not have.
    """
    issues: dict[EvidenceId, Issue] = {one.id: one for one in (*known, *day.threads.issues)}
    became: dict[EvidenceId, Commit] = {commit.id: commit for commit in day.commits}
    became |= {pull.id: commit for pull, commit in day.merged}
    found = [*_records(day, became, issues), *_said(day, references, became, issues)]
    links: dict[tuple[ThreadId, str], Link] = {}
    for link in sorted(found, key=lambda one: one.relation is Relation.MENTIONS):
        links.setdefault((link.issue, link.change), link)
    return tuple(links.values())


def _records(day: Day, became: Mapping[EvidenceId, Commit], issues: _Issues) -> Iterator[Link]:
    """Read what GitHub itself says: what closed an issue, and which issues a merged pull request closes.

    An issue that was closed as not planned or as a duplicate was not fixed, whatever closed it.
    """
    unfixed = {one.issue for one in day.threads.closings if one.reason not in (None, "completed")}
    closed = [
        (one.issue, became.get(one.by_commit or one.by_pull or ""), _CLOSED)
        for one in day.threads.closings
    ]
    listed = [(issue, commit, _LISTED) for pull, commit in day.merged for issue in pull.closes]
    for issue, commit, evidence in (*closed, *listed):
        if commit is not None and issue not in unfixed:
            yield _closing_link(issue, commit, evidence, issues.get(issue))


def _said(
    day: Day, references: Iterable[Reference], became: Mapping[EvidenceId, Commit], issues: _Issues
) -> Iterator[Link]:
    """Read what commits name, and which issues name them or their pull requests.

    A keyword in a pull request counts only where that went into the default branch.
    """
    pulls, default = (
        {pull.id for pull in day.threads.pulls},
        {commit.id for _, commit in day.merged},
    )
    for one in references:
        theirs = one.place in ("issue", "comment")
        name, change = (one.source, one.target) if theirs else (one.target, one.source)
        commit, issue = became.get(change), issues.get(name)
        if commit is None or (one.place == "pull request" and one.source not in default):
            continue
        if theirs or (name not in pulls and _is_issue(one, issue)):
            # What was given up, or is younger than the change, was not fixed by it.
            unfixed = issue and (
                issue.state_reason in GIVEN_UP or issue.created_at > commit.committed_at + _LATE
            )
            if one.closing and not theirs and not unfixed:
                yield _closing_link(ThreadId(name), commit, one.sentence, issue)
                continue
            said, mentions = (one.sentence or _NAMED,), Relation.MENTIONS
            yield Link(
                issue=ThreadId(name),
                change=commit.id,
                relation=mentions,
                grade=Grade.B,
                evidence=said,
                by_issue=theirs,
            )


def _is_issue(one: Reference, issue: Issue | None) -> bool:
    """Tell whether a reference means an issue; a bare number of which nobody knows may be anything."""
    addressed = re.search(rf"/(issues|pull)/{one.target.partition('#')[2]}\b", one.sentence)
    known = addressed[1] == "issues" if addressed else one.closing
    return "#" in one.target and (issue is not None or known)


def _closing_link(name: ThreadId, commit: Commit, evidence: str, issue: Issue | None) -> Link:
    """Link an issue that a change closes, or whose fix it takes back.

    The title of a revert is that of the change it takes back; other words of it are its own where the issue was closed
    when it landed.
    """
    reverts = reverts_in(f"{commit.title}\n{commit.message}") % 2 == 1
    closed = issue.closed_at if issue is not None else None
    own = (
        closed
        and closed >= commit.committed_at - _EARLY
        and name.partition("#")[2] not in _NUMBER.findall(commit.title)
    )
    relation = Relation.REVERTS if reverts and not own else Relation.FIXES
    return Link(
        issue=name, change=commit.id, relation=relation, grade=Grade.A, evidence=(evidence,)
    )


_KINDS = {"revert": Relation.REVERTS, "reland": Relation.FIXES}
_SAYS = {Relation.REVERTS: "takes back", Relation.FIXES: BROUGHT_BACK}
Undoing = tuple[CommitId, Relation, EvidenceId]
"""A commit, whether it takes back or brings back, and the commit that it does so to."""


def partners(commits: Iterable[CommitEvidence]) -> list[Undoing]:
    """Tell which commits take back or bring back which, by their patches or by what their messages name."""
    known = {one.id: one for one in commits}
    by_pull = {f"#{one.pull}": one.id for one in known.values() if one.pull}
    found: list[Undoing] = []
    for one in known.values():
        for fact in (fact for fact in one.facts if fact.kind in _KINDS):
            hashed = f"{one.repo}@{fact.old}" if fact.old and len(fact.old) == 40 else ""
            other = (
                hashed
                if hashed in known
                else by_pull.get("#" + fact.name.rpartition("#")[2], hashed)
            )
            if other and other != one.id:
                found.append((CommitId(one.id), _KINDS[fact.kind], other))
    return found


def reverted_by(commits: Sequence[CommitEvidence]) -> dict[EvidenceId, EvidenceId]:
    """Tell which of these commits was undone by which."""
    mine = {one.id for one in commits}
    return {
        other: own
        for own, does, other in partners(commits)
        if does is Relation.REVERTS and other in mine
    }


def carried_links(
    links: Iterable[Link], earlier: Iterable[Link], pairs: Iterable[Undoing]
) -> tuple[Link, ...]:
    """Add to the links what follows from reverts and re-lands; `earlier` are links that earlier reports told."""
    found = {(link.issue, link.change): link for link in links}
    addressed = [
        x for x in (*found.values(), *earlier) if x.relation in (Relation.FIXES, Relation.PARTLY)
    ]
    for commit, relation, other in pairs:
        for link in (one for one in addressed if one.change == other):
            weaker = found.get((link.issue, commit))
            if weaker and weaker.relation is not Relation.MENTIONS:
                continue
            told = link.relation if relation is Relation.FIXES else relation
            said = (f"{_SAYS[relation]} {other.rpartition('@')[2][:12]}",)
            found[link.issue, commit] = link.model_copy(
                update={"change": commit, "relation": told, "evidence": said}
            )
    return tuple(found.values())
