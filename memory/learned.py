"""What runs have read, put where questions look for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.card import Card
from agent.domain import Threads
from agent.ids import RepoId
from agent.links import Link
from agent.window import Window
from memory.catalogue import Catalogue
from memory.known_threads import KnownThreads


@dataclass(frozen=True)
class Learned:
    """Takes over what a run has read; the same again changes nothing."""

    catalogue: Catalogue
    threads: KnownThreads

    def keep(self, repo: RepoId, cards: Sequence[Card]) -> None:
        """Store commits with their facts."""
        self.catalogue.put(repo, cards)

    def connect(self, repo: RepoId, threads: Threads, links: Sequence[Link]) -> None:
        """Store threads, and what connects them with commits."""
        self.threads.put(repo, threads, links)

    def complete(self, repo: RepoId, window: Window, landed: Sequence[str]) -> None:
        """Note that a window is wholly known, if each of the commits that landed in it is."""
        if self.catalogue.known(repo, landed) >= set(landed):
            self.catalogue.put(repo, (), window)
