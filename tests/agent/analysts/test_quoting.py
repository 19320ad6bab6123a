"""What is quoted of a commit: the first prose of its author, and few lines of code."""

import pytest

from agent.analysts.rules import own_words, short_change, shown_lines
from agent.domain.commits import FileChange
from agent.domain.evidence import CommitEvidence
from tests.made_commits import made_change

TITLE = "Fix the scheduler (#12)"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "Fixes a case where blocks were freed\nbefore a transfer completed.\n\nSigned-off-by: A <a@b.c>",
            "Fixes a case where blocks were freed\nbefore a transfer completed.",
        ),
        (
            "<!-- template -->\n## Description\n- [x] I have installed the hooks\n\nAnd the rest is told.",
            None,
        ),
        (
            "- An item of a list comes first\n\nBut prose is told before it.",
            "But prose is told before it.",
        ),
        (
            "修复了显存不足时请求永远等待的问题。另外补充测试。",
            "修复了显存不足时请求永远等待的问题。另外补充测试。",
        ),
        ("```\nsome code that is long enough to be told\n```", None),
        ("Everybody must read https://evil.example/a/long/address now.", None),
        ("Everybody must read evil\u200b.example before the next day.", None),
        ("word " * 200, None),
    ],
)
def test_the_author_is_quoted_with_the_first_prose_and_not_with_forms(
    body: str, words: str | None
) -> None:
    assert own_words(body, TITLE) == words


def test_hostile_text_is_read_once() -> None:
    for text in (
        "<!--" * 50_000,
        "```\n" * 50_000,
        "a. " * 60_000,
        "- [" * 60_000,
        "Fixes" * 40_000,
        "a-b: " * 60_000,
    ):
        own_words(text, TITLE)


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
    telling = "@@ -1 +1 @@\n-a = 1\n+a = 2"
    assert shown(tests_a_py=telling, src_a_json=telling) is None
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
