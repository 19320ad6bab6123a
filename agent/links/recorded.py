"""The links of a day that need nobody's judgement: GitHub's closing records and keywords, and plain references."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.domain.base import CommitId, EvidenceId, ThreadId, commit_id
from agent.domain.commits import Commit, Issue, reverts_in
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import FactKind
from agent.domain.links import Grade, Link, Reference, Relation
from agent.links.issues import BROUGHT_BACK, Digest
from agent.links.references import Day

CLOSED = "closed by it, as GitHub records"
LISTED = "its pull request closes it, as GitHub lists"
NAMED = "names its pull request, as GitHub records"
_UNFIXED = ("not_planned", "duplicate")
_EARLY, _LATE = timedelta(minutes=10), timedelta(hours=1)
_OWN = ("title", "message", "pull request")
_THEIRS = ("issue", "checklist", "comment")


@dataclass(frozen=True)
class _Found:
    """One issue that a landed commit names, and what says so."""

    issue: ThreadId
    commit: Commit
    evidence: str
    closing: bool
    in_title: bool = False
    by_issue: bool = False


def day_links(day: Day, references: Iterable[Reference], known: Sequence[Digest] = ()) -> tuple[Link, ...]:
    """Link the day's commits with issues; of what is said several times of the same two, the strongest stands.

    `known` are issues of earlier days that today's threads do not have.
    """
    issues: dict[EvidenceId, Issue | Digest] = {one.id: one for one in known}
    issues |= {issue.id: issue for issue in day.threads.issues}
    landed: dict[EvidenceId, Commit] = {commit.id: commit for commit in day.commits}
    became = landed | {pull.id: commit for pull, commit in day.merged}
    references = tuple(references)
    found = [*_records(day, became), *_said(day, references, issues), *_named(references, became)]
    links: dict[tuple[ThreadId, str], Link] = {}
    for one in sorted(found, key=lambda one: not one.closing):
        relation, change = _relation(one, issues.get(one.issue)), commit_id(day.repo, one.commit.sha)
        grade, said = Grade.B if relation is Relation.MENTIONS else Grade.A, (one.evidence,)
        link = Link(
            issue=one.issue, change=change, relation=relation, grade=grade, evidence=said, by_issue=one.by_issue
        )
        links.setdefault((one.issue, change), link)
    return tuple(links.values())


def _records(day: Day, became: Mapping[EvidenceId, Commit]) -> Iterator[_Found]:
    """Read what GitHub itself says: what closed an issue, and which issues a merged pull request closes.

    An issue that was closed as not planned or as a duplicate was not fixed, whatever closed it.
    """
    unfixed = {one.issue for one in day.threads.closings if one.reason not in (None, "completed")}
    for closing in day.threads.closings:
        commit = became.get(closing.by_commit or closing.by_pull or "")
        if commit is not None and closing.issue not in unfixed:
            yield _Found(closing.issue, commit, CLOSED, closing=True)
    for pull, commit in day.merged:
        yield from (_Found(one, commit, LISTED, closing=True) for one in pull.closes if one not in unfixed)


def _said(day: Day, references: Iterable[Reference], issues: Mapping[EvidenceId, Issue | Digest]) -> Iterator[_Found]:
    """Read what commits name; a keyword in a pull request counts only where that went into the default branch."""
    landed: dict[EvidenceId, Commit] = {commit.id: commit for commit in day.commits}
    default = {commit.id for _, commit in day.merged}
    pulls = {pull.id for pull in day.threads.pulls}
    for one in references:
        commit = landed.get(one.source)
        if commit is None or one.place not in _OWN or "#" not in one.target or one.target in pulls:
            continue
        if one.place == "pull request" and one.source not in default:
            continue
        issue = issues.get(one.target)
        # A bare number may be anything.
        if issue is None and (_is_address(one, "pull") or not (one.closing or _is_address(one, "issues"))):
            continue
        closing = one.closing and not (issue and _cannot_be_fixed(issue, commit))
        yield _Found(ThreadId(one.target), commit, one.sentence, closing, one.place == "title")


def _named(references: Iterable[Reference], became: Mapping[EvidenceId, Commit]) -> Iterator[_Found]:
    """Read which issues name the day's commits or their pull requests; what they say of them stays theirs."""
    for one in references:
        if one.place in _THEIRS and (commit := became.get(one.target)):
            yield _Found(ThreadId(one.source), commit, one.sentence or NAMED, closing=False, by_issue=True)


def _is_address(one: Reference, kind: str) -> bool:
    return one.target.replace("#", f"/{kind}/").lower() in one.sentence.lower()


def _cannot_be_fixed(issue: Issue | Digest, commit: Commit) -> bool:
    """Tell whether an issue was given up, or is younger than the change."""
    return issue.state_reason in _UNFIXED or issue.created_at > commit.committed_at + _LATE


def _relation(one: _Found, issue: Issue | Digest | None) -> Relation:
    """Tell what the change does to the issue.

    The title of a revert is that of the change it takes back; other words of it are its own where the issue was closed
    when it landed.
    """
    if not one.closing:
        return Relation.MENTIONS
    if reverts_in(f"{one.commit.title}\n{one.commit.message}") % 2 == 0:
        return Relation.FIXES
    closed = issue.closed_at if issue is not None else None
    own = not one.in_title and f"#{one.issue.partition('#')[2]}" not in re.findall(r"#\d+", one.commit.title)
    return Relation.FIXES if own and closed and closed >= one.commit.committed_at - _EARLY else Relation.REVERTS


_ADDRESSING = (Relation.FIXES, Relation.PARTLY)
_KINDS = {FactKind.REVERT: Relation.REVERTS, FactKind.RELAND: Relation.FIXES}
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
            other = hashed if hashed in known else by_pull.get("#" + fact.name.rpartition("#")[2], hashed)
            if other and other != one.id:
                found.append((CommitId(one.id), _KINDS[fact.kind], other))
    return found


def reverted_by(commits: Sequence[CommitEvidence]) -> dict[EvidenceId, EvidenceId]:
    """Tell which of these commits was undone by which."""
    mine = {one.id for one in commits}
    return {other: own for own, does, other in partners(commits) if does is Relation.REVERTS and other in mine}


def carried_links(links: Iterable[Link], earlier: Iterable[Link], pairs: Iterable[Undoing]) -> tuple[Link, ...]:
    """Add to the links what follows from reverts and re-lands; `earlier` are links that earlier reports told."""
    found = {(link.issue, link.change): link for link in links}
    addressed = [link for link in (*found.values(), *earlier) if link.relation in _ADDRESSING]
    for commit, relation, other in pairs:
        for link in addressed:
            weaker = found.get((link.issue, commit))
            if link.change != other or (weaker and weaker.relation is not Relation.MENTIONS):
                continue
            told = link.relation if relation is Relation.FIXES else relation
            said = (f"{_SAYS[relation]} {other.rpartition('@')[2][:12]}",)
            found[link.issue, commit] = link.model_copy(update={"change": commit, "relation": told, "evidence": said})
    return tuple(found.values())
