"""What goes wrong in one repository ends that repository's part, and nothing else."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, Literal

from langgraph.graph import END
from langgraph.runtime import Runtime

from agent.errors import AppError, NotFound
from agent.report import Failure
from graphs.desk import Deps


def failing_alone(node: Callable[[Any, Runtime[Deps]], Awaitable[dict[str, Any]]]) -> Any:
    """Turn an error of a source into a failure that the report lists; a bug keeps its traceback."""

    @wraps(node)
    async def guarded(state: Any, runtime: Runtime[Deps]) -> dict[str, Any]:
        try:
            return await node(state, runtime)
        except AppError as error:
            unknown = isinstance(error, NotFound)
            failure = Failure(repo=state["spec"].name, stage="code", message=str(error), unknown=unknown)
            return {"failures": [failure]}

    return guarded


def unless_failed(then: str) -> Callable[[Mapping[str, Any]], str | Literal["__end__"]]:
    """Go on to the next step, unless this repository has failed."""

    def route(state: Mapping[str, Any]) -> str:
        return END if any(one.stage == "code" for one in state.get("failures", ())) else then

    return route
