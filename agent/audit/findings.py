"""The findings of an audit: statements of a report with their verdicts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

RIGHT = "right"
UNVERIFIABLE = "unverifiable"
NOT_CHECKED = "not-checked"
_NO_REPOSITORIES: Mapping[str, Any] = {}
_SHARE_OF_FLOOD = 0.25
_LISTED_LINES = 50  # Of a flood
_FLOOD = 5  # So many wrong lines of one check may have one cause


@dataclass(frozen=True)
class Finding:
    """A statement of a report and its verdict.

    The verdict is `right`, `unverifiable`, `not-checked` or `wrong:<cause>`.
    """

    line: int
    kind: str
    claim: str
    verdict: str
    evidence: str
    span: str = ""  # The words of the line that are wrong
    replacement: str = ""  # What git has in their place, where that is certain
    also_lines: tuple[int, ...] = ()  # Further lines with the same fault, which is said once

    @property
    def cause(self) -> str:
        """Return the stable name of the rule by which the statement is wrong, or an empty string."""
        return self.verdict.removeprefix("wrong:") if self.wrong else ""

    @property
    def wrong(self) -> bool:
        """Return True if the statement must be corrected."""
        return self.verdict.startswith("wrong:")


def finding(
    line: int,
    kind: str,
    claim: str,
    evidence: str,
    *,
    wrong: str,
    span: str = "",
    replacement: str = "",
) -> Finding:
    """Return a finding that is wrong for the given cause, or right if there is none."""
    if not wrong:
        return Finding(line, kind, claim, RIGHT, evidence)
    return Finding(line, kind, claim, f"wrong:{wrong}", evidence, span, replacement)


class RuledWords(NamedTuple):
    """Words of a block that code compared with a commit, and where in its text they stand."""

    finding: Finding
    start: int
    end: int

    @property
    def is_settled(self) -> bool:
        """Return True if code found them right or wrong, so that nobody else need read them."""
        return self.finding.verdict == RIGHT or self.finding.wrong


def fold_flood(findings: Sequence[Finding], statement: str) -> list[Finding]:
    """Return the findings of one check, with one for all wrong ones where many of them are wrong.

    Then the check's premise is wrong more likely than every single line.
    """
    wrong = [item for item in findings if item.wrong]
    if len(wrong) < _FLOOD or len(wrong) < _SHARE_OF_FLOOD * len(findings):
        return list(findings)
    first = min(wrong, key=lambda item: item.line)
    claim = f"{len(wrong)} of {len(findings)} {statement}"
    lines = sorted({item.line for item in wrong})
    listed = ", ".join(str(line) for line in lines[:_LISTED_LINES])
    if len(lines) > _LISTED_LINES:
        listed += ", …"
    evidence = f"the first: {first.claim}: {first.evidence}; lines {listed}"
    flood = replace(first, claim=claim, evidence=evidence, also_lines=tuple(lines[1:]))
    others = [item for item in findings if not item.wrong]
    return [*others, flood]


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings by line, each once; what is wrong for one cause is said once."""
    kept: dict[tuple[object, ...], Finding] = {}
    for item in findings:
        key = (item.line, item.kind, item.claim, item.verdict, "" if item.wrong else item.evidence)
        kept.setdefault(key, item)
    return sorted(kept.values(), key=lambda item: (item.line, item.kind, item.claim))


def verdict_counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Return the number of findings, in all and by verdict."""
    counts = Counter("wrong" if item.wrong else item.verdict for item in findings)
    totals = {"findings": len(findings)}
    for verdict in ("wrong", RIGHT, UNVERIFIABLE, NOT_CHECKED):
        totals[verdict.replace("-", "_")] = counts[verdict]
    return totals


def summary(
    findings: Sequence[Finding],
    *,
    days: Sequence[str] = (),
    commits: int = 0,
    not_read: Mapping[str, str] = _NO_REPOSITORIES,
    not_given: Mapping[str, int] = _NO_REPOSITORIES,
    incomplete: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the counts of an audit, as its JSON has them.

    `not_read` has the reason for each repository that could not be read, `not_given` the number of
    references to each repository that was not given, and `incomplete` a sentence for each gap.
    """
    return {
        **verdict_counts(findings),
        "days": list(days),
        "commits": commits,
        "not_read": dict(not_read),
        "not_given": dict(not_given),
        "incomplete": list(incomplete),
    }
