"""GraphQL: reading a query, weighing it, running it, and answering as GitHub answers."""

import json
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import graphql as gql

from evals.github_server.codenodes import RepositoryNode, commit_node
from evals.github_server.cost import Cost, Estimator
from evals.github_server.hub import Hub
from evals.github_server.limits import Limits, Meter
from evals.github_server.nodes import Context, missing
from evals.github_server.threadlists import list_issues, list_pulls
from evals.github_server.threadnodes import thread_node
from evals.github_server.wire import Answer, Json, Refusal, Request, stamp

SCHEMA = Path(__file__).with_name("schema.graphql")


@cache
def schema() -> gql.GraphQLSchema:
    """Build our part of GitHub's schema, once."""
    return gql.build_schema(SCHEMA.read_text(encoding="utf-8"))


class Maker:
    """Makes every kind of node."""

    repository = staticmethod(RepositoryNode)
    commit = staticmethod(commit_node)
    thread = staticmethod(thread_node)
    issues = staticmethod(list_issues)
    pulls = staticmethod(list_pulls)


class Root:
    """The query."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def repository(self, owner: str, name: str, follow_renames: bool = True) -> RepositoryNode:
        """Find a repository; by a former name too, unless told not to."""
        hub, full_name = self._context.hub, f"{owner}/{name}"
        hosted = hub.named(full_name) or (hub.renamed(full_name) if follow_renames else None)
        if hosted is None:
            raise missing("a Repository", f"name '{full_name}'")
        return RepositoryNode(self._context, hosted)

    def rate_limit(self, dry_run: bool = False) -> dict[str, Any]:
        """Show what the query cost."""
        meter, cost = self._context.meter, self._context.cost
        reset = stamp(datetime.fromtimestamp(meter.reset, UTC))
        figures = {"limit": meter.limit, "remaining": meter.remaining, "used": meter.used, "resetAt": reset}
        return figures | {"cost": cost.points, "nodeCount": cost.nodes}


class GraphQL:
    """The GraphQL API over a hub."""

    def __init__(self, hub: Hub, limits: Limits, web: str) -> None:
        self._hub, self._limits, self._web = hub, limits, web

    def answer(self, request: Request, meter: Meter) -> Answer:
        """Answer a query of a client that is allowed to ask; almost everything is a 200."""
        if meter.remaining == 0:
            return _failed({"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."})
        query, variables, name = _read(request)
        try:
            document = gql.parse(query)
        except gql.GraphQLError as error:
            return _failed(_formatted(error))
        if wrong := gql.validate(schema(), document):
            return _failed(*map(_formatted, wrong))
        operation = gql.get_operation_ast(document, name)
        if operation is None or operation.operation is not gql.OperationType.QUERY:
            return _failed({"message": "No operation was found that can be run"})
        try:
            cost = Estimator(schema(), document, variables).estimate(operation)
        except gql.GraphQLError as error:
            return _failed(_formatted(error))
        self._limits.charge(meter, cost.points)
        return self._run(document, variables, name, cost, meter)

    def _run(self, document: gql.DocumentNode, variables: Json, name: str | None, cost: Cost, meter: Meter) -> Answer:
        context = Context(self._hub, self._web, cost, meter, Maker())
        result = gql.execute_sync(
            schema(),
            document,
            root_value=Root(context),
            variable_values=variables,
            operation_name=name,
            field_resolver=_resolve,
            type_resolver=lambda value, *_: value.typename,
        )
        errors = result.errors or []
        for error in errors:
            # A bug of ours must not pass for an answer.
            if error.original_error is not None and not isinstance(error.original_error, gql.GraphQLError | Refusal):
                raise error.original_error
        body: Json = {"data": result.data}
        if errors:
            body["errors"] = [_formatted(error) for error in errors]
        return Answer.json(body)


def _read(request: Request) -> tuple[str, Json, str | None]:
    try:
        body = json.loads(request.body)
    except ValueError as error:
        raise Refusal(400, "Problems parsing JSON") from error
    query = body.get("query") if isinstance(body, dict) else None
    if not isinstance(query, str):
        raise Refusal(400, "A query attribute must be specified and must be a string.")
    variables, name = body.get("variables"), body.get("operationName")
    return query, variables if isinstance(variables, dict) else {}, name if isinstance(name, str) else None


def _failed(*errors: Json) -> Answer:
    return Answer.json({"errors": list(errors)})


def _formatted(error: gql.GraphQLError) -> Json:
    shown: Json = dict(error.formatted)
    extensions = dict(shown.pop("extensions", {}) or {})
    # GitHub tells the kind of an error beside its message, not in the extensions.
    if kind := extensions.pop("type", None):
        return {"type": kind, **shown}
    return shown


@cache
def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _resolve(source: Any, info: "gql.GraphQLResolveInfo[Any]", **arguments: Any) -> Any:
    if isinstance(source, dict):
        return source.get(info.field_name)
    value = getattr(source, _snake(info.field_name))
    return value(**{_snake(name): given for name, given in arguments.items()}) if callable(value) else value
