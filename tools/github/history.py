"""The commit lists of one repository, walked along first parents, and what GitHub says of the repository itself."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

from agent.domain.base import NotFound, RepoId, UpstreamError
from agent.domain.commits import Commit
from agent.domain.window import Window
from tools.github.http.address import repo_path
from tools.github.http.client import GitHubClient
from tools.github.shapes import COMMITS, COMPARISON, REPOSITORY, CommitShape, RepositoryShape


async def about(client: GitHubClient, repo: RepoId) -> RepositoryShape:
    """Ask for a repository; GitHub does not tell one that is missing from one that may not be seen."""
    try:
        return (await client.get(repo_path(repo), REPOSITORY)).value
    except NotFound as error:
        hint = "this token may not see it" if client.has_token else "it is private and needs GITHUB_TOKEN"
        raise NotFound(f"{client.address.host} has no repository {repo}, or {hint}") from error


PAGE = 100


@dataclass
class Walk:
    """What was met on the first-parent line, from the tip downwards, as far as the window needs it."""

    line: list[Commit] = field(default_factory=list)
    next: str | None = None
    """The commit below the last one met; None at the root."""

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

    def __init__(self, client: GitHubClient, repo: RepoId, *, max_pages: int) -> None:
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
        params: dict[str, str | int] = {"sha": tip, "since": since, "per_page": PAGE}
        async for page in self._client.pages(repo_path(name, "commits"), COMMITS, params):
            pages = self._count(pages)
            listed |= self._by_sha(page.value)
        _follow(walk, listed)
        while walk.next is not None:
            pages = self._count(pages)
            below = await self._client.get(repo_path(name, "commits"), COMMITS, {"sha": walk.next, "per_page": PAGE})
            before = len(walk.line)
            _follow(walk, self._by_sha(below.value))
            if not any(commit.committed_at in window for commit in walk.line[before:]):
                break
        return walk

    async def between(self, name: str, base: str, head: str) -> tuple[str, list[Commit]]:
        """Compare two commits: GitHub's word for how they relate, and what only `head` has, oldest first."""
        status, commits, pages = "identical", dict[str, Commit](), 0
        async for page in self._compare(name, base, head):
            pages = self._count(pages)
            status = page[0]
            commits |= self._by_sha(page[1])
        return status, list(commits.values())

    async def _compare(self, name: str, base: str, head: str) -> AsyncIterator[tuple[str, tuple[CommitShape, ...]]]:
        path = repo_path(name, "compare", f"{base}...{head}")
        async for page in self._client.pages(path, COMPARISON, {"per_page": PAGE, "page": 1}):
            yield page.value.status, page.value.commits

    def _by_sha(self, shapes: Iterable[CommitShape]) -> dict[str, Commit]:
        return {shape.sha: shape.to_commit(self._repo) for shape in shapes}

    def _count(self, pages: int) -> int:
        if pages >= self._max_pages:
            message = (
                f"{self._repo}: more than {pages * PAGE} commits have to be listed; read the code with --source git"
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
