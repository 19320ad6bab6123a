"""GraphQL says the same as REST, and refuses as GitHub refuses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphql as gql
import httpx
import pytest

from evals.github_server.app import GitHubServer
from evals.github_server.limits import Allowance
from evals.worlds.model import Repo

Connect = Callable[..., httpx.Client]
ROCKET = "/repos/acme/rocket"

COMMITS = """
query ($owner: String!, $name: String!, $pulls: Int = 5) {
  repository(owner: $owner, name: $name) { nameWithOwner defaultBranchRef { name target { oid } } %s }
  rateLimit { cost remaining used nodeCount resetAt }
}
fragment brought on Commit {
  oid message committedDate author { name email user { login } } parents(first: 2) { nodes { oid } }
  associatedPullRequests(first: $pulls) {
    nodes {
      number title body state merged mergedAt mergeCommit { oid } baseRefName author { login } createdAt updatedAt
      labels(first: 20) { nodes { name } } commits { totalCount }
      closingIssuesReferences(first: 10) { nodes { number repository { nameWithOwner } } }
    }
  }
}
"""

ISSUE = """
{ repository(owner: "acme", name: "rocket") { issue(number: %d) {
  number title body state stateReason(enableDuplicate: true) closedAt createdAt updatedAt author { login }
  comments { totalCount } reactions { totalCount } labels(first: 10) { nodes { name } }
  timelineItems(itemTypes: [CLOSED_EVENT], last: 1) { nodes { ... on ClosedEvent { createdAt stateReason closer {
    __typename ... on Commit { oid repository { nameWithOwner } }
    ... on PullRequest { number repository { nameWithOwner } }
  } } } }
  closedByPullRequestsReferences(first: 10, includeClosedPrs: true) { nodes { number repository { nameWithOwner } } }
} } }
"""


FILE = """
query ($owner: String!, $name: String!, $file: String!) { repository(owner: $owner, name: $name) {
  object(expression: $file) { __typename oid ... on Blob { byteSize isBinary isTruncated text } }
} }
"""


def ask(api: httpx.Client, query: str, **variables: Any) -> dict[str, Any]:
    response = api.post("/graphql", json={"query": query, "variables": variables})
    assert response.status_code == 200
    body: dict[str, Any] = response.json()
    return body


def test_our_test_queries_are_queries_to_github() -> None:
    real = gql.build_schema((Path(__file__).with_name("data") / "github.graphql").read_text())
    for query in (COMMITS % 'object(oid: "aa") { ...brought }', ISSUE % 1, FILE):
        assert gql.validate(real, gql.parse(query)) == []


def test_a_batch_of_commits_has_the_pull_requests_that_rest_has(api: httpx.Client, named: dict[str, str]) -> None:
    names = ["merge", "member1", "rename", "edit", "open", "root"]
    aliases = " ".join(f'{name}: object(oid: "{named[name]}") {{ ...brought }}' for name in names)
    body = ask(api, COMMITS % aliases, owner="acme", name="rocket")
    assert "errors" not in body
    repository = body["data"]["repository"]
    assert repository["defaultBranchRef"] == {"name": "main", "target": {"oid": named["tip"]}}
    for name in names:
        _same_commit(api, repository[name])
    references = repository["merge"]["associatedPullRequests"]["nodes"][0]["closingIssuesReferences"]["nodes"]
    assert [(node["number"], node["repository"]["nameWithOwner"]) for node in references] == [
        (3, "acme/rocket"),
        (1, "acme/engine"),
    ]


def _same_commit(api: httpx.Client, commit: dict[str, Any]) -> None:
    rest = api.get(f"{ROCKET}/commits/{commit['oid']}").json()
    assert commit["message"] == rest["commit"]["message"]
    assert commit["committedDate"] == rest["commit"]["committer"]["date"]
    assert [node["oid"] for node in commit["parents"]["nodes"]] == [parent["sha"] for parent in rest["parents"]]
    pulls = api.get(f"{ROCKET}/commits/{commit['oid']}/pulls").json()
    nodes = commit["associatedPullRequests"]["nodes"]
    assert [node["number"] for node in nodes] == [pull["number"] for pull in pulls]
    for node, pull in zip(nodes, pulls, strict=True):
        assert (node["title"], node["body"], node["mergedAt"]) == (pull["title"], pull["body"], pull["merged_at"])
        assert (node["mergeCommit"] or {}).get("oid") == pull["merge_commit_sha"]
        assert [label["name"] for label in node["labels"]["nodes"]] == [label["name"] for label in pull["labels"]]
        assert (node["author"] or {"login": "ghost"})["login"] == pull["user"]["login"]
        assert node["state"] == ("MERGED" if pull["merged_at"] else pull["state"].upper())


def test_an_issue_is_told_as_rest_tells_it(api: httpx.Client) -> None:
    for number in (1, 2, 3, 4):
        issue = ask(api, ISSUE % number)["data"]["repository"]["issue"]
        rest = api.get(f"{ROCKET}/issues/{number}").json()
        assert (issue["title"], issue["body"]) == (rest["title"], rest["body"] or "")
        assert (issue["closedAt"], issue["updatedAt"]) == (rest["closed_at"], rest["updated_at"])
        assert (issue["stateReason"] or "").lower() == (rest["state_reason"] or "")
        assert issue["comments"]["totalCount"] == rest["comments"]
        assert issue["reactions"]["totalCount"] == rest["reactions"]["total_count"]
        assert [label["name"] for label in issue["labels"]["nodes"]] == [label["name"] for label in rest["labels"]]


def test_an_issue_knows_what_closed_it(api: httpx.Client, named: dict[str, str]) -> None:
    def closer(number: int) -> Any:
        [event] = ask(api, ISSUE % number)["data"]["repository"]["issue"]["timelineItems"]["nodes"]
        return event["closer"]

    here = {"nameWithOwner": "acme/rocket"}
    assert closer(2) == {"__typename": "Commit", "oid": named["edit"], "repository": here}
    assert closer(3) == {"__typename": "PullRequest", "number": 101, "repository": here}
    assert ask(api, ISSUE % 4)["data"]["repository"]["issue"]["timelineItems"]["nodes"] == []


def test_a_file_is_the_one_that_rest_has_and_its_text_is_utf8(api: httpx.Client, named: dict[str, str]) -> None:
    texts = {"README.md": "# Rocket 4\n", "empty.txt": "", "latin.txt": "caf\xe9\n", "文档/说明.md": "你好\n"}
    for path, text in {**texts, "logo.png": None}.items():
        blob = ask(api, FILE, owner="acme", name="rocket", file=f"{named['tip']}:{path}")["data"]["repository"][
            "object"
        ]
        rest = api.get(f"{ROCKET}/contents/{path}", params={"ref": named["tip"]}).json()
        assert (blob["__typename"], blob["oid"], blob["byteSize"]) == ("Blob", rest["sha"], rest["size"])
        assert (blob["text"], blob["isBinary"], blob["isTruncated"]) == (text, text is None, False)


def test_the_text_of_a_long_file_is_cut_and_that_is_told(desk: Any, connect: Connect) -> None:
    mark = desk.commit("Long", {"long.txt": "字".encode() * 200_000})
    sha = desk.write()[mark]
    with GitHubServer([Repo(1, "acme", "long", "main", desk.git_dir)]) as server:
        found = ask(connect(server), FILE, owner="acme", name="long", file=f"{sha}:long.txt")
    blob = found["data"]["repository"]["object"]
    assert (blob["byteSize"], blob["isTruncated"], blob["text"]) == (600_000, True, "字" * 170_666)


def test_a_path_leads_to_a_directory_or_to_nothing(api: httpx.Client, named: dict[str, str]) -> None:
    def kind(file: str) -> str | None:
        found = ask(api, FILE, owner="acme", name="rocket", file=file)["data"]["repository"]["object"]
        return found and str(found["__typename"])

    tip = named["tip"]
    assert [kind(f"{tip}:src"), kind(f"{tip}:"), kind("main:README.md"), kind(tip)] == [
        "Tree",
        "Tree",
        "Blob",
        "Commit",
    ]
    assert [kind(f"{tip}:nowhere"), kind("0" * 40 + ":README.md"), kind(f"{tip}:a\nb"), kind(":")] == [None] * 4


def test_closed_pull_requests_are_listed_only_when_asked_for(api: httpx.Client) -> None:
    query = """{ repository(owner: "acme", name: "rocket") { issue(number: 2) {
        open: closedByPullRequestsReferences(first: 5) { nodes { number } }
        all: closedByPullRequestsReferences(first: 5, includeClosedPrs: true) { nodes { number } } } } }"""
    issue = ask(api, query)["data"]["repository"]["issue"]
    assert (issue["open"]["nodes"], issue["all"]["nodes"]) == ([], [{"number": 104}])


def test_a_duplicate_is_called_so_only_to_whoever_knows_the_word(api: httpx.Client) -> None:
    query = """{ repository(owner: "acme", name: "rocket") { issue(number: 4) {
        old: stateReason new: stateReason(enableDuplicate: true) } } }"""
    assert ask(api, query)["data"]["repository"]["issue"] == {"old": "NOT_PLANNED", "new": "DUPLICATE"}


def test_issues_can_be_paged_with_cursors(api: httpx.Client) -> None:
    query = """query ($after: String) { repository(owner: "acme", name: "rocket") {
        issues(first: 10, after: $after, filterBy: {since: "2026-02-02T00:00:00Z"}, states: [OPEN, CLOSED],
               orderBy: {field: UPDATED_AT, direction: DESC}) {
          totalCount pageInfo { hasNextPage endCursor } nodes { number } } } }"""
    numbers: list[int] = []
    after = None
    while True:
        issues = ask(api, query, after=after)["data"]["repository"]["issues"]
        numbers += [node["number"] for node in issues["nodes"]]
        if not issues["pageInfo"]["hasNextPage"]:
            break
        after = issues["pageInfo"]["endCursor"]
    path = f"{ROCKET}/issues?state=all&sort=updated&since=2026-02-02T00:00:00Z&per_page=20"
    rest: list[Any] = []
    response = api.get(path)
    while True:
        rest += response.json()
        if "next" not in response.links:
            break
        response = api.get(response.links["next"]["url"])
    assert numbers == [issue["number"] for issue in rest if "pull_request" not in issue]
    assert issues["totalCount"] == len(numbers)


def test_the_history_of_a_commit_is_that_of_rest(api: httpx.Client) -> None:
    query = """query ($after: String) { repository(owner: "acme", name: "rocket") { object(expression: "main") {
        ... on Commit { history(first: 100, after: $after, since: "2026-02-01T20:00:00Z") {
          totalCount pageInfo { hasNextPage endCursor } nodes { oid } } } } } }"""
    first = ask(api, query)["data"]["repository"]["object"]["history"]
    rest = api.get(f"{ROCKET}/commits?since=2026-02-01T20:00:00Z&per_page=100")
    assert [node["oid"] for node in first["nodes"]] == [commit["sha"] for commit in rest.json()]


def test_releases_and_threads_of_either_kind_can_be_asked(api: httpx.Client) -> None:
    query = """{ repository(owner: "acme", name: "rocket") {
        releases(first: 10, orderBy: {field: CREATED_AT, direction: DESC}) {
          nodes { tagName isLatest tagCommit { oid } } }
        a: issueOrPullRequest(number: 101) { __typename ... on PullRequest { number mergeCommit { oid } } }
        b: issueOrPullRequest(number: 3) { __typename ... on Issue { number } }
        pullRequests(last: 2, states: [MERGED]) { nodes { number isCrossRepository } } } }"""
    repository = ask(api, query)["data"]["repository"]
    assert [release["tagName"] for release in repository["releases"]["nodes"]] == ["v1.1rc1", "v1.0", "v0.9"]
    assert [release["isLatest"] for release in repository["releases"]["nodes"]] == [False, True, False]
    assert (repository["a"]["__typename"], repository["b"]["__typename"]) == ("PullRequest", "Issue")
    assert [pull["number"] for pull in repository["pullRequests"]["nodes"]] == [101, 103]


def test_what_is_not_there_is_null_with_an_error_and_the_rest_is_answered(api: httpx.Client) -> None:
    query = """{ repository(owner: "acme", name: "rocket") { name gone: issue(number: 5) { title }
        pull: issue(number: 101) { title } none: object(oid: "%s") { oid } } }"""
    body = ask(api, query % ("0" * 40))
    assert body["data"]["repository"] == {"name": "rocket", "gone": None, "pull": None, "none": None}
    assert [(error["type"], error["path"]) for error in body["errors"]] == [
        ("NOT_FOUND", ["repository", "gone"]),
        ("NOT_FOUND", ["repository", "pull"]),
    ]
    missing = ask(api, '{ repository(owner: "acme", name: "nothing") { name } }')
    assert (missing["data"], missing["errors"][0]["type"]) == ({"repository": None}, "NOT_FOUND")
    assert ask(api, '{ repository(owner: "old", name: "rocket") { name } }')["data"]["repository"] == {"name": "rocket"}


@pytest.mark.parametrize(
    ("inner", "kind"),
    [
        ("issues { nodes { number } }", "MISSING_PAGINATION_BOUNDARIES"),
        ("issues(first: 101) { nodes { number } }", "EXCESSIVE_PAGINATION"),
        ("issues(first: 0) { nodes { number } }", "ARGUMENT_LIMIT"),
        (
            "issues(first: 100) { nodes { comments(first: 100) { nodes { id } } labels(first: 100) { nodes { name } }"
            " closedByPullRequestsReferences(first: 100) { nodes { labels(first: 100) { nodes { name } } } } } }",
            "MAX_NODE_LIMIT_EXCEEDED",
        ),
    ],
)
def test_too_much_at_once_is_refused(inner: str, kind: str, api: httpx.Client) -> None:
    body = ask(api, f'{{ repository(owner: "acme", name: "rocket") {{ {inner} }} }}')
    assert "data" not in body
    assert [error["type"] for error in body["errors"]] == [kind]


@pytest.mark.parametrize(
    "query", ["{ repository(", "{ repository(owner: 1) { name } }", "{ nothing }", "mutation { x }"]
)
def test_a_query_that_makes_no_sense_is_answered_with_errors(query: str, api: httpx.Client) -> None:
    assert ask(api, query)["errors"][0]["message"]


def test_a_body_that_is_no_query_is_refused(api: httpx.Client) -> None:
    assert api.post("/graphql", content=b"{").status_code == 400
    assert api.post("/graphql", json=["x"]).status_code == 400
    assert api.get("/graphql").status_code == 404


def test_a_guest_may_not_ask(shared: GitHubServer, connect: Connect) -> None:
    assert connect(shared, token=None).post("/graphql", json={"query": "{ __typename }"}).status_code == 401


def test_a_query_costs_a_point_for_each_hundred_requests_it_stands_for(api: httpx.Client) -> None:
    small = ask(api, '{ rateLimit { cost nodeCount } repository(owner: "acme", name: "rocket") { name } }')
    assert small["data"]["rateLimit"] == {"cost": 1, "nodeCount": 0}
    big = """{ rateLimit { cost nodeCount } repository(owner: "acme", name: "rocket") {
        issues(first: 100) { nodes { a: comments(first: 1) { nodes { id } }
          b: labels(first: 2) { nodes { name } } } } } }"""
    assert ask(api, big)["data"]["rateLimit"] == {"cost": 2, "nodeCount": 100 + 100 + 200}


def test_an_exhausted_client_is_told_with_status_200(repos: tuple[Repo, ...], connect: Connect) -> None:
    with GitHubServer(repos, allowance=Allowance(graphql=2)) as server:
        api = connect(server)
        query = '{ repository(owner: "acme", name: "rocket") { name } }'
        assert ["data" in ask(api, query) for _ in range(3)] == [True, True, False]
        response = api.post("/graphql", json={"query": query})
        assert response.json()["errors"][0]["type"] == "RATE_LIMITED"
        assert response.headers["x-ratelimit-remaining"] == "0"
        assert api.get(ROCKET).status_code == 200
