"""A check that was moved out of a branch or into one is another; one that got at its branch otherwise is not."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
INSIDE = """def check(view):
    if view.lazy:
        prepare(view)
    if view.drafts is not None:
        assert view.algorithm not in ("A", "B"), "lazy is unsupported with this algorithm"
        assert view.interval >= view.drafts, "the interval must hold all drafts"
"""
OUTSIDE = """def check(view):
    if view.lazy:
        prepare(view)
    algorithm = view.algorithm.upper()
    assert algorithm not in ("A", "B"), "lazy is unsupported with this algorithm"
    if view.drafts is not None:
        assert view.interval >= view.drafts, "the interval must hold all drafts"
"""
WORDS = "lazy is unsupported with this algorithm"


@ROUTES
@pytest.mark.parametrize("out", [True, False])
async def test_a_check_that_left_or_entered_a_branch_is_told_with_it(
    facts_of: "FactsOf", route: str, *, out: bool
) -> None:
    old, new = (INSIDE, OUTSIDE) if out else (OUTSIDE, INSIDE)
    facts = await facts_of({"pkg/args.py": old}, {"pkg/args.py": new}, route)
    said = [f"{WORDS} (if view.drafts is not None)", f"{WORDS} (always)"]
    (fact,) = [fact for fact in facts if fact.kind is FactKind.ERROR_CHANGED]
    assert (fact.severity, fact.detail) == (Severity.BEHAVIOUR, "check")
    assert [fact.old, fact.new] == (said if out else said[::-1])


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            '    if a:\n        if b > size:\n            raise ValueError("b is too large")\n        go()\n',
            '    if not a:\n        return\n    if b > size:\n        raise ValueError("b is too large")\n    go()\n',
        ),
        (
            '    if a:\n        if b:\n            raise ValueError("b is too large")\n',
            '    if a and b:\n        raise ValueError("b is too large")\n',
        ),
        (
            '    if b > size:\n        raise ValueError("b is too large")\n    if a:\n        go()\n    else:\n'
            '        assert size, "no size"\n',
            '    if a:\n        go()\n    else:\n        if b > size:\n            raise ValueError("b is too large")\n'
            '        assert size, "no size"\n',
        ),
    ],
)
async def test_a_condition_that_is_asked_in_another_way_is_no_other_check(
    facts_of: "FactsOf", route: str, old: str, new: str
) -> None:
    head = "def check(a, b, size):\n"
    facts = await facts_of({"pkg/args.py": head + old}, {"pkg/args.py": head + new}, route)
    assert not [fact for fact in facts if fact.kind is FactKind.ERROR_CHANGED]
