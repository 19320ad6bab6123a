"""What is refused only to those who use something new, and what a record's own checks refuse to everybody."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
_OLD = "def run(x, rows=None):\n    return x\n"


def _refused(facts: list[Fact]) -> list[tuple[Severity, str | None]]:
    return [(fact.severity, fact.new) for fact in facts if fact.kind is FactKind.ERROR_ADDED]


@ROUTES
@pytest.mark.parametrize(
    ("check", "default", "severity"),
    [
        ("    if mode is not None:\n        if rows:\n            raise ValueError('no')\n", "None", "additive"),
        ("    if mode and rows > 3:\n        raise ValueError('no')\n", "False", "additive"),
        ("    if rows and mode not in ('a', 'b'):\n        raise ValueError('no')\n", "'a'", "additive"),
        ("    if mode != 'b':\n        raise ValueError('no')\n", "'b'", "additive"),
        ("    if rows and mode == 'a':\n        raise ValueError('no')\n", "'a'", "behaviour"),
        ("    if mode or rows:\n        raise ValueError('no')\n", "False", "behaviour"),
        ("    if mode and rows:\n        raise ValueError('no')\n", "True", "behaviour"),
        ("    if rows:\n        raise ValueError('no')\n", "None", "behaviour"),
    ],
)
async def test_what_only_a_new_option_is_refused_is_an_addition(
    check: str, default: str, severity: str, route: str, facts_of: "FactsOf"
) -> None:
    new = f"def run(x, rows=None, mode={default}):\n{check}    return x\n"
    facts = await facts_of({"pkg/a.py": _OLD}, {"pkg/a.py": new}, route)
    assert _refused(facts) == [(severity, "no")]


@ROUTES
async def test_an_assertion_without_words_says_when_it_is_made(route: str, facts_of: "FactsOf") -> None:
    check = "    if mode is not None:\n        assert rows == 4 and x > 2\n"
    new = f"def run(x, rows=None, mode=None):\n{check}    return x\n"
    facts = await facts_of({"pkg/a.py": _OLD}, {"pkg/a.py": new}, route)
    assert _refused(facts) == [("additive", "rows == 4 and x > 2 (if mode is not None)")]


@ROUTES
async def test_whoever_makes_a_record_runs_into_its_new_checks(route: str, facts_of: "FactsOf") -> None:
    old = "class Request(OpenModel):\n    size: int = 1\n"
    check = (
        '\n    @model_validator(mode="before")\n    @classmethod\n    def check_size(cls, data):\n'
        "        if {}:\n            raise ValueError('size must be even')\n        return data\n"
    )
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old + check.format('data.get("size") == 3')}, route)
    assert _refused(facts) == [("behaviour", "size must be even")]
    new = f"{old}    salt: str | None = None\n" + check.format('data.get("salt") is not None')
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert _refused(facts) == [("additive", "size must be even")]


@ROUTES
async def test_a_helper_of_what_was_there_refuses_though_a_public_function_is_new_beside_it(
    route: str, facts_of: "FactsOf"
) -> None:
    old = "class Layer:\n    def run(self, x):\n        return x\n"
    new = (
        "class Layer:\n    def supports(self, kind):\n        return True\n\n    def run(self, x):\n"
        "        return self._run_rows(x)\n\n    def _run_rows(self, x):\n        if x.packed:\n"
        "            raise NotImplementedError('packed rows are not supported')\n        return x\n"
    )
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert _refused(facts) == [("behaviour", "packed rows are not supported")]
    more = new.replace("run(self, x)", "run(self, x, mode=None)")
    assert _refused(await facts_of({"pkg/a.py": old}, {"pkg/a.py": more}, route)) == []


@ROUTES
async def test_what_many_new_parameters_are_refused_is_an_addition(route: str, facts_of: "FactsOf") -> None:
    new = (
        "def run(x, rows=None, a=1, b=2, c=3, mode=None):\n    if mode is not None and rows:\n"
        "        raise ValueError('no')\n    return x\n"
    )
    facts = await facts_of({"pkg/a.py": _OLD}, {"pkg/a.py": new}, route)
    assert _refused(facts) == [("additive", "no")]


async def test_what_another_function_took_before_is_nothing_new(facts_of: "FactsOf") -> None:
    made = "class Runner:\n    def __init__(self, mode=None):\n        self.mode = mode\n\n"
    first = f"{made}    def go(self, x):\n{{}}        return x\n"
    check = "        if self.mode is not None:\n            raise ValueError('no')\n"
    facts = await facts_of(
        {"pkg/a.py": first.format(""), "pkg/b.py": "def fold(x):\n    return x\n"},
        {"pkg/a.py": first.format(check), "pkg/b.py": "def fold(x, mode=None):\n    return x\n"},
        "blobs",
    )
    assert _refused(facts) == [("behaviour", "no")]
