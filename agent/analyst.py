"""What an analyst is asked to do: choose what to read, and say what it means in claims that can be checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from agent.account import Account
from agent.allotment import Allotment
from agent.claims import Claim, Judgement
from agent.domain import Issue, PullRequest
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import RepoId
from agent.links import Link
from agent.report import Depth
from agent.triage import Triage
from agent.window import Window


@dataclass(frozen=True)
class ToolRequest:
    """A tool that the analyst wants to be called, by name, with its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ToolAnswer:
    """What a tool gave back, as text that an analyst can act on."""

    request: ToolRequest
    text: str


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a model sees it."""

    name: str
    about: str
    schema: Mapping[str, Any]
    """The arguments, as JSON schema."""


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """One repository's day, as the analyst sees it before it decides what to read."""

    repo: RepoId
    window: Window
    table: Sequence[Triage]
    """Every commit with its weight, heaviest first."""
    titles: Mapping[str, str]
    """What each commit calls itself, by hash."""
    allotment: Allotment
    tools: Sequence[ToolSpec] = ()


@dataclass(frozen=True, kw_only=True)
class Read:
    """One commit as it was read."""

    evidence: CommitEvidence
    triage: Triage
    depth: Depth
    asked: bool = True
    """Whether the analyst wanted to see it; code reads on by itself where it did not."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Everything that one repository's part of the report is written from."""

    repo: RepoId
    window: Window
    reads: Sequence[Read]
    """Heaviest first."""
    links: Sequence[Link] = ()
    issues: Sequence[Issue] = ()
    pulls: Mapping[int, PullRequest] = field(default_factory=dict)
    """The pull requests that were read, by number."""
    reverted: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    """Which commit undid which, as far as it was read."""
    background: Mapping[EvidenceId, CommitEvidence] = field(default_factory=dict)
    """Commits of earlier days that were read because today's speak of them."""


class Analyst(Protocol):
    """Writes words; code writes the facts."""

    name: str

    async def next_calls(self, assignment: Assignment, answers: Sequence[ToolAnswer]) -> Sequence[ToolRequest]:
        """Say what to read next, given what was read so far; nothing more ends the reading."""
        ...

    async def write(self, material: Material) -> Sequence[Claim]:
        """Say what the commits mean."""
        ...

    async def mend(self, claim: Claim, judgement: Judgement, material: Material) -> Claim | None:
        """Try once more to say something that the gate refused; None gives it up."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """An analyst that has something to find out before it is asked."""

    def prepare(self) -> None:
        """Begin, without waiting for it."""
        ...


@runtime_checkable
class Accountable(Protocol):
    """An analyst that costs something, can fail, and may take back what it said."""

    async def objects(self, claim: Claim, material: Material) -> str | None:
        """Say why a claim that passed the gate is withdrawn all the same; None lets it stand."""
        ...

    def account(self, repo: RepoId) -> Account:
        """Tell what became of the work on a repository since this was asked last."""
        ...
