"""Everything that judging a claim may look at, resolved beforehand: the gate itself asks nobody."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.domain.base import EvidenceId, RepoId
from agent.domain.evidence import Evidence
from agent.domain.window import Window


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """The evidence around one claim or one report."""

    found: Mapping[EvidenceId, Evidence]
    window: Window | None = None
    """What may be told as new; None where no day is claimed."""
    repos: frozenset[RepoId] = frozenset()
    """The repositories the report speaks of; empty means any."""
    seen: frozenset[EvidenceId] | None = None
    """What this run has read; None where everything found counts as read."""
    late: frozenset[EvidenceId] = frozenset()
    """Landed before the window and first seen now: they count as new."""
