"""Publishing: files that are whole or as they were, merged, listed, and never somebody else's."""

import multiprocessing
import os
import resource
from datetime import date
from pathlib import Path

import pytest

from agent.browser_urls import Web
from agent.domain.base import RepoId
from agent.domain.commits import Landed
from agent.domain.errors import StorageError
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.reports.chapter import ledger_row
from agent.reports.report_json import load
from agent.settings.values import Settings
from agent.triage.collected_commits import UnreadCommit
from gitzette.file_publisher import FilePublisher
from tests.made_commits import made_commit

WEB = Web("https://github.com")


def day(text: str, tz: str = "UTC") -> Window:
    return Window.days(date.fromisoformat(text), date.fromisoformat(text), tz)


def report(window: Window, subject: str = "Speed up", repo: str = "octo/router") -> Report:
    name = RepoId(repo)
    commit = made_commit(subject, repo=repo, committed_at=window.start)
    row = ledger_row(
        Landed(commit=commit, members=0),
        UnreadCommit(depth="list", reason="subject only"),
        late=False,
        pull=None,
    )
    section = RepoSection(repo=name, branch="main", tip="a" * 40, coverage="read")
    return Report(window=window, repos=(name,), sections=(section,), ledger=(row,))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "gazette"


@pytest.fixture
def publisher(out: Path) -> FilePublisher:
    return FilePublisher(out, Settings(), WEB)


def files(out: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(out)): file.read_bytes()
        for file in sorted(out.rglob("*"))
        if file.is_file()
    }


def archive(out: Path) -> list[str]:
    tail = (out / "README.md").read_text("utf-8").split("## Archive", 1)[1]
    return [line.split("](")[1].rstrip(")") for line in tail.splitlines() if line.startswith("- [")]


def refusal(publisher: FilePublisher, new_report: Report) -> str:
    with pytest.raises(StorageError) as refused:
        publisher.publish(new_report)
    assert len(str(refused.value).splitlines()) == 1
    return str(refused.value)


def test_a_report_is_a_page_a_record_and_the_front_page_and_again_touches_none(
    out: Path, publisher: FilePublisher
) -> None:
    new_report = report(day("2026-02-04"), "Speed up the router")
    assert publisher.publish(new_report) == new_report
    assert list(files(out)) == ["README.md", "reports/2026-02-04.json", "reports/2026-02-04.md"]
    page, record = publisher.paths(new_report)
    assert "Speed up the router" in page.read_text("utf-8")
    assert load(record.read_bytes(), record.name) == new_report
    assert page.read_text("utf-8") in (out / "README.md").read_text("utf-8")
    before = files(out)
    for name in before:
        os.utime(out / name, (1_000_000, 1_000_000))
    publisher.publish(new_report)
    assert files(out) == before
    assert {(out / name).stat().st_mtime for name in before} == {1_000_000}


def test_the_front_page_lists_our_reports_newest_first_and_files_of_others_are_left_alone(
    out: Path, publisher: FilePublisher
) -> None:
    (out / "reports").mkdir(parents=True)
    others = (
        "2026-02-09-1.json",
        "2026-02-09.old.json",
        "notes.json",
        "2027-01-01.md",
        ".2026-02-10.json.x1",
    )
    for name in others:
        (out / "reports" / name).write_text("mine")
    for text in ("2026-02-04", "2026-02-06", "2026-01-31", "2026-02-05"):
        publisher.publish(report(day(text), f"Change of {text}"))
    front = (out / "README.md").read_text("utf-8")
    assert "Change of 2026-02-06" in front
    assert "Change of 2026-02-05" not in front
    assert archive(out) == [
        f"reports/{text}.md" for text in ("2026-02-06", "2026-02-05", "2026-02-04", "2026-01-31")
    ]
    assert {(out / "reports" / name).read_text() for name in others} == {"mine"}


def test_a_readme_of_somebody_else_is_refused_before_anything_is_written(
    out: Path, publisher: FilePublisher
) -> None:
    out.mkdir()
    (out / "README.md").write_bytes(b"# My project \xff\n")
    assert "was not written by gitzette and is left alone" in refusal(
        publisher, report(day("2026-02-04"))
    )
    assert files(out) == {"README.md": b"# My project \xff\n"}


def test_another_window_of_the_same_name_is_refused_and_the_first_one_kept(
    out: Path, publisher: FilePublisher
) -> None:
    publisher.publish(report(day("2026-02-04")))
    before = files(out)
    assert "already holds" in refusal(publisher, report(day("2026-02-04", "Asia/Shanghai")))
    assert files(out) == before


def test_a_damaged_record_stops_the_run_before_anything_is_written(
    out: Path, publisher: FilePublisher
) -> None:
    publisher.publish(report(day("2026-02-04"), "First"))
    publisher.publish(report(day("2026-02-06"), "Last"))
    (out / "reports" / "2026-02-06.json").write_bytes(b"\xff\xfe")
    before = files(out)
    assert refusal(publisher, report(day("2026-02-04"), "Second")).startswith("2026-02-06.json ")
    assert files(out) == before


def test_a_write_that_fails_leaves_the_old_files_and_nothing_else(
    out: Path, publisher: FilePublisher
) -> None:
    publisher.publish(report(day("2026-02-04"), "First"))
    before = files(out)
    # A folder in the place of the page: it can be neither replaced nor read.
    page = out / "reports" / "2026-02-05.md"
    page.mkdir()
    assert refusal(publisher, report(day("2026-02-05"), "Second")).startswith(
        f"cannot write to {out}: "
    )
    page.rmdir()
    assert files(out) == before


def _publish_within(out: Path, new_report: Report, largest_file: int) -> None:
    """Publish where no file may grow beyond a size, which is what a full disk looks like."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    with pytest.raises(StorageError, match="cannot write to"):
        FilePublisher(out, Settings(languages=("en", "zh")), WEB).publish(new_report)


def test_a_disk_that_fills_up_while_one_of_the_files_is_written_leaves_none_of_them(
    tmp_path: Path,
) -> None:
    first = report(day("2026-02-04"), "First")
    second = report(day("2026-02-05"), "Second")
    publisher_with_room = FilePublisher(tmp_path / "room", Settings(), WEB)
    publisher_with_room.publish(second)
    page, record = (file.stat().st_size for file in publisher_with_room.paths(second))
    out = tmp_path / "full"
    FilePublisher(out, Settings(), WEB).publish(first)
    before = files(out)
    # The page fits, the record does not.
    assert page + 500 < record
    run = multiprocessing.get_context("fork").Process(
        target=_publish_within, args=(out, second, page + 500)
    )
    run.start()
    run.join(60)
    assert run.exitcode == 0
    assert files(out) == before


def test_further_languages_and_the_layout_are_those_of_the_run(out: Path) -> None:
    FilePublisher(out, Settings(), WEB).publish(report(day("2026-02-03")))
    style = Settings(languages=("zh", "en"), layout="ledger")
    FilePublisher(out, style, WEB).publish(report(day("2026-02-04")))
    assert list(files(out)) == [
        "README.md",
        *(f"reports/2026-02-03.{end}" for end in ("json", "md")),
        *(f"reports/2026-02-04.{end}" for end in ("json", "md", "zh.md")),
    ]
    assert "全部提交" in (out / "reports/2026-02-04.zh.md").read_text("utf-8")
    assert "All commits" in (out / "reports/2026-02-04.md").read_text("utf-8")
    front = (out / "README.md").read_text("utf-8")
    assert "- [2026-02-04](reports/2026-02-04.md) · [zh](reports/2026-02-04.zh.md)\n" in front
    assert "- [2026-02-03](reports/2026-02-03.md)\n" in front


def _publish(out: Path, repo: str, gate: "multiprocessing.synchronize.Barrier") -> None:
    gate.wait(30)
    FilePublisher(out, Settings(), WEB).publish(report(day("2026-02-04"), repo=repo))


def test_runs_that_publish_at_the_same_moment_lose_nothing(out: Path) -> None:
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(4)
    names = [f"octo/r{number}" for number in range(4)]
    runs = [context.Process(target=_publish, args=(out, name, gate)) for name in names]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert [run.exitcode for run in runs] == [0] * 4
    assert sorted(load((out / "reports/2026-02-04.json").read_bytes(), "x").repos) == names
    assert list(files(out)) == ["README.md", "reports/2026-02-04.json", "reports/2026-02-04.md"]
