"""Where a run reads and writes, behind small protocols: the sources of a repository, the publisher, the display."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from agent.domain.base import RepoId
from agent.domain.report import Report
from agent.ports.sources import CodeSource, ThreadSource
from agent.settings.values import RepoSpec


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The sources of one repository."""

    code: CodeSource
    threads: ThreadSource
    diffs: int | None
    """How many diffs may be read; None where they cost nothing."""


# The development server describes the context of a question, and asks of every protocol in it that it can be checked.
@runtime_checkable
class Desks(Protocol):
    """Opens the sources of a repository, once per run."""

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources: fetch a mirror, find the API."""
        ...


class Publisher(Protocol):
    """Makes a report public, whole or not at all."""

    def publish(self, report: Report) -> Report:
        """Write the report and return what the window's report is now."""
        ...


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
        ...
