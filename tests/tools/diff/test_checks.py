"""A check that a helper or another file makes now is neither new nor gone; one with another error has changed."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
CHECKS = {
    "worded": '    if x > 8:\n        raise ValueError("x must be at most eight here")\n',
    "short": '    assert y in (1, 2, 3), f"bad y {y}"\n',
    "wordless": "    assert x.dim() == 4 and y.dim() == 2\n",
    "both": "    assert x.dim() == 4, 'x has four dims'\n    if y is None:\n        raise NotImplementedError\n",
}
IN_A_NEW_FILE = ("worded", "short", "wordless")
"""An error that is nothing but a class is not looked for there."""
REST = "LEAST = 1\n"


def errors(facts: list[Fact]) -> list[FactKind]:
    return [fact.kind for fact in facts if fact.kind.startswith("error-")]


@ROUTES
@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
@pytest.mark.parametrize("helper", ["_check", "check_them"])
async def test_a_check_in_a_new_helper_of_the_file_is_neither_new_nor_gone(
    check: str, helper: str, route: str, facts_of: "FactsOf"
) -> None:
    old = f"def run(x, y):\n{check}    return x\n"
    new = f"def {helper}(x, y):\n{check}\n\ndef run(x, y):\n    {helper}(x, y)\n    return x\n"
    assert errors(await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)) == []


@ROUTES
@pytest.mark.parametrize(
    ("check", "home"),
    [*((check, REST) for check in CHECKS.values()), *((CHECKS[name], None) for name in IN_A_NEW_FILE)],
)
async def test_a_check_in_a_new_helper_of_another_file_is_neither_new_nor_gone(
    check: str, home: str | None, route: str, facts_of: "FactsOf"
) -> None:
    old = f"def run(x, y):\n{check}    return x\n"
    before = {"pkg/a.py": old} | ({"pkg/b.py": home} if home else {})
    after = {
        "pkg/a.py": "from .b import check_them\n\n\ndef run(x, y):\n    check_them(x, y)\n    return x\n",
        "pkg/b.py": f"{REST}\n\ndef check_them(x, y):\n{check}",
    }
    assert errors(await facts_of(before, after, route)) == []


@ROUTES
async def test_checks_of_two_functions_that_one_helper_makes_now_are_not_gone(route: str, facts_of: "FactsOf") -> None:
    check = CHECKS["worded"]
    old = f"def run(x, y):\n{check}    return x\n\n\ndef plan(x, y):\n{check}    return y\n"
    after = {
        "pkg/a.py": "from .b import check_them\n\n\ndef run(x, y):\n    check_them(x)\n    return x\n\n\n"
        "def plan(x, y):\n    check_them(x)\n    return y\n",
        "pkg/b.py": f"{REST}\n\ndef check_them(x):\n{check}",
    }
    assert errors(await facts_of({"pkg/a.py": old, "pkg/b.py": REST}, after, route)) == []


@ROUTES
async def test_a_check_that_fails_with_another_error_in_its_helper_has_changed(route: str, facts_of: "FactsOf") -> None:
    old = "def run(q):\n    assert q.dim() == 4, 'q must have four dims'\n    return q\n"
    raised = "    if q.dim() != 4:\n        raise ValueError('q must have four dims, and it has others')\n"
    new = f"def _check(q):\n{raised}\n\ndef run(q):\n    _check(q)\n    return q\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert errors(facts) == [FactKind.ERROR_CHANGED]
    assert [fact.new for fact in facts if fact.kind is FactKind.ERROR_CHANGED] == [
        "ValueError: q must have four dims, and it has others"
    ]


@ROUTES
async def test_an_error_without_words_elsewhere_does_not_hide_one_that_went(route: str, facts_of: "FactsOf") -> None:
    old = "def run(x):\n    if x > 8:\n        raise NotImplementedError\n    return x\n"
    after = {
        "pkg/a.py": "def run(x):\n    return x\n",
        "pkg/b.py": f"{REST}\n\ndef plan(x):\n    raise NotImplementedError\n",
    }
    assert errors(await facts_of({"pkg/a.py": old, "pkg/b.py": REST}, after, route)) == [FactKind.ERROR_REMOVED]


@ROUTES
async def test_a_check_of_what_an_optional_held_is_the_same_check_and_others_are_not_taken_for_it(
    route: str, facts_of: "FactsOf"
) -> None:
    old = (
        "void run(Optional k, Optional v, Optional kv) {\n  if (kv.has_value()) {\n    CHECK_DIM(5, kv.value());\n"
        "    CHECK_EQ(kv->device(), device);\n  } else {\n    CHECK_DIM(4, k.value());\n    CHECK_DIM(4, v.value());\n"
        "    CHECK_EQ(k->device(), device);\n    CHECK_EQ(v->device(), device);\n  }\n}\n"
    )
    new = (
        "void run(Tensor k, Tensor v) {\n  CHECK_DIM(4, k);\n  CHECK_DIM(4, v);\n  CHECK_EQ(k.device(), device);\n"
        "  CHECK_EQ(v.device(), device);\n}\n"
    )
    facts = await facts_of({"csrc/page.cu": old}, {"csrc/page.cu": new}, route)
    told = [(fact.kind, fact.old) for fact in facts if fact.kind.startswith("error-")]
    assert told == [(FactKind.ERROR_REMOVED, "5, kv.value()\nkv->device(), device")]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_what_a_new_private_helper_checks_for_functions_of_other_files_is_told(
    route: str, facts_of: "FactsOf"
) -> None:
    run = "def run(buffer, size):\n    {}\n    return launch(buffer, size)\n"
    helper = (
        "\n\ndef _resolve(buffer, size):\n    if not buffer.is_contiguous():\n"
        '        raise ValueError("the buffer must be contiguous")\n    return buffer\n'
    )
    before = {"pkg/decode.py": run.format("check(size)"), "pkg/parts.py": "def _other():\n    return 1\n"}
    after = {
        "pkg/decode.py": run.format("buffer = _resolve(buffer, size)"),
        "pkg/parts.py": before["pkg/parts.py"] + helper,
    }
    told = [fact for fact in await facts_of(before, after, route) if fact.kind is FactKind.ERROR_ADDED]
    assert [(fact.detail, fact.new, fact.severity) for fact in told] == [
        ("_resolve", "the buffer must be contiguous", Severity.BEHAVIOUR)
    ]


@ROUTES
async def test_conditions_about_other_things_are_two_checks(route: str, facts_of: "FactsOf") -> None:
    text = "def run(a, scale, size, width):\n    assert {}\n    return a\n"
    old, new = text.format("scale.shape[0] == size"), text.format("a.shape[1] == width")
    told = errors(await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route))
    assert sorted(told) == [FactKind.ERROR_ADDED, FactKind.ERROR_REMOVED]


@ROUTES
async def test_a_macro_that_hands_an_error_on_refuses_nothing_by_itself(route: str, facts_of: "FactsOf") -> None:
    old = "bool settle(Options& options) {\n  return true;\n}\n"
    added = "  UPDATE_OR_ERROR(options.size, 16);\n  CHECK_ERROR(options.rows > 0);\n"
    new = old.replace("  return", f"{added}  return")
    facts = await facts_of({"src/a.cpp": old}, {"src/a.cpp": new}, route)
    assert [fact.name for fact in facts if fact.kind.startswith("error-")] == ["CHECK_ERROR"]


@ROUTES
async def test_what_is_registered_as_before_is_the_same_under_another_name_behind_it(
    route: str, facts_of: "FactsOf"
) -> None:
    body = "(Tensor rows, Tensor cols) {\n  check(rows);\n  check(cols);\n  return launch(rows, cols);\n}\n"
    text = f'Tensor {{0}}{body}\nTORCH_LIBRARY_FRAGMENT(acme, m) {{{{\n  m.def("fold", {{0}});\n}}}}\n'.replace(
        body, body.replace("{", "{{").replace("}", "}}")
    )
    old, new = text.format("fold_rows"), text.format("fold_dense_rows")
    facts = await facts_of({"csrc/a.cu": old}, {"csrc/a.cu": new}, route)
    assert [fact.kind for fact in facts] == [FactKind.SYMBOL_RENAMED]
