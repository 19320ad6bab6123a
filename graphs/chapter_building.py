"""Building the chapter of a repository: a row for every landed commit, claims, links and stories."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent.domain.account import Account
from agent.domain.affected_versions import Affected
from agent.domain.commits import Change
from agent.domain.evidence import Material
from agent.domain.ledger import FIXES, LedgerRow
from agent.domain.placement import Importance, Placement
from agent.domain.report import Failure, RepoSection
from agent.domain.threads import Release
from agent.editor.placements import settled_placements, sorted_groups
from agent.gate.check import refusals
from agent.links.searchable_issues import Known
from agent.ports import CodeSource
from agent.reports.chapter import (
    Chapter,
    budget_notices,
    checked_claims,
    count_files,
    issue_news,
    ledger_of,
    release_news,
)
from agent.stories.dependency_version_changes import DependencyMove, dependency_moves
from agent.triage.collected_commits import Collected, evidence_set_of
from graphs.run_context import RunContext
from graphs.state import FileInput
from tools.affected_versions import affected_versions, first_releases
from tools.history.find_stories import published_stories
from tools.history.story_releases import release_stories, tags_of_window
from tools.release_notes_from_commits import with_notes


@dataclass(frozen=True, kw_only=True)
class ChapterBuilder:
    """Puts together what the steps of a repository found."""

    state: FileInput
    context: RunContext
    code: CodeSource
    material: Material

    async def chapter(self) -> Chapter:
        """Return the chapter, and keep in mind which issues are open."""
        state = self.state
        context = self.context
        material = self.material
        repo = state["spec"].name
        collected = state["first_look"]
        claims, drops = checked_claims(
            state["facts"],
            state["analysis"],
            [*state["edited"].refused, *state["refused"]],
            evidence_set_of(material, collected),
            refusals,
        )
        issues = context.issues.known(repo, state["window"])
        is_first_listing = not context.issues.known_open(repo, state["window"])
        context.issues.remember(repo, collected.threads, relisted=is_first_listing)
        account = await self._account()
        releases = await tags_of_window(self.code, state["window"], collected.threads.releases)
        section = await self._section(account, issues, releases)
        placements = self._placements()
        ledger = await self._ledger(account, placements)
        recent_stories = context.stories.recent(repo, state["window"])
        released = await release_stories(self.code, material, issues, releases, recent_stories)
        return Chapter(
            section=section,
            ledger=ledger,
            groups=sorted_groups(state["edited"].groups, placements),
            claims=claims,
            links=tuple(material.links),
            stories=(*published_stories(state["stories"], claims, material.links), *released),
            related=tuple(state["related"]),
            dependency_moves=_dependency_moves(material),
            drops=drops,
            failures=(*collected.failures, *_fact_failures(material)),
        )

    async def _account(self) -> Account:
        """Return what the models were asked for the repository, and what was assumed of them."""
        models = self.context.models
        account = self.state["edited"].account + self.state["account"]
        if models is None or not account.spent.calls:
            return account
        assumed_contexts = await models.assumed_contexts(self.state["spec"].name)
        return account + Account(assumed_contexts=assumed_contexts)

    async def _section(
        self, account: Account, issues: Known, releases: tuple[Release, ...]
    ) -> RepoSection:
        repo = self.state["spec"].name
        window = self.state["window"]
        collected = self.state["first_look"]
        landing = collected.landing
        threads = collected.threads
        return RepoSection(
            repo=repo,
            branch=landing.branch,
            tip=landing.tip,
            known_tip=self.context.landings.known_tip(repo, window) or "",
            first_tip=landing.tip,
            files=count_files(_landed_changes(self.material, collected)),
            coverage=threads.coverage,
            coverage_notices=threads.notices,
            issues=issue_news(threads, window, self.material.links, issues),
            releases=await with_notes(self.code, release_news(releases, window)),
            notices=(*landing.notices, *budget_notices(self._left_out)),
            account=account,
        )

    @property
    def _left_out(self) -> Mapping[str, str]:
        """Why commits are not explained, by their hashes; empty where no model explains any."""
        return self.state["share"].left_out if self.context.models is not None else {}

    def _placements(self) -> Mapping[str, Placement]:
        collected = self.state["first_look"]
        used = {use.sha for use in collected.own_uses}
        ranking = self.state["reading"].ranking
        return settled_placements(self.state["edited"], ranking, collected.shas, used)

    async def _ledger(
        self, account: Account, placements: Mapping[str, Placement]
    ) -> tuple[LedgerRow, ...]:
        reads = self.material.reads
        affected = await self._affected_versions(placements)
        fixes = [commit.evidence for commit in reads if commit.triage.purpose in FIXES]
        fixed_in = await first_releases(self.code, fixes, until=self.state["window"].end)
        return ledger_of(
            self.state["first_look"],
            reads,
            account,
            placements,
            self._left_out,
            affected,
            fixed_in,
        )

    async def _affected_versions(self, placements: Mapping[str, Placement]) -> dict[str, Affected]:
        """Find which versions have the faults that commits mend, by the hashes of the fixes.

        The lines of a fix are followed to their writer where the commit gets a card.
        """
        affected: dict[str, Affected] = {}
        for commit in self.material.reads:
            sha = commit.evidence.change.commit.sha
            placement = placements.get(sha)
            importance = commit.triage.importance if placement is None else placement.importance
            versions = await affected_versions(
                self.code,
                commit.evidence,
                self.context.evidence_cache,
                until=self.material.window.end,
                follow_lines=importance >= Importance.WORTH_KNOWING,
            )
            if versions is not None:
                affected[sha] = versions
        return affected


def _landed_changes(material: Material, collected: Collected) -> list[Change]:
    """Return the diffs of the commits that landed in the window; late ones are not among them."""
    on_time = {row.commit.id for row in collected.rows}
    changes: list[Change] = []
    for commit in material.reads:
        if commit.evidence.id in on_time:
            changes.append(commit.evidence.change)
    return changes


def _dependency_moves(material: Material) -> tuple[DependencyMove, ...]:
    moves: list[DependencyMove] = []
    for commit in material.reads:
        moves += dependency_moves(commit.evidence)
    return tuple(moves)


def _fact_failures(material: Material) -> Iterator[Failure]:
    """Yield a failure for each commit whose facts could not be found."""
    for commit in material.reads:
        sheet = commit.evidence.sheet
        if sheet is not None and sheet.problem:
            sha = commit.evidence.change.commit.sha
            message = f"{sha[:12]}: {sheet.problem}"
            yield Failure(repo=material.repo, stage="facts", message=message)
