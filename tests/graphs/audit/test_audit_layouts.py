"""What an audit reads where a report sets things out in lists, tables, quotations and headings."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
DEPOT = ("acme/depot",)
_DAY = "# acme/depot, 2026-03-16 (UTC)"


async def _is_wrong(audit: Audit, text: str, repos: tuple[str, ...] = DEPOT) -> bool:
    outcome = await audit(f"{_DAY}\n\n{text}\n", repos=repos)
    return bool(outcome.reasons())


@pytest.mark.parametrize(
    ("title", "wrong"),
    [
        ("an address and a port", False),
        ("Add an address and a port (#52)", False),
        ("Add an address and a plug (#52)", True),
    ],
)
async def test_a_heading_may_open_with_the_hash_and_retell_the_title(audit: Audit, title: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"### <options>: {title}\n* 1 file.") is wrong


@pytest.mark.parametrize(("sign", "wrong"), [("<", False), (">", True)])
@pytest.mark.parametrize("remark", ["", "    *   同一提交跳过其余请求：\n"])
async def test_code_set_in_a_little_is_that_of_the_entry_above_it(
    audit: Audit, remark: str, sign: str, wrong: bool
) -> None:
    text = f"""*   **日志**
    *   [`<late>`](<late:url>)（#51，Bo Chen）记录超时。
{remark}      ```python
      if took {sign} limit:
          skip()
      ```
    *   [`<options>`](<options:url>)（#52，Ada Lovelace）新增两个参数。"""
    assert await _is_wrong(audit, text) is wrong


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("| `--port` | `29501` |", False),
        ("| `--port` | `29500` |", True),
        ("| `--addr` | `127.0.0.1` |", False),
        ("| `--node-addr` | `127.0.0.1` |", True),
    ],
)
async def test_a_row_gives_a_flag_and_its_default(audit: Audit, row: str, wrong: bool) -> None:
    text = f"### <options>: an address and a port\n\n| Flag | Default |\n|---|---|\n{row}"
    assert await _is_wrong(audit, text) is wrong


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("The lower ones would slow non-empty shelves down, which keep their order.", False),
        ("The lower ones would slow empty shelves down, which keep their order.", True),
    ],
)
async def test_words_that_are_set_off_are_quoted(audit: Audit, words: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"- [`<shelve>`](<shelve:url>) Chris P: the tests were moved.\n  > {words}") is wrong


@pytest.mark.parametrize(("name", "wrong"), [("Chris P", False), ("Ada Lovelace", True)])
async def test_who_stands_between_a_hash_and_a_colon_wrote_it(audit: Audit, name: str, wrong: bool) -> None:
    text = f"""- `<options>` Ada Lovelace：新增两个参数。
- `<newer>` Bo Chen：更新依赖。
- `<header>` {name}：读取一个头。"""
    assert await _is_wrong(audit, text) is wrong


@pytest.mark.parametrize(("name", "wrong"), [("Bo Chen", False), ("Ada Lovelace", True)])
async def test_who_only_helped_is_not_who_signs_an_entry(audit: Audit, name: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"* [`<late>`](<late:url>) (#51, {name}): late requests are logged.") is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("[`<late>`](<late:url>) 新增环境变量 `DEPOT_LATE_MS`，默认值为 -1。", False),
        ("[`<late>`](<late:url>) 新增环境变量 `DEPOT_LATE_MS`，默认值为 0。", True),
        ("[`<shelve>`](<shelve:url>) 将测试从 `tests/old/` 移到 `tests/shelf/`。", False),
        ("[`<shelve>`](<shelve:url>) 将测试从 `tests/old/` 移到 `tests/attic/`。", True),
        ("[`<newer>`](<newer:url>) 把 `acme-kernels` 由 4.5.2 升到 4.6.0.dev0。", False),
        ("[`<newer>`](<newer:url>) 把 `acme-kernels` 由 4.5.2 升到 4.6.0。", True),
        ("`<back>` 部分回退 #52。", False),
        ("`<back>` 部分回退 #51。", True),
        ("[`<header>`](<header:url>) 改用请求头 `X-Shop-Routing-Key`。", False),
        ("[`<header>`](<header:url>) 改用请求头 `X-SGL-Routing-Key`。", True),
        ("[`<shelve>`](<shelve:url>): moves in 2 files under `tests/`.", False),
        ("[`<shelve>`](<shelve:url>): moves in 9 files under `tests/`.", True),
    ],
)
async def test_values_folders_versions_and_numbers_are_those_of_the_change(
    audit: Audit, sentence: str, wrong: bool
) -> None:
    assert await _is_wrong(audit, f"- {sentence}") is wrong


@pytest.mark.parametrize(("path", "wrong"), [("tests/shelf/test_low.py", False), ("tests/shelf/low_test.py", True)])
async def test_a_file_of_a_summary_is_not_one_with_its_words_in_another_order(
    audit: Audit, path: str, wrong: bool
) -> None:
    text = f"## Moves\n\n- [`<shelve>`](<shelve:url>): tests.\n\n## Summary\n\n- The lower tests are `{path}`."
    assert await _is_wrong(audit, text) is wrong


@pytest.mark.parametrize(
    ("counts", "wrong"),
    [
        ("engine 3 个提交、kernels 2 个", False),
        ("engine 3 个提交、kernels 4 个", True),
        ("engine 3 commits, kernels 2", False),
        ("engine 4 commits, kernels 2", True),
    ],
)
async def test_repositories_in_a_list_are_counted_one_by_one(audit: Audit, counts: str, wrong: bool) -> None:
    text = f"# Report, 2026-03-10 (UTC)\n\n{counts}.\n\n## acme/engine\n\n- `<fix>`\n\n## acme/kernels\n\n- `<rope>`\n"
    outcome = await audit(text)
    assert bool(outcome.reasons()) is wrong
