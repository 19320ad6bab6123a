"""Blobs that are not there: fetched together where somebody has promised them, named where not."""

import asyncio
import shutil
import time
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.commits import Change
from tests.made_repos import Work
from tests.tools.git.conftest import GitServer
from tools.git.source import GitSource

REPO = RepoId("acme/engine")


async def read(path: Path, shas: list[str]) -> list[Change]:
    return [change async for change in GitSource(REPO, path).changes(shas)]


def a_day(work: Work, commits: int = 25) -> list[str]:
    """Make a day of commits; gives their hashes, newest first."""
    text = "".join(f"line {n}\n" for n in range(40))
    shas = [work.commit("root", {"moving0": text, "shared": text})]
    for number in range(1, commits):
        if number % 10 == 0:
            (work.path / f"moving{number - 10}").rename(work.path / f"moving{number}")
        files = {f"dir/f{number}": f"{number}\n{text}", "shared": f"{text}{number}\n"}
        shas.insert(0, work.commit(str(number), files))
    return shas


def partial_clone(work: Work, server: GitServer, where: Path) -> Path:
    server.publish(work)
    work.git(
        "clone",
        "--quiet",
        "--bare",
        "--filter=blob:none",
        f"{server.url}/acme/engine.git",
        str(where),
    )
    server.requests.clear()
    return where


async def test_a_partial_clone_fetches_a_whole_day_in_one_go(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    shas = a_day(work)
    clone = partial_clone(work, server, tmp_path / "clone.git")
    changes = await read(clone, shas)
    assert changes == await read(work.path, shas)
    assert server.sessions == 1
    await read(clone, shas)
    assert server.sessions == 1


async def test_what_cannot_be_fetched_is_named_file_by_file_and_soon(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    shas = a_day(work, 12)
    clone = partial_clone(work, server, tmp_path / "clone.git")
    shutil.rmtree(server.root)
    began = time.monotonic()
    changes = await read(clone, shas)
    assert [change.commit.sha for change in changes] == shas
    assert all(
        file.unreadable and file.patch is None for change in changes for file in change.files
    )
    assert "could not be fetched" in (changes[0].files[0].unreadable or "")
    assert time.monotonic() - began < 20


async def test_a_blob_that_the_server_has_purged_costs_only_its_file(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    shas = a_day(work, 6)
    shas.insert(
        0, work.commit("leak", {"secret": "purged from the server\n", "other": "still there\n"})
    )
    blob = work.git("rev-parse", "HEAD:secret")
    clone = partial_clone(work, server, tmp_path / "clone.git")
    bare = server.root / "acme" / "engine.git"
    for pack in (bare / "objects" / "pack").glob("*.pack"):
        moved = pack.rename(tmp_path / pack.name)
        work.git("-C", str(bare), "unpack-objects", "-q", stdin=moved.read_bytes())
    (bare / "objects" / blob[:2] / blob[2:]).unlink()
    changes = await read(clone, shas)
    assert [file.path for change in changes for file in change.unreadable] == ["secret"]
    assert {file.path: file.additions for file in changes[0].files} == {"other": 1, "secret": 0}


async def test_a_blob_that_is_there_but_damaged_loses_its_file_only(work: Work) -> None:
    shas = [work.commit("many", {f"f{number}": f"{number}\n" for number in range(9)})]
    shas.append(work.commit("next", {"f0": "after\n"}))
    sha = work.git("rev-parse", f"{shas[0]}:f5")
    file = work.path / ".git" / "objects" / sha[:2] / sha[2:]
    file.chmod(0o644)
    file.write_bytes(b"garbage")
    changes = await read(work.path, shas)
    assert [f.path for f in changes[0].files if f.unreadable] == ["f5"]
    assert [f.additions for f in changes[0].files] == [1, 1, 1, 1, 1, 0, 1, 1, 1]
    assert changes[1].additions == 1


async def test_a_reader_that_is_cancelled_while_fetching_ends_git(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    shas = a_day(work, 3)
    clone = partial_clone(work, server, tmp_path / "clone.git")
    server.hold.set()
    server.asked.clear()
    task = asyncio.create_task(read(clone, shas))
    assert await asyncio.to_thread(server.asked.wait, 20)
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=10)
    assert done
    assert task.cancelled()
    server.hold.clear()


async def test_a_partial_clone_fetches_the_tree_that_is_searched_in_one_go(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    files = {f"dir/f{number}.py": f"limit = {number}\n" for number in range(30)}
    sha = work.commit("many", files | {"picture.png": "limit\n"})
    clone = partial_clone(work, server, tmp_path / "clone.git")
    code = GitSource(RepoId("acme/engine"), clone)
    usages = await code.usages_of(sha, ["limit", "absent"])
    assert usages is not None
    assert {use.path for use in usages["limit"].found} == files.keys()
    assert usages["absent"].found == ()
    assert server.sessions == 1
    shutil.rmtree(server.root)
    assert await code.usages_of(sha, ["limit"]) is not None


async def test_a_tree_that_cannot_be_fetched_is_not_searched(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    sha = work.commit("one", {"a.py": "limit = 1\n"})
    clone = partial_clone(work, server, tmp_path / "clone.git")
    shutil.rmtree(server.root)
    code = GitSource(RepoId("acme/engine"), clone)
    assert await code.usages_of(sha, ["limit"]) is None
    assert await code.names_in_tree(sha, ["limit"]) is None


async def test_what_breaks_is_the_same_in_a_partial_clone_that_has_read_nothing_yet(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    export = "from .plans import plan\n\n__all__ = ['plan']\n"
    work.commit("plan", {"engine/__init__.py": export, "engine/plans.py": "def plan(size): ...\n"})
    sha = work.commit("rename", {"engine/plans.py": "def plan(pages): ...\n"})
    clone = partial_clone(work, server, tmp_path / "clone.git")
    changes = await GitSource(REPO, clone).surface_changes([sha])
    assert changes == await GitSource(REPO, work.path).surface_changes([sha])
    surface = changes[sha]
    assert surface is not None
    assert [broken.path for broken in surface.breaks] == ["engine.plan"]


async def test_nothing_is_said_of_what_breaks_where_a_tree_cannot_be_fetched(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    work.commit("plan", {"engine/__init__.py": "", "engine/plans.py": "def plan(size): ...\n"})
    sha = work.commit("rename", {"engine/plans.py": "def plan(pages): ...\n"})
    clone = partial_clone(work, server, tmp_path / "clone.git")
    shutil.rmtree(server.root)
    assert await GitSource(REPO, clone).surface_changes([sha]) == {sha: None}


async def test_a_version_that_was_compared_before_is_compared_with_another_one(work: Work) -> None:
    shas = [work.commit("plan", {"engine/__init__.py": "def plan(size): ...\n"})]
    for number in range(4):
        shas.append(work.commit(str(number), {"engine/__init__.py": f"def plan{number}(): ...\n"}))
    code = GitSource(REPO, work.path)
    for old, new in ((0, 1), (2, 0), (0, 3)):
        between = await code.surface_between(shas[old], shas[new])
        assert between is not None
        assert between.breaks
