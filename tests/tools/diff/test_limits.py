"""Commits that are too large, malformed or not what they seem: no crash, bounded work, and what was skipped is said."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from agent.domain import Change, Commit, FileChange, Person
from agent.facts import FactKind, FactSheet
from agent.ids import RepoId
from tests.patience import within
from tools.diff.cutting import MOST
from tools.diff.hunks import read_patch
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import History

SECONDS = 2
"""What the largest commit that is read may take."""
NAMES = ("py", "cu", "rs", "go", "ts", "yaml", "json", "toml", "sh", "md")
NOW = datetime(2026, 7, 1, tzinfo=UTC)


def commit_of(*files: FileChange) -> Change:
    ada = Person(name="Ada", email="ada@example.org")
    made = Commit(
        repo=RepoId("o/r"), sha="a" * 40, parents=("b" * 40,), author=ada, authored_at=NOW, committer=ada,
        committed_at=NOW, message="change",
    )  # fmt: skip
    return Change(commit=made, files=files)


def replaced(path: str, old: str, new: str) -> FileChange:
    """Say that a file's lines all gave way to others."""
    before, after = old.split("\n"), new.split("\n")
    lines = [
        f"@@ -1,{len(before)} +1,{len(after)} @@",
        *(f"-{line}" for line in before),
        *(f"+{line}" for line in after),
    ]
    return FileChange(path=path, status="modified", additions=len(after), deletions=len(before), patch="\n".join(lines))


def read_by_both_routes(path: str, old: str, new: str) -> list[FactSheet]:
    change = commit_of(replaced(path, old, new))
    blobs = {path: (old.encode("utf-8", "surrogatepass"), new.encode("utf-8", "surrogatepass"))}
    with within(2 * SECONDS):
        return [read_facts(change), read_facts(change, blobs)]


def quickly(change: Change) -> FactSheet:
    with within(SECONDS):
        return read_facts(change)


JSON = "{\n" + ",\n".join(f'  "k{n}": {{"a": [1, 2, 3], "b": "x"}}' for n in range(800)) + "\n}"
NOISE = "".join(chr(32 + (n * 7919 % 200)) + ("\n" if n % 61 == 0 else "") for n in range(20_000))
ODD = {
    "json": JSON,
    "a json array": f"[{JSON}, {JSON}]",
    "noise": NOISE,
    "null bytes": "a\0b\n" * 1_000,
    "UTF-16": ("def f(): pass\n" * 500).encode("utf-16").decode("latin-1"),
    "half characters": "name = '\udcff\udc80'\n" * 500,
    "brackets in one line": "x = " + "(" * 9_000 + ")" * 9_000,
    "brackets over lines": "\n".join("{[(" * 30 for _ in range(400)),
    "blocks in blocks": "\n".join(" " * n + "if x:" for n in range(800)),
    "quotes": '"""\n' * 2_001 + "'''\"\"\"\n" * 2_000,
    "comments without an end": "/*" * 9_000,
    "joined lines": "x = 1\n" + "\\\n" * 30_000,
    "a minified line": 'var a={b:[1,2,3]};f("x");' * 20_000,
    "a signature without an end": "def f(\n" + "    a: int = 1,\n" * 5_000,
    "many functions": "\n".join(f"def name_{n}(a, b=2):\n    raise ValueError('no {n}')" for n in range(300)),
}


@pytest.mark.parametrize(
    "name", [name if name in ("py", "cu", "json") else pytest.param(name, marks=pytest.mark.heavy) for name in NAMES]
)
def test_what_is_not_what_its_name_says_costs_little_and_breaks_nothing(name: str) -> None:
    for text in ODD.values():
        for sheet in read_by_both_routes(f"src/odd.{name}", "x = 1", text):
            assert len(sheet.facts) <= 60


@pytest.mark.parametrize("name", ["py", "cu", "rs", "ts"])
def test_a_minified_file_is_not_parsed_and_that_is_said(name: str) -> None:
    for sheet in read_by_both_routes(f"src/app.{name}", "raise = 1", "raise=1;" * 20_000):
        assert not sheet.facts
        assert [told for told in sheet.skipped if told.startswith(f"src/app.{name}: ")]


def test_a_patch_of_fifty_megabytes_is_not_read_and_that_is_said() -> None:
    big = FileChange(
        path="src/big.py", status="modified", additions=1, deletions=0, patch="@@ -0,0 +1 @@\n" + "+x = 1\n" * 7_000_000
    )
    small = replaced("src/small.py", "def run(a): pass", "def run(a, b): pass")
    sheet = quickly(commit_of(big, small))
    assert [fact.kind for fact in sheet.facts] == [FactKind.PARAMETER_ADDED]
    assert sheet.skipped == ("src/big.py: too large to be read (49000014 bytes of patch)",)


@pytest.mark.heavy
def test_many_patches_that_are_too_much_together_are_read_in_part() -> None:
    text = "def {0}{1}(a, b=2):\n    raise ValueError('bad {1}')\n"
    files = [
        replaced(
            f"src/part_{file}.py",
            "".join(text.format("old", n) for n in range(2_000)),
            "".join(text.format("new", n) for n in range(2_000)),
        )
        for file in range(8)
    ]
    sheet = read_facts(commit_of(*files))
    left = [told for told in sheet.skipped if told.endswith("not read, the commit is too large")]
    assert 0 < len(left) < len(files)
    assert 0 < len(sheet.facts) <= MOST


def test_renaming_everything_in_a_file_is_not_compared_pair_by_pair() -> None:
    old = "\n".join(f"def old_name_{n}(a): pass" for n in range(4_000))
    new = "\n".join(f"def new_name_{n}(a): pass" for n in range(4_000))
    assert 0 < len(quickly(commit_of(replaced("src/names.py", old, new))).facts) <= MOST


def test_thousands_of_errors_in_one_function_are_not_compared_pair_by_pair() -> None:
    old = "def f():\n" + "\n".join(f"    raise ValueError('number {n} was {'x' * 80}')" for n in range(3_000))
    new = "def f():\n" + "\n".join(f"    raise ValueError('numero {n} was {'x' * 80}')" for n in range(3_000))
    assert quickly(commit_of(replaced("src/errors.py", old, new))).facts


def test_a_signature_with_thousands_of_parameters_is_one_fact() -> None:
    old, new = ("def f(" + ",\n".join(f"{name}{n}: int = {n}" for n in range(4_000)) + "): pass" for name in "ab")
    (fact,) = quickly(commit_of(replaced("src/wide.py", old, new))).facts
    assert (fact.kind, fact.old, fact.new) == (FactKind.SIGNATURE_CHANGED, "4000 parameters", "4000 parameters")


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        ("def f(): pass", "line 1 of the patch is no hunk"),
        ("@@ -1 +1 @@\n-a\n*b", "line 3 of the patch has no sign"),
        ("@@ -1,2 +1,2 @@\n-a\n+b", "the hunk before line 4 of the patch is cut off"),
        ("@@ -1 +1 @@\n-a\n+b\n+c", "the hunk before line 5 of the patch has more lines than it says"),
        ("@@ nonsense @@\n-a", "line 1 of the patch is no hunk"),
    ],
)
def test_a_malformed_patch_is_a_problem_in_words(patch: str, problem: str) -> None:
    assert read_patch(patch).problem == problem


def test_what_stands_before_the_malformed_part_is_still_read() -> None:
    patch = "@@ -1 +1 @@\n-def run(a): pass\n+def run(a, b): pass\n@@ -9,5 +9,5 @@\n-x"
    cut = FileChange(path="src/run.py", status="modified", additions=1, deletions=1, patch=patch)
    sheet = read_facts(commit_of(cut))
    assert [fact.kind for fact in sheet.facts] == [FactKind.PARAMETER_ADDED]
    assert sheet.skipped == ("src/run.py: the hunk before line 6 of the patch is cut off",)


async def test_a_commit_to_three_thousand_files_is_one_fact(history: Callable[[], "History"]) -> None:
    past = history()
    past.commit({f"pkg/m{n}.py": "def f(a):\n    return a\n" for n in range(3_000)})
    sha = past.commit({f"pkg/m{n}.py": "def f(a, b):\n    return a\n" for n in range(3_000)})
    (change,) = await past.changes(sha)
    paths = paths_to_read(change)
    assert len(paths) == 200
    sheet = read_facts(change, await GitSource(RepoId("o/r"), past.path).blobs(change, paths))
    assert [fact.kind for fact in sheet.facts] == [FactKind.PARAMETER_ADDED]


def test_the_largest_commit_that_is_read_fits_into_half_a_gigabyte() -> None:
    measured = textwrap.dedent("""
        from pathlib import Path
        from tools.diff.reading import Source
        from tools.diff.readers import python, script
        text = b"def run_it(a, b=2):\\n    raise ValueError('no')\\n" * 20_000
        for reader, path in ((python.read, "a.py"), (script.read, "a.ts")):
            reader(Source(path, text))
        # Not getrusage: that counts what the process which started this one had.
        print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
    """)
    done = subprocess.run([sys.executable, "-c", measured], capture_output=True, check=True, text=True)
    assert int(done.stdout) < 500 * 1024
