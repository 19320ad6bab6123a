"""Of what kind the facts are that a question is about."""

import pytest

from agent.asking.deeds import of_kinds
from agent.asking.inquiry import Thing
from agent.facts import Fact, FactKind, Severity

BOTH = (Thing.FLAG, Thing.DEFAULT)


def fact(kind: FactKind) -> Fact:
    return Fact(kind=kind, severity=Severity.BEHAVIOUR, name="--routes", old="22", new="12")


@pytest.mark.parametrize(
    ("text", "kind", "fits"),
    [
        ("did the default of any flag change?", FactKind.FLAG_DEFAULT, True),
        ("did the default of any flag change?", FactKind.FLAG_ADDED, False),
        ("did the default of any flag change?", FactKind.CONSTANT_CHANGED, False),
        ("哪些命令行参数的默认值变了？", FactKind.FLAG_DEFAULT, True),
        ("哪些命令行参数的默认值变了？", FactKind.PARAMETER_DEFAULT, False),
        ("which flags or defaults changed?", FactKind.FLAG_ADDED, True),
        ("which flags or defaults changed?", FactKind.CONSTANT_CHANGED, True),
        ("命令行参数和默认值有什么变化？", FactKind.PARAMETER_DEFAULT, True),
    ],
)
def test_the_default_of_a_flag_is_both_unless_either_is_asked_for(text: str, kind: FactKind, fits: bool) -> None:
    assert of_kinds(fact(kind), BOTH, text) is fits


def test_one_kind_is_enough_where_none_belongs_to_another() -> None:
    assert of_kinds(fact(FactKind.ENV_ADDED), (Thing.FLAG, Thing.ENV), "new flags, variables?")
    assert not of_kinds(fact(FactKind.ENV_ADDED), (Thing.FLAG,), "new flags?")
