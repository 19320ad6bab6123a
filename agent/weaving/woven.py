"""What weaving a day's commits gives."""

from pydantic import Field

from agent.domain import Frozen
from agent.evidence import EvidenceId
from agent.sources import Headline
from agent.stories import Story


class Woven(Frozen):
    """The stories of a day, and the earlier commits that they name; it is handed on as a note."""

    stories: tuple[Story, ...] = ()
    heads: tuple[Headline, ...] = ()
    whole: tuple[str, ...] = ()
    """Commits whose lines prove a story: they are cited with their patches."""
    said: dict[EvidenceId, EvidenceId] = Field(default_factory=dict)
    """The pull requests that say for their commits what these follow."""
