"""Landed commits that share words, files and identifiers with others, in full and partial clones."""

from datetime import timedelta
from pathlib import Path

from agent.domain.base import RepoId
from agent.links.footprints import Footprint, footprint_of
from agent.links.similar_commit_index import SimilarCommit
from agent.stories.timeline import headline
from tests.made_repos import Work
from tests.tools.git.conftest import GitServer
from tests.tools.git.test_missing import partial_clone
from tools.git.source import GitSource

REPO = RepoId("acme/engine")


def history(work: Work) -> tuple[str, str, str]:
    """Make a root, a commit that brings a name, others, and one that uses the name elsewhere."""
    root = work.commit("Begin", {"engine.py": "def spill_rows():\n    pass\n"})
    birth = work.commit("Bound the heap", {"heap.py": "HEAP_ROWS_LIMIT = 90\n"})
    for number in range(6):
        work.commit(f"Tidy part {number}", {f"part{number}.py": f"part_{number} = {number}\n"})
    user = work.commit("Stop early", {"engine.py": "def spill_rows():\n    HEAP_ROWS_LIMIT\n"})
    return root, birth, user


async def similar(path: Path, source: Path, sha: str) -> tuple[SimilarCommit, ...]:
    """Return what a clone has for a commit of another one."""
    return await similar_in(GitSource(REPO, path), source, sha)


async def similar_in(clone: GitSource, source: Path, sha: str) -> tuple[SimilarCommit, ...]:
    """Return what a clone that may have been asked before has for a commit of another one."""
    (change,) = [change async for change in GitSource(REPO, source).changes([sha])]
    query = footprint_of(change, headline(change.commit))
    since = change.commit.committed_at - timedelta(days=60)
    similar_commits = await clone.similar([query], upto=sha, since=since, limit=3)
    return similar_commits[sha]


async def test_the_commit_that_brought_a_name_is_found_and_the_root_brought_nothing(
    work: Work,
) -> None:
    root, birth, user = history(work)
    similar_commits = await similar(work.path, work.path, user)
    assert similar_commits[0].commit.sha == birth
    assert (similar_commits[0].shared, similar_commits[0].has_rare_name) == (
        ("HEAP_ROWS_LIMIT",),
        True,
    )
    assert root not in [similar_commit.commit.sha for similar_commit in similar_commits]


async def test_a_partial_clone_compares_files_first_and_fetches_only_the_nearest(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    _, birth, _ = history(work)
    grown = work.commit("Grow the heap", {"heap.py": "HEAP_ROWS_LIMIT = 99\n"})
    user = work.commit("Shrink it", {"heap.py": "HEAP_ROWS_LIMIT = 9\n"})
    clone = partial_clone(work, server, tmp_path / "clone.git")
    similar_commits = await similar(clone, work.path, user)
    # The line that goes is that of the commit before.
    assert [similar_commit.commit.sha for similar_commit in similar_commits[:2]] == [grown, birth]
    assert similar_commits[1].shared == ("HEAP_ROWS_LIMIT", "heap.py")
    assert server.sessions == 1
    missing = work.git("--git-dir", str(clone), "rev-list", "--objects", "--all", "--missing=print")
    assert missing.count("\n?") > 5


async def test_what_others_asked_for_before_changes_no_answer_about_a_partial_clone(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    history(work)
    grown = work.commit("Grow the heap", {"heap.py": "HEAP_ROWS_LIMIT = 99\n"})
    back = work.commit("Keep it small", {"heap.py": "HEAP_ROWS_LIMIT = 4\n"})
    alone = await similar(partial_clone(work, server, tmp_path / "clone.git"), work.path, back)
    source = GitSource(REPO, partial_clone(work, server, tmp_path / "other.git"))
    read_before = await similar_in(source, work.path, grown)
    assert read_before
    assert await similar_in(source, work.path, back) == alone
    undone = {found.commit.sha: found.undone for found in alone}
    assert undone[grown] == 1


def test_equal_footprints_are_the_same_question() -> None:
    fields = Footprint.model_fields
    collections = [name for name in fields if name not in ("commit", "repo")]
    assert all(fields[name].annotation == tuple[str, ...] for name in collections)
