"""Everything on a page is owned, and what is not owned states nothing."""

import pytest
from agent.factual import is_factual, sentences
from agent.spans import CHROME, COMPUTED, TITLE, Span, claim_spans, page, uncited

from agent.claims import Claim, Judgement, Quote, Role, Verdict
from agent.ids import RepoId
from agent.web import Web

WEB = Web("https://github.com")
SHA = "a1b2c3d4" * 5
CLAIM = Claim(
    id="k1",
    repo=RepoId("octo/router"),
    role=Role.CHANGE,
    cites=(f"octo/router@{SHA}", "octo/router#12", "octo/kernels@v1.0"),
    quotes=(Quote(cite=f"octo/router@{SHA}", text="-    if topK > 22:\n+    if ``` > 8:", file="a.py"),),
    text={"en": "Lowers *topK* [@1] and fixes [@2].", "zh": "降低上限[@1]，修复 [@2]。"},
)


def test_marks_become_links_and_quotations_fences_that_they_cannot_close() -> None:
    commit = f"[`a1b2c3d`](https://github.com/octo/router/commit/{SHA})"
    issue = "[`#12`](https://github.com/octo/router/issues/12)"
    release = "[`octo/kernels@v1.0`](https://github.com/octo/kernels/releases/tag/v1.0)"
    fence = "````diff\n-    if topK > 22:\n+    if ``` > 8:\n````"
    assert (
        page(claim_spans(CLAIM, "en", WEB)) == f"Lowers \\*topK\\* {commit} and fixes {issue}. ({release})\n\n{fence}"
    )
    assert page(claim_spans(CLAIM, "zh", WEB)).startswith(f"降低上限{commit}，修复 {issue}。")
    assert "/pull/12" in page(claim_spans(CLAIM, "en", WEB, pulls={"octo/router#12"}))


def test_quotations_lose_what_a_reader_cannot_see_and_keep_their_indentation() -> None:
    quote = Quote(cite=CLAIM.cites[0], text="\tif a\u202e:\r\n\t\tx\x1b[0m = 1", file="a.py")
    shown = page(claim_spans(CLAIM.model_copy(update={"quotes": (quote,)}), "en", WEB))
    assert shown.endswith("```text\n    if a:\n        x [0m = 1\n```")


def test_attributed_speech_shows_its_sources_and_its_quotation_only() -> None:
    speech = CLAIM.model_copy(update={"speech": True, "cites": CLAIM.cites[:1]})
    assert page(claim_spans(speech, "en", WEB)).startswith("[`a1b2c3d`](")
    assert "Lowers" not in page(claim_spans(speech, "en", WEB))


def test_a_page_of_claims_titles_figures_and_layout_is_owned() -> None:
    spans = [
        Span("## octo/router\n\n", COMPUTED),
        Span("Highlights\n\n", CHROME),
        *claim_spans(CLAIM, "en", WEB),
        Span("\n\nWhat else landed:\n\n- ", CHROME),
        Span("Fix *the* router", TITLE),
        Span(" (3 files)", COMPUTED),
        Span("\n\n新增\n\n未关闭的问题：\n", CHROME),
        *claim_spans(CLAIM, "zh", WEB),
    ]
    assert uncited(spans, [CLAIM]) == []
    assert uncited(spans, [CLAIM], titles={"Fix *the* router"}) == []
    assert [one.text for one in uncited(spans, [CLAIM], titles={"Another"})] == ["Fix *the* router"]


@pytest.mark.parametrize(
    "text",
    [
        "This release also removed the old scheduler for good.",
        "It runs 40% faster.",
        "See `route()` for more.",
        "本次更新移除了旧的调度器实现。",
        "Also fixes #12.",
    ],
)
def test_a_statement_passed_off_as_layout_is_uncited(text: str) -> None:
    found = uncited([Span("Highlights\n\n", CHROME), Span(text, CHROME)], [CLAIM])
    assert [one.text.rstrip(".。") for one in found] == [text.rstrip(".。")]


def test_a_statement_in_pieces_around_a_claim_is_uncited() -> None:
    spans = [
        Span("The router removed ", CHROME),
        *claim_spans(CLAIM, "zh", WEB)[:1],
        Span(" the old scheduler.", CHROME),
    ]
    assert len(uncited(spans, [CLAIM])) == 1


def test_spans_of_unknown_failed_or_other_claims_are_uncited() -> None:
    assert "no claim is called" in uncited([Span("It works.", "k9")], [CLAIM])[0].reason
    assert "does not say this" in uncited([Span("It works.", "k1")], [CLAIM])[0].reason
    failed = CLAIM.model_copy(update={"judgement": Judgement(verdict=Verdict.UNSUPPORTED)})
    assert "did not pass" in uncited(claim_spans(failed, "en", WEB)[:1], [failed])[0].reason


def test_sentences_end_in_either_language_and_labels_state_nothing() -> None:
    assert sentences("One. Two! 三。四；五\n- six") == ["One.", "Two!", "三。", "四；", "五", "six"]
    assert not any(map(is_factual, ("Fixed", "Newly opened issues", "新增", "What to watch", "本期要点与后续关注")))
