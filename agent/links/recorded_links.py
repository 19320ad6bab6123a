"""Links of commits with issues that need no judgement: by records, keywords and references."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Commit
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.facts import Fact
from agent.domain.links import Grade, Link, Mention, Relation
from agent.domain.references import parse_reference, thread_numbers
from agent.domain.revert_messages import read_title, reverts_in
from agent.domain.threads import Issue
from agent.links.references_in_texts import LandedDay
from agent.links.searchable_issues import BROUGHT_BACK, GIVEN_UP, Digest

_CLOSED = "closed by it, as GitHub records"
_LISTED = "its pull request closes it, as GitHub lists"
_NAMED = "names its pull request, as GitHub records"
_EARLY = timedelta(minutes=10)  # By which an issue may be closed before its change lands
_LATE = timedelta(hours=1)  # By which an issue may be younger than the change that fixes it
_Issues = Mapping[EvidenceId, Issue]


def day_links(
    day: LandedDay, references: Iterable[Mention], digests: Sequence[Digest] = ()
) -> tuple[Link, ...]:
    """Return the links of the day's commits with issues; of each pair the strongest one.

    `digests` are those of issues of earlier days that today's threads do not have.
    """
    issues: dict[EvidenceId, Issue] = {issue.id: issue for issue in (*digests, *day.threads.issues)}
    commits: dict[EvidenceId, Commit] = {commit.id: commit for commit in day.commits}
    for pull, commit in day.merged:
        commits[pull.id] = commit
    links = [
        *_recorded_links(day, commits, issues),
        *_written_links(day, references, commits, issues),
    ]
    links.sort(key=lambda link: link.relation is Relation.MENTIONS)
    strongest: dict[tuple[EvidenceId, str], Link] = {}
    for link in links:
        strongest.setdefault((link.issue, link.change), link)
    return tuple(strongest.values())


def _recorded_links(
    day: LandedDay, commits: Mapping[EvidenceId, Commit], issues: _Issues
) -> Iterator[Link]:
    """Yield what GitHub records: what closed issues, and what merged pull requests close.

    An issue that was closed as not planned or as a duplicate was not fixed, whatever closed it.
    """
    unfixed = set()
    for closing in day.threads.closings:
        if closing.reason not in (None, "completed"):
            unfixed.add(closing.issue)
    for closing in day.threads.closings:
        closer = closing.by_commit or closing.by_pull
        commit = commits.get(closer) if closer else None
        if commit is not None and closing.issue not in unfixed:
            yield _closing_link(closing.issue, commit, _CLOSED, issues.get(closing.issue))
    for pull, commit in day.merged:
        for issue in pull.closes:
            if issue not in unfixed:
                yield _closing_link(issue, commit, _LISTED, issues.get(issue))


def _written_links(
    day: LandedDay,
    mentions: Iterable[Mention],
    commits: Mapping[EvidenceId, Commit],
    issues: _Issues,
) -> Iterator[Link]:
    """Yield what commits say of issues, and which issues name them or their pull requests.

    A keyword in a pull request counts only if that was merged into the default branch.
    """
    pulls = {pull.id for pull in day.threads.pulls}
    merged_commits = {merged.commit.id for merged in day.merged}
    for mention in mentions:
        is_by_issue = mention.place in ("issue", "comment")
        issue_id = mention.source if is_by_issue else mention.target
        issue = issues.get(issue_id)
        commit = commits.get(mention.target if is_by_issue else mention.source)
        if commit is None:
            continue
        if mention.place == "pull request" and mention.source not in merged_commits:
            continue
        if not is_by_issue and (issue_id in pulls or not _is_issue(mention, issue)):
            continue
        if mention.closing and not is_by_issue and _may_have_fixed(commit, issue):
            yield _closing_link(issue_id, commit, mention.sentence, issue)
            continue
        yield Link(
            issue=issue_id,
            change=commit.id,
            relation=Relation.MENTIONS,
            grade=Grade.B,
            evidence=(mention.sentence or _NAMED,),
            by_issue=is_by_issue,
        )


def _may_have_fixed(commit: Commit, issue: Issue | None) -> bool:
    """Return False for an issue that was given up, or that is younger than the commit."""
    if issue is None:
        return True
    if issue.state_reason in GIVEN_UP:
        return False
    return issue.created_at <= commit.committed_at + _LATE


def _is_issue(mention: Mention, issue: Issue | None) -> bool:
    """Return True if a reference means an issue; an unknown number may be a pull request."""
    if not mention.target.is_thread:
        return False
    if issue is not None:
        return True
    address = re.search(rf"/(issues|pull)/{mention.target.number}\b", mention.sentence)
    return address[1] == "issues" if address else mention.closing


def _closing_link(issue_id: EvidenceId, commit: Commit, evidence: str, issue: Issue | None) -> Link:
    """Return a link with an issue that a change closes, or whose fix it takes back.

    A revert repeats the title and message of the change that it takes back, so its references are
    those of that change, unless the issue was closed when the revert landed. Whether the revert of a
    part takes the fix back, nobody says.
    """
    is_revert = reverts_in(f"{commit.title}\n{commit.message}") % 2 == 1
    relation = Relation.FIXES
    grade = Grade.A
    if is_revert and not _was_closed_by(commit, issue_id, issue):
        title = read_title(commit.title)
        is_part = title is not None and title.part
        relation = Relation.MENTIONS if is_part else Relation.REVERTS
        grade = Grade.B if is_part else Grade.A
    return Link(
        issue=issue_id, change=commit.id, relation=relation, grade=grade, evidence=(evidence,)
    )


def _was_closed_by(commit: Commit, issue_id: EvidenceId, issue: Issue | None) -> bool:
    if issue is None or issue.closed_at is None:
        return False
    if issue.closed_at < commit.committed_at - _EARLY:
        return False
    return issue_id.number not in thread_numbers(commit.title)


_RELATIONS = {"revert": Relation.REVERTS, "reland": Relation.FIXES}  # By the kind of a fact
_VERBS = {Relation.REVERTS: "takes back", Relation.FIXES: BROUGHT_BACK}


class RevertRelation(NamedTuple):
    """A commit that takes another one back, or brings it back."""

    commit: EvidenceId
    relation: Relation
    partner: EvidenceId


def partners(commits: Iterable[CommitEvidence]) -> list[RevertRelation]:
    """Return which commits take back or bring back which, by their patches or messages."""
    commit_by_id = {commit.id: commit for commit in commits}
    id_by_pull = {commit.pull: commit.id for commit in commit_by_id.values() if commit.pull}
    revert_pairs: list[RevertRelation] = []
    for commit in commit_by_id.values():
        for fact in commit.facts:
            if fact.kind not in _RELATIONS:
                continue
            partner = _partner(fact, commit.repo, commit_by_id, id_by_pull)
            if partner is not None and partner != commit.id:
                revert_pairs.append(RevertRelation(commit.id, _RELATIONS[fact.kind], partner))
    return revert_pairs


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
    """Return the commits that were reverted by another one of them, each with that one."""
    ids = {commit.id for commit in commits}
    reverted = {}
    for pair in partners(commits):
        if pair.relation is Relation.REVERTS and pair.partner in ids:
            reverted[pair.partner] = pair.commit
    return reverted


def carried_links(
    links: Iterable[Link], earlier: Iterable[Link], revert_pairs: Iterable[RevertRelation]
) -> tuple[Link, ...]:
    """Add the links that follow from reverts and re-lands.

    `earlier` are links of earlier reports.
    """
    carried = {(link.issue, link.change): link for link in links}
    fixes = []
    for link in (*carried.values(), *earlier):
        if link.relation in (Relation.FIXES, Relation.PARTLY):
            fixes.append(link)
    for pair in revert_pairs:
        for fix in fixes:
            if fix.change != pair.partner:
                continue
            existing = carried.get((fix.issue, pair.commit))
            if existing and existing.relation is not Relation.MENTIONS:
                continue
            carried[fix.issue, pair.commit] = _carried_link(fix, pair)
    return tuple(carried.values())


def _carried_link(fix: Link, pair: RevertRelation) -> Link:
    """Return the link of a commit that takes back or brings back the fix of an issue."""
    relation = fix.relation if pair.relation is Relation.FIXES else pair.relation
    evidence = f"{_VERBS[pair.relation]} {pair.partner.revision[:12]}"
    update = {"change": pair.commit, "relation": relation, "evidence": (evidence,)}
    return fix.model_copy(update=update)
