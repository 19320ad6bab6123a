"""Merges a new run of a window with the report that the window already has."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, LedgerRow
from agent.domain.links import Link, Story
from agent.domain.placement import CommitGroup, Placement
from agent.domain.report import Failure, ReleaseLine, Report, RepoSection
from agent.domain.spending import Account
from agent.domain.window import Window
from agent.editor.placements import in_order
from agent.links.admitted import are_of_one_pair, with_link

KEPT = "; analysis of an earlier run"  # How the reason of such a row ends
_DEPTHS: tuple[Depth, ...] = ("failed", "list", "group", "skim", "deep")
_UNREAD: tuple[Depth, ...] = ("failed", "list")
_BY_MODEL = "model "  # How the name of an analyst begins that is a model
P = TypeVar("P")


def merge(earlier: Report, new: Report) -> Report:
    """Return a report of both runs of a window: the new one, and of the earlier what it lacks.

    - A repository that the new run did not cover keeps everything that was said of it. One of an
      unknown name leaves no trace.
    - Of a repository that both cover, facts and rows are those of the new run.
    - What a judge admitted stays, unless the new run has something judged in its place, as long as
      the commits that it is about are in the ledger: a commit never changes.
    - Where a model edited the repository before and only rules did so now, commits keep the places
      and groups that the model gave them.
    - A commit that the new run read less closely stays as it was read before, and so do threads that
      it could not read. What only a clone tells stays where the new run had none: what is new in a
      release, and which versions a fix affects.
    """
    return _Merger(earlier, new).report()


class _Topic(NamedTuple):
    """The topic of a judged part of a report; a new part replaces the earlier one on its topic."""

    kind: Literal["analysis", "relations", "summary", "brief"]
    about: EvidenceId | RepoId | None  # A commit, or a repository; None for the brief


def _with_earlier_notes(
    releases: Iterable[ReleaseLine], before: Iterable[ReleaseLine]
) -> tuple[ReleaseLine, ...]:
    """Return releases with what the earlier run found to be new in them, where this one did not."""
    notes = {release.tag: release.notes for release in before}
    merged = []
    for release in releases:
        if release.notes is None:
            merged.append(release.model_copy(update={"notes": notes.get(release.tag)}))
        else:
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
    """Two reports of one window, and what becomes of each part of them."""

    earlier: Report
    new: Report

    def report(self) -> Report:
        """Return the merged report."""
        return Report(
            window=self._window,
            repos=self._repos,
            sections=self._in_order(self._sections()),
            ledger=tuple(self._placed(self._explained(row)) for row in self._rows.values()),
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
        return frozenset(section.repo for section in self.new.sections)

    @cached_property
    def _repos(self) -> tuple[RepoId, ...]:
        """All repositories in their order, without names that turned out to be unknown."""
        existing = {section.repo for section in self.earlier.sections}
        existing.update(self.new.repos)
        for failure in self.earlier.failures:
            if failure.repo is not None and not failure.unknown:
                existing.add(failure.repo)
        every = dict.fromkeys((*self.earlier.repos, *self.new.repos))
        return tuple(repo for repo in every if repo in existing)

    def _in_order(self, parts: Iterable[P]) -> tuple[P, ...]:
        """Sort parts by their repositories; what speaks of several comes last."""
        order = {str(repo): number for number, repo in enumerate(self._repos)}
        return tuple(sorted(parts, key=lambda part: order.get(_repo_of(part), len(order))))

    def _is_uncovered(self, part: Any) -> bool:
        """Return True for parts of one repository, which the new run did not read."""
        repo = _repo_of(part)
        return repo in self._repos and repo not in self._covered

    def _replaced(self, earlier: Iterable[P], new: Iterable[P]) -> list[P]:
        """Return the new parts, and the earlier ones of repositories that were not covered."""
        parts = [part for part in earlier if self._is_uncovered(part)]
        parts += new
        if not self._covered:
            parts += [part for part in earlier if not _repo_of(part)]
        return parts

    @cached_property
    def _window(self) -> Window:
        """The window as the repository read first saw it: one that was over comes last."""
        windows = [self.new.window]
        if any(self._is_uncovered(section) for section in self.earlier.sections):
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
        rows = [row for row in self.earlier.ledger if self._is_uncovered(row)]
        for row in self.new.ledger:
            before = self._earlier_rows.get(row.id)
            if before is not None and row.id in self._read_less:
                rows.append(before)
            elif before is not None and row.affected is None:
                rows.append(row.model_copy(update={"affected": before.affected}))
            else:
                rows.append(row)
        return {row.id: row for row in self._in_order(rows)}

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
        groups = [group for group in self.earlier.groups if self._is_uncovered(group)]
        for group in self.earlier.groups:
            if group.repo in self._edited_before and self._rows.keys() >= {*group.commits}:
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
                topics.update(_Topic("relations", commit) for commit in story.news)
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
        if not self._rows.keys() >= commits:
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
        claims = [claim for claim in self.earlier.claims if self._is_uncovered(claim)]
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
        for kept in self._kept:
            if kept.free or not kept.judged_by or len(kept.sources) < 2:
                continue
            if kept.about[:1] == claim.about[:1] and {*kept.sources} <= {*claim.sources}:
                return True
        return False

    # ------------------------------------------------------------ links and stories

    def _links(self) -> list[Link]:
        links = [link for link in self.earlier.links if self._is_uncovered(link)]
        new = list(self.new.links)
        for link in self.earlier.links:
            if self._is_uncovered(link) or link.change not in self._rows:
                continue
            is_lost = link.change in self._read_less or _repo_of(link) in self._threads_lost
            if link.judged_by and _Topic("relations", link.change) not in self._taken:
                new = with_link(new, link)
            elif is_lost and not any(are_of_one_pair(link, other) for other in new):
                new.append(link)
        return [*links, *new]

    def _stories(self) -> list[Story]:
        stories = [story for story in self.earlier.stories if self._is_uncovered(story)]
        kept: list[Story] = []
        for story in self.earlier.stories:
            if not self._is_uncovered(story) and self._goes_on(story):
                kept.append(story)
        for story in self.new.stories:
            same_news = [earlier for earlier in kept if earlier.news == story.news]
            if not any({*story.steps} <= {*earlier.steps} for earlier in same_news):
                stories.append(story)
        return [*stories, *kept]

    def _goes_on(self, story: Story) -> bool:
        """Return True for a story of which the new run could not know."""
        if not story.news or not self._rows.keys() >= {*story.news}:
            return False
        if story.judged_by:
            return not any(_Topic("relations", commit) in self._taken for commit in story.news)
        return self._read_less >= {*story.news} or not self._has_read(story.steps)

    # ------------------------------------------------------------ sections

    @cached_property
    def _threads_lost(self) -> frozenset[RepoId]:
        """The repositories whose threads the earlier run read and the new one failed to read."""
        failed = {failure.repo for failure in self.new.failures if failure.stage == "threads"}
        unread_before = _without_threads(self.earlier.sections)
        read_before = {section.repo for section in self.earlier.sections} - unread_before
        unread = _without_threads(self.new.sections)
        return frozenset(repo for repo in read_before & unread if repo in failed)

    def _sections(self) -> list[RepoSection]:
        sections = [section for section in self.earlier.sections if self._is_uncovered(section)]
        before = {section.repo: section for section in self.earlier.sections}
        for section in self.new.sections:
            if section.repo in before:
                sections.append(self._merged_section(before[section.repo], section))
            else:
                sections.append(section)
        return sections

    def _merged_section(self, before: RepoSection, section: RepoSection) -> RepoSection:
        update: dict[str, Any] = {
            "releases": _with_earlier_notes(section.releases, before.releases),
            "first_tip": section.first_tip if before.first_tip is None else before.first_tip,
            "account": self._account(section.repo, before.account, section.account),
        }
        if section.repo in self._threads_lost:
            for name in ("coverage", "coverage_notices", "issues", "releases"):
                update[name] = getattr(before, name)
        return section.model_copy(update=update)

    def _account(self, repo: RepoId | None, before: Account, account: Account) -> Account:
        """Return an account with what is kept of the earlier run, and how its judge did."""
        kept = [claim for claim in self._kept if claim.free and claim.repo == repo]
        if not kept:
            return account
        commits = dict.fromkeys(claim.about[0] for claim in kept if claim.about)
        summaries = [claim for claim in kept if not claim.about]
        update: dict[str, Any] = {"kept": tuple(commits), "kept_summaries": len(summaries)}
        if not any(claim.free and claim.repo == repo for claim in self.new.claims):
            update["judging"] = before.judging
        return account.model_copy(update=update)

    def _analyst(self) -> str:
        """Return the names of all whose analysis is in the report, else the new run's analyst."""
        ids = {id(claim) for claim in self.new.claims}
        names: dict[str, None] = {}
        for claim in self._claims:
            analyst = self.new.analyst if id(claim) in ids else self.earlier.analyst
            if claim.free and analyst.startswith(_BY_MODEL):
                names.update(dict.fromkeys(analyst.removeprefix(_BY_MODEL).split(", ")))
        return f"{_BY_MODEL}{', '.join(names)}" if names else self.new.analyst


def _edited_by_model(report: Report) -> frozenset[RepoId]:
    """Return the repositories of which a model placed a commit."""
    repos = set()
    for row in report.ledger:
        if row.placement is not None and row.placement.decided_by != "rules":
            repos.add(row.repo)
    return frozenset(repos)


def _without_threads(sections: Iterable[RepoSection]) -> set[RepoId]:
    """Return the repositories whose threads were not read."""
    return {section.repo for section in sections if section.coverage == "not read"}


def _repo_of(part: Any) -> str:
    """Return the repository of a part of a report, or an empty string if it has several."""
    if isinstance(part, Link):
        return part.change.repo
    return part.repo or ""


def _commits_of(claim: Claim) -> set[EvidenceId]:
    """Return the commits without which a claim has nothing to speak of."""
    if claim.about:
        return {claim.about[0]}
    return {cite for cite in claim.cites if not cite.is_thread}
