"""Where a run reads and writes, behind small protocols: the sources of a repository, the publisher, the display."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from agent.domain.base import EvidenceId, RepoId
from agent.domain.commits import Issue, PullRequest, Release, Threads
from agent.domain.evidence import Card
from agent.domain.links import Link
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec
from agent.sources import CodeSource, Past, ThreadSource
from agent.stories.timeline import Remembered


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The sources of one repository."""

    code: CodeSource
    threads: ThreadSource
    diffs: int | None  # How many diffs may be read; None where they cost nothing


# The development server describes the context of a question, and asks of every protocol in it that it can be checked.
@runtime_checkable
class Desks(Protocol):
    """Opens the sources of a repository, once per run."""

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources: fetch a mirror, find the API."""


class Publisher(Protocol):
    """Makes a report public, whole or not at all."""

    def publish(self, report: Report) -> Report:
        """Write the report and return what the window's report is now."""


@dataclass(frozen=True)
class Step:
    """What is being done for a repository, as the nodes of a graph stream it; numbers where they are known."""

    repo: RepoId
    what: str
    done: int = 0
    total: int = 0


@runtime_checkable
class Progress(Protocol):
    """Tells a person what is going on."""

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Say what is being done for a repository; numbers where they are known."""


class StoryMemory(Protocol):
    """Remembers the stories that reports told."""

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories they belong to."""

    def past(self, repo: RepoId, window: Window) -> Past:
        """Give what earlier reports list of a repository."""


class QuestionMemory(Protocol):
    """Remembers what was read, so that questions about it read nothing again."""

    def keep(self, repo: RepoId, cards: Sequence[Card]) -> None:
        """Store commits with their facts."""

    def connect(self, repo: RepoId, threads: Threads, links: Sequence[Link]) -> None:
        """Store threads, and what connects them with commits."""

    def complete(self, repo: RepoId, window: Window, landed: Sequence[str]) -> None:
        """Note that a window is wholly known, if each of the commits that landed in it is."""

    def known(self, repo: RepoId, shas: Sequence[str]) -> Collection[str]:
        """Tell which of these commits are stored."""

    def gaps(self, repo: RepoId, window: Window) -> Sequence[Window]:
        """Give the parts of a window of which not everything is known."""

    def named(self, text: str, repos: Sequence[RepoId]) -> Sequence[EvidenceId]:
        """Find the known commits, threads and releases that somebody names by hash, number or tag."""

    def put_thread(self, thread: Issue | PullRequest) -> None:
        """Store one thread as it is now."""

    def put_tags(self, tags: Sequence[Release]) -> None:
        """Store tags of git."""
