"""An answer before it is checked and printed: what it says in one line, and the artefacts that show it."""

from pydantic import Field

from agent.claims import Claim
from agent.domain import Frozen
from agent.evidence import EvidenceId


class Item(Frozen):
    """One commit, thread or release of an answer, with what is said of it."""

    cite: EvidenceId
    claims: tuple[Claim, ...] = ()
    places: tuple[str, ...] = ()
    """Where the facts that are told stand: files of the commit."""


class Draft(Frozen):
    """What would be answered."""

    head: str
    """Which sentence of the wording opens the answer."""
    values: dict[str, str] = Field(default_factory=dict)
    items: tuple[Item, ...] = ()
    more: int = 0
    """How many more artefacts belong to the answer than are shown."""
    cites: tuple[EvidenceId, ...] = ()
    """Everything that the answer counts or lists, shown or not."""
    abstained: bool = False
    notes: tuple[tuple[str, dict[str, str]], ...] = ()
    """Further sentences of the wording behind the items."""
