"""GitHub's lists of one repository: threads, releases, and commits along first parents."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Commit
from agent.domain.errors import NotFound, UpstreamError
from agent.domain.threads import Release
from agent.domain.window import Window
from tools.github.client import GitHubClient
from tools.github.rest_shapes import (
    COMMITS,
    COMPARISON,
    ISSUES,
    RELEASES,
    REPOSITORY,
    CommitShape,
    IssueShape,
    RepositoryShape,
)
from tools.github.server_address import repo_path

_PAGE_SIZE = 100
_MAX_RELEASE_PAGES = 5


@dataclass
class Listing:
    """Threads by number."""

    threads: dict[int, IssueShape] = field(default_factory=dict)
    is_complete: bool = True  # False if a cap ended the reading
    moved: bool = False  # True if GitHub redirected us: the repository has another name today
    issues_off: bool = False  # True if there is no such list: the repository has no issues at all

    def add(self, shapes: Iterable[IssueShape]) -> None:
        """Take these in; of two readings of one thread the younger stays."""
        for shape in shapes:
            listed = self.threads.get(shape.number)
            if listed is None or listed.updated_at < shape.updated_at:
                self.threads[shape.number] = shape

    @property
    def stamp(self) -> str:
        """A digest that changes whenever a listed thread does."""
        lines = [
            f"{shape.number} {shape.updated_at.isoformat()}" for shape in self.threads.values()
        ]
        return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


async def changed_since(
    client: GitHubClient, name: str, window: Window, *, max_pages: int
) -> Listing:
    """List every issue and pull request updated since the window's start, newest first.

    Threads opened while we read push the rest down, so some come twice. Threads updated while we
    read jump to the top and would be missed, so after several pages the first is read again, which
    is free if nothing moved.
    """
    params: dict[str, str | int] = {
        "state": "all",
        "since": _timestamp(window.start - timedelta(seconds=1)),
        "sort": "updated",
        "direction": "desc",
        "per_page": _PAGE_SIZE,
    }
    return await _list_threads(client, name, params, max_pages)


async def all_open(client: GitHubClient, name: str, *, max_pages: int) -> Listing:
    """List the open issues and pull requests, the most recently updated first."""
    params: dict[str, str | int] = {
        "state": "open",
        "sort": "updated",
        "direction": "desc",
        "per_page": _PAGE_SIZE,
    }
    return await _list_threads(client, name, params, max_pages)


async def _list_threads(
    client: GitHubClient, name: str, params: dict[str, str | int], max_pages: int
) -> Listing:
    listing = Listing()
    path = repo_path(name, "issues")
    page_count = 0
    async for page in client.pages(path, ISSUES, params):
        listing.add(page.value)
        listing.moved = listing.moved or page.moved
        page_count += 1
        if page_count >= max_pages:
            listing.is_complete = page.next is None
            break
    if page_count > 1:
        first_page = await client.get(path, ISSUES, params)
        listing.add(first_page.value)
    return listing


async def releases_in(
    client: GitHubClient, repo: RepoId, name: str, window: Window
) -> tuple[Release, ...]:
    """List what was published in the window.

    GitHub sorts releases by the date of their commit, which is never the younger one.
    """
    releases: list[Release] = []
    page_count = 0
    pages = client.pages(repo_path(name, "releases"), RELEASES, {"per_page": _PAGE_SIZE})
    async for page in pages:
        for shape in page.value:
            published_at = shape.published_at
            if not shape.draft and published_at is not None and published_at in window:
                releases.append(shape.to_release(repo))
        page_count += 1
        if page_count >= _MAX_RELEASE_PAGES:
            break
        if not page.value or page.value[-1].created_at < window.start:
            break
    return tuple(releases)


async def fetch_repository(client: GitHubClient, repo: RepoId) -> RepositoryShape:
    """Fetch a repository; GitHub answers alike for a missing and an invisible one."""
    try:
        page = await client.get(repo_path(repo), REPOSITORY)
    except NotFound as error:
        hint = "this token may not see it"
        if not client.has_token:
            hint = "it is private and needs GITHUB_TOKEN"
        raise NotFound(f"{client.address.host} has no repository {repo}, or {hint}") from error
    return page.value


@dataclass
class Walk:
    """The first-parent line from the tip downwards, as far as the window needs it."""

    line: list[Commit] = field(default_factory=list)
    next: str | None = None  # The commit below the last one of the line; None at the root

    def reaches(self, sha: str) -> bool:
        """Return True if the line leads to this commit, so that all commits above it are in it."""
        return self.next == sha or any(commit.sha == sha for commit in self.line)

    def above(self, sha: str) -> list[Commit]:
        """Return the commits of the line above this one."""
        commits: list[Commit] = []
        for commit in self.line:
            if commit.sha == sha:
                break
            commits.append(commit)
        return commits

    def follow(self, commits: dict[str, Commit]) -> None:
        """Extend the line as far as these commits lead; each is removed, so that a circle ends."""
        while self.next is not None:
            commit = commits.pop(self.next, None)
            if commit is None:
                return
            self.line.append(commit)
            self.next = commit.parents[0] if commit.parents else None


class Comparison(NamedTuple):
    """The relation of two commits, in GitHub's word, and the commits of the second alone."""

    status: str
    commits: list[Commit]


class History:
    """The commit lists of one repository."""

    def __init__(self, client: GitHubClient, repo: RepoId, *, max_pages: int) -> None:
        self._client = client
        self._repo = repo
        self._max_pages = max_pages

    async def walk(self, name: str, tip: str, window: Window) -> Walk:
        """Follow first parents from the tip until a whole page below the window has nothing of it.

        The list is pinned to the tip's hash, so that a push between two pages cannot shift them.
        `since` cuts it at the window's start; all that is newer than the window is listed too,
        because the line can only be walked from the tip. Commits with a skewed clock interrupt the
        list; from there on, up to a hundred in a row are walked through.
        """
        walk = Walk(next=tip)
        path = repo_path(name, "commits")
        page_count = 0
        listed: dict[str, Commit] = {}
        params: dict[str, str | int] = {
            "sha": tip,
            "since": _timestamp(window.start),
            "per_page": _PAGE_SIZE,
        }
        async for page in self._client.pages(path, COMMITS, params):
            page_count = self._next_count(page_count)
            listed |= self._by_sha(page.value)
        walk.follow(listed)
        while walk.next is not None:
            page_count = self._next_count(page_count)
            params = {"sha": walk.next, "per_page": _PAGE_SIZE}
            below = await self._client.get(path, COMMITS, params)
            length_before = len(walk.line)
            walk.follow(self._by_sha(below.value))
            if not any(commit.committed_at in window for commit in walk.line[length_before:]):
                break
        return walk

    async def between(self, name: str, base: str, tip: str) -> Comparison:
        """Compare two commits."""
        status = "identical"
        commits: dict[str, Commit] = {}
        page_count = 0
        path = repo_path(name, "compare", f"{base}...{tip}")
        pages = self._client.pages(path, COMPARISON, {"per_page": _PAGE_SIZE, "page": 1})
        async for page in pages:
            page_count = self._next_count(page_count)
            status = page.value.status
            commits |= self._by_sha(page.value.commits)
        return Comparison(status, list(commits.values()))

    def _by_sha(self, shapes: Iterable[CommitShape]) -> dict[str, Commit]:
        return {shape.sha: shape.to_commit(self._repo) for shape in shapes}

    def _next_count(self, page_count: int) -> int:
        """Count one page more; raise UpstreamError beyond the cap."""
        if page_count >= self._max_pages:
            problem = f"{self._repo}: more than {page_count * _PAGE_SIZE} commits to list"
            raise UpstreamError(f"{problem}; read the code with --source git", retryable=False)
        return page_count + 1


def first_parents(tip: str, commits: Iterable[Commit]) -> list[Commit]:
    """Return the first-parent line from the tip, as far as these commits go."""
    walk = Walk(next=tip)
    walk.follow({commit.sha: commit for commit in commits})
    return walk.line


def _timestamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
