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
        "* Remove unit test per reviewers feedback\n",
    ],
)
def test_forms_trailers_trifles_and_endless_paragraphs_are_no_words_of_the_author(body: str) -> None:
    assert own_words(body, TITLE) is None


def test_hostile_text_is_read_once() -> None:
    for text in ("<!--" * 50_000, "```\n" * 50_000, "a. " * 60_000, "- [" * 60_000, "Fixes" * 40_000):
        own_words(text, TITLE)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "This moves the pass behind the other one. The order is the same for all targets that we have. It also "
            "drops two helpers that nobody calls any more and renames a third.\n"
            "Importantly, this fixes a miscompile of nested loops.",
            "Importantly, this fixes a miscompile of nested loops.",
        ),
        (
            "- Add the first of four points here\n- Fix the second of four points\n- Rename some more things here",
            "Add the first of four points here",
        ),
        (
            "The table has one row more.\n\n| a | b |\nexcluded from all the rows)** | | | x |\n\n"
            "cc @mira to confirm that it is so.",
            "The table has one row more.",
        ),
        (
            "Use **FAST** mode for all of these.\n\nThe old mode failed when a batch was empty.",
            "The old mode failed when a batch was empty.",
        ),
        (
            "Takes what is short (e.g. `A` or `B`) by another way.\n\nIn future work a crash may be mended as well.",
            "Takes what is short (e.g. `A` or `B`) by another way.",
        ),
    ],
)
def test_a_sentence_that_says_why_is_preferred_and_fragments_are_never_taken(body: str, words: str) -> None:
    assert own_words(body, TITLE) == words


def test_what_begins_in_the_middle_of_a_sentence_or_calls_for_somebody_is_not_quoted() -> None:
    assert (
        own_words("# Head\nand so the rest of it is done elsewhere.\n\nLooks good, cc @mira to confirm.", TITLE) is None
    )
