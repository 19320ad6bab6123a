"""Words that look like a fix and are none, words that are one and do not look like it, and titles alike by chance."""

import pytest

from agent.ids import RepoId
from agent.linking.speech import Saying
from agent.linking.words import sayings

REPO = RepoId("lumen-ai/swiftserve")
FIXED = {Saying.CLOSES, Saying.ADDRESSES}


def read(text: str) -> dict[str, Saying]:
    return {one.issue.removeprefix(REPO): one.saying for one in sayings(text, REPO)}


@pytest.mark.parametrize(
    "text",
    [
        "Fixes [#12](https://github.com/lumen-ai/swiftserve/issues/12)",
        "**Fixes** #12",
        "Fixes **#12**",
        "Fixes: #12\r\nSigned-off-by: Mira",
        "Closes Lumen-AI/SwiftServe#12",
        "fixes https://github.com/lumen-ai/swiftserve/issues/12#issuecomment-99",
        "fix(#12): let requests in",
        "Fix #12: let requests in",
        "Bugfix #12",
        "Issue #12: let requests in",
        "fix：#12",
        "| Fixes | #12 |",
        "- fixes #12",
        "1. Closes #12",
        "This closes\n#12",
        "Fixes the hang reported in #12",
        "<details>\n\nFixes #12\n\n</details>",
        "> Why?\n\nFixes #12",
        "Fixes [this report](https://github.com/lumen-ai/swiftserve/issues/12)",
        "已修复 #12",
        "Fix the bug mentioned in #12",
        "This PR fixes the crash discussed in issue #12.",
        "Fixes regression #12",
        "FIX #12 (*link existing issues this PR will resolve*)",
        "Fix issue: #12",
        "Close issue #12",
        "Should resolve #12.",
        "Address https://github.com/lumen-ai/swiftserve/issues/12",
        "Solves #12",
        "## Purpose\n\nResolve: #12\n\n## Test Plan",
    ],
)
def test_however_it_is_written_a_fix_is_a_fix(text: str) -> None:
    assert read(text).get("#12") in FIXED


@pytest.mark.parametrize(
    "text",
    [
        "Fixes [#12](https://github.com/other/thing/issues/12)",
        'Fix the pool (<a href="https://redirect.github.com/other/thing/issues/12">#12</a>)',
        "Fixes https://gitlab.com/lumen-ai/swiftserve/-/issues/12",
        "Fixes https://gitlab.com/lumen-ai/swiftserve/issues/12",
        "Fixes mira/swiftserve#12",
        "Fixes swiftserve#12",
        "``fixes #12``",
        "````\n```\nfixes #12\n```\n````",
        "```\n```python\nfixes #12\n```",
        "<code>fixes #12</code>",
        "<pre>\nfixes #12\n</pre>",
        "<blockquote>\nFixes #12\n</blockquote>",
        "The log says:\n\n    fixes #12\n\nand stops.",
        "> somebody wrote\nfixes #12",
        ">> fixes #12",
        "~~Fixes #12~~",
        r"fixes \#12",
        "fixes #12.5",
        "fixes #12abc",
        "Fixes # (issue)",
        'Fixes: 1234abcd5678 ("Let requests in (#12)")',
        "Already fixed by #12",
        "The same problem was fixed in #12.",
        "Fix the crash that #12 introduced",
        "Fixes the build, which #12 broke",
        "修复了 #12 引入的问题",
        "未修复 #12",
        "This reverts the fix for #12",
        "TODO: fix #12",
        "A later change will fix #12",
        "We still need to fix #12",
        "Tried to fix #12 and could not",
        "Clean up instead of fixing #12",
        "Doesn’t fix #12",
        "This is not a fix for #12",
        "Supersedes #12",
        "Fix the regression from #12",
        "Refs #12",
        "As mentioned in #12, the pool is too small",
        "Fix typo mentioned in review of #12",
        "Depends on #12",
        "Duplicate of #12",
        "## Known issues\n\n#12",
        "## Related PRs\n\n#12",
        "Add a test that reproduces #12",
    ],
)
def test_what_only_looks_like_a_fix_is_none(text: str) -> None:
    assert read(text).get("#12") not in FIXED


@pytest.mark.parametrize(
    "text",
    [
        "Fixes #12 partially",
        "Fixes #12 (partly)",
        "Partial fix for #12",
        "Fixes part of #12",
        "Fixes one of the problems of #12",
        "Mitigates #12",
        "Workaround for #12",
        "部分解决 #12",
        "First step for #12",
    ],
)
def test_a_part_is_not_the_whole(text: str) -> None:
    assert read(text).get("#12") is Saying.PARTLY


def test_each_issue_needs_its_own_word() -> None:
    found = read("Fixes #10, #11 and #12; closes #13")
    assert [found[f"#{number}"] in FIXED for number in range(10, 14)] == [True, False, False, True]
