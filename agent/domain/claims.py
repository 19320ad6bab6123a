"""The smallest statements that can be true or false, and what the gate says of them."""

import re
from enum import StrEnum
from typing import Literal

from pydantic import Field

from agent.domain.base import EvidenceId, Frozen, Language, RepoId

MARK = re.compile(r"\[@([1-9][0-9]?)\]")
"""`[@2]` in a claim's text stands for its second citation; rendering puts the link in its place."""


Role = Literal["change", "effect", "advice", "summary", "headline", "brief"]
"""What a claim is for: a `headline` says what a commit does, above its title; a `brief` is over all repositories."""


class Kind(StrEnum):
    """Which kind of text a claim is: code wrote it, somebody is quoted, or a model analysed and a judge agreed."""

    FACT = "fact"
    QUOTATION = "quotation"
    STATED = "stated"  # Analysis that the cited evidence states
    INFERRED = "inferred"  # Analysis that follows from the cited evidence
    ADVICE = "advice"


ANALYSIS = frozenset({Kind.STATED, Kind.INFERRED, Kind.ADVICE})


class Anchor(Frozen):
    """Words or changed lines of the cited evidence, verbatim, that a sentence of analysis rests on."""

    cite: EvidenceId
    text: str
    file: str | None = None  # The path in a commit's diff; None for a message, a title or a body


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
"""What the gate says; the first check that fails decides, in this order. `undecided`: no judge, or a void one."""


class Judgement(Frozen):
    """A verdict with its reason in words, which is also what an analyst is told when it may try again."""

    verdict: Verdict
    reason: str = ""
    check: str = (
        ""  # Which rule decided, for counting: `identifier`, `direction`, `fixed`, `negation`, …
    )
    about: EvidenceId | None = None
    literal: str = ""  # The part of the sentence that failed
    nearest: str = (
        ""  # The line of the evidence that is most like it, for whoever repairs the sentence
    )

    @property
    def passed(self) -> bool:
        """Tell whether the claim may be published as it is."""
        return self.verdict == "supported"


class Claim(Frozen):
    """One statement with everything it rests on."""

    id: str
    repo: RepoId | None  # None for a statement over several repositories
    role: Role
    about: tuple[
        EvidenceId, ...
    ] = ()  # The changes or issues that it speaks of: a part of what it cites
    predicate: str = (
        "says"  # What kind of statement: the name of a template, or `says` for free words
    )
    params: dict[str, str] = Field(
        default_factory=dict
    )  # The values of a template, verbatim from the evidence
    cites: tuple[EvidenceId, ...] = ()
    background: tuple[EvidenceId, ...] = ()
    """Evidence of earlier days: may be cited, never as new. Marks count on behind `cites`."""
    quotes: tuple[Quote, ...] = ()
    speech: bool = False  # Attributed speech: the words are the cited author's, shown as a quotation, and not ours
    text: dict[Language, str] = Field(default_factory=dict)
    kind: Kind = Kind.FACT
    anchors: tuple[Anchor, ...] = ()
    old: str = (
        ""  # A value that the sentence says was there before: it must stand on the removed side
    )
    new: str = ""  # A value that the sentence says is there now: it must stand on the added side
    judged_by: str = ""  # The model that judged a sentence of analysis
    judgement: Judgement | None = None

    @property
    def free(self) -> bool:
        """True for analysis: words of a model, which the gate and a judge let through."""
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
    repaired: bool = False  # Whether its writer said it anew; what became of that is told apart
