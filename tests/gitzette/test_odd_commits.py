"""Commits that are out of the ordinary: each is told rightly, and none ends a run or a question."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.gitzette.conftest import Command
from tests.made_repos import Work

DAY = "2026-02-04"
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
BEFORE = datetime(2026, 2, 1, tzinfo=UTC)


def repo_of(work: Work) -> list[str]:
    """Return the option that names the repository."""
    return ["--repo", f"acme/engine={work.path}"]


def data_of() -> Any:
    """Return the report of the day as data."""
    return json.loads(Path(f"gazette/reports/{DAY}.json").read_text("utf-8"))


def page_of(work: Work, command: Command, status: int = 0) -> str:
    """Report on the day and return the page."""
    result = command("run", "--date", DAY, *repo_of(work))
    assert result.status == status, result.err
    return Path(f"gazette/reports/{DAY}.md").read_text("utf-8")


# ---------------------------------------------------------------- facts


def header(helper: str) -> str:
    """Return a header of four functions with this line in the middle of their long bodies."""
    pieces = []
    for number in range(4):
        lines = "".join(f"  total += {line};\n" for line in range(12))
        pieces.append(
            f"inline int run_{number}(int total) {{\n{lines}{helper}{lines}  return total;\n}}\n"
        )
    return "\n".join(pieces)


def test_parameters_of_functions_without_a_name_are_no_facts_and_end_no_question(
    work: Work, command: Command
) -> None:
    work.commit("Begin", {"include/engine.h": header("")}, at=BEFORE)
    helper = "  auto launch = [&](auto kernel, auto... m) { return kernel(total, m...); };\n"
    sha = work.commit("Launch kernels", {"include/engine.h": header(helper)}, at=NOON)
    span = ["--since", "2026-02-01", "--until", "2026-02-06"]
    answer = command("ask", "is:breaking", *repo_of(work), *span)
    assert (answer.status, "Traceback" in answer.err) == (0, False), answer.err
    facts = command("facts", sha, *repo_of(work), "--json").data["facts"]
    assert {fact["kind"] for fact in facts} == {"code-changed"}
    assert "new parameter" not in page_of(work, command)


@pytest.mark.parametrize("title", ["Reland (#5)", 'Revert "" (#5)'])
def test_a_title_that_takes_back_or_brings_back_nothing_by_name_is_no_fact(
    work: Work, command: Command, title: str
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    sha = work.commit(title, {"limits.py": "MAX_ROUTES = 4\n"}, at=NOON)
    facts = command("facts", sha, *repo_of(work), "--json").data["facts"]
    assert [fact["name"] for fact in facts] == ["MAX_ROUTES"]
    assert "`MAX_ROUTES` changes from `8` to `4`." in page_of(work, command)


@pytest.mark.parametrize("files", [1, pytest.param(30, marks=pytest.mark.heavy), 90])
def test_all_functions_that_go_are_counted_however_many_files_they_were_in(
    work: Work, command: Command, files: int
) -> None:
    each = 90 // files
    old: dict[str, str] = {}
    for number in range(files):
        functions = [
            f"def step_{number}_{index}(value):\n    return value + {index}\n\n\n"
            for index in range(each)
        ]
        old[f"engine/part_{number}.py"] = "".join(functions)
    old["engine/__init__.py"] = "".join(
        f"from .part_{number} import *\n" for number in range(files)
    )
    kept = "def stay(value):\n    return value\n"
    work.commit("Begin", {path: text + kept for path, text in old.items()}, at=BEFORE)
    parts = [path for path in old if "part_" in path]
    sha = work.commit("Remove the steps", dict.fromkeys(parts, kept), at=NOON)
    page = page_of(work, command)
    assert "and 85 more are removed" in page
    names = "`, `".join(f"step_0_{index}" for index in range(5))
    assert files > 1 or f"The functions `{names}` and 85 more are removed." in page
    assert [row["sha"] for row in data_of()["ledger"]] == [sha]


ROUTER = '''class Router:
    """Routes requests.

    It tries several times,
    and then gives up.
    """
    limit = {limit}
    def route(self, request):
        """
        Send a request
        to the next free worker.
        """
        log(request)
        if request.ok:
            send(request)
{indent}count(request)
'''


@pytest.mark.parametrize(
    "changed",
    [
        # Between the two triple quotes of its hunk, the changed line looks like a string.
        pytest.param({"limit": "5"}, id="a hunk that begins inside of a docstring"),
        pytest.param({"indent": " " * 8}, id="a statement that leaves its block"),
    ],
)
def test_a_change_of_behaviour_is_never_folded_as_formatting(
    work: Work, command: Command, changed: dict[str, str]
) -> None:
    old = {"limit": "3", "indent": " " * 12}
    work.commit("Begin", {"engine/router.py": ROUTER.format(**old)}, at=BEFORE)
    sha = work.commit("Tidy up", {"engine/router.py": ROUTER.format(**old | changed)}, at=NOON)
    page = page_of(work, command)
    assert "only formatting" not in page
    assert "only comments" not in page
    facts = command("facts", sha, *repo_of(work), "--json").data["facts"]
    assert not {"only-formatting", "only-comments"} & {fact["kind"] for fact in facts}
    assert [row["noise"] for row in data_of()["ledger"]] == [None]


def test_what_is_only_laid_out_anew_is_folded_as_formatting(work: Work, command: Command) -> None:
    text = ROUTER.format(limit=3, indent=" " * 12)
    work.commit("Begin", {"engine/router.py": text, "tests/test_router.py": text}, at=BEFORE)
    tidy = text.replace("limit = 3", "limit  =  3").replace("send(request)", "send( request )")
    work.commit("Tidy up", {"engine/router.py": tidy, "tests/test_router.py": tidy}, at=NOON)
    page_of(work, command)
    assert [row["noise"] for row in data_of()["ledger"]] == ["formatting"]


# ---------------------------------------------------------------- messages


@pytest.mark.parametrize(
    "message",
    [
        "",
        pytest.param(" ", marks=pytest.mark.heavy),
        " \n\n  \n",
        pytest.param("\n\n", marks=pytest.mark.heavy),
    ],
)
def test_a_commit_without_a_message_is_told_like_any_other(
    work: Work, command: Command, message: str
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    sha = work.commit(message, {"limits.py": "MAX_ROUTES = 4\n"}, at=NOON)
    page = page_of(work, command)
    assert "1 commit landed" in page
    assert "(no message)" in page
    assert "`MAX_ROUTES` changes from `8` to `4`." in page
    (row,) = data_of()["ledger"]
    assert (row["sha"], row["title"]) == (sha, "")
    assert command("run", "--date", DAY, "--lang", "zh", "--out", "zh", *repo_of(work)).status == 0
    assert "（无提交说明）" in Path(f"zh/reports/{DAY}.md").read_text("utf-8")
    assert command("site", "--out", "gazette").status == 0
    site = Path("gazette/site")
    assert "(no message)" in (site / f"en/days/{DAY}.html").read_text("utf-8")
    assert "（无提交说明）" in (site / f"zh/days/{DAY}.html").read_text("utf-8")
    assert "(no message)" in command("facts", sha, *repo_of(work)).out
    answer = command("ask", "MAX_ROUTES", *repo_of(work), "--since", DAY, "--until", "2026-02-05")
    assert answer.status == 0, answer.err
    assert f"`acme/engine@{sha[:7]}`" in answer.out or sha[:7] in answer.out
    assert "(no message)" in answer.out


def test_a_title_of_a_megabyte_makes_no_page_of_megabytes_and_can_still_be_found(
    work: Work, command: Command
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    title = "Lower the limit of routes " + "again and again " * 70_000
    sha = work.commit(f"{title}(#9)", {"limits.py": "MAX_ROUTES = 4\n"}, at=NOON)
    page = page_of(work, command)
    assert "Lower the limit of routes again and again" in page
    assert "again …" in page
    (row,) = data_of()["ledger"]
    assert (row["sha"], row["title"][:25]) == (sha, title[:25])
    assert command("site", "--out", "gazette").status == 0
    assert command("facts", sha, *repo_of(work)).status == 0
    answer = command(
        "ask", "limit of routes", *repo_of(work), "--since", DAY, "--until", "2026-02-05"
    )
    assert answer.status in (0, 4)
    assert len(answer.out) < 10_000
    largest = max(file.stat().st_size for file in Path("gazette").rglob("*") if file.is_file())
    assert largest < 100_000


# ---------------------------------------------------------------- counting

LOSING_GIT = """#!/bin/sh
case "$*" in
*"rev-list --count"*) echo $(($({git} "$@") + 1)) ;;
*) exec {git} "$@" ;;
esac
"""
SPOILING_GIT = """#!/bin/sh
case "$*" in
*--first-parent*--no-patch* | *--no-patch*--first-parent*) {git} "$@" | sed 's/Ada\\x00/Ada/' ;;
*) exec {git} "$@" ;;
esac
"""


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        (LOSING_GIT, "git log lists 1 and git rev-list counts 2 commits of 2026-02-04"),
        (SPOILING_GIT, "a commit that cannot be read, '{sha}',"),
    ],
)
def test_commits_that_git_counts_and_we_cannot_list_are_a_failure_that_is_named(
    work: Work,
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    failure: str,
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    sha = work.commit("Lower the limit", {"limits.py": "MAX_ROUTES = 4\n"}, at=NOON)
    program = shutil.which("git")
    assert program is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(script.format(git=program))
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    page = page_of(work, command, status=3)
    text = failure.format(sha=sha)
    assert f"acme/engine: some commits may be missing: `{text}" in page
    assert text in [
        failed["message"] for failed in data_of()["failures"] if failed["stage"] == "commits"
    ]


# ---------------------------------------------------------------- dates


FAR = datetime(2099, 1, 1, tzinfo=UTC)


def test_a_commit_dated_2099_is_told_on_the_day_on_which_it_landed(
    work: Work, command: Command
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    work.commit("Before it", {"other.py": "SIZE = 1\n"}, at=NOON)
    sha = work.commit("From the future", {"limits.py": "MAX_ROUTES = 4\n"}, at=FAR)
    work.commit("After it", {"other.py": "SIZE = 2\n"}, at=NOON + timedelta(days=1))
    page = page_of(work, command)
    assert "From the future" in page
    assert "`MAX_ROUTES` changes from `8` to `4`." in page
    assert f"`{sha[:12]}` is dated `2099-01-01`, in the future" in page
    assert {row["title"]: row["late"] for row in data_of()["ledger"]} == {
        "Before it": False,
        "From the future": True,
    }
    # No other day tells it.
    for day in ("2026-02-01", "2026-02-05"):
        result = command("run", "--date", day, *repo_of(work))
        assert result.status == 0
        assert "From the future" not in Path(f"gazette/reports/{day}.md").read_text("utf-8")


def test_a_commit_dated_2099_on_top_of_an_old_one_is_told_by_the_first_report_that_sees_it(
    work: Work, command: Command
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    assert command("run", "--date", "2026-02-03", *repo_of(work)).status == 0
    sha = work.commit("From the future", {"limits.py": "MAX_ROUTES = 4\n"}, at=FAR)
    assert "From the future" in page_of(work, command)
    assert [(row["sha"], row["late"]) for row in data_of()["ledger"]] == [(sha, True)]
    assert command("run", "--date", "2026-02-05", *repo_of(work)).status == 0
    assert sha[:7] not in Path("gazette/reports/2026-02-05.md").read_text("utf-8")


def test_where_nobody_can_say_when_a_commit_dated_2099_landed_it_is_named(
    work: Work, command: Command
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    sha = work.commit("From the future", {"limits.py": "MAX_ROUTES = 4\n"}, at=FAR)
    page = page_of(work, command)
    assert f"`{sha[:12]}` is dated `2099-01-01`, in the future; it landed after" in page


# ---------------------------------------------------------------- sizes


def test_a_file_of_nine_megabytes_is_not_read_and_the_page_says_so(
    work: Work, command: Command
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    files = {"limits.py": "MAX_ROUTES = 4\n", "data/table.txt": "value = 123456789\n" * 500_000}
    sha = work.commit("Add a table", files, at=NOON)
    page = page_of(work, command)
    assert "`MAX_ROUTES` changes from `8` to `4`." in page
    assert f"Too large to be read in `{sha[:12]}`: `data/table.txt (9.5 MB)`." in page


@pytest.mark.heavy
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to measure memory")
def test_a_commit_with_fifty_megabytes_of_text_takes_little_memory_and_says_what_was_not_read(
    work: Work, corner: Path
) -> None:
    del corner
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n"}, at=BEFORE)
    text = "".join(f"value_{number:07} = compute(some, other)\n" for number in range(1_350_000))
    files = {"limits.py": "MAX_ROUTES = 4\n", "data/table.txt": text, "engine/table.py": text[:99]}
    sha = work.commit("Add a table", files, at=NOON)
    code = (
        "import re, sys, pathlib\n"
        "from gitzette.cli import main\n"
        "status = main(sys.argv[1:])\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+)', pathlib.Path('/proc/self/status').read_text())\n"
        "print(status, int(peak[1]) // 1000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "--date", DAY, *repo_of(work)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    status, megabytes = map(int, done.stdout.splitlines()[-1].split())
    assert (status, megabytes < 400) == (0, True), (megabytes, done.stderr)
    page = Path(f"gazette/reports/{DAY}.md").read_text("utf-8")
    assert "`MAX_ROUTES` changes from `8` to `4`." in page
    assert f"Too large to be read in `{sha[:12]}`: `data/table.txt (51.3 MB)`." in page
    (row,) = data_of()["ledger"]
    assert row["additions"] == 1_350_000 + 4
