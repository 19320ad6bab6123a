"""The account at the end of a report: what was read and checked, its kinds of text, who wrote and judged it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from agent.domain.claims import Claim
from agent.domain.commits import Notice
from agent.domain.report import checked_counts, footer_counts, kind_counts, model_counts
from gitzette.render.names import row_id
from gitzette.render.templating import plain_environment
from gitzette.render.view import View


def account(view: View, claims: Sequence[Claim]) -> list[str]:
    """Account for a page on which these claims stand, in lines in which backticks mean code."""
    report, say = view.report, view.words["page"]
    accounts = [report.account, *(section.account for section in report.sections)]
    failed = {one.about for own in accounts for one in own.fallbacks}
    covered: dict[str, list[str]] = {}
    for section in report.sections:
        notices = "".join(f" ({notice_words(notice, say)})" for notice in section.coverage_notices)
        covered.setdefault(f"{say['coverage'][section.coverage.value]}{notices}", []).append(section.repo)
    values = {
        "analysed": report.analyst.startswith("model") or any(claim.free for claim in claims),
        "model": f"`{report.analyst.removeprefix('model ')}`" if report.analyst.startswith("model") else "—",
        "counts": model_counts(report),
        "kinds": kind_counts(claims),
        "claims": claims,
        "citations": sum(len(claim.sources) for claim in claims),
        "footer": footer_counts(report),
        "refused": _by_verdict(view, free=True),
        "dropped": _by_verdict(view, free=False),
        "links": checked_counts(report)["links"],
        "coverage": covered,
        "left": [view.short[row_id(row)] for row in report.ledger if row_id(row) in failed and not view.analysis(row)],
    }
    text = plain_environment().get_template("account.txt").render(w=say, signs=view.words["signs"], **values)
    return [line.strip() for line in text.split("\n") if line.strip()]


def notice_words(notice: Notice, say: Mapping[str, Any]) -> str:
    """Put a notice into words."""
    return str(say["notices"][notice.kind.value].format(*(f"`{one}`" for one in notice.about)))


def _by_verdict(view: View, *, free: bool) -> dict[str, int]:
    """Count what was refused, of a model's words or of the others."""
    return dict(sorted(Counter(drop.verdict.value for drop in view.report.drops if drop.free is free).items()))
