"""A report as a layout looks at it: what is said of each commit, and what belongs together."""

from collections import defaultdict
from functools import cached_property

from agent.claims import Claim, Role
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.layouts.rows import short_hashes
from agent.report import LedgerRow, Report, RepoSection
from agent.settings import Language
from agent.stories import undone_pairs
from agent.triage import Tier
from agent.web import Web
from agent.wordings import words

_LINEAGE = ("undoes", "relands", "undone", "relands part", "mends", "follows", "fixes", "likely fixes")


class View:
    """One report in one language."""

    def __init__(self, report: Report, lang: Language, web: Web) -> None:
        self.report = report
        self.lang = lang
        self.web = web
        self.say = words(lang)

    @cached_property
    def _claims(self) -> dict[EvidenceId, list[Claim]]:
        found: dict[EvidenceId, list[Claim]] = defaultdict(list)
        for claim in self.report.claims:
            if claim.about:
                found[claim.about[0]].append(claim)
        return found

    @cached_property
    def _rows(self) -> dict[RepoId, list[LedgerRow]]:
        found: dict[RepoId, list[LedgerRow]] = defaultdict(list)
        for row in self.report.ledger:
            found[row.repo].append(row)
        return found

    @cached_property
    def _short(self) -> dict[RepoId, dict[str, str]]:
        tips = {section.repo: section.tip or "" for section in self.report.sections}
        return {repo: short_hashes((*(row.sha for row in self._rows.get(repo, ())), tip)) for repo, tip in tips.items()}

    @cached_property
    def undone_by(self) -> dict[EvidenceId, LedgerRow]:
        """Tell which commits of the window another commit of the window undid."""
        known = {row_id(row): row for row in self.report.ledger}
        pairs = [pair for story in self.report.stories for pair in undone_pairs(story)]
        return {one: known[other] for one, other in pairs if one in known and other in known}

    @cached_property
    def undid(self) -> dict[EvidenceId, LedgerRow]:
        """Tell which commit of the window each of these undid."""
        known = {row_id(row): row for row in self.report.ledger}
        return {row_id(later): known[earlier] for earlier, later in self.undone_by.items()}

    def rows(self, repo: RepoId) -> list[LedgerRow]:
        """List one repository's ledger."""
        return self._rows.get(repo, [])

    def items(self, repo: RepoId, tier: Tier | None) -> list[LedgerRow]:
        """List what is told in a tier, heaviest first; a change that was undone is told with what undid it."""
        rows = [row for row in self.rows(repo) if self._tier(row) is tier]
        joined = [row for row in rows if row_id(row) not in self.undone_by]
        return sorted(joined, key=lambda row: -row.weight)

    def _tier(self, row: LedgerRow) -> Tier | None:
        """Give the tier of a row; a title that was listed without its diff stands with the small ones."""
        return Tier.LOW if row.tier is None and row.files is None and row.depth.value == "list" else row.tier

    def short(self, row: LedgerRow) -> str:
        """Give the hash as short as it is unique."""
        return self._short[row.repo][row.sha]

    def tip(self, section: RepoSection) -> str:
        """Give the short hash of the branch's tip."""
        return self._short[section.repo][section.tip or ""]

    def said(self, row: LedgerRow, *roles: Role) -> list[Claim]:
        """List what is said of a commit, in order."""
        return [claim for claim in self._claims.get(row_id(row), ()) if claim.role in roles or not roles]

    def lead(self, row: LedgerRow) -> list[Claim]:
        """Choose what is said of a commit in one line: what it undoes or fixes, and its first news."""
        claims = self.said(row, Role.CHANGE, Role.EFFECT)
        news = [claim for claim in claims if claim.predicate not in _LINEAGE and (claim.text or claim.speech)]
        return [claim for claim in claims if claim.predicate in _LINEAGE][:1] + news[:1]

    def breaking(self, row: LedgerRow) -> bool:
        """Tell whether something is said of a commit that breaks what worked."""
        return any(
            claim.params.get("severity") == "breaking" or '"severity":"breaking"' in claim.params.get("facts", "")
            for claim in self.said(row, Role.CHANGE)
        )


def row_id(row: LedgerRow) -> EvidenceId:
    """Give the name under which a row is cited."""
    return f"{row.repo}@{row.sha}"
