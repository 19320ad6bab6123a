"""What an audit makes of Chinese digests: lists that go on about a commit, signatures, counts, sums and sides."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
ENGINE, TOOLS = ("acme/engine",), ("acme/tools",)
_DAY, _SPAN = "# acme/engine 日报（2026-03-10，UTC）", "# acme/engine（2026-03-08 ～ 2026-03-11，UTC）"


async def _wrong(audit: Audit, text: str, repos: tuple[str, ...] = ENGINE) -> list[tuple[int, str]]:
    outcome = await audit(text, repos=repos)
    return [(one.line, one.kind) for one in outcome.findings if one.wrong]


@pytest.mark.parametrize(
    ("signed", "wrong"),
    [
        ("#12，Bo Chen，10 日 08:30", []),
        ("#12，Bo Chen，10 日 08:35", [(3, "date")]),
        ("#12，Bo Chen，11 日 08:30", [(3, "date")]),
        ("#12，同样是 Bo Chen，08:30", []),
        ("#12，Bo Cheng，新增 3 行", [(3, "author")]),
        ("#12，Ada Lovelace", [(3, "author")]),
    ],
)
async def test_a_bracket_behind_a_hash_says_who_and_at_what_time(audit: Audit, signed: str, wrong: list[Any]) -> None:
    days = _SPAN if "日" in signed else _DAY
    text = f"{days}\n\n- [`<flag>`](<flag:url>)（{signed}）：新增 `--max-batch`。\n"
    assert await _wrong(audit, text) == wrong


async def test_what_stands_below_a_commit_of_another_repository_is_not_held_against_it(audit: Audit) -> None:
    text = f"""{_DAY}

- [`<rope>`](https://github.com/acme/engine/commit/<rope:full>)（#12，Bo Chen）：新增命令行参数。
  - 新参数叫 `--max-batch`，改动在 `engine/server.py`，+3/-0。
"""
    assert await _wrong(audit, text, repos=("acme/engine", "acme/kernels")) == [(3, "commit")]


@pytest.mark.parametrize(("files", "wrong"), [("2 个文件", []), ("3 个文件", [(3, "statistics")])])
async def test_files_counted_behind_a_semicolon_are_those_of_the_commit(
    audit: Audit, files: str, wrong: list[Any]
) -> None:
    text = f"{_DAY}\n\n- [`<flag>`](<flag:url>)：同时更新 `docs/*`；{files}，+5/-0。\n"
    assert await _wrong(audit, text) == wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("被回滚的改动由 Brian K. Ryu 在 3 月 12 日合入。", []),
        ("这次回滚由 Ada Lovelace 提交。", [(3, "author")]),
    ],
)
async def test_who_made_what_is_taken_back_is_not_who_takes_it_back(
    audit: Audit, sentence: str, wrong: list[Any]
) -> None:
    text = f"# acme/tools 日报（2026-03-12，UTC）\n\n- [`<undo>`](<undo:url>) 回滚了 #4。{sentence}\n"
    assert await _wrong(audit, text, repos=TOOLS) == wrong


async def test_a_summary_that_names_one_commit_may_speak_of_others(audit: Audit) -> None:
    text = f"{_DAY}\n\n## 摘要\n\n- [`<flag>`](<flag:url>)：新增 `--max-batch`。\n- `--max-batch` 之外合入 4711 行。\n"
    assert await _wrong(audit, text) == []


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ("新文件 `engine/server.py`，3 行；文档 `docs/flags.md` 2 行。", []),
        ("新文件 `engine/server.py`，2 行；文档 `docs/flags.md` 2 行。", [(4, "statistics")]),
        ("文档 `docs/flags.md` 也是新增的，12 行。", [(4, "statistics")]),
        ("报错在 `engine/server.py` 第 3 行。", []),
    ],
)
async def test_a_new_file_has_as_many_lines_as_were_added(audit: Audit, entry: str, wrong: list[Any]) -> None:
    text = f"{_DAY}\n\n- 提交：[`<flag>`](<flag:url>)，#12。\n- {entry}\n"
    assert await _wrong(audit, text.replace("\n\n", "\n## 服务端\n")) == wrong


async def test_how_long_a_file_is_that_was_there_before_the_diff_does_not_say(audit: Audit) -> None:
    text = f"{_DAY}\n\n- [`<rename>`](<rename:url>)：改动 `engine/core.py`，300 行。\n"
    assert await _wrong(audit, text) == []


@pytest.mark.parametrize(("end", "wrong"), [("和 `docs/flags.md`", []), ("和", [(3, "cut")])])
async def test_an_entry_that_ends_in_an_and_is_cut_off(audit: Audit, end: str, wrong: list[Any]) -> None:
    text = f"{_DAY}\n\n- [`<flag>`](<flag:url>)：新增 `engine/server.py` {end}\n  - 默认值是 16。\n"
    assert await _wrong(audit, text) == wrong


@pytest.mark.parametrize(
    ("words", "wrong"), [("提交说明写的是 “Fixes #11”", []), ("提交说明写的是 “Relates to #11”", [(3, "sentence")])]
)
async def test_words_of_a_message_with_a_number_in_them_are_looked_up(
    audit: Audit, words: str, wrong: list[Any]
) -> None:
    assert await _wrong(audit, f"{_DAY}\n\n- [`<fix>`](<fix:url>)（#13，Ada Lovelace）：{words}。\n") == wrong
