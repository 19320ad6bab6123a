"""What a GraphQL query costs before it is run: which pages it wants, how many nodes, how many points."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import graphql as gql

MAX_PAGE = 100
MAX_NODES = 500_000


@dataclass
class Cost:
    """The figures that GitHub's `rateLimit` shows."""

    nodes: int = 0
    requests: int = 0

    @property
    def points(self) -> int:
        """What is taken from the hourly allowance."""
        return max(1, round(self.requests / 100))


class Estimator:
    """Walks a document as GitHub does: every connection multiplies what lies below it."""

    def __init__(self, schema: gql.GraphQLSchema, document: gql.DocumentNode, variables: Mapping[str, Any]) -> None:
        self._schema = schema
        self._variables = variables
        definitions = document.definitions
        self._fragments = {d.name.value: d for d in definitions if isinstance(d, gql.FragmentDefinitionNode)}
        self._cost = Cost()

    def estimate(self, operation: gql.OperationDefinitionNode) -> Cost:
        """Add everything up; a page that is missing or too big, or too many nodes, is an error of the query."""
        defaults = {
            definition.variable.name.value: gql.value_from_ast_untyped(definition.default_value)
            for definition in operation.variable_definitions or ()
            if definition.default_value is not None
        }
        self._variables = defaults | dict(self._variables)
        root = self._schema.query_type
        assert root is not None
        self._visit(operation.selection_set, root, 1, ())
        if self._cost.nodes > MAX_NODES:
            message = (
                f"This query requests up to {self._cost.nodes:,} possible nodes which exceeds the maximum limit of "
                f"{MAX_NODES:,}."
            )
            raise gql.GraphQLError(message, extensions={"type": "MAX_NODE_LIMIT_EXCEEDED"})
        return self._cost

    def _visit(self, selections: gql.SelectionSetNode | None, kind: Any, times: int, path: tuple[str, ...]) -> None:
        for field, owner in self._fields(selections, kind):
            definition = getattr(owner, "fields", {}).get(field.name.value)
            if definition is None:
                continue  # `__typename` and its like cost nothing.
            below = gql.get_named_type(definition.type)
            here = (*path, (field.alias or field.name).value)
            count = times
            if below.name.endswith("Connection"):
                self._cost.requests += times
                count = times * self._page(field, below, here)
                self._cost.nodes += count if count > times or self._wants_items(field, below) else 0
            self._visit(field.selection_set, below, count, here)

    def _fields(self, selections: gql.SelectionSetNode | None, kind: Any) -> Iterator[tuple[gql.FieldNode, Any]]:
        for selection in selections.selections if selections else ():
            if isinstance(selection, gql.FieldNode):
                yield selection, kind
            elif isinstance(selection, gql.InlineFragmentNode):
                named = selection.type_condition
                inner = self._schema.get_type(named.name.value) if named else kind
                yield from self._fields(selection.selection_set, inner)
            elif isinstance(selection, gql.FragmentSpreadNode):
                fragment = self._fragments[selection.name.value]
                inner = self._schema.get_type(fragment.type_condition.name.value)
                yield from self._fields(fragment.selection_set, inner)

    def _wants_items(self, field: gql.FieldNode, kind: Any) -> bool:
        return any(inner.name.value in ("nodes", "edges") for inner, _ in self._fields(field.selection_set, kind))

    def _page(self, field: gql.FieldNode, kind: Any, path: tuple[str, ...]) -> int:
        asked = {
            argument.name.value: gql.value_from_ast_untyped(argument.value, dict(self._variables))
            for argument in field.arguments or ()
            if argument.name.value in ("first", "last")
        }
        sizes = {name: value for name, value in asked.items() if isinstance(value, int)}
        name = field.name.value
        if not sizes:
            if not self._wants_items(field, kind):
                return 1
            message = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
            raise self._wrong("MISSING_PAGINATION_BOUNDARIES", message, field, path)
        for which, size in sizes.items():
            if size > MAX_PAGE:
                message = (
                    f"Requesting {size} records on the `{name}` connection exceeds the `{which}` limit of "
                    f"{MAX_PAGE} records."
                )
                raise self._wrong("EXCESSIVE_PAGINATION", message, field, path)
            if size < 1:
                message = f"`{which}` on the `{name}` connection cannot be less than 1."
                raise self._wrong("ARGUMENT_LIMIT", message, field, path)
        return min(sizes.values())

    @staticmethod
    def _wrong(kind: str, message: str, field: gql.FieldNode, path: tuple[str, ...]) -> gql.GraphQLError:
        return gql.GraphQLError(message, nodes=field, path=list(path), extensions={"type": kind})
