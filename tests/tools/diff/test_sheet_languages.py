"""Facts of commits in languages other than Python, by both routes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, FactSheet, Severity
from agent.ids import RepoId
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import History

GUARD = (
    'pub fn take(n: usize) -> Result<usize> {{\n    if n > {} {{\n        bail!("too many");\n    }}\n    Ok(n)\n}}\n'
)
STATES = "const (\n\tWaiting State = iota\n\tRunning\n\tFinished\n%s)\n\n// Rest says more.\nfunc Rest() {}\n"
OPTIONS = 'type Options struct {\n\tModel string `json:"model"`\n\t%s bool `json:"graph"`\n}\n'

# (what happened, path, old text, new text, kind, severity, name, old value, new value)
CASES = [
    (
        "a refused number was raised",
        "src/lib.rs",
        GUARD.format(8),
        GUARD.format(16),
        FactKind.LIMIT_CHANGED,
        Severity.BEHAVIOUR,
        "n",
        "> 8",
        "> 16",
    ),
    (
        "a refused number was lowered",
        "src/lib.rs",
        GUARD.format(16),
        GUARD.format(8),
        FactKind.LIMIT_CHANGED,
        Severity.BREAKING,
        "n",
        "> 16",
        "> 8",
    ),
    (
        "a method is for the crate alone now",
        "src/lib.rs",
        "impl Pool {\n    pub fn release(&mut self, id: u64) {}\n}\n",
        "impl Pool {\n    pub(crate) fn release(&mut self, id: u64) {}\n}\n",
        FactKind.SYMBOL_REMOVED,
        Severity.BREAKING,
        "Pool.release",
        "release(id: u64)",
        None,
    ),
    (
        "a variant without a value has another name",
        "src/lib.rs",
        "pub enum State {\n    Waiting,\n    Preempted,\n    Finished,\n}\n",
        "pub enum State {\n    Waiting,\n    Held,\n    Finished,\n}\n",
        FactKind.MEMBER_RENAMED,
        Severity.BREAKING,
        "State.Held",
        "Preempted",
        "Held",
    ),
    (
        "a field of the same type and tag has another name",
        "pkg/options.go",
        "package pkg\n\n" + OPTIONS % "Graph",
        "package pkg\n\n" + OPTIONS % "Capture",
        FactKind.FIELD_RENAMED,
        Severity.BREAKING,
        "Options.Capture",
        "Graph",
        "Capture",
    ),
    (
        "a constant of a counted group came",
        "pkg/state.go",
        "package pkg\n\ntype State int\n\n" + STATES % "",
        "package pkg\n\ntype State int\n\n" + STATES % "\tAborted\n",
        FactKind.MEMBER_ADDED,
        Severity.ADDITIVE,
        "State.Aborted",
        None,
        "Aborted",
    ),
    (
        "a constant below the imports changed",
        "pkg/limits.go",
        'package pkg\n\nimport (\n\t"fmt"\n\t"os"\n\t"time"\n)\n\nconst MaxSlots = 20\n',
        'package pkg\n\nimport (\n\t"fmt"\n\t"os"\n\t"time"\n)\n\nconst MaxSlots = 4\n',
        FactKind.CONSTANT_CHANGED,
        Severity.BEHAVIOUR,
        "MaxSlots",
        "20",
        "4",
    ),
]

CASES += [
    (
        "a number that a call is given under a name in a comment changed",
        "include/acme/plan.cuh",
        "int plan(int page) {\n  int most = 4;\n  return search(most, /*min_chunk=*/(512 / page));\n}\n",
        "int plan(int page) {\n  int most = 4;\n  return search(most, /*min_chunk=*/(128 / page));\n}\n",
        FactKind.CONSTANT_CHANGED,
        Severity.BEHAVIOUR,
        "min_chunk",
        "(512 / page)",
        "(128 / page)",
    ),
    (
        "a program ends where it went on",
        "include/acme/run.cuh",
        "int run(bool begun) {\n  if (begun) {\n    go();\n  }\n  return 0;\n}\n",
        "int run(bool begun) {\n  if (begun) {\n    go();\n  } else {\n"
        '    std::cerr << "call begin() "\n                 "first" << std::endl;\n'
        "    std::abort();\n  }\n  return 0;\n}\n",
        FactKind.ERROR_ADDED,
        Severity.BEHAVIOUR,
        "abort",
        None,
        "call begin() first",
    ),
    (
        "a package's features changed, its version did not",
        "Cargo.toml",
        '[dependencies]\nserde_json = { version = "1.0.1", features = ["exact", "ordered"] }\n',
        '[dependencies]\nserde_json = { version = "1.0.1", features = ["ordered"] }\n',
        FactKind.DEPENDENCY_CHANGED,
        Severity.BEHAVIOUR,
        "serde_json",
        '1.0.1 ["exact", "ordered"]',
        '1.0.1 ["ordered"]',
    ),
    (
        "a package with features was raised",
        "Cargo.toml",
        '[dependencies]\ntokio = { version = "1.48.0", features = ["full"] }\n',
        '[dependencies]\ntokio = { version = "1.58.0", features = ["full"] }\n',
        FactKind.DEPENDENCY_CHANGED,
        Severity.BEHAVIOUR,
        "tokio",
        "1.48.0",
        "1.58.0",
    ),
    (
        "an image installs another version of what has a variable extra",
        "docker/Dockerfile",
        'RUN pip install "acme-dsl[${CU}]>=4.5.2"\n',
        'RUN pip install "acme-dsl[${CU}]>=4.6.0"\n',
        FactKind.DEPENDENCY_CHANGED,
        Severity.BEHAVIOUR,
        "acme-dsl",
        ">=4.5.2",
        ">=4.6.0",
    ),
    (
        "a setup script of one of several packages says another version",
        "python/setup_acme.py",
        'setup(\n        name="acme",\n        version="4.3.5",\n    )\n',
        'setup(\n        name="acme",\n        version="4.4.0",\n    )\n',
        FactKind.VERSION_CHANGED,
        Severity.BEHAVIOUR,
        "version",
        "4.3.5",
        "4.4.0",
    ),
]

SHARES = "template <class T{}>\nstruct Share {{\n  T value;\n  int count;\n}};\n"
CASES += [
    (
        "a class asks for one more template argument",
        "include/acme/share.h",
        SHARES.format(""),
        SHARES.format(", int N"),
        FactKind.SIGNATURE_CHANGED,
        Severity.BREAKING,
        "Share",
        "template <class T>",
        "template <class T, int N>",
    ),
    (
        "a class takes one more template argument",
        "include/acme/share.h",
        SHARES.format(""),
        SHARES.format(", int N = 4"),
        FactKind.SIGNATURE_CHANGED,
        Severity.BEHAVIOUR,
        "Share",
        "template <class T>",
        "template <class T, int N = 4>",
    ),
    (
        "a function can be called while compiling",
        "include/acme/share.h",
        "template <class T>\nauto share(T const& value) {\n  return value;\n}\n",
        "template <class T>\nconstexpr auto share(T const& value) {\n  return value;\n}\n",
        FactKind.SIGNATURE_CHANGED,
        Severity.BEHAVIOUR,
        "share",
        None,
        "constexpr",
    ),
    (
        "a template was specialised",
        "include/acme/share.h",
        SHARES.format(""),
        SHARES.format("") + "\ntemplate <>\nstruct Share<float> {\n  float value;\n  int more;\n};\n",
        FactKind.SYMBOL_ADDED,
        Severity.ADDITIVE,
        "Share<float>",
        None,
        "Share<float>",
    ),
]


@pytest.fixture
def past(history: Callable[[], "History"]) -> "History":
    return history()


async def sheet_of(past: "History", sha: str, route: str) -> FactSheet:
    source = GitSource(RepoId("acme/engine"), Path(past.path))
    (change,) = [change async for change in source.changes([sha])]
    blobs = await source.blobs(change, paths_to_read(change)) if route == "blobs" else None
    return read_facts(change, blobs)


@pytest.mark.parametrize("route", ["blobs", "hunks"])
@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
async def test_what_happened_is_told(past: "History", case: tuple[str, ...], route: str) -> None:
    _, path, old, new, *told = case
    past.commit({path: old})
    sheet = await sheet_of(past, past.commit({path: new}), route)
    facts = [fact for fact in sheet.facts if fact.severity is not Severity.INTERNAL]
    assert [[fact.kind, fact.severity, fact.name, fact.old, fact.new] for fact in facts] == [told]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_a_deprecated_function_is_told_once(past: "History", route: str) -> None:
    past.commit({"src/lib.rs": "pub fn merge(x: u32) -> u32 {\n    x\n}\n"})
    sha = past.commit({"src/lib.rs": '#[deprecated(note = "use join")]\npub fn merge(x: u32) -> u32 {\n    x\n}\n'})
    sheet = await sheet_of(past, sha, route)
    assert [(fact.kind, fact.name) for fact in sheet.facts] == [(FactKind.DEPRECATED, "merge")]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_another_name_for_a_template_parameter_is_nobodys_business(past: "History", route: str) -> None:
    past.commit({"include/acme/share.h": SHARES.format("")})
    new = SHARES.format("").replace("class T", "typename U").replace("T value", "U value")
    sheet = await sheet_of(past, past.commit({"include/acme/share.h": new}), route)
    assert [fact.kind for fact in sheet.facts if fact.detail == "template"] == []


async def test_another_name_for_the_same_type_changes_no_signature(past: "History") -> None:
    path, text = "src/lib.rs", "use json::{}\n\npub fn render(value: {}) -> bool {{\n    value.is_null()\n}}\n"
    past.commit({path: text.format("Value;", "Value")})
    sheet = await sheet_of(past, past.commit({path: text.format("Value as JsonValue;", "JsonValue")}), "blobs")
    assert [fact.kind for fact in sheet.facts if fact.kind is FactKind.SIGNATURE_CHANGED] == []


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_bounds_that_a_macro_puts_on_a_kernel_leave_its_signature_alone(past: "History", route: str) -> None:
    kernel = "template <int N>\n__global__ {}void Sample(float* x, int n) {{\n  x[0] = n;\n}}\n"
    past.commit({"include/acme/sample.cuh": kernel.format("")})
    sha = past.commit({"include/acme/sample.cuh": kernel.format("ACME_LAUNCH_BOUNDS(N) ")})
    sheet = await sheet_of(past, sha, route)
    assert [fact.kind for fact in sheet.facts if fact.severity is not Severity.INTERNAL] == []


async def test_what_a_new_image_sets_and_installs_comes_with_its_file(past: "History") -> None:
    past.commit({"README.md": "x\n"})
    text = "FROM base:1\nARG ACME_REF=main\nENV ACME_HOME=/opt/acme\nRUN pip install torch==2.1.0\n"
    sheet = await sheet_of(past, past.commit({"docker/Dockerfile.acme": text}), "blobs")
    assert [fact.kind for fact in sheet.facts] == [FactKind.FILE_ADDED]


async def test_kernels_that_come_by_the_dozen_are_one_fact(past: "History") -> None:
    past.commit({"README.md": "x\n"})
    files: dict[str, str | None] = {f"csrc/gemm/gemm_m{n}.cu": f"__global__ void gemm_m{n}() {{}}\n" for n in range(9)}
    sheet = await sheet_of(past, past.commit(files), "hunks")
    (fact,) = [fact for fact in sheet.facts if fact.kind is FactKind.FILE_ADDED]
    assert len(fact.places) == 9


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_attributes_that_no_caller_notices_are_not_told(past: "History", route: str) -> None:
    past.commit({"src/lib.rs": "pub fn merge(x: u32) -> u32 {\n    x\n}\n"})
    sha = past.commit({"src/lib.rs": "#[inline]\n#[allow(dead_code)]\npub fn merge(x: u32) -> u32 {\n    x\n}\n"})
    assert (await sheet_of(past, sha, route)).facts == ()


async def test_a_comparison_in_a_script_is_no_dependency(past: "History") -> None:
    past.commit({"docker/Dockerfile": "FROM base:1\nRUN make\n"})
    sha = past.commit({"docker/Dockerfile": "FROM base:1\nRUN make | awk 'n==1'\n"})
    assert [fact.kind for fact in (await sheet_of(past, sha, "blobs")).facts] == []


async def test_a_file_of_tests_beside_rust_sources_is_a_test(past: "History") -> None:
    past.commit({"src/parser/tests.rs": "fn checks() {\n    run();\n}\n"})
    sha = past.commit({"src/parser/tests.rs": 'fn checks() {\n    assert!(run(), "runs");\n}\n'})
    assert [fact.kind for fact in (await sheet_of(past, sha, "blobs")).facts] == [FactKind.ONLY_TESTS]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_an_example_that_asks_for_another_device_is_told_to_those_who_look(past: "History", route: str) -> None:
    text = 'int main() {\n  if (props.major %s 10) {\n    std::cerr << "no device";\n    return 0;\n  }\n}\n'
    past.commit({"examples/first/first.cu": text % "<"})
    (fact,) = (await sheet_of(past, past.commit({"examples/first/first.cu": text % "!="}), route)).facts
    assert (fact.kind, fact.severity) == (FactKind.LIMIT_CHANGED, Severity.INTERNAL)
    assert (fact.name, fact.old, fact.new) == ("props.major", "< 10", "!= 10")


async def test_what_a_new_header_only_announces_is_not_its_content(past: "History") -> None:
    past.commit({"README.md": "acme\n"})
    text = "#pragma once\nclass Foreign;\nstruct Other;\nstruct Plan {\n  int size;\n};\n"
    sheet = await sheet_of(past, past.commit({"include/acme/plan.h": text}), "hunks")
    (fact,) = [fact for fact in sheet.facts if fact.kind is FactKind.FILE_ADDED]
    assert fact.new == "Plan"


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_a_pin_of_several_files_has_no_marker_of_one_of_them(past: "History", route: str) -> None:
    def files(version: str) -> dict[str, str | None]:
        return {
            "requirements/cpu.txt": f'acme=={version}; platform_system == "Darwin"\n',
            "requirements/gpu.txt": f"acme=={version}\n",
        }

    past.commit(files("2.1"))
    (fact,) = (await sheet_of(past, past.commit(files("2.3")), route)).facts
    assert (fact.kind, fact.old, fact.new, fact.detail) == (FactKind.DEPENDENCY_CHANGED, "==2.1", "==2.3", None)
    assert len(fact.places) == 2


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_a_number_beside_another_name_is_the_same_number(past: "History", route: str) -> None:
    text = "int plan(int n) {\n  return search(n, /*head_dim=*/%s * 16);\n}\n"
    past.commit({"include/acme/plan.cuh": text % "FRAGS"})
    sheet = await sheet_of(past, past.commit({"include/acme/plan.cuh": text % "TILES"}), route)
    assert {fact.kind for fact in sheet.facts} == {FactKind.CODE_CHANGED}


async def test_what_a_helper_of_a_kernel_asks_for_breaks_nobody(past: "History") -> None:
    text = (
        "#pragma once\n__device__ void load(int* to%s) { *to = 1; }\n\n\n\n\n"
        "__global__ void kernel(int* to) { load(to%s); }\n"
    )
    past.commit({"include/acme/load.cuh": text % ("", "")})
    sheet = await sheet_of(past, past.commit({"include/acme/load.cuh": text % (", int size", ", 4")}), "blobs")
    assert [(fact.kind, fact.severity) for fact in sheet.facts] == [(FactKind.PARAMETER_ADDED, Severity.BEHAVIOUR)]
