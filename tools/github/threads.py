"""Threads of one repository over GitHub's API: issues and pull requests, and its releases."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Notice
from agent.domain.errors import NotFound, RateLimited, UpstreamError
from agent.domain.evidence import ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import pull_number, thread_numbers
from agent.domain.threads import Closing, Comment, Issue, PullRequest, Threads
from agent.domain.window import Window
from agent.links.references_in_texts import LandedDay, day_references
from tools.github import graphql_queries
from tools.github.client import GitHubClient
from tools.github.graphql_batches import Answers, Batches, Question
from tools.github.graphql_shapes import Answer, ClosedNode, LandedNode, PullNode, ThreadNode
from tools.github.rest_shapes import COMMENTS, ISSUE, PULL, IssueShape
from tools.github.server_address import repo_path
from tools.github.thread_and_commit_lists import (
    Listing,
    all_open,
    changed_since,
    fetch_repository,
    releases_in,
)

_MAX_COMMENT_PAGES = 50
_MAX_MENTIONED = 100  # Threads of other days that are looked up because texts of this one name them
_PULLS_OF_COMMITS = Question[str, LandedNode](
    graphql_queries.pulls_of_commits, lambda sha: f"c{sha}", Answer[LandedNode], 40
)
_CLOSERS = Question[int, ClosedNode](
    graphql_queries.closers, lambda number: f"i{number}", Answer[ClosedNode], 50
)
_PULLS = Question[int, PullNode](
    graphql_queries.pulls, lambda number: f"p{number}", Answer[PullNode], 50
)
_THREADS = Question[int, ThreadNode](
    graphql_queries.threads, lambda number: f"t{number}", Answer[ThreadNode], 50
)


@dataclass
class Gaps:
    """The gaps in a reading of threads: by intention, and by failure."""

    notices: list[Notice] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class _Origins(NamedTuple):
    """Pull requests, and which of them brought each commit."""

    pulls: tuple[PullRequest, ...]
    pull_of: dict[str, int]


class GitHubThreads:
    """A source of threads.

    With a token a day costs one request for each hundred threads updated since its start, one for
    the releases, one GraphQL query for each forty commits and one for each fifty issues closed; the
    first run also lists the open ones. Everything but GraphQL is conditional, and GraphQL is asked
    again only if a listed thread changed.
    """

    def __init__(
        self,
        client: GitHubClient,
        repo: RepoId,
        *,
        listing_pages: int = 30,
        open_pages: int = 3,
        low_water: int = 5,
    ) -> None:
        self.repo = repo
        self._client = client
        self._listing_pages = listing_pages
        self._open_pages = open_pages
        self._low_water = low_water

    async def threads(
        self, window: Window, commits: Sequence[Commit], *, known_open: Collection[int] = ()
    ) -> Threads:
        """Read the threads of the window and the pull request of each of these commits."""
        if not self._client.has_token:
            return await self._anonymous_threads(commits)
        gaps = Gaps()
        listing = await self._changed(window, gaps)
        name = str(self.repo)
        if listing.moved:
            # A redirect would double the cost of every further request.
            name = (await fetch_repository(self._client, self.repo)).full_name
        releases = await releases_in(self._client, self.repo, name, window)
        batches = Batches(self._client, self.repo, listing.stamp)
        landed = await batches.ask(_PULLS_OF_COMMITS, [commit.sha for commit in commits])
        closings = await self._closings(window, listing, batches, gaps)
        if landed.unanswered:
            missing = f"the pull requests of {len(landed.unanswered)} commits could not be read"
            gaps.missing.append(f"{missing} ({landed.problem})")
        if not known_open and not listing.issues_off:
            await self._add_open(name, listing, gaps)
        origins = self._origins(landed)
        threads = Threads(
            coverage="partial" if gaps.notices or gaps.missing else "read",
            notices=tuple(gaps.notices),
            missing=tuple(gaps.missing),
            issues=_issues(self.repo, listing),
            pulls=origins.pulls,
            closings=closings,
            releases=releases,
            pull_of=origins.pull_of,
        )
        already_read = {*known_open, *listing.threads}
        mentioned = _mentioned_numbers(LandedDay(self.repo, None, commits, threads), already_read)
        return _with_mentioned(threads, await self._evidence(batches, mentioned))

    async def discussions(self, numbers: Sequence[int]) -> tuple[ThreadEvidence, ...]:
        """Read several issues and pull requests at once, with their last comments."""
        if not self._client.has_token:
            return ()
        return await self._evidence(Batches(self._client, self.repo, None), numbers)

    async def _evidence(
        self, batches: Batches, numbers: Sequence[int]
    ) -> tuple[ThreadEvidence, ...]:
        if not numbers:
            return ()
        answers = await batches.ask(_THREADS, numbers)
        nodes = answers.found.values()
        return tuple(node.to_evidence(self.repo, answers.names) for node in nodes)

    async def issue(self, number: int) -> Issue | PullRequest:
        """Read one issue or pull request by its number."""
        page = await self._client.get(self._path("issues", number), ISSUE)
        if page.moved and not await self._is_here(page.value, number):
            raise NotFound(
                f"{EvidenceId.thread(self.repo, number)} was moved to another repository"
            )
        if not page.value.is_pull:
            return page.value.to_issue(self.repo)
        if self._client.has_token:
            batches = Batches(self._client, self.repo, page.value.updated_at.isoformat())
            answers = await batches.ask(_PULLS, [number])
            if number in answers.found:
                return answers.found[number].to_pull(self.repo, answers.names)
        return await self._rest_pull(number)

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments below one issue or pull request, oldest first."""
        comments: list[Comment] = []
        page_count = 0
        path = f"{self._path('issues', number)}/comments"
        async for page in self._client.pages(path, COMMENTS, {"per_page": 100}):
            comments += [comment.to_comment() for comment in page.value]
            page_count += 1
            if page_count >= _MAX_COMMENT_PAGES and page.next:
                problem = (
                    f"{EvidenceId.thread(self.repo, number)} has more than {len(comments)} comments"
                )
                raise UpstreamError(problem, retryable=False)
        return tuple(comments)

    def _path(self, collection: str, number: int) -> str:
        return repo_path(self.repo, collection, str(number))

    async def _rest_pull(self, number: int) -> PullRequest:
        page = await self._client.get(self._path("pulls", number), PULL)
        return page.value.to_pull(self.repo)

    async def _anonymous_threads(self, commits: Sequence[Commit]) -> Threads:
        """Read the threads that subjects name, newest first, until the limit is near.

        Lists and GraphQL need a token.
        """
        numbers: dict[int, None] = {}
        for commit in commits:
            for number in thread_numbers(commit.subject):
                numbers[number] = None
        likely_pulls = {commit.sha: pull_number(commit.subject) for commit in commits}
        issues: dict[int, Issue] = {}
        pulls: dict[int, PullRequest] = {}
        notice = Notice(kind="anonymous")
        for index, number in enumerate(numbers):
            try:
                thread = await self._likely_thread(number, pull=number in likely_pulls.values())
            except NotFound:
                continue
            except RateLimited:
                unread = len(numbers) - index
                notice = Notice(kind="anonymous-limit", about=(str(unread),))
                break
            if isinstance(thread, PullRequest):
                pulls[number] = thread
            else:
                issues[number] = thread
        pull_of: dict[str, int] = {}
        for sha, likely_number in likely_pulls.items():
            pull = pulls.get(likely_number or 0)
            if pull is not None and pull.merge_commit == sha:
                pull_of[sha] = pull.number
        return Threads(
            coverage="partial",
            notices=(notice,),
            issues=tuple(issues[number] for number in sorted(issues)),
            pulls=tuple(pulls[number] for number in sorted(pulls)),
            pull_of=pull_of,
        )

    async def _likely_thread(self, number: int, *, pull: bool) -> Issue | PullRequest:
        """Read a thread with few requests: what seems to be a pull request is asked for as one."""
        remaining = self._client.remaining()
        if remaining is not None and remaining <= self._low_water:
            raise RateLimited("the limit is near", retry_after=0.0)
        if not pull:
            return await self._issue_or_pull(number)
        try:
            return await self._rest_pull(number)
        except NotFound:
            return await self._likely_thread(number, pull=False)

    async def _issue_or_pull(self, number: int) -> Issue | PullRequest:
        page = await self._client.get(self._path("issues", number), ISSUE)
        if page.value.number != number:
            raise NotFound(f"{EvidenceId.thread(self.repo, number)} was moved elsewhere")
        if not page.value.is_pull:
            return page.value.to_issue(self.repo)
        return await self._rest_pull(number)

    async def _changed(self, window: Window, gaps: Gaps) -> Listing:
        """List what changed; an existing repository without a list of issues has them off."""
        try:
            listing = await changed_since(
                self._client, self.repo, window, max_pages=self._listing_pages
            )
        except NotFound:
            await fetch_repository(self._client, self.repo)
            gaps.notices.append(Notice(kind="issues-off"))
            return Listing(issues_off=True)
        if not listing.is_complete:
            gaps.notices.append(Notice(kind="listing-capped", about=(str(len(listing.threads)),)))
        return listing

    async def _closings(
        self, window: Window, listing: Listing, batches: Batches, gaps: Gaps
    ) -> tuple[Closing, ...]:
        """Return the closers of the issues closed in the window; the list says when and why."""
        closings: dict[int, Closing] = {}
        for number, shape in sorted(listing.threads.items()):
            closed_at = shape.closed_at
            if shape.is_pull or closed_at is None or closed_at not in window:
                continue
            issue = EvidenceId.thread(self.repo, number)
            closings[number] = Closing(issue=issue, closed_at=closed_at, reason=shape.state_reason)
        answers = await batches.ask(_CLOSERS, list(closings))
        if answers.unanswered:
            missing = f"what closed {len(answers.unanswered)} issues could not be read"
            gaps.missing.append(f"{missing} ({answers.problem})")
        for number, node in answers.found.items():
            closing = node.to_closing(EvidenceId.thread(self.repo, number), answers.names)
            if closing is not None:
                closings[number] = closing
        return tuple(closings.values())

    async def _add_open(self, name: str, listing: Listing, gaps: Gaps) -> None:
        """List the open issues, on the first run only: later runs learn of changes by their dates."""
        open_threads = await all_open(self._client, name, max_pages=self._open_pages)
        listing.add(open_threads.threads.values())
        if not open_threads.is_complete:
            count = len(open_threads.threads)
            gaps.notices.append(Notice(kind="open-capped", about=(str(count),)))

    def _origins(self, answers: Answers[str, LandedNode]) -> _Origins:
        pulls: dict[int, PullRequest] = {}
        pull_of: dict[str, int] = {}
        for sha, node in answers.found.items():
            origin = node.origin(sha, answers.names)
            if origin is not None:
                pull_of[sha] = origin.number
                pulls[origin.number] = origin.to_pull(self.repo, answers.names)
        return _Origins(tuple(pulls[number] for number in sorted(pulls)), pull_of)

    async def _is_here(self, shape: IssueShape, number: int) -> bool:
        """Return True for a renamed repository, which redirects like a transferred issue."""
        name = (await fetch_repository(self._client, self.repo)).full_name
        repository_path = f"/repos/{name}".lower()
        return shape.number == number and shape.repository_url.lower().endswith(repository_path)


def _issues(repo: RepoId, listing: Listing) -> tuple[Issue, ...]:
    shapes = [shape for _, shape in sorted(listing.threads.items())]
    return tuple(shape.to_issue(repo) for shape in shapes if not shape.is_pull)


def _mentioned_numbers(day: LandedDay, already_read: Collection[int]) -> list[int]:
    """Return the threads to look up: unread ones that the day's texts name, then issues naming it.

    Those that the day closes come first. An issue that names something of the day is looked up for
    its comments, if its words are not at hand.
    """
    excluded = {*already_read, *(pull.number for pull in day.threads.pulls)}
    references = sorted(day_references(day), key=lambda reference: not reference.closing)
    numbers: dict[int, None] = {}
    for reference in references:
        number = reference.target.number
        is_own = reference.target.repo == day.repo
        if number is not None and is_own and number not in excluded:
            numbers[number] = None
    for reference in references:
        number = reference.source.number
        is_own = reference.source.repo == day.repo
        if number is not None and is_own and not reference.sentence:
            numbers[number] = None
    return list(numbers)[:_MAX_MENTIONED]


def _with_mentioned(threads: Threads, mentioned: Iterable[ThreadEvidence]) -> Threads:
    """Add threads of other days, and the last comments of issues that name its pull requests."""
    listed_numbers = {issue.number for issue in threads.issues}
    naming_ids: set[EvidenceId] = set()
    for pull in threads.pulls:
        naming_ids.update(pull.named_by)
    issues: list[Issue] = []
    pulls: list[PullRequest] = []
    comments: dict[int, tuple[Comment, ...]] = {}
    for evidence in mentioned:
        thread = evidence.thread
        if isinstance(thread, PullRequest):
            pulls.append(thread)
        elif thread.number not in listed_numbers:
            issues.append(thread)
        if evidence.id in naming_ids and evidence.comments:
            comments[thread.number] = evidence.comments
    return threads.model_copy(
        update={
            "issues": (*threads.issues, *issues),
            "pulls": (*threads.pulls, *pulls),
            "comments": comments,
        }
    )
