"""What a commit did to its files, read from repositories of every kind."""

import os
import subprocess
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Change, FileChange
from tests.made_repos import Work
from tools.git.source import GitSource

REPO = RepoId("acme/engine")


async def read(path: Path, *shas: str) -> list[Change]:
    return [change async for change in GitSource(REPO, path).changes(shas)]


async def only(path: Path, sha: str) -> dict[str, FileChange]:
    (change,) = await read(path, sha)
    assert change.incomplete is None
    return {file.path: file for file in change.files}


def children() -> set[str]:
    """Number the git processes that this one has started; servers of other tests have theirs."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.split()[0] for line in listed.stdout.splitlines() if line.split()[1] == "git"}


async def test_binary_empty_and_mode_only_changes_have_no_patch(work: Work) -> None:
    work.commit(files={"script": "echo\n"})
    (work.path / "script").chmod(0o755)
    files = await only(
        work.path, work.commit(files={"image.bin": b"\x00\x01\x02" * 100, "empty": b""})
    )
    assert {path: (f.status, f.additions, f.deletions, f.patch) for path, f in files.items()} == {
        "empty": ("added", 0, 0, None),
        "image.bin": ("added", 0, 0, None),
        "script": ("modified", 0, 0, None),
    }


async def test_paths_may_hold_newlines_tabs_quotes_and_bytes_that_are_no_text(work: Work) -> None:
    names = [
        b"new\nline",
        b"tab\there",
        b'quo"te',
        b"caf\xe9",
        "漢字".encode(),
        b"--output=x",
        b"-",
        b" lead",
        b":(top)x",
    ]
    names.append(b"a\\b")
    files = await only(work.path, work.commit(files={name: name + b"\n" for name in names}))
    listed = {name.decode("utf-8", "replace"): (name.count(b"\n") + 1, 0) for name in names}
    assert {path: (file.additions, file.deletions) for path, file in files.items()} == listed


async def test_no_encoding_is_fatal_and_a_link_a_submodule_and_a_linked_worktree_are_read(
    work: Work, tmp_path: Path
) -> None:
    first = work.commit(
        "größer".encode("latin-1"), {"a": b"one\ntwo\n", "b": b"b"}, code="ISO-8859-1"
    )
    (work.path / "a").unlink()
    (work.path / "a").symlink_to("b")
    second = work.commit(b"subject \xff", {"latin": b"caf\xe9\n", "dos": b"a\r\n"})
    work.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendored")
    work.git("commit", "--quiet", "-m", "pin")
    changes = await read(work.path, first, second, work.head())
    assert [change.commit.message for change in changes] == ["größer", "subject ÿ", "pin"]
    assert {file.path: file.patch for change in changes[1:] for file in change.files} == {
        "a": "@@ -1,2 +0,0 @@\n-one\n-two\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file",
        "dos": "@@ -0,0 +1 @@\n+a\r",
        "latin": "@@ -0,0 +1 @@\n+caf\ufffd",
        "vendored": f"@@ -0,0 +1 @@\n+Subproject commit {'1' * 40}",
    }
    work.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    assert await read(tmp_path / "linked", first, second, work.head()) == changes


async def test_hostile_messages_and_contents_cannot_forge_a_commit(work: Work) -> None:
    forged = (
        "\x1e"
        + "f" * 40
        + "\x1f\x1d\ncommit "
        + "e" * 40
        + "\ndiff --git a/x b/x\n@@ -1 +1 @@\n+forged\n\x1b[31m\x07"
    )
    lines = f"{forged}\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+z\n:100644 100644 {'0' * 40} M\n"
    first = work.commit(forged, {"a": lines})
    second = work.commit("next", {"a": b"late nul " + b"x" * 9000 + b"\n\x00\x00diff --git\n"})
    changes = await read(work.path, first, second)
    assert [change.commit.sha for change in changes] == [first, second]
    assert changes[0].commit.message == forged
    assert [file.path for change in changes for file in change.files] == ["a", "a"]
    assert changes[0].additions == 12
    assert "\x00\x00diff --git" in (changes[1].files[0].patch or "")


async def test_a_merge_is_compared_with_its_first_parent(work: Work) -> None:
    work.commit(files={"a": "a\n"})
    work.git("checkout", "--quiet", "-b", "side")
    work.commit(files={"side": "s\n"})
    work.git("checkout", "--quiet", "main")
    work.commit(files={"main": "m\n"})
    assert list(await only(work.path, work.merge("side"))) == ["side"]


async def test_no_configuration_attribute_or_variable_changes_a_patch(work: Work) -> None:
    text = "".join(f"line {n}\n" for n in range(40))
    work.commit(
        files={".gitattributes": "*.py -diff\n*.txt diff=shout\n", "a.py": text, "b.txt": text}
    )
    (work.path / "b.txt").rename(work.path / "c.txt")
    sha = work.commit(files={"a.py": text.replace("line 20", "LINE")})
    before = await read(work.path, sha)
    settings = {
        "diff.context": "0",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.renames": "false",
        "diff.algorithm": "patience",
        "diff.external": "false",
        "diff.shout.textconv": "tr-missing",
        "diff.suppressBlankEmpty": "true",
        "core.quotePath": "true",
        "diff.interHunkContext": "9",
        "log.showSignature": "true",
        "log.showRoot": "false",
        "color.ui": "always",
        "core.pager": "false",
        "diff.orderFile": "/nowhere",
        "log.diffMerges": "off",
        "i18n.logOutputEncoding": "UTF-16",
        "core.abbrev": "4",
    }
    for name, value in settings.items():
        work.git("config", name, value)
    (work.path / ".git" / "info").mkdir()
    (work.path / ".git" / "info" / "attributes").write_text("*.py -diff\n")
    work.git("replace", sha, f"{sha}^")
    assert await read(work.path, sha) == before
    assert [file.additions for file in before[0].files] == [1, 0]


async def test_a_line_of_two_megabytes_and_a_patch_of_five_survive(work: Work) -> None:
    first = work.commit(
        files={"wide": b"x" * 2_000_000 + b"\n", "long": b"0123456789abcdefghijklmn\n" * 200_000}
    )
    second = work.commit(files={"small": "s\n"})
    changes = await read(work.path, first, second)
    wide, small = changes
    assert [(file.path, file.additions) for file in wide.files] == [("long", 200_000), ("wide", 1)]
    assert [(file.path, file.additions) for file in small.files] == [("small", 1)]
    assert [len(file.patch or "") for file in changes[0].files] == [
        len("@@ -0,0 +1,200000 @@\n") + 5_200_000 - 1,
        len("@@ -0,0 +1 @@\n+") + 2_000_000,
    ]


async def test_counts_equal_those_of_numstat_over_a_random_history(work: Work) -> None:
    names = [f"f{n}.py" for n in range(8)]
    shas = []
    for step in range(13):
        for number, name in enumerate(names):
            if (step * 7 + number * 3) % 5 == 0:
                lines = [
                    f"{(step * number + line) % 11} {line}\n"
                    for line in range(5 + (step * number) % 40)
                ]
                work.write(name, "".join(lines))
        if step % 6 == 5 and (work.path / names[step % 8]).exists():
            (work.path / names[step % 8]).rename(work.path / f"r{step}.py")
        shas.append(work.commit(str(step)))
    for change in await read(work.path, *shas):
        listed = work.git("show", "-M", "--numstat", "--format=", "-z", change.commit.sha).split(
            "\0"
        )
        counted = [tuple(map(int, line.split("\t")[:2])) for line in listed if "\t" in line]
        assert [(file.additions, file.deletions) for file in change.files] == counted


async def test_leaving_early_ends_git(work: Work) -> None:
    for number in range(20):
        work.commit(files={"a": b"%d\n" % number * 100_000})
    shas = work.git("rev-list", "HEAD").split()
    stream = GitSource(REPO, work.path).changes(shas)
    before = children()
    async for _ in stream:
        break
    during = children() - before
    await stream.aclose()
    assert during
    assert not during & children()


@pytest.mark.parametrize("depth", [1, 3])
async def test_the_end_of_a_shallow_clone_is_incomplete_and_not_everything_added(
    work: Work, tmp_path: Path, depth: int
) -> None:
    for number in range(5):
        work.commit(str(number), {f"f{number}": f"{number}\n"})
    work.git(
        "clone", "--quiet", f"--depth={depth}", f"file://{work.path}", str(tmp_path / "shallow")
    )
    shas = work.git("rev-list", f"--max-count={depth}", "HEAD").split()
    full_history = await read(work.path, *shas)
    shallow = await read(tmp_path / "shallow", *shas)
    assert shallow[:-1] == full_history[:-1]
    assert shallow[-1].commit == full_history[-1].commit
    assert shallow[-1].files == ()
    assert "shallow" in (shallow[-1].incomplete or "")


@pytest.mark.parametrize("has_perl", [True, False], ids=["Perl's patterns", "POSIX's patterns"])
async def test_lines_are_found_by_any_of_several_words_and_only_by_whole_words(
    work: Work, monkeypatch: pytest.MonkeyPatch, *, has_perl: bool
) -> None:
    if not has_perl:
        refused = ("grep", "--not-built-into-this-git")
        monkeypatch.setattr("tools.git.tree_reading_and_search._GREP_PERL", refused)
    lines = {
        "a": "parser.add('--limit-max')",
        "b": "parser.add('--limit')",
        "c": "limits = 1",
        "d": "route('/v1/limit(s)')",
        "e": "limit = 2",
    }
    files = {f"engine/{name}.py": f"{line}\n" for name, line in lines.items()}
    sha = work.commit(files=files)
    code = GitSource(REPO, work.path)
    words = ["limit", "--limit", "--limit-m", "/v1/limit(s)"]
    assert await code.lines_with(sha, words) == (
        ("engine/a.py", lines["a"]),
        ("engine/b.py", lines["b"]),
        ("engine/d.py", lines["d"]),
        ("engine/e.py", lines["e"]),
    )
    assert await code.lines_with(sha, ["--limit", "--limit-ma"]) == (
        ("engine/a.py", lines["a"]),
        ("engine/b.py", lines["b"]),
    )
    sha = work.commit(files={"tests/test_limit.py": "limit = 3\n"})
    assert await code.lines_with(sha, ["limit"], tests=True) == (
        ("tests/test_limit.py", "limit = 3"),
    )


async def test_names_are_found_in_files_and_paths_in_any_spelling(work: Work) -> None:
    files = {"src/batch_size.py": b"maxBatch = parse('--page-size')\n", "image.bin": b"\0lost_name"}
    sha = work.commit(files=files)
    work.commit(files={"src/batch_size.py": "later_name = 1\n"})
    code = GitSource(REPO, work.path)
    names = ["max_batch", "page_size", "MaxBatch", "src/batch_size.py", "batch-size"]
    assert await code.names_in_tree(sha, names) == frozenset(names)
    assert await code.names_in_tree(sha, ["later_name", "lost_name", "batch_max"]) == frozenset()
    assert await code.names_in_tree(sha, []) == frozenset()
    assert await code.names_in_tree(sha, ["max_batch"], ["image.bin"]) == frozenset()
    assert await code.names_in_tree(sha, ["max_batch"], ["src/batch_size.py"]) == frozenset(
        ["max_batch"]
    )
