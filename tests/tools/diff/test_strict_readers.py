"""What a strict reader of the diff would object to is not told, or told otherwise, by both routes."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
REMOVED, BREAKING, BEHAVIOUR = FactKind.SYMBOL_REMOVED, Severity.BREAKING, Severity.BEHAVIOUR


@ROUTES
@pytest.mark.parametrize("mark", ["cute.jit", "cute.kernel"])
async def test_what_runs_on_a_device_breaks_nobody(mark: str, route: str, facts_of: "FactsOf") -> None:
    call = "class Kernel:\n    @cute.jit\n    def __call__(self, a):\n        pass\n\n"
    text = f"{call}    @{mark}\n    def mma(self, a{{}}):\n        pass\n"
    facts = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format(", leader")}, route)
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.PARAMETER_ADDED, Severity.INTERNAL)]


@ROUTES
async def test_a_call_of_a_kernel_from_the_host_is_its_surface(route: str, facts_of: "FactsOf") -> None:
    text = "class Kernel:\n    @cute.jit\n    def __call__(self, a{}):\n        pass\n"
    facts = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format(", sink")}, route)
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.PARAMETER_ADDED, BREAKING)]


@ROUTES
async def test_a_kernel_that_a_module_lists_is_public(route: str, facts_of: "FactsOf") -> None:
    text = '__all__ = ["total"]\n\n\n@triton.jit\ndef total(a{}):\n    pass\n'
    facts = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format(", b")}, "blobs")
    assert [fact.severity for fact in facts] == [BREAKING]


@ROUTES
@pytest.mark.parametrize(
    ("base", "elsewhere", "severity", "detail"),
    [
        ("nn.Module", "", BREAKING, "method"),
        ("Base", "class Base:\n    def plan(self, a):\n        return a\n", BEHAVIOUR, "override"),
        ("Base", "class Base:\n    def other(self, a):\n        return a\n", BREAKING, "method"),
        ("Base", "", BEHAVIOUR, "method"),
    ],
)
async def test_a_method_is_an_override_only_if_a_base_is_seen_to_have_it(
    base: str, elsewhere: str, severity: Severity, detail: str, route: str, facts_of: "FactsOf"
) -> None:
    text = f"from base import Base\n\n\nclass Layer({base}):\n    size = 1\n"
    after = {"pkg/a.py": text} | ({"pkg/base.py": elsewhere} if elsewhere else {})
    before = {"pkg/a.py": f"{text}\n    def plan(self, a):\n        return a + 2\n"}
    facts = [fact for fact in await facts_of(before, after, route) if fact.kind is REMOVED]
    assert [(fact.severity, fact.detail) for fact in facts] == [(severity, detail)]


@ROUTES
async def test_what_a_module_sets_in_passing_is_its_own(route: str, facts_of: "FactsOf") -> None:
    rest = "def run(a):\n    return a\n"
    tried = "try:\n    import other\n\n    other_version = other.__version__\nexcept ImportError:\n    pass\n\n\n"
    before = {"pkg/a.py": tried + rest}
    facts = await facts_of(before, {"pkg/a.py": rest}, route)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


@ROUTES
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Passing `causal` to {api}.plan() is deprecated", "plan(causal)"),
        ("arguments by position are deprecated", "Wrapper.plan"),
    ],
)
async def test_a_deprecation_names_what_is_deprecated(words: str, name: str, route: str, facts_of: "FactsOf") -> None:
    helper = f'def _warn_old(api):\n    warnings.warn(f"{words}", DeprecationWarning)\n\n\n'
    wrapper = "class Wrapper:\n    def plan(self, causal=None):\n        {}\n        return causal\n"
    before = {"pkg/a.py": "import warnings\n\n\n" + wrapper.format("pass")}
    after = {"pkg/a.py": f"import warnings\n\n\n{helper}{wrapper.format('_warn_old(1)')}"}
    facts = [fact for fact in await facts_of(before, after, route) if fact.kind is FactKind.DEPRECATED]
    assert [(fact.name, fact.severity) for fact in facts] == [(name, BEHAVIOUR)]


@ROUTES
async def test_an_error_in_the_place_of_the_only_other_one_has_changed(route: str, facts_of: "FactsOf") -> None:
    text = "def run(x):\n    if {}:\n        raise ValueError({})\n    return x\n"
    after = {"pkg/a.py": text.format("x > 9 or odd(x)", '"between one and nine"')}
    facts = await facts_of({"pkg/a.py": text.format("big(x)", '"too large for this device"')}, after, route)
    assert [fact.kind for fact in facts] == [FactKind.ERROR_CHANGED]


@ROUTES
@pytest.mark.parametrize(("function", "told"), [("run", [FactKind.ERROR_ADDED]), ("_run", [])])
async def test_an_assertion_without_words_is_told_of_public_functions(
    function: str, told: list[FactKind], route: str, facts_of: "FactsOf"
) -> None:
    text = f"def {function}(x, packed=False):\n{{}}    return x\n"
    after = {"pkg/a.py": text.format("    assert not packed\n    assert x is not None\n")}
    facts = await facts_of({"pkg/a.py": text.format("")}, after, route)
    assert [(fact.kind, fact.new) for fact in facts] == [(kind, "not packed") for kind in told]


@ROUTES
async def test_a_constructor_without_the_name_of_its_parameter_is_the_same(route: str, facts_of: "FactsOf") -> None:
    text = (
        "struct Vec {{\n  explicit Vec(float x) : v(x) {{}}\n{}  explicit Vec(bool b) : v(b) {{}}\n{}  float v;\n}};\n"
    )
    before = {"include/a.h": text.format("", "  explicit Vec(const Other& o);\n")}
    facts = await facts_of(before, {"include/a.h": text.format("  explicit Vec(const Other&);\n", "")}, route)
    assert facts == []


@ROUTES
async def test_members_of_an_enumeration_are_told_at_any_indentation(route: str, facts_of: "FactsOf") -> None:
    rows = [f"  Kind{n} = enum_auto()\n" for n in range(12)]
    before = {"pkg/a.py": "class Kind(enum.Enum):\n" + "".join(rows)}
    after = {"pkg/a.py": "class Kind(enum.Enum):\n" + "".join([*rows[:8], "  Fresh = enum_auto()\n", *rows[8:]])}
    assert [fact.kind for fact in await facts_of(before, after, route)] == [FactKind.MEMBER_ADDED]


@ROUTES
async def test_a_variable_that_setup_asks_is_told(route: str, facts_of: "FactsOf") -> None:
    text = 'import os\nfrom setuptools import setup\n\n{}setup(name="x")\n'
    after = {"setup.py": text.format('fast = os.environ.get("X_ENABLE_FAST", "1") == "1"\n')}
    facts = await facts_of({"setup.py": text.format("")}, after, route)
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [(FactKind.ENV_ADDED, "X_ENABLE_FAST", '"1"')]


@ROUTES
async def test_what_an_image_installs_checks_out_and_fetches_is_told(route: str, facts_of: "FactsOf") -> None:
    clone = "RUN git clone https://github.com/o/attn.git \\\n    && cd attn{} \\\n    && make\n"
    fetch = "RUN wget https://host.example/v2/smi-tool_2.0.1_amd64.deb \\\n"
    fetch += "    && apt-get install -y libhwloc15 \\\n    libigsc1 rocelib=235.2\n"
    before = {"Dockerfile": "FROM a/b:1\n" + clone.format(" && git checkout v2.0")}
    facts = await facts_of(before, {"Dockerfile": "FROM a/b:1\n" + clone.format("") + fetch}, route)
    assert {(fact.kind, fact.name, fact.old or fact.new) for fact in facts} == {
        (FactKind.DEPENDENCY_REMOVED, "attn", "v2.0"),
        (FactKind.DEPENDENCY_ADDED, "smi-tool", "2.0.1_amd64"),
        (FactKind.DEPENDENCY_ADDED, "libhwloc15, libigsc1", None),
        (FactKind.DEPENDENCY_ADDED, "rocelib", "235.2"),
    }


@ROUTES
async def test_values_of_a_matrix_and_variables_of_a_workflow_are_told(route: str, facts_of: "FactsOf") -> None:
    text = 'env:\n  ARCH_LIST: "{}"\njobs:\n  build:\n    strategy:\n      matrix:\n        cuda: [{}]\n'
    path = ".github/workflows/release.yml"
    facts = await facts_of(
        {path: text.format("8.0", "cu126, cu128")}, {path: text.format("7.5 8.0", "cu126, cu128, cu131")}, route
    )
    told = {(fact.name, fact.old, fact.new) for fact in facts if fact.kind is FactKind.CONFIG_CHANGED}
    assert told == {("ARCH_LIST", "8.0", "7.5 8.0"), ("cuda", "cu126, cu128", "cu126, cu128, cu131")}


@ROUTES
async def test_the_version_in_the_name_of_a_fetched_file_is_told(route: str, facts_of: "FactsOf") -> None:
    text = (
        "FROM a/b:1\nRUN pip install https://host.example/v{0}/my_kernel-{0}+cu128-cp39-abi3-linux_$(uname -m).whl\n"
        "RUN wget https://host.example/redist/{0}/shared_src_{0}-1.txz\n"
    )
    before, after = ({"Dockerfile": text.format(version)} for version in ("3.2.5", "3.3.9"))
    facts = await facts_of(before, after, route)
    assert {(fact.kind, fact.name, fact.old, fact.new) for fact in facts} == {
        (FactKind.DEPENDENCY_CHANGED, "my_kernel", "3.2.5+cu128", "3.3.9+cu128"),
        (FactKind.DEPENDENCY_CHANGED, "shared_src", "3.2.5-1", "3.3.9-1"),
    }


@ROUTES
async def test_what_is_checked_out_by_an_argument_is_what_the_argument_says(route: str, facts_of: "FactsOf") -> None:
    text = "FROM a/b:1\nARG SIZE=2\n{}RUN git clone https://host.example/o/attn.git && cd attn && git checkout {}\n"
    before = {"Dockerfile": text.format("", "0a1b2c3d4e")}
    after = {"Dockerfile": text.format("ARG ATTN_COMMIT=0a1b2c3d4e\n", "${ATTN_COMMIT}")}
    assert "attn" not in {fact.name for fact in await facts_of(before, after, route)}
