"""What earlier reports said, found again by words."""

from collections.abc import Sequence

from agent.ids import RepoId


class Recall:
    """Searches the statements of published reports."""

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Give the statements that fit best, each on one line with its day and what it cites."""
        del words, repo, limit
        return ()

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, one statement a line."""
        del day, repo
        return ()
