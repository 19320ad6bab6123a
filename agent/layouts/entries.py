"""How one commit is told: in full where it matters, else in one line."""

from collections.abc import Sequence

from agent.claims import Claim, Quote, Role
from agent.layouts.analysis import anchors, paragraphs, running, sentence
from agent.layouts.rows import about, commit_link, moment, named, places, titled
from agent.layouts.sheet import Sheet, chrome, computed
from agent.layouts.tales import earlier_title
from agent.layouts.view import View, row_id
from agent.markdown import code, inline
from agent.report import LedgerRow
from agent.spans import Span, excerpt_span, names_spans, speech_span, words_spans


def full(sheet: Sheet, row: LedgerRow, view: View, *, detailed: bool) -> None:
    """Tell a commit under a heading of its own; `detailed` names its type and scope as well."""
    if earlier := view.undid.get(row_id(row)):
        return _pair(sheet, earlier, row, view)
    _head(sheet, row, view, detailed=detailed)
    if view.analysis(row):
        return _analysed(sheet, row, view, detailed=detailed)
    return _by_facts(sheet, row, view, detailed=detailed)


def _head(sheet: Sheet, row: LedgerRow, view: View, *, detailed: bool) -> None:
    """Head a commit with what it does in the reader's language above its title, or beside it where it is detailed."""
    own, headline = named(row, view.short(row), view.web), view.headline(row)
    told = about(row, view.report.window, view.say, breaking=view.breaking(row), kind=not detailed)
    if headline is None:
        sheet.heading(4, row_id(row), *own)
        sheet.paragraph(computed(told))
    elif detailed:
        sheet.heading(4, row_id(row), *own, chrome(" — "), headline_span(headline, view))
        sheet.paragraph(computed(told))
    else:
        sheet.heading(4, row_id(row), headline_span(headline, view))
        sheet.paragraph(*own, computed(f" · {told}"))


def headline_span(headline: Claim, view: View) -> Span:
    """Write a headline."""
    return Span(inline(headline.text[view.lang]), headline.id)


def _analysed(sheet: Sheet, row: LedgerRow, view: View, *, detailed: bool) -> None:
    """Tell a commit by its analysis, and fold what code says and quotes of it below."""
    sentences, told, apart = view.analysis(row), view.evidence(row), view.untold(row)
    paragraphs(sheet, sentences, view, row_id(row))
    for claim in apart:
        sheet.line(chrome("- "), *words_spans(claim, view.lang, view.web, own=row_id(row)))
    _consequences(sheet, row, view)
    if detailed:
        _kind(sheet, row, view)
    if apart or detailed:
        sheet.blank()
    folded = [claim for claim in told if claim.text and not claim.speech and claim not in apart]
    _open_fold(sheet, len(folded), view)
    for claim in folded:
        sheet.line(chrome("- "), *words_spans(claim, view.lang, view.web, own=row_id(row)))
    _where(sheet, row, view, view.say.scope if detailed else view.say.where)
    sheet.blank()
    _speech(sheet, told, view)
    excerpt = _excerpt(sheet, told)
    shown = [quote.text for claim in told if claim.speech for quote in claim.quotes]
    anchors(sheet, sentences, view, [*shown, *([excerpt.text] if excerpt else [])])
    sheet.paragraph(chrome("</details>"))


def _open_fold(sheet: Sheet, facts: int, view: View) -> None:
    say = view.say
    count = say.one_fact if facts == 1 else say.facts.format(facts)
    words = say.counted_evidence.format(count) if facts else say.evidence
    sheet.write(chrome("<details>\n<summary>"), computed(words))
    # The blank line lets GitHub read what follows as Markdown.
    sheet.paragraph(chrome("</summary>"))


def _kind(sheet: Sheet, row: LedgerRow, view: View) -> None:
    kind = view.say.purposes[row.purpose] if row.purpose else "—"
    sheet.line(chrome(f"- **{view.say.kind}**{view.say.colon}"), computed(kind))


def _by_facts(sheet: Sheet, row: LedgerRow, view: View, *, detailed: bool) -> None:
    """Tell a commit by what code says and quotes of it."""
    say, told = view.say, view.evidence(row)
    placing = _placing(told, row, view)
    news = [claim for claim in told if claim.text and claim not in placing]
    if detailed:
        _kind(sheet, row, view)
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
        for claim in view.consequences(row, role):
            words = words_spans(claim, view.lang, view.web, own=row_id(row))
            sheet.line(chrome(f"- **{label}**{say.colon}"), *words)


def _speech(sheet: Sheet, told: list[Claim], view: View) -> None:
    for claim in told:
        if claim.speech:
            sheet.paragraph(chrome(f"> {view.say.speech}{view.say.colon}"), speech_span(claim))


def _excerpt(sheet: Sheet, told: list[Claim]) -> Quote | None:
    """Show the one place that proves most, and give it back."""
    found = next(((claim, quote) for claim in told if not claim.speech for quote in claim.quotes), None)
    if found is None:
        return None
    claim, quote = found
    if quote.file:
        sheet.paragraph(computed(code(quote.file)))
    sheet.paragraph(excerpt_span(claim, quote))
    return quote


def _pair(sheet: Sheet, earlier: LedgerRow, later: LedgerRow, view: View) -> None:
    """Tell a change and what undid it as one thing."""
    say, window = view.say, view.report.window
    sheet.heading(4, row_id(later), *called(later, view))
    times = say.pair_times.format(
        landed=f"{moment(earlier, window)} ({inline(earlier.author)})",
        undone=f"{moment(later, window)} ({inline(later.author)})",
    )
    sheet.paragraph(computed(times))
    paragraphs(sheet, view.analysis(later), view, row_id(later))
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
    """Tell a commit in one line: what it is called, and its analysis or first news."""
    spans = [chrome("- "), *_headed(row, view)]
    if row.late:
        spans.append(computed(f" ({view.say.late.format(moment(row, view.report.window))})"))
    if row.files is None:
        spans.append(computed(f" — {code(row.reason)}"))
    return spans + (_sentences(row, view) or lead(row, view, all_of_it=True))


def folded_line(row: LedgerRow, view: View) -> list[Span]:
    """Name a commit that is folded with its like; a model may have told more of it."""
    return [chrome("- "), *_headed(row, view), *_sentences(row, view)]


def _headed(row: LedgerRow, view: View) -> list[Span]:
    headline = None if row_id(row) in view.undid else view.headline(row)
    before = [chrome("**"), headline_span(headline, view), chrome("** · ")] if headline else []
    return [*before, *called(row, view)]


def _sentences(row: LedgerRow, view: View) -> list[Span]:
    """Write the whole analysis of a commit behind its title, and what it leaves untold."""
    if row_id(row) in view.undid or not (sentences := view.analysis(row)):
        return []
    spans = [chrome(" — "), *running(sentences, view, row_id(row))]
    for claim in view.untold(row):
        spans += [chrome(" "), *words_spans(claim, view.lang, view.web, own=row_id(row))]
    return spans


def lead(row: LedgerRow, view: View, *, all_of_it: bool = False) -> list[Span]:
    """Write the first news of a commit behind its title."""
    spans: list[Span] = []
    for claim in view.lead(row):
        if not all_of_it and names_spans(claim, view.lang):
            # Names alone say nothing to whoever reads the first page only.
            continue
        before = chrome(" " if spans else " — ")
        if claim.free:
            spans += [before, *sentence(claim, view, row_id(row))]
        elif not claim.speech:
            spans += [before, *words_spans(claim, view.lang, view.web, own=claim.about[0])]
        elif all_of_it or not spans:
            spans += [before, speech_span(claim)]
    return spans
