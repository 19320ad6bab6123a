"""What a run has read so far: evidence by name, so that nothing is read twice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from agent.compact import compact
from agent.domain import Change
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import commit_id
from agent.sources import CodeSource, Foresees, Study
from tools.diff.sheet import read_facts
from tools.diff.study import planned, study

_AT_ONCE = 4
"""How many commits are studied at the same time: while git looks for the one, facts are read of another."""


class Library:
    """Commits that were read, most of them without their patches: a busy window must fit in memory."""

    def __init__(self) -> None:
        self._skimmed: dict[EvidenceId, CommitEvidence] = {}
        self._studied: dict[EvidenceId, CommitEvidence] = {}
        self._whole: dict[EvidenceId, Change] = {}

    def get(self, name: EvidenceId) -> CommitEvidence | None:
        """Find a commit as closely as it was read."""
        return self._studied.get(name) or self._skimmed.get(name)

    async def skim(
        self, code: CodeSource, shas: Sequence[str], look: Callable[[Change], None] = lambda _: None
    ) -> AsyncIterator[CommitEvidence]:
        """Read what a patch alone tells, in the order given; a commit that cannot be read is left out.

        `look` is shown each change that is read now, with its patches, which are not kept.
        """
        unread = [sha for sha in shas if commit_id(code.repo, sha) not in self._skimmed]
        async for change in code.changes(unread):
            evidence = CommitEvidence(change=_without_patches(change), sheet=read_facts(change, None), landed=True)
            self._skimmed[evidence.id] = compact(evidence)
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

    async def study(self, code: CodeSource, sha: str) -> CommitEvidence | None:
        """Read a commit with the whole files around its changes, and look for what it undoes."""
        return next(iter(await self.study_all(code, [sha])), None)

    async def study_all(
        self, code: CodeSource, shas: Sequence[str], step: Callable[[], None] = lambda: None
    ) -> list[CommitEvidence]:
        """Study several commits, a few at a time, and give them in their order; one that cannot be read is left out."""
        names = {commit_id(code.repo, sha): sha for sha in shas}
        unread = [sha for name, sha in names.items() if name not in self._studied]
        plans = [planned(change) async for change in code.changes(unread)]
        if plans and isinstance(code, Foresees):
            await code.foresee(plans)
        few = asyncio.Semaphore(_AT_ONCE)

        async def one(plan: Study) -> None:
            async with few:
                sheet = await study(code, plan.change, plan)
                self._studied[plan.change.commit.id] = CommitEvidence(change=plan.change, sheet=sheet, landed=True)

        tasks = {plan.change.commit.id: asyncio.create_task(one(plan)) for plan in plans}
        try:
            for name in names:
                if name in tasks:
                    await tasks[name]
                step()
            return [self._studied[name] for name in names if name in self._studied]
        finally:
            # After a failure nobody waits for the rest.
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)


def _without_patches(change: Change) -> Change:
    """Drop the text that counts and facts do not need."""
    return change.model_copy(update={"files": tuple(f.model_copy(update={"patch": None}) for f in change.files)})
