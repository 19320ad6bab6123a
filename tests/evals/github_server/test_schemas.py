"""Every answer is what GitHub's own published schemas allow."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphql as gql
import httpx
import pytest

from evals.github_server.graphql import schema

Judge = Callable[[httpx.Response], list[str]]

ROCKET = "/repos/acme/rocket"
PATHS = [
    "/rate_limit",
    *(
        ROCKET + tail
        for tail in (
            "", "/branches", "/branches/feature%2Fx", "/commits?per_page=100", "/commits/{merge}", "/commits/{rename}",
            "/commits/{binary}", "/commits/{latin}", "/commits/{submodule}", "/commits/{link}", "/commits/{root}",
            "/commits/{many}?page=3", "/commits/{budget}", "/commits/{empty}", "/commits/{merge}/pulls",
            "/commits/{rename}/pulls", "/commits/{open}/pulls", "/compare/{root}...{tip}", "/compare/{tip}...{tip}",
            "/compare/{open}...{tip}", "/contents/src", "/contents/README.md", "/contents/latest",
            "/contents/vendor/lib", "/contents/vendor", "/contents/logo.png", "/git/trees/{tip}",
            "/git/trees/main?recursive=1",
            "/issues?state=all", "/issues/1", "/issues/2", "/issues/3", "/issues/4", "/issues/101",
            "/issues/2/comments", "/issues/3/events", "/issues/3/timeline", "/issues/2/timeline", "/labels",
            "/pulls?state=all", "/pulls/101", "/pulls/102", "/pulls/104", "/pulls/101/commits", "/pulls/101/files",
            "/pulls/103/files", "/releases", "/releases/latest", "/releases/tags/v0.9", "/tags",
        )
    ),
]  # fmt: skip

# GitHub's own answers break its description here too: it calls these never null, but a deleted fork has neither.
DELETED_FORK = re.compile(r"(\d+/)?head/(user|repo): null is not of type .*")


@pytest.mark.parametrize("version", ["2022-11-28", "2026-03-10"])
def test_every_answer_is_what_github_describes(
    version: str, api: httpx.Client, named: dict[str, str], judge: Judge
) -> None:
    for path in PATHS:
        response = api.get(_fill(path, named), headers={"X-GitHub-Api-Version": version})
        assert response.status_code == 200, path
        assert [fault for fault in judge(response) if not DELETED_FORK.fullmatch(fault)] == [], path
        assert response.headers["x-github-api-version-selected"] == version


def _fill(path: str, named: dict[str, str]) -> str:
    for name, sha in named.items():
        path = path.replace("{" + name + "}", sha)
    return path


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/repos/acme/nothing", 404),
        ("/repos/old/rocket", 301),
        ("/repos/acme/empty/commits", 409),
        ("/repos/acme/empty/git/trees/main", 409),
        (ROCKET + "/commits?sha=nowhere", 404),
        (ROCKET + "/commits/" + "0" * 40, 422),
        (ROCKET + "/compare/main...nowhere", 404),
        (ROCKET + "/issues/5", 410),
        (ROCKET + "/issues/5/timeline", 410),
        (ROCKET + "/issues/9999", 404),
        (ROCKET + "/issues?state=bogus", 422),
        (ROCKET + "/issues?since=yesterday", 422),
        (ROCKET + "/pulls/1", 404),
        (ROCKET + "/releases/tags/v9", 404),
        (ROCKET + "/branches/none", 404),
    ],
)
def test_every_refusal_is_what_github_describes(path: str, status: int, api: httpx.Client, judge: Judge) -> None:
    response = api.get(path)
    assert response.status_code == status
    assert judge(response) == []
    assert response.json()["message"]


def test_an_answer_that_lacks_a_field_would_be_noticed(api: httpx.Client, judge: Judge) -> None:
    response = api.get(ROCKET + "/issues/1")
    broken = response.json()
    del broken["labels_url"]
    assert judge(httpx.Response(200, json=broken, request=response.request)) == [
        ': "labels_url" is a required property'
    ]


def test_the_graphql_schema_is_a_part_of_githubs() -> None:
    real = gql.build_schema((Path(__file__).with_name("data") / "github.graphql").read_text())
    assert gql.validate_schema(real) == []
    assert gql.validate_schema(schema()) == []
    ours = {name: kind for name, kind in schema().type_map.items() if not name.startswith("__")}
    assert [fault for name, kind in ours.items() for fault in _differences(name, kind, real.type_map.get(name))] == []


def _differences(name: str, ours: Any, theirs: Any) -> list[str]:
    if theirs is None or type(ours) is not type(theirs):
        return [f"{name} is {theirs}"]
    faults: list[str] = []
    if isinstance(ours, gql.GraphQLEnumType):
        faults += [f"{name}.{value}" for value in ours.values.keys() - theirs.values.keys()]
    if isinstance(ours, gql.GraphQLUnionType):
        faults += [f"{name} = {kind}" for kind in {str(t) for t in ours.types} - {str(t) for t in theirs.types}]
    if isinstance(ours, gql.GraphQLObjectType | gql.GraphQLInterfaceType):
        interfaces = {str(kind) for kind in ours.interfaces} - {str(kind) for kind in theirs.interfaces}
        faults += [f"{name} implements {kind}" for kind in interfaces]
    for field, value in getattr(ours, "fields", {}).items():
        faults += _field(f"{name}.{field}", value, theirs.fields.get(field))
    return faults


def _field(name: str, ours: Any, theirs: Any) -> list[str]:
    if theirs is None or str(ours.type) != str(theirs.type):
        return [f"{name}: {ours.type} is not {theirs and theirs.type}"]
    faults = []
    for argument, value in getattr(ours, "args", {}).items():
        real = theirs.args.get(argument)
        if real is None or str(real.type) != str(value.type) or real.default_value != value.default_value:
            faults.append(f"{name}({argument})")
    return faults
