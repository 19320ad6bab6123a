"""Citations that show their evidence in place: the quoted lines, and what the report knows of what is cited."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

from agent.claims import MARK, Anchor, Claim, Quote
from agent.evidence import EvidenceId
from agent.layouts.analysis import distinct_anchors, label, reported_in
from agent.layouts.view import View, row_id
from agent.links import Link
from agent.window import zone
from gitzette.site.html import NO_BREAK, Child, Markup, clean, fill, join, link, prose, tag, verbatim
from gitzette.site.labels import Labels, labels
from gitzette.site.names import anchor
from gitzette.site.reasons import link_words
from gitzette.site.references import named

_LONGEST_EXCERPT = 24
_OWN = "※"


@dataclass(frozen=True)
class Known:
    """What a report itself says of an artefact."""

    title: str = ""
    author: str = ""
    at: datetime | None = None
    told_here: bool = False
    """It has a place of its own on the page."""


class Sources:
    """Everything that one report knows of what it cites."""

    def __init__(self, view: View, page: str = "") -> None:
        """Cite for a page; `page` is the way to the day's page where that is another one."""
        self.view = view
        self.page = page
        self._leading: dict[tuple[EvidenceId, bool], Markup] = {}
        self._told: dict[int, Markup] = {}
        self.labels: Labels = labels(view.lang)

    @cached_property
    def _known(self) -> dict[EvidenceId, Known]:
        report = self.view.report
        known: dict[EvidenceId, Known] = {}
        for story in report.stories:
            for step in story.timeline:
                known[step.cite] = Known(step.title, at=step.at)
        for section in report.sections:
            for release in section.releases:
                known[f"{section.repo}@{release.tag}"] = Known(release.name, at=release.published_at, told_here=True)
            for thread in section.issues:
                name = f"{section.repo}#{thread.number}"
                known[name] = Known(thread.title, thread.author or "", thread.at, told_here=True)
        for row in report.ledger:
            known[row_id(row)] = Known(row.title, row.author, row.landed_at, told_here=True)
        return known

    @cached_property
    def _quotes(self) -> dict[EvidenceId, list[Quote]]:
        found: dict[EvidenceId, list[Quote]] = defaultdict(list)
        for claim in self.view.report.claims:
            for quote in claim.quotes:
                found[quote.cite].append(quote)
        return found

    @cached_property
    def _links(self) -> dict[tuple[str, str], Link]:
        return {(one.issue, one.change): one for one in self.view.report.links}

    def claim(self, claim: Claim) -> Markup:
        """Write a claim's words with its citations: those that it marks in their place, the others behind."""
        # Many are told twice, in a line and in what it opens; the report keeps its claims, so each stays where it is.
        if id(claim) not in self._told:
            self._told[id(claim)] = self._claim(claim)
        return self._told[id(claim)]

    def _claim(self, claim: Claim) -> Markup:
        text = claim.text.get(self.view.lang) or next(iter(claim.text.values()), "")
        reported = reported_in(claim, self.view.pulls)
        pieces: list[Child] = [self._before(claim, reported)]
        at = 0
        marked = {claim.sources.index(cite) + 1 for cite in reported if cite in claim.sources}
        for mark in MARK.finditer(text):
            number = int(mark[1])
            pieces.append(_spaced(text[at : mark.start()]))
            if number <= len(claim.sources):
                marked.add(number)
                pieces.append(self.cite(claim.sources[number - 1], claim))
            at = mark.end()
        pieces.append(_spaced(text[at:]))
        rest = [cite for number, cite in enumerate(claim.sources, start=1) if number not in marked]
        return join(pieces, self.cites(rest, claim))

    def _before(self, claim: Claim, reported: Iterable[EvidenceId]) -> list[Child]:
        """Write the label of a sentence of analysis, and where it was reported."""
        say = self.view.say
        pieces: list[Child] = []
        if claim.free and (named := label(claim, say)):
            gap = " " if say.colon.endswith(" ") else None
            pieces.append((tag("span", f"{named}{say.colon.rstrip()}", class_=f"sort {claim.kind.value}"), gap))
        for cite in reported:
            pieces.append((fill(say.reported, self.cite(cite, claim)), say.colon))
        return pieces

    def cites(self, cites: Iterable[EvidenceId], claim: Claim) -> list[Child]:
        """Write citations behind the words; the sign of the commit itself never begins a line."""
        return [(NO_BREAK if claim.about[:1] == (cite,) else " ", self.cite(cite, claim)) for cite in cites]

    def cite(self, cite: EvidenceId, claim: Claim) -> Markup:
        """Write a citation that opens to its evidence; it needs no script."""
        # What is said of a commit stands below its own name, so a sign is enough there.
        own = claim.about[:1] == (cite,)
        name = named(cite, claim.repo, self.view.web)[0]
        return tag(
            "details",
            _summary(name, f"{self.labels.evidence}: {name}", own),
            tag("div", self._evidence(cite, claim, own=own), class_="evidence"),
            class_="cite",
        )

    def _evidence(self, cite: EvidenceId, claim: Claim, *, own: bool) -> Markup:
        quotes = self._anchored(cite, claim) or [quote for quote in claim.quotes if quote.cite == cite]
        quotes = quotes or ([] if claim.free else self._beside(cite, claim))
        linked = self._link(cite, claim)
        lines: list[Child] = [] if own else [self._about(cite, background=cite in claim.background)]
        lines += [excerpt(quote) for quote in quotes]
        if linked is not None:
            told = [prose(one) for one in link_words(linked.evidence, self.view.lang)]
            lines.append(tag("p", self.graded(linked), [(" · ", one) for one in told], class_="when"))
        if not quotes and linked is None:
            lines.append(tag("p", self.labels.no_lines, class_="when"))
        return join(lines, self._ways(cite, own=own))

    def _about(self, cite: EvidenceId, *, background: bool) -> Markup:
        known = self._known.get(cite, Known())
        name = named(cite, None, self.view.web)[0]
        where = zone(self.view.report.window.tz)
        at = f"{known.at.astimezone(where):%Y-%m-%d %H:%M}" if known.at else ""
        told = (name if known.title else "", clean(known.author), at, self.labels.background if background else "")
        when = " · ".join(one for one in told if one)
        return join(tag("p", prose(known.title or name), class_="what"), tag("p", when, class_="when"))

    def _ways(self, cite: EvidenceId, *, own: bool) -> Markup:
        if (cite, own) not in self._leading:
            address = named(cite, None, self.view.web)[1]
            source = link(address, self.labels.open_source, rel="noreferrer")
            known = self._known.get(cite)
            # On the day's own page a commit's claims stand where this would lead.
            told = known is not None and known.told_here and not (own and not self.page)
            here = link(f"{self.page}#{anchor(cite)}", self.labels.in_page) if told else None
            self._leading[cite, own] = tag("p", source, (" · ", here) if here else None, class_="ways")
        return self._leading[cite, own]

    def graded(self, one: Link) -> Markup:
        """Write how sure a link is: the letter, and what the letter means."""
        own = self.labels
        grade = one.grade.value
        return tag(
            "abbr", own.grade.format(grade), class_=f"grade grade-{grade.lower()}", title=own.grades.get(grade, "")
        )

    def _anchored(self, cite: EvidenceId, claim: Claim) -> list[Quote]:
        """Show what a sentence of analysis is anchored in, within the quotation of the report that has those lines."""
        own = [anchor for _, anchor in distinct_anchors([claim]) if anchor.cite == cite]
        return [self._around(anchor) for anchor in own]

    def _around(self, anchor: Anchor) -> Quote:
        stored = (quote for quote in self._quotes.get(anchor.cite, ()) if quote.file == anchor.file)
        wider = next((quote for quote in stored if anchor.text.strip("\n") in quote.text), None)
        if wider is None or wider.text.count("\n") >= _LONGEST_EXCERPT:
            return Quote(cite=anchor.cite, text=anchor.text, file=anchor.file)
        return wider

    def _beside(self, cite: EvidenceId, claim: Claim) -> list[Quote]:
        """Find lines for a claim without a quotation of its own: those of its fact, else the first."""
        quotes = self._quotes.get(cite, [])
        name = claim.params.get("name", "")
        naming = [quote for quote in quotes if quote.file and name and name in quote.text]
        return (naming or [quote for quote in quotes if quote.file])[:1]

    def _link(self, cite: EvidenceId, claim: Claim) -> Link | None:
        if "#" not in cite:
            return None
        return next((one for about in claim.about if (one := self._links.get((cite, about)))), None)


@lru_cache(maxsize=4_096)
def _summary(name: str, label: str, own: bool) -> Markup:
    return tag("summary", tag("span", _OWN, class_="own") if own else tag("code", name), aria_label=label)


def excerpt(quote: Quote) -> Markup:
    """Show quoted lines, those that came and went marked by colour, by sign and for those who listen."""
    return _excerpt(quote.text, quote.file)


@lru_cache(maxsize=4_096)
def _excerpt(text: str, file: str | None) -> Markup:
    lines = text.strip("\n").split("\n")
    is_diff = bool(file) and any(line[:1] in ("+", "-") for line in lines)
    shown = [
        _line(line) if is_diff else tag("span", verbatim(line), class_="kept") for line in lines[:_LONGEST_EXCERPT]
    ]
    if len(lines) > _LONGEST_EXCERPT:
        shown.append(tag("span", "…", class_="kept"))
    where = tag("figcaption", tag("code", file)) if file else None
    return tag("figure", where, tag("pre", tag("code", shown)), class_="excerpt")


def _line(line: str) -> Markup:
    kind = {"+": "ins", "-": "del"}.get(line[:1])
    return tag(kind, verbatim(line)) if kind else tag("span", verbatim(line), class_="kept")


def _spaced(text: str) -> Child:
    left, right = (" " if text[:1].isspace() else ""), (" " if len(text) > 1 and text[-1:].isspace() else "")
    return (left, prose(text), right) if text.strip() else left
