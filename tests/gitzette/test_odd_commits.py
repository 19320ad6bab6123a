"""Commits that are out of the ordinary: each is told rightly, and none ends a run or a question."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.gitzette.conftest import Command
from tests.made_repos import Work

DAY = "2026-02-04"
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
BEFORE = datetime(2026, 2, 1, tzinfo=UTC)


def repo_of(work: Work) -> list[str]:
    """Return the option that names the repository."""
    return ["--repo", f"acme/engine={work.path}"]


def page_of(work: Work, command: Command, status: int = 0) -> str:
    """Report on the day and return the page."""
    told = command("run", "--date", DAY, *repo_of(work))
    assert told.status == status, told.err
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
    asked = command("ask", "is:breaking", *repo_of(work), *span)
    assert (asked.status, "Traceback" in asked.err) == (0, False), asked.err
    facts = command("facts", sha, *repo_of(work), "--json").data["facts"]
    assert {fact["kind"] for fact in facts} == {"code-changed"}
    assert "new parameter" not in page_of(work, command)


@pytest.mark.parametrize("files", [1, 30, 90])
def test_all_functions_that_go_are_counted_however_many_files_they_were_in(
    work: Work, command: Command, files: int
) -> None:
    each = 90 // files
    old = {
        f"engine/part_{number}.py": "".join(
            f"def step_{number}_{index}(value):\n    return value + {index}\n\n\n"
            for index in range(each)
        )
        for number in range(files)
    }
    kept = "def stay(value):\n    return value\n"
    work.commit("Begin", {path: text + kept for path, text in old.items()}, at=BEFORE)
    sha = work.commit("Remove the steps", dict.fromkeys(old, kept), at=NOON)
    page = page_of(work, command)
    assert "and 85 more are removed" in page
    names = "`, `".join(f"step_0_{index}" for index in range(5))
    assert files > 1 or f"The functions `{names}` and 85 more are removed." in page
    data = json.loads(Path(f"gazette/reports/{DAY}.json").read_text("utf-8"))
    assert [row["sha"] for row in data["ledger"]] == [sha]


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
    data = json.loads(Path(f"gazette/reports/{DAY}.json").read_text("utf-8"))
    assert [row["noise"] for row in data["ledger"]] == [None]


def test_what_is_only_laid_out_anew_is_folded_as_formatting(work: Work, command: Command) -> None:
    text = ROUTER.format(limit=3, indent=" " * 12)
    work.commit("Begin", {"engine/router.py": text, "tests/test_router.py": text}, at=BEFORE)
    tidy = text.replace("limit = 3", "limit  =  3").replace("send(request)", "send( request )")
    work.commit("Tidy up", {"engine/router.py": tidy, "tests/test_router.py": tidy}, at=NOON)
    page_of(work, command)
    data = json.loads(Path(f"gazette/reports/{DAY}.json").read_text("utf-8"))
    assert [row["noise"] for row in data["ledger"]] == ["formatting"]
