"""What a run has read so far: evidence by name, so that nothing is read twice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import reduce
from operator import or_
from typing import ParamSpec, TypeVar

from agent.domain.base import EvidenceId, commit_id
from agent.domain.commits import Change, Commit
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact
from agent.ports import CodeSource, Study
from tools.diff.reach import Names, Trees, is_told_by
from tools.diff.sheet import Gathered, blobs_and_partner, gather, look_up, planned, read_facts

P = ParamSpec("P")
T = TypeVar("T")

_AT_ONCE = 4  # How many commits are studied at the same time: while git looks for the one, facts are read of another


_HEARD = 12
"""Steps that everybody else may take before facts are read: an answer comes in by as many, a commit takes long."""
_VARIABLES = ("env-added", "env-removed")
_SMALL = (
    40  # Changed lines of a commit that is kept with its patches though it was not read closely
)


class EvidenceCache:
    """Commits that were read, most of them without their patches: a busy window must fit in memory."""

    def __init__(self) -> None:
        self._skimmed: dict[EvidenceId, CommitEvidence] = {}
        self._studied: dict[EvidenceId, CommitEvidence] = {}
        self._whole: dict[EvidenceId, Change] = {}
        self._settled: set[EvidenceId] = set()
        self._reading = asyncio.Lock()

    def get(self, name: EvidenceId) -> CommitEvidence | None:
        """Find a commit as closely as it was read."""
        return self._studied.get(name) or self._skimmed.get(name)

    def clear(self) -> None:
        """Forget every commit: whoever asks again has it read again."""
        for shelf in (self._skimmed, self._studied, self._whole):
            shelf.clear()
        self._settled.clear()

    async def skim(
        self, code: CodeSource, shas: Sequence[str], look: Callable[[Change], None] = lambda _: None
    ) -> AsyncIterator[CommitEvidence]:
        """Read what a patch alone tells, in the order given; a commit that cannot be read is left out.

        `look` is shown each change that is read now, with its patches, which are not kept.
        """
        unread = [sha for sha in shas if commit_id(code.repo, sha) not in self._skimmed]
        async for change in code.changes(unread):
            sheet = await self._in_turn(read_facts, change, None)
            evidence = CommitEvidence(change=_light(change), sheet=sheet)
            self._skimmed[evidence.id] = evidence
            look(change)
        for sha in shas:
            if found := self._skimmed.get(commit_id(code.repo, sha)):
                yield found

    async def whole(self, code: CodeSource, shas: Sequence[str]) -> dict[str, Change]:
        """Read some commits with their patches and keep them: only what proves something is asked for like this."""
        unread = [sha for sha in shas if commit_id(code.repo, sha) not in self._whole]
        async for change in code.changes(unread):
            self._whole[change.commit.id] = change
        found = {sha: self._whole.get(commit_id(code.repo, sha)) for sha in shas}
        return {sha: change for sha, change in found.items() if change is not None}

    async def study_all(
        self,
        code: CodeSource,
        shas: Sequence[str],
        step: Callable[[], None] = lambda: None,
        landed: Sequence[Commit] = (),
    ) -> list[CommitEvidence]:
        """Study several commits, a few at a time, and give them in their order; one that cannot be read is left out.

        With all that landed in a window, newest first, what was there before is looked up once for all of it.
        """
        names = {commit_id(code.repo, sha): sha for sha in shas}
        unread = [sha for name, sha in names.items() if name not in self._studied]
        plans = [planned(change) async for change in code.changes(unread)]
        if plans:
            await code.foresee(plans)
        few = asyncio.Semaphore(_AT_ONCE)

        async def one(plan: Study) -> tuple[Change, Gathered]:
            async with few:
                seen = await blobs_and_partner(code, plan)
                return plan.change, await self._in_turn(gather, plan.change, *seen)

        tasks = {plan.change.commit.id: asyncio.create_task(one(plan)) for plan in plans}
        gathered: list[tuple[Change, Gathered]] = []
        try:
            for name in names:
                if name in tasks:
                    gathered.append(await tasks[name])
                step()
        finally:
            # After a failure nobody waits for the rest.
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        await self._settle(code, gathered, landed)
        return [self._studied[name] for name in names if name in self._studied]

    async def _in_turn(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read facts of one commit at a time, over all repositories: between two, git and models are heard out."""
        async with self._reading:
            for _ in range(_HEARD):
                await asyncio.sleep(0)
            return read(*args, **kwargs)

    async def _settle(
        self,
        code: CodeSource,
        gathered: Sequence[tuple[Change, Gathered]],
        landed: Sequence[Commit],
    ) -> None:
        """Look up, once for a window, what the trees before and after it say, and keep the facts that stand."""
        commits = [*reversed(landed), *(change.commit for change, _ in gathered)]
        oldest = next((commit for commit in commits if commit.parents), None)
        if not gathered and (oldest is None or oldest.id in self._settled):
            return
        skimmed = [one for commit in landed if (one := self._skimmed.get(commit.id))]
        names = reduce(or_, (differences.names for _, differences in gathered), _variables(skimmed))
        newest = landed[0].sha if landed else commits[-1].sha
        trees = await look_up(code, oldest.parents[0] if oldest else None, newest, names)
        for change, differences in gathered:
            evidence = CommitEvidence(change=change, sheet=differences.sheet(trees))
            self._studied[change.commit.id] = evidence
        self._take_back(landed, trees)
        self._settled |= {oldest.id} if oldest else set()

    def _take_back(self, landed: Sequence[Commit], trees: Trees) -> None:
        """Tell no variable as new that the tree before reads, nor as gone that the tree after reads.

        What an older commit of the window brought is not new either.
        """
        brought = set[str]()
        for commit in reversed(landed):
            shelf = self._studied if commit.id in self._studied else self._skimmed
            if commit.id not in shelf:
                continue
            facts = [fact for fact in shelf[commit.id].facts if fact.kind in _VARIABLES]
            wrong = [fact for fact in facts if fact.kind == "env-added" and fact.name in brought]
            if shelf is self._skimmed:
                wrong += [fact for fact in facts if is_told_by(trees, fact)]
            if wrong:
                shelf[commit.id] = _without(shelf[commit.id], wrong)
            brought |= {fact.name for fact in facts if fact.kind == "env-added"}


def _variables(skimmed: Sequence[CommitEvidence]) -> Names:
    """List the variables that commits which were only skimmed seem to bring or to drop."""
    facts = [fact for one in skimmed for fact in one.facts]
    come, gone = (
        frozenset(fact.name for fact in facts if fact.kind == kind) for kind in _VARIABLES
    )
    return Names(come=come, gone=gone)


def _without(evidence: CommitEvidence, wrong: Sequence[Fact]) -> CommitEvidence:
    assert evidence.sheet is not None
    facts = tuple(fact for fact in evidence.facts if fact not in wrong)
    return evidence.model_copy(update={"sheet": evidence.sheet.model_copy(update={"facts": facts})})


def _light(change: Change) -> Change:
    """Drop the text that counts and facts do not need; a small change keeps it, for it can be shown."""
    if change.additions + change.deletions <= _SMALL:
        return change
    return change.model_copy(
        update={"files": tuple(f.model_copy(update={"patch": None}) for f in change.files)}
    )
