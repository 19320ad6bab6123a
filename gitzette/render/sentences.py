"""Claims as sentences: words with citations in their places, each with the lines that show what is said."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property

from agent.domain.base import EvidenceId, RepoId
from agent.domain.claims import MARK, Claim, Kind, Role
from agent.domain.links import Link
from agent.domain.window import zone
from gitzette.render.names import named, place_of
from gitzette.render.pieces import Citation, Excerpt, Line, Sentence
from gitzette.render.view import WEAK, View

MOST_LINES = 8
_CODE = re.compile(r"`+([^`]+)`+")
_WORD = re.compile(r"[\w.:/-]*\w", re.ASCII)
_FIGURE = re.compile(r"patch [0-9a-f]{8,}|\w+ \d\.\d+$")
"""Scores of links, which are for machines."""
_MOST_EXCERPTS = 4
_LINEAGE = (
    *("undoes", "undoes part", "relands", "mends", "continues", "same work"),
    *("refers to", "refers as said", "changes lines"),
)
"""Statements about an earlier commit, which a reader knows by its title."""


class Sentences:
    """Writes the claims of one report in one language."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._say = view.words["page"]

    @cached_property
    def _known(self) -> dict[EvidenceId, tuple[str, str, datetime | None, bool]]:
        """Tell title, author and time of what the report knows, and whether it has a place on the page."""
        report = self._view.report
        known: dict[EvidenceId, tuple[str, str, datetime | None, bool]] = {}
        for story in report.stories:
            known |= {step.cite: (step.title, "", step.at, False) for step in story.timeline}
        for section in report.sections:
            known |= {f"{section.repo}@{one.tag}": (one.name, "", one.published_at, True) for one in section.releases}
            for one in section.issues:
                known[f"{section.repo}#{one.number}"] = (one.title, one.author or "", one.at, True)
        return known | {name: (row.title, row.author, row.landed_at, True) for name, row in self._view.rows.items()}

    @cached_property
    def _links(self) -> dict[tuple[str, str], Link]:
        return {(one.issue, one.change): one for one in self._view.report.links}

    def sentence(self, claim: Claim) -> Sentence:
        """Write a claim; speech is shown between quotation marks, behind who says it."""
        text = claim.text.get(self._view.lang, "")
        if claim.speech:
            text = " ".join(f"“{quote.text}”" for quote in claim.quotes)
        reported = self._reported(claim)
        return Sentence(
            id=claim.id,
            kind=claim.kind.value,
            role=claim.role.value,
            label=self._label(claim),
            repo=claim.repo or "",
            parts=tuple(self._parts(text, claim)),
            behind=tuple(self.citation(cite, claim) for cite in self._unmarked(text, claim, reported)),
            telling=self._is_telling(claim),
            aside=self._known[claim.sources[-1]][0] if self._names_earlier(claim) else "",
            reported=tuple(self.citation(cite, claim) for cite in reported),
        )

    def _is_telling(self, claim: Claim) -> bool:
        news = claim.kind is Kind.FACT and claim.role in (Role.CHANGE, Role.EFFECT)
        return news and bool(claim.text) and claim.predicate not in WEAK and not self._view.is_bare(claim)

    def _names_earlier(self, claim: Claim) -> bool:
        return claim.predicate in _LINEAGE and claim.sources[-1] in self._known

    def _label(self, claim: Claim) -> str:
        if claim.speech:
            return str(self._say["speech"])
        if claim.kind in (Kind.INFERRED, Kind.ADVICE) or claim.role in (Role.RISK, Role.ADVICE):
            return str(self._say[claim.kind.value if claim.free else claim.role.value])
        return ""

    def _reported(self, claim: Claim) -> tuple[EvidenceId, ...]:
        """Name the issues in which a sentence was reported, where nothing else anchors it."""
        cites = tuple(dict.fromkeys(anchor.cite for anchor in claim.anchors)) if claim.free else ()
        return cites if all("#" in cite and cite not in self._view.pulls for cite in cites) else ()

    def _parts(self, text: str, claim: Claim) -> Iterator[str | Citation]:
        """Put citations in the place of their marks."""
        at = 0
        for mark in MARK.finditer(text):
            yield text[at : mark.start()]
            at = mark.end()
            # A report that was changed by hand may mark what it does not cite; that says nothing.
            if int(mark[1]) <= len(claim.sources):
                yield self.citation(claim.sources[int(mark[1]) - 1], claim)
        yield text[at:]

    def _unmarked(self, text: str, claim: Claim, told: Sequence[EvidenceId]) -> list[EvidenceId]:
        marked = {int(mark[1]) for mark in MARK.finditer(text)}
        cites = enumerate(claim.sources, start=1)
        return [cite for number, cite in cites if number not in marked and cite not in told]

    def citation(self, cite: EvidenceId, claim: Claim | None = None, own: RepoId | None = None) -> Citation:
        """Cite an artefact; for a claim it opens on the lines that show what the claim says."""
        home = claim.repo if claim else own
        # In a sentence over all repositories a commit is called by its hash alone.
        home = RepoId(cite.partition("@")[0]) if home is None and "@" in cite else home
        name, url = named(cite, home, self._view.web, pull=cite in self._view.pulls)
        title, author, at, told = self._known.get(cite, ("", "", None, False))
        tz = zone(self._view.report.window.tz)
        linked = self._link(cite, claim) if claim else None
        return Citation(
            id=cite,
            name=self._view.short.get(cite, name) if "/" not in name.partition("@")[0] else name,
            url=url,
            title=title,
            author=author,
            when=f"{at.astimezone(tz):%Y-%m-%d %H:%M}" if at else "",
            place=place_of(cite) if told else "",
            own=bool(claim and claim.about[:1] == (cite,)),
            earlier=bool(claim and cite in claim.background),
            excerpts=tuple(self._excerpts(cite, claim)) if claim else (),
            grade=linked.grade.value if linked else "",
            records=tuple(self._records(linked)) if linked else (),
        )

    def _excerpts(self, cite: EvidenceId, claim: Claim) -> Iterator[Excerpt]:
        """Give the anchors of a claim in one artefact, else its quotations; none that another one holds."""
        found = [(one.file or "", one.text) for one in claim.anchors if one.cite == cite]
        found = found or [(one.file or "", one.text) for one in claim.quotes if one.cite == cite]
        literals = literals_of(claim.text.get(self._view.lang, ""))
        kept = [one for one in found if not any(one != other and one[1].strip() in other[1] for other in found)]
        texts: dict[str, list[str]] = {}
        for file, text in dict.fromkeys(kept):
            texts.setdefault(file, []).append(text.strip("\n"))
        for file, own in list(texts.items())[:_MOST_EXCERPTS]:
            yield excerpt_of(file, "\n".join(own), literals)

    def _link(self, cite: EvidenceId, claim: Claim) -> Link | None:
        return next((one for about in claim.about if (one := self._links.get((cite, about)))), None)

    def _records(self, link: Link) -> Iterator[str]:
        """Say what a link between an issue and a change rests on: records, the author's words, or what both share."""
        records = self._view.words["records"]
        for one in link.evidence:
            if not _FIGURE.match(one):
                yield records.get(one) or f"“{one}”"


def excerpt_of(file: str, text: str, literals: Sequence[str] = (), most: int = MOST_LINES) -> Excerpt:
    """Cut out the lines that name most of a sentence, and mark them."""
    lines = text.strip("\n").split("\n")
    is_diff = bool(file) and any(line[:1] in ("+", "-") for line in lines)
    hits = [any(literal in line for literal in literals) for line in lines]
    starts = range(max(1, len(lines) - most + 1))
    start = max(starts, key=lambda at: (sum(hits[at : at + most]), -at))
    # What leads to the first marked line is shown where there is room.
    shown = zip(lines[start : start + most], hits[start:], strict=False)
    return Excerpt(file, tuple(Line(one, one[:1] if is_diff and one[:1] in "+-" else "", hit) for one, hit in shown))


def literals_of(text: str) -> list[str]:
    """List the names, numbers and values that a sentence has, as they stand in code: whole, and their last parts."""
    found: list[str] = []
    for code in _CODE.findall(text):
        found += [code, *(part for part in re.split(r"[.:/\s=,]+", code) if len(part) > 2)]
    bare = _CODE.sub(" ", MARK.sub(" ", text))
    found += [word for word in _WORD.findall(bare) if re.search(r"\d|_|\w[A-Z]|--", word)]
    return list(dict.fromkeys(one for one in found if len(one) > 1))
