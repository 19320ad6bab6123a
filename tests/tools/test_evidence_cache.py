"""What a window's commits seem to bring is looked up, once, in the tree before it."""

from agent.domain.base import RepoId
from agent.domain.evidence import CommitEvidence
from tests.made_repos import Work
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource

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
    code, library = GitSource(RepoId("o/r"), work.path), EvidenceCache()
    skimmed = [one async for one in library.skim(code, shas)]
    assert [brought(one) for one in skimmed] == [
        ["ATLAS_CACHE"],
        ["ATLAS_LIMIT"],
        ["ATLAS_CACHE", "ATLAS_LIMIT"],
    ]
    newest_first = [one.change.commit for one in reversed(skimmed)]
    (studied,) = await library.study_all(code, [shas[2]], landed=newest_first)
    assert brought(studied) == []
    assert [brought(library.get(one.id)) for one in skimmed] == [[], ["ATLAS_LIMIT"], []]
    again = await library.study_all(code, shas, landed=newest_first)
    assert [brought(one) for one in again] == [[], ["ATLAS_LIMIT"], []]


async def test_what_was_only_skimmed_ends_no_variable_that_other_files_read(work: Work) -> None:
    work.commit(files={"a.py": READ + READ_MORE, "b.py": READ_MORE, "kept.py": READ})
    shas = [
        work.commit(files={"a.py": "import os\n", "b.py": "import os\n"}),
        work.commit(files={"c.py": "x = 1\n"}),
    ]
    code, library = GitSource(RepoId("o/r"), work.path), EvidenceCache()
    skimmed = [one async for one in library.skim(code, shas)]
    assert {fact.name for fact in skimmed[0].facts} >= {"ATLAS_CACHE", "ATLAS_LIMIT"}
    newest_first = [one.change.commit for one in reversed(skimmed)]
    await library.study_all(code, [shas[1]], landed=newest_first)
    seen = library.get(skimmed[0].id)
    assert seen is not None
    assert [fact.name for fact in seen.facts if fact.kind == "env-removed"] == ["ATLAS_LIMIT"]
