"""What is still there is not told as gone or new, and what only looks alike is not told as the same."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity
from tools.diff.cutting import MOST, cut

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@ROUTES
async def test_a_variable_that_another_file_asks_for_in_another_form_is_not_gone(
    route: str, facts_of: "FactsOf"
) -> None:
    read = 'import os\n\n\ndef dims():\n    return os.environ.get("ATLAS_DIMS", "64,128")\n'
    setup = 'import os\n\ndims = os.environ.get("ATLAS_DIMS", "64,128").split(",")\n'
    facts = await facts_of({"pkg/build.py": read}, {"pkg/build.py": None, "setup.py": setup}, route)
    assert not [fact for fact in facts if fact.name == "ATLAS_DIMS"]


@ROUTES
async def test_a_variable_that_a_line_beside_the_change_asks_for_is_not_new(route: str, facts_of: "FactsOf") -> None:
    known = 'import os\n\nRANK = os.environ["ATLAS_RANK"]\n'
    new = 'import os\n\n\ndef rank():\n    return os.environ.get("ATLAS_RANK", "0"), os.getenv("ATLAS_NEW")\n'
    facts = await facts_of({"pkg/a.py": known}, {"pkg/a.py": known + "SIZE = 1\n", "pkg/b.py": new}, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.ENV_ADDED] == ["ATLAS_NEW"]


async def test_an_enumeration_that_is_another_name_of_one_keeps_its_members(facts_of: "FactsOf") -> None:
    old = "namespace lib {\nenum class Mode {\n  kGemm,\n  kBatched,\n};\n}\n"
    new = "namespace lib {\nusing Mode = core::Mode;\n}\n"
    (fact,) = await facts_of({"include/lib.h": old}, {"include/lib.h": new})
    assert (fact.kind, fact.name, fact.old, fact.new) == (
        FactKind.SIGNATURE_CHANGED,
        "lib.Mode",
        "enum",
        "= core::Mode",
    )


async def test_the_error_of_a_renamed_method_is_raised_under_the_new_name(facts_of: "FactsOf") -> None:
    old = 'class Op:\n    def forward_cuda_jit(self, x):\n        raise NotImplementedError("no cuda_jit backend")\n'
    facts = await facts_of({"pkg/op.py": old}, {"pkg/op.py": old.replace("cuda_jit", "jit")})
    assert [fact.kind for fact in facts] == [FactKind.SYMBOL_RENAMED, FactKind.ERROR_CHANGED]


async def test_a_parameter_is_renamed_where_its_siblings_are(facts_of: "FactsOf") -> None:
    old = "def one(x, aux_list: list = None):\n    return x\n\n\ndef two(x, aux_list: list, y=1):\n    return x\n"
    new = old.replace("aux_list: list = None", "aux_data: list = None").replace(
        "aux_list: list,", "aux_data: Data = Data(),"
    )
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    kinds = {fact.kind for fact in facts}
    assert FactKind.PARAMETER_REMOVED not in kinds
    assert [fact.name for fact in facts if fact.kind is FactKind.PARAMETER_RENAMED] == ["one, two"]


async def test_a_property_is_no_new_name_of_a_method(facts_of: "FactsOf") -> None:
    old = "class Backend:\n    def reads_custom_mask(self) -> bool:\n        return True\n"
    new = "class Backend:\n    @property\n    def custom_mask(self) -> Mask:\n        return self._mask\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    assert [(fact.kind, fact.detail, fact.old or fact.new) for fact in facts] == [
        (FactKind.SYMBOL_REMOVED, "method", "reads_custom_mask()"),
        (FactKind.SYMBOL_ADDED, "property", "custom_mask: Mask"),
    ]


async def test_an_overload_that_came_takes_nothing_from_the_others(facts_of: "FactsOf") -> None:
    old = "struct Relu {\n  int operator()(int acc, float source, float uniform) const;\n};\n"
    new = (
        "struct Relu {\n  int operator()(int acc) const;\n"
        "  int operator()(int acc, float source, float uniform, bool fast) const;\n};\n"
    )
    facts = await facts_of({"include/relu.h": old}, {"include/relu.h": new})
    assert {fact.kind for fact in facts} == {FactKind.SYMBOL_ADDED, FactKind.PARAMETER_ADDED}


@ROUTES
async def test_where_callers_write_no_names_another_type_says_enough(route: str, facts_of: "FactsOf") -> None:
    old = "struct Params {\n  Params(float alpha, float threshold);\n};\n"
    new = "struct Params {\n  Params(float alpha, float const * threshold_ptr);\n};\n"
    facts = await facts_of({"include/p.h": old}, {"include/p.h": new}, route)
    assert [(fact.kind, fact.new) for fact in facts] == [(FactKind.SIGNATURE_CHANGED, "threshold_ptr: float const *")]


async def test_what_a_source_file_only_announces_is_not_new(facts_of: "FactsOf") -> None:
    old = "#include <lib.h>\nint one() { return 1; }\n"
    facts = await facts_of({"csrc/a.cu": old}, {"csrc/a.cu": old + "namespace lib {\nint two(int x);\n}\n"})
    assert facts == []


@ROUTES
async def test_a_namespace_under_another_name_is_a_rename_of_all_in_it(route: str, facts_of: "FactsOf") -> None:
    old = "namespace lib {\nnamespace gemm {\nint run(int x);\n}  // namespace gemm\n}\n"
    facts = await facts_of({"include/g.h": old}, {"include/g.h": old.replace("gemm", "group_gemm")}, route)
    assert (facts[0].kind, facts[0].severity, facts[0].old, facts[0].new) == (
        FactKind.SYMBOL_RENAMED,
        Severity.BREAKING,
        "gemm",
        "group_gemm",
    )


async def test_nobody_calls_the_backward_pass_of_a_function(facts_of: "FactsOf") -> None:
    head = "class Attention(torch.autograd.Function):\n    @staticmethod\n"
    old = head + "    def backward(ctx, dout, *args):\n        return dout\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.replace("*args", "dlse")})
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


@ROUTES
async def test_the_many_flags_of_a_new_script_are_one_fact(route: str, facts_of: "FactsOf") -> None:
    flags = "".join(f'    parser.add_argument("--size-{n}", type=int, default={n})\n' for n in range(12))
    script = f"import argparse\n\n\ndef add_cli_args(parser):\n{flags}"
    facts = await facts_of({"README.md": "a\n"}, {"pkg/launch_server.py": script}, route)
    (fact,) = [fact for fact in facts if fact.kind is FactKind.FLAG_ADDED]
    assert fact.name.startswith("--size-0, --size-1, ")
    assert fact.detail == "12 flags of pkg/launch_server.py"


@ROUTES
async def test_the_version_that_a_check_asks_for_is_a_limit(route: str, facts_of: "FactsOf") -> None:
    old = 'def arch():\n    if is_cuda_version_at_least("13.0"):\n        return "f"\n    return "a"\n'
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.replace("13.0", "12.9")}, route)
    assert (fact.kind, fact.old, fact.new) == (FactKind.LIMIT_CHANGED, ">= 13.0", ">= 12.9")


async def test_a_default_that_is_too_long_to_be_shown_is_another_one(facts_of: "FactsOf") -> None:
    rows = "".join(f'            "{n}-layer-name-of-a-checkpoint": "layers.{n}",\n' for n in range(12))
    head = "@dataclass\nclass Config:\n    names: dict = field(\n        default_factory=lambda: {\n"
    old = f"{head}{rows}        }}\n    )\n"
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.replace("layers.3", "blocks.3")})
    assert (fact.kind, fact.name) == (FactKind.FIELD_CHANGED, "Config.names")


async def test_other_words_in_a_docstring_are_no_other_layout(facts_of: "FactsOf") -> None:
    old = 'def run(p=0.0):\n    """Run.\n\n    p: dropout, 0.1 unless told\n    """\n    return p\n'
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.replace("0.1", "0.0")})
    assert fact.kind is FactKind.ONLY_COMMENTS


@ROUTES
async def test_a_tag_that_begins_with_a_letter_is_a_tag(route: str, facts_of: "FactsOf") -> None:
    old = 'set(_ATLAS_TAG "891d57b4db1071624b5c8fa0d1e51cb317fa709f")\n'
    new = '# the branch with support\nset(_ATLAS_TAG "a6b593d2826719dcf4892609af7b84ee23aaf32a")\n'
    (fact,) = await facts_of({"cmake/atlas.cmake": old}, {"cmake/atlas.cmake": new}, route)
    assert (fact.kind, fact.name) == (FactKind.DEPENDENCY_CHANGED, "_ATLAS_TAG")


def test_of_too_many_facts_every_severity_and_kind_keeps_some() -> None:
    facts = [
        Fact(kind=kind, severity=severity, name=f"{kind}{n}")
        for severity, kind, count in (
            (Severity.BREAKING, FactKind.SYMBOL_REMOVED, 70),
            (Severity.ADDITIVE, FactKind.ENV_ADDED, 40),
            (Severity.ADDITIVE, FactKind.SYMBOL_ADDED, 2),
        )
        for n in range(count)
    ]
    kept, left = cut(facts)
    assert len(kept) == MOST
    assert sum(fact.kind is FactKind.SYMBOL_ADDED for fact in kept) == 2
    assert left == ["43 more of symbol-removed", "33 more of env-added"]


def test_the_version_of_a_release_is_told_however_much_it_breaks() -> None:
    gone = [Fact(kind=FactKind.SYMBOL_REMOVED, severity=Severity.BREAKING, name=f"f{n}") for n in range(MOST + 5)]
    bumped = Fact(kind=FactKind.VERSION_CHANGED, severity=Severity.INTERNAL, name="version", old="2.10", new="2.11")
    kept, _ = cut([*gone, bumped])
    assert bumped in kept
    assert len(kept) == MOST


@ROUTES
async def test_a_name_that_was_imported_and_is_set_by_hand_now_is_not_new(route: str, facts_of: "FactsOf") -> None:
    old = "from pkg.fast import attend as attend_fast\n\n\ndef run(x):\n    return attend_fast(x)\n"
    new = old.replace("from pkg.fast import attend as attend_fast", "attend_fast = None")
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_an_error_whose_words_only_a_remark_has_now_is_gone(route: str, facts_of: "FactsOf") -> None:
    words = "AttentionBackend with drafted tokens does not support graphs yet"
    check = f'        if n > 1:\n            raise ValueError("{words}")\n'
    old = f"class Backend:\n    def start(self, n):\n{check}        return n\n"
    new = f"class Backend:\n    def start(self, n):\n        # TODO: an {words}\n        return n\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [(fact.kind, fact.old) for fact in facts] == [(FactKind.ERROR_REMOVED, words)]


@ROUTES
async def test_what_another_stage_of_an_image_installs_now_has_neither_come_nor_gone(
    route: str, facts_of: "FactsOf"
) -> None:
    pip, fast = "RUN pip install setuptools wheel\n", "ENV ACME_FAST=1\n"
    old = f"FROM a/base:1 AS build\n{pip}{fast}RUN make\nFROM a/base:1 AS runtime\nCOPY a b\n"
    new = f"FROM a/base:1 AS build\nRUN make -DACME_FAST=ON\nFROM a/base:1 AS runtime\n{pip}RUN pip install ruff\n"
    facts = await facts_of({"docker/Dockerfile": old}, {"docker/Dockerfile": new}, route)
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.DEPENDENCY_ADDED, "ruff")]


@ROUTES
async def test_a_setting_that_moved_to_another_stage_is_no_news_and_one_that_went_is(
    route: str, facts_of: "FactsOf"
) -> None:
    old = "FROM a/base:1 AS build\nENV ACME_FAST=1\nENV ACME_OLD=1\nFROM a/base:1 AS runtime\nCOPY a b\n"
    new = "FROM a/base:1 AS build\nFROM a/base:1 AS runtime\nENV ACME_FAST=1\nCOPY a b\n"
    facts = await facts_of({"docker/Dockerfile": old}, {"docker/Dockerfile": new}, route)
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.CONFIG_REMOVED, "ACME_OLD")]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "kind", "values"),
    [
        ('ENTRYPOINT [ "/run" ]', 'ENTRYPOINT ["/app/run"]', FactKind.CONFIG_CHANGED, ('["/run"]', '["/app/run"]')),
        ('ENTRYPOINT [ "/run" ]', 'ENTRYPOINT ["/run"]', None, None),
        ('CMD ["bash"]', 'CMD ["/bin/zsh"]', None, None),
        ("COPY x y", 'ENTRYPOINT ["/run"]', FactKind.CONFIG_CHANGED, (None, '["/run"]')),
        ("COPY x y", 'COPY x y\nFROM app AS more\nENTRYPOINT ["/more"]', FactKind.CONFIG_ADDED, (None, '["/more"]')),
        (
            'ENTRYPOINT ["/run"]',
            'FROM app AS more\nENTRYPOINT ["/more"]',
            FactKind.CONFIG_CHANGED,
            ('["/run"]', '["/more"]'),
        ),
    ],
)
async def test_what_an_image_runs_is_told_where_it_is_something_else(
    route: str, facts_of: "FactsOf", old: str, new: str, kind: FactKind | None, values: tuple[str, str] | None
) -> None:
    head = "FROM a/base:1 AS app\nCOPY a b\n"
    facts = await facts_of({"docker/Dockerfile": f"{head}{old}\n"}, {"docker/Dockerfile": f"{head}{new}\n"}, route)
    told = [(fact.kind, (fact.old, fact.new)) for fact in facts if fact.kind is not FactKind.ONLY_FORMATTING]
    assert told == ([(kind, values)] if kind else [])


@ROUTES
@pytest.mark.parametrize(
    ("new", "gone"),
    [
        ("assert_env ACME_CACHE\nmkdir -p ${ACME_CACHE}/a\n", []),
        ("ACME_CACHE=/tmp\nmkdir -p ${ACME_CACHE}/a\n", ["ACME_CACHE"]),
        ("mkdir -p /tmp/a\n", ["ACME_CACHE"]),
    ],
)
async def test_a_variable_that_a_script_still_asks_for_without_a_default_is_not_gone(
    route: str, facts_of: "FactsOf", new: str, gone: list[str]
) -> None:
    old = "set -e\nmkdir -p ${ACME_CACHE:=/cache}/a\n"
    facts = await facts_of({"scripts/build.sh": old}, {"scripts/build.sh": f"set -e\n{new}"}, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.ENV_REMOVED] == gone


@ROUTES
async def test_a_rust_error_that_gets_its_words_by_a_name_now_is_not_gone(route: str, facts_of: "FactsOf") -> None:
    words = 'format!("fetch: {what}: exceeds {MOST_BYTES_OF_ALL} bytes")'
    head = "pub fn f(n: u8, what: &str) -> Result<u8, String> {\n"
    old = f"{head}    if n > m() {{\n        return Err({words});\n    }}\n    Ok(n)\n}}\n"
    new = old.replace("    if n", f"    let big = || {words};\n    if n").replace(f"Err({words})", "Err(big())")
    assert await facts_of({"src/lib.rs": old}, {"src/lib.rs": new}, route) == []


async def test_a_macro_that_a_source_had_is_not_gone_where_a_header_defines_it_now(facts_of: "FactsOf") -> None:
    head, body = "#pragma once\nint size();\n", '#include "common.h"\nint size() { return 4; }\n'
    guarded = "#ifndef LIB_HAS_HALF\n  #define LIB_HAS_HALF\n#endif\n"
    old = {"src/common.h": head, "src/convert.cpp": f"#define LIB_HAS_HALF\n{body}"}
    facts = await facts_of(old, {"src/common.h": f"{head}{guarded}", "src/convert.cpp": body})
    assert FactKind.SYMBOL_REMOVED not in {fact.kind for fact in facts}


@pytest.mark.parametrize(("second", "told"), [("head_now + size < count", 0), ("head_now + size <= count", 2)])
async def test_checks_that_ask_the_same_of_a_renamed_variable_are_no_news(
    facts_of: "FactsOf", second: str, told: int
) -> None:
    checks = "  LIB_ASSERT(cells.first_of(%s) == batch.first);\n  LIB_ASSERT(%s);\n"
    text = f"int read(int size, int count) {{\n{checks}  return 4;\n}}\n"
    old, new = text % ("head", "head + size < count"), text % ("head_now", second)
    facts = await facts_of({"src/read.cpp": old}, {"src/read.cpp": new})
    assert len([fact for fact in facts if fact.kind is FactKind.ERROR_CHANGED]) == told
