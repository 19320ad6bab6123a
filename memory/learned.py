"""What was read, put where questions look for it, and found again by its name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.asking.reply import Known
from agent.card import Card
from agent.domain import Issue, PullRequest, Release, Threads
from agent.evidence import EvidenceId
from agent.ids import RepoId, parse_reference
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

    def known(self, repo: RepoId, shas: Sequence[str]) -> set[str]:
        """Tell which of these commits are stored."""
        return self.catalogue.known(repo, shas)

    def gaps(self, repo: RepoId, window: Window) -> list[Window]:
        """Give the parts of a window of which not everything is known."""
        return self.catalogue.gaps(repo, window)

    def put_thread(self, thread: Issue | PullRequest) -> None:
        """Store one thread as it is now."""
        self.threads.put_one(thread)

    def put_tags(self, tags: Sequence[Release]) -> None:
        """Store tags of git, unless a release says more of them."""
        self.threads.put_tags(tags)

    def get(self, name: EvidenceId) -> Known | None:
        """Give what is known of a piece of evidence."""
        repo, _, number = name.partition("#")
        if number:
            return self.threads.get(RepoId(repo), int(number))
        repo, _, mark = name.partition("@")
        cards = self.catalogue.by_hash(mark, [RepoId(repo)]) if len(mark) == 40 else []
        return cards[0] if cards else self.threads.release(name)

    def all(self, names: Iterable[EvidenceId]) -> dict[EvidenceId, Known]:
        """Give what is known of several pieces of evidence."""
        return {name: one for name in dict.fromkeys(names) if (one := self.get(name))}

    def named(self, text: str, repos: Sequence[RepoId]) -> list[EvidenceId]:
        """Find the known commits, threads and releases that somebody names by hash, number or tag."""
        text = text.strip("[]` ")
        if "@" in text and self.get(text):
            return [text]
        reference = parse_reference(text)
        mine = [repo for repo in repos if reference and reference.repo in (None, repo)]
        if reference and reference.kind == "thread":
            return list(self.all(f"{repo}#{reference.number}" for repo in mine))
        return [card.id for card in self.catalogue.by_hash(reference.sha, mine)] if reference and mine else []
