"""Issues, pull requests and releases of one repository, read from GitHub's API."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.base import NotFound, RateLimited, RepoId, UpstreamError
from agent.domain.commits import Closing, Comment, Commit, Issue, Notice, PullRequest, Threads
from agent.domain.evidence import ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import pull_number, thread_numbers
from agent.domain.window import Window
from agent.links.references import LandedDay, day_references
from tools.github import queries
from tools.github.address import repo_path
from tools.github.graphql import (
    Answer,
    Answers,
    Batches,
    ClosedNode,
    LandedNode,
    PullNode,
    Question,
    ThreadNode,
)
from tools.github.listing import Listing, about, all_open, changed_since, releases_in
from tools.github.shapes import COMMENTS, ISSUE, PULL, IssueShape

if TYPE_CHECKING:
    from tools.github.client import GitHubClient

_COMMENT_PAGES = 50
# Not `owner/name#5`, which is somebody else's.
_PULLS_OF = Question[str, LandedNode](
    queries.pulls_of_commits, lambda sha: f"c{sha}", Answer[LandedNode], 40
)
_CLOSERS = Question[int, ClosedNode](
    queries.closers, lambda number: f"i{number}", Answer[ClosedNode], 50
)
_PULLS = Question[int, PullNode](queries.pulls, lambda number: f"p{number}", Answer[PullNode], 50)

_THREADS = Question[int, ThreadNode](
    queries.threads, lambda number: f"t{number}", Answer[ThreadNode], 50
)
_MOST_NAMED = 100  # Threads of other days that are looked up because texts of this one name them


@dataclass
class Gaps:
    """What a reading of the threads leaves out: by intention, and by mishap."""

    notices: list[Notice] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class GitHubThreads:
    """A source of threads.

    With a token a day costs one request for each hundred threads updated since its start, one for the releases, one
    GraphQL query for each forty commits and one for each fifty issues closed; the first run also lists the open ones.
    Everything but GraphQL is conditional, and GraphQL is asked again only when a listed thread changed.
    """

    def __init__(
        self,
        client: "GitHubClient",
        repo: RepoId,
        *,
        listing_pages: int = 30,
        open_pages: int = 3,
        low_water: int = 5,
    ) -> None:
        self.repo = repo
        self._client = client
        self._listing_pages, self._open_pages, self._low_water = (
            listing_pages,
            open_pages,
            low_water,
        )

    async def threads(
        self, window: Window, commits: Sequence[Commit], *, known_open: Collection[int] = ()
    ) -> Threads:
        """Read what the window's threads say, and which pull request brought each of these commits."""
        if not self._client.has_token:
            return await self._anonymously(commits)
        gaps = Gaps()
        listing = await self._changed(window, gaps)
        # A redirect would double the cost of every further request.
        name = (await about(self._client, self.repo)).full_name if listing.moved else self.repo
        released = await releases_in(self._client, self.repo, name, window)
        batches = Batches(self._client, self.repo, listing.stamp)
        pulls_of = await batches.ask(_PULLS_OF, [commit.sha for commit in commits])
        closings = await self._closings(window, listing, batches, gaps)
        if pulls_of.unanswered:
            missing = f"the pull requests of {len(pulls_of.unanswered)} commits could not be read"
            gaps.missing.append(f"{missing} ({pulls_of.problem})")
        if not known_open and not listing.closed:
            await self._add_open(name, listing, gaps)
        pulls, pull_of = self._origins(pulls_of)
        read = Threads(
            coverage="partial" if gaps.notices or gaps.missing else "read",
            notices=tuple(gaps.notices),
            missing=tuple(gaps.missing),
            issues=_issues(self.repo, listing),
            pulls=pulls,
            closings=closings,
            releases=released,
            pull_of=pull_of,
        )
        named = _named(LandedDay(self.repo, None, commits, read), {*known_open, *listing.threads})
        return _with_named(read, await self._asked(batches, named))

    async def discussions(self, numbers: Sequence[int]) -> tuple[ThreadEvidence, ...]:
        """Read several issues and pull requests at once, with their last comments."""
        if not self._client.has_token:
            return ()
        return await self._asked(Batches(self._client, self.repo, None), numbers)

    async def _asked(self, batches: Batches, numbers: Sequence[int]) -> tuple[ThreadEvidence, ...]:
        answers = await batches.ask(_THREADS, numbers) if numbers else None
        return (
            tuple(node.to_evidence(self.repo, answers.names) for node in answers.found.values())
            if answers
            else ()
        )

    async def issue(self, number: int) -> Issue | PullRequest:
        """Read one issue or pull request by its number."""
        page = await self._client.get(repo_path(self.repo, "issues", str(number)), ISSUE)
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
        return (
            await self._client.get(repo_path(self.repo, "pulls", str(number)), PULL)
        ).value.to_pull(self.repo)

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments below one issue or pull request, oldest first."""
        found: list[Comment] = []
        pages, path = 0, repo_path(self.repo, "issues", str(number), "comments")
        async for page in self._client.pages(path, COMMENTS, {"per_page": 100}):
            found += [comment.to_comment() for comment in page.value]
            pages += 1
            if pages >= _COMMENT_PAGES and page.next:
                raise UpstreamError(
                    f"{EvidenceId.thread(self.repo, number)} has more than {len(found)} comments",
                    retryable=False,
                )
        return tuple(found)

    async def _anonymously(self, commits: Sequence[Commit]) -> Threads:
        """Read what the subjects name, newest first, until the limit is near; lists and GraphQL need a token."""
        found: dict[int, Issue | PullRequest] = {}
        wanted = {number: None for commit in commits for number in thread_numbers(commit.subject)}
        likely = {commit.sha: pull_number(commit.subject) for commit in commits}
        notice = Notice(kind="anonymous")
        for place, number in enumerate(wanted):
            try:
                found[number] = await self._subject_named(number, pull=number in likely.values())
            except NotFound:
                continue
            except RateLimited:
                notice = Notice(kind="anonymous-limit", about=(str(len(wanted) - place),))
                break
        pulls = {
            number: one for number, one in sorted(found.items()) if isinstance(one, PullRequest)
        }
        origins = ((sha, pulls.get(number or 0)) for sha, number in likely.items())
        return Threads(
            coverage="partial",
            notices=(notice,),
            issues=tuple(one for _, one in sorted(found.items()) if isinstance(one, Issue)),
            pulls=tuple(pulls.values()),
            pull_of={sha: one.number for sha, one in origins if one and one.merge_commit == sha},
        )

    async def _subject_named(self, number: int, *, pull: bool) -> Issue | PullRequest:
        """Read a thread with as few requests as can be: what seems to be a pull request is asked for as one."""
        if (left := self._client.remaining()) is not None and left <= self._low_water:
            raise RateLimited("the limit is near", retry_after=0.0)
        shape: IssueShape | None = None
        if not pull:
            shape = (
                await self._client.get(repo_path(self.repo, "issues", str(number)), ISSUE)
            ).value
            if shape.number != number:
                raise NotFound(f"{EvidenceId.thread(self.repo, number)} was moved elsewhere")
            if not shape.is_pull:
                return shape.to_issue(self.repo)
        try:
            return (
                await self._client.get(repo_path(self.repo, "pulls", str(number)), PULL)
            ).value.to_pull(self.repo)
        except NotFound:
            if shape is not None:
                raise
            return await self._subject_named(number, pull=False)

    async def _changed(self, window: Window, gaps: Gaps) -> Listing:
        """List what changed; a repository that is there but has no list of issues has switched them off."""
        try:
            listing = await changed_since(
                self._client, self.repo, window, max_pages=self._listing_pages
            )
        except NotFound:
            await about(self._client, self.repo)
            gaps.notices.append(Notice(kind="issues-off"))
            return Listing(closed=True)
        if not listing.whole:
            gaps.notices.append(Notice(kind="listing-capped", about=(str(len(listing.threads)),)))
        return listing

    async def _closings(
        self, window: Window, listing: Listing, batches: Batches, gaps: Gaps
    ) -> tuple[Closing, ...]:
        """Find what closed the issues that were closed in the window; GitHub's list already says when and why."""
        closed = {
            number: shape.closed_at
            for number, shape in sorted(listing.threads.items())
            if not shape.is_pull and shape.closed_at is not None and shape.closed_at in window
        }
        answers = await batches.ask(_CLOSERS, list(closed))
        if answers.unanswered:
            gaps.missing.append(
                f"what closed {len(answers.unanswered)} issues could not be read ({answers.problem})"
            )
        closings = []
        for number, closed_at in closed.items():
            issue, node = EvidenceId.thread(self.repo, number), answers.found.get(number)
            known = node.to_closing(issue, answers.names) if node else None
            reason = listing.threads[number].state_reason
            closings.append(known or Closing(issue=issue, closed_at=closed_at, reason=reason))
        return tuple(closings)

    async def _add_open(self, name: str, listing: Listing, gaps: Gaps) -> None:
        """List the open issues, on the first run only: later ones learn of changes by their dates."""
        open_ones = await all_open(self._client, name, max_pages=self._open_pages)
        listing.add(open_ones.threads.values())
        if not open_ones.whole:
            gaps.notices.append(Notice(kind="open-capped", about=(str(len(open_ones.threads)),)))

    def _origins(
        self, answers: Answers[str, LandedNode]
    ) -> tuple[tuple[PullRequest, ...], dict[str, int]]:
        pulls: dict[int, PullRequest] = {}
        pull_of: dict[str, int] = {}
        for sha, node in answers.found.items():
            origin = node.origin(sha, answers.names)
            if origin is not None:
                pull_of[sha] = origin.number
                pulls[origin.number] = origin.to_pull(self.repo, answers.names)
        return tuple(pulls[number] for number in sorted(pulls)), pull_of

    async def _is_here(self, shape: IssueShape, number: int) -> bool:
        """Tell a renamed repository, which also redirects, from a transferred issue."""
        name = (await about(self._client, self.repo)).full_name
        return shape.number == number and shape.repository_url.lower().endswith(
            f"/repos/{name}".lower()
        )


def _issues(repo: RepoId, listing: Listing) -> tuple[Issue, ...]:
    return tuple(
        shape.to_issue(repo) for _, shape in sorted(listing.threads.items()) if not shape.is_pull
    )


def _named(day: LandedDay, known: Collection[int]) -> list[int]:
    """List the threads that the texts of a day name and nobody has read, then issues whose words on it are not here.

    Those come first that are closed by it.
    """
    own = {*known, *(pull.number for pull in day.threads.pulls)}
    found = sorted(day_references(day), key=lambda one: not one.closing)
    numbers: dict[int, None] = {}
    for mention in found:
        number = mention.target.number
        if number is not None and mention.target.repo == day.repo and number not in own:
            numbers[number] = None
    for mention in found:
        number = mention.source.number
        if number is not None and mention.source.repo == day.repo and not mention.sentence:
            numbers[number] = None
    return list(numbers)[:_MOST_NAMED]


def _with_named(read: Threads, named: Sequence[ThreadEvidence]) -> Threads:
    """Add threads of other days to those of a window, and what was said last in issues that name its pull requests."""
    listed, naming = (
        {one.number for one in read.issues},
        {name for pull in read.pulls for name in pull.named_by},
    )
    issues = tuple(
        one.thread
        for one in named
        if isinstance(one.thread, Issue) and one.thread.number not in listed
    )
    pulls = tuple(one.thread for one in named if isinstance(one.thread, PullRequest))
    comments = {
        one.thread.number: one.comments for one in named if one.id in naming and one.comments
    }
    return read.model_copy(
        update={
            "issues": (*read.issues, *issues),
            "pulls": (*read.pulls, *pulls),
            "comments": comments,
        }
    )
