"""How an issue and a change belong together, and how sure that is."""

from enum import StrEnum

from agent.domain import Frozen
from agent.ids import CommitId, ThreadId


class Relation(StrEnum):
    """What a change does to an issue."""

    FIXES = "fixes"
    PARTLY = "partly fixes"
    MENTIONS = "mentions"
    REVERTS = "reverts the fix"


class Grade(StrEnum):
    """How much stands behind a link; only the first two may be told as a fix."""

    A = "A"
    """GitHub's own closing record, or its keyword on the default branch."""
    B = "B"
    """The pull request or commit says in words that it addresses the issue."""
    C = "C"
    """Inferred from content, time and files."""
    D = "D"
    """Weak; never printed."""


class Link(Frozen):
    """One issue and one change, with the words or records that connect them."""

    issue: ThreadId
    change: CommitId | ThreadId
    """The landed commit, or the pull request where no commit of it is known."""
    relation: Relation
    grade: Grade
    evidence: tuple[str, ...] = ()
    """What says so: a verbatim line, a record, a feature by its name."""

    @property
    def may_be_told(self) -> bool:
        """Tell whether a report may print it: a mere mention and what is weak may not."""
        return self.relation is not Relation.MENTIONS and self.grade is not Grade.D

    @property
    def may_read_fixed(self) -> bool:
        """Tell whether "fixed" may be said of the issue."""
        return self.relation is Relation.FIXES and self.grade in (Grade.A, Grade.B)

    @property
    def may_read_likely(self) -> bool:
        """Tell whether "likely fixed" may be said of the issue."""
        return self.relation is Relation.FIXES and self.grade is Grade.C
