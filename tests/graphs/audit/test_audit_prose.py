"""What an audit makes of free words: chats, mails and articles about commits."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
ENGINE = ("acme/engine",)


async def test_a_chat_with_bullets_and_bare_hashes_is_held_to_the_repository_it_opens_with(audit: Audit) -> None:
    outcome = await audit(
        """*weekly digest* :wave:
_acme/engine, main, 2026-03-08 to 2026-03-10 (UTC). 5 commits this week._

*Server*
• <flag> — [Feature] Add --max-batch to the server, #12, Bo Chen, Tue 03-10
    ◦ adds `--max-batch` to `engine/server.py`, +3/-0
• <fix> — Fix overflow in paged cache, #14, Ada Lovelace
• <rename> — Rename run to execute, #14, Ada Lovelace, Mon 03-09
    ◦ 3 files
• <drop> — Drop python 3.9, #15
• <rope> — Add rope kernel
"""
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [
        (2, "count"),
        (7, "pull request"),
        (8, "author"),
        (8, "date"),
        (9, "statistics"),
        (10, "window"),
        (11, "commit"),
    ]


async def test_what_a_sentence_means_is_not_checked(audit: Audit) -> None:
    outcome = await audit("[`<rename>`](<rename:url>) makes `execute` twice as fast.\n", repos=ENGINE)
    assert ("sentence", "not-checked") in {(one.kind, one.verdict) for one in outcome.findings}
    assert outcome.summary["not_checked"] == 1


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("acme/engine merged three commits on 10 March 2026.", False),
        ("acme/engine merged four commits on 10 March 2026.", True),
        ("**engine**：当日主分支共合入 3 个提交。", False),
        ("**engine**：当日主分支共合入 5 个提交。", True),
        ("We read 2 commits by Bo Chen.", False),
    ],
)
async def test_commits_that_are_said_to_have_landed_are_counted(audit: Audit, sentence: str, wrong: bool) -> None:
    outcome = await audit(f"# Report 2026-03-10 (UTC)\n\n- {sentence}\n")
    assert outcome.reasons() == (["count"] if wrong else [])


async def test_an_issue_that_a_commit_is_said_to_close_is_looked_for_in_its_words(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

- <fix> Fix overflow in paged cache (#13), fixes #11
- <rename> Rename run to execute (#14), fixes #13
- <flag> [Feature] Add --max-batch to the server (#12), closes #9
""",
        repos=ENGINE,
    )
    fixes = [(one.line, one.verdict) for one in outcome.findings if one.kind == "fix"]
    assert fixes == [(3, "right"), (4, "wrong:unsupported")]


async def test_a_code_block_is_corrected_where_it_was_altered(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

- <fix> Fix overflow in paged cache (#13)
  ```python
  # the size of a page
  def page(n):
      return n * 65
  ```
""",
        repos=ENGINE,
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [(7, "code")]


async def test_a_paragraph_goes_on_about_the_commit_that_was_named_last(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

## The server and its cache

Bo Chen's `<flag>` (#12) adds `--max-batch`.

It changes 2 files in total, +5/-0.

Another change of the day that deserves a word is `<fix>` (#14).

It adds `page`, 4 files in total.
""",
        repos=ENGINE,
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [(9, "pull request"), (11, "statistics")]


async def test_a_paragraph_behind_a_commit_named_in_passing_is_held_to_none(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

## The server

Bo Chen's `<flag>` (#12) adds `--max-batch`.

It stands on what came before, among it `<tune>`.

All in all 2 files, +5/-0.
""",
        repos=ENGINE,
    )
    assert not [one for one in outcome.findings if one.wrong and one.line == 9]


async def test_a_remark_about_an_entry_is_no_repeat_and_the_same_paragraph_is(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

*Server*
- `<flag>` [Feature] Add --max-batch to the server (#12, Bo Chen)

*Before you pull*
- If you start the engine by hand, `<flag>` lets you choose.

## Cache

Ada Lovelace's `<fix>` (#13) fixes an overflow in the paged cache.

## Again

Ada Lovelace's `<fix>` (#13) fixes an overflow in the paged cache.
""",
        repos=ENGINE,
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [(15, "repeat")]
