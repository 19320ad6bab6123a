"""The URLs of pages in a browser that a report links to."""

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote

from agent.domain.base import RepoId
from agent.domain.window import Window


def line_fragment(first: int | None, last: int | None) -> str:
    """Return the end of an address that marks lines of a file."""
    return f"#L{first}" if first == last else f"#L{first}-L{last}"


@dataclass(frozen=True)
class Web:
    """Where people open repositories in a browser."""

    base: str

    def repo(self, repo: RepoId) -> str:
        """Point at a repository."""
        return self._below(repo, "")

    def _below(self, repo: RepoId, path: str) -> str:
        """Point below a repository; a checkout without a remote has no page, so nothing points there."""
        return "" if repo.startswith("local/") else f"{self.base}/{repo}{path}"

    def commit(self, repo: RepoId, sha: str) -> str:
        """Point at a commit by its full hash."""
        return self._below(repo, f"/commit/{sha}")

    def lines(self, repo: RepoId, sha: str, path: str, first: int, last: int) -> str:
        """Point at lines of a file as they are at a commit."""
        file = quote(path, errors="replace")
        return self._below(repo, f"/blob/{sha}/{file}{line_fragment(first, last)}")

    def commits(self, repo: RepoId, branch: str, window: Window) -> str:
        """Point at the list of what landed on a branch in a window; the last second that is named belongs to it."""
        last = window.end - timedelta(seconds=1)
        days = f"since={window.start:%Y-%m-%dT%H:%M:%SZ}&until={last:%Y-%m-%dT%H:%M:%SZ}"
        return self._below(repo, f"/commits/{quote(branch, errors='replace')}?{days}")

    def thread(self, repo: RepoId, number: int, *, pull: bool = False) -> str:
        """Point at an issue or pull request."""
        return self._below(repo, f"/{'pull' if pull else 'issues'}/{number}")

    def release(self, repo: RepoId, tag: str) -> str:
        """Point at a release."""
        return self._below(repo, f"/releases/tag/{quote(tag, errors='replace')}")
