"""What an audit finds in reports of many shapes, and what it leaves alone."""

from collections.abc import Awaitable, Callable
from typing import Any

Audit = Callable[..., Awaitable[Any]]
ENGINE = ("acme/engine",)


async def test_a_report_in_which_all_is_right_is_told_so(audit: Audit) -> None:
    outcome = await audit(
        """# Daily 2026-03-10 (UTC)

## acme/engine

| SHA | Time | Author | Message |
|---|---|---|---|
| [`<rename>`](<rename:url>) | 15:20 | Chris P | Rename run to execute (#14) |
| [`<fix>`](<fix:url>) | 2026-03-10 11:00 | Ada Lovelace | Fix overflow in paged cache (#13) |

### Rename run to execute (#14)

`<rename>` renames `run` to `execute` in `engine/core.py`:

```diff
-def run(limit=8):
+def execute(limit=8):
```

This follows up on earlier work. Callers should consider `engine/compat.py` as a place for an alias.

## acme/kernels

- [Speed up softmax](<softmax:url>) by Dana: `src/softmax.cu` (+2 lines)
- [#6](https://github.com/acme/kernels/pull/6) Add rope kernel
"""
    )
    assert outcome.wrong() == {}
    assert outcome.summary["right"] > 20
    assert outcome.summary["repositories"]["acme/engine"]["named"] == 2


async def test_a_changelog_with_an_invented_hash_and_a_commit_of_the_next_day(audit: Audit) -> None:
    outcome = await audit(
        """# Changelog

## 2026-03-10

### Added
- Add --max-batch to the server (<flag>)
- Support for teleportation (deadbee1)

### Fixed
- Fix overflow in paged cache ([<fix>](<fix:url>))
- Drop python 3.9 ([<drop>](<drop:url>))
""",
        repos=ENGINE,
    )
    assert sorted(outcome.reasons()) == ["nonexistent", "out-of-scope"]


async def test_release_notes_with_an_altered_title(audit: Audit) -> None:
    outcome = await audit(
        """## What's Changed
* [Feature] Add --max-batch to the server by @bochen in https://github.com/acme/engine/pull/12
* Fix overflow in page cache by @ada in https://github.com/acme/engine/pull/13
* Rename run to execute by @chris in https://github.com/acme/engine/pull/14

**Full Changelog**: https://github.com/acme/engine/compare/v1...v2
""",
        repos=ENGINE,
    )
    assert outcome.wrong() == {"Fix overflow in page cache": "metadata"}


async def test_a_table_over_two_repositories_with_a_wrong_author_count_and_repository(audit: Audit) -> None:
    outcome = await audit(
        """# Engine and kernels, daily

| Repo | Commit | Author | Subject | Files | +/- |
|---|---|---|---|---|---|
| engine | `<flag>` | Bo Chen | [Feature] Add --max-batch to the server (#12) | 2 | +5 -0 |
| engine | `<fix>` | Bo Chen | Fix overflow in paged cache (#13) | 3 | +4 -0 |
| kernels | `<softmax>` | Dana | Speed up softmax (#5) | 1 | +2 -0 |
| kernels | `<rename>` | Chris P | Rename run to execute (#14) | 1 | +1 -1 |
""",
        name="2026-03-10.md",
    )
    assert sorted(outcome.reasons()) == ["metadata", "number", "out-of-scope"]


async def test_a_newsletter_of_a_week_with_a_link_that_is_no_pull_request(audit: Audit) -> None:
    outcome = await audit(
        """# Weekly newsletter: 2026-03-04 to 2026-03-10

Hello! This week the **acme/engine** team landed [a new flag](<flag:url>) and, in
[PR #13](https://github.com/acme/engine/pull/13), fixed an overflow.

In the kernels, [`<rope>`](<rope:url>) adds rope, see [PR #6](<rope:url>).

1. `<tune>` Tune the default
2. `<start>` Start the engine
"""
    )
    assert sorted(outcome.reasons()) == ["label", "out-of-scope"]


async def test_html_with_a_dead_anchor_and_a_label_of_another_commit(audit: Audit) -> None:
    outcome = await audit(
        """<h1 id="top">Daily report 2026-03-10</h1>

<p>See <a href="#engine">engine</a> and <a href="#nowhere">nowhere</a>.</p>

<h2 id="engine">acme/engine</h2>

<table>
<tr><th>SHA</th><th>Author</th><th>Title</th></tr>
<tr><td><a href="<flag:url>"><code><flag></code></a></td>
<td>Bo Chen</td><td>[Feature] Add --max-batch to the server (#12)</td></tr>
<tr><td><a href="<fix:url>"><code><rename></code></a></td>
<td>Ada Lovelace</td><td>Fix overflow in paged cache (#13)</td></tr>
</table>
""",
        repos=ENGINE,
    )
    assert sorted(outcome.reasons()) == ["dead-anchor", "label"]


async def test_a_chinese_report_with_invented_code_wrong_counts_and_another_period(audit: Audit) -> None:
    outcome = await audit(
        """# 每日更新报告（2026-03-10）

## acme/engine

- **[Feature] Add --max-batch to the server (#12)** [`<flag>`](<flag:url>)
  - 作者: Bo Chen，2026-03-10
  - 变更: `engine/server.py`（+3 / -0 行）、`docs/flags.md`（+9 行）
  - 代码片段:
    ```python
    parser.add_argument('--max-batch', type=int, default=16)
    ```
- **Rename run to execute (#14)** [`<rename>`](<rename:url>)
  - 作者: Chris P，2026-03-09
  - 变更: `engine/core.py`（+1 / -1 行）、`engine/missing.py`
    ```python
    def perform(limit=99):
        launch_missiles()
    ```

本周共 3 个提交。
""",
        repos=ENGINE,
    )
    assert sorted(outcome.reasons()) == ["metadata", "number", "quote", "unsupported", "wrong-period"]


async def test_a_plain_list_with_an_inverted_title_and_an_entry_twice(audit: Audit) -> None:
    outcome = await audit(
        """Engine news for 2026-03-10 (UTC)

- <flag> [Feature] Add --max-batch to the server (#12)
- <fix> Fix overflow in paged cache (#13)
- <rename> Rename execute to run (#14)
- <rename> Rename run to execute (#14)
""",
        repos=ENGINE,
    )
    assert sorted(outcome.reasons()) == ["metadata", "repeated"]


async def test_prose_with_a_damaged_hash_an_invented_flag_and_a_sentence_without_end(audit: Audit, world: Any) -> None:
    damaged = world.engine.shas["fix"][:20] + world.engine.shas["fix"][21:]
    outcome = await audit(
        f"""# acme/engine, 10 March 2026

Commit <flag:full> by Bo Chen introduces `--max-batch` in `engine/server.py` (3 lines added); the follow-up
{damaged} by Ada Lovelace comes next. The option `--min-batch` was removed in <flag>.

Issue #11 was fixed by <fix>. The new docs are in the
""",
        repos=ENGINE,
    )
    assert outcome.wrong()[damaged] == "malformed"
    assert sorted(outcome.reasons()) == ["cut-off", "malformed", "unsupported"]


async def test_counts_of_a_heading_and_a_claim_that_nothing_landed(audit: Audit) -> None:
    outcome = await audit(
        """# Report 2026-03-10

- [Engine (2)](#acmeengine-2)
- [Kernels](#kernels)

## acme/engine (2)

- [<flag>](<flag:url>) Add --max-batch to the server
- [<fix>](<fix:url>) Fix overflow in paged cache
- [<rename>](<rename:url>) Rename run to execute

## acme/kernels

No updates today.
"""
    )
    assert sorted(outcome.reasons()) == ["count", "count", "dead-anchor"]


async def test_a_file_name_where_the_commit_should_be_and_a_commit_of_another_project(audit: Audit) -> None:
    outcome = await audit(
        """## 摘要

### 1. Engine (https://github.com/acme/engine)

| 提交 | 关键文件/改动 | 主要内容 |
|------|------|------|
| **<flag>** (new flag) | `engine/server.py` | 新增 `--max-batch` |
| **engine/cache.py** | `engine/cache.py` | 修复溢出 |
| **<softmax>** (softmax) | `src/softmax.cu` | 优化 |

### 2. Kernels (https://github.com/acme/kernels)

- **<rope>** 新增 rope
"""
    )
    assert sorted(outcome.reasons()) == ["malformed", "out-of-scope"]


async def test_a_fix_is_unverifiable_where_nobody_can_be_asked_about_the_issue(audit: Audit) -> None:
    outcome = await audit(
        "# acme/engine 2026-03-10\n\n- Issue [#11](https://github.com/acme/engine/issues/11) is now fixed by <fix>.\n",
        repos=ENGINE,
    )
    fixes = [finding for finding in outcome.findings if finding.kind == "fix"]
    assert [finding.verdict for finding in fixes] == ["unverifiable"]
    assert outcome.wrong() == {}


async def test_without_any_source_nothing_is_silently_right(audit: Audit) -> None:
    outcome = await audit("# 2026-03-10\n\n- Fix overflow ([<fix>](<fix:url>))\n", repos=())
    assert {finding.verdict for finding in outcome.findings if finding.kind == "commit"} == {"unverifiable"}


async def test_a_text_without_statements_has_no_findings(audit: Audit) -> None:
    outcome = await audit("Hello.\n")
    assert outcome.findings == []
