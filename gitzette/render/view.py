"""A report as pages look at it: what is said of each commit, what was undone, and which tier holds in the end."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import Claim, Kind, Role
from agent.domain.facts import Severity
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.links import Act, undone_pairs
from agent.domain.report import Report
from agent.editions.own_code import MOST_PLACES
from agent.telling.sentences import names_alone
from agent.telling.words import catalogue
from agent.web import Web
from gitzette.render.addresses import SHORT
from gitzette.render.model import row_id

WEAK = ("refers to", "refers as said", "changes lines", "continues", "same work")
"""Statements about an earlier commit that are no news by themselves."""
_PASSED = ("fact", "facts", "undoes", "shows")
_BREAKING = f'"severity":"{Severity.BREAKING.value}"'
_CODE = re.compile(r"`+([^`]+)`+")
_SQUASHED = re.compile(r"\(#([1-9]\d{0,8})\)$")


class View:
    """One report in one language."""

    def __init__(self, report: Report, lang: Language, web: Web) -> None:
        self.report, self.lang, self.web = report, lang, web
        self.words: dict[str, Any] = catalogue(lang)
        self.rows = {row_id(row): row for row in report.ledger}
        self._pairs = [pair for story in report.stories for pair in undone_pairs(story)]
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
                if step.act is Act.LANDED_AGAIN and last in self.rows and step.cite in self.rows:
                    found[last] = step.cite
                if step.act is not Act.RELEASED:
                    last = step.cite if step.act is Act.UNDONE else ""
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
        found = (one.text.get(self.lang) for one in self.said(row) if one.role is Role.HEADLINE)
        return next(filter(None, found), "")

    def analysis(self, row: LedgerRow) -> list[Claim]:
        """List the sentences that a model wrote of a commit in this language, advice last."""
        free = [one for one in self.said(row) if one.free and one.role is not Role.HEADLINE and one.text.get(self.lang)]
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


def cut_title(row: LedgerRow) -> tuple[str, int | None]:
    """Part the title from the number of its pull request, which squash merges put at the end in parentheses."""
    words, number = row.title.rstrip(), row.pull
    if found := _SQUASHED.search(words):
        number = number or int(found[1])
        words = words[: found.start()].rstrip() if int(found[1]) == number else words
    return words, number


def is_breaking(claim: Claim) -> bool:
    """Tell whether a claim states a fact, or one of several, that breaks what users reach."""
    return claim.params.get("severity") == Severity.BREAKING or _BREAKING in claim.params.get("facts", "")


def untold(claims: Sequence[Claim], sentences: Sequence[Claim]) -> list[Claim]:
    """Choose what stays in sight beside analysis: breaking facts and links that no sentence names."""
    texts = "\n".join("\n".join((*one.text.values(), *(anchor.text for anchor in one.anchors))) for one in sentences)
    kept = []
    for claim in claims:
        others = {} if claim.speech else {*claim.sources} - {*claim.about[:1]}
        names = [one[-40:][:SHORT] if "@" in one else f"#{one.rpartition('#')[2]}" for one in others]
        if is_breaking(claim):
            names = [re.split(r"[.:]", name)[-1] for name in _CODE.findall(claim.text.get("en", ""))]
        if names and not all(name in texts for name in names):
            kept.append(claim)
    return kept
