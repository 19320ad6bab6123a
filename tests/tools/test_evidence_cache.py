"""What a window's commits seem to bring is looked up, once, in the tree before it."""

from collections.abc import AsyncGenerator, Sequence

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.evidence import CommitEvidence
from tests.made_repos import Work
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource
from tools.stored_facts import StoredFacts

READ = 'import os\n\nCACHE = os.environ.get("ATLAS_CACHE")\n'
READ_MORE = 'import os\n\nLIMIT = os.environ.get("ATLAS_LIMIT")\n'


def brought(evidence: CommitEvidence | None) -> list[str]:
    assert evidence is not None
    return sorted(fact.name for fact in evidence.facts if fact.kind == "env-added")


async def test_only_the_first_commit_that_reads_a_variable_brings_it(work: Work) -> None:
    work.commit(files={"old.py": READ})
    shas = [
        work.commit(files={"a.py": READ}),
        work.commit(files={"b.py": READ_MORE}),
        work.commit(files={"c.py": READ_MORE, "d.py": READ}),
    ]
    code = GitSource(RepoId("o/r"), work.path)
    library = EvidenceCache()
    skimmed = [read async for read in library.skim(code, shas)]
    assert [brought(read) for read in skimmed] == [
        ["ATLAS_CACHE"],
        ["ATLAS_LIMIT"],
        ["ATLAS_CACHE", "ATLAS_LIMIT"],
    ]
    newest_first = [read.change.commit for read in reversed(skimmed)]
    (studied,) = await library.study_all(code, [shas[2]], landed=newest_first)
    assert brought(studied) == []
    assert [brought(library.get(read.id)) for read in skimmed] == [[], ["ATLAS_LIMIT"], []]
    again = await library.study_all(code, shas, landed=newest_first)
    assert [brought(read) for read in again] == [[], ["ATLAS_LIMIT"], []]


async def test_what_was_only_skimmed_ends_no_variable_that_other_files_read(work: Work) -> None:
    work.commit(files={"a.py": READ + READ_MORE, "b.py": READ_MORE, "kept.py": READ})
    shas = [
        work.commit(files={"a.py": "import os\n", "b.py": "import os\n"}),
        work.commit(files={"c.py": "x = 1\n"}),
    ]
    code = GitSource(RepoId("o/r"), work.path)
    library = EvidenceCache()
    skimmed = [read async for read in library.skim(code, shas)]
    assert {fact.name for fact in skimmed[0].facts} >= {"ATLAS_CACHE", "ATLAS_LIMIT"}
    newest_first = [read.change.commit for read in reversed(skimmed)]
    await library.study_all(code, [shas[1]], landed=newest_first)
    seen = library.get(skimmed[0].id)
    assert seen is not None
    assert [fact.name for fact in seen.facts if fact.kind == "env-removed"] == ["ATLAS_LIMIT"]


class CountingStore(dict[str, bytes]):
    """A store in memory that counts what is put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.put_count = 0

    def put(self, key: str, value: bytes) -> None:
        self[key] = value
        self.put_count += 1


class RecordedSource(GitSource):
    """A clone whose commits went through JSON, as those of an earlier run do."""

    async def changes(self, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
        async for change in super().changes(shas):
            yield Change.model_validate_json(change.model_dump_json())


async def read_window(
    work: Work, shas: list[str], store: CountingStore, source: type[GitSource] = GitSource
) -> list[CommitEvidence]:
    code = source(RepoId("o/r"), work.path)
    library = EvidenceCache(StoredFacts(store))
    skimmed = [evidence async for evidence in library.skim(code, shas)]
    newest_first = [evidence.change.commit for evidence in reversed(skimmed)]
    studied = await library.study_all(code, shas, landed=newest_first)
    return [*skimmed, *studied]


async def test_facts_that_were_found_once_are_not_found_again_by_the_next_run(work: Work) -> None:
    work.commit(files={"engine/__init__.py": "", "engine/core.py": "def run(a):\n    pass\n"})
    shas = [
        work.commit(files={"engine/core.py": "def run(a, b):\n    pass\n"}),
        work.commit(files={"engine/a.py": READ}),
    ]
    store = CountingStore()
    first = await read_window(work, shas, store)
    assert any(evidence.facts for evidence in first)
    stored_count = store.put_count
    assert await read_window(work, shas, store, RecordedSource) == first
    assert store.put_count == stored_count
    # What is damaged is found again.
    for key in store:
        store[key] = b"{"
    assert await read_window(work, shas, store) == first
    assert store.put_count == 2 * stored_count


async def test_stored_facts_belong_to_the_trees_around_their_window(work: Work) -> None:
    work.commit(files={"x.py": "x = 1\n"})
    shas = [work.commit(files={"a.py": READ}), work.commit(files={"b.py": READ})]
    store = CountingStore()
    await read_window(work, shas, store)
    *_, alone = await read_window(work, shas[1:], store)
    assert brought(alone) == []
    *_, first = await read_window(work, shas[:1], store)
    assert brought(first) == ["ATLAS_CACHE"]
