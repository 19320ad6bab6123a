"""A report with analysis as messages: brief and headlines first, and nothing of the page's markup."""

import pytest

from agent.settings import Language
from agent.web import Web
from gitzette.delivery.edition import Edition
from tests.analysed_report import analysed_report

WEB = Web("https://git.example")
FIRST: dict[Language, tuple[str, str, str]] = {
    "en": (
        "The router refuses more than 8 experts, and the cache evicts whole sequences. (1a1a1a1, 6f6f6f6)",
        "Inferred: Whoever sets topK above 8 must act before upgrading. (1a1a1a1)",
        "breaking octo/router: Routing refuses more than 8 experts — Advice: Lower topK to 8 before upgrading.",
    ),
    "zh": (
        "路由器不再接受超过 8 个专家，缓存改为整段淘汰序列。（1a1a1a1、6f6f6f6）",
        "推断：topK 设得高于 8 的用户须在升级前处理。（1a1a1a1）",
        "不兼容 octo/router：路由不再接受超过 8 个专家 — 建议：升级前请将 topK 调到 8。",
    ),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("full", [True, False])
def test_the_brief_and_headlines_lead(lang: Language, full: bool) -> None:
    blocks = Edition(analysed_report(), lang, WEB, full).blocks
    assert [block.text for block in blocks if block.kind == "item"][:3] == list(FIRST[lang])


def test_what_is_folded_on_the_page_stands_below_its_name() -> None:
    blocks = Edition(analysed_report(), "en", WEB, full=True).blocks
    texts = [block.text for block in blocks]
    assert not [text for text in texts if "details>" in text or "summary>" in text]
    place = texts.index("Evidence (2 facts)")
    assert blocks[place].pieces[0].bold
    assert texts[place + 1] == "The default of the flag topK changes from 22 to 8."
    assert "Bots (1)" in texts
