"""What an audit makes of counts: of commits in a period, of parts, of rows, and of lines in one file."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("3 commits hit `acme/engine` main on 2026-03-10.", False),
        ("5 commits hit `acme/engine` main on 2026-03-10.", True),
        ("Engine took 4 commits in the day.", True),
        ("两个仓库合计 5 个提交。", False),
        ("两个仓库合计 6 个提交。", True),
        ("The two repositories took 7 commits together.", True),
        ("合计 5 个提交，其中 engine 与 kernels 共 5 个。", False),
        ("其中 engine 与 kernels 共 4 个。", True),
        ("acme/engine saw 2 commits in the server module.", False),
        ("Engine was busy. Ada had 2 commits in the day.", False),
        ("Engine was busy. It had 4 commits in the day.", True),
        ("acme/engine has had 63 commits in total since v1.0.", False),
        ("On 2026-03-01, 9 commits landed in acme/engine.", False),
    ],
)
async def test_commits_of_the_period_are_counted_in_one_repository_or_in_all(
    audit: Audit, sentence: str, wrong: bool
) -> None:
    outcome = await audit(
        f"# Report 2026-03-10 (UTC)\n\n{sentence}\n\n## acme/engine\n\n- `<flag>`\n\n## acme/kernels\n\n- `<rope>`\n"
    )
    assert outcome.reasons() == (["count"] if wrong else [])


async def test_a_table_of_repositories_and_its_last_row_are_counted(audit: Audit) -> None:
    outcome = await audit(
        """# Report 2026-03-10 (UTC)

| Repository | Commits | Largest |
|---|---|---|
| acme/engine | 4 | `<flag>` |
| acme/kernels | 2 | `<softmax>` |
| Total | 6 | |
"""
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [(5, "count"), (7, "count")]


async def test_a_sum_is_held_to_the_parts_that_follow_it(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

> 3 commits today | High 1 | Low 3

## High importance (1)

- `<flag>` [Feature] Add --max-batch to the server (#12)

## Low importance (2)

- `<fix>` Fix overflow in paged cache (#13)
- `<rename>` Rename run to execute (#14)
""",
        repos=("acme/engine",),
    )
    assert {(one.line, one.kind) for one in outcome.findings if one.wrong} == {(3, "count")}


async def test_a_second_table_with_other_columns_repeats_nothing(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10 (UTC)

| Commit | Commit time (UTC) | Title |
|---|---|---|
| `<flag>` | 08:30 | [Feature] Add --max-batch to the server (#12) |
| `<fix>` | 21:00 | Fix overflow in paged cache (#13) |
| `<flag>` | 08:30 | [Feature] Add --max-batch to the server (#12) |

| Commit | Files |
|---|---|
| `<flag>` | `engine/server.py` |
| `<fix>` | `engine/cache.py` |
""",
        repos=("acme/engine",),
    )
    wrong = {(one.line, one.kind) for one in outcome.findings if one.wrong}
    assert wrong == {(6, "date"), (7, "repeat")}


async def test_a_share_of_the_new_lines_is_counted_in_the_file_that_is_named_behind(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10 (UTC)

- `<fix>` Fix overflow in paged cache (#13), 4 new lines; 2 of the new lines are tests in `tests/test_cache.py`.
- `<flag>` [Feature] Add --max-batch to the server (#12); 4 of the new lines are docs in `docs/flags.md`.
""",
        repos=("acme/engine",),
    )
    assert {(one.line, one.kind) for one in outcome.findings if one.wrong} == {(4, "statistics")}
