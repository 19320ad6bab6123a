"""A cache of the evidence a run has read of commits, so that none is fetched or parsed twice."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Container, Sequence
from contextlib import aclosing
from typing import NamedTuple

from agent.domain.code_around_changes import NO_SURROUNDINGS, Surroundings
from agent.domain.commits import Change, Commit
from agent.domain.errors import AppError
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactSheet
from agent.domain.surface import SurfaceChange
from agent.ports import CloneSource, CodeSource, Study
from tools.code_around_changes import surroundings_of
from tools.diff.commit_facts import failed_sheet
from tools.diff.files_read_for_facts import blobs_and_partner, look_up, planned
from tools.diff.formatting_only_changes import layout_paths
from tools.diff.names_sought_in_trees import SurroundingTrees, TreeNames, is_read_elsewhere
from tools.reading_ahead import read_ahead
from tools.stored_facts import FileStudy, StoredFacts
from tools.worker_processes import UnansweredError

_LOG = logging.getLogger(__name__)

_MAX_CONCURRENT = 4  # Commits read at once: git works on one while others are parsed
_MAX_AHEAD = 64  # Commits that are skimmed at once by other processes
_MAX_SKIMMED_AT_ONCE = 500
"""Commits whose public surfaces are kept while they are skimmed: a longer window is read in parts."""
_ENV_FACTS = ("env-added", "env-removed")
_MAX_LINES_KEPT = 40  # A skimmed commit with more changed lines is cached without its patches


class Studied(NamedTuple):
    """A planned study with that of the files, or with the error that reading them ended with."""

    plan: Study
    study: FileStudy | Exception
    names: TreeNames = TreeNames()  # To be looked up in the trees around the window

    @property
    def change(self) -> Change:
        """The change that was studied."""
        return self.plan.change


class EvidenceCache:
    """The commits a run has read: skimmed (patch only) or studied (whole files).

    Large skimmed commits lose their patches, so that a busy window fits in memory.
    """

    def __init__(self, facts: StoredFacts | None = None) -> None:
        """Begin with no commit; `facts` has those that earlier runs found."""
        self._facts = facts or StoredFacts()
        self._skimmed: dict[EvidenceId, CommitEvidence] = {}
        self._studied: dict[EvidenceId, CommitEvidence] = {}
        self._with_patches: dict[EvidenceId, Change] = {}
        # The oldest commit of each window whose facts were checked against the trees around it.
        self._checked_windows: set[EvidenceId] = set()
        self._surroundings: dict[EvidenceId, asyncio.Task[Surroundings]] = {}
        self._surface_changes: dict[EvidenceId, SurfaceChange | None] = {}

    def get(self, name: EvidenceId) -> CommitEvidence | None:
        """Return a commit as closely as it was read."""
        return self._studied.get(name) or self._skimmed.get(name)

    def clear(self) -> None:
        """Forget every commit."""
        self._skimmed.clear()
        self._studied.clear()
        self._with_patches.clear()
        self._checked_windows.clear()
        self._surroundings.clear()
        self._surface_changes.clear()

    async def skim(
        self, code: CodeSource, shas: Sequence[str], look: Callable[[Change], None] = lambda _: None
    ) -> AsyncIterator[CommitEvidence]:
        """Yield commits with the facts of their patches, without those that cannot be read.

        `look` is shown each change that is read now, with its patches, which are not kept.
        """
        unread = _missing(code, shas, self._skimmed)
        self._facts.expect(len(unread))
        # The oldest first: most of what is read of the public surface for a commit serves the next.
        for end in range(len(unread), 0, -_MAX_SKIMMED_AT_ONCE):
            batch = unread[max(end - _MAX_SKIMMED_AT_ONCE, 0) : end]
            await self._skim_batch(code, batch, look)
            if len(unread) > _MAX_SKIMMED_AT_ONCE:
                self._forget_surfaces(code, batch)
        for sha in shas:
            if cached := self._skimmed.get(EvidenceId.commit(code.repo, sha)):
                yield cached

    async def _skim_batch(
        self, code: CodeSource, shas: Sequence[str], look: Callable[[Change], None]
    ) -> None:
        surfaces = asyncio.create_task(self._read_surfaces(code, shas))

        async def facts_of(change: Change) -> FactSheet:
            return await self._skimmed_facts(code, change, surfaces)

        limit = _MAX_AHEAD if self._facts.are_read_elsewhere else _MAX_CONCURRENT
        try:
            async with aclosing(read_ahead(code.changes(shas), facts_of, limit)) as skimmed:
                async for change, sheet in skimmed:
                    evidence = CommitEvidence(change=_without_patches(change), sheet=sheet)
                    self._skimmed[evidence.id] = evidence
                    look(change)
        finally:
            surfaces.cancel()
            await asyncio.gather(surfaces, return_exceptions=True)

    def _forget_surfaces(self, code: CodeSource, shas: Sequence[str]) -> None:
        for sha in shas:
            self._surface_changes.pop(EvidenceId.commit(code.repo, sha), None)

    async def _skimmed_facts(
        self, code: CodeSource, change: Change, surfaces: asyncio.Task[None]
    ) -> FactSheet:
        """Return the facts of a patch, by whole files where it seems to change no code at all."""
        try:
            paths = layout_paths(change)
            blobs = await code.blobs(change, paths) if paths else None
            study = self._facts.study(change, blobs, None)
            if self._facts.are_read_elsewhere and not surfaces.done():
                await study.names()  # The patch is parsed while the public surfaces are read
            await asyncio.shield(surfaces)
            surface = self._surface_changes.get(change.commit.id)
            try:
                return await study.sheet(None, surface)
            except UnansweredError:
                return await self._facts.study(change, blobs, None).sheet(None, surface)
        except AppError:
            raise
        except Exception as error:  # noqa: BLE001 -- one bad commit may not cost the others anything
            return failed_sheet(change, error)

    async def _read_surfaces(self, code: CodeSource, shas: Sequence[str]) -> None:
        """Find what commits do to the public paths of their packages, as far as a clone shows it."""
        if not isinstance(code, CloneSource):
            return
        unread = _missing(code, shas, self._surface_changes)
        # The oldest first: most of what is read for a commit serves the next one.
        changes = await code.surface_changes(unread[::-1]) if unread else {}
        for sha, change in changes.items():
            self._surface_changes[EvidenceId.commit(code.repo, sha)] = change

    async def whole(self, code: CodeSource, shas: Sequence[str]) -> dict[str, Change]:
        """Return some commits with their patches, and keep them."""
        unread = _missing(code, shas, self._with_patches)
        async for change in code.changes(unread):
            self._with_patches[change.commit.id] = change
        changes: dict[str, Change] = {}
        for sha in shas:
            if cached := self._with_patches.get(EvidenceId.commit(code.repo, sha)):
                changes[sha] = cached
        return changes

    async def surroundings(self, code: CodeSource, evidence: CommitEvidence) -> Surroundings:
        """Return the code around the changes of a commit; none where it cannot be read."""
        if evidence.id not in self._surroundings:
            reading = asyncio.create_task(self._read_surroundings(code, evidence))
            self._surroundings[evidence.id] = reading
        return await self._surroundings[evidence.id]

    async def _read_surroundings(self, code: CodeSource, evidence: CommitEvidence) -> Surroundings:
        try:
            return await surroundings_of(code, evidence)
        except AppError as error:
            _LOG.warning("%s: the code around the change was not read: %s", evidence.id, error)
        except Exception:  # noqa: BLE001 -- one bad commit may not cost the others anything
            _LOG.exception("%s: the code around the change was not read", evidence.id)
        return NO_SURROUNDINGS

    async def study_all(
        self,
        code: CodeSource,
        shas: Sequence[str],
        step: Callable[[], None] = lambda: None,
        landed: Sequence[Commit] = (),
    ) -> list[CommitEvidence]:
        """Return several commits read by whole files, without those that cannot be read.

        `landed` is all that landed in a window, newest first: the trees around it are searched once.
        """
        names = {EvidenceId.commit(code.repo, sha): sha for sha in shas}
        unread = [sha for name, sha in names.items() if name not in self._studied]
        plans = [_planned(change) async for change in code.changes(unread)]
        if plans:
            await code.foresee(plans)
        turns = asyncio.Semaphore(_MAX_CONCURRENT)
        tasks: dict[EvidenceId, asyncio.Task[Studied]] = {}
        for plan in plans:
            task = asyncio.create_task(self._studied_files(code, plan, turns))
            tasks[plan.change.commit.id] = task
        studied: list[Studied] = []
        try:
            for name in names:
                if name in tasks:
                    studied.append(await tasks[name])
                step()
        finally:
            # After a failure nobody waits for the rest.
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        await self._check_against_trees(code, studied, landed)
        return [self._studied[name] for name in names if name in self._studied]

    async def _studied_files(
        self, code: CodeSource, plan: Study, turns: asyncio.Semaphore
    ) -> Studied:
        async with turns:
            try:
                blobs, partner = await blobs_and_partner(code, plan)
                study = self._facts.study(plan.change, blobs, partner)
                return Studied(plan, study, await study.names())
            except AppError:
                raise
            except Exception as error:  # noqa: BLE001 -- one bad commit may not cost the others anything
                return Studied(plan, error)

    async def _check_against_trees(
        self, code: CodeSource, studied: Sequence[Studied], landed: Sequence[Commit]
    ) -> None:
        """Search the trees around a window once, and keep the facts that they confirm."""
        commits = [*reversed(landed), *(commit_read.change.commit for commit_read in studied)]
        oldest = next((commit for commit in commits if commit.parents), None)
        if not studied and (oldest is None or oldest.id in self._checked_windows):
            return
        skimmed = [self._skimmed[commit.id] for commit in landed if commit.id in self._skimmed]
        names = _variables(skimmed)
        for commit_read in studied:
            names |= commit_read.names
        newest = landed[0].sha if landed else commits[-1].sha
        trees = await look_up(code, oldest.parents[0] if oldest else None, newest, names)
        shas = [commit_read.change.commit.sha for commit_read in studied]
        await self._read_surfaces(code, shas)
        turns = asyncio.Semaphore(_MAX_CONCURRENT)
        readings = [self._sheet(code, commit_read, trees, turns) for commit_read in studied]
        for commit_read, sheet in zip(studied, await asyncio.gather(*readings), strict=True):
            evidence = CommitEvidence(change=commit_read.change, sheet=sheet)
            self._studied[evidence.id] = evidence
        self._take_back(landed, trees)
        if oldest:
            self._checked_windows.add(oldest.id)

    async def _sheet(
        self,
        code: CodeSource,
        studied: Studied,
        trees: SurroundingTrees,
        turns: asyncio.Semaphore,
    ) -> FactSheet:
        """Return the facts of a studied commit; where that fails, those of its patch."""
        change = studied.change
        surface = self._surface_changes.get(change.commit.id)
        try:
            if isinstance(studied.study, FileStudy):
                return await studied.study.sheet(trees, surface)
            error = studied.study
        except UnansweredError:
            studied_again = await self._studied_files(code, studied.plan, turns)
            return await self._sheet(code, studied_again, trees, turns)
        except Exception as raised:  # noqa: BLE001 -- one bad commit may not cost the others anything
            error = raised
        skimmed = self._skimmed.get(change.commit.id)
        return failed_sheet(change, error, skimmed.facts if skimmed else ())

    def _take_back(self, landed: Sequence[Commit], trees: SurroundingTrees) -> None:
        """Drop facts of variables that the tree before read already, or the tree after still reads.

        What an older commit of the window brought is not new either.
        """
        brought: set[str] = set()
        for commit in reversed(landed):
            is_studied = commit.id in self._studied
            evidence = self.get(commit.id)
            if evidence is None:
                continue
            wrong: list[Fact] = []
            added: set[str] = set()
            for fact in evidence.facts:
                if fact.kind not in _ENV_FACTS:
                    continue
                if fact.kind == "env-added":
                    added.add(fact.name)
                is_repeated = fact.kind == "env-added" and fact.name in brought
                if is_repeated or (not is_studied and is_read_elsewhere(trees, fact)):
                    wrong.append(fact)
            if wrong:
                cache = self._studied if is_studied else self._skimmed
                cache[commit.id] = _without_facts(evidence, wrong)
            brought |= added


def _missing(code: CodeSource, shas: Sequence[str], cached: Container[EvidenceId]) -> list[str]:
    """Return the commits that are not in a cache."""
    return [sha for sha in shas if EvidenceId.commit(code.repo, sha) not in cached]


def _planned(change: Change) -> Study:
    """Return what studying a change asks for; nothing where not even that can be found out."""
    try:
        return planned(change)
    except Exception:  # noqa: BLE001 -- the same error ends its study, and is reported there
        return Study(change=change)


def _variables(skimmed: Sequence[CommitEvidence]) -> TreeNames:
    """Return the variables that skimmed commits seem to bring or to drop."""
    added: set[str] = set()
    removed: set[str] = set()
    for evidence in skimmed:
        for fact in evidence.facts:
            if fact.kind == "env-added":
                added.add(fact.name)
            elif fact.kind == "env-removed":
                removed.add(fact.name)
    return TreeNames(added=frozenset(added), removed=frozenset(removed), variables=frozenset(added))


def _without_facts(evidence: CommitEvidence, wrong: Sequence[Fact]) -> CommitEvidence:
    assert evidence.sheet is not None
    facts = tuple(fact for fact in evidence.facts if fact not in wrong)
    return evidence.model_copy(update={"sheet": evidence.sheet.model_copy(update={"facts": facts})})


def _without_patches(change: Change) -> Change:
    """Return a change without the text of its patches, unless it is small enough to be shown."""
    if change.additions + change.deletions <= _MAX_LINES_KEPT:
        return change
    files = tuple(file.model_copy(update={"patch": None}) for file in change.files)
    return change.model_copy(update={"files": files})
