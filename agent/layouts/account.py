"""The account at the end of a report: what was read and checked, its kinds of text, who wrote and judged it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from agent.account import Fallback
from agent.claims import Claim
from agent.domain import Notice
from agent.layouts.figures import checked_counts, footer_counts, kind_counts, model_counts
from agent.layouts.view import View, row_id
from agent.markdown import code, inline
from agent.report import Report
from agent.words import Words

_REASONS = 3
_COMMITS = 12


def account(view: View, claims: Sequence[Claim]) -> list[str]:
    """Account for a page on which these claims stand, in lines of Markdown without links."""
    report, say = view.report, view.say
    citations = sum(len(claim.sources) for claim in claims)
    lines = [say.footer.format(**footer_counts(report)), say.checked.format(claims=len(claims), citations=citations)]
    if drops := _by_verdict(report, say, free=False):
        lines.append(say.dropped.format(drops))
    if links := checked_counts(report)["links"]:
        lines.append(say.graded.format(say.comma.join(f"{grade} {count}" for grade, count in links.items())))
    if covered := _coverage(report, say):
        lines.append(say.threads.format(covered))
    if not report.analyst.startswith("model") and not any(claim.free for claim in claims):
        return [*lines, say.not_analysed, *say.configure]
    return [*lines, *_analysed(view, claims)]


def _by_verdict(report: Report, say: Words, *, free: bool) -> str:
    """Count what was refused, of a model's words or of the others."""
    drops = Counter(drop.verdict for drop in report.drops if drop.free is free)
    return say.comma.join(f"{say.verdicts[verdict]} {count}" for verdict, count in sorted(drops.items()))


def notice_words(notice: Notice, say: Words) -> str:
    """Put a notice into words."""
    return say.notices[notice.kind].format(*map(code, notice.about))


def _coverage(report: Report, say: Words) -> str:
    """Tell how much was read of the threads; what holds of several repositories is said once."""
    covered: dict[str, list[str]] = {}
    for section in report.sections:
        notices = "".join(f" ({notice_words(notice, say)})" for notice in section.coverage_notices)
        covered.setdefault(f"{say.coverage[section.coverage]}{notices}", []).append(inline(section.repo))
    return say.semicolon.join(f"{say.comma.join(repos)} {how}" for how, repos in covered.items())


def _analysed(view: View, claims: Sequence[Claim]) -> list[str]:
    """Say which kinds of text stand on the page, how the analysis was judged, and what is missing of it."""
    report, say = view.report, view.say
    counts, kinds = model_counts(report), kind_counts(claims)
    sentences = sum(kinds[kind] for kind in ("stated", "inferred", "advice"))
    model = code(report.analyst.removeprefix("model ")) if report.analyst.startswith("model") else "—"
    lines = [say.kinds.format(**kinds, analysis=sentences, model=model)]
    lines.append(_judged(counts, say) if sentences or kinds["headlines"] else say.no_analysis)
    if counts["dropped"]:
        lines.append(say.refused.format(counts["dropped"], _by_verdict(report, say, free=True)))
    lines += _left_out(view, counts)
    spent = counts["spent"]
    cost = f"{say.comma}{spent['cost']:.4f} {spent['currency']}" if spent["currency"] else ""
    return [*lines, say.spent.format(**(spent | {"cost": cost}))]


def _judged(counts: Mapping[str, Any], say: Words) -> str:
    """Say how the analysis was checked and by whom it was judged."""
    if not counts["judges"]:
        return say.not_judged
    controls = counts["controls"]
    told = say.judged.format(say.comma.join(map(code, counts["judges"])))
    return told + (say.controls.format(**controls) if controls["hidden"] else "") + say.stop


def _left_out(view: View, counts: Mapping[str, Any]) -> list[str]:
    """Say what was done without the model, and which commits were left as facts."""
    say, lines = view.say, []
    accounts = [view.report.account, *(section.account for section in view.report.sections)]
    fallbacks = [one for account in accounts for one in account.fallbacks]
    if fallbacks:
        told = say.comma.join(f"{say.parts[part]} {count}" for part, count in counts["fallbacks"].items())
        reasons = say.semicolon.join(code(reason) for reason in sorted({one.reason for one in fallbacks})[:_REASONS])
        lines.append(say.fallbacks.format(f"{told} ({reasons})"))
    if left := _left_as_facts(view, fallbacks):
        told = say.comma.join(map(code, left[:_COMMITS]))
        more = f"{say.comma}{say.more.format(len(left) - _COMMITS)}" if len(left) > _COMMITS else ""
        lines.append(say.left_as_facts.format(f"{told}{more}"))
    return lines


def _left_as_facts(view: View, fallbacks: Sequence[Fallback]) -> list[str]:
    failed = {one.about for one in fallbacks}
    return [view.short(row) for row in view.report.ledger if row_id(row) in failed and not view.analysis(row)]
