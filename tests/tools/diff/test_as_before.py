"""What users have as before is not told as gone, new or otherwise; what they meet for the first time is."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity
from tests.tools.diff.test_known import studied

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.tools.diff.conftest import FactsOf, History

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@ROUTES
async def test_a_field_that_a_base_in_another_file_declares_is_only_an_override_less(
    route: str, facts_of: "FactsOf"
) -> None:
    base = "class Backend:\n    dims: list = []\n\n    def run(self{}):\n        return 1\n"
    child = "from .base import Backend\n\n\nclass Flash(Backend):\n{}    name: str = 'flash'\n"
    facts = await facts_of(
        {"pkg/base.py": base.format(""), "pkg/flash.py": child.format("    dims: list = [128]\n")},
        {"pkg/base.py": base.format(", x=None"), "pkg/flash.py": child.format("")},
        route,
    )
    (fact,) = [fact for fact in facts if fact.kind is FactKind.FIELD_REMOVED]
    assert (fact.detail, fact.severity) == ("override", Severity.BEHAVIOUR)


@ROUTES
async def test_a_method_that_is_still_called_may_be_had_from_a_base_out_of_sight(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "from dsl import PipeOg\n\n\nclass Pipe(PipeOg):\n    def wait(self):\n        return 1\n"
    method = "\n    def consumer_release(self, state):\n        return state\n"
    user = "def run(pipe, s):\n    pipe.consumer_release(s)\n    return {}\n"
    facts = await facts_of(
        {"pkg/pipe.py": text + method, "pkg/fwd.py": user.format(1)},
        {"pkg/pipe.py": text, "pkg/fwd.py": user.format(2)},
        route,
    )
    (fact,) = [fact for fact in facts if fact.kind is FactKind.SYMBOL_REMOVED]
    assert (fact.detail, fact.severity) == ("override", Severity.BEHAVIOUR)


@ROUTES
async def test_names_that_a_module_gives_on_by_a_star_now_have_not_moved(route: str, facts_of: "FactsOf") -> None:
    before = {"pkg/math.py": 'from pkg._helpers.math import (\n    sin,\n    cos,\n)\n\n__all__ = ["sin", "cos"]\n'}
    after = {
        "pkg/math.py": "from pkg._helpers.math import *\nfrom pkg._helpers import math\n\n__all__ = math.__all__\n",
        "pkg/other/math.py": "def sin(x):\n    return x\n\n\ndef cos(x):\n    return x\n",
    }
    facts = await facts_of(before, after, route)
    assert {fact.kind for fact in facts} == {FactKind.FILE_ADDED}


@ROUTES
@pytest.mark.parametrize("there", [True, False])
async def test_an_attribute_that_only_gets_a_type_is_not_new(there: bool, route: str, facts_of: "FactsOf") -> None:
    text = "class Jit(Base):\n{}    def load(self):\n        return {}\n"
    used = "self.module" if there else "None"
    facts = await facts_of(
        {"pkg/a.py": text.format("", used)}, {"pkg/a.py": text.format("    module: Module\n\n", used)}, route
    )
    assert bool(facts) is not there


@ROUTES
async def test_one_branch_of_a_member_is_not_its_new_value(route: str, facts_of: "FactsOf") -> None:
    old = "from enum import Enum\n\n\nclass Arch(Enum):\n    sm_100 = 1\n    sm_101 = 2\n    sm_110 = 3\n"
    branch = "        sm_{0} = {1}\n        sm_{2} = sm_{0}\n"
    branches = f"    if NEW:\n{branch.format(110, 3, 101)}    else:\n{branch.format(101, 2, 110)}"
    new = f"from enum import Enum\n\n\nclass Arch(Enum):\n    sm_100 = 1\n{branches}"
    facts = await facts_of({"pkg/arch.py": old}, {"pkg/arch.py": new}, route)
    assert not [fact for fact in facts if fact.kind is FactKind.MEMBER_CHANGED]


@ROUTES
@pytest.mark.parametrize(
    ("handler", "told"),
    [
        ("except (RuntimeError, OSError):\n        kernel = build(x)", False),
        ("except Exception:\n        kernel = build(x)", False),
        ("except KeyError:\n        kernel = build(x)", True),
        ("except RuntimeError as error:\n        raise ValueError from error", True),
    ],
)
async def test_an_error_that_its_own_function_catches_meets_nobody(
    handler: str, told: bool, route: str, facts_of: "FactsOf"
) -> None:
    text = "def run(x, y):\n    try:\n{}        kernel = load(x)\n    HANDLER\n    return kernel\n".replace(
        "HANDLER", handler
    )
    check = '        if x != y:\n            raise RuntimeError("separate types are compiled when needed")\n'
    facts = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format(check)}, route)
    assert (FactKind.ERROR_ADDED in {fact.kind for fact in facts}) is told


async def test_a_variable_of_which_a_file_of_settings_speaks_is_not_new(history: "Callable[[], History]") -> None:
    past = history()
    manager = (
        'class Manager:\n    """Reads ATLAS_OPT="iket"."""\n\n    def __init__(self, prefix):\n        self.a = 1\n'
    )
    asks = 'def run(prefix):\n    return get_bool_env_var(f"{prefix}_ENABLE_FFI", False)\n'
    past.commit({"pkg/env_manager.py": manager, "pkg/a.py": "# later: ATLAS_NEW\nx = 1\n", "pkg/c.py": asks})
    names = ("ATLAS_OPT", "ATLAS_NEW", "ATLAS_DSL_ENABLE_FFI")
    reads = "import os\n\n" + "".join(f'x = os.environ.get("{name}", "")\n' for name in names)
    facts = await studied(past, past.commit({"pkg/b.py": reads}))
    assert [fact.name for fact in facts if fact.kind is FactKind.ENV_ADDED] == ["ATLAS_NEW"]


@ROUTES
async def test_what_is_installed_from_its_repository_in_another_way_is_still_installed(
    route: str, facts_of: "FactsOf"
) -> None:
    head = "FROM ubuntu:24.04\n"
    old = "RUN git clone https://example.org/o/atlas \\\n    && cd atlas && git checkout v2.4.2 && pip install .\n"
    new = "RUN pip install git+https://example.org/o/atlas@v2.4.2#subdirectory=csrc/lib\n"
    assert not await facts_of({"docker/Dockerfile": head + old}, {"docker/Dockerfile": head + new}, route)


@ROUTES
async def test_another_build_backend_is_told(route: str, facts_of: "FactsOf") -> None:
    text = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "{}"\n'
    before, after = text.format("setuptools.build_meta"), text.format("build_backend")
    facts = await facts_of({"pyproject.toml": before}, {"pyproject.toml": after}, route)
    assert [(fact.kind, fact.name, fact.old, fact.new) for fact in facts] == [
        (FactKind.CONFIG_CHANGED, "build-backend", "setuptools.build_meta", "build_backend")
    ]


@ROUTES
async def test_an_architecture_for_which_nothing_is_compiled_any_more_is_told(route: str, facts_of: "FactsOf") -> None:
    flag = 'flags.append("-gencode")\nflags.append("arch=compute_{0},code=sm_{0}")\n'
    old = f"flags = []\n{flag.format(80)}{flag.format(90)}"
    facts = await facts_of(
        {"setup.py": old}, {"setup.py": f"flags = []\n{flag.format(80)}# {flag.format(90)[:22]}\n"}, route
    )
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.CONFIG_REMOVED, "arch=compute_90,code=sm_90")]


@ROUTES
async def test_a_new_package_that_cannot_be_imported_everywhere_says_so(route: str, facts_of: "FactsOf") -> None:
    text = 'from pkg import here\n\nif here.is_rocm():\n    raise NotImplementedError("runs on one platform only")\n'
    facts = await facts_of({"pkg/here.py": "x = 1\n"}, {"pkg/models/fast/__init__.py": text}, route)
    assert [fact.new for fact in facts if fact.kind is FactKind.ERROR_ADDED] == ["runs on one platform only"]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "only"),
    [
        ("This optionally enables harware code paths", "This optionally enables hardware code paths", True),
        ("static const unsigned first_size", "static const unsigned second_size", False),
    ],
)
async def test_a_sentence_inside_of_a_long_comment_is_no_code(
    old: str, new: str, only: bool, route: str, facts_of: "FactsOf"
) -> None:
    around = "  a line of the text here\n" * 8
    text = f"/*\n{around}  {{}}\n{around}*/\nint main() {{{{ return 0; }}}}\n"
    facts = await facts_of({"examples/a.cu": text.format(old)}, {"examples/a.cu": text.format(new)}, route)
    assert (FactKind.ONLY_COMMENTS in {fact.kind for fact in facts}) is only


@ROUTES
async def test_many_parameters_that_may_all_be_left_out_break_nothing(route: str, facts_of: "FactsOf") -> None:
    text = "def decode(q, k{}):\n    return q\n"
    more = ", a=None, b=None, c: int = 1, d: bool = False, e=None"
    (fact,) = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format(more)}, route)
    assert (fact.kind, fact.severity) == (FactKind.SIGNATURE_CHANGED, Severity.ADDITIVE)


@pytest.mark.parametrize(("route", "between"), [("blobs", ""), ("hunks", ""), ("blobs", "\n        ")])
async def test_a_rule_that_joins_a_list_of_rules_is_told_by_its_name(
    route: str, between: str, facts_of: "FactsOf"
) -> None:
    rule = f'    Rule({between}name="{{}}",{between or " "}value=Toggle(param="thinking"),{between}),\n'
    text = f"MODE_RULES = (\n{rule.format('first')}{{}}{rule.format('last')})\n"
    facts = await facts_of(
        {"pkg/rules.py": text.format("")}, {"pkg/rules.py": text.format(rule.format("low_effort"))}, route
    )
    told = [(fact.kind, fact.name, fact.detail) for fact in facts]
    assert told == [(FactKind.REGISTERED, "low_effort", "MODE_RULES")]


@ROUTES
@pytest.mark.parametrize("call", ["os.environ.get(_ENV_FFI)", 'os.getenv(_ENV_FFI, "1")'])
async def test_a_variable_whose_name_a_constant_holds_is_told(call: str, route: str, facts_of: "FactsOf") -> None:
    text = f'import os\n\n_ENV_FFI = "ATLAS_USE_FFI"\n\n\ndef _ffi():\n    return {call}\n'
    facts = await facts_of({"pkg/a.py": "x = 1\n"}, {"pkg/config.py": text}, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.ENV_ADDED] == ["ATLAS_USE_FFI"]
