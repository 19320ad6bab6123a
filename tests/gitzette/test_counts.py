"""What a report counts is what a reader would count."""

from datetime import UTC, datetime
from pathlib import Path

from tests.gitzette.conftest import Command
from tests.made_repos import Work

DAY = datetime(2026, 2, 4, tzinfo=UTC)
OLD = "".join(f"step_{number}()\n" for number in range(20))


def page_of(command: Command, work: Work) -> str:
    result = command("run", "--repo", f"acme/engine={work.path}", "--date", "2026-02-04")
    assert result.status == 0, result.err
    return Path(result.out.strip().splitlines()[-1]).read_text("utf-8")


def test_a_file_that_two_commits_change_or_rename_is_counted_once(
    tmp_path: Path, command: Command
) -> None:
    work = Work(tmp_path / "engine")
    work.commit("Begin", {"router.py": OLD, "clock.py": "NOW = 0\n"}, at=DAY.replace(day=1, hour=9))
    changed = OLD.replace("step_3", "step_three")
    work.commit("Rename a step", {"router.py": changed}, at=DAY.replace(hour=8))
    moved = {"router.py": None, "routes.py": changed.encode()}
    work.commit("Move it", moved, at=DAY.replace(hour=9))
    again = changed.replace("step_5", "step_five")
    files = {"routes.py": again, "clock.py": "NOW = 1\n"}
    work.commit("Rename another step", files, at=DAY.replace(hour=10))
    page = page_of(command, work)
    assert "3 commits on `main`" in page
    assert "files changed: 2, lines: +3 −3." in page


def test_what_an_image_installs_is_no_new_dependency_of_the_project(
    tmp_path: Path, command: Command
) -> None:
    work = Work(tmp_path / "engine")
    work.commit("Begin", {"Dockerfile": "FROM python:3.13\n"}, at=DAY.replace(day=1, hour=9))
    image = "FROM python:3.13\nRUN apt-get install -y git && pip install ninja flashinfer==0.6.7\n"
    files = {"Dockerfile": image, "requirements.txt": "numpy>=2\n"}
    work.commit("Build wheels in the image", files, at=DAY.replace(hour=9))
    page = page_of(command, work)
    assert "New dependency `numpy`" in page
    assert "`ninja`" not in page
    assert "`flashinfer`" not in page
