"""Everything that judging a claim may look at, resolved beforehand: the gate itself asks nobody."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agent.evidence import Evidence, EvidenceId, Unresolved
from agent.ids import RepoId, ThreadId
from agent.links import Link
from agent.window import Window


@dataclass(frozen=True)
class Computation:
    """A number that code worked out from the evidence, with what it counts."""

    name: str
    """Such as `commits landed`, `files changed`, `lines added`, `days open`."""
    value: float
    about: tuple[EvidenceId, ...] = ()
    """What it was computed from; empty for a figure of the whole window."""


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """The evidence around one claim or one report."""

    found: Mapping[EvidenceId, Evidence]
    unresolved: Mapping[EvidenceId, Unresolved] = field(default_factory=dict)
    """References that were looked up and name nothing, or more than one thing; by the words they were written in."""
    window: Window | None = None
    """What may be told as new; None where no day is claimed."""
    as_of: datetime | None = None
    """When the sources were read: nothing later may be told."""
    repos: frozenset[RepoId] = frozenset()
    """The repositories the report speaks of; empty means any."""
    seen: frozenset[EvidenceId] | None = None
    """What this run has read; None where everything found counts as read (an audit)."""
    links: tuple[Link, ...] = ()
    computed: tuple[Computation, ...] = ()
    reverted: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    """Which commit undid which, among those landed up to `as_of`."""
    late: frozenset[EvidenceId] = frozenset()
    """Landed before the window and first seen now: they count as new."""

    def links_of(self, issue: ThreadId) -> tuple[Link, ...]:
        """List what is known to address an issue."""
        return tuple(link for link in self.links if link.issue == issue)
