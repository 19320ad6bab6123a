"""Issues, pull requests and releases as lists and alone."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx

from evals.github_server.app import GitHubServer
from evals.worlds.model import Issue, Pull, Repo

Connect = Callable[..., httpx.Client]
ROCKET = "/repos/acme/rocket"


def pages(api: httpx.Client, path: str) -> list[Any]:
    """Follow `Link: rel="next"` to the end."""
    items: list[Any] = []
    response = api.get(path)
    while True:
        assert response.status_code == 200, response.text
        items += response.json()
        if "next" not in response.links:
            return items
        response = api.get(response.links["next"]["url"])


def living(repo: Repo) -> list[Issue | Pull]:
    return [*(issue for issue in repo.issues if not issue.deleted), *repo.pulls]


def test_the_list_of_issues_holds_pull_requests_but_nothing_deleted(api: httpx.Client, rocket: Repo) -> None:
    listed = pages(api, f"{ROCKET}/issues?state=all&per_page=7")
    newest_first = sorted(living(rocket), key=lambda thread: (thread.created_at, thread.number), reverse=True)
    assert [issue["number"] for issue in listed] == [thread.number for thread in newest_first]
    assert {issue["number"] for issue in listed if "pull_request" in issue} == {101, 102, 103, 104}


def test_since_is_about_the_last_update_and_the_order_can_be_chosen(api: httpx.Client, rocket: Repo) -> None:
    since = "2026-02-03T20:00:00Z"
    listed = pages(api, f"{ROCKET}/issues?state=all&since={since}&sort=updated&direction=asc&per_page=100")
    updated = [thread for thread in living(rocket) if thread.updated_at >= datetime.fromisoformat(since)]
    expected = sorted(updated, key=lambda thread: (thread.updated_at, thread.number))
    assert [issue["number"] for issue in listed] == [thread.number for thread in expected]


def test_state_and_labels_narrow_the_list(api: httpx.Client) -> None:
    closed = pages(api, f"{ROCKET}/issues?state=closed")
    assert sorted(issue["number"] for issue in closed) == [2, 3, 4, 101, 103, 104]
    assert [issue["number"] for issue in pages(api, f"{ROCKET}/issues?state=all&labels=bug,wontfix")] == [4]
    assert all(issue["state"] == "open" for issue in pages(api, f"{ROCKET}/issues"))


def test_page_numbers_lead_only_so_far_into_a_long_list_and_cursors_to_its_end(api: httpx.Client, rocket: Repo) -> None:
    first = api.get(f"{ROCKET}/issues?state=all&per_page=10")
    assert "after=" in first.links["next"]["url"]
    assert "last" not in first.links
    deep = api.get(f"{ROCKET}/issues?state=all&per_page=10&page=3")
    assert deep.status_code == 422
    assert "cursor based pagination" in deep.json()["message"]
    second = api.get(first.links["next"]["url"])
    back = api.get(second.links["prev"]["url"])
    assert [i["number"] for i in back.json()] == [i["number"] for i in first.json()]
    assert len(pages(api, f"{ROCKET}/issues?state=all&per_page=10")) == len(living(rocket))
    assert api.get(f"{ROCKET}/issues?after=nonsense").status_code == 422


def test_a_short_list_is_paged_by_numbers_with_links_in_githubs_order(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    first, middle, last = (api.get(f"{ROCKET}/issues?state=all&per_page=20&page={page}") for page in (1, 2, 3))
    assert [part.split('rel="')[1][:-1] for part in first.headers["link"].split(", ")] == ["next", "last"]
    rels = [part.split('rel="')[1][:-1] for part in middle.headers["link"].split(", ")]
    assert rels == ["prev", "next", "last", "first"]
    assert [part.split('rel="')[1][:-1] for part in last.headers["link"].split(", ")] == ["prev", "first"]
    assert first.links["next"]["url"] == f"{server.url}/repositories/4711/issues?state=all&per_page=20&page=2"
    assert "link" not in api.get(f"{ROCKET}/issues?state=all&per_page=100").headers
    assert len(api.get(f"{ROCKET}/commits?per_page=1000").json()) == 100


def test_a_thread_tells_its_state_its_reason_and_its_counts(api: httpx.Client) -> None:
    issue = api.get(f"{ROCKET}/issues/2").json()
    assert (issue["state"], issue["state_reason"], issue["comments"]) == ("closed", "completed", 3)
    assert (issue["reactions"]["total_count"], issue["closed_by"]["login"]) == (4, "grace")
    assert api.get(f"{ROCKET}/issues/4").json()["user"]["login"] == "ghost"
    assert api.get(f"{ROCKET}/issues/5").status_code == 410
    assert api.get(f"{ROCKET}/issues/101").json()["pull_request"]["merged_at"] == "2026-02-01T12:00:00Z"


def test_comments_come_oldest_first(api: httpx.Client) -> None:
    comments = pages(api, f"{ROCKET}/issues/2/comments?per_page=2")
    assert [comment["body"] for comment in comments] == ["Comment 0", "Comment 1", "Comment 2"]
    assert len(pages(api, f"{ROCKET}/issues/2/comments?since=2026-02-04T02:30:00Z")) == 1


def test_a_timeline_mixes_events_and_comments_and_events_leaves_mentions_out(
    api: httpx.Client, named: dict[str, str]
) -> None:
    timeline = api.get(f"{ROCKET}/issues/3/timeline").json()
    assert [entry["event"] for entry in timeline] == ["labeled", "cross-referenced", "closed"]
    assert timeline[1]["source"]["issue"]["number"] == 101
    assert timeline[1]["source"]["issue"]["repository"]["full_name"] == "acme/rocket"
    assert [entry["event"] for entry in api.get(f"{ROCKET}/issues/3/events").json()] == ["labeled", "closed"]
    second = api.get(f"{ROCKET}/issues/2/timeline").json()
    assert [entry["event"] for entry in second] == ["commented"] * 3 + ["closed"]
    assert (second[3]["commit_id"], second[3]["state_reason"]) == (named["edit"], "completed")


def test_a_commit_on_the_default_branch_has_only_the_merged_pull_request_that_brought_it(
    api: httpx.Client, named: dict[str, str]
) -> None:
    def numbers(name: str) -> list[int]:
        return [pull["number"] for pull in api.get(f"{ROCKET}/commits/{named[name]}/pulls").json()]

    assert [numbers("merge"), numbers("member1"), numbers("edit")] == [[101], [101], []]
    assert numbers("open") == [102]
    assert numbers("rename") == [103]


def test_a_pull_request_has_its_commits_files_and_counts(api: httpx.Client, named: dict[str, str]) -> None:
    pull = api.get(f"{ROCKET}/pulls/101").json()
    assert (pull["merged"], pull["merge_commit_sha"], pull["base"]["sha"]) == (True, named["merge"], named["before"])
    assert (pull["commits"], pull["changed_files"], pull["additions"], pull["mergeable"]) == (2, 1, 1, None)
    commits = api.get(f"{ROCKET}/pulls/101/commits").json()
    assert [commit["sha"] for commit in commits] == [named["member1"], named["member2"]]
    assert [file["filename"] for file in api.get(f"{ROCKET}/pulls/101/files").json()] == ["feature.py"]
    orphan = api.get(f"{ROCKET}/pulls/103").json()
    assert (orphan["head"]["repo"], orphan["head"]["user"], orphan["head"]["sha"]) == (None, None, "f" * 40)
    assert [file["status"] for file in api.get(f"{ROCKET}/pulls/103/files").json()] == ["renamed"]
    assert "+a = 2" in api.get(f"{ROCKET}/pulls/101", headers={"Accept": "application/vnd.github.diff"}).text


def test_pull_requests_are_listed_by_state_and_branch(api: httpx.Client) -> None:
    assert [pull["number"] for pull in pages(api, f"{ROCKET}/pulls?state=all&per_page=3")] == [104, 103, 102, 101]
    assert [pull["number"] for pull in pages(api, f"{ROCKET}/pulls")] == [102]
    assert [pull["number"] for pull in pages(api, f"{ROCKET}/pulls?state=all&head=acme:idea")] == [102]
    updated = pages(api, f"{ROCKET}/pulls?state=closed&sort=updated&direction=desc")
    assert [pull["number"] for pull in updated] == [104, 103, 101]


def test_releases_hide_drafts_and_the_latest_is_no_candidate(api: httpx.Client) -> None:
    assert [release["tag_name"] for release in pages(api, f"{ROCKET}/releases?per_page=2")] == [
        "v1.1rc1",
        "v1.0",
        "v0.9",
    ]
    assert api.get(f"{ROCKET}/releases/latest").json()["tag_name"] == "v1.0"
    assert api.get(f"{ROCKET}/releases/tags/v0.9").json()["name"] == "Release v0.9"
    assert api.get("/repos/acme/engine/releases/latest").status_code == 404
