"""One thing a report states: something to be judged, or something that reading alone has found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agent.audit.mentions import Mention
from agent.claims import Judgement, Verdict
from agent.domain import PullRequest
from agent.evidence import CommitEvidence, Evidence, ThreadEvidence
from agent.ids import RepoId

Kind = Literal[
    "commit", "pull request", "issue", "release", "repository", "title", "author", "date", "statistics", "path",
    "identifier", "code", "fix", "state", "window", "label", "anchor", "cut", "period", "repeat", "count", "coverage",
    "sentence",
]  # fmt: skip


@dataclass(frozen=True)
class Statement:
    """A statement with its place in the report."""

    line: int
    kind: Kind
    words: str
    """As the report has it, short."""
    about: Mention | None = None
    """The artefact that it speaks of."""
    repo: RepoId | None = None
    """The repository that this part of the report speaks of."""
    predicate: str = "exists"
    params: Mapping[str, str] = field(default_factory=dict)
    also: tuple[Mention, ...] = ()
    lines: tuple[str, ...] = ()
    """Code that is shown as the change."""
    strict: bool = True
    """False where words that the evidence lacks may still be fair: an opinion, an advice, an example."""
    loose: bool = False
    """True for what counts only where the sentence around it is not one of ours."""
    found: str = ""
    """What reading alone has decided: `right`, or why it is wrong."""
    evidence: str = ""

    def ruled(self, verdict: str, evidence: str) -> "Finding":
        """Give the finding that a verdict makes of it."""
        return Finding(self.line, self.kind, self.words, verdict, evidence)


@dataclass(frozen=True)
class Finding:
    """A statement with its verdict, as it is printed."""

    line: int
    kind: str
    claim: str
    verdict: str
    """`right`, `unverifiable`, `not-checked`, or `wrong:<why>`."""
    evidence: str

    @property
    def wrong(self) -> bool:
        """Tell whether something must be corrected."""
        return self.verdict.startswith("wrong")


RIGHT, UNVERIFIABLE, NOT_CHECKED = "right", "unverifiable", "not-checked"


def wrong(why: str) -> str:
    """Write the verdict of something wrong."""
    return f"wrong:{why.replace(' ', '-')}"


def judged(statement: Statement, judgement: Judgement, why: str) -> Finding:
    """Say in a finding what the gate has judged."""
    if judgement.passed:
        verdict = RIGHT
    elif judgement.verdict is Verdict.UNDECIDED:
        verdict = UNVERIFIABLE
    else:
        verdict = wrong(judgement.verdict.value)
    return statement.ruled(verdict, judgement.reason or why)


def structural(line: int, kind: Kind, words: str, why: str, evidence: str) -> Statement:
    """Make a statement that reading alone has decided."""
    return Statement(line, kind, shortened(words), found=why, evidence=evidence)


def shortened(text: str, limit: int = 140) -> str:
    """Keep the beginning of a long text, on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def told(evidence: Evidence) -> str:
    """Name evidence in one line."""
    if isinstance(evidence, CommitEvidence):
        commit = evidence.change.commit
        return f"{evidence.id} “{shortened(commit.title, 80)}”, {commit.committed_at:%Y-%m-%d %H:%M} UTC"
    if isinstance(evidence, ThreadEvidence):
        kind = "pull request" if isinstance(evidence.thread, PullRequest) else "issue"
        return f"{kind} {evidence.id} “{shortened(evidence.thread.title, 80)}”, {evidence.thread.state}"
    return evidence.id
