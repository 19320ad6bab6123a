"""A bug that strikes in one repository: the others are published, and the traceback is found in a log."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.gitzette.conftest import SourceTree

ROUTEKIT, SWIFTSERVE, TENSORFORGE = (
    "lumen-ai/routekit",
    "lumen-ai/swiftserve",
    "lumen-ai/tensorforge",
)
SECRET = "words of /home/somebody that no page may show"


class Bug(NamedTuple):
    """A line of the program, and when an error is raised in front of it."""

    file: str
    line: str
    condition: str

    def plant(self, tree: SourceTree) -> None:
        indent = " " * (len(self.line) - len(self.line.lstrip()))
        error = f"{indent}if {self.condition}:\n{indent}    raise KeyError({SECRET!r})\n"
        tree.replace(self.file, self.line, error + self.line)


LISTING = Bug(
    "graphs/collecting.py",
    '    runtime.stream_writer(Step(repo, "listing commits"))\n',
    f"repo == {ROUTEKIT!r}",
)
READING = Bug(
    "graphs/repository.py",
    '    shas = state["share"].deep\n',
    f"repo == {SWIFTSERVE!r}",
)
CONNECTING = Bug("graphs/daily.py", "    specs = [spec for spec in state[", "True")
WRITING = Bug(
    "graphs/writing.py",
    "    written_subjects = await subjects(state, context)\n",
    f"any(task.repo in (None, {ROUTEKIT!r}) for task in state['tasks'])",
)


@pytest.mark.parametrize(
    ("bugs", "options", "failures", "covered"),
    [
        (
            [LISTING, READING, CONNECTING],
            ["--analyst", "rules"],
            {(ROUTEKIT, "code"), (SWIFTSERVE, "code"), (None, "connections")},
            {TENSORFORGE},
        ),
        (
            [WRITING],
            [],
            {(ROUTEKIT, "analysis"), (None, "brief")},
            {ROUTEKIT, SWIFTSERVE, TENSORFORGE},
        ),
    ],
    ids=["code", "analysis"],
)
def test_an_unexpected_error_costs_its_own_part_and_its_traceback_is_in_the_log(
    bugs: list[Bug],
    options: list[str],
    failures: set[tuple[str | None, str]],
    covered: set[str],
    source_tree: SourceTree,
    corner: Path,
) -> None:
    for bug in bugs:
        bug.plant(source_tree)
    told = source_tree.run_demo("--json", *options)
    assert told.status == 3
    assert "Traceback" not in told.err
    assert {(one["repo"], one["stage"]) for one in told.data["failures"]} == failures
    assert all("unexpected KeyError" in one["message"] for one in told.data["failures"])
    assert {section["repo"] for section in told.data["sections"]} == covered
    assert {row["repo"] for row in told.data["ledger"]} == covered
    (log,) = re.findall(r"what went wrong is in (\S+)", told.err)
    assert Path(log).read_text("utf-8").count(SECRET) >= len(failures)
    assert Path(log).is_relative_to(corner)
    assert Path(log).stat().st_mode & 0o077 == 0
    pages = [*(source_tree.root / "gazette-demo").rglob("*.*")]
    assert len(pages) >= 3
    assert not [page for page in pages if SECRET in page.read_text("utf-8")]
    assert "unexpected KeyError" in (source_tree.root / "gazette-demo/README.md").read_text("utf-8")
