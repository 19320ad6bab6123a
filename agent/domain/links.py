"""How an issue and a change belong together, and how sure that is."""

from enum import StrEnum

from agent.domain.base import CommitId, EvidenceId, Frozen, ThreadId


class Relation(StrEnum):
    """What a change does to an issue, or has to do with another change."""

    FIXES = "fixes"
    PARTLY = "partly fixes"
    MENTIONS = "refers to"
    """It refers to it; nobody who read both sides said more."""
    REVERTS = "reverts the fix"
    BECAUSE = "reverts because of"
    """It takes something back because of what the issue reports."""
    INTRODUCED = "introduced by"
    """What it mends came in with the other change."""
    CONTINUES = "continues"
    SAME_WORK = "same work in the other repository"


class Grade(StrEnum):
    """How much stands behind a link; only the first two may be told as a fix."""

    A = "A"
    """GitHub's own closing record, or its keyword on the default branch."""
    B = "B"
    """One side refers to the other; more than that is said where a model read both and a judge agreed."""
    C = "C"
    """Nobody refers to it: found by its words, then read by a model and admitted by a judge."""


class Link(Frozen):
    """One issue and one change, with the words or records that connect them."""

    issue: ThreadId
    change: CommitId | ThreadId
    """The landed commit, or the pull request where no commit of it is known."""
    relation: Relation
    grade: Grade
    evidence: tuple[str, ...] = ()
    """What says so: a record, or words of each side, verbatim."""
    by_issue: bool = False
    """Whether it is the issue that refers to the change."""

    @property
    def may_read_fixed(self) -> bool:
        """Tell whether "fixed" may be said of the issue."""
        return self.relation is Relation.FIXES and self.grade in (Grade.A, Grade.B)

    @property
    def may_read_likely(self) -> bool:
        """Tell whether "likely fixed" may be said of the issue."""
        return self.relation is Relation.FIXES and self.grade is Grade.C


class Place(StrEnum):
    """Where a reference stands."""

    TITLE = "title"
    MESSAGE = "message"
    PULL = "pull request"
    ISSUE = "issue"
    CHECKLIST = "checklist"
    COMMENT = "comment"
    RELEASE = "release"


class Reference(Frozen):
    """One text that names a thread or a commit by number, address or hash."""

    source: EvidenceId
    """The landed commit whose title, message or pull request has it; the thread or release for what others wrote."""
    target: EvidenceId
    place: Place
    sentence: str
    """The sentence or line around it, verbatim."""
    closing: bool = False
    """Whether one of GitHub's closing keywords stands before it."""


class Related(Frozen):
    """A relation between a landed commit and something else that a model named, code anchored and a judge admitted."""

    change: CommitId
    other: EvidenceId
    """An issue, a pull request or a commit, of this or another repository."""
    relation: Relation
    anchors: tuple[tuple[EvidenceId, str], ...]
    """Words of each side, verbatim."""
    grade: Grade
    """B where one side refers to the other, C where they were retrieved as candidates."""
    judged_by: str = ""
