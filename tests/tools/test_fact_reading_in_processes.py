"""Facts and public surfaces are the same, whichever process reads them, and whatever becomes of it."""

import os
from collections.abc import Sequence

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence import CommitEvidence
from agent.domain.surface import SurfaceChange
from tests.made_repos import Work
from tools.evidence_cache import EvidenceCache
from tools.fact_reading_in_processes import FactReader
from tools.git.source import GitSource
from tools.stored_facts import StoredFacts
from tools.worker_processes import UnansweredError, WorkerProcesses

ENOUGH = 100  # Calls for which processes are started
REPO = RepoId("o/r")
CORE = "def run(a):\n    return a\n\n\ndef stop():\n    return None\n"
CORE_LATER = "import os\n\n\ndef run(a, b):\n    return os.environ.get('ENGINE_MODE', a)\n"


def made_commits(work: Work) -> list[str]:
    """Make commits that change what users meet, the newest last."""
    work.commit(
        files={"engine/__init__.py": "from engine.core import run\n", "engine/core.py": CORE}
    )
    return [
        work.commit(files={"engine/core.py": CORE_LATER}),
        work.commit(files={"engine/core.h": "int start(int speed = 3);\n"}),
        work.commit(files={"engine/__init__.py": ""}),
    ]


async def read(
    work: Work, shas: Sequence[str], workers: WorkerProcesses | None
) -> list[CommitEvidence]:
    code = GitSource(REPO, work.path, workers=workers)
    evidence_cache = EvidenceCache(StoredFacts(reader=FactReader(workers)))
    skimmed = [evidence async for evidence in evidence_cache.skim(code, shas)]
    newest_first = [evidence.change.commit for evidence in reversed(skimmed)]
    return [*skimmed, *await evidence_cache.study_all(code, shas, landed=newest_first)]


async def test_other_processes_read_the_same_facts(work: Work) -> None:
    shas = made_commits(work)
    async with WorkerProcesses(2) as workers:
        workers.expect(ENOUGH)
        by_workers = await read(work, shas, workers)
        code = GitSource(REPO, work.path, workers=workers)
        surfaces = await code.surface_changes(shas)
    assert by_workers == await read(work, shas, None)
    assert any(fact.name == "run" for evidence in by_workers for fact in evidence.facts)
    assert surfaces == await GitSource(REPO, work.path).surface_changes(shas)
    removed = surfaces[shas[2]]
    assert removed is not None
    assert [broken.path for broken in removed.breaks] == ["engine.run"]


class LosingSource(GitSource):
    """A clone of which public names are read after a process was lost."""

    def __init__(self, work: Work, workers: WorkerProcesses) -> None:
        super().__init__(REPO, work.path)
        self._lost_workers = workers

    async def surface_changes(self, shas: Sequence[str]) -> dict[str, SurfaceChange | None]:
        with pytest.raises(UnansweredError):
            await self._lost_workers.call(os._exit, 1)
        return await super().surface_changes(shas)


async def test_what_a_lost_process_kept_is_read_again(work: Work) -> None:
    shas = made_commits(work)
    async with WorkerProcesses(1) as workers:
        workers.expect(ENOUGH)
        evidence_cache = EvidenceCache(StoredFacts(reader=FactReader(workers)))
        code = LosingSource(work, workers)
        by_workers = await evidence_cache.study_all(code, shas)
    assert by_workers == await EvidenceCache().study_all(GitSource(REPO, work.path), shas)
    assert all(evidence.facts for evidence in by_workers)
