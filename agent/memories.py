"""What a run asks of its memory, behind small protocols."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from agent.card import Card
from agent.domain import Issue, Notice, PullRequest, Release, Threads
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.ledger import Owner
from agent.linking.digest import Known
from agent.links import Link
from agent.report import Report
from agent.sources import Past
from agent.stories import Story
from agent.story_finding.found import Remembered
from agent.window import Window


class LandingMemory(Protocol):
    """Remembers which report owns which landed commit."""

    def known_tip(self, repo: RepoId, window: Window) -> str | None:
        """Find the tip from which "late" is counted."""
        ...

    def elsewhere(self, repo: RepoId, window: Window, shas: Iterable[str]) -> Mapping[str, Owner]:
        """Tell which of these commits other reports own."""
        ...


class ReportMemory(Protocol):
    """Remembers what was published."""

    def remember(self, report: Report) -> None:
        """Store what a report covers and says, all of it or nothing."""
        ...


class StoryMemory(Protocol):
    """Remembers the stories that reports told."""

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories they belong to."""
        ...

    def past(self, repo: RepoId, window: Window) -> Past:
        """Give what earlier reports list of a repository."""
        ...

    def recent(self, repo: RepoId, window: Window) -> tuple[Story, ...]:
        """Give the stories that the reports of the sixty days before told of a repository."""
        ...


class IssueMemory(Protocol):
    """Remembers which issues are open."""

    def known_open(self, repo: RepoId, window: Window | None = None) -> Collection[int]:
        """List the numbers of the issues that were open when last seen; none where the days before are missing."""
        ...

    def known(self, repo: RepoId, window: Window) -> Known:
        """Tell what earlier days know of the issues: what the open ones are about, and what reports told of them."""
        ...

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        ...

    def remember(self, repo: RepoId, threads: Threads, *, relisted: bool = False) -> None:
        """Store the state in which the issues are now; after a new listing, nothing else is open."""
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
