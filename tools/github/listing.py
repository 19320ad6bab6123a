"""GitHub's lists of one repository: threads, releases, and commits along first parents."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from agent.domain.base import NotFound, RepoId, UpstreamError
from agent.domain.commits import Commit, Release
from agent.domain.window import Window
from tools.github import shapes
from tools.github.address import repo_path

if TYPE_CHECKING:
    from tools.github.client import GitHubClient

_PAGE = 100
_RELEASE_PAGES = 5


@dataclass
class Listing:
    """Threads by number; `whole` is False when a cap ended the reading."""

    threads: dict[int, shapes.IssueShape] = field(default_factory=dict)
    whole: bool = True
    moved: bool = False  # True when GitHub redirected us: the repository has another name today
    closed: bool = False  # True when there is no such list: the repository has no issues at all

    def add(self, found: Iterable[shapes.IssueShape]) -> None:
        """Take these in; of two readings of one thread the younger stays."""
        for shape in found:
            known = self.threads.get(shape.number)
            if known is None or known.updated_at < shape.updated_at:
                self.threads[shape.number] = shape

    @property
    def stamp(self) -> str:
        """What changes whenever a listed thread does."""
        marks = sorted(
            f"{shape.number} {shape.updated_at.isoformat()}" for shape in self.threads.values()
        )
        return hashlib.sha256("\n".join(marks).encode()).hexdigest()


async def changed_since(
    client: "GitHubClient", name: str, window: Window, *, max_pages: int
) -> Listing:
    """List every issue and pull request updated since the window's start, newest first.

    What is opened while we read pushes the rest down: some come twice. What is updated while we read jumps to the top
    and would be missed, so after several pages the first is looked at again, which is free when nothing moved.
    """
    since = (window.start - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    params: dict[str, str | int] = {
        "state": "all",
        "since": since,
        "sort": "updated",
        "direction": "desc",
    }
    return await _list(client, name, params | {"per_page": _PAGE}, max_pages)


async def all_open(client: "GitHubClient", name: str, *, max_pages: int) -> Listing:
    """List the open issues and pull requests, the most recently updated first."""
    params: dict[str, str | int] = {
        "state": "open",
        "sort": "updated",
        "direction": "desc",
        "per_page": _PAGE,
    }
    return await _list(client, name, params, max_pages)


async def _list(
    client: "GitHubClient", name: str, params: dict[str, str | int], max_pages: int
) -> Listing:
    listing, pages, path = Listing(), 0, repo_path(name, "issues")
    async for page in client.pages(path, shapes.ISSUES, params):
        listing.add(page.value)
        listing.moved |= page.moved
        pages += 1
        if pages >= max_pages:
            listing.whole = page.next is None
            break
    if pages > 1:
        listing.add((await client.get(path, shapes.ISSUES, params)).value)
    return listing


async def releases_in(
    client: "GitHubClient", repo: RepoId, name: str, window: Window
) -> tuple[Release, ...]:
    """List what was published in the window; GitHub sorts by the date of the commit, which is never the younger one."""
    found, pages = [], 0
    async for page in client.pages(
        repo_path(name, "releases"), shapes.RELEASES, {"per_page": _PAGE}
    ):
        for shape in page.value:
            if not shape.draft and shape.published_at is not None and shape.published_at in window:
                found.append(shape.to_release(repo))
        pages += 1
        if pages >= _RELEASE_PAGES or not page.value or page.value[-1].created_at < window.start:
            break
    return tuple(found)


async def about(client: "GitHubClient", repo: RepoId) -> shapes.RepositoryShape:
    """Ask for a repository; GitHub does not tell one that is missing from one that may not be seen."""
    try:
        return (await client.get(repo_path(repo), shapes.REPOSITORY)).value
    except NotFound as error:
        hint = (
            "this token may not see it"
            if client.has_token
            else "it is private and needs GITHUB_TOKEN"
        )
        raise NotFound(f"{client.address.host} has no repository {repo}, or {hint}") from error


@dataclass
class Walk:
    """What was met on the first-parent line, from the tip downwards, as far as the window needs it."""

    line: list[Commit] = field(default_factory=list)
    next: str | None = None  # The commit below the last one met; None at the root

    def met(self, sha: str) -> bool:
        """Tell whether the line leads to this commit, so that everything above it is known."""
        return self.next == sha or any(commit.sha == sha for commit in self.line)

    def above(self, sha: str) -> list[Commit]:
        """List the commits of the line above this one."""
        found = []
        for commit in self.line:
            if commit.sha == sha:
                break
            found.append(commit)
        return found


class History:
    """The commit lists of one repository."""

    def __init__(self, client: "GitHubClient", repo: RepoId, *, max_pages: int) -> None:
        self._client, self._repo, self._max_pages = client, repo, max_pages

    async def walk(self, name: str, tip: str, window: Window) -> Walk:
        """Follow parent[0] from the tip until a whole page below the window's start holds nothing of the window.

        The list is pinned to the tip's hash, so a push between two pages cannot shift them. `since` cuts it at the
        window's start, but everything newer than the window is listed too: the line can only be walked from the tip.
        Commits with a skewed clock interrupt the list; from there on, up to a hundred in a row are walked through.
        """
        pages, walk = 0, Walk(next=tip)
        since = window.start.strftime("%Y-%m-%dT%H:%M:%SZ")
        listed: dict[str, Commit] = {}
        params: dict[str, str | int] = {"sha": tip, "since": since, "per_page": _PAGE}
        async for page in self._client.pages(repo_path(name, "commits"), shapes.COMMITS, params):
            pages = self._count(pages)
            listed |= self._by_sha(page.value)
        _follow(walk, listed)
        while walk.next is not None:
            pages = self._count(pages)
            params = {"sha": walk.next, "per_page": _PAGE}
            below = await self._client.get(repo_path(name, "commits"), shapes.COMMITS, params)
            before = len(walk.line)
            _follow(walk, self._by_sha(below.value))
            if not any(commit.committed_at in window for commit in walk.line[before:]):
                break
        return walk

    async def between(self, name: str, base: str, head: str) -> tuple[str, list[Commit]]:
        """Compare two commits: GitHub's word for how they relate, and what only `head` has, oldest first."""
        status, commits, pages = "identical", dict[str, Commit](), 0
        path = repo_path(name, "compare", f"{base}...{head}")
        async for page in self._client.pages(
            path, shapes.COMPARISON, {"per_page": _PAGE, "page": 1}
        ):
            pages = self._count(pages)
            status = page.value.status
            commits |= self._by_sha(page.value.commits)
        return status, list(commits.values())

    def _by_sha(self, found: Iterable[shapes.CommitShape]) -> dict[str, Commit]:
        return {shape.sha: shape.to_commit(self._repo) for shape in found}

    def _count(self, pages: int) -> int:
        if pages >= self._max_pages:
            listed = pages * _PAGE
            message = (
                f"{self._repo}: more than {listed} commits to list; read the code with --source git"
            )
            raise UpstreamError(message, retryable=False)
        return pages + 1


def first_parents(tip: str, commits: Iterable[Commit]) -> list[Commit]:
    """Follow parent[0] from the tip as far as these commits go."""
    walk = Walk(next=tip)
    _follow(walk, {commit.sha: commit for commit in commits})
    return walk.line


def _follow(walk: Walk, known: dict[str, Commit]) -> None:
    """Go on along the line as far as the known commits lead; each is taken out, so a circle ends."""
    while walk.next is not None and (commit := known.pop(walk.next, None)) is not None:
        walk.line.append(commit)
        walk.next = commit.parents[0] if commit.parents else None
