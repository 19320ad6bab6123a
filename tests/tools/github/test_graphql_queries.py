"""Our GraphQL documents, held against GitHub's own schema."""

from pathlib import Path

import pytest
from graphql import GraphQLSchema, build_schema, parse, validate

from tools.github import graphql_queries

SCHEMA = Path(__file__).parents[2] / "evals" / "github_server" / "data" / "github.graphql"


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(SCHEMA.read_text(encoding="utf-8"), assume_valid=True)


@pytest.mark.parametrize(
    "document",
    [
        graphql_queries.pulls_of_commits(["a" * 40, "b" * 40]),
        graphql_queries.pulls([1, 2]),
        graphql_queries.threads([1, 2]),
        graphql_queries.closers([3, 4]),
        graphql_queries.files(["a" * 40 + ":a.py", "a" * 40 + ":文档.py"]),
    ],
    ids=["pulls of commits", "pulls", "threads", "closers", "files"],
)
def test_every_document_is_valid(schema: GraphQLSchema, document: str) -> None:
    assert validate(schema, parse(document)) == []


def test_only_a_hash_can_get_into_a_query() -> None:
    with pytest.raises(ValueError, match="not a full commit hash"):
        graphql_queries.pulls_of_commits(['" } evil'])


def test_no_path_gets_into_a_query(schema: GraphQLSchema) -> None:
    hostile = [
        'a") { id } x: object(expression: "b',
        "back\\slash",
        "line\nbreak",
        "中文 🚀",
        "half \ud800",
        "$owner",
        "",
    ]
    names = [f"{'a' * 40}:{path}" for path in hostile]
    document = graphql_queries.files(names)
    assert document.isascii()
    assert validate(schema, parse(document)) == []
    assert set(graphql_queries.file_variables(names).values()) == set(names)
    assert not any(path in document for path in hostile[:5])
