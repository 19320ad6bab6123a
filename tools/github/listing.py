"""Lists of threads and releases of one repository, page by page, complete in spite of what moves meanwhile."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from agent.domain import Release
from agent.ids import RepoId
from agent.window import Window
from tools.github.address import repo_path
from tools.github.client import GitHubClient
from tools.github.shapes import ISSUES, RELEASES, IssueShape

_PAGE = 100
_RELEASE_PAGES = 5


@dataclass
class Listing:
    """Threads by number; `whole` is False when a cap ended the reading."""

    threads: dict[int, IssueShape] = field(default_factory=dict)
    whole: bool = True
    moved: bool = False
    """True when GitHub redirected us: the repository has another name today."""
    closed: bool = False
    """True when there is no such list: the repository has no issues at all."""

    def add(self, shapes: Iterable[IssueShape]) -> None:
        """Take these in; of two readings of one thread the younger stays."""
        for shape in shapes:
            known = self.threads.get(shape.number)
            if known is None or known.updated_at < shape.updated_at:
                self.threads[shape.number] = shape

    @property
    def stamp(self) -> str:
        """What changes whenever a listed thread does."""
        marks = sorted(f"{shape.number} {shape.updated_at.isoformat()}" for shape in self.threads.values())
        return hashlib.sha256("\n".join(marks).encode()).hexdigest()


async def changed_since(client: GitHubClient, name: str, window: Window, *, max_pages: int) -> Listing:
    """List every issue and pull request updated since the window's start, newest first.

    What is opened while we read pushes the rest down: some come twice. What is updated while we read jumps to the top
    and would be missed, so after several pages the first is looked at again, which is free when nothing moved.
    """
    since = (window.start - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    params: dict[str, str | int] = {"state": "all", "since": since, "sort": "updated", "direction": "desc"}
    return await _list(client, name, params | {"per_page": _PAGE}, max_pages)


async def all_open(client: GitHubClient, name: str, *, max_pages: int) -> Listing:
    """List the open issues and pull requests, the most recently updated first."""
    params: dict[str, str | int] = {"state": "open", "sort": "updated", "direction": "desc", "per_page": _PAGE}
    return await _list(client, name, params, max_pages)


async def _list(client: GitHubClient, name: str, params: dict[str, str | int], max_pages: int) -> Listing:
    listing, pages, path = Listing(), 0, repo_path(name, "issues")
    async for page in client.pages(path, ISSUES, params):
        listing.add(page.value)
        listing.moved |= page.moved
        pages += 1
        if pages >= max_pages:
            listing.whole = page.next is None
            break
    if pages > 1:
        listing.add((await client.get(path, ISSUES, params)).value)
    return listing


async def releases_in(client: GitHubClient, repo: RepoId, name: str, window: Window) -> tuple[Release, ...]:
    """List what was published in the window; GitHub sorts by the date of the commit, which is never the younger one."""
    found, pages = [], 0
    async for page in client.pages(repo_path(name, "releases"), RELEASES, {"per_page": _PAGE}):
        for shape in page.value:
            if not shape.draft and shape.published_at is not None and shape.published_at in window:
                found.append(shape.to_release(repo, shape.published_at))
        pages += 1
        if pages >= _RELEASE_PAGES or not page.value or page.value[-1].created_at < window.start:
            break
    return tuple(found)
