"""What an audit makes of flat lists, in which remarks follow the entry that they are about."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
TOOLS = ("acme/tools",)
_ENTRIES = """# acme/tools, 2026-03-12 (UTC)

## acme/tools

Commits:
- Add a guard (#3) [`<guard>`](<guard:url>), Ada Lovelace
- Turn the guard round (#4) [`<turn>`](<turn:url>), Brian K. Ryu; only `tools/guard.py`
- Move helpers (#7) [`<move>`](<move:url>){0}
- Revert "Turn the guard round" (#8) [`<undo>`](<undo:url>), Chris P
- Read the level from outside (#9) [`<level>`](<level:url>), Brian K. Ryu
- Check the type (#21) [`<check>`](<check:url>), Ada Lovelace
{1}
"""


async def _reasons(audit: Audit, signed: str = "", remark: str = "") -> list[str]:
    outcome = await audit(_ENTRIES.format(signed, remark), repos=TOOLS)
    return list(outcome.reasons())


@pytest.mark.parametrize(
    ("signed", "wrong"),
    [
        (", Ada Lovelace, only two files", []),
        (", Chris P, only two files", ["metadata"]),
        (", Helpers, only two files", []),
    ],
)
async def test_who_stands_between_commas_behind_the_link_is_the_author(
    audit: Audit, signed: str, wrong: list[str]
) -> None:
    assert await _reasons(audit, signed=signed) == wrong


@pytest.mark.parametrize(
    ("counts", "wrong"),
    [("1 file, +2/-0", []), ("1 file, +5/-0", ["number"]), ("the helpers, +5/-1", [])],
)
async def test_lines_behind_the_right_number_of_files_are_those_of_the_entry_above(
    audit: Audit, counts: str, wrong: list[str]
) -> None:
    assert await _reasons(audit, remark=f"- Affected: {counts}; the check itself") == wrong


@pytest.mark.parametrize(("line", "wrong"), [("    assert value", []), ("    assert not value.empty()", ["quote"])])
async def test_code_below_a_remark_is_that_of_the_entry_which_it_remarks_on(
    audit: Audit, line: str, wrong: list[str]
) -> None:
    remark = f"- What it does now:\n  ```python\n  def check(value):\n  {line}\n  ```"
    assert await _reasons(audit, remark=remark) == wrong


@pytest.mark.parametrize(("counts", "wrong"), [("+2/-0", []), ("+3/-0", ["number"])])
async def test_line_counts_may_end_a_sentence(audit: Audit, counts: str, wrong: list[str]) -> None:
    outcome = await audit(
        f"# acme/tools, 2026-03-12 (UTC)\n\n- [`<check>`](<check:url>) checks the type: 1 file, {counts}.\n",
        repos=TOOLS,
    )
    assert outcome.reasons() == wrong


async def test_what_a_paragraph_says_before_a_bare_number_is_not_held_to_it(audit: Audit) -> None:
    outcome = await audit(
        "# acme/tools, 2026-03-12 (UTC)\n\n## Summary\n"
        "The report is about 1 project.\nThe level 10 of the API dumps inputs, from 0.6.1 on.\n"
        "The tools took back the guard of #4 at once.\n",
        repos=TOOLS,
    )
    assert outcome.reasons() == []


@pytest.mark.parametrize(("lines", "wrong"), [(11, []), (12, ["number"])])
async def test_lines_that_several_files_have_together_are_added_up(audit: Audit, lines: int, wrong: list[str]) -> None:
    outcome = await audit(
        "# acme/tools, 2026-03-12 (UTC)\n\n"
        f"- [`<guard>`](<guard:url>) adds `tools/guard.py` and `tools/helpers.py`, {lines} lines together.\n",
        repos=TOOLS,
    )
    assert outcome.reasons() == wrong


@pytest.mark.parametrize(
    ("title", "who", "wrong"),
    [
        ("Read the level from outside", "Brian K. Ryu", []),
        ("Read the level from outside", "Chris P", ["metadata"]),
        ("Read the label from outside", "Brian K. Ryu", ["metadata"]),
        ("Something that landed nowhere else", "Brian K. Ryu", []),
    ],
)
async def test_a_row_with_a_title_alone_is_that_of_a_commit_of_these_days(
    audit: Audit, title: str, who: str, wrong: list[str]
) -> None:
    table = f"| Author | Commit message |\n|---|---|\n| {who} | {title} |\n"
    outcome = await audit(f"# 2026-03-12 (UTC)\n\n## acme/tools\n\n{table}", repos=TOOLS)
    assert outcome.reasons() == wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("The tools count 6 commits in the period, 3 of them by Ada Lovelace.", []),
        ("The tools count 6 commits in the period, 2 of them by Ada Lovelace.", ["count"]),
        ("当日共 6 个提交，其中 2 个由 Brian K. Ryu 提交。", []),
        ("当日共 6 个提交，其中 3 个由 Brian K. Ryu 提交。", ["count"]),
    ],
)
async def test_how_many_of_them_are_by_somebody_is_counted(audit: Audit, sentence: str, wrong: list[str]) -> None:
    outcome = await audit(f"# acme/tools, 2026-03-12 (UTC)\n\n{sentence}\n", repos=TOOLS)
    assert outcome.reasons() == wrong


@pytest.mark.parametrize(
    ("end", "wrong"), [("and the new guard", []), ("and the new", ["cut-off"]), ("and the new one.", [])]
)
async def test_an_adjective_ends_no_sentence(audit: Audit, end: str, wrong: list[str]) -> None:
    outcome = await audit(
        f"# acme/tools, 2026-03-12 (UTC)\n\n1. The tools are whole.\n2. They have [`<turn>`](<turn:url>), {end}\n",
        repos=TOOLS,
    )
    assert outcome.reasons() == wrong


@pytest.mark.parametrize(("clock", "wrong"), [("13:00:00", False), ("14:30:20", True)])
async def test_a_time_at_the_end_of_a_sentence_is_no_number_of_the_diff(audit: Audit, clock: str, wrong: bool) -> None:
    text = f"> 6 commits on `main`, first `<guard>` at 08:00:00, last `<check>` at {clock}."
    outcome = await audit(f"# acme/tools, 2026-03-12 (UTC)\n\n{text}\n", repos=TOOLS)
    assert bool(outcome.reasons()) is wrong
    assert "number" not in outcome.reasons()


@pytest.mark.parametrize(
    ("again", "wrong"),
    [
        ("- [`<check>`](<check:url>) came at 13:00:00.", []),
        ("- [`<move>`](<move:url>) came at 10:00:00.", ["repeated"]),
        ("- Check the type (#21) [`<check>`](<check:url>), Ada Lovelace.", ["repeated"]),
    ],
)
async def test_a_remark_right_behind_its_entry_may_name_the_commit_again(
    audit: Audit, again: str, wrong: list[str]
) -> None:
    assert await _reasons(audit, remark=again) == wrong
