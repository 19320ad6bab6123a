"""What tools ask of the memory, which they may not import."""

from collections.abc import Collection, Sequence
from typing import Protocol

from agent.domain.base import EvidenceId, RepoId
from agent.domain.commits import Issue, PullRequest, Release, Threads
from agent.domain.links import Link
from agent.domain.window import Window
from agent.editions.card import Card
from agent.ports.sources import Past
from agent.stories.found import Remembered


class StoryMemory(Protocol):
    """Remembers the stories that reports told."""

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories they belong to."""
        ...

    def past(self, repo: RepoId, window: Window) -> Past:
        """Give what earlier reports list of a repository."""
        ...


class QuestionMemory(Protocol):
    """Remembers what was read, so that questions about it read nothing again."""

    def keep(self, repo: RepoId, cards: Sequence[Card]) -> None:
        """Store commits with their facts."""
        ...

    def connect(self, repo: RepoId, threads: Threads, links: Sequence[Link]) -> None:
        """Store threads, and what connects them with commits."""
        ...

    def complete(self, repo: RepoId, window: Window, landed: Sequence[str]) -> None:
        """Note that a window is wholly known, if each of the commits that landed in it is."""
        ...

    def known(self, repo: RepoId, shas: Sequence[str]) -> Collection[str]:
        """Tell which of these commits are stored."""
        ...

    def gaps(self, repo: RepoId, window: Window) -> Sequence[Window]:
        """Give the parts of a window of which not everything is known."""
        ...

    def named(self, text: str, repos: Sequence[RepoId]) -> Sequence[EvidenceId]:
        """Find the known commits, threads and releases that somebody names by hash, number or tag."""
        ...

    def put_thread(self, thread: Issue | PullRequest) -> None:
        """Store one thread as it is now."""
        ...

    def put_tags(self, tags: Sequence[Release]) -> None:
        """Store tags of git."""
        ...
