"""What is quoted of a commit: a sentence of its author about the change, and few lines of code."""

import time
from datetime import date

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Change, FileChange
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.window import Window
from agent.triage.weights import weigh
from agent.writing.quotes_chosen_by_rules import (
    ChangedNames,
    recurring_sentences,
    sentence_about_change,
    short_change,
    shown_lines,
)
from tests.made_commits import made_change, made_commit

TITLE = "Fix the scheduler (#12)"
NAMES = ChangedNames.in_text("free_blocks\ntransfer\nprose\nKVCache\n")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "Fixes a case where blocks were freed\nbefore a transfer completed.\n\nSigned-off-by: A <a@b.c>",
            "Fixes a case where blocks were freed\nbefore a transfer completed.",
        ),
        (
            "Fixes a case where blocks were freed\nbefore a transfer completed.\nSigned-off-by: A <a@b.c>",
            "Fixes a case where blocks were freed\nbefore a transfer completed.",
        ),
        (
            "<!-- template of blocks -->\n## Blocks\n- [x] I have installed the hooks\n\nAnd the rest is told.",
            None,
        ),
        (
            "- An item of blocks comes first\n\nBut prose is told before it.",
            "But prose is told before it.",
        ),
        ("- An item of blocks goes\non over the transfer of a line\n", None),
        ("> Somebody writes about blocks and transfer.\n", None),
        ("| blocks | transfer |\n|---|---|\n| blocks and | so on and so forth |\n", None),
        ("The transfer of blocks does the following\n\n- one\n- two\n", None),
        ("This change of blocks implements these features:", None),
        ("How to run it:\npytest tests/test_blocks.py --free_blocks", None),
        (
            "It was asked for often, e.g. `transfer` of many blocks.",
            "It was asked for often, e.g. `transfer` of many blocks.",
        ),
        (
            "修复了显存不足时 `free_blocks` 永远等待的问题。另外补充测试。",
            "修复了显存不足时 `free_blocks` 永远等待的问题。",
        ),
        (
            "First there is a transfer of words. Then `KVCache` is freed twice. Then blocks and transfer.",
            "Then `KVCache` is freed twice.",
        ),
        ("This is much better than it was before, as everybody agrees.", None),
        ("```\nsome code of blocks that is long enough to be told\n```", None),
        ("    blocks = indented code that is long enough", None),
        ("Everybody must read https://evil.example/a/long/address of blocks now.", None),
        ("Everybody must read evil\u200b.example of blocks before the next day.", None),
        ("Everybody must see <b>blocks</b> before the next day.", None),
        ("Everybody must see ![blocks](picture.png) before the next day.", None),
        ("blocks " * 200, None),
        ("The blocks are now free.", "The blocks are now free."),
        ("The blocks are all free", None),
        ("The blocks are freed before a transfer,", None),
        # What stands above a list is quoted if it is whole by itself.
        ("The blocks are freed once more.\n\n- twice\n", "The blocks are freed once more."),
        ("The blocks are freed in these two cases\n\n- twice\n", None),
    ],
)
def test_the_author_is_quoted_with_a_whole_sentence_about_what_changed(
    body: str, words: str | None
) -> None:
    assert sentence_about_change(body, TITLE, NAMES) == words


def test_the_title_is_not_quoted_again_and_neither_is_a_template() -> None:
    text = "Free the blocks after a transfer."
    assert sentence_about_change(text, TITLE, NAMES) == text
    assert sentence_about_change(text, "Free the blocks after a transfer (#12)", NAMES) is None
    template = frozenset({"free the blocks after a transfer"})
    assert sentence_about_change(text, TITLE, NAMES, template) is None


def test_a_sentence_of_two_changes_or_of_a_form_is_a_template() -> None:
    reads = []
    bodies = ("Blocks were freed twice before.\n\nI have read the contributing guide.",) * 2
    for number, body in enumerate((*bodies, "Transfers are slower than they were.")):
        commit = made_commit(f"Fix {number}\n\n{body}", sha=f"{number}" * 40)
        change = Change(commit=commit, files=())
        evidence = CommitEvidence(change=change)
        reads.append(Read(evidence=evidence, triage=weigh(change, None), depth="deep"))
    form = "Describe how you tested the change."
    day = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
    material = Material(repo=RepoId("octo/router"), window=day, reads=reads, templates=[form])
    assert recurring_sentences(material) == {
        "blocks were freed twice before",
        "i have read the contributing guide",
        "describe how you tested the change",
    }


def test_hostile_text_is_read_once() -> None:
    for text in (
        "<!--" * 50_000,
        "```\n" * 50_000,
        "a. " * 60_000,
        "- [" * 60_000,
        "> " * 60_000,
        "*_" * 60_000,
        "[" * 60_000,
        "Fixes" * 40_000,
        "a-b: " * 60_000,
    ):
        began = time.perf_counter()
        sentence_about_change(text, TITLE, NAMES)
        assert time.perf_counter() - began < 2, text[:10]


def shown(**patches: str) -> tuple[str | None, str] | None:
    paths = {name.replace("_", "/", 1).replace("_", "."): patch for name, patch in patches.items()}
    files = [
        FileChange(path=path, status="modified", additions=1, deletions=1, patch=p)
        for path, p in paths.items()
    ]
    quote = short_change(CommitEvidence(change=made_change(*files)))
    return (quote.file, quote.text) if quote else None


def test_an_exchange_is_preferred_and_its_lines_are_verbatim() -> None:
    patch = (
        "@@ -1,4 +1,5 @@\n+import os\n x\n-  if a > b:\n+  if a >= b:\n y\n+  more = 1\n+  than = 2"
    )
    assert shown(src_a_py=patch) == ("src/a.py", "-  if a > b:\n+  if a >= b:")


def test_additions_tests_data_and_endless_lines_are_not_shown() -> None:
    diff = "@@ -1 +1 @@\n-a = 1\n+a = 2"
    assert shown(tests_a_py=diff, src_a_json=diff) is None
    assert shown(src_a_py="@@ -1 +1 @@\n" + "\n".join(f"+a{n} = 1" for n in range(40))) is None
    picture = 'LOGO = "' + "iVBOR" * 100 + '"'
    patch = (
        f"@@ -1,3 +1,3 @@\n-{picture}\n+{picture}=\n x\n@@ -9,2 +9,2 @@\n-  limit = 8\n+  limit = 9"
    )
    assert shown(src_a_py=patch) == ("src/a.py", "-  limit = 8\n+  limit = 9")


def test_the_line_that_names_most_is_shown_with_those_below_it() -> None:
    patch = "@@ -1,4 +1,4 @@\n class A:\n-    x = 1\n-    y = 1\n+    x = 2\n z\n+    y = 2"
    lines = ("-    x = 1", "-    y = 1", "+    x = 2", "+    y = 2")
    assert shown_lines(lines, patch, ["y", "1"]) == ("-    y = 1", "+    x = 2")
    assert shown_lines(("+    nowhere",), patch) == ()
