"""A bug that strikes in one repository: the others are published, and the traceback is found in a log."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

from graphs import collecting, daily, relating, repository, writing
from tests.gitzette.conftest import Command

FERRULE = "quillon/ferrule"
LARKSERVE = "quillon/larkserve"
WAYFINCH = "quillon/wayfinch"
SECRET = "words of /home/somebody that no page may show"


class Bug(NamedTuple):
    """A line of a function, and when an error is raised in front of it."""

    function: Callable[..., Any]
    line: str
    condition: str

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put the function with the bug into the place of the one without, wherever it is used."""
        function = inspect.unwrap(self.function)
        assert isinstance(function, FunctionType)
        file = Path(function.__code__.co_filename)
        source = file.read_text("utf-8")
        start = source.index(self.line, source.index(f"async def {function.__name__}("))
        indent = " " * (len(self.line) - len(self.line.lstrip()))
        error = f"{indent}if {self.condition}:\n{indent}    raise KeyError({SECRET!r})\n"
        module = compile(source[:start] + error + source[start:], str(file), "exec")
        (code,) = (
            constant
            for constant in module.co_consts
            if isinstance(constant, CodeType) and constant.co_name == function.__name__
        )
        monkeypatch.setattr(function, "__code__", code)


LISTING = Bug(
    collecting.list_commits,
    '    runtime.stream_writer(Step(repo, "listing commits"))\n',
    f"repo == {WAYFINCH!r}",
)
READING = Bug(
    repository.study,
    '    shas = state["share"].deep\n',
    f"repo == {LARKSERVE!r}",
)
LOOKING_BACK = Bug(
    repository.connect,
    "    material = await read_material(state, context)\n",
    f"state['spec'].name == {LARKSERVE!r}",
)
RELATING = Bug(relating.relate, "    if context.models is None:\n", f"repo == {FERRULE!r}")
CONNECTING = Bug(daily.connect, "    specs = [spec for spec in state[", "True")
WRITING = Bug(
    writing.write,
    "    targets = await writing_targets(state, context)\n",
    f"any(task.repo in (None, {WAYFINCH!r}) for task in state['tasks'])",
)


@pytest.mark.parametrize(
    ("bugs", "options", "failures", "covered"),
    [
        (
            [LISTING, READING, CONNECTING],
            ["--analyst", "rules", "--date", "2026-02-03"],
            {(WAYFINCH, "code"), (LARKSERVE, "code"), (None, "connections")},
            {FERRULE},
        ),
        (
            [LOOKING_BACK, RELATING, WRITING],
            [],
            {
                (LARKSERVE, "relations"),
                (FERRULE, "relations"),
                (WAYFINCH, "analysis"),
                (None, "brief"),
            },
            {WAYFINCH, LARKSERVE, FERRULE},
        ),
    ],
    ids=["code", "relations and analysis"],
)
def test_an_unexpected_error_costs_its_own_part_and_its_traceback_is_in_the_log(
    bugs: list[Bug],
    options: list[str],
    failures: set[tuple[str | None, str]],
    covered: set[str],
    command: Command,
    corner: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for bug in bugs:
        bug.plant(monkeypatch)
    result = command("run", "--demo", "--json", *options)
    assert result.status == 3
    assert "Traceback" not in result.err
    assert {(failure["repo"], failure["stage"]) for failure in result.data["failures"]} == failures
    assert all("unexpected KeyError" in failure["message"] for failure in result.data["failures"])
    assert {section["repo"] for section in result.data["sections"]} == covered
    assert {row["repo"] for row in result.data["ledger"]} == covered
    (log,) = re.findall(r"what went wrong is in (\S+)", result.err)
    assert Path(log).read_text("utf-8").count(SECRET) >= len(failures)
    assert Path(log).is_relative_to(corner)
    assert Path(log).stat().st_mode & 0o077 == 0
    pages = [*Path("gazette-demo").rglob("*.*")]
    assert len(pages) >= 3
    assert not [page for page in pages if SECRET in page.read_text("utf-8")]
    assert "unexpected KeyError" in Path("gazette-demo/README.md").read_text("utf-8")
