"""The claims of a merged report: new ones, and those of the earlier run that stay."""

from dataclasses import dataclass
from functools import cached_property

from agent.domain.account import Account
from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.report import Report
from agent.reports.rerun.merged_ledger import MergedLedger
from agent.reports.rerun.repositories import MergedRepositories
from agent.reports.rerun.topics_of_judged_parts import JudgedTopic, topic_of, topics_of

_BY_MODEL = "model "  # How the name of an analyst begins that is a model


@dataclass(frozen=True)
class MergedClaims:
    """The claims of both runs."""

    earlier: Report
    new: Report
    repositories: MergedRepositories
    ledger: MergedLedger

    @cached_property
    def new_topics(self) -> frozenset[JudgedTopic]:
        """The topics on which the new run has something judged."""
        return topics_of(self.new)

    @cached_property
    def kept(self) -> tuple[Claim, ...]:
        """The earlier claims that stay, of repositories that both runs cover or of several."""
        kept: list[Claim] = []
        for claim in self.earlier.claims:
            if not self.repositories.is_uncovered(claim) and self._stays(claim):
                kept.append(claim)
        return tuple(kept)

    def _stays(self, claim: Claim) -> bool:
        commits = _commits_of(claim)
        if not self.ledger.has_landed(commits):
            return False
        topic = topic_of(claim)
        if topic is not None:
            return topic not in self.new_topics
        if claim.repo is None:
            return not self.repositories.has_read(claim.sources)
        return bool(commits & self.ledger.read_less)

    @cached_property
    def analysed_before(self) -> frozenset[EvidenceId]:
        """The commits whose analysis is kept."""
        return frozenset(claim.about[0] for claim in self.kept if claim.free and claim.about)

    @cached_property
    def all(self) -> tuple[Claim, ...]:
        """All claims: within a repository analysis comes first, then what code says."""
        claims = self.repositories.uncovered(self.earlier.claims)
        claims += [claim for claim in self.new.claims if claim.free]
        claims += [claim for claim in self.kept if claim.free]
        by_code: list[Claim] = []
        for claim in self.new.claims:
            if not claim.free and not self._is_superseded(claim):
                by_code.append(claim)
        ids = {claim.id for claim in by_code}
        for claim in self.kept:
            if not claim.free:
                # Code numbers what it says, and may have given the number to something else.
                name = f"{claim.id}.kept" if claim.id in ids else claim.id
                claims.append(claim.model_copy(update={"id": name}))
        claims += by_code
        return self.repositories.in_order(claims)

    def _is_superseded(self, claim: Claim) -> bool:
        """Return True if kept claims say more of the same commit, or of the same two commits."""
        if claim.repo is not None and self.ledger.read_less.intersection(claim.about[:1]):
            return True
        sources = set(claim.sources)
        for kept in self.kept:
            if kept.free or not kept.judged_by or len(kept.sources) < 2:
                continue
            if kept.about[:1] == claim.about[:1] and sources.issuperset(kept.sources):
                return True
        return False

    def account(self, repo: RepoId | None, before: Account, account: Account) -> Account:
        """Return an account that counts the kept analysis of the earlier run.

        Its judge's counts are kept, too, if the new run has no analysis of its own.
        """
        kept_commits: dict[EvidenceId, None] = {}
        kept_summaries = 0
        for claim in self.kept:
            if not claim.free or claim.repo != repo:
                continue
            if claim.about:
                kept_commits[claim.about[0]] = None
            else:
                kept_summaries += 1
        if not kept_commits and not kept_summaries:
            return account
        is_analysed = any(claim.free and claim.repo == repo for claim in self.new.claims)
        return account.model_copy(
            update={
                "kept": tuple(kept_commits),
                "kept_summaries": kept_summaries,
                "judging": account.judging if is_analysed else before.judging,
            }
        )

    def analyst(self) -> str:
        """Return the models whose analysis is in the report, else the new run's analyst."""
        new_objects = {id(claim) for claim in self.new.claims}
        models: list[str] = []
        for claim in self.all:
            analyst = self.new.analyst if id(claim) in new_objects else self.earlier.analyst
            if claim.free and analyst.startswith(_BY_MODEL):
                models += analyst.removeprefix(_BY_MODEL).split(", ")
        if not models:
            return self.new.analyst
        return _BY_MODEL + ", ".join(dict.fromkeys(models))


def _commits_of(claim: Claim) -> set[EvidenceId]:
    """Return the commits that must be in the ledger for a claim to stay."""
    if claim.about:
        return {claim.about[0]}
    return {cite for cite in claim.cites if not cite.is_thread}
