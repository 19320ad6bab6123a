"""Threads over the API: what a window's issues and pull requests say, for how many requests, and what was not read."""

import json
import re
from datetime import UTC, date, datetime
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Notice, Person
from agent.domain.errors import NotFound
from agent.domain.window import Window
from tests.tools.github.conftest import Kit, Reply, Seen
from tools.github.http_requests import RequestPolicy
from tools.github.threads import GitHubThreads

REPO = RepoId("acme/lib")
DAY = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")
NOON = "2026-02-03T12:00:00Z"
ME = {"nameWithOwner": "acme/lib"}
OTHER = {"nameWithOwner": "acme/other"}


def sha(n: int) -> str:
    return f"{n:040x}"


def landed(n: int, subject: str = "Change") -> Commit:
    who = Person(name="A", email="a@example.com")
    when = datetime(2026, 2, 3, 12, tzinfo=UTC)
    return Commit(
        repo=REPO,
        sha=sha(n),
        parents=(),
        author=who,
        authored_at=when,
        committer=who,
        committed_at=when,
        message=subject,
    )


def pull_node(n: int, **more: Any) -> dict[str, Any]:
    return {
        "number": 100 + n,
        "title": f"Pull {n}",
        "body": "Fixes #1 <!-- hidden -->",
        "state": "MERGED",
        "mergedAt": NOON,
        "baseRefName": "main",
        "createdAt": NOON,
        "updatedAt": NOON,
        "author": None,
        "mergeCommit": {"oid": sha(n)},
        "repository": ME,
        "labels": {"nodes": [{"name": "bug"}, None]},
        "closingIssuesReferences": {
            "nodes": [{"number": 1, "repository": ME}, {"number": 9, "repository": OTHER}, None]
        },
        "timelineItems": {
            "nodes": [{"source": {"number": 4, "repository": OTHER}}, {"source": {}}, {}, None]
        },
    } | more


def closed_node(n: int, closer: dict[str, Any] | None) -> dict[str, Any]:
    events = {"nodes": [{"createdAt": NOON, "closer": closer}]}
    return {"number": n, "closedAt": NOON, "stateReason": "COMPLETED", "timelineItems": events}


def aliases(seen: Seen) -> list[str]:
    return re.findall(r"^\s+([cip][0-9a-f]+):", json.loads(seen.body)["query"], re.MULTILINE)


class Graph:
    """Answers the aliases it knows; those in `broken` fail while a query has more aliases than `enough`."""

    def __init__(
        self, kit: Kit, nodes: dict[str, Any], broken: set[str] | None = None, enough: int = 10
    ) -> None:
        self.kit, self.nodes, self.broken, self.enough = kit, nodes, broken or set(), enough

    def __call__(self, seen: Seen) -> Reply:
        requested = aliases(seen)
        bad = self.broken if len(requested) > self.enough else set()
        data = {alias: None if alias in bad else self.nodes.get(alias) for alias in requested}
        errors = [
            {
                "type": "RESOURCE_LIMITS_EXCEEDED" if alias in bad else "NOT_FOUND",
                "path": ["repository", alias],
                "message": "no",
            }
            for alias in requested
            if data[alias] is None
        ]
        body = {"data": {"repository": ME | data}} | ({"errors": errors} if errors else {})
        return self.kit.Reply(json=body)


def serve(
    kit: Kit,
    listed: list[dict[str, Any]],
    graph: Any = None,
    opened: list[dict[str, Any]] | None = None,
) -> None:
    def issues(seen: Seen) -> Reply:
        return kit.Reply(json=(opened or []) if seen.query["state"] == "open" else listed)

    kit.hub.on("/repos/acme/lib/issues", issues)
    kit.hub.on("/repos/acme/lib/releases", kit.Reply(json=[]))
    kit.hub.on("/graphql", graph or Graph(kit, {}))


def an_ordinary_day(kit: Kit) -> list[Commit]:
    commits = [landed(n) for n in range(1, 41)]
    nodes: dict[str, Any] = {
        f"c{sha(n)}": {"associatedPullRequests": {"nodes": [pull_node(n)]}} for n in range(1, 40)
    }
    nodes[f"c{sha(40)}"] = {"associatedPullRequests": {"nodes": []}}
    nodes["i1"] = closed_node(1, {"__typename": "PullRequest", "number": 101, "repository": ME})
    nodes["i2"] = closed_node(2, {"__typename": "Commit", "oid": sha(2), "repository": ME})
    nodes["i3"] = closed_node(3, None)
    closed = {"state": "closed", "closed_at": NOON, "state_reason": "completed"}
    listed = [kit.issue(n, NOON, **closed) for n in (1, 2, 3)] + [
        kit.issue(101, NOON, pull_request={"url": "x"})
    ]
    serve(kit, listed, Graph(kit, nodes), opened=[kit.issue(50, "2025-01-01T00:00:00Z")])
    return commits


async def test_a_day_of_forty_commits_costs_five_requests(kit: Kit) -> None:
    commits = an_ordinary_day(kit)
    client = kit.client()
    threads = await GitHubThreads(client, REPO).threads(DAY, commits)
    assert client.usage.sent == 5
    assert (threads.coverage, threads.notices, threads.missing) == ("read", (), ())
    assert [issue.number for issue in threads.issues] == [1, 2, 3, 50]
    assert threads.pull_of == {sha(n): 100 + n for n in range(1, 40)}
    assert threads.pulls[0].closes == ("acme/lib#1", "acme/other#9")
    assert threads.pulls[0].named_by == ("acme/other#4",)
    assert threads.pulls[0].body.endswith("<!-- hidden -->")
    assert [(c.issue, c.by_pull, c.by_commit) for c in threads.closings] == [
        ("acme/lib#1", "acme/lib#101", None),
        ("acme/lib#2", None, f"acme/lib@{sha(2)}"),
        ("acme/lib#3", None, None),
    ]


async def test_an_issue_updated_while_we_page_is_not_missed(kit: Kit) -> None:
    before = [kit.issue(n, NOON) for n in (5, 4)]
    after = [kit.issue(2, "2026-02-03T13:00:00Z"), kit.issue(5, NOON)]
    more = {"Link": '<BASE/repositories/7/issues?after=x>; rel="next"'}
    serve(kit, [])
    kit.hub.on(
        "/repos/acme/lib/issues",
        kit.Reply(json=before, headers=more),
        kit.Reply(json=after, headers=more),
    )
    kit.hub.on("/repositories/7/issues", kit.Reply(json=[kit.issue(4, NOON), kit.issue(3, NOON)]))
    threads = await GitHubThreads(kit.client(), REPO).threads(DAY, [], known_open={1})
    assert [issue.number for issue in threads.issues] == [2, 3, 4, 5]


async def test_what_a_partial_graphql_answer_lacks_is_asked_for_in_smaller_batches(
    kit: Kit,
) -> None:
    nodes = {f"c{sha(n)}": {"associatedPullRequests": {"nodes": [pull_node(n)]}} for n in range(40)}
    serve(kit, [], Graph(kit, nodes, broken={f"c{sha(n)}" for n in range(25, 40)}))
    threads = await GitHubThreads(kit.client(), REPO).threads(
        DAY, [landed(n) for n in range(40)], known_open={1}
    )
    assert len(threads.pull_of) == 40
    assert threads.coverage == "read"
    assert [len(aliases(seen)) for seen in kit.hub.seen if seen.path == "/graphql"] == [40, 10, 5]


async def test_a_graphql_outage_leaves_the_rest_and_says_what_is_missing(kit: Kit) -> None:
    closed = {"state": "closed", "closed_at": NOON, "state_reason": "completed"}
    serve(kit, [kit.issue(1, NOON, **closed)], kit.Reply(502))
    client = kit.client(policy=RequestPolicy(attempts=2))
    threads = await GitHubThreads(client, REPO).threads(
        DAY, [landed(n) for n in range(200)], known_open={1}
    )
    assert threads.coverage == "partial"
    request = f"POST {kit.hub.base.removeprefix('http://')}/graphql"
    assert list(threads.missing) == [
        f"what closed 1 issues could not be read ({request}: HTTP 502)",
        f"the pull requests of 200 commits could not be read ({request}: HTTP 502)",
    ]
    assert [(c.issue, c.reason) for c in threads.closings] == [("acme/lib#1", "completed")]
    assert client.usage.sent == 2 + 8


def pull_json(kit: Kit, number: int, merged: str | None) -> dict[str, Any]:
    deleted_fork = {"repo": None, "user": None, "label": None, "ref": "x", "sha": sha(9)}
    more = {
        "base": {"ref": "main"},
        "head": deleted_fork,
        "merged_at": merged,
        "merge_commit_sha": sha(number),
    }
    return kit.issue(number, NOON, state="closed" if merged else "open", **more)


async def test_without_a_token_only_numbers_in_subjects_are_read(kit: Kit) -> None:
    kit.hub.on("/repos/acme/lib/pulls/7", kit.Reply(json=pull_json(kit, 7, NOON)))
    kit.hub.on("/repos/acme/lib/issues/5", kit.Reply(json=kit.issue(5, NOON)))
    kit.hub.on("/repos/acme/lib/issues/6", kit.Reply(410, {"message": "This issue was deleted"}))
    commits = [landed(7, "Fix #5 and #6, see other/lib#8 (#7)"), landed(1, "Tidy")]
    threads = await GitHubThreads(kit.client(token=None), REPO).threads(DAY, commits)
    assert threads.coverage == "partial"
    assert threads.notices == (Notice(kind="anonymous"),)
    assert [issue.number for issue in threads.issues] == [5]
    assert [(pull.number, pull.merge_commit, pull.base) for pull in threads.pulls] == [
        (7, sha(7), "main")
    ]
    assert threads.pull_of == {sha(7): 7}
    assert sorted(kit.hub.paths) == [
        "/repos/acme/lib/issues/5",
        "/repos/acme/lib/issues/6",
        "/repos/acme/lib/pulls/7",
    ]


async def test_without_a_token_reading_stops_before_the_limit(kit: Kit) -> None:
    def counted(left: int) -> Reply:
        limit = {
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(int(kit.time.now) + 900),
        }
        return kit.Reply(json=kit.issue(1, NOON), headers=limit)

    for n in range(1, 10):
        kit.hub.on(f"/repos/acme/lib/issues/{n}", lambda seen: counted(8 - len(kit.hub.seen)))
    commits = [landed(n, f"About #{n}") for n in range(1, 10)]
    threads = await GitHubThreads(kit.client(token=None), REPO).threads(DAY, commits)
    assert len(kit.hub.seen) == 3
    assert threads.notices == (Notice(kind="anonymous-limit", about=("6",)),)


async def test_a_pull_request_of_a_fork_or_one_that_was_not_merged_is_not_ours(kit: Kit) -> None:
    theirs = pull_node(1, repository={"nameWithOwner": "fork/lib"})
    unmerged = pull_node(2, mergedAt=None, state="OPEN")
    rebased = pull_node(3, mergeCommit={"oid": sha(99)})
    exact = pull_node(4, mergeCommit={"oid": sha(1)})
    node = {"associatedPullRequests": {"nodes": [theirs, unmerged, rebased, exact]}}
    serve(kit, [], Graph(kit, {f"c{sha(1)}": node}))
    threads = await GitHubThreads(kit.client(), REPO).threads(DAY, [landed(1)], known_open={1})
    assert threads.pull_of == {sha(1): 104}


async def test_a_transferred_issue_is_not_ours_but_one_of_a_renamed_repository_is(
    kit: Kit,
) -> None:
    renamed = {"full_name": "acme/newlib", "default_branch": "main"}
    kit.hub.on("/repos/acme/lib", kit.Reply(json=renamed))
    for number, repo in ((5, "acme/other"), (6, "acme/newlib")):
        address = f"/repositories/{number}/issues/{number}"
        moved = kit.Reply(301, {}, headers={"Location": f"BASE{address}"})
        kit.hub.on(f"/repos/acme/lib/issues/{number}", moved)
        issue = kit.issue(number, NOON, repository_url=f"{kit.hub.base}/repos/{repo}")
        kit.hub.on(address, kit.Reply(json=issue))
    source = GitHubThreads(kit.client(), REPO)
    assert (await source.issue(6)).id == "acme/lib#6"
    with pytest.raises(NotFound, match="moved to another"):
        await source.issue(5)


async def test_a_cap_on_open_issues_is_told(kit: Kit) -> None:
    serve(kit, [])
    more = {"Link": '<BASE/repos/acme/lib/issues?state=open&after=x>; rel="next"'}
    page = kit.Reply(json=[kit.issue(1, NOON)], headers=more)
    kit.hub.on("/repos/acme/lib/issues", kit.Reply(json=[]), page)
    threads = await GitHubThreads(kit.client(), REPO, open_pages=1).threads(DAY, [])
    assert threads.coverage == "partial"
    assert [notice.kind for notice in threads.notices] == ["open-capped"]


async def test_releases_of_the_window_are_read_and_drafts_are_not(kit: Kit) -> None:
    serve(kit, [])
    release = {
        "tag_name": "v1",
        "name": None,
        "body": None,
        "created_at": NOON,
        "published_at": NOON,
    }
    draft = release | {"tag_name": "v2", "draft": True, "published_at": None}
    earlier = release | {"tag_name": "v0", "published_at": "2026-01-01T00:00:00Z"}
    kit.hub.on("/repos/acme/lib/releases", kit.Reply(json=[release, draft, earlier]))
    threads = await GitHubThreads(kit.client(), REPO).threads(DAY, [], known_open={1})
    assert [(release.tag, release.name) for release in threads.releases] == [("v1", "")]
