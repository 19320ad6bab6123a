"""Entries of our own reports: one changed word or number in them is found."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
PULL = "https://github.com/acme/engine/pull"
LIST = "https://github.com/acme/engine/commits/main?since=2026-03-10T00:00:00Z&until=2026-03-10T23:59:59Z"
PAGE = f"""# Gitzette 2026-03-10

2026-03-10 00:00 to 2026-03-11 00:00 (UTC) · 1 repository · 3 commits landed

**Contents**

- [acme/engine](#acmeengine) (3)
  - [Worth knowing](#worth-knowing-2) (2)
    - [\\[Feature\\] Add --max-batch to the server](#feature-add---max-batch-to-the-server-12-<flag>)
    - [Fix overflow in paged cache](#fix-overflow-in-paged-cache-13-<fix>)
  - [Also landed](#also-landed-1) (1)

## acme/engine

[3 commits]({LIST}) on `main`, which stood at [`<rename>`](<rename:url>) when read; files changed: 5, lines: +10 −1.

### All commits

| Commit | Landed | Change | Author | Files | Lines | Importance | Reading |
|---|---|---|---|---:|---:|---|---|
| [`<rename>`](<rename:url>) | 15:20 | Rename run to execute ([#14]({PULL}/14)) | Chris P | 1 | +1 −1 | low | skimmed |
| [`<fix>`](<fix:url>) | 11:00 | Fix overflow in paged cache ([#13]({PULL}/13)) | Ada Lovelace | 2 | +4 −0 | mid | deep |
| [`<flag>`](<flag:url>) | 08:30 | \\[Feature\\] Add --max-batch to the server ([#12]({PULL}/12)) | Bo Chen | 2 | +5 −0 | mid | deep |

### Statistics

- **Importance**: mid 2, low 1
- **Type**: feature 1, fix 1
- **Reading**: deep 2, skimmed 1
- **Authors**: 3
- **Lines**: +10 −1

### Worth knowing (2)

#### \\[Feature\\] Add --max-batch to the server ([#12]({PULL}/12)) [`<flag>`](<flag:url>)

**breaking** · Bo Chen · 08:30 · +5 −0 · 2 files

- **Type**: feature
- **Scope**: `engine/server.py` and 1 more
- **News for you**
  - New flag `--max-batch`, default `16`.

`engine/server.py`

```diff
+parser.add_argument('--max-batch', type=int, default=16)
```

#### Fix overflow in paged cache ([#13]({PULL}/13)) [`<fix>`](<fix:url>)

Ada Lovelace · 11:00 · +4 −0 · 2 files

- **Type**: fix
- **Scope**: `engine/cache.py`, `tests/test_cache.py`

> The author writes: “Fixes #11”

### Also landed (1)

- Rename run to execute ([#14]({PULL}/14)) [`<rename>`](<rename:url>) — The function `run` is now called `execute`.

### Releases

- [`v0.2.0`](https://github.com/acme/engine/releases/tag/v0.2.0)

### Issues

**Addressed by a commit of this window** (1)

- [#11](https://github.com/acme/engine/issues/11) → fixed by [`<fix>`](<fix:url>) (A)

---

Commits landed: 3. How closely each was read, whatever its section: 2 deep, 1 skimmed, 0 listed, 0 folded, 0 failed.

Claims published: 3; citations that hold: 3 of 3 (the commit, line and value exist and were read), checked by code.

Issues linked: A 1.

Threads: acme/engine not read (commits only, as asked).

Not analysed: no model configured.
"""  # noqa: E501


async def test_an_untouched_page_has_nothing_wrong(audit: Audit) -> None:
    outcome = await audit(PAGE, repos=("acme/engine",))
    assert outcome.wrong() == {}


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (f"server ([#12]({PULL}/12)) [", "server ([#12](https://github.com/acme/kernels/pull/12)) ["),
        ("commits/main?since=2026-03-10", "commits/main?since=2026-03-11"),
        ("commits/main?since", "commits/mein?since"),
        ("engine/commits/", "kernels/commits/"),
        ("Bo Chen · 08:30", "Bo Cheng · 08:30"),
        ("Bo Chen · 08:30", "Bo Chen · 08:31"),
        ("+5 −0 · 2 files", "+6 −0 · 2 files"),
        ("+4 −0 · 2 files", "+4 −0 · 3 files"),
        ("Ada Lovelace · 11:00 · ", "Ada Lovelace · "),
        ("`engine/server.py` and 1 more", "`engine/server2.py` and 1 more"),
        ("`engine/server.py` and 1 more", "`engine/server.py` and 2 more"),
        ("`engine/cache.py`, `tests", "`engine/cache.py`, `engine/core.py`, `tests"),
        ("- Rename run to execute", "- Rename run to perform"),
        ("- [Fix overflow in paged cache]", "- [Fix overflow in pages cache]"),
        ("(#worth-knowing-2) (2)", "(#worth-knowing-2) (3)"),
        ("**Importance**: mid 2, low 1", "**Importance**: mid 1, low 2"),
        ("feature 1, fix 1", "feature 2, fix 1"),
        ("feature 1, fix 1", "feature 1, fix 0"),
        ("deep 2, skimmed 1\n", "deep 2, skimmed 2\n"),
        ("“Fixes #11”", "“Fixes the overflow”"),
        ("default `16`.", "default `17`."),
        ("New flag `--max-batch`", "New flag `--max-batches`"),
        ("`run` is now called `execute`", "`run` is now called `executes`"),
        ("type=int, default=16)", "type=int, default=17)"),
        ("`engine/server.py`\n\n", "`engine/core.py`\n\n"),
        ("- **Type**: fix\n", "- **Type**: feature\n"),
        ("### Worth knowing (2)", "### Worth knowing (3)"),
        ("Claims published: 3", "Claims published: 4"),
        ("that hold: 3 of", "that hold: 2 of"),
        ("of 3 (the commit", "of 8 (the commit"),
        ("2 deep, 1 skimmed, 0", "2 deep, 2 skimmed, 0"),
        ("**Authors**: 3", "**Authors**: 2"),
        ("Issues linked: A 1.", "Issues linked: A 2."),
        ("Issues linked: A 1.", "Issues linked: B 1."),
        ("acme/engine/releases/tag", "acme/kernels/releases/tag"),
        ("**Lines**: +10 −1", "**Lines**: +10 −2"),
    ],
)
async def test_one_change_in_an_entry_is_found(audit: Audit, was: str, becomes: str) -> None:
    assert was in PAGE
    outcome = await audit(PAGE.replace(was, becomes), repos=("acme/engine",))
    assert outcome.wrong()


async def test_functions_behind_the_files_are_a_claim_and_no_files(audit: Audit) -> None:
    inside = PAGE.replace("`, `tests/test_cache.py`\n", "`, `tests/test_cache.py`; inside `page`\n")
    assert (await audit(inside, repos=("acme/engine",))).wrong()
    counted = inside.replace("Claims published: 3", "Claims published: 4").replace("hold: 3 of 3", "hold: 4 of 4")
    assert (await audit(counted, repos=("acme/engine",))).wrong() == {}


@pytest.mark.parametrize(("day", "right"), [("2026-03-09", True), ("2026-00-09", False), ("2026-03-11", False)])
async def test_the_steps_of_a_story_have_days_that_there_are(audit: Audit, day: str, right: bool) -> None:
    release = "[`acme/kernels@v1`](https://github.com/acme/kernels/releases/tag/v1)"
    story = f"### Follow-ups\n\n- [`<rename>`](<rename:url>): Takes in {release}.\n  - {day} {release} — upstream\n\n"
    page = PAGE.replace("### Releases", f"{story}### Releases").replace("Claims published: 3", "Claims published: 4")
    outcome = await audit(page.replace("hold: 3 of 3", "hold: 5 of 5"), repos=("acme/engine",))
    assert (outcome.wrong() == {}) == right


HEADED = (
    (
        f"#### \\[Feature\\] Add --max-batch to the server ([#12]({PULL}/12)) "
        "[`<flag>`](<flag:url>)\n\n**breaking** · ",
        f"#### The server takes a batch size\n\n\\[Feature\\] Add --max-batch to the server ([#12]({PULL}/12)) "
        "[`<flag>`](<flag:url>) · **breaking** · ",
    ),
    (
        "(#feature-add---max-batch-to-the-server-12-<flag>)",
        "(#the-server-takes-a-batch-size)",
    ),
    ("[\\[Feature\\] Add --max-batch to the server](", "[The server takes a batch size]("),
    (
        "- **Type**: feature\n- **Scope**: `engine/server.py` and 1 more\n- **News for you**\n  - New flag",
        "Inferred: Larger batches need more memory.\n\n**Advice**: Set it to 8.\n\n<details>\n"
        "<summary>Evidence (1 fact)</summary>\n\n- New flag",
    ),
    ("default=16)\n```\n", "default=16)\n```\n\n</details>\n"),
    ("- Rename run to execute", "- **Call it by its new name** · Rename run to execute"),
    (" — The function `run` is now called `execute`.", " — Callers of `run` must use `execute`."),
    ("Not analysed: no model configured.", "Facts: 3, written by code."),
)


def headed() -> str:
    """Write the page as it is with analysis."""
    text = PAGE
    for was, becomes in HEADED:
        assert was in text, was
        text = text.replace(was, becomes)
    return text


async def test_an_entry_below_a_headline_is_read_as_one_with_a_title(audit: Audit) -> None:
    assert (await audit(headed(), repos=("acme/engine",))).wrong() == {}


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("Add --max-batch to the server ([", "Add --max-batches to the server (["),
        ("Bo Chen · 08:30", "Bo Cheng · 08:30"),
        ("+5 −0 · 2 files", "+6 −0 · 2 files"),
        ("· Rename run to execute", "· Rename run to perform"),
        ("### Worth knowing (2)", "### Worth knowing (3)"),
        ("default `16`.", "default `17`."),
        ("[The server takes a batch size](", "[The server takes a batch]("),
    ],
)
async def test_what_is_changed_below_a_headline_is_found(audit: Audit, was: str, becomes: str) -> None:
    text = headed()
    assert was in text
    assert (await audit(text.replace(was, becomes, 1), repos=("acme/engine",))).wrong() != {}
