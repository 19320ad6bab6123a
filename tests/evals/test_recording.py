"""Real days, frozen: here the days of a world, as a clone would have them."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent.domain.base import InputError, RepoId
from agent.domain.window import Window
from evals.recording import RECORDINGS, expected, freeze, recordings
from evals.worlds.gold import gold_window
from evals.worlds.worlds import build
from tools.git.source import GitSource

REPO = RepoId("lumen-ai/tensorforge")
SPAN = (date(2026, 2, 3), date(2026, 2, 5))


def threads_of(world_repo: object) -> list[dict[str, object]]:
    pulls = world_repo.pulls  # type: ignore[attr-defined]
    told: list[dict[str, object]] = [
        {
            "repo": REPO,
            "kind": "pull",
            "number": one.number,
            "title": one.title,
            "created_at": one.created_at.isoformat(),
            "merge_commit_sha": one.merge_commit,
            "closes": [number for _, number in one.closes],
        }
        for one in pulls
    ]
    later = {"repo": REPO, "kind": "issue", "number": 9999, "title": "later", "created_at": "2026-03-01T00:00:00Z"}
    return [*told, later, {**told[0], "repo": "other/one"}]


async def test_a_recording_is_small_whole_and_knows_what_landed_and_what_was_fixed(tmp_path: Path) -> None:
    world = build("demo", 1, tmp_path / "world")
    repo = world.repo(REPO)
    folder = freeze(REPO, repo.git_dir, SPAN, threads_of(repo), tmp_path / "recordings")
    ((made, found, days),) = recordings(tmp_path / "recordings")
    assert found == folder
    assert (made.repo, made.since, made.until) == (REPO, *SPAN)
    assert [day.day for day in days] == [date(2026, 2, 3), date(2026, 2, 4)]
    for day in days:
        window = Window.days(day.day, day.day, "UTC")
        gold = [row.sha for row in gold_window(world, REPO, window.start, window.end)]
        assert sorted(day.landed) == sorted(gold)
        landing = await GitSource(REPO, folder / "repo.git").landed(window)
        assert sorted(row.commit.sha for row in landing.rows) == sorted(gold)
    closed = {(n, p.merge_commit) for p in repo.pulls for _, n in p.closes if p.merge_commit}
    mined = {fix for day in days for fix in day.fixes}
    assert mined
    assert mined <= closed
    kept = json.loads((folder / "threads.json").read_text())
    assert {one["repo"] for one in kept} == {REPO}
    assert 9999 not in {one["number"] for one in kept}
    assert made.tip in days[-1].landed
    last = datetime(2026, 2, 5, tzinfo=UTC)
    assert all(row.committed_at < last for row in world.landed if row.sha == made.tip)


def test_a_recording_that_was_changed_afterwards_is_refused(tmp_path: Path) -> None:
    world = build("demo", 1, tmp_path / "world")
    folder = freeze(REPO, world.repo(REPO).git_dir, SPAN, [], tmp_path / "recordings")
    (folder / "threads.json").write_text("[ ]")
    with pytest.raises(InputError, match="not what was recorded"):
        list(recordings(tmp_path / "recordings"))


def test_a_recording_that_is_half_written_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "threads.json").write_text("[]")
    assert list(recordings(tmp_path)) == []


def test_days_before_the_first_commit_cannot_be_recorded(tmp_path: Path) -> None:
    world = build("demo", 1, tmp_path / "world")
    with pytest.raises(InputError, match="nothing before"):
        freeze(REPO, world.repo(REPO).git_dir, (date(2020, 1, 1), date(2020, 1, 2)), [], tmp_path / "recordings")


def test_git_ignores_recordings_and_their_names_are_known() -> None:
    ignored = (Path(__file__).parents[2] / ".gitignore").read_text()
    assert f"/evals/{RECORDINGS.name}/" in ignored
    assert expected()
