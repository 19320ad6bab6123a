"""What changes of Python mean for those who use it, by both routes."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, FactSheet, Severity
from agent.ids import RepoId
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import History

Told = tuple[FactKind, Severity, str, str | None, str | None]
ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@pytest.fixture
def past(history: Callable[[], "History"]) -> "History":
    return history()


async def told(past: "History", before: dict[str, str], after: dict[str, str], route: str) -> list[Told]:
    """Commit both versions and list what is told of the second that is not internal."""
    past.commit(dict(before))
    sheet = await sheet_of(past, past.commit(dict(after)), route)
    return [
        (fact.kind, fact.severity, fact.name, fact.old, fact.new)
        for fact in sheet.facts
        if fact.severity is not Severity.INTERNAL and fact.kind is not FactKind.CODE_CHANGED
    ]


async def sheet_of(past: "History", sha: str, route: str) -> FactSheet:
    """Read a commit's facts by one route."""
    source = GitSource(RepoId("o/r"), past.path)
    (change,) = [change async for change in source.changes([sha])]
    return read_facts(change, await source.blobs(change, paths_to_read(change)) if route == "blobs" else None)


@ROUTES
async def test_a_class_that_is_imported_now_has_lost_nothing(route: str, past: "History") -> None:
    body = "class Cache:\n    def get(self, key):\n        return key\n\n    def put(self, key, value):\n        pass\n"
    before = {"pkg/__init__.py": f"import os\n\n\n{body}", "pkg/cache.py": "import os\n"}
    after = {"pkg/__init__.py": "import os\n\nfrom .cache import Cache\n", "pkg/cache.py": f"import os\n\n\n{body}"}
    kinds = {kind for kind, *_ in await told(past, before, after, route)}
    assert kinds <= {FactKind.SYMBOL_ADDED}


@ROUTES
async def test_a_function_made_private_under_an_import_of_its_name_is_still_there(route: str, past: "History") -> None:
    body = "(x, y):\n    total = x * y + 3\n    for step in range(total):\n        total += step\n    return total\n"
    after = {"pkg/core.py": f"from pkg.front import plan\n\n\ndef _plan_here{body}"}
    assert await told(past, {"pkg/core.py": f"\n\n\ndef plan{body}"}, after, route) == []


@ROUTES
async def test_a_class_that_is_a_function_now_is_told_without_its_methods(route: str, past: "History") -> None:
    before = {"pkg/core.py": "class Layer(Base):\n    def run(self, x):\n        return x\n"}
    after = {"pkg/core.py": "def Layer(x):\n    return x\n"}
    facts = await told(past, before, after, route)
    assert facts == [(FactKind.SIGNATURE_CHANGED, Severity.BEHAVIOUR, "Layer", "class", "function")]


@ROUTES
async def test_parameters_that_can_no_longer_be_given_by_position_break_callers(route: str, past: "History") -> None:
    before = {"pkg/core.py": 'def run(\n    x,\n    backend: str = "a",\n    tactic: int = -1,\n):\n    return x\n'}
    after = {"pkg/core.py": before["pkg/core.py"].replace("    backend", "    *,\n    backend")}
    facts = await told(past, before, after, route)
    assert facts == [
        (FactKind.SIGNATURE_CHANGED, Severity.BREAKING, "run", "backend, tactic", "*, backend, tactic"),
    ]


@ROUTES
async def test_a_parameter_that_moved_back_while_others_changed_breaks_callers(route: str, past: "History") -> None:
    before = {"pkg/core.py": "def run(a, b, c, d=1):\n    return a\n"}
    facts = await told(past, before, {"pkg/core.py": "def run(a, c, d=2, b=None):\n    return a\n"}, route)
    assert (FactKind.PARAMETER_REORDERED, Severity.BREAKING, "run", "a, b, c, d", "a, c, d, b") in facts


@ROUTES
async def test_a_parameter_with_another_name_and_type_in_its_place_is_renamed(route: str, past: "History") -> None:
    before = {"pkg/core.py": "def run(x, kv_scales: Tensor | Pair = None, out=None):\n    return x\n"}
    after = {"pkg/core.py": "def run(x, kv_cache_sf: Pair = None, out=None):\n    return x\n"}
    facts = await told(past, before, after, route)
    types = "kv_scales: Tensor | Pair = None", "kv_cache_sf: Pair = None"
    assert facts == [
        (FactKind.PARAMETER_RENAMED, Severity.BREAKING, "run", "kv_scales", "kv_cache_sf"),
        (FactKind.SIGNATURE_CHANGED, Severity.BEHAVIOUR, "run", *types),
    ]


@ROUTES
async def test_a_parameter_that_is_still_taken_by_stars_breaks_nobody(route: str, past: "History") -> None:
    before = {"pkg/core.py": "def run(x, size=1):\n    return x\n"}
    facts = await told(past, before, {"pkg/core.py": "def run(x, *args, **kwargs):\n    return x\n"}, route)
    assert {severity for kind, severity, *_ in facts if kind is FactKind.PARAMETER_REMOVED} == {Severity.BEHAVIOUR}


@ROUTES
@pytest.mark.parametrize(
    ("field", "severity"),
    [
        ("size: int", Severity.BREAKING),
        ("size: int = field(repr=False)", Severity.BREAKING),
        ("size: int = 4", Severity.ADDITIVE),
        ("size: list = field(default_factory=list)", Severity.ADDITIVE),
        ("size: ClassVar[int]", Severity.ADDITIVE),
    ],
)
async def test_a_field_that_every_constructor_call_must_give_breaks_callers(
    field: str, severity: Severity, route: str, past: "History"
) -> None:
    before = "@dataclass\nclass Job:\n    name: str\n"
    facts = await told(past, {"pkg/core.py": before}, {"pkg/core.py": f"{before}    {field}\n"}, route)
    assert [fact[:3] for fact in facts] == [(FactKind.FIELD_ADDED, severity, "Job.size")]


@ROUTES
async def test_an_entry_of_a_table_of_classes_can_be_chosen_now(route: str, past: "History") -> None:
    rows = "".join(f'        "p{n}": Parser{n},\n' for n in range(9))
    table = f"class Chooser:\n    known: dict[str, type] = {{\n{rows}    }}\n"
    after = table.replace('        "p7"', '        "hunyuan": Hunyuan,\n        "p7"')
    facts = await told(past, {"pkg/core.py": table}, {"pkg/core.py": after}, route)
    assert facts == [(FactKind.REGISTERED, Severity.ADDITIVE, "hunyuan", None, "Hunyuan")]


@ROUTES
async def test_what_a_function_chooses_from_is_its_own_business(route: str, past: "History") -> None:
    rows = "".join(f'        "p{n}": Parser{n},\n' for n in range(9))
    body = f"def choose(x):\n    known = {{\n{rows}    }}\n    return known[x]\n"
    after = body.replace('        "p7"', '        "hunyuan": Hunyuan,\n        "p7"')
    assert await told(past, {"pkg/core.py": body}, {"pkg/core.py": after}, route) == []


@ROUTES
async def test_an_assertion_that_raises_with_words_now_is_the_same_check(route: str, past: "History") -> None:
    before = {"pkg/core.py": "def run(x):\n    assert x == 0\n    return x\n"}
    after = {"pkg/core.py": 'def run(x):\n    if x != 0:\n        raise ValueError("x must be zero")\n    return x\n'}
    facts = await told(past, before, after, route)
    assert facts == [
        (
            FactKind.ERROR_CHANGED,
            Severity.BEHAVIOUR,
            "ValueError",
            "AssertionError: x == 0",
            "ValueError: x must be zero",
        ),
    ]


@ROUTES
async def test_an_error_in_quite_other_words_under_the_same_condition_is_the_same(route: str, past: "History") -> None:
    before = {"pkg/core.py": 'def run(x):\n    if not x:\n        raise ValueError("nothing given")\n    return x\n'}
    after = {"pkg/core.py": before["pkg/core.py"].replace("nothing given", "call it with an item")}
    facts = await told(past, before, after, route)
    assert [fact[0] for fact in facts] == [FactKind.ERROR_CHANGED]


async def test_fields_with_strings_below_are_read_from_the_middle_of_a_class(past: "History") -> None:
    fields = [f'    field_{n}: int = {n}\n    """\n    What number {n} is for.\n    """\n' for n in range(9)]
    before = "class Config:\n" + "\n".join(fields)
    facts = await told(past, {"pkg/core.py": before}, {"pkg/core.py": before.replace(fields[5] + "\n", "")}, "hunks")
    assert facts == [(FactKind.FIELD_REMOVED, Severity.BREAKING, "Config.field_5", "field_5 = 5", None)]


async def test_members_of_an_enumeration_are_known_by_the_heading_of_a_hunk(past: "History") -> None:
    before = "class Mode(str, Enum):\n" + "".join(f'    M{n} = "m{n}"\n' for n in range(12))
    after = before.replace('    M8 = "m8"\n', '    M8 = "m8"\n    NEW = "new"\n')
    facts = await told(past, {"pkg/core.py": before}, {"pkg/core.py": after}, "hunks")
    assert facts == [(FactKind.MEMBER_ADDED, Severity.ADDITIVE, "Mode.NEW", None, 'NEW = "new"')]


async def test_a_deprecation_in_the_middle_of_a_docstring_is_told_with_its_own_words(past: "History") -> None:
    lines = "".join(f"        item_{n} (int):\n            What it is.\n" for n in range(9))
    before = f'def run(x):\n    """Run.\n\n    Args:\n{lines}    """\n    return x\n'
    note = "            What it is.\n\n            .. deprecated::\n                It will go.\n"
    after = before.replace("        item_5 (int):\n            What it is.\n", f"        item_5 (int):\n{note}")
    facts = await told(past, {"pkg/core.py": before}, {"pkg/core.py": after}, "hunks")
    assert facts == [(FactKind.DEPRECATED, Severity.BEHAVIOUR, "run", None, "It will go.")]


@ROUTES
async def test_checks_and_variables_that_another_file_has_now_are_not_told(route: str, past: "History") -> None:
    check = '    if x > os.getenv("LIMIT_OF_X"):\n        raise ValueError("x is too large for this")\n'
    before = {"pkg/a.py": f"def run(x):\n{check}    return x\n", "pkg/b.py": "def help_out(x):\n    return x\n"}
    after = {"pkg/a.py": "def run(x):\n    return x\n", "pkg/b.py": f"def help_out(x):\n{check}    return x\n"}
    assert await told(past, before, after, route) == []


@ROUTES
async def test_a_new_name_that_the_package_gives_on_is_one_fact(route: str, past: "History") -> None:
    before = {"pkg/__init__.py": "from .core import run\n", "pkg/core.py": "def run(x):\n    return x\n"}
    after = {
        "pkg/__init__.py": "from .core import plan\nfrom .core import run\n",
        "pkg/core.py": before["pkg/core.py"] + "\n\ndef plan(x):\n    return x + 1\n",
    }
    facts = await told(past, before, after, route)
    assert facts == [(FactKind.SYMBOL_ADDED, Severity.ADDITIVE, "plan", None, "plan(x)")]


@ROUTES
async def test_what_an_annotation_carries_beside_the_type_is_no_change(route: str, past: "History") -> None:
    before = {"pkg/core.py": '@dataclass\nclass Job:\n    size: Annotated[int, "how many"] = 4\n'}
    after = {"pkg/core.py": before["pkg/core.py"].replace('"how many"', '"how many", Scope("jobs")')}
    assert await told(past, before, after, route) == []


async def test_methods_of_one_name_in_several_hunks_are_not_taken_for_each_other(past: "History") -> None:
    pad = "".join(f"        step_{n}()\n" for n in range(12))
    kinds = {"A": "x", "B": "x, y", "C": "x, y, z"}
    before = "\n\n".join(f"class {name}:\n    def load(self, {given}):\n{pad}" for name, given in kinds.items())
    after = before.replace("):\n", ", *, draft=False):\n")
    facts = await told(past, {"pkg/core.py": before}, {"pkg/core.py": after}, "hunks")
    assert {fact[:2] for fact in facts} == {(FactKind.PARAMETER_ADDED, Severity.ADDITIVE)}
