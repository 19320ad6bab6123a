"""REST: pages, files, threads, limits and refusals as GitHub has them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent.domain.errors import InputError
from evals.github_server.app import GitHubServer
from evals.github_server.http_responses import RequestAllowance
from evals.worlds.data_model import Repo

Connect = Callable[..., httpx.Client]
ROCKET = "/repos/acme/rocket"


def pages(api: httpx.Client, path: str, key: str = "") -> list[Any]:
    """Follow `Link: rel="next"` to the end."""
    response = api.get(path)
    items = list(response.json()[key] if key else response.json())
    while "next" in response.links:
        response = api.get(response.links["next"]["url"])
        items += response.json()[key] if key else response.json()
    return items


def test_links_lead_to_the_other_pages_by_the_id_of_the_repository(
    api: httpx.Client, server: GitHubServer
) -> None:
    def rels(page: int) -> list[str]:
        header = api.get(f"{ROCKET}/commits?per_page=20&page={page}").headers["link"]
        return [part.split('rel="')[1][:-1] for part in header.split(", ")]

    assert [rels(1), rels(2), rels(3)] == [
        ["next", "last"],
        ["prev", "next", "last", "first"],
        ["prev", "first"],
    ]
    first = api.get(f"{ROCKET}/commits?per_page=20")
    assert (
        first.links["next"]["url"] == f"{server.url}/repositories/4711/commits?per_page=20&page=2"
    )
    assert "link" not in api.get(f"{ROCKET}/commits?per_page=1000").headers


def test_files_come_300_to_a_page_with_patches_until_the_budget_is_spent(
    api: httpx.Client, named: dict[str, str]
) -> None:
    assert len(api.get(f"{ROCKET}/commits/{named['many']}").json()["files"]) == 300
    assert len(pages(api, f"{ROCKET}/commits/{named['many']}", "files")) == 691
    [edit] = api.get(f"{ROCKET}/commits/{named['edit']}").json()["files"]
    assert edit["patch"].startswith("@@ -14,7 +14,7 @@ def f2(x):\n")
    budget = f"{ROCKET}/commits/{named['budget']}"
    files = api.get(budget).json()["files"]
    assert ["patch" in file for file in files] == [True] * 3 + [False] * 2
    assert {file["additions"] for file in files} == {3000}
    assert ["patch" in file for file in api.get(f"{budget}?per_page=3&page=2").json()["files"]] == [
        True
    ] * 2
    diff = api.get(budget, headers={"Accept": "application/vnd.github.diff"})
    assert diff.text.count("\n+0") == 5 * 3000


def test_issues_hold_pull_requests_but_nothing_deleted(api: httpx.Client) -> None:
    listed = pages(api, f"{ROCKET}/issues?state=all&per_page=7")
    assert sorted(issue["number"] for issue in listed) == [1, 2, 3, 4, *range(6, 51), 101, 102]
    assert {issue["number"] for issue in listed if "pull_request" in issue} == {101, 102}
    updated = f"{ROCKET}/issues?state=open&sort=updated&direction=asc&since=2026-02-03T12:00:00Z"
    assert [issue["number"] for issue in pages(api, updated)] == [48, 49, 50]
    closed = api.get(f"{ROCKET}/issues/2").json()
    assert (closed["state_reason"], closed["comments"], closed["reactions"]["total_count"]) == (
        "duplicate",
        3,
        4,
    )
    assert closed["user"] == {"login": "ghost"}
    assert [page["id"] for page in pages(api, f"{ROCKET}/issues/2/comments?per_page=2")] == [
        50,
        51,
        52,
    ]
    assert api.get(f"{ROCKET}/pulls/101").json()["base"] == {"ref": "main"}
    assert [release["tag_name"] for release in api.get(f"{ROCKET}/releases").json()] == ["v1.0"]


def test_a_server_shows_what_was_pushed_and_opened_by_its_present(
    rocket: Repo, connect: Connect, named: dict[str, str]
) -> None:
    with GitHubServer((rocket,), now=rocket.pushes[1].at) as server:
        assert connect(server).get(f"{ROCKET}/commits").json()[0]["sha"] == named["merge"]
        assert connect(server).get(f"{ROCKET}/issues").json()[0]["number"] == 24
        with pytest.raises(InputError, match="has 3 pushes"):
            server.set_push("acme/rocket", 3)


def test_a_server_can_be_moved_to_another_moment(
    rocket: Repo, connect: Connect, named: dict[str, str]
) -> None:
    first, second, *_ = (push.at for push in rocket.pushes)
    with GitHubServer((rocket,), now=first) as server:
        earlier = connect(server).get(f"{ROCKET}/commits").json()
        threads = len(connect(server).get(f"{ROCKET}/issues").json())
        server.move_to(second)
        assert connect(server).get(f"{ROCKET}/commits").json()[0]["sha"] == named["merge"]
        assert len(connect(server).get(f"{ROCKET}/issues").json()) >= threads
        server.move_to(first)
        assert connect(server).get(f"{ROCKET}/commits").json() == earlier


def test_an_unchanged_answer_is_free_for_those_who_show_a_token(
    server: GitHubServer, connect: Connect
) -> None:
    for token, cost in (("t0ken", 1), (None, 2)):
        api = connect(server, token=token)
        etag = api.get(f"{ROCKET}/commits").headers["etag"]
        again = api.get(f"{ROCKET}/commits", headers={"If-None-Match": f'"other", {etag}'})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
        assert int(again.headers["x-ratelimit-used"]) == cost
        assert (
            api.get(f"{ROCKET}/commits?per_page=2", headers={"If-None-Match": etag}).status_code
            == 200
        )
    assert [hit.free for hit in server.requests] == [False, True, False, False, False, False]


def test_a_guest_has_few_requests_and_then_waits_for_the_hour(
    repos: tuple[Repo, ...], connect: Connect
) -> None:
    hour = [1_770_000_000.0]
    with GitHubServer(
        repos, allowance=RequestAllowance(anonymous=2), clock=lambda: hour[0]
    ) as server:
        guest = connect(server, token=None)
        assert [guest.get(ROCKET).status_code for _ in range(2)] == [200, 200]
        refused = guest.get(ROCKET)
        assert (refused.status_code, refused.headers["x-ratelimit-remaining"]) == (403, "0")
        assert refused.headers["x-ratelimit-reset"] == "1770003600"
        assert guest.get("/rate_limit").json()["resources"]["core"]["remaining"] == 0
        assert connect(server).get("/rate_limit").json()["resources"]["core"]["remaining"] == 5000
        hour[0] += 3600
        assert guest.get(ROCKET).status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/repos/acme/nothing", 404),
        ("/nothing", 404),
        ("/repos/acme/empty/commits", 409),
        (f"{ROCKET}/commits?sha=nowhere", 404),
        (f"{ROCKET}/commits/{'0' * 40}", 422),
        (f"{ROCKET}/commits/%0Amain", 404),
        (f"{ROCKET}/contents/%00", 404),
        (f"{ROCKET}/contents/..%2f..%2fetc", 404),
        (f"{ROCKET}/compare/main...nowhere", 404),
        (f"{ROCKET}/issues/5", 410),
        (f"{ROCKET}/issues/9999", 404),
        (f"{ROCKET}/issues?state=bogus", 422),
        (f"{ROCKET}/issues?since=yesterday", 422),
        (f"{ROCKET}/pulls/1", 404),
        (f"{ROCKET}/commits?per_page=-1&page=99999999999999", 200),
    ],
)
def test_what_is_missing_or_hostile_is_refused_and_breaks_nothing(
    path: str, status: int, api: httpx.Client
) -> None:
    assert api.get(path).status_code == status
    assert api.get(f"{ROCKET}/contents/README.md").content == b"# Rocket\n"


def test_what_is_no_repository_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be served"):
        GitHubServer([Repo(1, "a", "b", "main", tmp_path)])
