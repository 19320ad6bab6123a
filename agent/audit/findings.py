"""What an audit says of a report: one finding for each statement, and how many there are of each verdict."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

RIGHT, UNVERIFIABLE, NOT_CHECKED = "right", "unverifiable", "not-checked"


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


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by line, each once."""
    return sorted(dict.fromkeys(findings), key=lambda one: (one.line, one.kind, one.claim))


def summary(findings: Sequence[Finding], **about: Any) -> dict[str, Any]:
    """Count the verdicts, in all, by kind and by cause."""
    kinds = sorted({one.kind for one in findings})
    causes = Counter(finding.verdict.removeprefix("wrong:") for finding in findings if finding.wrong)
    return {
        "findings": len(findings),
        **_counts(findings),
        "by_kind": {kind: _counts([one for one in findings if one.kind == kind]) for kind in kinds},
        "by_cause": dict(causes.most_common()),
        **about,
    }


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    counts = Counter("wrong" if finding.wrong else finding.verdict for finding in findings)
    return {verdict.replace("-", "_"): counts[verdict] for verdict in ("wrong", RIGHT, UNVERIFIABLE, NOT_CHECKED)}
