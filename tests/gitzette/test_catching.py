"""Running by itself: missed days, and reports that failed for the most part."""

import json
import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.gitzette.conftest import Command, Engine

pytestmark = pytest.mark.usefixtures("corner")

DAY = "2026-02-04"


@pytest.fixture
def clone(tmp_path: Path, corner: Path) -> Path:
    """A configured repository in which something landed on the third, fourth and sixth of February."""
    del corner
    engine = Engine.made(tmp_path / "engine")
    for day in (3, 4, 6):
        engine.commit(
            f"Add day{day}", datetime(2026, 2, day, 10, tzinfo=UTC), **{f"day{day}": f"{day}\n"}
        )
    Path("gitzette.toml").write_text(f'repos = ["acme/engine={engine.folder}"]\n')
    return engine.folder


def ledger(day: str) -> list[str]:
    return [
        row["subject"]
        for row in json.loads(Path(f"gazette/reports/{day}.json").read_text())["ledger"]
    ]


@pytest.mark.usefixtures("clone")
def test_every_missed_day_gets_its_own_report_oldest_first_and_once(command: Command) -> None:
    command("run", "--date", "2026-02-03")
    result = command("run", "--catch-up", "--date", "2026-02-06")
    assert result.out.splitlines() == [f"gazette/reports/2026-02-0{day}.md" for day in (4, 5, 6)]
    assert "to report on: 2026-02-04, 2026-02-05, 2026-02-06 (UTC)" in result.err
    days = [["Add day3"], ["Add day4"], [], ["Add day6"]]
    assert [ledger(f"2026-02-0{day}") for day in (3, 4, 5, 6)] == days
    before = Path("gazette/reports/2026-02-06.json").stat().st_mtime_ns
    result = command("run", "--catch-up", "--date", "2026-02-06", "--json")
    assert (result.status, result.data) == (0, [])
    assert "to report on: nothing (UTC)" in result.err
    assert Path("gazette/reports/2026-02-06.json").stat().st_mtime_ns == before
    Path("gitzette.toml").write_text(Path("gitzette.toml").read_text() + "catch_up_days = 2\n")
    result = command("run", "--catch-up", "--date", "2026-02-11")
    assert [ledger(f"2026-02-{day}") for day in (10, 11)] == [[], []]
    assert "to report on: 2026-02-10, 2026-02-11 (UTC)" in result.err


def test_what_an_outage_took_from_the_last_day_is_tried_again_and_older_gaps_of_that_kind_are_not(
    clone: Path, tmp_path: Path, command: Command
) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path / "side")], check=True)
    Path("gitzette.toml").write_text(
        f'repos = ["acme/engine={clone}", "acme/side={tmp_path}/side"]\n'
    )
    command("run", "--date", "2026-02-03")
    for name in ("side", "engine"):
        (tmp_path / name).rename(tmp_path / f"{name}-away")
    assert command("run", "--catch-up", "--date", DAY).status == 3
    assert (
        "> [!WARNING]\n> This report is not complete."
        in Path(f"gazette/reports/{DAY}.md").read_text()
    )
    (tmp_path / "engine-away").rename(tmp_path / "engine")
    assert command("run", "--catch-up", "--date", DAY).status == 3
    (tmp_path / "side-away").rename(tmp_path / "side")
    assert (
        "to report on: 2026-02-05 (UTC)" in command("run", "--catch-up", "--date", "2026-02-05").err
    )
    assert command("run", "--catch-up", "--date", DAY).status == 0
    assert json.loads(Path(f"gazette/reports/{DAY}.json").read_text())["failures"] == []


@pytest.mark.usefixtures("clone")
def test_a_day_read_before_it_was_over_is_read_again(command: Command) -> None:
    today = datetime.now(UTC).date()
    command("run", "--date", "today", "--partial")
    record = Path(f"gazette/reports/{today}.json")
    assert json.loads(record.read_text())["window"]["cutoff"] is not None
    # The file of today as it will be found tomorrow.
    day = date.fromisoformat(DAY)
    data = (
        record.read_text()
        .replace(str(today), DAY)
        .replace(str(today + timedelta(days=1)), str(day + timedelta(1)))
    )
    record.with_name(f"{DAY}.json").write_text(data)
    record.unlink()
    assert command("run", "--catch-up", "--date", DAY).status == 0
    assert ledger(DAY) == ["Add day4"]
    assert "leave out --partial" in command("run", "--catch-up", "--partial").err


@pytest.mark.usefixtures("clone")
def test_a_day_that_cannot_be_published_does_not_stop_the_next(command: Command) -> None:
    command("run", "--date", "2026-02-03")
    Path("gazette/reports/2026-02-04.json").write_text("{}")
    result = command("run", "--catch-up", "--date", "2026-02-06")
    assert result.status == 3
    assert "gitzette: 2026-02-04: 2026-02-04.json" in result.err
    assert ledger("2026-02-06") == ["Add day6"]
    assert Path("gazette/reports/2026-02-04.json").read_text() == "{}"


def test_commits_outside_the_chosen_paths_are_listed_folded_and_counted(
    tmp_path: Path, command: Command
) -> None:
    engine = Engine.made(tmp_path / "paths")
    (engine.folder / "src").mkdir()
    (engine.folder / "docs").mkdir()
    for name in ("src/engine", "docs/guide"):
        engine.commit(f"Add {name}", datetime(2026, 2, 4, 11, tzinfo=UTC), **{name: "x = 1\n"})
    Path("gitzette.toml").write_text(
        f'[[repos]]\nname = "acme/engine"\npath = "{engine.folder}"\ninclude = ["src/**"]\n'
    )
    assert command("run", "--date", DAY).status == 0
    rows = json.loads(Path(f"gazette/reports/{DAY}.json").read_text())["ledger"]
    folded = {row["subject"]: row["noise"] for row in rows}
    assert folded == {"Add docs/guide": "left out", "Add src/engine": None}
    page = Path(f"gazette/reports/{DAY}.md").read_text()
    # What the configuration said then is part of the run: it is not asked again.
    Path("gitzette.toml").unlink()
    (run,) = command("runs", "--json").data
    assert command("run", "--replay", run["id"]).out == page
