"""How an audit counts what is spread over days, people and repositories, and what all commits are said to have."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
_SPAN = "# acme/engine 周报（2026-03-08 ～ 2026-03-11，UTC）"


async def _is_wrong(audit: Audit, text: str, repos: tuple[str, ...] = ("acme/engine",)) -> bool:
    return any(one.wrong and one.kind == "count" for one in (await audit(text, repos=repos)).findings)


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("按天分布：8 日 1 个，10 日 3 个，11 日 1 个。", False),
        ("按天分布：8 日 1 个，10 日 2 个，11 日 1 个。", True),
        ("Ada Lovelace 2 个，Bo Chen 2 个，Chris P 1 个。", False),
        ("Ada Lovelace 3 个，Bo Chen 2 个，Chris P 1 个。", True),
        ("另外两人（Ada Lovelace、Bo Chen）各 2 个。", False),
        ("另外三人（Ada Lovelace、Bo Chen、Dana Scully）各 2 个。", True),
        ("改了三处（A、B、C）各 2 个。", False),
        ("本周的 5 个提交全部带有 PR 号。", False),
        ("Bo Chen 的两个提交，标题里都没有 PR 号。", True),
        ("净删行的提交只有 `<flag>` 一个。", True),
        ("只改动一行的提交只有 `<drop>` 一个。", True),
    ],
)
async def test_parts_of_what_landed_are_counted(audit: Audit, sentence: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"{_SPAN}\n\n- {sentence}\n") is wrong


async def test_days_of_a_report_without_a_zone_may_be_cut_elsewhere(audit: Audit) -> None:
    text = "# acme/kernels 周报（2026-03-10 ～ 2026-03-11）\n\n- 按天分布：10 日 1 个，11 日 1 个。\n"
    assert not await _is_wrong(audit, text, repos=("acme/kernels",))
    assert await _is_wrong(audit, text.replace("）", "，UTC）"), repos=("acme/kernels",))


@pytest.mark.parametrize(("count", "wrong"), [("2", False), ("4", True)])
async def test_a_table_of_authors_is_counted(audit: Audit, count: str, wrong: bool) -> None:
    rows = f"| 作者 | 提交数（engine） |\n|---|---|\n| Ada Lovelace | {count} |\n| 其余（Chris P、） | 各 1 |\n"
    assert await _is_wrong(audit, f"{_SPAN}\n\n{rows}") is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [("engine 当天新增的行数多于 kernels。", False), ("engine 当天新增的行数少于 kernels。", True)],
)
async def test_two_repositories_are_compared_by_their_lines(audit: Audit, sentence: str, wrong: bool) -> None:
    text = f"# acme/engine 与 acme/kernels 日报（2026-03-10，UTC）\n\n- {sentence}\n"
    assert await _is_wrong(audit, text, repos=("acme/engine", "acme/kernels")) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("1 个旧的辅助文件被删除（合计 6 行）。", False),
        ("1 个旧的辅助文件被删除（合计 20 行）。", True),
        ("删除了 1 个旧的辅助文件，共 20 行。", True),
        # More files than these commits delete: others may be meant.
        ("三个旧的辅助文件被删除（合计 20 行）。", False),
    ],
)
async def test_the_lines_of_deleted_files_are_added_up(audit: Audit, sentence: str, wrong: bool) -> None:
    days = "# acme/workshop 周报（2026-03-14 ～ 2026-03-16，UTC）"
    text = f"{days}\n\n{sentence}\n\n- [`<unjig>`](<unjig:url>) 回滚 #43。\n"
    assert await _is_wrong(audit, text, repos=("acme/workshop",)) is wrong
