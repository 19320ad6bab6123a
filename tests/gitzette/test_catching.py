"""Running by itself: missed days, and reports that failed for the most part."""

import json
import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gitzette.cli import main
from tests.gitzette.conftest import Engine

pytestmark = pytest.mark.usefixtures("corner")

DAY = "2026-02-04"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository in which something landed on the third, fourth and sixth of February."""
    engine = Engine.made(tmp_path / "engine")
    for day in (3, 4, 6):
        engine.commit(f"Add day{day}", datetime(2026, 2, day, 10, tzinfo=UTC), **{f"day{day}": f"{day}\n"})
    return engine.folder


@pytest.fixture
def configured(clone: Path, corner: Path) -> Path:
    del corner
    Path("gitzette.toml").write_text(f'repos = ["acme/engine={clone}"]\n')
    return clone


def reports() -> list[str]:
    return sorted(file.stem for file in Path("gazette/reports").glob("*.json"))


def ledger(day: str) -> list[str]:
    return [row["subject"] for row in json.loads(Path(f"gazette/reports/{day}.json").read_text())["ledger"]]


@pytest.mark.usefixtures("configured")
def test_every_missed_day_gets_its_own_report_oldest_first(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--date", "2026-02-03"])
    capsys.readouterr()
    assert main(["run", "--catch-up", "--date", "2026-02-06"]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == [f"gazette/reports/2026-02-0{day}.md" for day in (4, 5, 6)]
    assert "to report on: 2026-02-04, 2026-02-05, 2026-02-06 (UTC)" in told.err
    assert reports() == [f"2026-02-0{day}" for day in (3, 4, 5, 6)]
    assert [ledger(f"2026-02-0{day}") for day in (3, 4, 5, 6)] == [
        ["Add day3"],
        ["Add day4"],
        [],
        ["Add day6"],
    ]


@pytest.mark.usefixtures("configured")
def test_when_nothing_is_missed_it_says_so_and_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--date", "2026-02-04"])
    before = Path("gazette/reports/2026-02-04.json").stat().st_mtime_ns
    capsys.readouterr()
    assert main(["run", "--catch-up", "--date", DAY, "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == []
    assert "to report on: nothing (UTC)" in told.err
    assert Path("gazette/reports/2026-02-04.json").stat().st_mtime_ns == before


@pytest.mark.usefixtures("configured")
def test_it_does_not_look_back_for_ever_and_says_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    with Path("gitzette.toml").open("a") as file:
        file.write("catch_up_days = 2\n")
    main(["run", "--date", "2026-02-01"])
    assert main(["run", "--catch-up", "--date", "2026-02-06"]) == 0
    assert reports() == ["2026-02-01", "2026-02-05", "2026-02-06"]
    assert "3 days since 2026-02-02 are older than catch_up_days" in capsys.readouterr().err


def test_a_report_that_failed_for_the_most_part_leaves_the_front_page_to_the_last_good_one(configured: Path) -> None:
    main(["run", "--date", "2026-02-03"])
    configured.rename(configured.with_name("away"))
    assert main(["run", "--catch-up", "--date", DAY]) == 3
    page = Path(f"gazette/reports/{DAY}.md").read_text()
    assert "> [!WARNING]\n> This report is not complete." in page
    front = Path("gazette/README.md").read_text()
    assert "Too much is missing from the report of [2026-02-04](reports/2026-02-04.md)" in front
    assert "Add day3" in front


def test_what_an_outage_took_from_the_last_day_is_tried_again_and_older_gaps_of_that_kind_are_not(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path / "side")], check=True)
    Path("gitzette.toml").write_text(f'repos = ["acme/engine={clone}", "acme/side={tmp_path}/side"]\n')
    main(["run", "--date", "2026-02-03"])
    (tmp_path / "side").rename(tmp_path / "away")
    assert main(["run", "--catch-up", "--date", DAY]) == 3
    assert main(["run", "--catch-up", "--date", DAY]) == 3
    (tmp_path / "away").rename(tmp_path / "side")
    capsys.readouterr()
    assert main(["run", "--catch-up", "--date", "2026-02-05"]) == 0
    assert "to report on: 2026-02-05 (UTC)" in capsys.readouterr().err
    assert main(["run", "--catch-up", "--date", DAY]) == 0
    assert json.loads(Path(f"gazette/reports/{DAY}.json").read_text())["failures"] == []


@pytest.mark.usefixtures("configured")
def test_a_day_read_before_it_was_over_is_read_again() -> None:
    today = datetime.now(UTC).date()
    main(["run", "--date", "today", "--partial"])
    record = Path(f"gazette/reports/{today}.json")
    assert json.loads(record.read_text())["window"]["cutoff"] is not None
    # The file of today as it will be found tomorrow.
    day = date.fromisoformat(DAY)
    data = record.read_text().replace(str(today), DAY).replace(str(today + timedelta(days=1)), str(day + timedelta(1)))
    record.with_name(f"{DAY}.json").write_text(data)
    record.unlink()
    assert main(["run", "--catch-up", "--date", DAY]) == 0
    assert ledger(DAY) == ["Add day4"]


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("other", [["--since", DAY], ["--partial"], ["--demo"], ["--replay", "x"], ["--resume"]])
def test_other_ways_to_choose_a_window_are_refused(other: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--catch-up", *other]) == 2
    assert f"leave out {other[0]}" in capsys.readouterr().err
