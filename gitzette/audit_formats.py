"""Formats of an audit's findings for other programs: SARIF, GitHub's annotations and a badge."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.audit.findings import Finding

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BADGE = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" \
aria-label="{label}: {value}"><title>{label}: {value}</title>
<rect width="{label_width}" height="20" fill="#555"/>
<rect x="{label_width}" width="{value_width}" height="20" fill="{color}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">
<text x="{label_middle}" y="14">{label}</text><text x="{value_middle}" y="14">{value}</text></g></svg>
"""
_GREEN = "#2e7d32"
_RED = "#c4262e"
_CHARACTER_WIDTH = 7


def sarif(
    findings_by_file: Mapping[str, Iterable[Finding]],
    causes: Mapping[str, str],
    texts: Mapping[str, str],
) -> str:
    """Return what is wrong in the form that GitHub's code scanning and editors read."""
    results = []
    for file, findings in findings_by_file.items():
        lines = texts[file].split("\n")
        results += [_sarif_result(file, finding, lines) for finding in findings if finding.wrong]
    rules = [{"id": cause, "shortDescription": {"text": title}} for cause, title in causes.items()]
    driver = {"name": "gitzette audit", "rules": rules}
    log = {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _sarif_result(file: str, finding: Finding, lines: Sequence[str]) -> dict[str, Any]:
    location = {
        "physicalLocation": {
            "artifactLocation": {"uri": file},
            "region": _region(finding, lines),
        }
    }
    return {
        "ruleId": finding.cause,
        "level": "error",
        "message": {"text": _message(finding)},
        "locations": [location],
    }


def _region(finding: Finding, lines: Sequence[str]) -> dict[str, int]:
    """Return where a finding is: its words, if they are known and stand once in the line."""
    region = {"startLine": finding.line}
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    if finding.span and line.count(finding.span) == 1:
        column = line.index(finding.span) + 1
        region |= {"startColumn": column, "endColumn": column + len(finding.span)}
    return region


def annotations(
    findings_by_file: Mapping[str, Iterable[Finding]], causes: Mapping[str, str]
) -> str:
    """Return a workflow command of GitHub Actions for everything that is wrong."""
    lines = []
    for file, findings in findings_by_file.items():
        for finding in findings:
            if not finding.wrong:
                continue
            title = _escaped_property(causes.get(finding.cause, finding.cause))
            path = _escaped_property(file)
            message = _escaped(_message(finding))
            lines.append(f"::error file={path},line={finding.line},title={title}::{message}\n")
    return "".join(lines)


def _message(finding: Finding) -> str:
    message = f"{finding.kind}: {finding.claim}: {finding.evidence}"
    if finding.replacement:
        message += f" (write {finding.replacement})"
    return message


def _escaped(text: str) -> str:
    """Escape a text as workflow commands want it, so that none of it is a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def supported(summary: Mapping[str, Any]) -> str:
    """Return in one line how much of a report is borne out."""
    checkable = summary["right"] + summary["wrong"]
    unchecked = summary["unverifiable"] + summary["not_checked"]
    return f"supported {summary['right']} of {checkable} checkable, {unchecked} not checkable"


def badge(summary: Mapping[str, Any]) -> str:
    """Return a small picture that says how much of a report is borne out."""
    checkable = summary["right"] + summary["wrong"]
    label = "audited"
    value = f"{summary['right']} of {checkable} supported"
    label_width = _CHARACTER_WIDTH * (len(label) + 2)
    value_width = _CHARACTER_WIDTH * (len(value) + 2)
    return _BADGE.format(
        label=label,
        value=value,
        width=label_width + value_width,
        label_width=label_width,
        value_width=value_width,
        label_middle=label_width // 2,
        value_middle=label_width + value_width // 2,
        color=_RED if summary["wrong"] or summary["incomplete"] else _GREEN,
    )
