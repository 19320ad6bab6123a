"""The links of a day that need nobody's judgement: GitHub's closing records and keywords, and plain references."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Issue, reverts_in
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.facts import Fact
from agent.domain.links import Grade, Link, Mention, Relation
from agent.domain.references import parse_reference, thread_numbers
from agent.links.issue_digest import BROUGHT_BACK, GIVEN_UP, Digest
from agent.links.references import LandedDay

_CLOSED = "closed by it, as GitHub records"
_LISTED = "its pull request closes it, as GitHub lists"
_NAMED = "names its pull request, as GitHub records"
_EARLY, _LATE = timedelta(minutes=10), timedelta(hours=1)
_Issues = Mapping[EvidenceId, Issue]


def day_links(
    day: LandedDay, references: Iterable[Mention], known: Sequence[Digest] = ()
) -> tuple[Link, ...]:
    """Link the day's commits with issues; of what is said several times of the same two, the strongest stands.

    `known` are issues of earlier days that today's threads do not have.
    """
    issues: dict[EvidenceId, Issue] = {one.id: one for one in (*known, *day.threads.issues)}
    became: dict[EvidenceId, Commit] = {commit.id: commit for commit in day.commits}
    became |= {pull.id: commit for pull, commit in day.merged}
    found = [*_records(day, became, issues), *_said(day, references, became, issues)]
    links: dict[tuple[EvidenceId, str], Link] = {}
    for link in sorted(found, key=lambda one: one.relation is Relation.MENTIONS):
        links.setdefault((link.issue, link.change), link)
    return tuple(links.values())


def _records(
    day: LandedDay, became: Mapping[EvidenceId, Commit], issues: _Issues
) -> Iterator[Link]:
    """Read what GitHub itself says: what closed an issue, and which issues a merged pull request closes.

    An issue that was closed as not planned or as a duplicate was not fixed, whatever closed it.
    """
    unfixed = {one.issue for one in day.threads.closings if one.reason not in (None, "completed")}
    for closing in day.threads.closings:
        closer = closing.by_commit or closing.by_pull
        commit = became.get(closer) if closer else None
        if commit is not None and closing.issue not in unfixed:
            yield _closing_link(closing.issue, commit, _CLOSED, issues.get(closing.issue))
    for pull, commit in day.merged:
        for issue in pull.closes:
            if issue not in unfixed:
                yield _closing_link(issue, commit, _LISTED, issues.get(issue))


def _said(
    day: LandedDay,
    references: Iterable[Mention],
    became: Mapping[EvidenceId, Commit],
    issues: _Issues,
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
                yield _closing_link(name, commit, one.sentence, issue)
                continue
            said, mentions = (one.sentence or _NAMED,), Relation.MENTIONS
            yield Link(
                issue=name,
                change=commit.id,
                relation=mentions,
                grade=Grade.B,
                evidence=said,
                by_issue=theirs,
            )


def _is_issue(mention: Mention, issue: Issue | None) -> bool:
    """Return True if a reference means an issue; a bare number that nobody knows may be anything."""
    if not mention.target.is_thread:
        return False
    if issue is not None:
        return True
    address = re.search(rf"/(issues|pull)/{mention.target.number}\b", mention.sentence)
    return address[1] == "issues" if address else mention.closing


def _closing_link(issue_id: EvidenceId, commit: Commit, evidence: str, issue: Issue | None) -> Link:
    """Link an issue that a change closes, or whose fix it takes back.

    The title of a revert is that of the change it takes back; other words of it are its own where the issue was closed
    when it landed.
    """
    reverts = reverts_in(f"{commit.title}\n{commit.message}") % 2 == 1
    closed = issue.closed_at if issue is not None else None
    own = (
        closed
        and closed >= commit.committed_at - _EARLY
        and issue_id.number not in thread_numbers(commit.title)
    )
    relation = Relation.REVERTS if reverts and not own else Relation.FIXES
    return Link(
        issue=issue_id, change=commit.id, relation=relation, grade=Grade.A, evidence=(evidence,)
    )


_KINDS = {"revert": Relation.REVERTS, "reland": Relation.FIXES}
_SAYS = {Relation.REVERTS: "takes back", Relation.FIXES: BROUGHT_BACK}
Undoing = tuple[EvidenceId, Relation, EvidenceId]
"""A commit, whether it takes back or brings back, and the commit that it does so to."""


def partners(commits: Iterable[CommitEvidence]) -> list[Undoing]:
    """Tell which commits take back or bring back which, by their patches or by what their messages name."""
    commit_by_id = {commit.id: commit for commit in commits}
    id_by_pull = {commit.pull: commit.id for commit in commit_by_id.values() if commit.pull}
    undoings: list[Undoing] = []
    for commit in commit_by_id.values():
        for fact in commit.facts:
            if fact.kind not in _KINDS:
                continue
            partner = _partner(fact, commit.repo, commit_by_id, id_by_pull)
            if partner is not None and partner != commit.id:
                undoings.append((commit.id, _KINDS[fact.kind], partner))
    return undoings


def _partner(
    fact: Fact,
    repo: RepoId,
    commit_by_id: Mapping[EvidenceId, CommitEvidence],
    id_by_pull: Mapping[int, EvidenceId],
) -> EvidenceId | None:
    """Return the commit that a revert or a re-land is about: by its hash, else by its number."""
    sha = fact.old or ""
    by_hash = EvidenceId.commit(repo, sha) if is_full_hash(sha) else None
    if by_hash in commit_by_id:
        return by_hash
    reference = parse_reference(fact.name, repo)
    if reference is None or not reference.number:
        return by_hash
    return id_by_pull.get(reference.number, by_hash)


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
            said = (f"{_SAYS[relation]} {other.revision[:12]}",)
            found[link.issue, commit] = link.model_copy(
                update={"change": commit, "relation": told, "evidence": said}
            )
    return tuple(found.values())
