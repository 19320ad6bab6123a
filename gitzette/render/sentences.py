"""Claims as sentences: words with citations in their places, each with the lines that show what is said."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from agent.domain.base import EvidenceId, RepoId
from agent.domain.claims import MARK, Claim, Kind, Role
from agent.domain.links import Link
from agent.domain.window import zone
from gitzette.render.addresses import named, place_of
from gitzette.render.model import Citation, Excerpt, Line, Sentence
from gitzette.render.view import WEAK, View

_MOST_LINES, _MOST_EXCERPTS = 8, 4
_CODE = re.compile(r"`+([^`]+)`+")
_WORD = re.compile(r"[\w.:/-]*\w", re.ASCII)
_FIGURE = re.compile(r"patch [0-9a-f]{8,}|\w+ \d\.\d+$")
"""Scores of links, which are for machines."""
_LINEAGE = ("undoes", "undoes part", "relands", "mends", *WEAK)
"""Statements about an earlier commit, which a reader knows by its title."""


class Sentences:
    """Writes the claims of one report in one language."""

    def __init__(self, view: View) -> None:
        self._view, self._say = view, view.words["page"]
        report = view.report
        self._links: dict[tuple[str, str], Link] = {(one.issue, one.change): one for one in report.links}
        # Title, author and time of what the report knows, and whether it has a place on the page.
        known: dict[EvidenceId, tuple[str, str, datetime, bool]] = {}
        for story in report.stories:
            known |= {step.cite: (step.title, "", step.at, False) for step in story.timeline}
        for section in report.sections:
            known |= {f"{section.repo}@{one.tag}": (one.name, "", one.published_at, True) for one in section.releases}
            for one in section.issues:
                known[f"{section.repo}#{one.number}"] = (one.title, one.author or "", one.at, True)
        self._known = known | {name: (row.title, row.author, row.landed_at, True) for name, row in view.rows.items()}

    def sentence(self, claim: Claim) -> Sentence:
        """Write a claim; speech is shown between quotation marks, behind who says it."""
        text = claim.text.get(self._view.lang, "")
        if claim.speech:
            text = " ".join(f"“{quote.text}”" for quote in claim.quotes)
        reported = self._reported(claim)
        earlier = claim.predicate in _LINEAGE and claim.sources[-1] in self._known
        marked = {int(mark[1]) for mark in MARK.finditer(text)}
        rest = [cite for at, cite in enumerate(claim.sources, 1) if at not in marked and cite not in reported]
        return Sentence(
            claim=claim,
            label=self._label(claim),
            parts=tuple(self._parts(text, claim)),
            behind=tuple(self.citation(cite, claim) for cite in rest),
            telling=self._is_telling(claim),
            aside=self._known[claim.sources[-1]][0] if earlier else "",
            reported=tuple(self.citation(cite, claim) for cite in reported),
        )

    def _is_telling(self, claim: Claim) -> bool:
        news = claim.kind is Kind.FACT and claim.role in (Role.CHANGE, Role.EFFECT)
        return news and bool(claim.text) and claim.predicate not in WEAK and self._view.inside(claim) is None

    def _label(self, claim: Claim) -> str:
        if claim.speech:
            return str(self._say["speech"])
        return str(self._say[claim.kind.value]) if claim.kind in (Kind.INFERRED, Kind.ADVICE) else ""

    def _reported(self, claim: Claim) -> tuple[EvidenceId, ...]:
        """Name the issues in which a sentence was reported, where nothing else anchors it."""
        cites = tuple(dict.fromkeys(anchor.cite for anchor in claim.anchors)) if claim.free else ()
        return cites if all("#" in cite and cite not in self._view.pulls for cite in cites) else ()

    def _parts(self, text: str, claim: Claim) -> Iterator[str | Citation]:
        """Put citations in the place of their marks."""
        for at, piece in enumerate(MARK.split(text)):
            if at % 2 == 0:
                yield piece
            # A report that was changed by hand may mark what it does not cite; that says nothing.
            elif int(piece) <= len(claim.sources):
                yield self.citation(claim.sources[int(piece) - 1], claim)

    def citation(self, cite: EvidenceId, claim: Claim | None = None, own: RepoId | None = None) -> Citation:
        """Cite an artefact; for a claim it opens on the lines that show what the claim says."""
        home = claim.repo if claim else own
        # In a sentence over all repositories a commit is called by its hash alone.
        home = RepoId(cite.partition("@")[0]) if home is None and "@" in cite else home
        name, url = named(cite, home, self._view.web, pull=cite in self._view.pulls)
        title, author, at, told = self._known.get(cite, ("", "", None, False))
        when = f"{at.astimezone(zone(self._view.report.window.tz)):%Y-%m-%d %H:%M}" if at else ""
        earlier = self._view.words["site"]["background"] if claim and cite in claim.background else ""
        links = [self._links[cite, about] for about in (claim.about if claim else ()) if (cite, about) in self._links]
        return Citation(
            id=cite,
            name=name,
            url=url,
            title=title,
            about=" · ".join(filter(None, (author, when, earlier))),
            place=place_of(cite) if told else "",
            own=bool(claim and claim.about[:1] == (cite,)),
            excerpts=tuple(self._excerpts(cite, claim)) if claim else (),
            grade=links[0].grade.value if links else "",
            records=tuple(self._records(links[0].evidence)) if links else (),
        )

    def _excerpts(self, cite: EvidenceId, claim: Claim) -> Iterator[Excerpt]:
        """Give the anchors of a claim in one artefact, else its quotations; none that another one holds."""
        found = [(one.file or "", one.text) for one in claim.anchors if one.cite == cite]
        found = found or [(one.file or "", one.text) for one in claim.quotes if one.cite == cite]
        kept = [one for one in found if not any(one != other and one[1].strip() in other[1] for other in found)]
        texts: dict[str, list[str]] = {}
        for file, text in dict.fromkeys(kept):
            texts.setdefault(file, []).append(text.strip("\n"))
        for file, own in list(texts.items())[:_MOST_EXCERPTS]:
            yield excerpt_of(file, "\n".join(own), claim.text.get(self._view.lang, ""))

    def _records(self, evidence: Sequence[str]) -> Iterator[str]:
        """Say what a link between an issue and a change rests on: records, the author's words, or what both share."""
        for one in evidence:
            if not _FIGURE.match(one):
                yield self._view.words["records"].get(one) or f"“{one}”"


def excerpt_of(file: str, text: str, sentence: str) -> Excerpt:
    """Cut out the lines that name most of a sentence, and mark them."""
    lines, literals = text.strip("\n").split("\n"), _literals(sentence)
    is_diff = bool(file) and any(line[:1] in ("+", "-") for line in lines)
    hits = [any(literal in line for literal in literals) for line in lines]
    starts = range(max(1, len(lines) - _MOST_LINES + 1))
    start = max(starts, key=lambda at: (sum(hits[at : at + _MOST_LINES]), -at))
    shown = zip(lines[start : start + _MOST_LINES], hits[start:], strict=False)
    return Excerpt(file, tuple(Line(one, one[:1] if is_diff and one[:1] in "+-" else "", hit) for one, hit in shown))


def _literals(text: str) -> list[str]:
    """List the names, numbers and values that a sentence has, as they stand in code: whole, and their last parts."""
    found: list[str] = []
    for code in _CODE.findall(text):
        found += [code, *(part for part in re.split(r"[.:/\s=,]+", code) if len(part) > 2)]
    bare = _CODE.sub(" ", MARK.sub(" ", text))
    found += [word for word in _WORD.findall(bare) if re.search(r"\d|_|\w[A-Z]|--", word)]
    return [one for one in found if len(one) > 1]
