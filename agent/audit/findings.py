"""What an audit says of a report: one finding for each statement, grouped by cause, and counted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

RIGHT, UNVERIFIABLE, NOT_CHECKED = "right", "unverifiable", "not-checked"
CAUSES = {
    "edited": "Edited after it was published",
    "nonexistent": "References to nothing",
    "out-of-scope": "Commits of another repository",
    "mismatch": "Numbers that belong to another commit",
    "label": "Links that are not what they are called",
    "malformed": "References that cannot be one",
    "metadata": "Wrong authors, dates and titles",
    "number": "Wrong statistics",
    "quote": "Code that is not in the change",
    "path": "Paths that the change does not touch",
    "name": "Names that the repository does not have",
    "contradicted": "Sentences that the evidence contradicts",
    "unsupported": "Sentences that the evidence does not support",
    "failed-output": "Failed output of a tool",
    "cut-off": "Text that was cut off",
    "raw-data": "Raw data left in the text",
    "dead-anchor": "Dead anchors",
    "window": "Commits outside of the stated date",
}
"""What may be wrong, the gravest first, and how a group of it is called."""
_EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """One statement of a report with its verdict: right, unverifiable, not-checked or `wrong:<why>`."""

    line: int
    kind: str
    claim: str
    verdict: str
    evidence: str

    @property
    def wrong(self) -> bool:
        """Tell whether it must be corrected."""
        return self.verdict.startswith("wrong:")

    @property
    def cause(self) -> str:
        """Say why it is wrong; empty where it is not."""
        return self.verdict.removeprefix("wrong:") if self.wrong else ""


@dataclass(frozen=True)
class Group:
    """Findings that are wrong for the same cause."""

    cause: str
    findings: tuple[Finding, ...]

    @property
    def title(self) -> str:
        """Say what they have in common."""
        return CAUSES.get(self.cause, self.cause)

    @property
    def folded(self) -> bool:
        """Tell whether a line with a count says as much: dead anchors come in hundreds and are all alike."""
        return self.cause in ("dead-anchor", "window", "failed-output") and len(self.findings) > _EXAMPLES

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Give the findings that are written out."""
        return self.findings[:_EXAMPLES] if self.folded else self.findings


def grouped(findings: Iterable[Finding]) -> list[Group]:
    """Group what is wrong by its cause, the gravest first."""
    order = {cause: place for place, cause in enumerate(CAUSES)}
    causes: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.wrong:
            causes.setdefault(finding.cause, []).append(finding)
    ordered = sorted(causes.items(), key=lambda pair: order.get(pair[0], len(order)))
    return [Group(cause, tuple(sorted(found, key=lambda one: one.line))) for cause, found in ordered]


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by line, each once."""
    return sorted(dict.fromkeys(findings), key=lambda one: (one.line, one.kind, one.claim))


def summary(findings: Sequence[Finding], **about: Any) -> dict[str, Any]:
    """Count the verdicts, in all, by kind and by cause."""
    kinds = sorted({finding.kind for finding in findings})
    causes = Counter(finding.cause for finding in findings if finding.wrong)
    return {
        "findings": len(findings),
        **_counts(findings),
        "by_kind": {kind: _counts([one for one in findings if one.kind == kind]) for kind in kinds},
        "by_cause": dict(causes.most_common()),
        **about,
    }


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    verdicts = Counter("wrong" if finding.wrong else finding.verdict for finding in findings)
    return {"wrong": verdicts["wrong"], "right": verdicts[RIGHT]} | {
        "unverifiable": verdicts[UNVERIFIABLE],
        "not_checked": verdicts[NOT_CHECKED],
    }
