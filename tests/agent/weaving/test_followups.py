"""What a message says that it follows up."""

import pytest
from agent.weaving.followups import follows


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("feat: for MLA\n\nThis PR is a follow-up to #2477, expanding support.", [2477]),
        ("fix: imports\n\nFixes ImportError introduced in #2235.", [2235]),
        ("fix: restore the tile removed by #2927 (#2984)", [2927]),
        ("fix: duplicate param\n\nRegression from PR #2297", [2297]),
        ('chore: review\n\nFollow-up to #3051 (`backend="b12x"`) and #3080', [3051, 3080]),
        ("[Bugfix] Fix weight loading issues caused by #41184 (#45054)", [41184]),
        ("follow up to https://github.com/o/r/pull/12 as agreed", [12]),
        ("修复调度\n\n修复 #88 引入的问题。", [88]),
        ("补充测试\n\n#91 的后续。", [91]),
    ],
)
def test_words_that_mend_or_complete_name_the_earlier_change(message: str, numbers: list[int]) -> None:
    assert [one.number for one in follows(message)] == numbers


@pytest.mark.parametrize(
    "message",
    [
        "feat: add it (#5)\n\n**Must be merged after #2385**",
        "docs: the command\n\nThe `replay` command was introduced in #2206 as part of the tool.",
        "fix: typo\n\nSee also #12. Depends on #13.",
        "chore\n\n> follow-up to #9\n\nno, that is something else",
        "chore\n\n- [ ] follow-up to #9 is filed",
        "chore\n\n```\nfollow-up to #9\n```",
        "<!-- write: follow-up to #1 -->",
        "this is not a follow-up to #4",
        "",
    ],
)
def test_mentions_forms_and_quotations_name_nothing(message: str) -> None:
    assert follows(message) == []


def test_hostile_messages_are_read_in_no_time() -> None:
    assert follows("fix " + "a " * 50_000 + "#1") == []
    assert follows("follow-up to " * 20_000) == []


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("Remove boilerplate missed by #46 (#47)", [46]),
        ("[CI] Fix lint brought by #27 (#28)", [27]),
        ("fix(build): restore the pin accidentally rolled back in #37 (#45)", [37]),
        ("fix: guards\n\nThe guards\nadded in #41 / relanded in #42 therefore break the build.", [41, 42]),
        ("Move changes from #89 into the verifiers (#90)", [89]),
        ("fix: it\n\nA regression of #12.", [12]),
        ("[Bugfix] Fix oracle regressions from #37128 (#37787)", [37128]),
        ("fix(comm): keep it importable\n\nIntroduced by #3701, which added the file.", [3701]),
        ("[AMD] Fix a test\n\nThis was fixed by #7457 but then partially overwritten by #7480.", [7480]),
        ("[AMD] Add scratch\n\nNeeded after https://git.example/o/r/pull/7258", [7258]),
    ],
)
def test_what_was_missed_brought_or_rolled_back_is_named_by_its_number(message: str, numbers: list[int]) -> None:
    assert [one.number for one in follows(message)] == numbers


@pytest.mark.parametrize(
    "message",
    [
        'Revert "Fix a crash (regression from #17)" (#18)',
        "[x] Revert Fix a crash (regression from #17) (#18)",
        'again\n\n* Revert "Revert "fix what #3 broke, a follow-up to #3" (#4)"',
        'docs\n\nSee the change "fix: a regression from #17" for why.',
        "feat\n\nThe flag added in #12 is kept and does not break anything.",
    ],
)
def test_the_title_of_another_change_names_nothing(message: str) -> None:
    assert follows(message) == []
