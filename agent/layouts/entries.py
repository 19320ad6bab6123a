"""How one commit is told: in full where it matters, else in one line."""

from collections.abc import Sequence

from agent.claims import Claim, Role
from agent.layouts.rows import about, commit_link, moment, named, places, titled
from agent.layouts.sheet import Sheet, chrome, computed
from agent.layouts.tales import earlier_title
from agent.layouts.view import View, row_id
from agent.markdown import code, inline
from agent.report import LedgerRow
from agent.spans import Span, excerpt_span, names_spans, speech_span, words_spans

_EXPLAINED = 2
"""Sentences of a model behind a title of which the rules say nothing."""


def full(sheet: Sheet, row: LedgerRow, view: View, *, detailed: bool) -> None:
    """Tell a commit under a heading of its own; `detailed` names its type and scope as well."""
    if earlier := view.undid.get(row_id(row)):
        return _pair(sheet, earlier, row, view)
    say = view.say
    sheet.heading(4, row_id(row), *named(row, view.short(row), view.web))
    sheet.paragraph(computed(about(row, view.report.window, say, breaking=view.breaking(row), kind=not detailed)))
    if detailed:
        kind = say.purposes[row.purpose] if row.purpose else "—"
        sheet.line(chrome(f"- **{say.kind}**{say.colon}"), computed(kind))
    told = view.said(row, Role.CHANGE, Role.EFFECT, Role.SUMMARY)
    placing = _placing(told, row, view)
    news = [claim for claim in told if claim.text and claim not in placing]
    if detailed:
        _where(sheet, row, view, say.scope, placing)
        if news:
            sheet.line(chrome(f"- **{say.changed}**"))
    for claim in news:
        words = words_spans(claim, view.lang, view.web, own=row_id(row))
        sheet.line(chrome("  - " if detailed else "- "), *words, *earlier_title(claim, view))
    if not detailed:
        _where(sheet, row, view, say.where, placing)
    _consequences(sheet, row, view)
    sheet.blank()
    _speech(sheet, told, view)
    _excerpt(sheet, told)
    return None


def _placing(told: list[Claim], row: LedgerRow, view: View) -> list[Claim]:
    """Choose the claims that only name functions: beside anything else that is told or shown they say where."""
    only = [claim for claim in told if names_spans(claim, view.lang)]
    beside = any(claim.quotes or (claim.text and claim not in only) for claim in told)
    return only if beside and row.places else []


def _where(sheet: Sheet, row: LedgerRow, view: View, label: str, placing: Sequence[Claim] = ()) -> None:
    if where := places(row, view.say):
        functions = [span for claim in placing for span in (chrome(view.say.inside), *names_spans(claim, view.lang))]
        sheet.line(chrome(f"- **{label}**{view.say.colon}"), computed(where), *functions)


def _consequences(sheet: Sheet, row: LedgerRow, view: View) -> None:
    say = view.say
    for role, label in ((Role.RISK, say.risk), (Role.ADVICE, say.advice)):
        for claim in view.said(row, role):
            words = words_spans(claim, view.lang, view.web, own=row_id(row))
            sheet.line(chrome(f"- **{label}**{say.colon}"), *words)


def _speech(sheet: Sheet, told: list[Claim], view: View) -> None:
    for claim in told:
        if claim.speech:
            sheet.paragraph(chrome(f"> {view.say.speech}{view.say.colon}"), speech_span(claim))


def _excerpt(sheet: Sheet, told: list[Claim]) -> None:
    """Show the one place that proves most."""
    found = next(((claim, quote) for claim in told if not claim.speech for quote in claim.quotes), None)
    if found is None:
        return
    claim, quote = found
    if quote.file:
        sheet.paragraph(computed(code(quote.file)))
    sheet.paragraph(excerpt_span(claim, quote))


def _pair(sheet: Sheet, earlier: LedgerRow, later: LedgerRow, view: View) -> None:
    """Tell a change and what undid it as one thing."""
    say, window = view.say, view.report.window
    sheet.heading(4, row_id(later), *called(later, view))
    times = say.pair_times.format(
        landed=f"{moment(earlier, window)} ({inline(earlier.author)})",
        undone=f"{moment(later, window)} ({inline(later.author)})",
    )
    sheet.paragraph(computed(times))
    _where(sheet, later, view, say.where)
    told = view.said_of_pair(earlier, later)
    for claim in told:
        if claim.text:
            sheet.line(chrome("- "), *words_spans(claim, view.lang, view.web, own=claim.about[0]))
    sheet.blank()
    _speech(sheet, told, view)


def called(row: LedgerRow, view: View) -> tuple[Span, ...]:
    """Name a commit; one that undid another of the report together with that."""
    earlier = view.undid.get(row_id(row))
    if earlier is None:
        return named(row, view.short(row), view.web)
    links = " → ".join(commit_link(one, view.short(one), view.web) for one in (earlier, row))
    return chrome(f"{view.say.pair}{view.say.colon}"), *titled(earlier, view.web), chrome(" "), computed(links)


def one_line(row: LedgerRow, view: View) -> list[Span]:
    """Tell a commit in one line: what it is called, and its first news."""
    spans = [chrome("- "), *called(row, view)]
    if row.late:
        spans.append(computed(f" ({view.say.late.format(moment(row, view.report.window))})"))
    if row.files is None:
        spans.append(computed(f" — {code(row.reason)}"))
    return spans + lead(row, view, all_of_it=True)


def explanation(row: LedgerRow, view: View) -> list[Span]:
    """Write what a model says first of a commit behind its title, where nothing else is said of it."""
    return [
        span
        for place, claim in enumerate(view.explained(row)[:_EXPLAINED])
        for span in (chrome(" " if place else " — "), *words_spans(claim, view.lang, view.web, own=row_id(row)))
    ]


def lead(row: LedgerRow, view: View, *, all_of_it: bool = False) -> list[Span]:
    """Write the first news of a commit behind its title."""
    spans: list[Span] = []
    for claim in view.lead(row):
        if not all_of_it and (claim.free or names_spans(claim, view.lang)):
            # What everybody sees first is what the facts say, and names alone say nothing.
            continue
        if not claim.speech:
            spans += [
                chrome(" " if spans else " — "),
                *words_spans(claim, view.lang, view.web, own=claim.about[0]),
            ]
        elif all_of_it or not spans:
            spans += [chrome(" " if spans else " — "), speech_span(claim)]
    return spans
