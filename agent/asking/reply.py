"""A reply as data: checked sentences or facts, what was named or filtered for, and the ranked evidence."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from agent.asking.query import Hit
from agent.domain.base import EvidenceId, Frozen, Language, RepoId
from agent.domain.claims import Claim
from agent.domain.commits import Issue, PullRequest, Release
from agent.domain.window import Window
from agent.editions.card import Card

Known = Card | Issue | PullRequest | Release
Outcome = Literal["answered", "abstained", "refused", "failed", "looked up", "filtered"]
"""What became of a question: a model answered, abstained, had everything refused or failed; or code looked it up."""


class Searched(Frozen):
    """Where and when was looked, and how many commits a cap left unread."""

    repo: RepoId
    start: datetime
    end: datetime
    tz: str
    commits: int
    threads: bool
    left_out: int = 0
    most: int = 0
    """The cap."""


class Section(Frozen):
    """Everything that fits one name or all qualifiers, newest first."""

    what: tuple[str, ...]
    hits: tuple[Hit, ...]


class Reply(Frozen):
    """What somebody gets for a question."""

    outcome: Outcome
    lang: Language
    window: Window | None = None
    claims: tuple[Claim, ...] = ()
    cites: tuple[EvidenceId, ...] = ()
    shown: tuple[EvidenceId, ...] = ()
    """The part of it that sentences cite, or that a model calls nearest."""
    sections: tuple[Section, ...] = ()
    evidence: tuple[Hit, ...] = ()
    """The ranked list."""
    known: dict[EvidenceId, Known] = Field(default_factory=dict)
    """What memory has of everything that is shown."""
    searched: tuple[Searched, ...] = ()
    dropped: int = 0
    """Sentences that did not pass."""
    trouble: str = ""
    """Why the model did not answer."""
    has_model: bool = False
    answer: str = ""
    """The reply as Markdown, where somebody has written it."""

    @property
    def abstained(self) -> bool:
        """Tell whether nothing is answered: evidence alone is no answer."""
        return self.outcome not in ("answered", "filtered") and not (self.outcome == "looked up" and self.cites)

    @property
    def said(self) -> str:
        """Give what a conversation keeps: the sentences, and the names of what is cited."""
        words = " ".join(claim.text.get(self.lang, "") for claim in self.claims)
        cites = ", ".join(self.cites[:20])
        return f"{words or '(nothing was answered)'}\n(cited: {cites or 'nothing'})"
