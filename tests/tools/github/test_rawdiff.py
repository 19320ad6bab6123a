"""Raw diffs as git writes them, cut into files again."""

import subprocess
from pathlib import Path

import pytest

from tools.github import files as rawdiff

ODD_NAMES = [
    "文档.md",
    'quo"te.txt',
    "back\\slash",
    "tab\there",
    "with blank.txt",
    "a b/b/c d",
    "new\nline",
    "-dash",
    " lead",
]


def _git(folder: Path, *args: str) -> bytes:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    return subprocess.run(["git", *who, "-C", str(folder), *args], check=True, capture_output=True).stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q")
    for name in ODD_NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one\ntwo\n")
    (tmp_path / "old name").write_text("".join(f"line {n}\n" for n in range(50)))
    (tmp_path / "bin").write_bytes(bytes(range(256)))
    (tmp_path / "mode").write_text("x\n")
    _git(tmp_path, "add", "-A")
    _git(tmp_path, "commit", "-qm", "first")
    return tmp_path


@pytest.mark.parametrize("quotepath", ["true", "false"])
def test_every_file_is_found_under_its_name_and_in_order(repo: Path, quotepath: str) -> None:
    for name in ODD_NAMES:
        (repo / name).write_text("one\ndiff --git a/x b/x\n@@ -1 +1 @@\n")
    (repo / "old name").rename(repo / "new name")
    (repo / "bin").write_bytes(bytes(255 - n for n in range(256)))
    (repo / "mode").chmod(0o755)
    (repo / "empty").touch()
    _git(repo, "add", "-A")
    _git(repo, "commit", "-qm", "second")
    shown = _git(repo, "-c", f"core.quotepath={quotepath}", "show", "--format=", "-M", "HEAD")
    names = _git(repo, "diff", "-z", "--name-only", "-M", "HEAD^", "HEAD").decode().split("\0")[:-1]
    files = rawdiff.parse(shown)
    assert [file.path for file in files] == names
    by_name = {file.path: file for file in files}
    assert all((by_name[name].patch or "").startswith("@@ -1,2 +1,3 @@") for name in ODD_NAMES)
    assert by_name["bin"].binary
    assert [by_name[name].patch for name in ("bin", "mode", "empty", "new name")] == [None] * 4


def test_a_removed_file_and_a_missing_last_newline_are_kept(repo: Path) -> None:
    (repo / "文档.md").unlink()
    (repo / "mode").write_text("y")
    shown = _git(repo, "diff", "HEAD")
    files = {file.path: file.patch for file in rawdiff.parse(shown)}
    assert files == {
        "文档.md": "@@ -1,2 +0,0 @@\n-one\n-two",
        "mode": "@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file",
    }


def test_bytes_that_are_no_diff_give_no_files() -> None:
    assert rawdiff.parse(b"") == []
    assert rawdiff.parse(b"\xff\xfe<html>") == []
    assert rawdiff.parse(b"diff --git nonsense")[0].path is None
