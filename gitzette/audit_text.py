"""How an audit reads: the errors first, grouped by cause, each with its line and what would be right."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.audit.lookup import Finding
from gitzette.render.templating import html_page

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
_EXAMPLES, _REASONS = 3, 5


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
            causes.setdefault(finding.verdict.removeprefix("wrong:"), []).append(finding)
    ordered = sorted(causes.items(), key=lambda pair: order.get(pair[0], len(order)))
    return [Group(cause, tuple(sorted(found, key=lambda one: one.line))) for cause, found in ordered]


def audit_text(name: str, findings: Sequence[Finding], summary: dict[str, Any]) -> str:
    """Write the findings for a terminal."""
    lines = [f"{name}: {counts(summary)}", ""]
    for group in grouped(findings):
        lines += [*_group(group), ""]
    lines += [f"Not read: {repo}: {why}" for repo, why in summary["not_read"].items()]
    lines += _reasons("Could not be verified", [one for one in findings if one.verdict == "unverifiable"])
    lines += _reasons("Not checked", [one for one in findings if one.verdict == "not-checked"])
    return "\n".join(lines).rstrip() + "\n"


def counts(summary: dict[str, Any]) -> str:
    """Say in a line how many statements there are and how many of them nobody checked."""
    days = f"; it is about {', '.join(summary['days'][:3])}" if summary["days"] else ""
    return (
        f"{summary['findings']} statements: {summary['wrong']} wrong, {summary['right']} right, "
        f"{summary['unverifiable']} unverifiable, {summary['not_checked']} not checked{days}"
    )


def _group(group: Group) -> list[str]:
    lines = [f"{group.title} ({len(group.findings)})"]
    if group.folded:
        some = ", ".join(f"line {one.line} {one.claim}" for one in group.shown)
        return [*lines, f"  {some} and {len(group.findings) - len(group.shown)} more: {group.shown[0].evidence}"]
    for one in group.shown:
        lines += [f"  line {one.line:<4} {one.kind}: {one.claim}", f"            {one.evidence}"]
    return lines


def _reasons(title: str, findings: Sequence[Finding]) -> list[str]:
    """Count why statements have no verdict: by kind, the most frequent first."""
    kinds = Counter(one.kind for one in findings).most_common()
    named = ", ".join(f"{count} {kind}" for kind, count in kinds[:_REASONS])
    return [f"{title}: {len(findings)} ({named}); --json lists them"] if findings else []


def audit_page(name: str, text: str, findings: Sequence[Finding], summary: dict[str, Any]) -> str:
    """Write the same as a page, with the report's lines below; whatever the report has is shown as text."""
    beside: dict[int, list[Finding]] = {}
    for one in findings:
        beside.setdefault(one.line, []).append(one)
    groups, lines = grouped(findings), text.split("\n")
    return html_page("audit.html", name=name, counts=counts(summary), groups=groups, lines=lines, beside=beside)
