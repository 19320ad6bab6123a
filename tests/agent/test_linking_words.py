"""What the words of a message make of the issues it names."""

import pytest

from agent.ids import RepoId
from agent.linking.speech import Saying
from agent.linking.words import closing_words, sayings

REPO = RepoId("lumen-ai/swiftserve")


def closed(text: str) -> list[str]:
    return [issue.removeprefix(REPO) for issue, _ in closing_words(text, REPO)]


def read(text: str) -> list[tuple[str, str]]:
    return [(one.issue.removeprefix(REPO), one.saying.value) for one in sayings(text, REPO)]


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        ("Fixes #10", ["#10"]),
        ("closes: #10.", ["#10"]),
        ("RESOLVED #10", ["#10"]),
        ("fixes #10, #11", ["#10"]),
        ("Resolves #10, resolves #123", ["#10", "#123"]),
        ("fix GH-12", ["#12"]),
        ("Fixes https://github.com/lumen-ai/swiftserve/issues/12", ["#12"]),
        ("Fixes lumen-ai/tensorforge#3", ["lumen-ai/tensorforge#3"]),
        ("Without this nothing runs, fixes #12", ["#12"]),
        ("The part that matters: fixes #12", ["#12"]),
        ("prefix #12, hotfixes #13, fixing #14, fix-#15", []),
        ("> fixes #12\n\nNo.", []),
        ("```\nfixes #12\n```\n", []),
        ("  ```text\nfixes #12\n", []),
        ("`fixes #12`", []),
        ("<!-- Fixes #12 -->", []),
        ("<!-- never closed, fixes #12", []),
        ("- [ ] Fixes #12\n- [x] closes #13", []),
        ("fixes #12abc and fixes #0", []),
        ("## Fixes\n\n#12", []),
        ("does not fix #12", []),
    ],
)
def test_only_what_github_obeys_closes_an_issue(text: str, issues: list[str]) -> None:
    assert closed(text) == issues


@pytest.mark.parametrize(
    "text",
    [
        "## 🔍 Related Issues\n\n#12 \n\n<!-- Link any related issues here -->",
        "## Related Issues\n\n- #12",
        "**Related issue**\n\nhttps://github.com/lumen-ai/swiftserve/issues/12",
        "Related Issues: #12",
        "Issue: #12",
        "### Fixes\n\n#12",
        "This should fix #12",
        "this addresses #12",
        "Another try, for issue #12.",
        "Fixes the hang that was reported in #12",
        "Fix the hang with tiny caches (issue #12)",
        "This addresses the crash with tiny caches that was reported in\n#12 last week.",
        "修复 #12",
    ],
)
def test_words_say_that_a_change_addresses_an_issue(text: str) -> None:
    assert read(text) == [("#12", Saying.ADDRESSES)]


@pytest.mark.parametrize(
    "text",
    ["Partially fixes #12", "Part of #12", "Not a full solution for #12, only the first step.", "A step towards #12"],
)
def test_a_part_of_a_fix_is_told_from_a_fix(text: str) -> None:
    assert read(text) == [("#12", Saying.PARTLY)]


@pytest.mark.parametrize(
    "text",
    [
        "See #12",
        "Follow-up of #12.",
        "Came up in #12",
        "## Related Issues\n\nContext: #12",
        "Fix a regression introduced in #12",
        "Update the kernel (#12)",
        "## Related Issues\n\n## Notes\n\n#12",
        "Related to #12",
    ],
)
def test_a_mention_is_not_a_fix(text: str) -> None:
    assert read(text) == [("#12", Saying.NAMES)]


def test_hostile_text_is_read_in_no_time() -> None:
    assert closed("`" * 50_000 + "<!--" * 10_000 + "fixes " * 10_000) == []
