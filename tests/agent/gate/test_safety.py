"""Words of a model can do nothing on a page."""

import pytest

from tests.agent.gate.conftest import analysis, make_commit


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("See https://example.com/x for more.", "https://example.com/x"),
        ("See WWW.example.com for more.", "WWW.example.com"),
        ("见github.com/octo/router。", "github.com"),
        ("It <b>holds</b> 8.", "HTML"),
        ("It holds &lt;8.", "HTML"),
        ("It is [here](x).", "link"),
        ("It is ![here][x].", "image"),
        ("# Lower it", "heading"),
        ("| a | b |", "table"),
        ("```\nx\n```", "fence"),
        ("It is `open.", "not closed"),
        ("Thanks to @jdoe for it.", "@jdoe"),
        ("This fixes #41 now.", "close an issue"),
        ("This closes: octo/router#41.", "close an issue"),
        ("Lowers it [@2].", "[@2]"),
        ("Lowers it [@x].", "[@x]"),
        ("Lowers it [c9].", "[c9]"),
        ("Lowers\u202e it.", "invisible"),
        ("Lowers\x07 it.", "control"),
        ("", "0 characters"),
        ("word " * 200, "999 characters"),
        (f"It is {'so ' * 231}!!", "701 characters"),
        (
            "It is told: You are an expert engineer who reads what landed in octo/router",
            "repeats the instructions",
        ),
        (
            "It is told: Say only what the evidence shows or what\nfollows from it.",
            "repeats the instructions",
        ),
        ("降低了上限。", "not in English"),
    ],
)
def test_what_could_act_on_a_page_is_refused(text: str, reason: str) -> None:
    objections = [
        objection for objection in analysis(make_commit(), text=text) if objection.check == "safety"
    ]
    assert any(reason in objection.reason for objection in objections)


@pytest.mark.parametrize(
    "text",
    [
        "Lowers it [@1].",
        "Handles `@property` and `List<int>`.",
        "C# lines, #41 included, and a < b > c.",
        "It lands “[Reapply][Backend] Lower the limit” again.",
        f"It is {'so ' * 231}!",
        "Answers now hold what the evidence shows or what follows from the log.",
    ],
)
def test_ordinary_words_are_safe(text: str) -> None:
    assert [
        objection
        for objection in analysis(make_commit(pull=41), text=text)
        if objection.check == "safety"
    ] == []


def test_a_text_for_zh_has_han_characters() -> None:
    assert "Chinese" in analysis(make_commit(), text="Lowers it.", lang="zh")[0].reason
    assert analysis(make_commit(), text="降低 `topK` 的上限。", lang="zh") == []
