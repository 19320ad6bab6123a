"""Facts of real commits made for the purpose, by both routes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain import Change
from agent.facts import Fact, FactKind, FactSheet, Severity
from agent.ids import RepoId
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import History


@pytest.fixture
def past(history: Callable[[], "History"]) -> "History":
    return history()


PAD = "\n\n".join(f"def pad_{n}(a, b):\n    c = a + {n}\n    return c * b" for n in range(12))

# (what happened, path, old text, new text, kind, severity, old value, new value)
CASES = [
    (
        "a default changed",
        "pkg/core.py",
        "def run(x, *, size=4):\n    return x * size + 1\n",
        "def run(x, *, size=8):\n    return x * size + 1\n",
        FactKind.PARAMETER_DEFAULT,
        Severity.BEHAVIOUR,
        "4",
        "8",
    ),
    (
        "a parameter went",
        "pkg/core.py",
        "def run(x, size=4):\n    return x\n",
        "def run(x):\n    return x\n",
        FactKind.PARAMETER_REMOVED,
        Severity.BREAKING,
        "size = 4",
        None,
    ),
    (
        "a parameter is required now",
        "pkg/core.py",
        "def run(x, size=4):\n    return x\n",
        "def run(x, size):\n    return x\n",
        FactKind.PARAMETER_REQUIRED,
        Severity.BREAKING,
        "4",
        None,
    ),
    (
        "an optional parameter came last",
        "pkg/core.py",
        "def run(x):\n    return x\n",
        "def run(x, size=4):\n    return x\n",
        FactKind.PARAMETER_ADDED,
        Severity.ADDITIVE,
        None,
        "size = 4",
    ),
    (
        "a function went",
        "pkg/core.py",
        "def keep():\n    pass\n\n\ndef gone(x):\n    return x + 1\n",
        "def keep():\n    pass\n",
        FactKind.SYMBOL_REMOVED,
        Severity.BREAKING,
        "gone(x)",
        None,
    ),
    (
        "a hidden function went",
        "pkg/core.py",
        "def keep():\n    pass\n\n\ndef _gone(x):\n    return x + 1\n",
        "def keep():\n    pass\n",
        FactKind.SYMBOL_REMOVED,
        Severity.INTERNAL,
        "_gone(x)",
        None,
    ),
    (
        "a limit became narrower",
        "csrc/run.cu",
        'void run(int topK) {\n  FLASHINFER_CHECK(topK <= 22, "must have topK <= 22");\n}\n',
        'void run(int topK) {\n  FLASHINFER_CHECK(topK <= 8, "must have topK <= 8");\n}\n',
        FactKind.LIMIT_CHANGED,
        Severity.BREAKING,
        "<= 22",
        "<= 8",
    ),
    (
        "a field was renamed",
        "include/x/options.h",
        "struct Options {\n  bool useShuffledMatrix{false};\n  int tile{8};\n};\n",
        "struct Options {\n  bool useShuffledMatrixA{false};\n  int tile{8};\n};\n",
        FactKind.FIELD_RENAMED,
        Severity.BREAKING,
        "useShuffledMatrix",
        "useShuffledMatrixA",
    ),
    (
        "a flag came",
        "pkg/args.py",
        'def add(parser):\n    parser.add_argument("--port", type=int, default=80)\n',
        'def add(parser):\n    parser.add_argument("--port", type=int, default=80)\n'
        '    parser.add_argument("--host", default="::")\n',
        FactKind.FLAG_ADDED,
        Severity.ADDITIVE,
        None,
        '"::"',
    ),
    (
        "a variable came",
        "pkg/env.py",
        'import os\n\nA = os.environ.get("PKG_A", "1")\n',
        'import os\n\nA = os.environ.get("PKG_A", "1")\nB = os.environ.get("PKG_B", "0")\n',
        FactKind.ENV_ADDED,
        Severity.ADDITIVE,
        None,
        '"0"',
    ),
    (
        "a dependency was raised",
        "requirements.txt",
        "torch==2.9.1\nnumpy\n",
        "torch==2.10.0\nnumpy\n",
        FactKind.DEPENDENCY_CHANGED,
        Severity.BEHAVIOUR,
        "==2.9.1",
        "==2.10.0",
    ),
    (
        "the project's version was raised",
        "pyproject.toml",
        '[project]\nname = "x"\nversion = "0.6.2"\n',
        '[project]\nname = "x"\nversion = "0.6.3"\n',
        FactKind.VERSION_CHANGED,
        Severity.BEHAVIOUR,
        "0.6.2",
        "0.6.3",
    ),
    (
        "an image of the checks was raised",
        ".github/workflows/ci.yml",
        "jobs:\n  test:\n    container:\n      image: acme/ci:2026-01\n",
        "jobs:\n  test:\n    container:\n      image: acme/ci:2026-02\n",
        FactKind.IMAGE_CHANGED,
        Severity.INTERNAL,
        "2026-01",
        "2026-02",
    ),
    (
        "a constant changed",
        "src/lib.rs",
        "pub const MAX_LEN: usize = 16;\n\npub fn run() {}\n",
        "pub const MAX_LEN: usize = 32;\n\npub fn run() {}\n",
        FactKind.CONSTANT_CHANGED,
        Severity.BEHAVIOUR,
        "16",
        "32",
    ),
]


async def facts_of(past: "History", sha: str, route: str) -> tuple[Change, FactSheet]:
    source = GitSource(RepoId("acme/engine"), Path(past.path))
    (change,) = [change async for change in source.changes([sha])]
    blobs = await source.blobs(change, paths_to_read(change)) if route == "blobs" else None
    return change, read_facts(change, blobs)


def found(sheet: FactSheet, kind: FactKind) -> Fact:
    facts = [fact for fact in sheet.facts if fact.kind is kind]
    assert len(facts) == 1, [(fact.kind.value, fact.name) for fact in sheet.facts]
    return facts[0]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
async def test_a_change_is_told_with_kind_values_and_severity(
    case: tuple[str, str, str, str, FactKind, Severity, str | None, str | None], route: str, past: "History"
) -> None:
    _, path, before, after, kind, severity, old, new = case
    past.commit({path: before})
    _, sheet = await facts_of(past, past.commit({path: after}), route)
    fact = found(sheet, kind)
    assert (fact.severity, fact.old, fact.new) == (severity, old, new)
    assert fact.places[0].file == path
    assert fact.places[0].lines


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_every_quoted_line_is_in_the_diff(route: str, past: "History") -> None:
    past.commit({path: before for _, path, before, *_ in CASES})
    files: dict[str, str | None] = {path: after for _, path, _, after, *_ in CASES}
    change, sheet = await facts_of(past, past.commit(files), route)
    diff = {line for file in change.files for line in (file.patch or "").split("\n")}
    quoted = [line for fact in sheet.facts for place in fact.places for line in place.lines]
    assert quoted
    assert set(quoted) <= diff


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_a_rename_across_many_files_is_one_fact_with_many_places(route: str, past: "History") -> None:
    old = {f"pkg/m{n}.py": f"def load(activation_type=0):\n    return activation_type + {n}\n" for n in range(14)}
    new = {path: text.replace("activation_type", "act_type") for path, text in old.items()}
    past.commit(dict(old))
    _, sheet = await facts_of(past, past.commit(dict(new)), route)
    fact = found(sheet, FactKind.PARAMETER_RENAMED)
    assert (fact.old, fact.new, len(fact.places)) == ("activation_type", "act_type", 14)


async def test_a_function_that_changed_its_file_moved(past: "History") -> None:
    body = (
        "def plan(x, y):\n    total = x * y + 3\n    for step in range(total):\n"
        "        total += step\n    return total\n"
    )
    past.commit({"pkg/a.py": f"{PAD}\n\n\n{body}", "pkg/b.py": PAD + "\n"})
    sha = past.commit({"pkg/a.py": PAD + "\n", "pkg/b.py": f"{PAD}\n\n\n{body}"})
    _, sheet = await facts_of(past, sha, "blobs")
    fact = found(sheet, FactKind.SYMBOL_MOVED)
    assert (fact.old, fact.new) == ("pkg/a.py", "pkg/b.py")


async def test_a_large_refactoring_gives_a_handful(past: "History") -> None:
    old = "\n\n".join(f"def _helper_{n}(a):\n    return a + {n}" for n in range(150))
    new = "\n\n".join(f"def _assist_{n}(a, b):\n    x = b\n    return a * {n} - x" for n in range(150))
    past.commit({"pkg/core.py": old + "\n"})
    _, sheet = await facts_of(past, past.commit({"pkg/core.py": new + "\n"}), "blobs")
    assert len(sheet.facts) < 25
    assert any("more of" in text for text in sheet.skipped)


async def test_members_that_went_together_are_one_fact(past: "History") -> None:
    past.commit({"include/x/act.h": "enum class Act {\n  Gelu = 0,\n  Relu = 1,\n  Silu = 2,\n};\n"})
    sha = past.commit({"include/x/act.h": "enum class Act {\n  Silu = 2,\n};\n"})
    _, sheet = await facts_of(past, sha, "blobs")
    fact = found(sheet, FactKind.MEMBER_REMOVED)
    assert fact.old == "Gelu = 0, Relu = 1"
    assert fact.severity is Severity.BREAKING


async def test_comments_alone_are_told_as_such(past: "History") -> None:
    past.commit({"pkg/core.py": "# one\ndef run(x):\n    return x\n"})
    _, sheet = await facts_of(past, past.commit({"pkg/core.py": "# two\ndef run(x):\n    return x\n"}), "hunks")
    assert [fact.kind for fact in sheet.facts] == [FactKind.ONLY_COMMENTS]


async def test_formatting_alone_is_told_as_such(past: "History") -> None:
    past.commit({"pkg/core.py": "def run(x,y):\n    return x+y\n"})
    sha = past.commit({"pkg/core.py": "def run(\n    x,\n    y,\n):\n    return x + y\n"})
    _, sheet = await facts_of(past, sha, "hunks")
    assert [fact.kind for fact in sheet.facts] == [FactKind.ONLY_FORMATTING]


async def test_a_submodule_that_moved_on_is_a_dependency(past: "History") -> None:
    past.commit({"a.txt": "1\n"})
    for sha in ("1" * 40, "2" * 40):
        past.git("update-index", "--add", "--cacheinfo", f"160000,{sha},3rdparty/cutlass")
        past.git("commit", "--quiet", "--message", sha[0])
    _, sheet = await facts_of(past, past.git("rev-parse", "HEAD"), "hunks")
    fact = found(sheet, FactKind.DEPENDENCY_CHANGED)
    assert (fact.name, fact.old, fact.new) == ("3rdparty/cutlass", "1" * 40, "2" * 40)


async def test_a_submodule_that_came_or_went_is_one_dependency_and_no_file(past: "History") -> None:
    entry = '[submodule "{0}"]\n\tpath = 3rdparty/{0}\n\turl = https://example.org/{0}\n'
    said = []
    for name, text in (("one", entry.format("one")), ("two", entry.format("one") + entry.format("two"))):
        (past.path / ".gitmodules").write_text(text)
        past.git("add", ".gitmodules")
        past.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},3rdparty/{name}")
        past.git("commit", "--quiet", "--message", name)
        _, sheet = await facts_of(past, past.git("rev-parse", "HEAD"), "blobs")
        said.append(found(sheet, FactKind.DEPENDENCY_ADDED))
        assert not [fact for fact in sheet.facts if fact.name == fact.new == f"3rdparty/{name}"]
    assert [(fact.name, fact.new, fact.detail) for fact in said] == [
        ("3rdparty/one", "111111111", "submodule"),
        ("3rdparty/two", "https://example.org/two at 111111111", "submodule"),
    ]
    assert [place.file for place in said[1].places] == [".gitmodules", "3rdparty/two"]
    past.git("rm", "--quiet", "--cached", "3rdparty/two")
    past.git("commit", "--quiet", "--message", "gone")
    _, sheet = await facts_of(past, past.git("rev-parse", "HEAD"), "hunks")
    assert [(fact.kind, fact.old) for fact in sheet.facts] == [(FactKind.DEPENDENCY_REMOVED, "111111111")]


async def test_a_malformed_patch_is_said_and_nothing_breaks(past: "History") -> None:
    past.commit({"pkg/core.py": "def run(x):\n    return x\n"})
    change, _ = await facts_of(past, past.commit({"pkg/core.py": "def run(x, y):\n    return x\n"}), "hunks")
    broken = change.files[0].model_copy(update={"patch": "@@ -1,9 +1,9 @@\n def run(x):\n-    raise x\nnonsense"})
    sheet = read_facts(change.model_copy(update={"files": (broken,)}))
    assert any("patch" in text for text in sheet.skipped)
