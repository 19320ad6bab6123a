"""What is put between the parameters of a model's layer breaks those only who do not name what they give."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf


@pytest.mark.parametrize(
    ("call", "severity"),
    [
        ("RowLayer(config, dim=[1, 2], head=3)", Severity.ADDITIVE),
        ("RowLayer(\n            config,\n            4,\n            head=3,\n        )", Severity.ADDITIVE),
        ("RowLayer(config, 4, 3)", Severity.BREAKING),
        ("RowLayer(*given)", Severity.BREAKING),
        ("Other(config)", Severity.BREAKING),
    ],
)
async def test_a_layer_that_its_file_makes_by_names_may_take_more(
    call: str, severity: Severity, facts_of: "FactsOf"
) -> None:
    text = (
        "class RowLayer(nn.Module):\n    def __init__(self, config, dim=1, {}head=2):\n        self.dim = dim\n\n\n"
        f"class RowModel(nn.Module):\n    def __init__(self, config):\n        self.layer = {call}\n"
    )
    path = "pkg/models/rows.py"
    (fact,) = await facts_of({path: text.format("")}, {path: text.format("packed=False, ")}, "blobs")
    assert (fact.kind, fact.severity) == (FactKind.PARAMETER_ADDED, severity)


@pytest.mark.parametrize(
    ("call", "severity"), [("RowLayer(config, act=1)", Severity.BEHAVIOUR), ("None", Severity.BREAKING)]
)
async def test_what_a_layer_must_be_given_is_between_it_and_the_file_that_makes_it(
    call: str, severity: Severity, facts_of: "FactsOf"
) -> None:
    text = (
        "class RowLayer(nn.Module):\n    def __init__(self, config{}):\n        self.config = config\n\n\n"
        f"class RowModel(nn.Module):\n    def __init__(self, config):\n        self.layer = {call}\n"
    )
    path = "pkg/models/rows.py"
    (fact,) = await facts_of({path: text.format("")}, {path: text.format(", act")}, "blobs")
    assert (fact.kind, fact.severity) == (FactKind.PARAMETER_ADDED, severity)
