"""How what griffe finds broken is named, so that facts about the same thing match it."""

from typing import Any

import pytest

from agent.domain.facts import Fact, Severity
from evals.sets.griffe import Broken, breaks_between, claims

griffe = pytest.importorskip("griffe")


def module(text: str) -> Any:
    return griffe.visit("engine", filepath=None, code=text)


def test_a_constructor_goes_by_the_name_of_its_class() -> None:
    old = module("class Engine:\n    def __init__(self, size=4): ...\n")
    new = module("class Engine:\n    def __init__(self, size=None): ...\n")
    (finding,) = breaks_between(old, new)
    assert finding == Broken("Engine", removed=False, parameters=frozenset({"size"}))
    fact = Fact(
        kind="parameter-default-changed",
        severity=Severity.BEHAVIOUR,
        name="Engine",
        old="4",
        new="None",
        detail="size",
    )
    assert [claim.states(finding) for claim in claims(fact)] == [True]
