"""What finding a day's stories gives, and what earlier reports know of them."""

from pydantic import Field

from agent.domain.base import EvidenceId, Frozen
from agent.domain.commits import Headline
from agent.domain.links import Story


class Remembered(Frozen):
    """What earlier reports said of some commits: their days, and the stories in which one is a step, oldest first."""

    days: dict[EvidenceId, str] = Field(default_factory=dict)
    stories: tuple[Story, ...] = ()


class Pair(Frozen):
    """A commit of the day, and an earlier one that it names or, `by_lines`, whose lines it changes."""

    doer: Headline
    earlier: Headline
    by_lines: bool = False
    said_in: EvidenceId = ""
    """The pull request that names it, where the commit itself does not."""


class StoriesFound(Frozen):
    """The stories of a day, and what else of the past its commits lead to; it is handed on as a note."""

    stories: tuple[Story, ...] = ()
    pairs: tuple[Pair, ...] = ()
    """What may be follow-ups: only somebody who reads both sides can tell."""
    heads: tuple[Headline, ...] = ()
    """The earlier commits of stories and pairs."""
    whole: tuple[str, ...] = ()
    """Commits whose lines prove a story: they are cited with their patches."""
