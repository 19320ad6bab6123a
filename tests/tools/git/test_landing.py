"""What landed in a window, late, through merges, on which branch."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Landing, Notice
from agent.domain.errors import InputError, NotFound, UpstreamError
from agent.domain.window import Window
from tests.made_repos import Work
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
DAY = date(2026, 2, 4)
TODAY = Window.days(DAY, DAY, "UTC")
MIDNIGHT = datetime(2026, 2, 4, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


async def landed(work: Work | Path, window: Window = TODAY, **known_tip: str | None) -> Landing:
    path = work if isinstance(work, Path) else work.path
    return await GitSource(REPO, path).landed(window, **known_tip)


def subjects(landing: Landing) -> list[str]:
    return [row.commit.subject for row in landing.rows]


async def test_skewed_dates_hide_nothing_below_them(work: Work) -> None:
    work.commit("wanted", at=MIDNIGHT + MINUTE)
    for number in range(12):
        work.commit(f"old {number}", at=MIDNIGHT - timedelta(days=400 + number))
    assert subjects(await landed(work)) == ["wanted"]


async def test_consecutive_days_cover_every_commit_once_in_any_zone(work: Work) -> None:
    # New York changes its clocks on 8 March 2026.
    start = datetime(2026, 3, 6, 3, tzinfo=UTC)
    made = [
        work.commit(str(number), at=start + number * timedelta(hours=3, minutes=29))
        for number in range(30)
    ]
    for zone in ("UTC", "Asia/Shanghai", "America/New_York"):
        days = [date(2026, 3, 5) + timedelta(days=offset) for offset in range(8)]
        landings = [await landed(work, Window.days(day, day, zone)) for day in days]
        assert sorted(row.commit.sha for landing in landings for row in landing.rows) == sorted(
            made
        )


async def test_rows_are_first_parents_and_members_are_counted_once(work: Work) -> None:
    work.commit("base", at=MIDNIGHT - MINUTE)
    work.git("checkout", "--quiet", "-b", "one")
    work.commit("one a", at=MIDNIGHT + 1 * MINUTE)
    work.commit("one b", at=MIDNIGHT + 2 * MINUTE)
    work.git("checkout", "--quiet", "-b", "two")
    work.commit("two a", at=MIDNIGHT + 3 * MINUTE)
    work.git("checkout", "--quiet", "main")
    work.commit("direct", at=MIDNIGHT + 4 * MINUTE)
    first = work.merge("one", at=MIDNIGHT + 5 * MINUTE)
    second = work.merge("two", at=MIDNIGHT + 6 * MINUTE)
    landing = await landed(work)
    source = GitSource(REPO, work.path)
    assert [(row.commit.sha, row.members) for row in landing.rows][:2] == [(second, 1), (first, 2)]
    assert [row.members for row in landing.rows][2:] == [0]
    assert [commit.subject for commit in await source.members(first)] == ["one b", "one a"]
    assert [commit.subject for commit in await source.members(second)] == ["two a"]
    assert await source.members(landing.rows[2].commit.sha) == ()
    with pytest.raises(NotFound):
        await source.members("f" * 40)


async def test_what_was_pushed_late_is_told_once(work: Work) -> None:
    work.commit("old", at=MIDNIGHT - timedelta(days=2))
    known_tip = work.commit("known", at=MIDNIGHT - MINUTE)
    work.commit("backdated", at=MIDNIGHT - timedelta(days=1))
    tip = work.commit("today", at=MIDNIGHT + MINUTE)
    landing = await landed(work, known_tip=known_tip)
    assert subjects(landing) == ["today"]
    assert [row.commit.subject for row in landing.late] == ["backdated"]
    assert landing.notices == ()
    assert (await landed(work, known_tip=tip)).late == ()


async def test_rewritten_history_is_noticed_and_what_follows_the_fork_is_late(work: Work) -> None:
    work.commit("kept", at=MIDNIGHT - timedelta(days=2))
    known_tip = work.commit("pushed away", at=MIDNIGHT - MINUTE)
    work.git("reset", "--quiet", "--hard", "HEAD~")
    work.commit("instead", at=MIDNIGHT - MINUTE)
    work.commit("today", at=MIDNIGHT + MINUTE)
    landing = await landed(work, known_tip=known_tip)
    assert [row.commit.subject for row in landing.late] == ["instead"]
    assert landing.notices == (Notice(kind="rewritten", about=(known_tip[:12],)),)


@pytest.mark.parametrize(
    "seconds", ["99999999999", "9223372036854775807", "99999999999999999999", "-5", "", "x"]
)
async def test_absurd_dates_neither_crash_nor_hide_others(work: Work, seconds: str) -> None:
    parent = work.commit("sane", at=MIDNIGHT + MINUTE)
    tree = work.git("rev-parse", "HEAD^{tree}")
    person = f"B <b@x> {seconds} +0000"
    work.raw_commit(
        f"tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n\nabsurd ".encode()
        + b"\xff\n"
    )
    landing = await landed(work)
    everything = await landed(
        work,
        Window(
            start=datetime(1970, 1, 1, tzinfo=UTC), end=datetime.max.replace(tzinfo=UTC), tz="UTC"
        ),
    )
    assert subjects(landing) == ["sane"]
    assert subjects(everything) == ["absurd \ufffd", "sane"]
    assert everything.rows[0].commit.committed_at.year in (1970, 5138, 9999)


async def test_an_empty_repository_has_no_tip_and_no_rows(work: Work) -> None:
    landing = await landed(work)
    assert (landing.branch, landing.tip, landing.rows, landing.notices) == ("main", None, (), ())


async def test_a_shallow_clone_says_when_it_ends_inside_the_window(
    work: Work, tmp_path: Path
) -> None:
    work.commit("long ago", at=MIDNIGHT - timedelta(days=9))
    work.commit("yesterday", at=MIDNIGHT - MINUTE)
    for number in range(3):
        work.commit(str(number), at=MIDNIGHT + number * MINUTE)
    for depth in (2, 4):
        work.git(
            "clone",
            "--quiet",
            f"--depth={depth}",
            f"file://{work.path}",
            str(tmp_path / str(depth)),
        )
    short = await landed(tmp_path / "2")
    enough = await landed(tmp_path / "4")
    assert subjects(short) == ["2", "1"]
    assert short.notices[0].kind == "shallow"
    assert (subjects(enough), enough.notices) == (["2", "1", "0"], ())
    assert enough.rows == (await landed(work)).rows


@pytest.mark.parametrize("harm", ["ref", "extension", "lost tip"])
async def test_a_broken_repository_is_not_taken_for_an_empty_one(work: Work, harm: str) -> None:
    work.commit("one", at=MIDNIGHT)
    if harm == "ref":
        (work.path / ".git" / "refs" / "heads" / "main").write_bytes(b"\0\0\0")
    elif harm == "extension":
        work.git("config", "core.repositoryFormatVersion", "1")
        work.git("config", "extensions.unheardOf", "true")
    else:
        (work.path / ".git" / "refs" / "heads" / "main").write_text("1" * 40 + "\n")
    with pytest.raises((InputError, UpstreamError)) as raised:
        await landed(work)
    assert "\n" not in str(raised.value)


async def test_a_commit_that_landed_after_the_first_look_is_seen_by_the_next(work: Work) -> None:
    first = work.commit("first", at=MIDNIGHT + MINUTE)
    walked = GitSource(REPO, work.path)
    await walked.landed(TODAY)
    second = work.commit("second", at=MIDNIGHT + 2 * MINUTE)
    assert [row.commit.sha for row in (await walked.landed(TODAY)).rows] == [second, first]
