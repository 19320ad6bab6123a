"""What the generator knows of issues and changes, and its threads as a solver reads them."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent.domain.base import CommitId, RepoId, ThreadId, commit_id, thread_id
from agent.domain.commits import Closing, Commit, Coverage, Issue, PullRequest, Threads
from evals.worlds.model import Issue as WorldIssue
from evals.worlds.model import Pull, Repo, World

_UNFIXED = ("not_planned", "duplicate")


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
        for issue in repo.issues:
            if issue.reports in bugs and not issue.deleted and issue.state_reason not in _UNFIXED:
                name = RepoId(repo.full_name)
                found.add(Pair(thread_id(name, issue.number), commit_id(name, row.sha)))
    return found


def threads_of(repo: Repo, commits: list[Commit]) -> Threads:
    """Give everything that GitHub would tell of a repository."""
    name = RepoId(repo.full_name)
    landed = {commit.sha for commit in commits}
    merged = [pull for pull in repo.pulls if pull.merge_commit in landed]
    return Threads(
        coverage=Coverage.READ,
        issues=tuple(_issue(name, one) for one in repo.issues if not one.deleted),
        pulls=tuple(_pull(name, one) for one in repo.pulls if one.merged_at is None or one in merged),
        closings=tuple(_closings(name, repo)),
        pull_of={str(pull.merge_commit): pull.number for pull in merged},
    )


def _thread(repo: str, number: int) -> ThreadId:
    return thread_id(RepoId(repo), number)


def _closings(name: RepoId, repo: Repo) -> Iterator[Closing]:
    for issue in repo.issues:
        closed = [event for event in issue.events if event.kind == "closed"]
        if closed and issue.state == "closed" and not issue.deleted:
            last = closed[-1]
            by_pull = _thread(*last.source) if last.source else None
            yield Closing(
                issue=thread_id(name, issue.number),
                closed_at=last.at,
                reason=last.state_reason,
                by_commit=commit_id(name, last.commit) if last.commit else None,
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


def _pull(name: RepoId, one: Pull) -> PullRequest:
    return PullRequest(
        repo=name,
        number=one.number,
        title=one.title,
        body=one.body,
        state="closed" if one.state == "closed" else "open",
        merged_at=one.merged_at,
        merge_commit=one.merge_commit,
        base=one.base,
        author=one.author,
        labels=one.labels,
        created_at=one.created_at,
        updated_at=one.updated_at,
        closes=tuple(_thread(*pair) for pair in one.closes),
    )
