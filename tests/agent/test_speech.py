"""What authors say: their first telling sentence, whole, and nothing of forms and machines."""

import pytest

from agent.speech import own_words

TITLE = "Fix the scheduler (#12)"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "Fixes a case where blocks were freed\nbefore a transfer completed.\n\nSigned-off-by: A <a@b.c>",
            "Fixes a case where blocks were freed\nbefore a transfer completed.",
        ),
        (
            "Reverts octo/router#2304\n\nAs it introduces regression on unit tests\n\n<!-- made by a machine -->\n"
            "## Summary by CodeRabbit\n\n* **Refactor** consolidated the handling of everything",
            "As it introduces regression on unit tests",
        ),
        (
            "<!-- template -->\n## Description\nSummary\n* Fixed the bandwidth calculation in `bench` for real\n"
            "* Updated the rest\n\n## Checklist\n- [x] I have installed the hooks",
            "Fixed the bandwidth calculation in `bench` for real",
        ),
        ("按照报告里的步骤定位到原因，加了一行判断。", "按照报告里的步骤定位到原因，加了一行判断。"),
        ("修复了显存不足时请求永远等待的问题。另外补充测试。", "修复了显存不足时请求永远等待的问题。另外补充测试。"),
    ],
)
def test_the_first_telling_sentence_is_found(body: str, words: str) -> None:
    assert own_words(body, TITLE) == words


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Signed-off-by: A <a@b.c>\nCo-authored-by: B <b@b.c>",
        "fix lint\n\n* address review comments\n* wip",
        "Fix the scheduler",
        "## Purpose\n\n## Test Plan\nRun all of the tests on one machine.",
        "- [ ] I have read the contributing guide of this project",
        "```\nsome code that is long enough to be told\n```",
        "https://example.com/a/long/address/that/says/nothing",
        "word " * 200,
    ],
)
def test_forms_trailers_trifles_and_endless_paragraphs_are_no_words_of_the_author(body: str) -> None:
    assert own_words(body, TITLE) is None


def test_hostile_text_is_read_once() -> None:
    for text in ("<!--" * 50_000, "```\n" * 50_000, "a. " * 60_000, "- [" * 60_000, "Fixes" * 40_000):
        own_words(text, TITLE)
