"""Our GraphQL documents, held against GitHub's own schema."""

from pathlib import Path

import pytest
from graphql import GraphQLSchema, build_schema, parse, validate

from tools.github import queries

SCHEMA = Path(__file__).parents[2] / "evals" / "github_server" / "data" / "github.graphql"


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(SCHEMA.read_text(encoding="utf-8"), assume_valid=True)


@pytest.mark.parametrize(
    "document",
    [queries.pulls_of_commits(["a" * 40, "b" * 40]), queries.pulls([1, 2]), queries.closers([3, 4])],
    ids=["pulls of commits", "pulls", "closers"],
)
def test_every_document_is_valid(schema: GraphQLSchema, document: str) -> None:
    assert validate(schema, parse(document)) == []


def test_only_a_hash_can_get_into_a_query() -> None:
    with pytest.raises(ValueError, match="not a full commit hash"):
        queries.pulls_of_commits(['" } evil'])
