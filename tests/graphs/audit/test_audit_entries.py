"""How entries name who, when, what and how much, in the ways that people write them."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
ENGINE = ("acme/engine",)


async def test_titles_signed_with_a_name_and_a_date_in_brackets(audit: Audit) -> None:
    outcome = await audit(
        """Engine commits, 2026-03-01 to 2026-03-11

- [`<tune>`](<tune:url>) Tune the default (#10) (Ada Lovelace, 2026-03-08)
- [`<flag>`](<flag:url>) [Feature] Add --max-batch to the server (#12) (Bo Cheng, 2026-03-10)
- [`<fix>`](<fix:url>) Fix overflow in paged cache (#13) (Ada Lovelace, 2026-03-09)
- [`<rename>`](<rename:url>) Fix overflow in paged cache (#13) (Chris P, 2026-03-10)
""",
        repos=ENGINE,
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [
        (4, "author"),
        (5, "date"),
        (6, "title"),
    ]


async def test_release_notes_by_names_with_a_swapped_title_and_a_number_of_another(audit: Audit) -> None:
    outcome = await audit(
        """# Changes 2026-03-01 to 2026-03-11

* Tune the default by Ada Lovelace in https://github.com/acme/engine/pull/10
* [Feature] Add --max-batch to the server by Bo Chen in https://github.com/acme/engine/pull/12
* Fix overflow in paged cache by Chris P in https://github.com/acme/engine/pull/14
* Rename run to execute by Chris P in https://github.com/acme/engine/pull/914
* Drop python 3.9 by Ada Lovelace in https://github.com/acme/engine/pull/15
""",
        repos=ENGINE,
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [
        (5, "title"),
        (6, "title"),
        (7, "author"),
    ]


@pytest.mark.parametrize("form", ["- [`{}`]({}) {} — {}", '- [`{}`]({}) — "{}", {}', "- [`{}`]({}) {} -- {}, one file"])
async def test_a_name_behind_each_title_is_held_to_the_author(audit: Audit, form: str) -> None:
    entries = [
        ("tune", "Tune the default (#10)", "Ada Lovelace"),
        ("flag", "[Feature] Add --max-batch to the server (#12)", "Bo Chen"),
        ("fix", "Fix overflow in paged cache (#13)", "Ada Lovelace"),
        ("rename", "Rename run to execute (#14)", "Dana"),
    ]
    lines = [form.format(f"<{key}>", f"<{key}:url>", title, who) for key, title, who in entries]
    outcome = await audit("# Engine\n\n" + "\n".join(lines) + "\n", repos=ENGINE)
    assert outcome.wrong() == {"Dana": "metadata"}


async def test_notes_behind_titles_are_no_names_where_they_never_are(audit: Audit) -> None:
    outcome = await audit(
        """# Engine

- `<tune>` Tune the default (#10) — Performance
- `<fix>` Fix overflow in paged cache (#13) — Bugfix
- `<rename>` Rename run to execute (#14) — Refactoring
""",
        repos=ENGINE,
    )
    assert outcome.wrong() == {}


async def test_chinese_sentences_that_say_who_when_and_how_it_is_called(audit: Audit) -> None:
    outcome = await audit(
        """# 日报 2026-03-10

## acme/engine

- `<flag>`：由 Bo Chen 提交，提交于 2026-03-10，标题 “[Feature] Add --max-batch to the server (#12)”。
- `<fix>`：由 Bo Chen 于 2026-03-10 提交，作者 Ada Lovelace，提交于 2026-03-09。
- `<rename>`：由 Chris P 于 2026-03-10 提交，作者在说明里没有写原因，标题“Rename run to perform (#14)”。
""",
        repos=ENGINE,
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [(6, "author"), (6, "date"), (7, "title")]


async def test_counts_of_all_files_and_of_one_right_behind_its_path(audit: Audit) -> None:
    outcome = await audit(
        """# 日报 2026-03-10

## acme/engine

- `<flag>`：共 2 个文件，+5 / -0 行。
- `<fix>`：共 2 个文件，+14 / -0 行。
- `<rename>`：改动 +2/-2 行。

Notes: `<flag>` has `engine/server.py` +3, `docs/flags.md` +4.
""",
        repos=ENGINE,
    )
    assert [one.line for one in outcome.findings if one.wrong] == [6, 7, 9]
    assert set(outcome.reasons()) == {"number"}


async def test_a_sentence_about_a_pull_request_is_not_held_to_the_commit_of_the_sentence_before(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

The day began with [`<rename>`](<rename:url>). The option `--max-batch` was added too
([#12](https://github.com/acme/engine/pull/12)), in `engine/server.py`, across 2 files (+5/-0).
""",
        repos=ENGINE,
    )
    assert outcome.wrong() == {}
    assert "--max-batch" in {one.claim for one in outcome.findings if one.verdict == "right"}


async def test_code_between_paragraphs_belongs_to_a_change_that_they_name(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

Two landed: [`<flag>`](<flag:url>) and [`<fix>`](<fix:url>).

```python
def execute(limit=8):
```

That line is from [`<rename>`](<rename:url>). And in [`<fix>`](<fix:url>):

```python
def page_all(n):
    return [page(i) for i in range(n)]
```
""",
        repos=ENGINE,
    )
    assert [(one.line, one.verdict) for one in outcome.findings if one.kind == "code"] == [
        (5, "right"),
        (12, "wrong:quote"),
    ]


async def test_code_of_no_cited_change_is_made_up_wherever_it_stands(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

- [`<flag>`](<flag:url>) a new flag

## Details

```python
class TeleportScheduler(BaseScheduler):
    pass
```
""",
        repos=ENGINE,
    )
    assert outcome.reasons() == ["quote"]


async def test_code_in_running_text_is_right_or_unverifiable_but_never_passed_over(audit: Audit) -> None:
    outcome = await audit(
        "# acme/engine 2026-03-10\n\n- `<rename>`: `def execute(limit=8):` for `def run(limit = 8, more)` now.\n",
        repos=ENGINE,
    )
    assert [one.verdict for one in outcome.findings if one.kind == "code"] == ["right", "unverifiable"]


async def test_a_hash_that_links_to_a_pull_request_and_a_fix_of_its_own_number(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

- [`a1b2c3d`](https://github.com/acme/engine/pull/12): a new flag
- Issue #14 was fixed by `<rename>`.
""",
        repos=ENGINE,
    )
    assert outcome.reasons() == ["label", "label"]


async def test_a_link_as_people_write_it_where_they_chat(audit: Audit) -> None:
    outcome = await audit(
        """*acme/engine, 2026-03-10*

• `<rename>` Rename run to execute (#14), see <https://github.com/acme/engine/pull/14|#14>
• `<fix>` Fix overflow in paged cache (#13), see <https://github.com/acme/engine/pull/12|#13>
""",
        repos=ENGINE,
    )
    assert outcome.reasons() == ["label", "metadata"]


async def test_an_address_whose_number_is_none_is_told_as_such(audit: Audit) -> None:
    outcome = await audit(
        """# acme/engine 2026-03-10

- `<rename>` Rename run to execute, closes https://github.com/acme/engine/issues/0
- Issue [#x](https://github.com/acme/engine/issues/x1) was fixed by `<fix>`.
""",
        repos=ENGINE,
    )
    assert outcome.reasons() == ["malformed", "malformed"]


async def test_the_same_file_below_two_changes_is_no_repetition(audit: Audit) -> None:
    part = "### {} \n**SHA**: [`<{}>`](<{}:url>)\n\n**影响范围**：\n- `engine/a_rather_long_folder/core.py`\n\n---\n\n"
    report = part.format("Tune the default (#10)", "tune", "tune")
    report += part.format("Rename run to execute (#14)", "rename", "rename")
    outcome = await audit(f"# acme/engine\n\n{report}", repos=ENGINE)
    assert "repeated" not in outcome.reasons()


async def test_a_long_paragraph_whose_last_sentence_stops_was_cut(audit: Audit) -> None:
    report = (
        "# 日报 2026-03-10\n\n今日 engine 新增了一个参数；测试覆盖面也有所扩大，文档同步更新。" + "其余改动都很小，" * 8
    )
    outcome = await audit(f"{report}整体来看质量稳步提\n\n## acme/engine\n\n- `<flag>` flag\n", repos=ENGINE)
    assert outcome.reasons() == ["cut-off"]


@pytest.mark.parametrize("unit", ["{} ", "`{}` adds `name_{}` in `a/b.py` (+1/-2 lines). "])
async def test_an_endless_paragraph_is_read_in_time_that_grows_with_its_length(audit: Audit, unit: str) -> None:
    def paragraph(count: int) -> str:
        return "# 2026-03-10\n\n" + "".join(unit.format(f"{n:07x}a1", n) for n in range(count))

    started = time.perf_counter()
    await audit(paragraph(50), repos=())
    short = time.perf_counter() - started
    started = time.perf_counter()
    await audit(paragraph(400), repos=())
    assert time.perf_counter() - started < 8 * 3 * short + 2


@pytest.mark.parametrize(
    ("lead", "wrong"),
    [
        ("The default of the server: --max-batch goes to the server", False),
        ("`--max-batch` is added to the server", False),
        ("[Feature] Drop --max-batch to the server (#12)", True),
        ("[Feature] Add --max-batch to the engine (#12)", True),
        ("adds --max-batch to the server (#12)", False),
    ],
)
async def test_a_sentence_that_retells_a_title_is_not_the_title_misquoted(audit: Audit, lead: str, wrong: bool) -> None:
    outcome = await audit(f"# acme/engine, 2026-03-10\n\n- [`<flag>`](<flag:url>) {lead}\n", repos=ENGINE)
    assert ("title" in {one.kind for one in outcome.findings if one.wrong}) is wrong
