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
