"""What the generator knows of issues and changes, and its threads as a solver reads them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.domain import Closing, Commit, Coverage, Issue, PullRequest, Threads
from agent.ids import CommitId, RepoId, ThreadId, commit_id, thread_id
from agent.links import Relation
from evals.worlds.bugs.catalogue import bug_named
from evals.worlds.model import Issue as WorldIssue
from evals.worlds.model import Pull, Repo, World

_MASKED = re.compile(
    r"(?:\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|context)\b:?\s*)?(?:[\w.-]+/[\w.-]+)?#\d+", re.IGNORECASE
)
_UNFIXED = ("not_planned", "duplicate")
_SAID = re.compile(r"(Follow-up of|Came up in|Not a full solution for) #(\d+)")


@dataclass(frozen=True)
class Pair:
    """An issue and the landed commit that fixes it."""

    issue: ThreadId
    change: CommitId


def closed_pairs(world: World, repo: Repo) -> set[Pair]:
    """List what GitHub links by itself: merged pull requests on the default branch, commits that closed an issue."""
    name = RepoId(repo.full_name)
    found = set()
    for pull in repo.pulls:
        if pull.merge_commit and pull.base == repo.default_branch:
            found |= {Pair(_thread(*one), commit_id(name, pull.merge_commit)) for one in pull.closes}
    for home in world.repos:
        for issue in home.issues:
            for event in issue.events:
                if event.kind != "closed" or event.state_reason in _UNFIXED:
                    continue
                if event.source and event.source[0] == repo.full_name:
                    pull = next(one for one in repo.pulls if one.number == event.source[1])
                    if pull.merge_commit:
                        closed = thread_id(RepoId(home.full_name), issue.number)
                        found.add(Pair(closed, commit_id(name, pull.merge_commit)))
                if event.commit and home is repo:
                    found.add(Pair(thread_id(name, issue.number), commit_id(name, event.commit)))
    return found


def true_pairs(world: World, repo: Repo) -> set[Pair]:
    """List what really fixes what: the commit that mends a flaw, and each issue that reports it, unless given up."""
    found = set()
    for row in world.landed:
        bugs = [edit.param("bug") for edit in row.edits if edit.kind == "fix_bug"]
        if row.repo != repo.full_name or row.dropped_by is not None or not bugs:
            continue
        titles = {title for bug in map(bug_named, bugs) for title in (bug.report[0], bug.report_zh[0])}
        for issue in repo.issues:
            if issue.title in titles and not issue.deleted and issue.state_reason not in _UNFIXED:
                name = RepoId(repo.full_name)
                found.add(Pair(thread_id(name, issue.number), commit_id(name, row.sha)))
    return found


def relations(repo: Repo) -> dict[Pair, Relation]:
    """Tell what each merged pull request does to the issues it speaks of, by what the generator let it say."""
    name, found = RepoId(repo.full_name), dict[Pair, Relation]()
    given_up = {issue.number for issue in repo.issues if issue.deleted or issue.state_reason in _UNFIXED}
    known = {issue.number for issue in repo.issues} - given_up
    for pull in repo.pulls:
        if not pull.merge_commit or pull.base != repo.default_branch:
            continue
        change = commit_id(name, pull.merge_commit)
        for match in _SAID.finditer(pull.body):
            if int(match[2]) in known:
                partly = match[1].startswith("Not a full")
                relation = Relation.PARTLY if partly else Relation.MENTIONS
                found[Pair(thread_id(name, int(match[2])), change)] = relation
        found |= {Pair(_thread(*one), change): Relation.FIXES for one in pull.closes if one[1] in known}
    return found


def threads_of(repo: Repo, commits: list[Commit], *, masked: bool = False) -> Threads:
    """Give everything that GitHub would tell of a repository; masked, nothing in it refers to an issue any more."""
    name = RepoId(repo.full_name)
    landed = {commit.sha for commit in commits}
    merged = [pull for pull in repo.pulls if pull.merge_commit in landed]
    return Threads(
        coverage=Coverage.READ,
        issues=tuple(_issue(name, one) for one in repo.issues if not one.deleted),
        pulls=tuple(_pull(name, one, masked) for one in repo.pulls if one.merged_at is None or one in merged),
        closings=tuple(_closings(name, repo, masked)),
        pull_of={str(pull.merge_commit): pull.number for pull in merged},
    )


def masked_commit(commit: Commit) -> Commit:
    """Take the references out of a message, the number of the pull request included."""
    return commit.model_copy(update={"message": _MASKED.sub("", commit.message)})


def _thread(repo: str, number: int) -> ThreadId:
    return thread_id(RepoId(repo), number)


def _closings(name: RepoId, repo: Repo, masked: bool) -> Iterator[Closing]:
    for issue in repo.issues:
        closed = [event for event in issue.events if event.kind == "closed"]
        if closed and issue.state == "closed" and not issue.deleted:
            last = closed[-1]
            by_pull = _thread(*last.source) if last.source and not masked else None
            yield Closing(
                issue=thread_id(name, issue.number),
                closed_at=last.at,
                reason=last.state_reason,
                by_commit=commit_id(name, last.commit) if last.commit and not masked else None,
                by_pull=by_pull,
            )


def _issue(name: RepoId, one: WorldIssue) -> Issue:
    return Issue(
        repo=name,
        number=one.number,
        title=one.title,
        body=one.body,
        state="closed" if one.state == "closed" else "open",
        state_reason=one.state_reason,
        author=one.author,
        labels=one.labels,
        created_at=one.created_at,
        updated_at=one.updated_at,
        closed_at=one.closed_at,
        comments=len(one.comments),
        reactions=one.reactions,
    )


def _pull(name: RepoId, one: Pull, masked: bool) -> PullRequest:
    return PullRequest(
        repo=name,
        number=one.number,
        title=_MASKED.sub("", one.title) if masked else one.title,
        body=_MASKED.sub("", one.body) if masked else one.body,
        state="closed" if one.state == "closed" else "open",
        merged_at=one.merged_at,
        merge_commit=one.merge_commit,
        base=one.base,
        author=one.author,
        labels=one.labels,
        created_at=one.created_at,
        updated_at=one.updated_at,
        closes=() if masked else tuple(_thread(*pair) for pair in one.closes),
    )
