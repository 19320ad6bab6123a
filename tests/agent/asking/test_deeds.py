"""Of what kind the facts are that a question is about."""

from datetime import UTC, datetime

import pytest

from agent.asking.deeds import of_kinds, of_thing
from agent.asking.inquiry import Thing
from agent.asking.understanding import Setting, understand
from agent.facts import Fact, FactKind, Place, Severity
from agent.ids import RepoId

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


@pytest.mark.parametrize(
    ("question", "models"),
    [
        ("What new models are supported?", True),
        ("which models were added this week?", True),
        ("这周新增了哪些模型？", True),
        ("支持了哪些新模型？", True),
        ("what changed in the model runner?", False),
        ("Which models broke?", False),
        ("模型加载有什么变化？", False),
    ],
)
def test_new_models_are_a_kind_of_thing_and_no_words_to_look_for(question: str, models: bool) -> None:
    setting = Setting(repos=(RepoId("octo/router"),), now=datetime(2026, 2, 4, tzinfo=UTC), tz="UTC")
    inquiry = understand(question, setting)
    assert (Thing.MODEL in inquiry.things) is models
    assert any(term.said in ("model", "models", "模型") for term in inquiry.terms) is not models


def test_a_model_is_a_file_that_holds_one_or_a_name_in_their_registry() -> None:
    file = fact(FactKind.FILE_ADDED)
    assert of_thing(file.model_copy(update={"detail": "model"}), Thing.MODEL)
    assert not of_thing(file.model_copy(update={"detail": "source"}), Thing.MODEL)
    for path, registers in (("vllm/model_executor/models/registry.py", True), ("vllm/attention/registry.py", False)):
        place = Place(file=path, line=1, lines=("+x",))
        named = fact(FactKind.REGISTERED).model_copy(update={"places": (place,)})
        assert of_thing(named, Thing.MODEL) is registers
