"""A report as a layout looks at it: what is said of each commit, and what belongs together."""

from collections import defaultdict
from functools import cached_property

from agent.claims import Claim, Kind, Role
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.layouts.rows import cut_title, short_hashes
from agent.layouts.told_facts import is_breaking, untold
from agent.report import LedgerRow, Report, RepoSection
from agent.settings import Language
from agent.stories import Act, undone_pairs
from agent.triage import Tier
from agent.web import Web
from agent.wordings import words

_LINEAGE = (
    *("undoes", "relands", "undone", "relands part", "undoes part", "mends", "continues", "fixes", "likely fixes"),
    *("changes lines", "changes new lines", "refers to", "refers as said"),
)
_PASSED = ("fact", "facts", "undoes", "shows")


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
        """Tell which commits of the window another commit of the window undid; of several the first, told with it."""
        known = {row_id(row): row for row in self.report.ledger}
        pairs = [pair for story in self.report.stories for pair in undone_pairs(story)]
        standing = [(one, other) for one, other in pairs if other not in self._taken_back]
        firsts = {other: one for one, other in reversed(standing) if one in known and other in known}
        return {one: known[other] for other, one in firsts.items()}

    @cached_property
    def _taken_back(self) -> dict[EvidenceId, EvidenceId]:
        """Tell which commits of the window were reverts that did not last: the change landed again, and by which."""
        known = {row_id(row) for row in self.report.ledger}
        found: dict[EvidenceId, EvidenceId] = {}
        for story in self.report.stories:
            last = ""
            for step in story.timeline:
                if step.act is Act.LANDED_AGAIN and last in known and step.cite in known:
                    found[last] = step.cite
                if step.act is not Act.RELEASED:
                    last = step.cite if step.act is Act.UNDONE else ""
        return found

    @cached_property
    def _outlived(self) -> set[EvidenceId]:
        """Name the reverts that did not last, and what landed again where the report has the first landing as well."""
        known = {row_id(row) for row in self.report.ledger}
        pairs = [pair for story in self.report.stories for pair in undone_pairs(story)]
        again = {self._taken_back[other] for one, other in pairs if one in known and other in self._taken_back}
        return {*self._taken_back, *again}

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
        rows = [row for row in self.rows(repo) if self.tier(row) is tier]
        joined = [row for row in rows if row_id(row) not in self.undone_by]
        return sorted(joined, key=self.order)

    def order(self, row: LedgerRow) -> tuple[bool, float]:
        """Give the place of a row among others: the heaviest first, but what is out again behind what is in."""
        return row_id(row) in self.undid, -row.weight

    def count(self, repo: RepoId, tier: Tier | None) -> int:
        """Count the commits that are told in a tier: a change and what undid it are two."""
        return self.commits(self.items(repo, tier))

    def commits(self, items: list[LedgerRow]) -> int:
        """Count the commits of which these items tell."""
        return sum(2 if row_id(row) in self.undid else 1 for row in items)

    def tier(self, row: LedgerRow) -> Tier | None:
        """Give the tier of a row by how things stand in the end: what was undone again asks nobody to act.

        A title that was listed without its diff stands with the small ones.
        """
        if row.tier is None and row.files is None and row.depth.value == "list":
            return Tier.LOW
        if row.tier in (Tier.HIGH, Tier.MID) and row_id(row) in self._outlived:
            return Tier.LOW
        return Tier.MID if row.tier is Tier.HIGH and row_id(row) in self.undid else row.tier

    def short(self, row: LedgerRow) -> str:
        """Give the hash as short as it is unique."""
        return self._short[row.repo][row.sha]

    def tip(self, section: RepoSection) -> str:
        """Give the short hash of the branch's tip."""
        return self._short[section.repo][section.tip or ""]

    def said(self, row: LedgerRow, *roles: Role) -> list[Claim]:
        """List what is said of a commit, in order."""
        claims = [claim for claim in self._claims.get(row_id(row), ()) if claim.role in roles or not roles]
        # Told alone, that a change was undone would say that it is out.
        return [one for one in claims if one.predicate != "undone" or not self._taken_back.keys() & set(one.sources)]

    def summary(self, repo: RepoId) -> list[Claim]:
        """List what is said of a repository's day as a whole."""
        whole = [claim for claim in self.report.claims if claim.repo == repo and not claim.about]
        return [claim for claim in whole if claim.role is Role.SUMMARY and claim.text.get(self.lang)]

    def brief(self) -> list[Claim]:
        """List what is said of the whole report."""
        return [claim for claim in self.report.claims if claim.role is Role.BRIEF and claim.text.get(self.lang)]

    @cached_property
    def pulls(self) -> frozenset[EvidenceId]:
        """Name the pull requests that brought the commits of the report."""
        numbers = ((row.repo, cut_title(row)[1]) for row in self.report.ledger)
        return frozenset(f"{repo}#{number}" for repo, number in numbers if number)

    def headline(self, row: LedgerRow) -> Claim | None:
        """Find what a commit does in the reader's language."""
        return next((one for one in self.said(row, Role.HEADLINE) if one.text.get(self.lang)), None)

    def analysis(self, row: LedgerRow) -> list[Claim]:
        """List the sentences that a model wrote of a commit in this language, advice last."""
        free = [one for one in self.said(row) if one.free and one.role is not Role.HEADLINE and one.text.get(self.lang)]
        return sorted(free, key=lambda claim: claim.kind is Kind.ADVICE)

    def evidence(self, row: LedgerRow) -> list[Claim]:
        """List what code says and quotes of a commit, without risk and advice."""
        return [claim for claim in self.said(row, Role.CHANGE, Role.EFFECT, Role.SUMMARY) if not claim.free]

    def untold(self, row: LedgerRow) -> list[Claim]:
        """List what stays in sight beside the analysis: breaking facts and links that it does not tell."""
        return untold(self.evidence(row), self.analysis(row))

    def consequences(self, row: LedgerRow, role: Role) -> list[Claim]:
        """List risks or advice of the rules; beside analysis only those of breaking facts that it does not tell."""
        claims = [claim for claim in self.said(row, role) if not claim.free]
        sentences = self.analysis(row)
        return untold(filter(is_breaking, claims), sentences) if sentences else claims

    def said_of_pair(self, earlier: LedgerRow, later: LedgerRow) -> list[Claim]:
        """List what holds in the end of a change and what undid it: not what the one brought and the other took."""
        own = [claim for claim in self.evidence(later) if claim.predicate not in _PASSED]
        return [one for one in self.said(earlier, Role.CHANGE) if one.predicate == "undone"] + own

    def lead(self, row: LedgerRow) -> list[Claim]:
        """Choose what is said of a commit in one line: its first advice or sentence of analysis.

        Without analysis it is what the commit undoes or fixes, and its first news.
        """
        if earlier := self.undid.get(row_id(row)):
            return [claim for claim in self.said_of_pair(earlier, row) if claim.predicate == "undone"]
        if sentences := self.analysis(row):
            return [next((one for one in sentences if one.kind is Kind.ADVICE), sentences[0])]
        claims = self.evidence(row)
        news = [claim for claim in claims if claim.predicate not in _LINEAGE and (claim.text or claim.speech)]
        lineage = [claim for claim in claims if claim.predicate in _LINEAGE]
        return lineage[:1] + news[:1]

    def breaking(self, row: LedgerRow) -> bool:
        """Tell whether something is said of a commit that breaks what worked."""
        return row_id(row) not in self.undid and any(is_breaking(claim) for claim in self.said(row, Role.CHANGE))


def row_id(row: LedgerRow) -> EvidenceId:
    """Give the name under which a row is cited."""
    return f"{row.repo}@{row.sha}"
