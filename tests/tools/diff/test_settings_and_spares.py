"""Flags and variables keep or lose their names as a reader would say, and what stands in for an import is no news."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
CAME_AND_WENT = {FactKind.FLAG_ADDED, FactKind.FLAG_REMOVED}
MODULE = "import os\n{}\n\ndef run():\n    return 1\n"


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        ('"--enable-foo", action="store_true"', '"--disable-radix-cache", action="store_true"', False),
        ('"--page-size", type=int, default=1', '"--chunk-len", type=int, default=1', False),
        ('"--page-size", type=int, default=64', '"--chunk-len", type=int, default=64', False),
        ('"--dp", help="Share the batch"', '"--tp", help="How many parts each layer is cut into"', False),
        ('"--output-dir", default="a"', '"--output-path", default="b"', True),
        ('"--tp", help="In how many parts a layer is cut"', '"--parts", help="How many parts a layer is cut in"', True),
    ],
)
async def test_flags_are_renamed_only_where_name_or_help_says_so(
    old: str, new: str, renamed: bool, route: str, facts_of: "FactsOf"
) -> None:
    text = 'def add_args(parser):\n    parser.add_argument("--model", type=str)\n    parser.add_argument({})\n'
    facts = await facts_of({"pkg/args.py": text.format(old)}, {"pkg/args.py": text.format(new)}, route)
    kinds = {fact.kind for fact in facts} - {FactKind.FLAG_DEFAULT}
    assert kinds == ({FactKind.FLAG_RENAMED} if renamed else CAME_AND_WENT)


@ROUTES
async def test_a_renamed_flag_breaks_whoever_passes_it_wherever_it_is_declared(route: str, facts_of: "FactsOf") -> None:
    text = 'def extend(parser):\n    parser.add_argument("--{}", type=str, default="a")\n'
    facts = await facts_of(
        {"pkg/frontend.py": text.format("output-dir")}, {"pkg/frontend.py": text.format("output-path")}, route
    )
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.FLAG_RENAMED, Severity.BREAKING)]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        ('"ATLAS_PROFILE_DIR", "/tmp/x"', '"ATLAS_TRACE_DIR", "/tmp/x"', True),
        ('"ATLAS_USE_RADIX", "0"', '"ATLAS_LOG_LEVEL", "0"', False),
        ('"ATLAS_LONG_FIRST_NAME_A"', '"ATLAS_DISABLE_PDL"', False),
    ],
)
async def test_the_name_of_the_project_makes_no_two_variables_alike(
    old: str, new: str, renamed: bool, route: str, facts_of: "FactsOf"
) -> None:
    text = "import os\n\n\ndef run():\n    return os.environ.get({})\n"
    facts = await facts_of({"pkg/a.py": text.format(old)}, {"pkg/a.py": text.format(new)}, route)
    assert (FactKind.ENV_RENAMED in {fact.kind for fact in facts}) is renamed


@ROUTES
@pytest.mark.parametrize(
    "spare",
    [
        "    attend = None\n",
        '    def attend(*given):\n        raise ImportError("fast is needed for this and is not installed")\n',
        "    class attend:\n        def run(self):\n            return None\n",
    ],
)
@pytest.mark.parametrize("branch", ["try:\n    {}\nexcept ImportError:\n", "if fast_is_there():\n    {}\nelse:\n"])
async def test_what_stands_in_for_an_import_is_no_new_symbol(
    spare: str, branch: str, route: str, facts_of: "FactsOf"
) -> None:
    new = MODULE.format(branch.format("from fast import attend") + spare)
    assert await facts_of({"pkg/a.py": MODULE.format("from fast import attend")}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_a_switch_for_what_is_installed_is_the_modules_own(route: str, facts_of: "FactsOf") -> None:
    new = "try:\n    import fast\n\n    HAS_FAST = True\nexcept ImportError:\n    fast = None\n    HAS_FAST = False\n"
    facts = await facts_of({"pkg/a.py": MODULE.format("")}, {"pkg/a.py": MODULE.format(new)}, route)
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


@ROUTES
async def test_a_function_that_a_module_declares_under_a_condition_is_new(route: str, facts_of: "FactsOf") -> None:
    new = "if is_cuda():\n\n    def attend(q):\n        return q\nelse:\n\n    def attend(q):\n        return 2 * q\n"
    facts = await facts_of({"pkg/a.py": MODULE.format("")}, {"pkg/a.py": MODULE.format(new)}, route)
    assert [(fact.kind, fact.severity, fact.name) for fact in facts] == [
        (FactKind.SYMBOL_ADDED, Severity.ADDITIVE, "attend")
    ]


@ROUTES
async def test_a_variable_is_followed_by_the_one_in_its_place_and_not_by_the_one_that_sounds_like_it(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "import os\n\nclass Envs:\n    {} = EnvInt(-1)\n    ATLAS_SYNC = EnvBool(False)\n    {} = EnvInt(-1)\n"
    before = {"pkg/environ.py": text.format("ATLAS_QUEUED_TIMEOUT_MS", "ATLAS_FORWARD_TIMEOUT_MS")}
    after = {"pkg/environ.py": text.format("ATLAS_REQ_WAITING_TIMEOUT", "ATLAS_REQ_RUNNING_TIMEOUT")}
    renamed = {(f.old, f.new) for f in await facts_of(before, after, route) if f.kind is FactKind.ENV_RENAMED}
    assert renamed == {
        ("ATLAS_QUEUED_TIMEOUT_MS", "ATLAS_REQ_WAITING_TIMEOUT"),
        ("ATLAS_FORWARD_TIMEOUT_MS", "ATLAS_REQ_RUNNING_TIMEOUT"),
    }


async def test_a_variable_behind_a_prefix_is_told_by_the_name_that_the_file_gives_it(facts_of: "FactsOf") -> None:
    old = 'class Manager:\n    def __init__(self, prefix):\n        self.a = get_env_var(f"{prefix}_DUMP_DIR", "")\n'
    opt = '        # such as CUTE_COMPILER_OPT="-O3"\n        self.b = get_env_var(f"{prefix}_COMPILER_OPT", "")\n'
    facts = await facts_of({"pkg/manager.py": old}, {"pkg/manager.py": old + opt})
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.ENV_ADDED, "CUTE_COMPILER_OPT")]
