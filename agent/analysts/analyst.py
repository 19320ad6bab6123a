"""What a report is written from: the commits as they were read, their threads, links and past."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.domain.base import EvidenceId, RepoId
from agent.domain.commits import Issue, PullRequest
from agent.domain.evidence import CommitEvidence, ThreadEvidence
from agent.domain.links import Link
from agent.domain.report import Depth
from agent.domain.window import Window
from agent.triage.score import Triage


@dataclass(frozen=True)
class ToolRequest:
    """A tool that the analyst wants to be called, by name, with its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Read:
    """One commit as it was read."""

    evidence: CommitEvidence
    triage: Triage
    depth: Depth


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
    threads: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    """Issues and pull requests that a model looked up, with their comments."""
    reverted: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    """Which commit undid which, as far as it was read."""
    background: Mapping[EvidenceId, CommitEvidence] = field(default_factory=dict)
    """Commits of earlier days that were read because today's speak of them."""
