"""What moved inside a commit is told as moved, or not at all, by both routes."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity
from agent.ids import RepoId
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf, History

Told = tuple[FactKind, Severity, str]
ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
BODY = """(x, y):
    total = x * y + 3
    for step in range(total):
        total += step * compute(total)
    report(total, "a total of this size")
    return total - 1
"""
STAYS = "import os\n\n\ndef stay(a):\n    return os.fspath(a)\n"


@pytest.fixture
def past(history: Callable[[], "History"]) -> "History":
    return history()


async def told(
    past: "History", before: Mapping[str, str], after: Mapping[str, str | None], route: str, *, internal: bool = False
) -> list[Told]:
    """Commit both versions and list what is told of the second, files and lines inside of functions left out."""
    past.commit(dict(before))
    source = GitSource(RepoId("o/r"), past.path)
    (change,) = [change async for change in source.changes([past.commit(dict(after))])]
    sheet = read_facts(change, await source.blobs(change, paths_to_read(change)) if route == "blobs" else None)
    left_out = (FactKind.FILE_ADDED, FactKind.FILE_REMOVED, FactKind.CODE_CHANGED)
    kept = [fact for fact in sheet.facts if fact.kind not in left_out]
    return [(fact.kind, fact.severity, fact.name) for fact in kept if internal or fact.severity != Severity.INTERNAL]


@ROUTES
@pytest.mark.parametrize("line", ['source_text = r"""\nfloat f(float x);\n"""\n', "nvcc_flags = ['-O3']\n"])
async def test_a_value_that_another_file_has_now_moved(line: str, route: str, past: "History") -> None:
    before = {"pkg/a.py": line + STAYS, "pkg/b.py": STAYS}
    (fact,) = await told(past, before, {"pkg/a.py": STAYS, "pkg/b.py": line + STAYS}, route)
    assert fact[:2] == (FactKind.SYMBOL_MOVED, Severity.BREAKING)


@ROUTES
async def test_a_value_that_a_new_file_has_moved(route: str, past: "History") -> None:
    line = "_warp_sizes = (16, 32, 64)\n"
    after = {"pkg/a.py": STAYS, "pkg/b.py": line + "\n\ndef other():\n    return _warp_sizes\n"}
    kinds = [kind for kind, *_ in await told(past, {"pkg/a.py": line + STAYS}, after, route, internal=True)]
    assert kinds == [FactKind.SYMBOL_MOVED]


@ROUTES
async def test_a_function_under_another_name_in_a_new_file_was_renamed(route: str, past: "History") -> None:
    after = {"pkg/a.py": STAYS, "pkg/b.py": f"import os\n\n\ndef fresh_total{BODY}"}
    before = {"pkg/a.py": f"{STAYS}\n\ndef old_total{BODY}"}
    assert await told(past, before, after, route) == [(FactKind.SYMBOL_RENAMED, Severity.BREAKING, "fresh_total")]


@ROUTES
@pytest.mark.parametrize(
    "shim",
    [
        "from pkg.b import *\n",
        "from pkg import b as _b\n\nglobals().update({k: getattr(_b, k) for k in dir(_b)})\n",
        "from pkg import b as _b\n\n\ndef __getattr__(name):\n    return getattr(_b, name)\n",
    ],
)
async def test_what_a_module_still_gives_on_breaks_nobody(shim: str, route: str, past: "History") -> None:
    body = f"import os\n\n\ndef big_total{BODY}"
    facts = await told(past, {"pkg/a.py": body}, {"pkg/a.py": shim, "pkg/b.py": body + "\n\nMORE = 1\n"}, route)
    assert [fact for fact in facts if fact[2] != "__getattr__"] in (
        [],
        [(FactKind.SYMBOL_MOVED, Severity.BEHAVIOUR, "big_total")],
    )


@ROUTES
async def test_an_override_of_what_is_imported_wholesale_can_go(route: str, past: "History") -> None:
    before = {"pkg/a.py": "from other import *\n\n\ndef build_all(folder, names=None):\n    return folder\n"}
    assert await told(past, before, {"pkg/a.py": "from other import *\n"}, route) == []


@ROUTES
async def test_a_check_that_moved_under_other_placeholders_is_the_same(route: str, past: "History") -> None:
    check = '    if kind not in KINDS:\n        raise ValueError(f"unsupported kind of kernel: {kind}")\n'
    run = "def run(kind):\n{}    return kind\n"
    after = f"def _choose(which):\n{check.replace('kind}', 'which}').replace('if kind', 'if which')}\n\n"
    after += run.format("    kind = _choose(kind)\n")
    assert await told(past, {"pkg/a.py": run.format(check)}, {"pkg/a.py": after}, route) == []


@ROUTES
async def test_a_check_that_went_to_a_new_file_is_not_gone(route: str, past: "History") -> None:
    check = '    if x > 8:\n        raise ValueError(f"this kernel takes eight at most, not {x}")\n'
    before = {"pkg/a.py": f"def run(x):\n{check}    return x\n"}
    after = {"pkg/a.py": "def run(x):\n    verify(x)\n    return x\n", "pkg/b.py": f"def verify(y):\n{check}"}
    assert await told(past, before, after, route) == []


@ROUTES
async def test_the_same_name_in_another_language_is_no_new_place(route: str, past: "History") -> None:
    before = {"include/acme/ops.h": "#pragma once\nint scaled_product(int a, int b);\nint stays(int a);\n"}
    after = {
        "include/acme/ops.h": "#pragma once\nint stays(int a);\n",
        "acme/ops.py": "def scaled_product" + BODY,
    }
    assert await told(past, before, after, route) == [(FactKind.SYMBOL_REMOVED, Severity.BREAKING, "scaled_product")]


@ROUTES
async def test_a_constructor_follows_its_renamed_struct(route: str, past: "History") -> None:
    text = (
        "#pragma once\nnamespace acme {\nstruct %s {\n  void* base;\n  long space;\n"
        "  %s(void* buf, long size) : base(buf), space(size) {}\n"
        "  void* take(long n) { return grow(base, n, space); }\n"
        "};\n}  // namespace acme\n"
    )
    path = "include/acme/alloc.h"
    after = {path: text % ("Allocator", "Allocator")}
    facts = await told(past, {path: text % ("Alloactor", "Alloactor")}, after, route)
    assert facts == [(FactKind.SYMBOL_RENAMED, Severity.BREAKING, "acme.Allocator")]


@ROUTES
async def test_a_function_taken_over_from_a_file_that_went_moved(route: str, past: "History") -> None:
    before = {"pkg/a.py": STAYS, "pkg/old.py": f"def big_total{BODY}"}
    after = {"pkg/a.py": f"{STAYS}\n\ndef big_total{BODY}", "pkg/old.py": None}
    assert [fact[0] for fact in await told(past, before, after, route)] == [FactKind.SYMBOL_MOVED]


@ROUTES
async def test_a_parameter_that_breaks_some_callers_only_is_told_apart(route: str, past: "History") -> None:
    before = {"pkg/a.py": "def first(x, y):\n    return x\n\n\ndef second(x):\n    return x\n"}
    after = {"pkg/a.py": "def first(x, loud=False, y=0):\n    return x\n\n\ndef second(x, loud=False):\n    return x\n"}
    found = {(name, severity) for kind, severity, name in await told(past, before, after, route) if "added" in kind}
    assert found == {("first", Severity.BREAKING), ("second", Severity.ADDITIVE)}


@ROUTES
async def test_a_switch_that_is_set_before_a_trial_sets_it_again_has_not_changed(route: str, past: "History") -> None:
    before = "try:\n    import fast\n\n    FAST_AVAILABLE = True\nexcept ImportError:\n    FAST_AVAILABLE = False\n"
    after = (
        "FAST_AVAILABLE = False\ntry:\n    import fast\n\n    FAST_AVAILABLE = True\nexcept ImportError:\n    pass\n"
    )
    assert await told(past, {"acme/core.py": before}, {"acme/core.py": after}, route) == []


@ROUTES
async def test_what_left_a_file_that_was_renamed_came_from_where_the_file_was(past: "History", route: str) -> None:
    long = "".join(f"def keep_{name}(a):\n    return a * {number}\n\n\n" for number, name in enumerate("abcdefgh"))
    past.commit({"pkg/old/plan.py": f"{long}def split_plan{BODY}"})
    source = GitSource(RepoId("o/r"), past.path)
    after = {"pkg/old/plan.py": None, "pkg/new/plan.py": long, "pkg/new/split.py": f"def split_plan{BODY}"}
    (change,) = [change async for change in source.changes([past.commit(after)])]
    sheet = read_facts(change, await source.blobs(change, paths_to_read(change)) if route == "blobs" else None)
    moved = [(fact.name, fact.old, fact.new) for fact in sheet.facts if fact.kind is FactKind.SYMBOL_MOVED]
    assert moved == [("split_plan", "pkg/old/plan.py", "pkg/new/split.py")]


@ROUTES
@pytest.mark.parametrize("stays", [True, False])
async def test_a_namespace_that_one_moved_header_left_is_not_renamed(
    stays: bool, route: str, facts_of: "FactsOf"
) -> None:
    moved = "#pragma once\nnamespace conv {\n" + "".join(f"int scale_{n}(int rows);\n" for n in range(20)) + "}\n"
    other = "#pragma once\nnamespace conv {\nint pack(int rows);\n}\n"
    before = {"include/lib/conv/scale.h": moved, "include/lib/conv/pack.h": other}
    after = {
        "include/lib/conv/scale.h": None,
        "include/lib/gemm/scale.h": moved.replace("conv", "gemm"),
        "include/lib/conv/pack.h": (other if stays else other.replace("conv", "gemm")).replace("rows", "cols"),
    }
    facts = await facts_of(before, after, route)
    renamed = {(fact.old, fact.new) for fact in facts if fact.detail == "namespace"}
    assert renamed == (set() if stays else {("conv", "gemm")})


LOAD = "void * load_library(const char * path) {\n    return dlopen(path, RTLD_NOW);\n}\n"


@ROUTES
@pytest.mark.parametrize("another", [True, False])
async def test_what_a_new_header_declares_and_its_source_defines_has_moved(
    another: bool, route: str, facts_of: "FactsOf"
) -> None:
    text = "#include <cstring>\n{}\nint keep(int rows) {{\n    return rows;\n}}\n{}"
    after = {
        "src/reg.cpp": text.format('#include "load.h"\n', ""),
        "src/load.h": "#pragma once\nvoid * load_library(const char * path);\n",
        "src/load.cpp": f'#include "load.h"\n\n{LOAD}',
    }
    if another:
        after |= {"src/htp/libdl.h": f"#pragma once\n\nstatic inline {LOAD}"}
    facts = await facts_of({"src/reg.cpp": text.format("", f"\nstatic {LOAD}")}, after, route)
    told = [(fact.kind, fact.new) for fact in facts if fact.name == "load_library"]
    assert told == [(FactKind.SYMBOL_MOVED, "src/load.h")]
