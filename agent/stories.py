"""Changes and issues that belong together over time."""

from enum import StrEnum

from agent.domain import Frozen
from agent.evidence import EvidenceId
from agent.ids import RepoId


class StoryKind(StrEnum):
    """How the parts of a story hang together."""

    REVERT = "revert"
    """A change and the one that undid it."""
    RELAND = "reland"
    """A change that was undone and came back."""


class Story(Frozen):
    """One story: its steps, oldest first, each an artefact by its name."""

    kind: StoryKind
    repo: RepoId
    steps: tuple[EvidenceId, ...]
