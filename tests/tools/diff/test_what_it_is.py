"""What is a kernel, a registry, a variable of the project and a check of users, and what only looks so."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf


async def test_what_a_new_function_refuses_is_no_new_check(facts_of: "FactsOf") -> None:
    old = "def run(x):\n    return x\n"
    check = '    if x > 8:\n        raise ValueError("{} takes at most eight of them")\n    return x\n'
    new = f"def run(x):\n{check.format('run')}\n\ndef _start(x):\n{check.format('start')}"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    assert [fact.detail for fact in facts if fact.kind is FactKind.ERROR_ADDED] == ["run"]


async def test_variables_that_a_build_service_or_the_system_sets_are_not_new(facts_of: "FactsOf") -> None:
    names = ("GITHUB_RUN_ID", "CI", "HOME", "PATH", "SLURM_PROCID", "ATLAS_PORT", "GITHUB_TOKEN")
    read = "".join(f'v{place} = os.environ.get("{name}")\n' for place, name in enumerate(names))
    facts = await facts_of({"pkg/a.py": "import os\n"}, {"pkg/a.py": f"import os\n\n{read}"})
    told = {name for fact in facts if fact.kind is FactKind.ENV_ADDED for name in fact.name.split(", ")}
    assert told == {"ATLAS_PORT", "GITHUB_TOKEN"}


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('PACKED_MODULES_MAPPING = {\n    "qkv": ["q", "k"],\n%s}\n', False),
        ('NAME_MAP = {\n    "qkv": ["q", "k"],\n%s}\n', False),
        ('PARSER_REGISTRY = {\n    "qkv": ["q", "k"],\n%s}\n', True),
    ],
)
async def test_rows_of_a_table_that_translates_names_of_weights_are_no_choices(
    table: str, told: bool, facts_of: "FactsOf"
) -> None:
    facts = await facts_of({"pkg/a.py": table % '    "gate": ["g"],\n'}, {"pkg/a.py": table % ""})
    assert (FactKind.UNREGISTERED in {fact.kind for fact in facts}) is told


async def test_a_method_of_a_bound_class_is_nothing_to_choose_by_name(facts_of: "FactsOf") -> None:
    text = (
        'void bind(py::module m) {{\n  m.def("start", &start);\n{0}'
        '  py::class_<Builder>(m, "Builder")\n      .def("load", &Builder::load){1};\n}}\n'
    )
    facts = await facts_of(
        {"src/bind.cc": text.format("", "")},
        {"src/bind.cc": text.format('  m.def("stop", &stop);\n', '\n      .def("sync", &Builder::sync)')},
    )
    assert [(fact.name, fact.severity) for fact in facts if fact.kind is FactKind.REGISTERED] == [
        ("stop", Severity.ADDITIVE),
        ("Builder.sync", Severity.INTERNAL),
    ]


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("add.py", "@triton.jit\ndef add(x):\n    tl.store(x, 1)\n", "kernel"),
        ("meta.py", "SIZES = (1, 2)\n", "source"),
        ("add_utils.py", "@cute.jit\ndef place(x):\n    return cute.size(x)\n", "source"),
        ("add_warmup.py", "def warm(x):\n    return run(x)\n", "source"),
        ("triton_helper.py", "def trace_kernel_arguments(x):\n    return run(x)\n", "source"),
        ("table.py", "class KernelSettings:\n    rows = 1\n", "source"),
        ("add_v2.py", "class AddKernelSm100:\n    def __call__(self, x):\n        return x\n", "kernel"),
    ],
)
async def test_only_a_file_with_a_kernel_is_a_new_kernel(name: str, text: str, what: str, facts_of: "FactsOf") -> None:
    facts = await facts_of({"pkg/a.py": "x = 1\n"}, {f"pkg/kernels/{name}": text})
    assert [fact.detail for fact in facts if fact.kind is FactKind.FILE_ADDED] == [what]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("class LlamaForCausalLM(nn.Module):\n    pass\n", "model"),
        ("class Medusa(nn.Module):\n    def load_weights(self, weights):\n        return weights\n", "model"),
        ("class Ovis(\n    nn.Module,\n    SupportsMultiModal,\n):\n    pass\n", "model"),
        ("EntryClass = Grok\n", "model"),
        ("class PackedFuser(RewriteFuser):\n    pass\n", "source"),
        ("def rotate(x):\n    return x\n", "source"),
    ],
)
async def test_only_a_file_with_a_model_is_a_new_model(text: str, what: str, facts_of: "FactsOf") -> None:
    facts = await facts_of({"pkg/a.py": "x = 1\n"}, {"pkg/models/llama/part.py": text})
    assert [fact.detail for fact in facts if fact.kind is FactKind.FILE_ADDED] == [what]


async def test_a_program_that_drives_kernels_is_none(facts_of: "FactsOf") -> None:
    facts = await facts_of({"a.py": "x = 1\n"}, {"src/drive.cu": "#include <a.h>\nint main() {\n  return 0;\n}\n"})
    assert [fact.detail for fact in facts if fact.kind is FactKind.FILE_ADDED] == ["source"]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_small_files_with_one_licence_are_not_one_file(route: str, facts_of: "FactsOf") -> None:
    licence = "".join(
        f"# Line {at} of a licence that stands in every file of the project, word for word.\n" for at in range(9)
    )
    old = f'{licence}\n"""\nHelpers.\n"""\n\nfrom .arith import add\n\n__all__ = ["add"]\n'
    new = f'{licence}\n"""\nConstants.\n"""\n\nWARP_SIZE = 32\nWARPS = 4\n'
    before = {"pkg/helpers/__init__.py": old, "pkg/a.py": "x = 1\n"}
    after: dict[str, str | None] = {"pkg/helpers/__init__.py": None, "pkg/arch/constants.py": new}
    facts = await facts_of(before, after, route)
    told = {(fact.kind, fact.name) for fact in facts}
    assert (FactKind.FILE_REMOVED, "pkg/helpers/__init__.py") in told
    assert (FactKind.FILE_ADDED, "pkg/arch/constants.py") in told
    assert not [fact for fact in facts if fact.kind in (FactKind.FILE_RENAMED, FactKind.SYMBOL_REMOVED)]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_a_method_in_the_place_of_another_with_its_quotes_alone_is_a_new_one(
    route: str, facts_of: "FactsOf"
) -> None:
    old = (
        'class Pipe:\n    size = 1\n\n    def expect_response(self, mbar: int) -> None:\n        """\n'
        '        Adds to the count.\n        """\n        expect(mbar, self.size(), lane())\n'
    )
    new = (
        'class Pipe:\n    size = 1\n\n    def issue_next(self) -> None:\n        """\n'
        '        Asks for a tile.\n        """\n        token, at = stage_of(self.raw)\n        go(token, at)\n'
    )
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    told = {(fact.kind, fact.name) for fact in facts}
    assert told == {(FactKind.SYMBOL_REMOVED, "Pipe.expect_response"), (FactKind.SYMBOL_ADDED, "Pipe.issue_next")}


async def test_a_function_that_a_class_is_given_for_a_word_is_no_name_to_choose(facts_of: "FactsOf") -> None:
    text = "{}@REGISTRY.register_model('atlas')\nclass Atlas(Model):\n    size = 1\n"
    given = "@REGISTRY.register_most('audio', most_of_audio)\n"
    facts = await facts_of({"pkg/a.py": text.format(given)}, {"pkg/a.py": text.format("")})
    assert [(fact.kind, fact.detail) for fact in facts] == [(FactKind.SIGNATURE_CHANGED, "decorators")]


async def test_a_list_of_what_a_class_takes_is_more_than_an_addition_where_its_base_may_have_one(
    facts_of: "FactsOf",
) -> None:
    text = "class Backend({}):\n    name = 'a'\n{}"
    for base, severity in (("RowBackend", Severity.BEHAVIOUR), ("ABC", Severity.ADDITIVE)):
        for place, typed in enumerate(("", ": ClassVar[list[str]]")):
            path = f"{base}{place}/a.py"
            listed = text.format(base, f"    supported_dtypes{typed} = ['half']\n")
            (fact,) = await facts_of({path: text.format(base, "")}, {path: listed})
            assert fact.severity is severity


async def test_a_variable_that_a_script_of_ci_only_sets_has_not_come(facts_of: "FactsOf") -> None:
    lines = 'export ATLAS_DEVICE=cpu\nexport ATLAS_JOBS="${ATLAS_JOBS:-4}"\n'
    facts = await facts_of({".github/build.sh": "ls\n"}, {".github/build.sh": f"ls\n{lines}"})
    assert [fact.name for fact in facts if fact.kind is FactKind.ENV_ADDED] == ["ATLAS_JOBS"]


async def test_a_benchmark_that_is_a_command_of_the_package_is_no_upkeep(facts_of: "FactsOf") -> None:
    old, new = "def start(a):\n    pass\n", "def start(a, b=None):\n    pass\n"
    facts = await facts_of({"pkg/bench_rows.py": old}, {"pkg/bench_rows.py": new})
    assert [fact.kind for fact in facts] == [FactKind.PARAMETER_ADDED]


async def test_a_package_gives_a_new_name_on_from_the_module_that_it_imports(facts_of: "FactsOf") -> None:
    head = "def other():\n    pass\n"
    facts = await facts_of(
        {"pkg/__init__.py": "from .core import other\n", "pkg/core.py": head, "pkg/_inner.py": head},
        {
            "pkg/__init__.py": "from .core import other, scan\n",
            "pkg/core.py": f"{head}\n\ndef scan(rows, axis):\n    return rows\n",
            "pkg/_inner.py": f"{head}\n\ndef scan(builder):\n    return builder\n",
        },
    )
    told = {fact.new for fact in facts if fact.kind is FactKind.SYMBOL_ADDED and fact.severity is Severity.ADDITIVE}
    assert told == {"scan(rows, axis)"}
