"""Landing over the API: the first-parent line of a pinned tip, cut at the window, in spite of clocks and rewrites."""

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from agent.domain.base import NotFound, RepoId, UpstreamError
from agent.domain.commits import Notice, NoticeKind
from agent.domain.window import Window
from tools.github.client import TransientCache
from tools.github.code import GitHubCode

if TYPE_CHECKING:
    from tests.tools.github.conftest import Kit, Reply, Seen

REPO = RepoId("acme/lib")
DAY = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")


def sha(n: int) -> str:
    return f"{n:040x}"


def day(n: int, hour: int = 12) -> str:
    return f"2026-02-{n:02}T{hour:02}:00:00Z"


def serve_line(kit: "Kit", dates: list[str], *, stop_early: bool = False) -> None:
    """Serve a straight history, newest first; `stop_early` is what git's own --since does at old commits."""
    shas = [sha(len(dates) - n) for n in range(len(dates))]
    entries = [kit.commit(s, shas[n + 1 : n + 2], dates[n]) for n, s in enumerate(shas)]

    def commits(seen: "Seen") -> "Reply":
        found = entries[shas.index(seen.query["sha"]) :]
        if since := seen.query.get("since"):
            old = next((n for n, e in enumerate(found) if e["commit"]["committer"]["date"] < since), len(found))
            recent = [e for e in found if e["commit"]["committer"]["date"] >= since]
            found = found[:old] if stop_early else recent
        page, size = int(seen.query.get("page", 1)), int(seen.query["per_page"])
        query = "&".join(f"{k}={v}" for k, v in seen.query.items() if k != "page")
        link = {"Link": f'<BASE{seen.path}?{query}&page={page + 1}>; rel="next"'} if page * size < len(found) else {}
        return kit.Reply(json=found[(page - 1) * size : page * size], headers=link)

    kit.hub.on("/repos/acme/lib", kit.Reply(json={"full_name": "acme/lib", "default_branch": "trunk/main"}))
    kit.hub.on("/repos/acme/lib/commits/trunk%2Fmain", kit.Reply(body=shas[0].encode()))
    kit.hub.on("/repos/acme/lib/commits", commits)


async def test_rows_are_the_commits_of_the_day_newest_first(kit: "Kit") -> None:
    serve_line(kit, [day(4), day(4, 0), day(3, 23), day(3, 0), day(2, 23), day(1)])
    landing = await GitHubCode(kit.client(), REPO).landed(DAY)
    assert [row.commit.sha for row in landing.rows] == [sha(4), sha(3)]
    assert (landing.branch, landing.tip, landing.late, landing.notices) == ("trunk/main", sha(6), (), ())
    assert landing.rows[0].commit.message == "Change 0000"
    assert landing.rows[0].members == 0
    assert len(kit.hub.seen) == 4


async def test_a_second_look_at_an_unchanged_repository_is_free(kit: "Kit") -> None:
    serve_line(kit, [day(4), day(3), day(2)])
    cache = TransientCache()
    first = await GitHubCode(kit.client(cache=cache), REPO).landed(DAY)
    client = kit.client(cache=cache)
    assert await GitHubCode(client, REPO).landed(DAY) == first
    assert (client.usage.sent, client.usage.free) == (4, 4)


@pytest.mark.parametrize("stop_early", [True, False])
async def test_commits_with_a_skewed_clock_do_not_hide_those_below(kit: "Kit", stop_early: bool) -> None:
    dates = [
        day(4),
        *["2019-01-01T00:00:00Z"] * 60,
        day(3, 20),
        *["2018-01-01T00:00:00Z"] * 60,
        day(3, 2),
        *[day(1)] * 150,
    ]
    serve_line(kit, dates, stop_early=stop_early)
    landing = await GitHubCode(kit.client(), REPO).landed(DAY)
    assert [row.commit.committed_at.hour for row in landing.rows] == [20, 2]


async def test_an_empty_repository_has_no_tip(kit: "Kit") -> None:
    serve_line(kit, [day(4)])
    kit.hub.on("/repos/acme/lib/commits/trunk%2Fmain", kit.Reply(409, {"message": "Git Repository is empty."}))
    landing = await GitHubCode(kit.client(), REPO).landed(DAY)
    assert (landing.tip, landing.rows, landing.branch) == (None, (), "trunk/main")


async def test_a_branch_that_is_not_there_is_not_found(kit: "Kit") -> None:
    serve_line(kit, [day(4)])
    kit.hub.on("/repos/acme/lib/commits/gone", kit.Reply(422, {"message": "No commit found for SHA: gone"}))
    with pytest.raises(NotFound, match="no branch 'gone'"):
        await GitHubCode(kit.client(), REPO, "gone").landed(DAY)


async def test_a_repository_that_is_not_there_is_told_in_words(kit: "Kit") -> None:
    with pytest.raises(NotFound, match="no repository acme/lib, or this token may not see it"):
        await GitHubCode(kit.client(), REPO).landed(DAY)
    with pytest.raises(NotFound, match="needs GITHUB_TOKEN"):
        await GitHubCode(kit.client(token=None), REPO).landed(DAY)


async def test_no_commits_cost_no_request(kit: "Kit") -> None:
    assert [change async for change in GitHubCode(kit.client(), REPO).changes([])] == []
    assert kit.hub.seen == []


async def test_a_window_too_long_ago_is_refused_with_advice(kit: "Kit") -> None:
    serve_line(kit, [day(4)] * 500)
    with pytest.raises(UpstreamError, match="--source git"):
        await GitHubCode(kit.client(), REPO, max_pages=3).landed(DAY)


async def test_late_commits_are_found_on_the_line_without_another_request(kit: "Kit") -> None:
    serve_line(kit, [day(4), day(3), day(1, 5), day(1, 4), day(2)])
    landing = await GitHubCode(kit.client(), REPO).landed(DAY, known_tip=sha(1))
    assert [row.commit.sha for row in landing.late] == [sha(3), sha(2)]
    assert len(kit.hub.seen) == 4


async def test_a_known_tip_far_below_is_compared(kit: "Kit") -> None:
    serve_line(kit, [day(3), *[day(2)] * 150])
    found = [kit.commit(sha(151), [sha(150)], day(3)), kit.commit(sha(150), [sha(149)], day(2))]
    comparison = {"status": "ahead", "total_commits": 2, "commits": found[::-1], "files": []}
    kit.hub.on(f"/repos/acme/lib/compare/{sha(999)}...{sha(151)}", kit.Reply(json=comparison))
    landing = await GitHubCode(kit.client(), REPO).landed(DAY, known_tip=sha(999))
    assert [row.commit.sha for row in landing.late] == [sha(150)]
    assert landing.notices == ()


@pytest.mark.parametrize("status", ["diverged", "behind"])
async def test_rewritten_history_gets_a_notice(kit: "Kit", status: str) -> None:
    serve_line(kit, [day(3), day(2)])
    kit.hub.on(
        f"/repos/acme/lib/compare/{sha(999)}...{sha(2)}",
        kit.Reply(json={"status": status, "total_commits": 0, "commits": []}),
    )
    landing = await GitHubCode(kit.client(), REPO).landed(DAY, known_tip=sha(999))
    assert landing.notices[0].kind is NoticeKind.REWRITTEN


async def test_a_known_tip_that_is_gone_gets_a_notice(kit: "Kit") -> None:
    serve_line(kit, [day(3), day(2)])
    landing = await GitHubCode(kit.client(), REPO).landed(DAY, known_tip=sha(999))
    assert landing.notices[0].kind is NoticeKind.TIP_GONE
    assert [row.commit.sha for row in landing.rows] == [sha(2)]


async def test_a_renamed_repository_keeps_its_name_in_ids_and_says_so(kit: "Kit") -> None:
    serve_line(kit, [day(3)])
    moved = kit.Reply(301, {"message": "Moved Permanently"}, headers={"Location": "BASE/repositories/7"})
    kit.hub.on("/repos/old/name", moved)
    kit.hub.on("/repositories/7", kit.Reply(json={"full_name": "acme/lib", "default_branch": "trunk/main"}))
    landing = await GitHubCode(kit.client(), RepoId("old/name")).landed(DAY)
    assert landing.notices == (Notice(kind=NoticeKind.RENAMED, about=("old/name", "acme/lib")),)
    assert landing.rows[0].commit.id == f"old/name@{sha(1)}"
    assert sum(path.startswith("/repos/old/name") for path in kit.hub.paths) == 1


async def test_a_merge_is_a_row_whose_members_cost_a_request_when_read(kit: "Kit") -> None:
    merge, left, base = sha(3), sha(2), sha(1)
    listed = [kit.commit(merge, [base, left], day(3)), kit.commit(left, [base], day(3)), kit.commit(base, [], day(1))]
    serve_line(kit, [day(3)])
    kit.hub.on("/repos/acme/lib/commits/trunk%2Fmain", kit.Reply(body=merge.encode()))
    kit.hub.on("/repos/acme/lib/commits", kit.Reply(json=listed))
    comparison = {"status": "ahead", "total_commits": 2, "commits": [listed[1], listed[0]]}
    kit.hub.on(f"/repos/acme/lib/compare/{base}...{merge}", kit.Reply(json=comparison))
    source = GitHubCode(kit.client(), REPO)
    landing = await source.landed(DAY)
    assert [(row.commit.sha, row.members) for row in landing.rows] == [(merge, None)]
    assert [commit.sha for commit in await source.members(merge)] == [left]


async def test_a_hash_is_resolved_and_a_branch_named_like_one_is_not(kit: "Kit") -> None:
    serve_line(kit, [day(3)])
    found: dict[str, Any] = kit.commit("abcdef" + "0" * 34, [], day(3))
    kit.hub.on("/repos/acme/lib/commits/abcdef", kit.Reply(json=found))
    kit.hub.on("/repos/acme/lib/commits/decade", kit.Reply(json=found))
    kit.hub.on("/repos/acme/lib/commits/beef", kit.Reply(422, {"message": "No commit found for SHA: beef"}))
    source = GitHubCode(kit.client(), REPO)
    assert (await source.resolve("ABCDEF")).sha == found["sha"]
    for prefix in ("decade", "beef", "HEAD", "../x", "0123"):
        with pytest.raises(NotFound):
            await source.resolve(prefix)


async def test_commits_that_cannot_be_read_are_left_out_and_order_is_kept(kit: "Kit") -> None:
    serve_line(kit, [day(3)])
    for n in (1, 3, 5):
        kit.hub.on(f"/repos/acme/lib/commits/{sha(n)}", kit.Reply(json=kit.commit(sha(n), [], day(3), files=[])))
    kit.hub.on(f"/repos/acme/lib/commits/{sha(4)}", kit.Reply(500))
    source = GitHubCode(kit.client(), REPO)
    read = [change.commit.sha async for change in source.changes([sha(n) for n in (5, 4, 3, 2, 1, 5)])]
    assert read == [sha(5), sha(3), sha(1)]


async def test_an_outage_is_an_error_not_an_empty_list(kit: "Kit") -> None:
    serve_line(kit, [day(3)])
    for n in range(9):
        kit.hub.on(f"/repos/acme/lib/commits/{sha(n)}", kit.Reply(502))
    with pytest.raises(UpstreamError, match="502"):
        _ = [change async for change in GitHubCode(kit.client(), REPO).changes([sha(n) for n in range(9)])]


async def test_a_reader_that_leaves_early_leaves_nothing_running(kit: "Kit") -> None:
    serve_line(kit, [day(3)])
    for n in range(9):
        kit.hub.on(f"/repos/acme/lib/commits/{sha(n)}", kit.Reply(json=kit.commit(sha(n), [], day(3), files=[])))
    changes = GitHubCode(kit.client(), REPO).changes([sha(n) for n in range(9)])
    assert (await anext(changes)).commit.sha == sha(0)
    await changes.aclose()  # type: ignore[attr-defined]
    assert len(kit.hub.seen) < 9


async def test_any_file_of_a_commit_is_read_and_searching_all_of_them_is_declined(kit: "Kit") -> None:
    serve_line(kit, [day(3)])
    kit.hub.on("/repos/acme/lib/contents/src/a%20b.py", kit.Reply(body="限制 = 1\n".encode()))
    source = GitHubCode(kit.client(), REPO)
    assert await source.file(sha(1), "src/a b.py") == "限制 = 1\n"
    assert kit.hub.seen[-1].query["ref"] == sha(1)
    assert await source.file(sha(1), "nowhere.py") is None
    assert await source.usages(sha(1), "限制") is None
