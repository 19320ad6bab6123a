"""Lists of threads and releases of one repository, and the threads that commit subjects name."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from agent.domain.base import NotFound, RateLimited, RepoId
from agent.domain.commits import Commit, Issue, PullRequest, Release
from agent.domain.window import Window
from tools.github.http.address import repo_path
from tools.github.http.client import GitHubClient
from tools.github.shapes import ISSUE, ISSUES, PULL, RELEASES, IssueShape

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


# `(#123)` at the end is what a squash merge writes: a pull request.
_SQUASHED = re.compile(r"\(#([1-9]\d{0,9})\)\s*$")
_MERGED = re.compile(r"^Merge pull request #([1-9]\d{0,9}) from ")
# Not `owner/name#5`, which is somebody else's.
_NAMED = re.compile(r"(?<![\w/#])#([1-9]\d{0,9})\b")


@dataclass
class Named:
    """What the named numbers turned out to be."""

    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    pull_of: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    """How many numbers were not asked for because the limit was near."""


def pull_number(subject: str) -> int | None:
    """Read the pull request that a subject says it is."""
    match = _SQUASHED.search(subject) or _MERGED.match(subject)
    return int(match[1]) if match else None


def numbers(subject: str) -> tuple[int, ...]:
    """Read every number of this repository that a subject names."""
    return tuple(dict.fromkeys(int(text) for text in _NAMED.findall(subject)))


async def read_named(client: GitHubClient, repo: RepoId, commits: Sequence[Commit], *, low_water: int) -> Named:
    """Read the named threads, newest commit first, until the limit is near."""
    named = Named()
    likely_pulls = {number for commit in commits if (number := pull_number(commit.subject))}
    wanted = list(dict.fromkeys(number for commit in commits for number in numbers(commit.subject)))
    for index, number in enumerate(wanted):
        left = client.remaining()
        if left is not None and left <= low_water:
            named.unread = len(wanted) - index
            break
        try:
            await _read(client, repo, number, named, pull_first=number in likely_pulls)
        except NotFound:
            continue
        except RateLimited:
            named.unread = len(wanted) - index
            break
    for commit in commits:
        origin = named.pulls.get(pull_number(commit.subject) or 0)
        if origin is not None and origin.merged_at is not None and origin.merge_commit in (None, commit.sha):
            named.pull_of[commit.sha] = origin.number
    return named


async def _read(client: GitHubClient, repo: RepoId, number: int, named: Named, *, pull_first: bool) -> None:
    if pull_first:
        try:
            pull = (await client.get_if_there(repo_path(repo, "pulls", str(number)), PULL)).value
        except NotFound:
            pass
        else:
            named.pulls[number] = pull.to_pull(repo)
            return
    shape = (await client.get_if_there(repo_path(repo, "issues", str(number)), ISSUE)).value
    if shape.number != number:
        raise NotFound(f"{repo}#{number} was moved elsewhere")
    if shape.is_pull:
        pull = (await client.get_if_there(repo_path(repo, "pulls", str(number)), PULL)).value
        named.pulls[number] = pull.to_pull(repo)
    else:
        named.issues[number] = shape.to_issue(repo)
