"""Landing over the API: the first-parent line of a pinned tip, cut at the window, in spite of clocks and rewrites."""

from datetime import date

import pytest

from agent.domain.base import RepoId
from agent.domain.errors import NotFound, UpstreamError
from agent.domain.window import Window
from tests.tools.github.conftest import Kit, Reply, Seen
from tools.github.code_source import GitHubCode

REPO = RepoId("acme/lib")
DAY = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")


def sha(n: int) -> str:
    return f"{n:040x}"


def day(n: int, hour: int = 12) -> str:
    return f"2026-02-{n:02}T{hour:02}:00:00Z"


def serve_line(kit: Kit, dates: list[str], *, stop_early: bool = False) -> None:
    """Serve a straight history, newest first; `stop_early` is what git's own --since does at old commits."""
    shas = [sha(len(dates) - n) for n in range(len(dates))]
    entries = [kit.commit(s, shas[n + 1 : n + 2], dates[n]) for n, s in enumerate(shas)]

    def commits(seen: Seen) -> Reply:
        found_entries = entries[shas.index(seen.query["sha"]) :]
        if since := seen.query.get("since"):
            old = next(
                (
                    n
                    for n, e in enumerate(found_entries)
                    if e["commit"]["committer"]["date"] < since
                ),
                len(found_entries),
            )
            recent = [e for e in found_entries if e["commit"]["committer"]["date"] >= since]
            found_entries = found_entries[:old] if stop_early else recent
        page = int(seen.query.get("page", 1))
        size = int(seen.query["per_page"])
        query = "&".join(f"{k}={v}" for k, v in seen.query.items() if k != "page")
        link = (
            {"Link": f'<BASE{seen.path}?{query}&page={page + 1}>; rel="next"'}
            if page * size < len(found_entries)
            else {}
        )
        return kit.Reply(json=found_entries[(page - 1) * size : page * size], headers=link)

    kit.hub.on(
        "/repos/acme/lib", kit.Reply(json={"full_name": "acme/lib", "default_branch": "trunk/main"})
    )
    kit.hub.on("/repos/acme/lib/commits/trunk%2Fmain", kit.Reply(body=shas[0].encode()))
    kit.hub.on("/repos/acme/lib/commits", commits)


@pytest.mark.parametrize("stop_early", [True, False])
async def test_commits_with_a_skewed_clock_do_not_hide_those_below(
    kit: Kit, stop_early: bool
) -> None:
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


async def test_a_commit_dated_in_the_future_lands_when_the_commit_below_it_does(kit: Kit) -> None:
    serve_line(kit, [day(4), "2099-01-01T00:00:00Z", day(3, 2), day(1)])
    code = GitHubCode(kit.client(), REPO)
    landing = await code.landed(DAY)
    assert [row.commit.sha for row in landing.rows] == [sha(2)]
    assert [row.commit.sha for row in landing.late] == [sha(3)]
    (notice,) = landing.notices
    about = (sha(3)[:12], "2099-01-01", "2026-02-03 02:00 UTC")
    assert (notice.kind, notice.about) == ("future-dated", about)
    # It may as well have landed on the next day, whose report names it, and not after that.
    next_day = await code.landed(Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"))
    assert (next_day.late, next_day.notices) == ((), (notice,))
    later = await code.landed(Window.days(date(2026, 2, 5), date(2026, 2, 5), "UTC"))
    assert (later.late, later.notices) == ((), ())


async def test_an_empty_repository_has_no_tip(kit: Kit) -> None:
    serve_line(kit, [day(4)])
    kit.hub.on(
        "/repos/acme/lib/commits/trunk%2Fmain",
        kit.Reply(409, {"message": "Git Repository is empty."}),
    )
    landing = await GitHubCode(kit.client(), REPO).landed(DAY)
    assert (landing.tip, landing.rows, landing.branch) == (None, (), "trunk/main")


async def test_an_outage_is_an_error_not_an_empty_list(kit: Kit) -> None:
    serve_line(kit, [day(3)])
    shas = [sha(number) for number in range(9)]
    for commit in shas:
        kit.hub.on(f"/repos/acme/lib/commits/{commit}", kit.Reply(502))
    code = GitHubCode(kit.client(), REPO)
    with pytest.raises(UpstreamError, match="502"):
        _ = [change async for change in code.changes(shas)]


async def test_a_reader_that_leaves_early_leaves_nothing_running(kit: Kit) -> None:
    serve_line(kit, [day(3)])
    for n in range(9):
        kit.hub.on(
            f"/repos/acme/lib/commits/{sha(n)}",
            kit.Reply(json=kit.commit(sha(n), [], day(3), files=[])),
        )
    changes = GitHubCode(kit.client(), REPO).changes([sha(n) for n in range(9)])
    assert (await anext(changes)).commit.sha == sha(0)
    await changes.aclose()  # type: ignore[attr-defined]
    assert len(kit.hub.seen) < 9


async def test_a_branch_that_is_not_there_is_named(kit: Kit) -> None:
    serve_line(kit, [day(4)])
    missing = kit.Reply(422, {"message": "No commit found for SHA: gone"})
    kit.hub.on("/repos/acme/lib/commits/gone", missing)
    with pytest.raises(NotFound, match="no branch 'gone'"):
        await GitHubCode(kit.client(), REPO, "gone").landed(DAY)


async def test_a_named_branch_is_read(kit: Kit) -> None:
    serve_line(kit, [day(4), day(3), day(2)])
    kit.hub.on("/repos/acme/lib/commits/release%2F1", kit.Reply(body=sha(2).encode()))
    landing = await GitHubCode(kit.client(), REPO, "release/1").landed(DAY)
    assert (landing.branch, landing.tip) == ("release/1", sha(2))
    assert [row.commit.sha for row in landing.rows] == [sha(2)]


async def test_a_window_too_long_ago_is_refused_with_advice(kit: Kit) -> None:
    serve_line(kit, [day(4)] * 500)
    with pytest.raises(UpstreamError, match="--source git"):
        await GitHubCode(kit.client(), REPO, max_pages=3).landed(DAY)
