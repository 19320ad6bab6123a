"""What belongs together is one fact, and what only shares a name is not taken for one thing."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity
from tests.tools.diff.test_known import studied

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.tools.diff.conftest import FactsOf, History

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@ROUTES
async def test_the_same_change_of_several_classes_is_one_fact(route: str, facts_of: "FactsOf") -> None:
    text = "".join(f'class {name}(Op):\n    archs = ["sm_90"{{0}}]\n\n\n' for name in ("Load", "Store", "Reduce"))
    facts = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format(', "sm_100"')}, route)
    assert [(fact.kind, fact.name, fact.new, len(fact.places)) for fact in facts] == [
        (FactKind.CONSTANT_CHANGED, "Load.archs, Store.archs, Reduce.archs", '["sm_90", "sm_100"]', 3)
    ]


@ROUTES
async def test_classes_that_leave_one_base_for_another_are_one_fact(route: str, facts_of: "FactsOf") -> None:
    text = "".join(f"class {name}({{0}}):\n    size = 1\n\n\n" for name in ("Barrier", "Fence"))
    facts = await facts_of({"pkg/a.py": text.format("SyncArray")}, {"pkg/a.py": text.format("Sync")}, route)
    assert [(fact.kind, fact.name, fact.old, fact.new) for fact in facts] == [
        (FactKind.BASE_CHANGED, "Barrier, Fence", "SyncArray", "Sync")
    ]


@ROUTES
@pytest.mark.parametrize("there", [True, False])
async def test_a_package_that_came_as_a_whole_is_told_by_the_name_it_is_installed_by(
    there: bool, route: str, facts_of: "FactsOf"
) -> None:
    before = {"a.py": "x = 1\n"} | ({"operators/atlas/base.py": "y = 1\n"} if there else {})
    module = "def run{}(x):\n    return x\n"
    after = {
        "operators/pyproject.toml": '[project]\nname = "atlas-operators"\nversion = "0.1.0"\n',
        "operators/atlas/__init__.py": "from .one import run1\n",
        "operators/atlas/one.py": module.format(1),
        "operators/atlas/base.py": module.format(2),
    }
    facts = await facts_of(before, after, route)
    told = [(fact.name, fact.new) for fact in facts if fact.detail == "package"]
    assert told == ([] if there else [("operators", "atlas-operators 0.1.0")])


@ROUTES
async def test_a_package_at_the_top_is_told_by_the_manifest_beside_it(route: str, facts_of: "FactsOf") -> None:
    setup = "import setuptools\n\nsetuptools.setup(\n    name='big-atlas',\n    version='1.0.0' + revision,\n)\n"
    code = {f"big_atlas/{name}.py": f"def run_{name}(x):\n    return x\n" for name in ("__init__", "one", "two")}
    facts = await facts_of({"a.py": "x = 1\n"}, {"setup.py": setup, **code}, route)
    assert [(fact.name, fact.new) for fact in facts if fact.detail == "package"] == [("big_atlas", "big-atlas 1.0.0")]


@ROUTES
async def test_a_file_that_is_told_as_renamed_has_not_come_besides(route: str, facts_of: "FactsOf") -> None:
    names = ("check_prefix", "find_all_users", "print_report")
    old = "".join(f"def {name}(x):\n    return {n} + x\n\n\n" for n, name in enumerate(names))
    new = "".join(f"def {name}(path):\n    print({n})\n    return open(path)\n\n\n" for n, name in enumerate(names))
    facts = await facts_of({"pkg/ci/a.py": old}, {"pkg/ci/a.py": None, "pkg/lint/check.py": new}, route)
    told = [(fact.kind, fact.name) for fact in facts if fact.kind.startswith("file-")]
    assert told == [(FactKind.FILE_RENAMED, "pkg/lint/check.py")]


@ROUTES
async def test_a_file_that_left_a_renamed_folder_for_another_is_told_by_itself(route: str, facts_of: "FactsOf") -> None:
    texts = {name: f"int {name}_value = {n};\n" * 9 for n, name in enumerate(("a", "b", "c", "d"))}
    before = {f"csrc/flat/{name}.cu": text for name, text in texts.items()}
    after: dict[str, str | None] = dict.fromkeys(before, None)
    after |= {f"include/flat/{name}.cu": text for name, text in texts.items() if name != "a"}
    facts = await facts_of(before, {**after, "csrc/a.cu": texts["a"]}, route)
    told = {fact.kind: (fact.old, fact.new, fact.places[0].file) for fact in facts}
    assert told[FactKind.FILE_RENAMED] == ("csrc/flat/a.cu", "csrc/a.cu", "csrc/a.cu")
    assert told[FactKind.FOLDER_RENAMED] == ("csrc/flat", "include/flat", "include/flat/b.cu")


@ROUTES
async def test_a_hook_is_not_the_function_of_a_script_that_went(route: str, facts_of: "FactsOf") -> None:
    script = "import subprocess\n\n\ndef build_wheel():\n    subprocess.run(['python', '-m', 'build'])\n"
    backend = "def _write():\n    return 1\n"
    hook = "def build_wheel(wheel_directory, config_settings=None):\n    _write()\n    return wheel_directory\n"
    facts = await facts_of(
        {"cubin/build_wheel.py": script, "cubin/build_backend.py": backend},
        {"cubin/build_wheel.py": None, "cubin/build_backend.py": f"{backend}\n\n{hook}"},
        route,
    )
    assert not [fact for fact in facts if fact.kind.startswith("parameter-")]


@ROUTES
@pytest.mark.parametrize(("new", "renamed"), [("pipelining", False), ("is_constexpr", True)])
async def test_a_parameter_of_another_meaning_is_not_the_old_one_renamed(
    new: str, renamed: bool, route: str, facts_of: "FactsOf"
) -> None:
    text = "def select(start, stop, unroll=-1, {}=None):\n    return start\n"
    facts = await facts_of({"pkg/a.py": text.format("constexpr")}, {"pkg/a.py": text.format(new)}, route)
    kinds = {fact.kind for fact in facts}
    both = {FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED}
    assert kinds == ({FactKind.PARAMETER_RENAMED} if renamed else both)


@ROUTES
async def test_a_parameter_that_is_spelled_otherwise_and_takes_more_is_renamed(route: str, facts_of: "FactsOf") -> None:
    text = "class Kernel:\n    def launch(self, x: Tensor, {}):\n        return x\n"
    before, after = "mGlobalScale: cute.Tensor", "global_scale: Union[Float32, cute.Tensor]"
    facts = await facts_of({"pkg/a.py": text.format(before)}, {"pkg/a.py": text.format(after)}, route)
    assert FactKind.PARAMETER_RENAMED in {fact.kind for fact in facts}
    assert not {FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED} & {fact.kind for fact in facts}


@ROUTES
async def test_what_must_be_named_now_is_shown_in_the_order_in_which_it_was_given(
    route: str, facts_of: "FactsOf"
) -> None:
    old, new = "def create(storage, stages):\n    pass\n", "def create(*, stages, storage):\n    pass\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [(fact.old, fact.new) for fact in facts] == [("storage, stages", "*, stages, storage")]


async def test_parts_of_a_compiler_that_no_package_gives_on_are_internal_under_a_new_name_too(
    history: "Callable[[], History]",
) -> None:
    past = history()
    error = "class CompilationError(RuntimeError):\n    def __init__(self, message, detail=None):\n        self.a = 1\n"
    user = "from ..base_dsl.compiler import CompilationError\n\n\ndef _go(f):\n    raise CompilationError(f)\n"
    past.commit({"pkg/base_dsl/compiler.py": error, "pkg/cutlass_dsl/jit.py": user, "pkg/__init__.py": "a = 1\n"})
    after = error.replace("CompilationError", "DiagnosticError").replace("message, detail=None", "message, raw")
    facts = await studied(past, past.commit({"pkg/base_dsl/compiler.py": after}))
    assert facts
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


async def test_functions_that_make_the_same_parameters_keyword_only_are_told_together(facts_of: "FactsOf") -> None:
    old = "".join(
        f"def {name}(x, loc=None, ip=None):\n    return {at}\n\n\n" for at, name in enumerate(("put", "take"))
    )
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.replace("x, loc", "x, *, loc")})
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.SIGNATURE_CHANGED, "put, take")]


async def test_a_protocol_of_the_project_between_two_underscores_is_its_own_business(facts_of: "FactsOf") -> None:
    old = (
        "class Pipe:\n    def __len__(self):\n        return 1\n\n    def __new_from_values__(self, values):\n"
        "        if len(values) < 13:\n            raise ValueError('too few')\n        return values\n"
    )
    new = old.replace("13", "19").replace("__new_from_values__(self, values)", "__new_from_values__(self, values, at)")
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    assert facts
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


async def test_helpers_of_a_script_that_prepares_an_installation_break_nobody(facts_of: "FactsOf") -> None:
    old = "def run():\n    return 1\n\n\ndef get_spec(path):\n    return path\n"
    facts = await facts_of({"python/prep_editable_install.py": old}, {"python/prep_editable_install.py": old[:26]})
    assert [fact.name for fact in facts if fact.kind is FactKind.SYMBOL_REMOVED] == ["get_spec"]
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


async def test_the_same_refusal_of_several_functions_is_one_fact(facts_of: "FactsOf") -> None:
    text = "def run(scale):\n{0}    return scale\n\n\ndef plan(scale):\n{0}    return scale\n"
    check = '    if scale < 0:\n        raise ValueError("scale must be positive")\n'
    (fact,) = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format(check)})
    assert (fact.kind, fact.detail, len(fact.places)) == (FactKind.ERROR_ADDED, "run, plan", 2)


LICENCE = "// Copyright of Acme.\n// All of it, and more.\n#pragma once\n"
OLD, NEW, SCAN = "include/acme/old.h", "include/acme/fold_all.h", "include/acme/scan.h"


async def test_a_small_header_with_a_word_more_in_its_name_is_the_same_one(facts_of: "FactsOf") -> None:
    old, new = "include/acme/attention.h", "include/acme/attention_impl.h"
    before = {old: f'{LICENCE}#include "wrapper.h"\n'}
    facts = await facts_of(before, {old: None, new: f'{LICENCE}#include "decode.h"\n'})
    assert [(fact.kind, fact.old) for fact in facts] == [(FactKind.FILE_RENAMED, old)]


def functions(*names: str) -> str:
    """Write a header that declares these."""
    return "#pragma once\n" + "".join(f"int {name}(const float* rows, int size);\n" for name in names)


@pytest.mark.parametrize(
    ("kept", "other", "kind", "told"),
    [
        (("fold_rows", "fold_cols", "fold_all"), "scan_rows", FactKind.FILE_RENAMED, (OLD, NEW)),
        (("fold_rows",), "scan_rows", FactKind.FILE_REMOVED, ("fold_cols, fold_all, fold_none", None)),
        (("fold_rows", "fold_cols", "fold_all"), "fold_none", FactKind.FILE_REMOVED, (OLD, f"{NEW}, {SCAN}")),
    ],
)
async def test_a_header_that_went_in_parts_was_not_renamed(
    facts_of: "FactsOf", kept: tuple[str, ...], other: str, kind: FactKind, told: tuple[str, str | None]
) -> None:
    gone = functions("fold_rows", "fold_cols", "fold_all", "fold_none")
    new = {NEW: functions(*(f"{name}_new" for name in "abcdefgh"), *kept)}
    new[SCAN] = functions(*(f"scan_{name}" for name in "abcdefgh"), other)
    facts = await facts_of({OLD: gone}, {OLD: None, **new})
    (fact,) = [fact for fact in facts if fact.kind in (FactKind.FILE_REMOVED, FactKind.FILE_RENAMED)]
    assert (fact.kind, (fact.old, fact.new)) == (kind, told)


async def test_what_moved_out_of_a_file_that_went_is_not_told_as_gone_with_it(facts_of: "FactsOf") -> None:
    fold = "def fold_rows(rows, size):\n    total = sum(rows)\n    return total / size\n"
    scan = "def scan_rows(rows, size):\n    return [row * size for row in rows]\n"
    before = {"pkg/old.py": f"{fold}\n\n{scan}", "pkg/stay.py": "def stay():\n    return 1\n"}
    after = {"pkg/old.py": None, "pkg/stay.py": f"{before['pkg/stay.py']}\n\n{fold}"}
    told = {fact.kind: (fact.name, fact.old) for fact in await facts_of(before, after)}
    assert told[FactKind.FILE_REMOVED] == ("pkg/old.py", "scan_rows")
    assert told[FactKind.SYMBOL_MOVED] == ("fold_rows", "pkg/old.py")
