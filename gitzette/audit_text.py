"""How an audit reads: the errors first, grouped by cause, each with its line and what would be right."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agent.audit.findings import Finding, Group, grouped
from gitzette.render.html import html_page

_REASONS = 5


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
