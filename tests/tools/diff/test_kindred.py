"""What stands where another thing stood is not that thing by its place alone: classes, parameters, files."""

from typing import TYPE_CHECKING

from agent.facts import FactKind

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

_BODY = "        return self\n"


def _class(name: str, *methods: str, base: str = "Layer") -> str:
    return f"class {name}({base}):\n" + "".join(f"    def {method}:\n{_BODY}" for method in methods) + "\n\n"


async def test_a_class_that_another_one_became_is_not_taken_for_the_one_above_it(facts_of: "FactsOf") -> None:
    model = ("__init__(self, a)", "forward(self, x)", "load(self, w)")
    head = ("__init__(self, a, b)", "forward(self, x, *, y)", "load(self, w)", "logits(self, h)", "embed(self, i)")
    filling = "".join(f"ROW_{number} = {number}\n" for number in range(50))
    old = _class("AtlasModel", *model) + filling + _class("AtlasForAnswers", *head)
    new = _class("AtlasForLM", *head).replace("return self", "return None")
    facts = await facts_of(
        {"pkg/a.py": old, "pkg/b.py": "X = 1\n"},
        {"pkg/a.py": new + filling, "pkg/b.py": "X = 1\n\n\n" + _class("AtlasForAnswers", "see(self)")},
    )
    told = {(fact.kind, fact.name) for fact in facts}
    assert {(FactKind.SYMBOL_REMOVED, "AtlasModel"), (FactKind.SYMBOL_ADDED, "AtlasForLM")} <= told
    assert not {kind for kind, _ in told} & {FactKind.SYMBOL_RENAMED, FactKind.PARAMETER_ADDED}


async def test_a_class_with_other_members_is_another_one_unless_the_name_says_otherwise(facts_of: "FactsOf") -> None:
    old = _class("RowCache", "get(self)", "put(self)", "clear(self)")
    for name, kinds in (
        ("RowStore", {FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED}),
        ("RowsCache", {FactKind.SYMBOL_RENAMED}),
    ):
        facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": _class(name, "open(self)", "seek(self)", "end(self)")})
        assert {fact.kind for fact in facts if fact.name in ("RowCache", name)} == kinds


async def test_two_parameters_in_the_place_of_one_are_no_rename(facts_of: "FactsOf") -> None:
    text = "int Begin(int* rows, uint32_t batch_size, {});\n"
    facts = await facts_of(
        {"include/a.h": text.format("uint32_t group_share")},
        {"include/a.h": text.format("uint32_t num_q_heads, uint32_t num_k_heads")},
    )
    assert sorted((fact.kind.value, fact.detail) for fact in facts) == [
        ("parameter-added", "num_k_heads"),
        ("parameter-added", "num_q_heads"),
        ("parameter-removed", "group_share"),
    ]


async def test_a_removed_file_is_not_said_to_be_where_only_a_constant_of_it_is(facts_of: "FactsOf") -> None:
    old = "BLOCK_SIZE = 32\n\n\n" + _class("PackedConfig", "get(self)") + _class("PackedRows", "put(self)")
    other = "BLOCK_SIZE = 32\n\n\n" + _class("Other", *(f"run_{number}(self)" for number in range(20)))
    for folder, new, heir in (("one", "", None), ("two", _class("PackedConfig", "see(self)"), "two/new.py")):
        facts = await facts_of(
            {f"{folder}/old.py": old}, {f"{folder}/old.py": None, f"{folder}/new.py": other + new}, "hunks"
        )
        assert [fact.new for fact in facts if fact.kind is FactKind.FILE_REMOVED] == [heir]


async def test_a_class_with_most_of_its_members_was_renamed_wherever_it_stands(facts_of: "FactsOf") -> None:
    methods = ("open_rows(self)", "read_rows(self, n)", "close_rows(self)")
    filling = "".join(f"ROW_{number} = {number}\n" for number in range(60))
    old = filling + _class("RowTalkingMixin", "__init__(self)", *methods, base="Base")
    new = _class("RowTalkerMixin", "__init__(self, a=1)", *methods, base="Base") + filling
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new.replace("return self", "return None")})
    kinds = {fact.kind for fact in facts}
    assert FactKind.SYMBOL_RENAMED in kinds
    assert not kinds & {FactKind.SYMBOL_ADDED, FactKind.SYMBOL_REMOVED}


async def test_a_base_under_its_new_name_is_the_same_base(facts_of: "FactsOf") -> None:
    heir = "class Manager({}):\n    def run(self):\n        return 1\n"
    facts = await facts_of(
        {"pkg/a.py": _class("RowTalk", "get(self)"), "pkg/b.py": heir.format("RowTalk")},
        {"pkg/a.py": _class("RowTalks", "get(self)"), "pkg/b.py": heir.format("RowTalks")},
    )
    assert {fact.kind for fact in facts} == {FactKind.SYMBOL_RENAMED}


async def test_an_enumeration_with_members_that_are_only_written_otherwise_was_renamed(facts_of: "FactsOf") -> None:
    old = "enum class ActKind : int {\n  Gelu = 0,\n  Swiglu = 1,\n  Geglu = 2,\n  Relu = 3,\n};\n"
    new = "enum class GatedKind : int {\n  SwiGlu = 0,\n  GeGlu = 1,\n};\n"
    facts = await facts_of({"include/kinds.h": old}, {"include/kinds.h": new})
    kinds = {fact.kind for fact in facts}
    assert {FactKind.SYMBOL_RENAMED, FactKind.MEMBER_REMOVED} <= kinds
    assert FactKind.SYMBOL_REMOVED not in kinds
