"""What a run has read so far: evidence by name, so that nothing is read twice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from agent.compact import compact
from agent.domain import Change
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import commit_id
from agent.sources import CodeSource
from tools.diff.sheet import read_facts
from tools.diff.study import study

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
        name = commit_id(code.repo, sha)
        if name not in self._studied:
            changes = [change async for change in code.changes([sha])]
            if not changes:
                return None
            sheet = await study(code, changes[0])
            self._studied[name] = CommitEvidence(change=changes[0], sheet=sheet, landed=True)
        return self._studied[name]

    async def study_all(
        self, code: CodeSource, shas: Sequence[str], step: Callable[[], None] = lambda: None
    ) -> list[CommitEvidence]:
        """Study several commits, a few at a time, and give them in their order; one that cannot be read is left out."""
        few = asyncio.Semaphore(_AT_ONCE)

        async def one(sha: str) -> CommitEvidence | None:
            async with few:
                return await self.study(code, sha)

        tasks = [asyncio.create_task(one(sha)) for sha in dict.fromkeys(shas)]
        try:
            found = []
            for task in tasks:
                found.append(await task)
                step()
            return [evidence for evidence in found if evidence is not None]
        finally:
            # After a failure nobody waits for the rest.
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _without_patches(change: Change) -> Change:
    """Drop the text that counts and facts do not need."""
    return change.model_copy(update={"files": tuple(f.model_copy(update={"patch": None}) for f in change.files)})
