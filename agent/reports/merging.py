"""Merges a new run of a window with the report that the window already has."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeVar

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, LedgerRow, OwnUse
from agent.domain.links import Link, Story
from agent.domain.placement import CommitGroup, Placement
from agent.domain.report import Drop, Failure, ReleaseLine, Report, RepoSection
from agent.domain.spending import Account
from agent.domain.window import Window
from agent.editor.placements import in_order
from agent.links.admitted import are_of_one_pair, with_link

KEPT = "; analysis of an earlier run"  # How the reason of such a row ends
_DEPTHS: tuple[Depth, ...] = ("failed", "list", "group", "skim", "deep")
_UNREAD: tuple[Depth, ...] = ("failed", "list")
_BY_MODEL = "model "  # How the name of an analyst begins that is a model
ReportPart = RepoSection | LedgerRow | Claim | Link | Story | CommitGroup | Drop | OwnUse
P = TypeVar("P", bound=ReportPart)


def merge(earlier: Report, new: Report) -> Report:
    """Return a report of both runs of a window: the new one, completed from the earlier one.

    - A repository that the new run did not cover keeps all its parts. One whose name turned out to
      be unknown is left out.
    - Of a repository that both cover, facts and rows are those of the new run.
    - Claims that a judge admitted stay, unless the new run has judged claims on the same topic, as
      long as their commits are in the ledger: a commit never changes.
    - Where a model edited the repository before and only rules did so now, commits keep the places
      and groups that the model gave them.
    - A commit that the new run read less closely stays as it was read before, and so do threads that
      it could not read. Data that only a clone has stays where the new run had none: the notes of
      releases, and the versions that a fix affects.
    """
    return _Merger(earlier, new).report()


class _Topic(NamedTuple):
    """The topic of a judged part of a report; a new part replaces the earlier one on its topic."""

    kind: Literal["analysis", "relations", "summary", "brief"]
    about: EvidenceId | RepoId | None  # A commit, or a repository; None for the brief


def _with_earlier_notes(
    releases: Iterable[ReleaseLine], before: Iterable[ReleaseLine]
) -> tuple[ReleaseLine, ...]:
    """Return releases with their notes, those of the earlier run where this one has none."""
    notes = {release.tag: release.notes for release in before}
    merged: list[ReleaseLine] = []
    for release in releases:
        if release.notes is None:
            release = release.model_copy(update={"notes": notes.get(release.tag)})
        merged.append(release)
    return tuple(merged)


def _topic_of(claim: Claim) -> _Topic | None:
    """Return the topic of a judged claim; None for what code alone says."""
    if claim.free and claim.role == "brief":
        return _Topic("brief", None)
    if claim.free and claim.role == "summary" and not claim.about:
        return _Topic("summary", claim.repo)
    if not claim.about:
        return None
    if claim.free:
        return _Topic("analysis", claim.about[0])
    if claim.judged_by:
        return _Topic("relations", claim.about[0])
    return None


@dataclass(frozen=True)
class _Merger:
    """Merges two reports of one window, part by part."""

    earlier: Report
    new: Report

    def report(self) -> Report:
        """Return the merged report."""
        return Report(
            window=self._window,
            repos=self._repos,
            sections=self._in_order(self._sections()),
            ledger=self._ledger(),
            failures=(*self._standing_failures(), *self.new.failures),
            claims=self._claims,
            links=self._in_order(self._links()),
            stories=self._in_order(self._stories()),
            groups=self._in_order(self._groups()),
            drops=self._in_order(self._replaced(self.earlier.drops, self.new.drops)),
            uses=self._in_order(self._replaced(self.earlier.uses, self.new.uses)),
            analyst=self._analyst(),
            account=self._account(None, self.earlier.account, self.new.account),
        )

    # ------------------------------------------------------------ repositories

    @cached_property
    def _covered(self) -> frozenset[RepoId]:
        """The repositories that the new run could read."""
        return _repos_of(self.new.sections)

    @cached_property
    def _repos(self) -> tuple[RepoId, ...]:
        """All repositories in their order, without names that turned out to be unknown."""
        existing = {*_repos_of(self.earlier.sections), *self.new.repos}
        for failure in self.earlier.failures:
            if failure.repo is not None and not failure.unknown:
                existing.add(failure.repo)
        requested = dict.fromkeys((*self.earlier.repos, *self.new.repos))
        return tuple(repo for repo in requested if repo in existing)

    def _in_order(self, parts: Iterable[P]) -> tuple[P, ...]:
        """Sort parts by their repositories; parts about several repositories come last."""
        order = {str(repo): number for number, repo in enumerate(self._repos)}
        return tuple(sorted(parts, key=lambda part: order.get(_repo_of(part), len(order))))

    def _is_uncovered(self, part: ReportPart) -> bool:
        """Return True for a part of one repository that the new run did not read."""
        repo = _repo_of(part)
        return repo in self._repos and repo not in self._covered

    def _uncovered(self, earlier: Iterable[P]) -> list[P]:
        """Return the earlier parts of repositories that the new run did not read."""
        return [part for part in earlier if self._is_uncovered(part)]

    def _replaced(self, earlier: Iterable[P], new: Iterable[P]) -> list[P]:
        """Return the new parts, and the earlier ones of repositories that were not covered."""
        parts = [*self._uncovered(earlier), *new]
        if not self._covered:
            parts += [part for part in earlier if not _repo_of(part)]
        return parts

    @cached_property
    def _window(self) -> Window:
        """The window with the earlier cutoff: that of the repository that was read first."""
        windows = [self.new.window]
        if self._uncovered(self.earlier.sections):
            windows.append(self.earlier.window)
        return min(windows, key=lambda window: window.cutoff or window.end)

    def _standing_failures(self) -> Iterator[Failure]:
        """Yield the earlier failures that the new run did not settle."""
        repeated = {(failure.repo, failure.stage) for failure in self.new.failures}
        for failure in self.earlier.failures:
            if (failure.repo, failure.stage) in repeated:
                continue
            is_settled = bool(self._covered)
            if failure.repo is not None:
                is_settled = failure.repo in self._covered or failure.repo not in self._repos
            if not is_settled:
                yield failure

    # ------------------------------------------------------------ the ledger

    def _ledger(self) -> tuple[LedgerRow, ...]:
        ledger: list[LedgerRow] = []
        for row in self._rows.values():
            ledger.append(self._placed(self._explained(row)))
        return tuple(ledger)

    @cached_property
    def _earlier_rows(self) -> dict[EvidenceId, LedgerRow]:
        return {row.id: row for row in self.earlier.ledger}

    @cached_property
    def _read_less(self) -> frozenset[EvidenceId]:
        """The commits that the earlier run read closely, or at all, and the new one did not."""
        commits = set()
        for row in self.new.ledger:
            before = self._earlier_rows.get(row.id)
            if before is None:
                continue
            is_lost = row.depth in _UNREAD and before.depth not in _UNREAD
            if is_lost or (before.depth == "deep" and row.depth != "deep"):
                commits.add(row.id)
        return frozenset(commits)

    @cached_property
    def _rows(self) -> dict[EvidenceId, LedgerRow]:
        """Every landed commit with its row, before analysis that is kept is noted in it."""
        rows = self._uncovered(self.earlier.ledger)
        for row in self.new.ledger:
            before = self._earlier_rows.get(row.id)
            if before is not None and row.id in self._read_less:
                rows.append(before)
            elif before is not None and row.affected is None:
                rows.append(row.model_copy(update={"affected": before.affected}))
            else:
                rows.append(row)
        return {row.id: row for row in self._in_order(rows)}

    def _has_landed(self, commits: Iterable[EvidenceId]) -> bool:
        """Return True if all of some commits are in the merged ledger."""
        return self._rows.keys() >= set(commits)

    def _explained(self, row: LedgerRow) -> LedgerRow:
        """Return a row that says how the run read the commit whose analysis is printed."""
        if row.id not in self._analysed_before:
            return row
        before = self._earlier_rows[row.id]
        is_less_deep = _DEPTHS.index(before.depth) < _DEPTHS.index(row.depth)
        deepest = row if is_less_deep else before
        reason = deepest.reason.removesuffix(KEPT) + KEPT
        return row.model_copy(update={"depth": deepest.depth, "reason": reason})

    @cached_property
    def _edited_before(self) -> frozenset[RepoId]:
        """The repositories that a model edited in the earlier run, and only rules in the new one."""
        return _edited_by_model(self.earlier) & self._covered - _edited_by_model(self.new)

    @cached_property
    def _placements(self) -> dict[EvidenceId, Placement]:
        """The places of the commits whose repositories are still edited as they were before."""
        placements: dict[EvidenceId, Placement] = {}
        for repo in self._edited_before:
            by_sha: dict[str, Placement] = {}
            for row in self._rows.values():
                if row.repo != repo:
                    continue
                before = self._earlier_rows.get(row.id)
                placement = before.placement if before else row.placement
                if placement is not None:
                    by_sha[row.sha] = placement
            for sha, placement in in_order(by_sha).items():
                placements[EvidenceId.listed(repo, revision=sha)] = placement
        return placements

    def _placed(self, row: LedgerRow) -> LedgerRow:
        """Return a row with the place that a model gave the commit, else with that of the new run."""
        placement = self._placements.get(row.id) or self._new_placements.get(row.id)
        return row if placement is None else row.model_copy(update={"placement": placement})

    @cached_property
    def _new_placements(self) -> dict[EvidenceId, Placement | None]:
        return {row.id: row.placement for row in self.new.ledger}

    def _groups(self) -> list[CommitGroup]:
        groups = self._uncovered(self.earlier.groups)
        for group in self.earlier.groups:
            if group.repo in self._edited_before and self._has_landed(group.commits):
                groups.append(group)
        return [*groups, *self.new.groups]

    # ------------------------------------------------------------ claims

    @cached_property
    def _taken(self) -> frozenset[_Topic]:
        """The topics on which the new run has something judged."""
        topics: set[_Topic] = set()
        for claim in self.new.claims:
            topic = _topic_of(claim)
            if topic is not None:
                topics.add(topic)
        for link in self.new.links:
            if link.judged_by:
                topics.add(_Topic("relations", link.change))
        for story in self.new.stories:
            if story.judged_by:
                topics |= _relation_topics(story)
        return frozenset(topics)

    @cached_property
    def _kept(self) -> tuple[Claim, ...]:
        """The earlier claims that stay, of repositories that both runs cover or of several."""
        kept: list[Claim] = []
        for claim in self.earlier.claims:
            if not self._is_uncovered(claim) and self._stays(claim):
                kept.append(claim)
        return tuple(kept)

    def _stays(self, claim: Claim) -> bool:
        commits = _commits_of(claim)
        if not self._has_landed(commits):
            return False
        topic = _topic_of(claim)
        if topic is not None:
            return topic not in self._taken
        if claim.repo is None:
            return not self._has_read(claim.sources)
        return bool(commits & self._read_less)

    def _has_read(self, names: Iterable[EvidenceId]) -> bool:
        """Return True if the new run read all repositories of some evidence."""
        return all(name.repo in self._covered for name in names)

    @cached_property
    def _analysed_before(self) -> frozenset[EvidenceId]:
        """The commits whose analysis is kept."""
        return frozenset(claim.about[0] for claim in self._kept if claim.free and claim.about)

    @cached_property
    def _claims(self) -> tuple[Claim, ...]:
        """All claims: within a repository analysis comes first, then what code says."""
        claims = self._uncovered(self.earlier.claims)
        claims += [claim for claim in self.new.claims if claim.free]
        claims += [claim for claim in self._kept if claim.free]
        by_code: list[Claim] = []
        for claim in self.new.claims:
            if not claim.free and not self._is_superseded(claim):
                by_code.append(claim)
        ids = {claim.id for claim in by_code}
        for claim in self._kept:
            if not claim.free:
                # Code numbers what it says, and may have given the number to something else.
                name = f"{claim.id}.kept" if claim.id in ids else claim.id
                claims.append(claim.model_copy(update={"id": name}))
        claims += by_code
        return self._in_order(claims)

    def _is_superseded(self, claim: Claim) -> bool:
        """Return True if kept claims say more of the same commit, or of the same two commits."""
        if claim.repo is not None and self._read_less.intersection(claim.about[:1]):
            return True
        sources = set(claim.sources)
        for kept in self._kept:
            if kept.free or not kept.judged_by or len(kept.sources) < 2:
                continue
            if kept.about[:1] == claim.about[:1] and sources.issuperset(kept.sources):
                return True
        return False

    # ------------------------------------------------------------ links and stories

    def _links(self) -> list[Link]:
        links = self._uncovered(self.earlier.links)
        new = list(self.new.links)
        for link in self.earlier.links:
            if self._is_uncovered(link) or link.change not in self._rows:
                continue
            is_lost = link.change in self._read_less or _repo_of(link) in self._threads_lost
            has_successor = any(are_of_one_pair(link, other) for other in new)
            if link.judged_by and _Topic("relations", link.change) not in self._taken:
                new = with_link(new, link)
            elif is_lost and not has_successor:
                new.append(link)
        return [*links, *new]

    def _stories(self) -> list[Story]:
        stories = self._uncovered(self.earlier.stories)
        kept: list[Story] = []
        for story in self.earlier.stories:
            if not self._is_uncovered(story) and self._is_missed(story):
                kept.append(story)
        for story in self.new.stories:
            if not any(_continues(earlier, story) for earlier in kept):
                stories.append(story)
        return [*stories, *kept]

    def _is_missed(self, story: Story) -> bool:
        """Return True for an earlier story that the new run could not find."""
        if not story.news or not self._has_landed(story.news):
            return False
        if story.judged_by:
            return self._taken.isdisjoint(_relation_topics(story))
        return self._read_less.issuperset(story.news) or not self._has_read(story.steps)

    # ------------------------------------------------------------ sections

    @cached_property
    def _threads_lost(self) -> frozenset[RepoId]:
        """The repositories whose threads the earlier run read and the new one failed to read."""
        failed = {failure.repo for failure in self.new.failures if failure.stage == "threads"}
        read_before = _repos_of(self.earlier.sections) - _without_threads(self.earlier.sections)
        unread = _without_threads(self.new.sections)
        return frozenset(repo for repo in read_before & unread if repo in failed)

    def _sections(self) -> list[RepoSection]:
        sections = self._uncovered(self.earlier.sections)
        earlier_by_repo = {section.repo: section for section in self.earlier.sections}
        for section in self.new.sections:
            before = earlier_by_repo.get(section.repo)
            if before is not None:
                section = self._merged_section(before, section)
            sections.append(section)
        return sections

    def _merged_section(self, before: RepoSection, section: RepoSection) -> RepoSection:
        merged = section.model_copy(
            update={
                "releases": _with_earlier_notes(section.releases, before.releases),
                "first_tip": section.first_tip if before.first_tip is None else before.first_tip,
                "account": self._account(section.repo, before.account, section.account),
            }
        )
        if section.repo not in self._threads_lost:
            return merged
        return merged.model_copy(
            update={
                "coverage": before.coverage,
                "coverage_notices": before.coverage_notices,
                "issues": before.issues,
                "releases": before.releases,
            }
        )

    def _account(self, repo: RepoId | None, before: Account, account: Account) -> Account:
        """Return an account that counts the kept analysis of the earlier run.

        Its judge's counts are kept, too, if the new run has no analysis of its own.
        """
        kept_commits: dict[EvidenceId, None] = {}
        kept_summaries = 0
        for claim in self._kept:
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

    def _analyst(self) -> str:
        """Return the models whose analysis is in the report, else the new run's analyst."""
        new_objects = {id(claim) for claim in self.new.claims}
        models: list[str] = []
        for claim in self._claims:
            analyst = self.new.analyst if id(claim) in new_objects else self.earlier.analyst
            if claim.free and analyst.startswith(_BY_MODEL):
                models += analyst.removeprefix(_BY_MODEL).split(", ")
        if not models:
            return self.new.analyst
        return _BY_MODEL + ", ".join(dict.fromkeys(models))


def _edited_by_model(report: Report) -> frozenset[RepoId]:
    """Return the repositories of which a model placed a commit."""
    repos = set()
    for row in report.ledger:
        if row.placement is not None and row.placement.decided_by != "rules":
            repos.add(row.repo)
    return frozenset(repos)


def _relation_topics(story: Story) -> set[_Topic]:
    return {_Topic("relations", commit) for commit in story.news}


def _continues(earlier: Story, story: Story) -> bool:
    """Return True if an earlier story has the same news and all steps of a new one."""
    return earlier.news == story.news and set(story.steps) <= set(earlier.steps)


def _repos_of(sections: Iterable[RepoSection]) -> frozenset[RepoId]:
    return frozenset(section.repo for section in sections)


def _without_threads(sections: Iterable[RepoSection]) -> set[RepoId]:
    """Return the repositories whose threads were not read."""
    return {section.repo for section in sections if section.coverage == "not read"}


def _repo_of(part: ReportPart) -> str:
    """Return the repository of a part of a report, or an empty string if it has several."""
    if isinstance(part, Link):
        return part.change.repo
    return part.repo or ""


def _commits_of(claim: Claim) -> set[EvidenceId]:
    """Return the commits that must be in the ledger for a claim to stay."""
    if claim.about:
        return {claim.about[0]}
    return {cite for cite in claim.cites if not cite.is_thread}
