"""How an audit reads in a terminal: the errors first, grouped, each with its line and what would be right."""

from collections.abc import Sequence
from typing import Any

from agent.audit.statement import Finding

_SHOWN = 12
_TITLES = {
    "malformed": "References that cannot be one",
    "nonexistent": "References to nothing",
    "out-of-scope": "References to something else: another repository, another day, another branch",
    "metadata": "Wrong titles, authors, dates, states",
    "quote": "Code that is not in the change",
    "number": "Wrong numbers",
    "unsupported": "Not in the evidence",
    "label": "Links that are not what they are called",
    "dead-anchor": "Dead anchors",
    "cut-off": "Text that was cut off",
    "raw-data": "Raw data left in the text",
    "wrong-period": "Words for another period",
    "repeated": "Said twice",
    "count": "Counts that do not add up",
}


def audit_text(name: str, findings: Sequence[Finding], summary: dict[str, Any]) -> str:
    """Write the findings for a person."""
    lines = [_head(name, summary), ""]
    wrong = [finding for finding in findings if finding.wrong]
    for verdict in dict.fromkeys(_by_weight(wrong)):
        lines += _group(verdict, [finding for finding in wrong if finding.verdict == verdict])
    lines += _window(summary)
    lines += _coverage(summary)
    lines += _unverifiable([finding for finding in findings if finding.verdict == "unverifiable"])
    return "\n".join(lines).rstrip() + "\n"


def _head(name: str, summary: dict[str, Any]) -> str:
    counts = (
        f"{summary['wrong']} wrong, {summary['right']} right, {summary['unverifiable']} unverifiable, "
        f"{summary['not_checked']} not checked"
    )
    window = summary["window"]
    guess = f", by {window['from']}" if window and window["from"] else ""
    days = f"; it speaks of {window['label']} ({window['tz']}){guess}" if window else ""
    return f"{name}: {summary['findings']} statements: {counts}{days}"


def _by_weight(wrong: Sequence[Finding]) -> list[str]:
    order = list(_TITLES)
    verdicts = {finding.verdict for finding in wrong}
    return sorted(verdicts, key=lambda v: (order.index(why) if (why := v.partition(":")[2]) in order else 99, v))


def _group(verdict: str, findings: Sequence[Finding]) -> list[str]:
    why = verdict.partition(":")[2]
    lines = [f"{_TITLES.get(why, why)} ({len(findings)})"]
    # Commits of another day come in dozens and are all alike.
    shown = findings if len(findings) <= 2 * _SHOWN else findings[:_SHOWN]
    for finding in shown:
        lines.append(f"  line {finding.line:<4} {finding.kind}: {finding.claim}")
        lines.append(f"            {finding.evidence}")
    if len(shown) < len(findings):
        lines.append(f"  and {len(findings) - len(shown)} more; --json lists them all")
    return [*lines, ""]


def _window(summary: dict[str, Any]) -> list[str]:
    commits = summary["commits"]
    if not commits["cited"] or not summary["window"]:
        return []
    window = summary["window"]
    told = f"{commits['outside_window']} of {commits['cited']} cited commits lie outside"
    return [f"{told} {window['label']} ({window['tz']}).", ""]


def _coverage(summary: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for repo, found in summary["repositories"].items():
        if not found["read"]:
            lines.append(f"  {repo}: not read: {found['why']}")
        elif "landed" in found:
            lines.append(f"  {repo}: names {found['named']} of the {found['landed']} commits that landed then")
    return ["Coverage", *lines, ""] if lines else []


def _unverifiable(findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    reasons: dict[str, int] = {}
    for finding in findings:
        reasons[finding.evidence] = reasons.get(finding.evidence, 0) + 1
    ordered = sorted(reasons.items(), key=lambda one: -one[1])
    lines = [f"  {count:>4}  {reason}" for reason, count in ordered[:5]]
    more = [f"        and {len(ordered) - 5} more reasons; --json lists them all"] if len(ordered) > 5 else []
    return [f"Could not be checked ({len(findings)})", *lines, *more]
