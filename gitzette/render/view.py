"""A report as pages look at it: what is said of each commit, what was undone, and which tier holds in the end."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any

from agent.domain.base import Language, RepoId
from agent.domain.claims import MARK, Claim, Kind, Role
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Severity
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.links import undone_pairs
from agent.domain.references import pull_number
from agent.domain.report import Report
from agent.domain.window import zone
from agent.languages import catalogue
from agent.reports.page import Citation, ExcerptLine, PageExcerpt, PageSentence, words_in
from agent.telling import names_alone
from agent.web import Web
from gitzette.render.templating import named, place_of

_WEAK = (
    *("refers to", "refers as said", "changes lines", "continues", "same work", "step of"),
    *("likely continues", "likely same work", "likely step of"),
)
"""Statements about an earlier commit that are no news by themselves."""
_LINEAGE = ("undoes", "undoes part", "relands", "mends", *_WEAK)
"""Statements about an earlier commit, which a reader knows by its title."""
_PASSED = ("fact", "undoes", "shows")
_LABELLED = {Kind.INFERRED: "inferred", Kind.ADVICE: "advice"}
_CODE = re.compile(r"`+([^`]+)`+")
_MOST_LINES, _MOST_EXCERPTS = 8, 4
_WORD = re.compile(r"[\w.:/-]*\w", re.ASCII)
_LITERAL = re.compile(r"\d|_|\w[A-Z]|--")
_BETWEEN = re.compile(r"[.:/\s=,]+")


class ReportView:
    """One report in one language."""

    def __init__(self, report: Report, lang: Language, web: Web) -> None:
        self.report, self.lang, self.web = report, lang, web
        self.words: dict[str, Any] = catalogue(lang)
        self.rows = {row.id: row for row in report.ledger}
        self._claims: dict[EvidenceId, list[Claim]] = defaultdict(list)
        for claim in report.claims:
            if claim.about and claim.role not in ("brief", "summary"):
                self._claims[claim.about[0]].append(claim)
        numbers = ((row.repo, cut_title(row)[1]) for row in report.ledger)
        self._pulls = frozenset(
            EvidenceId.listed(repo, number=number) for repo, number in numbers if number
        )

    @cached_property
    def undid(self) -> dict[EvidenceId, LedgerRow]:
        """Tell which commit of the window each of these undid; a change and its revert are told together."""
        pairs = [
            pair
            for story in self.report.stories
            for pair in undone_pairs(story)
            if {*pair} <= self.rows.keys()
        ]
        return {other: self.rows[one] for one, other in reversed(pairs)}

    def tier(self, row: LedgerRow) -> Tier:
        """Give the tier of a row by how things stand in the end: what is out again asks nobody to act."""
        tier = Tier.LOW if row.noise else row.tier or Tier.LOW
        return Tier.MID if tier is Tier.HIGH and row.id in self.undid else tier

    def uses(self, row: LedgerRow) -> tuple[str, ...]:
        """List where the reader's own code uses what a commit changes, each place behind the name that it uses."""
        own = (use for use in self.report.uses if (use.repo, use.sha) == (row.repo, row.sha))
        return tuple(dict.fromkeys(f"{use.name} {use.file}:{use.line}" for use in own))

    def said(self, row: LedgerRow) -> list[Claim]:
        """List what is said of a commit, in order."""
        return self._claims.get(row.id, [])

    def text(self, claim: Claim) -> str:
        """Return the words of a claim in this language; empty where it has none."""
        return claim.text.get(self.lang, "")

    def headline(self, row: LedgerRow) -> Claim | None:
        """Find the claim that says in the reader's language what a commit does."""
        headlines = [one for one in self.said(row) if one.role == "headline" and self.text(one)]
        return headlines[0] if headlines else None

    def sentences(self, claims: Iterable[Claim], *, apart: bool = False) -> list[PageSentence]:
        """Write the claims that have words in this language, or quote somebody's."""
        worded = [claim for claim in claims if self.text(claim) or claim.speech]
        return [self.sentence(claim, apart=apart) for claim in worded]

    def without(self, placed: Iterable[Claim]) -> list[PageSentence]:
        """Write the claims of the report that have not found their place yet."""
        return self.sentences(without(self.report.claims, placed), apart=True)

    def analysis(self, row: LedgerRow) -> list[Claim]:
        """Return the sentences that a model wrote of a commit in this language, in its order."""
        return [
            claim
            for claim in self.said(row)
            if claim.free and claim.role != "headline" and claim.text.get(self.lang)
        ]

    def facts(self, row: LedgerRow) -> list[Claim]:
        """List what code says and quotes of a commit; of a change and its revert only what holds in the end."""
        if earlier := self.undid.get(row.id):
            own = [one for one in self.said(row) if not one.free and one.predicate not in _PASSED]
            return [one for one in self.said(earlier) if one.predicate == "undone"] + own
        telling = [
            one
            for one in self.said(row)
            if not one.free and (one.text or one.quotes) and not self.inside(one)
        ]
        return sorted(telling, key=lambda one: (one.speech, one.predicate in _WEAK))

    def inside(self, claim: Claim) -> str | None:
        """Name the functions inside of which something changed, where a claim says no more: the lines are the fact."""
        return names_alone(claim.predicate, claim.text.get(self.lang, ""), self.lang)

    def whole(self, role: Role, repo: RepoId | None = None) -> list[PageSentence]:
        """List what is said of a repository's day, or of the whole report."""
        claims = [claim for claim in self.report.claims if claim.role == role]
        if repo is not None:
            claims = [claim for claim in claims if claim.repo == repo]
        return self.sentences(claims, apart=True)

    @cached_property
    def _known(self) -> dict[EvidenceId, tuple[str, str, bool]]:
        """Know the title, author and time of what the report names, and whether it has a place on the page."""
        known = {
            step.cite: (step.title, "", step.at, False)
            for one in self.report.stories
            for step in one.timeline
        }
        for section in self.report.sections:
            known |= {
                one.id(section.repo): (one.name, "", one.published_at, True)
                for one in section.releases
            }
            threads = ((one.id(section.repo), one) for one in section.issues)
            known |= {name: (one.title, one.author or "", one.at, True) for name, one in threads}
        known |= {
            name: (row.title, row.author, row.landed_at, True) for name, row in self.rows.items()
        }
        local = zone(self.report.window.tz)
        return {
            name: (
                title,
                " · ".join(filter(None, (author, f"{at.astimezone(local):%Y-%m-%d %H:%M}"))),
                told,
            )
            for name, (title, author, at, told) in known.items()
        }

    def sentence(self, claim: Claim, *, apart: bool = False) -> PageSentence:
        """Write a claim; `apart` from its commit it names that one as well. Speech stands between quotation marks."""
        text, label = (
            claim.text.get(self.lang, ""),
            "speech" if claim.speech else _LABELLED.get(claim.kind),
        )
        if claim.speech:
            text = " ".join(f"“{quote.text}”" for quote in claim.quotes)
        pieces = MARK.split(text)
        parts: list[str | Citation] = [*pieces[:1]]
        for mark, words in zip(pieces[1::2], pieces[2::2], strict=True):
            # A report that was changed by hand may mark what it does not cite; that says nothing.
            cited = claim.sources[int(mark) - 1 : int(mark)]
            parts += [*(self.citation(cite, claim, apart=apart) for cite in cited), words]
        if claim.predicate in _LINEAGE and claim.sources[-1] in self._known:
            parts.append(f"{self.words['signs']['aside']}{self._known[claim.sources[-1]][0]}")
        reported = self._reported(claim)
        for cite in reversed(reported):
            before, after = self.words["page"]["reported"].split("{}")
            parts[:0] = [
                before,
                self.citation(cite, claim, apart=apart),
                f"{after}{self.words['signs']['colon']}",
            ]
        if claim.attributed and not reported:
            parts.insert(0, f"{self.words['page']['attributed']}{self.words['signs']['colon']}")
        seen = {
            *reported,
            *(
                claim.sources[int(mark) - 1]
                for mark in pieces[1::2]
                if int(mark) <= len(claim.sources)
            ),
        }
        behind = tuple(
            self.citation(cite, claim, apart=apart) for cite in claim.sources if cite not in seen
        )
        label = self.words["page"][label] if label else ""
        told = "".join(one if isinstance(one, str) else one.name for one in parts).strip()
        return PageSentence(claim, label, tuple(parts), behind, told, words_in(f"{label} {told}"))

    def _reported(self, claim: Claim) -> tuple[EvidenceId, ...]:
        """Name the issues in which a sentence was reported, where nothing else anchors it."""
        cites = tuple(dict.fromkeys(anchor.cite for anchor in claim.anchors)) if claim.free else ()
        return cites if all(cite.is_thread and cite not in self._pulls for cite in cites) else ()

    def citation(
        self,
        cite: EvidenceId,
        claim: Claim | None = None,
        own: RepoId | None = None,
        *,
        apart: bool = False,
    ) -> Citation:
        """Cite an artefact; for a claim it opens on the lines that show what the claim says."""
        home = claim.repo if claim else own
        # In a sentence over all repositories a commit is called by its hash alone.
        home = cite.repo if home is None and not cite.is_thread else home
        name, url = named(cite, home, self.web, pull=cite in self._pulls)
        title, about, told = self._known.get(cite, ("", "", False))
        if claim is None:
            return Citation(cite, name, url, title, about, place_of(cite) if told else "")
        if cite in claim.background and cite.kind != "lines":
            about = " · ".join(filter(None, (about, self.words["site"]["background"])))
        is_own = claim.about[:1] == (cite,) and not apart
        place, excerpts = (
            place_of(cite) if told and not is_own else "",
            tuple(self._excerpts(cite, claim)),
        )
        return Citation(cite, name, url, title, about, place, is_own, excerpts)

    def _excerpts(self, cite: EvidenceId, claim: Claim) -> Iterator[PageExcerpt]:
        """Give the anchors of a claim in one artefact, else its quotations; none that another one holds."""
        found = [(one.file or "", one.text) for one in claim.anchors if one.cite == cite]
        found = found or [(one.file or "", one.text) for one in claim.quotes if one.cite == cite]
        kept = [
            one
            for one in found
            if not any(one != other and one[1].strip() in other[1] for other in found)
        ]
        texts: dict[str, list[str]] = {}
        for file, text in dict.fromkeys(kept):
            texts.setdefault(file, []).append(text.strip("\n"))
        for file, own in list(texts.items())[:_MOST_EXCERPTS]:
            yield self.excerpt(file, "\n".join(own), claim)

    def excerpt(self, file: str, text: str, claim: Claim) -> PageExcerpt:
        """Cut out the lines that name most of a claim, and mark them."""
        return _excerpt(file, text, _literals(claim.text.get(self.lang, "")))


def cut_title(row: LedgerRow) -> tuple[str, int | None]:
    """Part the title from the number of its pull request, which squash merges put at the end in parentheses."""
    number = row.pull or pull_number(row.title)
    return row.title.rstrip().removesuffix(f"(#{number})").rstrip(), number


def without(claims: Iterable[Claim], others: Iterable[Claim]) -> list[Claim]:
    """Return the claims that are not among others, each as itself: two may be equal."""
    excluded = {id(claim) for claim in others}
    return [claim for claim in claims if id(claim) not in excluded]


def is_breaking(claim: Claim) -> bool:
    """Tell whether a claim states a fact that breaks what users reach."""
    return claim.params.get("severity") == Severity.BREAKING


def is_telling(claim: Claim) -> bool:
    """Tell whether a claim says more than that something changed, so that a brief may be made of it."""
    return claim.kind is Kind.FACT and bool(claim.text) and claim.predicate not in _WEAK


def is_private(claim: Claim) -> bool:
    """Tell whether a claim is about names that users do not reach."""
    parts = _BETWEEN.split(claim.params.get("name", ""))
    return claim.params.get("severity") == Severity.INTERNAL or any(
        one[:1] == "_" != one[1:2] for one in parts
    )


@lru_cache(maxsize=8_192)  # Both languages and several pages show the same lines
def _excerpt(file: str, text: str, literals: tuple[str, ...]) -> PageExcerpt:
    lines = text.strip("\n").split("\n")
    is_diff = bool(file) and any(line[:1] in ("+", "-") for line in lines)
    hits = [any(literal in line for literal in literals) for line in lines]
    starts = range(max(1, len(lines) - _MOST_LINES + 1))
    start = max(starts, key=lambda at: (sum(hits[at : at + _MOST_LINES]), -at))
    shown = zip(lines[start : start + _MOST_LINES], hits[start:], strict=False)
    return PageExcerpt(
        file,
        tuple(
            ExcerptLine(one, one[:1] if is_diff and one[:1] in "+-" else "", hit)
            for one, hit in shown
        ),
    )


@lru_cache(maxsize=4_096)
def _literals(text: str) -> tuple[str, ...]:
    """List the names, numbers and values that a sentence has, as they stand in code: whole, and their last parts."""
    found: list[str] = []
    for code in _CODE.findall(text):
        found += [code, *(part for part in _BETWEEN.split(code) if len(part) > 2)]
    bare = _CODE.sub(" ", MARK.sub(" ", text))
    found += [word for word in _WORD.findall(bare) if _LITERAL.search(word)]
    return tuple(one for one in found if len(one) > 1)
