"""How sentences of analysis stand on a page: their labels, their links, and the anchors that prove them."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from agent.claims import Anchor, Claim, Kind
from agent.evidence import EvidenceId
from agent.layouts.sheet import Sheet, chrome, computed
from agent.layouts.view import View
from agent.markdown import code
from agent.spans import Span, analysis_spans, anchor_span, cite_link
from agent.words import Words


def label(claim: Claim, say: Words) -> str:
    """Name the kind of a sentence that its evidence does not simply state."""
    return {Kind.INFERRED: say.inferred, Kind.ADVICE: say.advice}.get(claim.kind, "")


def reported_in(claim: Claim, pulls: Collection[EvidenceId]) -> tuple[EvidenceId, ...]:
    """Name the issues in which a sentence was reported, where nothing else anchors it."""
    cites = tuple(dict.fromkeys(anchor.cite for anchor in claim.anchors)) if claim.free else ()
    return cites if all("#" in cite and cite not in pulls for cite in cites) else ()


def sentence(claim: Claim, view: View, own: EvidenceId | None = None, *, bold: bool = False) -> list[Span]:
    """Write one sentence behind its label, and where it was reported in front of its words."""
    say, named = view.say, label(claim, view.say)
    reported = reported_in(claim, view.pulls)
    spans = [chrome(f"**{named}**{say.colon}" if bold else f"{named}{say.colon}")] if named else []
    if reported:
        links = say.listing.join(cite_link(cite, claim, view.web, view.pulls) for cite in reported)
        spans.append(computed(f"{say.reported.format(links)}{say.colon}"))
    linked = {*reported, own} if own else {*reported}
    return [*spans, *analysis_spans(claim, view.lang, view.web, view.pulls, linked)]


def running(claims: Iterable[Claim], view: View, own: EvidenceId | None = None) -> list[Span]:
    """Write sentences one behind the other."""
    spans: list[Span] = []
    for claim in claims:
        gap = [chrome(" ")] if spans and view.say.colon.endswith(" ") else []
        spans += [*gap, *sentence(claim, view, own)]
    return spans


def paragraphs(sheet: Sheet, claims: Sequence[Claim], view: View, own: EvidenceId | None = None) -> None:
    """Write sentences as a paragraph, and each advice as one of its own."""
    if told := running((claim for claim in claims if claim.kind is not Kind.ADVICE), view, own):
        sheet.paragraph(*told)
    for claim in claims:
        if claim.kind is Kind.ADVICE:
            sheet.paragraph(*sentence(claim, view, own, bold=True))


def anchors(sheet: Sheet, claims: Sequence[Claim], view: View, shown: Collection[str]) -> None:
    """Show what the sentences rest on, each once, without what stands there already."""
    last: str | None = None
    for claim, anchor in distinct_anchors(claims, shown):
        if anchor.file is None:
            sheet.paragraph(chrome("> "), *_source(claim, anchor, view), anchor_span(claim, anchor))
        else:
            if anchor.file != last:
                sheet.paragraph(computed(code(anchor.file)))
            sheet.paragraph(anchor_span(claim, anchor))
        last = anchor.file


def _source(claim: Claim, anchor: Anchor, view: View) -> list[Span]:
    return [computed(f"{cite_link(anchor.cite, claim, view.web, view.pulls)}{view.say.colon}")]


def distinct_anchors(claims: Iterable[Claim], shown: Collection[str] = ()) -> Iterator[tuple[Claim, Anchor]]:
    """Give the anchors of sentences, none of which is a part of another or of what is `shown`."""
    pairs = [(claim, anchor) for claim in claims for anchor in claim.anchors]
    texts = list(shown)
    # The longer one has the shorter one in it; equal ones stand where the first of them stands.
    kept: set[int] = set()
    for place, (_, anchor) in sorted(enumerate(pairs), key=lambda one: (-len(one[1][1].text), one[0])):
        if not any(anchor.text.strip() in text for text in texts):
            kept.add(place)
            texts.append(anchor.text)
    return (pair for place, pair in enumerate(pairs) if place in kept)
