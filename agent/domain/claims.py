"""Claims: the smallest statements that can be true or false, and the verdicts about them."""

import re
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from pydantic import Field

from agent.domain.base import Frozen, Language, RepoId
from agent.domain.evidence_id import EvidenceId

MARK = re.compile(r"\[@([1-9][0-9]?)\]")
"""`[@2]` in a claim's text stands for its second citation; rendering replaces it with a link."""


Role = Literal["change", "effect", "advice", "summary", "headline", "brief"]
"""What a claim is for.

A `headline` says what a commit does and is printed above its title; a `brief` spans all
repositories.
"""


class Kind(StrEnum):
    """Where the text of a claim comes from."""

    FACT = "fact"
    QUOTATION = "quotation"
    STATED = "stated"  # Analysis that the cited evidence states
    INFERRED = "inferred"  # Analysis that follows from the cited evidence
    ADVICE = "advice"


ANALYSIS = frozenset({Kind.STATED, Kind.INFERRED, Kind.ADVICE})
"""The kinds that a model writes and a judge admits."""


class Anchor(Frozen):
    """Words or lines that a sentence of analysis rests on, verbatim from the cited evidence."""

    cite: EvidenceId
    text: str
    file: str | None = None  # The path in a commit's diff; None for a message, a title or a body
    lines: tuple[int, int] | None = None  # First and last, in a file that was looked up


class Quote(Anchor):
    """Verbatim words of one cited artefact that are shown as a quotation."""


Verdict = Literal[
    "malformed",
    "nonexistent",
    "out of scope",
    "unseen",
    "quote",
    "number",
    "unsupported",
    "undecided",
    "supported",
]
"""The verdict of the gate; the first check that fails decides, in this order.

`undecided`: the judge did not answer, or admitted a control sentence.
"""

LiteralKind = Literal[
    "code",
    "snake",
    "qualified",
    "path",
    "pair",
    "flag",
    "hash",
    "number",
    "version",
    "thread",
    "date",
]
"""The kinds of literals that a sentence may hold; each is looked up in its own way."""


class Number(Frozen):
    """The value of a number in a sentence, with the unit that is written behind it."""

    value: Decimal
    unit: str = ""  # In lower case; empty for a plain number


class Judgement(Frozen):
    """A verdict and its reason, which is also shown to the writer who may repair the sentence."""

    verdict: Verdict
    reason: str = ""
    is_quoting: bool = True  # Whether the reason may repeat words of a model
    check: str = ""  # The rule that decided, for counting: `anchor`, `number`, `safety`, …
    about: EvidenceId | None = None
    literal: str = ""  # The part of the sentence that failed, as it is written
    literal_kind: LiteralKind | None = None  # What that part is, where a literal failed
    number: Number | None = None  # What it amounts to, where that literal is a number
    nearest: str = ""  # The line of the evidence that is most like it, for the repair

    @property
    def passed(self) -> bool:
        """True if the claim may be published as it is."""
        return self.verdict == "supported"


class Claim(Frozen):
    """One statement with everything it rests on."""

    id: str
    repo: RepoId | None  # None for a statement over several repositories
    role: Role
    about: tuple[EvidenceId, ...] = ()
    """The changes or issues that it is about: a part of what it cites."""
    predicate: str = "says"  # The name of a template, or `says` for free words
    params: dict[str, str] = Field(default_factory=dict)
    """The values of a template, verbatim from the evidence."""
    cites: tuple[EvidenceId, ...] = ()
    background: tuple[EvidenceId, ...] = ()
    """Evidence of earlier days: may be cited, never as new. Marks count on behind `cites`."""
    quotes: tuple[Quote, ...] = ()
    speech: bool = False  # The words are the cited author's and are shown as a quotation
    text: dict[Language, str] = Field(default_factory=dict)
    kind: Kind = Kind.FACT
    anchors: tuple[Anchor, ...] = ()
    attributed: bool = False
    """True for analysis that rests on people's prose alone: printed as what its author says."""
    old: str = ""  # A value that the sentence says was there before: must be on a removed line
    new: str = ""  # A value that the sentence says is there now: must be on an added line
    judged_by: str = ""  # The model that judged a sentence of analysis
    judgement: Judgement | None = None

    @property
    def free(self) -> bool:
        """True for analysis: words of a model that the gate and a judge let through."""
        return self.kind in ANALYSIS

    @property
    def sources(self) -> tuple[EvidenceId, ...]:
        """Everything cited, in the order in which marks count."""
        return (*self.cites, *self.background)


class Refused(Frozen):
    """A sentence that was refused, and why."""

    task: str
    claim: Claim
    reasons: tuple[Judgement, ...]
    repaired: bool = False  # True if its writer reworded it; the new wording has its own record
