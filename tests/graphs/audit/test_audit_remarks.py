"""What an audit reads in the remarks of entries: files, authors, issues, code with a label, words cut off."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
_ENGINE = "# acme/engine, 2026-03-10 (UTC)"
_FLAG = "[`<flag>`](<flag:url>)"
_FIX = "[`<fix>`](<fix:url>)"
_RENAME = "[`<rename>`](<rename:url>)"


async def _is_wrong(audit: Audit, text: str, **given: Any) -> bool:
    return bool((await audit(f"{_ENGINE}\n\n{text}\n", **given)).reasons())


@pytest.mark.parametrize(("files", "wrong"), [("engine/cache.py", False), ("engine/server.py", True)])
@pytest.mark.parametrize("label", ["Affected files", "Files touched", "改动文件", "涉及的文件"])
async def test_files_below_an_entry_are_those_of_its_change(audit: Audit, label: str, files: str, wrong: bool) -> None:
    text = f"- a flag {_FLAG}\n- {label}: docs/flags.md\n- paged cache {_FIX}\n- {label}: {files}"
    assert await _is_wrong(audit, text) is wrong


async def test_the_same_files_below_two_entries_are_no_repetition(audit: Audit) -> None:
    same = "- Affected files: engine/core.py, engine/core.py, engine/core.py"
    text = f"# acme/engine, 2026-03-01 to 2026-03-10 (UTC)\n\n- start <start>\n{same}\n- execute {_RENAME}\n{same}\n"
    assert "repeated" not in (await audit(text)).reasons()


@pytest.mark.parametrize(("count", "wrong"), [("-1", False), ("-7", True), ("+1", False), ("+7", True)])
async def test_a_lone_count_behind_a_path_is_of_that_file(audit: Audit, count: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"- {_RENAME}\n  - It leaves `engine/core.py` ({count}) shorter.") is wrong


async def test_a_repository_that_a_row_names_in_passing_is_not_where_it_is_filed(audit: Audit) -> None:
    rows = f"| use_kernels_cache | {_FLAG} |\n| kernels 的开关 | {_FIX} |"
    assert not await _is_wrong(audit, f"| 项目 | 提交 |\n|---|---|\n{rows}")


@pytest.mark.parametrize(
    ("label", "line", "wrong"),
    [
        ("engine/cache.py (<fix>)", "return n * 64", False),
        ("engine/cache.py（<fix>）", "return n * 32", True),
        ("engine/server.py (<fix>)", "return n * 64", True),
        ("<fix>", "return n * 64", False),
        ("engine/cache.py @ <flag>", "return n * 64", True),
    ],
)
async def test_code_is_of_the_commit_that_its_first_line_names(
    audit: Audit, label: str, line: str, wrong: bool
) -> None:
    text = f"- {_FLAG}\n- {_FIX}\n\n## Code\n\n```python\n# {label}\n    {line}\n```"
    assert await _is_wrong(audit, text) is wrong


@pytest.mark.parametrize(("name", "wrong"), [("Bo Chen", False), ("Ada Lovelace", True)])
@pytest.mark.parametrize("remark", ["By {0}, one flag.", "{0} wrote it.", "出自 {0} 之手。", "一个参数，由 {0} 提交。"])
async def test_who_a_remark_names_wrote_the_change_of_its_entry(
    audit: Audit, remark: str, name: str, wrong: bool
) -> None:
    assert await _is_wrong(audit, f"- a flag {_FLAG}\n  - {remark.format(name)}") is wrong


@pytest.mark.parametrize(("issue", "wrong"), [(11, False), (111, True)])
@pytest.mark.parametrize(
    "text",
    [
        f"- #{{0}} — an overflow was seen; fixed by {_FIX}.",
        f"- #{{0}}：溢出，已由 {_FIX} 修复。",
        f"**Overflow** — {_FIX}\n\n- Fixes #{{0}}: pages.",
        f"- {_FIX} 的提交信息引用 issue #{{0}}。",
        f"- The message of {_FIX} refers to issue #{{0}}.",
    ],
)
async def test_an_issue_is_the_one_that_the_message_names(audit: Audit, text: str, issue: int, wrong: bool) -> None:
    assert await _is_wrong(audit, text.format(issue)) is wrong


@pytest.mark.parametrize(
    ("last", "wrong"),
    [
        ("the pages of the paged cache no longer overfl", True),
        ("the pages of the paged cache no longer overflow", False),
        ("the pages of the paged cache no longer grow, because", True),
        ("缓存分页不再溢出，并且在计算时使用新的页，其中", True),
        ("the pages of the paged cache no longer overflow.", False),
    ],
)
async def test_a_word_or_a_sentence_that_breaks_off_is_found(audit: Audit, last: str, wrong: bool) -> None:
    whole = "\n".join(f"  - The server has one more flag, the {n}, in its list." for n in ("first", "second", "third"))
    behind = f"- execute {_RENAME}\n  - One name is another one now, which is all."
    assert await _is_wrong(audit, f"- a flag {_FLAG}\n{whole}\n- cache {_FIX}\n  - {last}\n{behind}") is wrong


async def test_a_last_word_that_breaks_off_is_found_where_nothing_follows(audit: Audit) -> None:
    text = f"**Cache** — {_FIX}\n\nPages are larger now, and more about large pages will be in the next one for larg"
    assert "cut-off" in (await audit(f"{_ENGINE}\n\n{text}\n")).reasons()


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("| 2026-03-10 08:30 | Bo Chen | [Feature] Add --max-batch to the server (#12) |", False),
        ("| 2026-03-11 09:00 | Bo Chen | Drop python 3.9 (#15) |", True),
    ],
)
async def test_a_row_with_a_title_and_its_number_landed_in_the_days(audit: Audit, row: str, wrong: bool) -> None:
    rows = "| 2026-03-10 11:00 | Ada Lovelace | Fix overflow in paged cache (#13) |"
    assert await _is_wrong(audit, f"| 提交时间 | 作者 | 提交信息 |\n|---|---|---|\n{rows}\n{row}") is wrong


async def test_an_entry_that_opens_with_several_hashes_counts_them_all(audit: Audit) -> None:
    text = f"## Small changes (3)\n\n- {_FLAG}: a flag.\n- {_FIX}, {_RENAME}: a fix and a name."
    assert "count" not in (await audit(f"{_ENGINE}\n\n{text}\n")).reasons()
