import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from evals.worlds.history import History, Note
from evals.worlds.model import World
from evals.worlds.objects import Objects, Stamp
from evals.worlds.pack import read_refs, write_refs, write_repository
from evals.worlds.touch import put

Git = Callable[..., bytes]
ME = Stamp("Me", "me@x.example", datetime(2026, 1, 1, tzinfo=UTC))


def test_git_finds_no_fault_in_any_repository(demo: World, full: World) -> None:
    for repo in (*demo.repos, *full.repos):
        command = ["git", f"--git-dir={repo.git_dir}", "fsck", "--strict", "--no-dangling"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        faults = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("notice: ")]
        assert (done.returncode, faults) == (0, [])


def test_blobs_of_every_size_class_come_back_as_they_were(tmp_path: Path, git: Git) -> None:
    sizes = (0, 1, 15, 16, 17, 2047, 2048, 2049, 300_000)
    objects = Objects()
    shas = {objects.add("blob", b"x" * size): size for size in sizes}
    write_repository(tmp_path / "r.git", objects, {}, "main")
    told = git(
        tmp_path / "r.git",
        "cat-file",
        "--batch-check=%(objectname) %(objecttype) %(objectsize)",
        stdin="\n".join(shas).encode(),
    )
    assert {line.split()[0]: int(line.split()[2]) for line in told.decode().splitlines()} == shas
    for sha, size in shas.items():
        assert git(tmp_path / "r.git", "cat-file", "blob", sha) == b"x" * size


def test_a_tree_sorts_as_git_sorts(tmp_path: Path, git: Git) -> None:
    history = History("a/b")
    names = ("a.txt", "a/b.txt", "a-b", "a0", "ab/c", "B")
    sha = history.commit("main", [put(name, name) for name in names], Note("x", ME, ME))
    history.push(ME.at)
    write_repository(tmp_path / "r.git", history.objects, history.all_refs(), "main")
    git(tmp_path / "r.git", "fsck", "--strict")
    assert sorted(git(tmp_path / "r.git", "ls-tree", "-r", "--name-only", sha).decode().split()) == sorted(names)


def test_a_partial_clone_can_be_made_from_a_world(demo: World, tmp_path: Path) -> None:
    source = demo.repos[0]
    command = [
        "git",
        "clone",
        "-q",
        "--bare",
        "--filter=blob:none",
        f"file://{source.git_dir}",
        str(tmp_path / "c.git"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    count = ["git", f"--git-dir={tmp_path / 'c.git'}", "rev-list", "--first-parent", "--count", "HEAD"]
    assert int(subprocess.run(count, check=True, capture_output=True).stdout) == len(source.pushes)


def test_refs_are_read_as_they_were_written(tmp_path: Path) -> None:
    refs = {"refs/heads/main": "1" * 40, "refs/tags/v1": "2" * 40, "refs/heads/a b": "3" * 40}
    write_refs(tmp_path, refs)
    assert read_refs(tmp_path) == refs
