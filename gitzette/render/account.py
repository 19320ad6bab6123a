"""The account at the end of a report: what was read and checked, its kinds of text, who wrote and judged it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent.claims import Claim
from agent.domain import Notice
from agent.report import Report
from agent.report_counts import checked_counts, footer_counts, kind_counts, model_counts
from gitzette.render.names import row_id
from gitzette.render.view import View

_REASONS, _COMMITS = 3, 12


def account(view: View, claims: Sequence[Claim]) -> Iterator[str]:
    """Account for a page on which these claims stand, in lines in which backticks mean code; the kinds come first."""
    report, say, signs = view.report, view.words["page"], view.words["signs"]
    analysed = report.analyst.startswith("model") or any(claim.free for claim in claims)
    if analysed:
        yield from _analysed(view, claims)
    else:
        yield f"{say['not_analysed']} {' '.join(say['configure'])}"
    yield say["footer"].format(**footer_counts(report))
    yield say["checked"].format(claims=len(claims), citations=sum(len(claim.sources) for claim in claims))
    if drops := _by_verdict(view, free=False):
        yield say["dropped"].format(drops)
    if links := checked_counts(report)["links"]:
        yield say["graded"].format(signs["comma"].join(f"{grade} {count}" for grade, count in links.items()))
    if covered := _coverage(view):
        yield say["threads"].format(covered)


def notice_words(notice: Notice, say: Mapping[str, Any]) -> str:
    """Put a notice into words."""
    return str(say["notices"][notice.kind.value].format(*(f"`{one}`" for one in notice.about)))


def _by_verdict(view: View, *, free: bool) -> str:
    """Count what was refused, of a model's words or of the others."""
    names = view.words["page"]["verdicts"]
    drops = Counter(drop.verdict.value for drop in view.report.drops if drop.free is free)
    comma: str = view.words["signs"]["comma"]
    return comma.join(f"{names[verdict]} {count}" for verdict, count in sorted(drops.items()))


def _coverage(view: View) -> str:
    """Tell how much was read of the threads; what holds of several repositories is said once."""
    say, signs = view.words["page"], view.words["signs"]
    covered: dict[str, list[str]] = {}
    for section in view.report.sections:
        notices = "".join(f" ({notice_words(notice, say)})" for notice in section.coverage_notices)
        covered.setdefault(f"{say['coverage'][section.coverage.value]}{notices}", []).append(section.repo)
    told = (f"{signs['comma'].join(repos)} {how}" for how, repos in covered.items())
    return str(signs["semicolon"].join(told))


def _analysed(view: View, claims: Sequence[Claim]) -> Iterator[str]:
    """Say which kinds of text stand on the page, how the analysis was judged, and what is missing of it."""
    report, say = view.report, view.words["page"]
    counts, kinds = model_counts(report), kind_counts(claims)
    sentences = sum(kinds[kind] for kind in ("stated", "inferred", "advice"))
    model = f"`{report.analyst.removeprefix('model ')}`" if report.analyst.startswith("model") else "—"
    judged = _judged(counts, view) if sentences or kinds["headlines"] else say["no_analysis"]
    yield f"{say['kinds'].format(**kinds, analysis=sentences, model=model)} {judged}"
    if counts["dropped"]:
        yield say["refused"].format(counts["dropped"], _by_verdict(view, free=True))
    yield from _left_out(view, report, counts)
    spent = counts["spent"]
    cost = f"{view.words['signs']['comma']}{spent['cost']:.4f} {spent['currency']}" if spent["currency"] else ""
    yield say["spent"].format(**(spent | {"cost": cost}))


def _judged(counts: Mapping[str, Any], view: View) -> str:
    """Say how the analysis was checked and by whom it was judged."""
    say, signs, controls = view.words["page"], view.words["signs"], counts["controls"]
    if not counts["judges"]:
        return str(say["not_judged"])
    told = say["judged"].format(signs["comma"].join(f"`{judge}`" for judge in counts["judges"]))
    return f"{told}{say['controls'].format(**controls) if controls['hidden'] else ''}{signs['stop']}"


def _left_out(view: View, report: Report, counts: Mapping[str, Any]) -> Iterator[str]:
    """Say what was done without the model, and which commits were left as facts."""
    say, signs = view.words["page"], view.words["signs"]
    accounts = [report.account, *(section.account for section in report.sections)]
    fallbacks = [one for account in accounts for one in account.fallbacks]
    if fallbacks:
        told = signs["comma"].join(f"{say['parts'][part]} {count}" for part, count in counts["fallbacks"].items())
        reasons = signs["semicolon"].join(f"`{one}`" for one in sorted({one.reason for one in fallbacks})[:_REASONS])
        yield say["fallbacks"].format(f"{told} ({reasons})")
    failed = {one.about for one in fallbacks}
    left = [row_id(row) for row in report.ledger if row_id(row) in failed and not view.analysis(row)]
    if left:
        told = signs["comma"].join(f"`{view.short[one]}`" for one in left[:_COMMITS])
        more = f"{signs['comma']}{say['more'].format(len(left) - _COMMITS)}" if len(left) > _COMMITS else ""
        yield say["left_as_facts"].format(f"{told}{more}")
