"""Steps hand on typed state: every node says what it is given and returns, and the context is fixed."""

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import pytest
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import is_typeddict

from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Related, Relation
from gitzette import studio
from graphs import ask, ask_conversations, daily
from graphs.ask_context import AskContext
from graphs.audit import build as build_audit
from graphs.audit_state import AuditDeps
from graphs.checkpoints import open_checkpoints
from graphs.day_parts import build_edition, build_part
from graphs.repository import build_repository
from graphs.run_context import RunContext
from graphs.state import CloseReading
from graphs.writing import build_analysis

GRAPHS: dict[str, Callable[..., Any]] = {
    "daily": daily.build,
    "relating": daily.build_relating,
    "repository": build_repository,
    "analysis": build_analysis,
    "part": build_part,
    "edition": build_edition,
    "ask": ask.build,
    "conversation": ask_conversations.build,
    "audit": build_audit,
    "daily of the server": studio.daily,
    "ask of the server": studio.ask,
}


@pytest.mark.parametrize("context", [RunContext, AskContext, AuditDeps, studio.DayContext])
def test_the_context_has_no_field_in_which_steps_could_hand_something_on(context: type) -> None:
    hints = get_type_hints(context)
    mutable = (dict, list, set)
    for field in dataclasses.fields(context):
        types = [hints[field.name], *get_args(hints[field.name])]
        assert not any(kind in mutable or get_origin(kind) in mutable for kind in types), field.name


@pytest.mark.parametrize("name", GRAPHS)
def test_every_step_names_the_type_that_it_is_given_and_the_type_that_it_hands_on(
    name: str,
) -> None:
    graph: CompiledStateGraph[Any, Any, Any, Any] = GRAPHS[name]()
    for node, spec in graph.builder.nodes.items():
        if isinstance(spec.runnable, CompiledStateGraph):
            assert is_typeddict(spec.runnable.builder.input_schema), node
            assert is_typeddict(spec.runnable.builder.output_schema), node
            continue
        assert isinstance(spec.runnable, RunnableCallable)
        assert spec.runnable.afunc is not None
        function = inspect.unwrap(spec.runnable.afunc)
        hints = get_type_hints(function)
        assert is_typeddict(bound_of(hints["state"])), node
        assert any(is_typeddict(kind) for kind in returned(hints["return"])), node


def bound_of(hint: Any) -> Any:
    return hint.__bound__ if isinstance(hint, TypeVar) else hint


def returned(hint: Any) -> list[Any]:
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    return kinds or [hint]


async def test_everything_that_steps_of_a_run_hand_on_is_the_same_in_a_resumed_run(
    tmp_path: Path,
) -> None:
    relation = Related(
        change=EvidenceId("octo/router@" + "a" * 40),
        other="octo/router#7",
        relation=Relation.FIXES,
        anchors=(("octo/router#7", "Larger values overflow."),),
        grade=Grade.B,
        kind="issue",
    )
    state = {"related": [relation], "reading": CloseReading(deep=("a" * 40,))}
    async with open_checkpoints(tmp_path / "run.db") as saver:
        restored = saver.serde.loads_typed(saver.serde.dumps_typed(state))
    assert restored == state
