"""Links between issues and changes, their grades, and the stories they form."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from agent.domain.base import Frozen, Language, RepoId
from agent.domain.evidence_id import EvidenceId


class Relation(StrEnum):
    """The relation of a change to an issue or to another change."""

    FIXES = "fixes"
    PARTLY = "partly fixes"
    MENTIONS = "refers to"  # It refers to it; nobody who read both sides said more
    REVERTS = "reverts the fix"
    BECAUSE = "reverts because of"  # It takes something back because of what the issue reports
    INTRODUCED = "introduced by"  # What it mends came in with the other change
    CONTINUES = "continues"
    STEP = "step of"  # It does one step of a plan or list of tasks that the other keeps
    UNDOES = "reverts"  # It takes back what the other change brought
    RELANDS = "lands again"  # It brings back what the other change had brought
    NEEDS = "needs or ports"  # It needs, ports or adopts a change of another repository
    INDEPENDENT = "same change made independently"
    SAME_WORK = "same work in the other repository"  # Only in reports of earlier versions


class Grade(StrEnum):
    """The strength of the evidence for a link; only the first two may be reported as a fix."""

    A = "A"  # GitHub's own closing record, or its keyword on the default branch
    B = "B"  # One side refers to the other; more than that is said where a model read both and a judge agreed
    C = "C"  # Nobody refers to it: found by its words, then read by a model and admitted by a judge


class Link(Frozen):
    """One issue and one change, with the words or records that connect them."""

    issue: EvidenceId
    change: EvidenceId
    """The landed commit, or the pull request where no commit of it is known."""
    relation: Relation
    grade: Grade
    evidence: tuple[str, ...] = ()  # What says so: a record, or words of each side, verbatim
    by_issue: bool = False  # Whether it is the issue that refers to the change
    judged_by: str = ""  # The model that admitted it; empty for what is recorded or only named

    @property
    def may_read_fixed(self) -> bool:
        """Return True if "fixed" may be said of the issue."""
        return self.relation is Relation.FIXES and self.grade in (Grade.A, Grade.B)

    @property
    def may_read_likely(self) -> bool:
        """Return True if "likely fixed" may be said of the issue."""
        return self.relation is Relation.FIXES and self.grade is Grade.C


Place = Literal["title", "message", "pull request", "issue", "comment"]  # Where a reference stands


class Mention(Frozen):
    """A text that names a thread or a commit by number, address or hash."""

    source: EvidenceId
    """The landed commit whose title, message or pull request has it; the thread for what others wrote."""
    target: EvidenceId
    place: Place
    sentence: str  # The sentence or line around it, verbatim
    closing: bool = False  # Whether one of GitHub's closing keywords stands before it


OtherKind = Literal["issue", "pull request", "commit"]  # What a commit is related with


class Related(Frozen):
    """A relation between a landed commit and something else that a model named, code anchored and a judge admitted."""

    change: EvidenceId
    other: EvidenceId  # An issue, a pull request or a commit, of this or another repository
    relation: Relation
    anchors: tuple[tuple[EvidenceId, str], ...]  # Words of each side, verbatim
    grade: Grade  # B where one side refers to the other, C where they were retrieved as candidates
    judged_by: str = ""
    kind: OtherKind = "commit"
    """What the other is; a pull request that landed is shown as the commit that it became."""
    title: str = ""
    author: str = ""
    at: datetime | None = None
    """The title and the author of the other, and when it landed or was opened."""

    @property
    def is_abroad(self) -> bool:
        """Return True if the other belongs to another repository."""
        return self.other.repo != self.change.repo


Standing = (
    Literal[
        "open",
        "addressed, still open",
        "likely fixed",
        "fixed",
        "fixed, but the fix was reverted",
        "reopened",
    ]
    | Literal["closed", "not planned"]
)
"""What may be said of an issue today; `addressed`: a landed change says that it fixes it."""

StoryKind = Literal[
    "revert",
    "reland",
    "series",
    "follow-up",
    "same-lines",
    "reference",
    "bump",
    "same-work",
    "released",
]
"""How the parts hang together. `follow-up`: a reader of both found that one mends or continues the other; `same-lines`:
a fix of the lines that the other brought; `reference`: it names the other; `bump`: it takes the other's change in."""

BARE = ("reference", "same-lines")
"""Facts about two commits that are shown with the later one and have no page of their own."""

Act = (
    Literal[
        "landed",
        "undone",
        "a part undone",
        "landed again",
        "a part landed again",
        "part",
        "follow-up",
        "mended",
        "step",
    ]
    | Literal["changed lines", "refers", "upstream", "taken in", "same work", "opened", "released"]
    | Literal["ported", "same change"]
)
"""What a step of a story does."""


class StoryStep(Frozen):
    """One step of a story, as its timeline shows it."""

    cite: EvidenceId
    at: datetime
    act: Act
    title: str = ""
    part: int | None = None  # Which part of a series
    after: tuple[EvidenceId, ...] = ()  # What a step undoes, mends, continues, names or changes


class Story(Frozen):
    """One story: its steps, oldest first, each an artefact by its name."""

    kind: StoryKind
    repo: RepoId
    steps: tuple[EvidenceId, ...]
    timeline: tuple[StoryStep, ...] = ()
    """The same steps with their days, what each does and is called; and the first releases that have them."""
    news: tuple[EvidenceId, ...] = ()  # The steps that the report of this window adds
    since: str = ""  # The day of the latest earlier report that has a step; empty where none did
    missing: tuple[int, ...] = ()  # Parts of a series that have not landed though a later one has
    total: int | None = None  # How many parts a series is to have; None for an open end
    text: dict[Language, str] = Field(default_factory=dict)  # What is new, in each language
    paragraph: dict[Language, str] = Field(default_factory=dict)  # All its steps, in each language
    judged_by: str = ""  # The model that admitted what its steps have to do with one another


def undone_pairs(story: Story) -> list[tuple[EvidenceId, EvidenceId]]:
    """Return each change that a step undid, with that step: a revert undoes what landed before it."""
    if not story.timeline:
        if story.kind == "revert" and len(story.steps) == 2:
            return [(story.steps[0], story.steps[1])]
        return []
    pairs: list[tuple[EvidenceId, EvidenceId]] = []
    landed: tuple[EvidenceId, ...] = ()
    for step in story.timeline:
        if step.act in ("landed", "landed again", "a part landed again"):
            landed = (step.cite,)
        elif step.act == "undone":
            pairs += [(undone, step.cite) for undone in step.after or landed]
            landed = ()
    return pairs
