"""Look-ups in a repository about a commit, beyond its packet."""

from typing import Literal

from agent.domain.base import Frozen
from agent.domain.evidence_id import EvidenceId

LookUpKind = Literal["file", "uses", "thread", "other"]
"""Lines of a file, lines with a name, an issue or a pull request, or anything else."""


class LookUp(Frozen):
    """The result of one call of a tool."""

    kind: LookUpKind
    call: str  # The tool and its arguments, in one line
    text: str
    lines: EvidenceId | None = None  # Which lines of a file these are
    thread: EvidenceId | None = None
    by_judge: bool = False  # Whether a judge looked it up, and not the writer
