"""GraphQL answers our documents with GitHub's schema, and git clones and fetches from the same server."""

import subprocess
from pathlib import Path
from typing import Any

import graphql as gql
import httpx
import pytest

from evals.github_server.app import GitHubServer
from evals.github_server.graphql import schema
from evals.worlds.data_model import Repo
from tools.github import graphql_queries


def ask(api: httpx.Client, query: str, **variables: str) -> Any:
    answer = api.post(
        "/graphql",
        json={"query": query, "variables": {"owner": "acme", "name": "rocket", **variables}},
    )
    assert (answer.status_code, answer.headers["x-ratelimit-resource"]) == (200, "graphql")
    return answer.json()


def test_our_schema_is_a_part_of_githubs() -> None:
    real = gql.build_schema(
        (Path(__file__).with_name("data") / "github.graphql").read_text(), assume_valid=True
    )
    for name, kind in schema().type_map.items():
        theirs: Any = real.type_map.get(name)
        assert type(theirs).__name__ == type(kind).__name__, name
        if isinstance(kind, gql.GraphQLUnionType):
            assert {str(type_name) for type_name in kind.types} <= {
                str(type_name) for type_name in theirs.types
            }
        if isinstance(kind, gql.GraphQLEnumType):
            assert kind.values.keys() <= theirs.values.keys()
        for field, ours in getattr(kind, "fields", {}).items():
            assert str(ours.type) == str(theirs.fields[field].type), f"{name}.{field}"
            for argument, given in ours.args.items():
                argument_type = theirs.fields[field].args[argument]
                assert (str(given.type), given.default_value) == (
                    str(argument_type.type),
                    argument_type.default_value,
                )


def test_a_commit_on_the_default_branch_has_only_the_merged_pull_request(
    api: httpx.Client, server: GitHubServer, named: dict[str, str]
) -> None:
    def pulls(sha: str) -> list[Any]:
        commit = ask(api, graphql_queries.pulls_of_commits([sha]))["data"]["repository"][f"c{sha}"]
        return list(commit["associatedPullRequests"]["nodes"])

    [merged] = pulls(named["merge"])
    assert (merged["number"], merged["state"], merged["author"]) == (
        101,
        "MERGED",
        {"login": "renovate"},
    )
    assert (merged["mergeCommit"], merged["labels"]) == (
        {"oid": named["merge"]},
        {"nodes": [{"name": "feature"}]},
    )
    assert [issue["number"] for issue in merged["closingIssuesReferences"]["nodes"]] == [3]
    assert [pull["number"] for pull in pulls(named["member"])] == [101]
    assert not pulls(named["edit"])
    server.set_push("acme/rocket", 0)
    assert [pull["number"] for pull in pulls(named["member"])] == [101, 102]


@pytest.mark.parametrize(
    "query",
    [
        "{",
        "{nothing}",
        "{repository(owner:1)}",
        graphql_queries.pulls([101]).replace("first: 100", "first: 101"),
    ],
)
def test_a_query_that_github_refuses_is_refused(api: httpx.Client, query: str) -> None:
    assert ask(api, query)["errors"]


def git(*arguments: str | Path) -> str:
    command = ["git", "-c", "http.proxy=", "-c", "protocol.version=2", *map(str, arguments)]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()


def test_git_clones_without_blobs_and_fetches_what_a_later_push_added(
    server: GitHubServer, tmp_path: Path, named: dict[str, str], rocket: Repo
) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in rocket.git_dir.rglob("*"))
    clone = tmp_path / "c.git"
    server.set_push("acme/rocket", 0)
    git("clone", "-q", "--bare", "--filter=blob:none", f"{server.git_url}/old/rocket.git", clone)
    assert (git("-C", clone, "rev-parse", "main"), server.git_fetches) == (named["edit"], 1)
    server.set_push("acme/rocket", 2)
    git("-C", clone, "fetch", "-q", "origin", "+refs/heads/*:refs/heads/*")
    assert (git("-C", clone, "rev-parse", "main"), server.git_fetches) == (named["tip"], 2)
    assert "+    y = x - 3" in git("-C", clone, "log", "-1", "-p", named["edit"])
    git("clone", "-q", f"{server.git_url}/acme/empty.git", tmp_path / "empty")
    assert sorted((path, path.stat().st_mtime_ns) for path in rocket.git_dir.rglob("*")) == before
