"""What moved and is still had from where it was, or was had from elsewhere before, is nothing new."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
STAYS = "import os\n\n\ndef stay(a):\n    return os.fspath(a)\n"
LIST = 'LoadMode = Literal["auto", "eager_load"]\n'
ENUM = 'class LoadMode(str, Enum):\n    AUTO = "auto"\n    EAGER = "eager_load"\n'


@ROUTES
@pytest.mark.parametrize(
    ("definition", "name"),
    [("def pack(x, y):\n    return x + y\n", "pack"), ('RunType = Literal["a", "b"]\n', "RunType")],
)
async def test_what_a_file_imports_now_instead_of_defining_it_is_not_new_in_the_other(
    definition: str, name: str, route: str, facts_of: "FactsOf"
) -> None:
    before = {"pkg/a.py": f"{STAYS}\n\n{definition}", "pkg/b.py": STAYS}
    after = {"pkg/a.py": f"from pkg.b import {name}\n{STAYS}", "pkg/b.py": f"{STAYS}\n\n{definition}"}
    assert await facts_of(before, after, route) == []


async def test_what_only_a_test_had_before_is_new_to_users(facts_of: "FactsOf") -> None:
    definition = "def pack_all(x, y):\n    return x + y\n"
    before = {"benchmarks/a.py": f"{STAYS}\n\n{definition}", "pkg/b.py": STAYS}
    after = {"benchmarks/a.py": f"from pkg.b import pack_all\n{STAYS}", "pkg/b.py": f"{STAYS}\n\n{definition}"}
    facts = await facts_of(before, after)
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.SYMBOL_ADDED, Severity.ADDITIVE)]


@ROUTES
async def test_a_value_under_a_condition_that_a_new_file_has_moved(route: str, facts_of: "FactsOf") -> None:
    lines = 'if TYPE_CHECKING:\n    import big\nelse:\n    lazy_big = Lazy("big", globals())\n'
    facts = await facts_of({"pkg/a.py": lines + STAYS}, {"pkg/a.py": STAYS, "pkg/b.py": f"{lines}\n\n{STAYS}"}, route)
    assert FactKind.SYMBOL_REMOVED not in {fact.kind for fact in facts}


@ROUTES
async def test_a_function_and_what_its_package_gave_on_of_it_go_as_one(route: str, facts_of: "FactsOf") -> None:
    before = {"pkg/__init__.py": "from .a import pack, stay\n", "pkg/a.py": f"{STAYS}\n\ndef pack(x):\n    return x\n"}
    facts = await facts_of(before, {"pkg/__init__.py": "from .a import stay\n", "pkg/a.py": STAYS}, route)
    assert [(fact.kind, fact.name, fact.detail) for fact in facts] == [(FactKind.SYMBOL_REMOVED, "pack", "function")]


async def test_what_a_package_gave_on_of_a_private_module_is_public_all_the_same(facts_of: "FactsOf") -> None:
    module = f"{STAYS}\n\ndef pack(x):\n    return x\n"
    before = {"pkg/__init__.py": "from ._a import pack, stay\n", "pkg/_a.py": module}
    (fact,) = await facts_of(before, {"pkg/__init__.py": "from ._a import stay\n", "pkg/_a.py": STAYS})
    assert (fact.severity, fact.detail, fact.places[0].file) == (Severity.BREAKING, "function", "pkg/__init__.py")


@pytest.mark.parametrize("there", ["pkg/b.py", "pkg/new.py"])
async def test_an_enumeration_that_is_a_list_of_values_elsewhere_breaks(there: str, facts_of: "FactsOf") -> None:
    before = {"pkg/a.py": f"{ENUM}\n\n{STAYS}", "pkg/b.py": STAYS}
    after = {"pkg/a.py": f"from {there[:-3].replace('/', '.')} import LoadMode\n{STAYS}", there: f"{LIST}{STAYS}"}
    facts = [fact for fact in await facts_of(before, after) if fact.kind is FactKind.SIGNATURE_CHANGED]
    assert [(fact.severity, fact.name, fact.old) for fact in facts] == [(Severity.BREAKING, "LoadMode", "enum")]


async def test_an_enumeration_that_is_a_list_of_values_in_its_place_breaks(facts_of: "FactsOf") -> None:
    (fact,) = await facts_of({"pkg/a.py": f"{ENUM}\n\n{STAYS}"}, {"pkg/a.py": f"{LIST}\n\n{STAYS}"})
    assert (fact.kind, fact.severity) == (FactKind.SIGNATURE_CHANGED, Severity.BREAKING)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("LoadMode.AUTO", '"auto"', False),
        ("LoadMode.EAGER.value", '"eager_load"', False),
        ("LoadMode.EAGER", '"eager"', True),
        ('"fast_path"', "OtherMode.FAST_PATH", False),
        ("OtherMode.FAST_PATH", '"slow"', True),
        ("LoadMode.AUTO", "LoadMode.EAGER", True),
    ],
)
async def test_a_member_and_the_literal_it_stands_for_are_one_value(
    old: str, new: str, told: bool, facts_of: "FactsOf"
) -> None:
    text = f"{ENUM}\n\ndef load(x, mode={{}}):\n    return x\n"
    facts = await facts_of({"pkg/a.py": text.format(old)}, {"pkg/a.py": text.format(new)})
    assert bool(facts) is told


CALLED = "    def call_all(self, x, wait=False):\n        return x\n"
PLAIN = "    def call_all(self, x):\n        return x\n"
FLAG = "    piped: bool = True\n\n"


@ROUTES
async def test_what_the_namesake_of_a_class_had_in_a_file_that_gives_on_the_class_now_is_not_new(
    route: str, facts_of: "FactsOf"
) -> None:
    before = {
        "pkg/a.py": f"from .b import Runner as Old\n\n\nclass Runner(Old):\n{FLAG}{CALLED}",
        "pkg/b.py": f"{STAYS}\n\nclass Runner:\n{PLAIN}",
    }
    after = {"pkg/a.py": "from .b import Runner\n", "pkg/b.py": f"{STAYS}\n\nclass Runner:\n{FLAG}{CALLED}"}
    assert await facts_of(before, after, route) == []


async def test_what_the_namesake_of_a_class_loses_and_stays_is_new_in_the_other(facts_of: "FactsOf") -> None:
    own = f"{STAYS}\n\nclass Runner:\n{PLAIN}"
    before = {"pkg/a.py": own + FLAG, "pkg/b.py": own}
    facts = await facts_of(before, {"pkg/a.py": own, "pkg/b.py": own + FLAG})
    assert {fact.kind for fact in facts} == {FactKind.FIELD_REMOVED, FactKind.FIELD_ADDED}


@pytest.mark.parametrize(
    ("base", "method", "severity"),
    [
        ("Plan", "__init__", Severity.BEHAVIOUR),
        ("Plan", "__len__", Severity.BEHAVIOUR),
        ("nn.Module", "__init__", Severity.BEHAVIOUR),
        ("nn.Module", "__len__", Severity.ADDITIVE),
        ("ABC", "__init__", Severity.ADDITIVE),
        ("Plan", "extend", Severity.ADDITIVE),
    ],
)
async def test_a_special_method_is_declared_over_the_one_of_a_base_out_of_sight(
    base: str, method: str, severity: Severity, facts_of: "FactsOf"
) -> None:
    text = f"from .elsewhere import ABC, Plan, nn\n\n\nclass Heir({base}):\n{PLAIN}"
    (fact,) = await facts_of({"pkg/a.py": text}, {"pkg/a.py": f"{text}\n    def {method}(self):\n        return 1\n"})
    assert (fact.kind, fact.severity) == (FactKind.SYMBOL_ADDED, severity)


@ROUTES
@pytest.mark.parametrize(("now", "told"), [("self.keys = set()", False), ("keys = set()", True)])
async def test_what_each_object_has_for_itself_now_is_not_gone(
    now: str, told: bool, route: str, facts_of: "FactsOf"
) -> None:
    text = "class Table:\n{}    def __init__(self, x):\n        self.x = x\n{}"
    after = text.format("", f"        {now}\n")
    facts = await facts_of({"pkg/a.py": text.format("    keys = set()\n\n", "")}, {"pkg/a.py": after}, route)
    assert bool(facts) is told


@pytest.mark.parametrize(
    ("new", "renamed"),
    [
        (("merge_part_start_offset", "merge_part_stride_offset"), False),
        (("merge_part_indptr_offset", "merge_part_stride_offset"), True),
        (("merge_part_offset",), True),
    ],
)
async def test_a_field_is_renamed_by_words_that_no_other_new_one_has(
    new: tuple[str, ...], renamed: bool, facts_of: "FactsOf"
) -> None:
    text = "struct Plan {{\n  int64_t rows;\n{}  int64_t cols;\n}};\n"
    before, after = (
        text.format("".join(f"  int64_t {name};\n" for name in names)) for names in (("merge_indptr_offset",), new)
    )
    facts = await facts_of({"include/pkg/a.h": before}, {"include/pkg/a.h": after})
    assert (FactKind.FIELD_RENAMED in {fact.kind for fact in facts}) is renamed


@ROUTES
async def test_what_a_package_has_that_was_a_module_is_still_had_from_there(route: str, facts_of: "FactsOf") -> None:
    lines = "".join(f"    total += x * {number}\n" for number in range(30))
    pack = "\n\nclass PackBuilder:\n    def pack(self, x):\n        return x\n"
    crate = "\n\nclass CrateBuilder:\n    def crate(self, x):\n        return x\n"
    rest = f"{STAYS}\n\ndef count_all(x):\n    total = 0\n{lines}    return total\n"
    before = {"pkg/a.py": rest + pack + crate}
    gives = "from pkg.a.core import (count_all,\n                        stay)\nfrom .b import PackBuilder\n"
    after = {
        "pkg/a.py": None,
        "pkg/a/__init__.py": gives,
        "pkg/a/core.py": rest,
        "pkg/a/b.py": f"import os\n{pack}{crate}",
    }
    facts = await facts_of(before, after, route)
    moved = [(fact.name, fact.severity) for fact in facts if fact.kind is FactKind.SYMBOL_MOVED]
    assert moved == [("CrateBuilder", Severity.BREAKING)]


async def test_a_name_for_a_type_that_moved_and_stands_for_another_one_is_told_as_both(facts_of: "FactsOf") -> None:
    old, new = "AddedItem = tuple[int, str]\n", "AddedItem = tuple[int, str, str]\n"
    facts = await facts_of({"pkg/a.py": old + STAYS}, {"pkg/a.py": STAYS, "pkg/b.py": f"{new}\n\n{STAYS}"})
    kinds = {fact.kind: (fact.old, fact.new) for fact in facts}
    assert kinds[FactKind.SYMBOL_MOVED] == ("pkg/a.py", "pkg/b.py")
    assert kinds[FactKind.CONSTANT_CHANGED] == ("tuple[int, str]", "tuple[int, str, str]")


@ROUTES
@pytest.mark.parametrize("indent", ["", "    "])
async def test_a_name_that_a_package_imports_from_elsewhere_now_is_not_new(
    indent: str, route: str, facts_of: "FactsOf"
) -> None:
    old = f"import os\nfrom pkg_cpp import (\n    pack, unpack,\n    crate,\n)\n\n\n{STAYS}"
    head = "if os.name:\n" if indent else ""
    names = f"{indent}    pack, unpack,\n{indent}    crate,\n{indent}    crate_all,\n"
    new = f"import os\n{head}{indent}from ._C import (\n{names}{indent})\n\n\n{STAYS}"
    facts = await facts_of({"pkg/__init__.py": old}, {"pkg/__init__.py": new}, route)
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.SYMBOL_ADDED, "crate_all")]
