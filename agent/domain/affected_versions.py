"""The versions that are affected by a fault, and those that have its fix."""

from typing import Literal

from agent.domain.base import Frozen
from agent.domain.evidence_id import EvidenceId
from agent.domain.versions import VersionSpan

IntroductionProof = Literal["reverted", "named", "lines"]
"""How the commit that brought a fault is known: the fix takes it back, the author of the fix names
it, or it wrote nearly all of the lines that the fix removes."""


class Affected(Frozen):
    """The tags that have a fault and those that have its fix, as of a moment.

    Tags are final versions and candidates, the lowest first. A tag that has both is fixed.
    """

    introduced: EvidenceId  # The commit that brought the fault
    title: str
    proof: IntroductionProof
    contains_fault: tuple[str, ...] = ()
    contains_fix: tuple[str, ...] = ()
    fault_spans: tuple[VersionSpan, ...] = ()
    """The final versions with the fault, those that follow each other together."""
    first_fixed: tuple[str, ...] = ()
    """The first final version with the fix, and the first one again after each that lacks it."""
