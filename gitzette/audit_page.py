"""An audit as one page: the report's lines with the verdicts beside them; it needs no network."""

from collections.abc import Sequence
from html import escape
from typing import Any

from agent.audit.statement import Finding

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --wrong: #c4262e; --right: #2e7d32; --open: #9a6b00; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 1rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
td { vertical-align: top; padding: .15rem .5rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
td.n { width: 3.5rem; text-align: right; opacity: .6; font-variant-numeric: tabular-nums; }
td.t { white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; }
td.v { width: 42%; font-size: 13px; }
tr.wrong td.t { box-shadow: inset 3px 0 var(--wrong); }
.wrong b { color: var(--wrong); } .right b { color: var(--right); }
.unverifiable b, .not-checked b { color: var(--open); }
details summary { cursor: pointer; opacity: .75; } p.e { margin: 0 0 .3rem; }
nav label { margin-right: 1rem; }
#only:checked ~ table tr:not(.wrong) { display: none; }
"""


def audit_page(name: str, text: str, findings: Sequence[Finding], summary: dict[str, Any]) -> str:
    """Write the page; everything from the report is shown as text, never as markup."""
    beside: dict[int, list[Finding]] = {}
    for finding in findings:
        beside.setdefault(finding.line, []).append(finding)
    rows = [_row(number, line, beside.get(number, [])) for number, line in enumerate(text.splitlines(), 1)]
    counts = (
        f"{summary['wrong']} wrong, {summary['right']} right, {summary['unverifiable']} unverifiable, "
        f"{summary['not_checked']} not checked"
    )
    window = summary["window"]
    days = f" It speaks of {escape(window['label'])} ({escape(window['tz'])})." if window else ""
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Audit of {escape(name)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>Audit of {escape(name)}</h1><p>{summary['findings']} statements: {counts}.{days}</p>"
        '<input type="checkbox" id="only"><label for="only"> only what is wrong</label>'
        f"<table><tbody>{''.join(rows)}</tbody></table></body></html>\n"
    )


def _row(number: int, line: str, findings: Sequence[Finding]) -> str:
    wrong = [finding for finding in findings if finding.wrong]
    others = [finding for finding in findings if not finding.wrong]
    kind = "wrong" if wrong else ""
    notes = "".join(_note(finding) for finding in wrong)
    if others:
        right = sum(finding.verdict == "right" for finding in others)
        open_ = sum(finding.verdict == "unverifiable" for finding in others)
        unread = len(others) - right - open_
        told = ", ".join(
            f"{count} {word}"
            for count, word in ((right, "right"), (open_, "unverifiable"), (unread, "not checked"))
            if count or word == "right"
        )
        notes += f"<details><summary>{told}</summary>{''.join(_note(finding) for finding in others)}</details>"
    row = f'<tr class="{kind}" id="L{number}"><td class="n">{number}</td><td class="t">{escape(line)}</td>'
    return f'{row}<td class="v">{notes}</td></tr>'


def _note(finding: Finding) -> str:
    kind = finding.verdict.partition(":")[0]
    told = f"{escape(finding.kind)}: {escape(finding.claim)}"
    return f'<p class="e {kind}"><b>{escape(finding.verdict)}</b> {told}<br>{escape(finding.evidence)}</p>'
