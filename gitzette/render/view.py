"""A report as pages look at it: what is said of each commit, what was undone, and which tier holds in the end."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import MARK, Claim, Kind, Role
from agent.domain.facts import Severity
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.links import Link, undone_pairs
from agent.domain.report import Report
from agent.domain.window import zone
from agent.editions.own_code import MOST_PLACES
from agent.telling import catalogue, names_alone
from agent.web import Web
from gitzette.render.addresses import named, place_of
from gitzette.render.model import Citation, Excerpt, Line, Sentence, row_id

WEAK = ("refers to", "refers as said", "changes lines", "continues", "same work")
"""Statements about an earlier commit that are no news by themselves."""
_PASSED = ("fact", "undoes", "shows")
_CODE = re.compile(r"`+([^`]+)`+")
_SQUASHED = re.compile(r"\(#([1-9]\d{0,8})\)$")
_MOST_LINES, _MOST_EXCERPTS = 8, 4
_WORD = re.compile(r"[\w.:/-]*\w", re.ASCII)
_FIGURE = re.compile(r"patch [0-9a-f]{8,}|\w+ \d\.\d+$")  # Scores of links, which are for machines
_LABELLED = {Kind.INFERRED: "inferred", Kind.ADVICE: "advice"}
_LINEAGE = ("undoes", "undoes part", "relands", "mends", *WEAK)
"""Statements about an earlier commit, which a reader knows by its title."""


class View:
    """One report in one language."""

    def __init__(self, report: Report, lang: Language, web: Web) -> None:
        self.report, self.lang, self.web = report, lang, web
        self.words: dict[str, Any] = catalogue(lang)
        self.rows = {row_id(row): row for row in report.ledger}
        self._pairs = [pair for story in report.stories for pair in undone_pairs(story)]
        self._links: dict[tuple[str, str], Link] = {(one.issue, one.change): one for one in report.links}
        self._claims: dict[EvidenceId, list[Claim]] = defaultdict(list)
        for claim in report.claims:
            if claim.about:
                self._claims[claim.about[0]].append(claim)

    @cached_property
    def pulls(self) -> frozenset[EvidenceId]:
        """Name the pull requests that brought the commits of the report."""
        numbers = ((row.repo, cut_title(row)[1]) for row in self.report.ledger)
        return frozenset(f"{repo}#{number}" for repo, number in numbers if number)

    def uses(self, row: LedgerRow) -> tuple[str, ...]:
        """List where the reader's own code uses what a commit changes."""
        own = (use for use in self.report.uses if (use.repo, use.sha) == (row.repo, row.sha))
        return tuple(dict.fromkeys(f"{use.file}:{use.line}" for use in own))[:MOST_PLACES]

    # ---------------------------------------------------------------- what was undone

    @cached_property
    def _taken_back(self) -> dict[EvidenceId, EvidenceId]:
        """Tell which reverts of the window did not last: the change landed again, and by which commit."""
        found: dict[EvidenceId, EvidenceId] = {}
        for story in self.report.stories:
            last = ""
            for step in story.timeline:
                if step.act == "landed again" and last in self.rows and step.cite in self.rows:
                    found[last] = step.cite
                if step.act != "released":
                    last = step.cite if step.act == "undone" else ""
        return found

    @cached_property
    def undid(self) -> dict[EvidenceId, LedgerRow]:
        """Tell which commit of the window each of these undid; a change and its revert are told together."""
        pairs = [pair for pair in self._pairs if pair[1] not in self._taken_back and {*pair} <= self.rows.keys()]
        return {other: self.rows[one] for one, other in reversed(pairs)}

    @cached_property
    def _outlived(self) -> set[EvidenceId]:
        back = self._taken_back
        return {*back, *(back[other] for one, other in self._pairs if one in self.rows and other in back)}

    def tier(self, row: LedgerRow) -> Tier:
        """Give the tier of a row by how things stand in the end: what was undone again asks nobody to act."""
        name, tier = row_id(row), row.tier or Tier.LOW
        if row.noise or name in self._outlived:
            return Tier.LOW
        return Tier.MID if tier is Tier.HIGH and name in self.undid else tier

    # ---------------------------------------------------------------- what is said

    def said(self, row: LedgerRow) -> list[Claim]:
        """List what is said of a commit, in order."""
        claims = self._claims.get(row_id(row), [])
        # Told alone, that a change was undone would say that it is out.
        return [one for one in claims if one.predicate != "undone" or not self._taken_back.keys() & {*one.sources}]

    def headline(self, row: LedgerRow) -> str:
        """Find what a commit does in the reader's language."""
        found = (one.text.get(self.lang) for one in self.said(row) if one.role == "headline")
        return next(filter(None, found), "")

    def analysis(self, row: LedgerRow) -> list[Claim]:
        """List the sentences that a model wrote of a commit in this language, advice last."""
        free = [one for one in self.said(row) if one.free and one.role != "headline" and one.text.get(self.lang)]
        return sorted(free, key=lambda claim: claim.kind is Kind.ADVICE)

    def facts(self, row: LedgerRow) -> list[Claim]:
        """List what code says and quotes of a commit; of a change and its revert only what holds in the end."""
        if earlier := self.undid.get(row_id(row)):
            own = [one for one in self.said(row) if not one.free and one.predicate not in _PASSED]
            return [one for one in self.said(earlier) if one.predicate == "undone"] + own
        telling = [one for one in self.said(row) if not one.free and (one.text or one.quotes) and not self.inside(one)]
        return sorted(telling, key=lambda one: (one.speech, one.predicate in WEAK))

    def inside(self, claim: Claim) -> str | None:
        """Name the functions inside of which something changed, where a claim says no more: the lines are the fact."""
        return names_alone(claim.predicate, claim.text.get(self.lang, ""), self.lang)

    def whole(self, role: Role, repo: RepoId | None = None) -> list[Claim]:
        """List what is said of a repository's day, or of the whole report."""
        claims = (one for one in self.report.claims if one.role is role and (repo is None or one.repo == repo))
        return [one for one in claims if one.text.get(self.lang) and (repo is None or not one.about)]

    # ---------------------------------------------------------------- as sentences

    @cached_property
    def _known(self) -> dict[EvidenceId, tuple[str, str, datetime, bool]]:
        """Know the title, author and time of what the report names, and whether it has a place on the page."""
        known = {
            step.cite: (step.title, "", step.at, False) for story in self.report.stories for step in story.timeline
        }
        for section in self.report.sections:
            known |= {f"{section.repo}@{one.tag}": (one.name, "", one.published_at, True) for one in section.releases}
            threads = ((f"{section.repo}#{one.number}", one) for one in section.issues)
            known |= {name: (one.title, one.author or "", one.at, True) for name, one in threads}
        return known | {name: (row.title, row.author, row.landed_at, True) for name, row in self.rows.items()}

    def sentence(self, claim: Claim) -> Sentence:
        """Write a claim; speech is shown between quotation marks, behind who says it."""
        text, label = claim.text.get(self.lang, ""), "speech" if claim.speech else _LABELLED.get(claim.kind)
        if claim.speech:
            text = " ".join(f"“{quote.text}”" for quote in claim.quotes)
        reported = self._reported(claim)
        earlier = claim.predicate in _LINEAGE and claim.sources[-1] in self._known
        marked = {int(mark[1]) for mark in MARK.finditer(text)}
        rest = [cite for at, cite in enumerate(claim.sources, 1) if at not in marked and cite not in reported]
        return Sentence(
            claim=claim,
            label=self.words["page"][label] if label else "",
            parts=tuple(self._parts(text, claim)),
            behind=tuple(self.citation(cite, claim) for cite in rest),
            telling=self._is_telling(claim),
            aside=self._known[claim.sources[-1]][0] if earlier else "",
            reported=tuple(self.citation(cite, claim) for cite in reported),
        )

    def _is_telling(self, claim: Claim) -> bool:
        news = claim.kind is Kind.FACT and bool(claim.text) and claim.predicate not in WEAK
        return news and self.inside(claim) is None

    def _reported(self, claim: Claim) -> tuple[EvidenceId, ...]:
        """Name the issues in which a sentence was reported, where nothing else anchors it."""
        cites = tuple(dict.fromkeys(anchor.cite for anchor in claim.anchors)) if claim.free else ()
        return cites if all("#" in cite and cite not in self.pulls for cite in cites) else ()

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
        name, url = named(cite, home, self.web, pull=cite in self.pulls)
        title, author, at, told = self._known.get(cite, ("", "", None, False))
        when = f"{at.astimezone(zone(self.report.window.tz)):%Y-%m-%d %H:%M}" if at else ""
        earlier = self.words["site"]["background"] if claim and cite in claim.background else ""
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
            yield excerpt_of(file, "\n".join(own), claim.text.get(self.lang, ""))

    def _records(self, evidence: Sequence[str]) -> Iterator[str]:
        """Say what a link between an issue and a change rests on: records, the author's words, or what both share."""
        for one in evidence:
            if not _FIGURE.match(one):
                yield self.words["records"].get(one) or f"“{one}”"


def cut_title(row: LedgerRow) -> tuple[str, int | None]:
    """Part the title from the number of its pull request, which squash merges put at the end in parentheses."""
    words, number = row.title.rstrip(), row.pull
    if found := _SQUASHED.search(words):
        number = number or int(found[1])
        words = words[: found.start()].rstrip() if int(found[1]) == number else words
    return words, number


def is_breaking(claim: Claim) -> bool:
    """Tell whether a claim states a fact that breaks what users reach."""
    return claim.params.get("severity") == Severity.BREAKING


def excerpt_of(file: str, text: str, sentence: str) -> Excerpt:
    """Cut out the lines that name most of a sentence, and mark them."""
    lines, literals = text.strip("\n").split("\n"), _literals(sentence)
    is_diff = bool(file) and any(line[:1] in ("+", "-") for line in lines)
    hits = [any(literal in line for literal in literals) for line in lines]
    starts = range(max(1, len(lines) - _MOST_LINES + 1))
    start = max(starts, key=lambda at: (sum(hits[at : at + _MOST_LINES]), -at))
    shown = zip(lines[start : start + _MOST_LINES], hits[start:], strict=False)
    return Excerpt(file, tuple(Line(one, one[:1] if is_diff and one[:1] in "+-" else "", hit) for one, hit in shown))


@lru_cache(maxsize=4_096)
def _literals(text: str) -> list[str]:
    """List the names, numbers and values that a sentence has, as they stand in code: whole, and their last parts."""
    found: list[str] = []
    for code in _CODE.findall(text):
        found += [code, *(part for part in re.split(r"[.:/\s=,]+", code) if len(part) > 2)]
    bare = _CODE.sub(" ", MARK.sub(" ", text))
    found += [word for word in _WORD.findall(bare) if re.search(r"\d|_|\w[A-Z]|--", word)]
    return [one for one in found if len(one) > 1]
