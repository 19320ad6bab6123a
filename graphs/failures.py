"""Turns errors into failures in the report: one repository or part fails, the rest goes on."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from agent.domain.base import RepoId
from agent.domain.errors import AppError, NotFound
from agent.domain.report import Failure, Stage
from graphs.run_context import RunContext
from graphs.state import RepositoryStepInput

_LOG = logging.getLogger(__name__)
StateT = TypeVar("StateT", bound=Mapping[str, Any])
StepT = TypeVar("StepT", bound=RepositoryStepInput)
OutputT = TypeVar("OutputT")
GivenT = TypeVar("GivenT", contravariant=True)
HandedOnT = TypeVar("HandedOnT", covariant=True)


class Node(Protocol[GivenT, HandedOnT]):
    """A step of a run: it is given a part of the state, and hands on a change of it."""

    def __call__(self, state: GivenT, runtime: Runtime[RunContext]) -> Awaitable[HandedOnT]:
        """Take the step."""


def failing_alone(
    stage: Stage, otherwise: Mapping[str, Any] | None = None
) -> Callable[[Node[StateT, OutputT]], Node[StateT, OutputT]]:
    """Make an error of a node a failure of this stage; then the node hands on `otherwise`."""

    def wrap(node: Node[StateT, OutputT]) -> Node[StateT, OutputT]:
        @wraps(node)
        async def guarded(state: StateT, runtime: Runtime[RunContext]) -> OutputT:
            try:
                return await node(state, runtime)
            except GraphBubbleUp:
                raise  # A signal of LangGraph's, not an error
            except Exception as error:  # noqa: BLE001 -- a bug must not cost the others their reports
                repo = state["spec"].name if "spec" in state else None
                failures = [_failure(error, repo, stage)]
                return cast("OutputT", {**(otherwise or {}), "failures": failures})

        return guarded

    return wrap


def ending_repository(
    node: Node[StepT, OutputT],
    stage: Stage = "code",
    otherwise: Mapping[str, Any] | None = None,
) -> Node[StepT, OutputT | None]:
    """Wrap a node of a repository; once the code could not be read, its other nodes do nothing.

    A failure of another stage ends nothing: the node hands on `otherwise`.
    """
    guarded = failing_alone(stage, otherwise)(node)

    @wraps(node)
    async def unless_failed(state: StepT, runtime: Runtime[RunContext]) -> OutputT | None:
        if has_failed(state):
            return None
        return await guarded(state, runtime)

    return unless_failed


def has_failed(state: RepositoryStepInput) -> bool:
    """Return True if the code of the state's repository could not be read."""
    return any(failure.stage == "code" for failure in state["failures"])


def _failure(error: Exception, repo: RepoId | None, stage: Stage) -> Failure:
    """Describe an error for the report.

    Of an unexpected one the report names only the kind, since its words may hold anything; the
    traceback goes to the error log.
    """
    if isinstance(error, AppError):
        unknown = isinstance(error, NotFound)
        return Failure(repo=repo, stage=stage, message=str(error), unknown=unknown)
    _LOG.error("%s of %s failed", stage, repo or "all repositories", exc_info=error)
    message = f"unexpected {type(error).__name__}; the error log has the traceback"
    return Failure(repo=repo, stage=stage, message=message)
