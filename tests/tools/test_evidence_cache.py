"""What a window's commits seem to bring is looked up, once, in the tree before it."""

import subprocess
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence import CommitEvidence
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource

READ = 'import os\n\nCACHE = os.environ.get("ATLAS_CACHE")\n'
READ_MORE = 'import os\n\nLIMIT = os.environ.get("ATLAS_LIMIT")\n'


@pytest.fixture
def code(tmp_path: Path) -> GitSource:
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    return GitSource(RepoId("o/r"), tmp_path)


def commit(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    who = ["-c", "user.name=Wei", "-c", "user.email=wei@mail.example"]
    subprocess.run(["git", "-C", folder, "add", "-A"], check=True)
    subprocess.run(["git", "-C", folder, *who, "commit", "-q", "-m", f"change {' '.join(files)}"], check=True)
    told = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return told.stdout.strip()


def brought(evidence: CommitEvidence | None) -> list[str]:
    assert evidence is not None
    return sorted(fact.name for fact in evidence.facts if fact.kind == "env-added")


async def test_only_the_first_commit_that_reads_a_variable_brings_it(code: GitSource, tmp_path: Path) -> None:
    commit(tmp_path, old=READ)
    shas = [commit(tmp_path, a=READ), commit(tmp_path, b=READ_MORE), commit(tmp_path, c=READ_MORE, d=READ)]
    library = EvidenceCache()
    skimmed = [one async for one in library.skim(code, shas)]
    assert [brought(one) for one in skimmed] == [["ATLAS_CACHE"], ["ATLAS_LIMIT"], ["ATLAS_CACHE", "ATLAS_LIMIT"]]
    newest_first = [one.change.commit for one in reversed(skimmed)]
    (studied,) = await library.study_all(code, [shas[2]], landed=newest_first)
    assert brought(studied) == []
    assert [brought(library.get(one.id)) for one in skimmed] == [[], ["ATLAS_LIMIT"], []]
    assert [brought(one) for one in await library.study_all(code, shas, landed=newest_first)] == [
        [],
        ["ATLAS_LIMIT"],
        [],
    ]


async def test_what_was_only_skimmed_ends_no_variable_that_other_files_read(code: GitSource, tmp_path: Path) -> None:
    commit(tmp_path, a=READ + READ_MORE, b=READ_MORE, kept=READ)
    shas = [commit(tmp_path, a="import os\n", b="import os\n"), commit(tmp_path, c="x = 1\n")]
    library = EvidenceCache()
    skimmed = [one async for one in library.skim(code, shas)]
    assert {fact.name for fact in skimmed[0].facts} >= {"ATLAS_CACHE", "ATLAS_LIMIT"}
    newest_first = [one.change.commit for one in reversed(skimmed)]
    await library.study_all(code, [shas[1]], landed=newest_first)
    seen = library.get(skimmed[0].id)
    assert seen is not None
    assert [fact.name for fact in seen.facts if fact.kind == "env-removed"] == ["ATLAS_LIMIT"]
