"""A report with analysis on the site: headlines, sentences with their labels, anchors as evidence."""

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gitzette.site.build import Built
from tests.analysed_report import analysed_report

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def site(shelf: Callable[..., Path], built: Callable[..., Built], tmp_path: Path) -> Path:
    """The site of the one report."""
    built(shelf(analysed_report()))
    return tmp_path / "site"


def day(site: Path, lang: str = "en") -> str:
    return (site / lang / "days" / "2026-02-04.html").read_text("utf-8")


def plain(markup: str) -> str:
    """Give the words that stand on a page, without what its citations open to."""
    closed = re.sub(r'<details class="cite">.*?</div></details>', "", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", closed)).split())


def article(page: str, title: str) -> str:
    articles: list[str] = re.findall(r"<article.*?</article>", page, re.DOTALL)
    return next(one for one in articles if title in one)


def test_the_day_begins_with_the_brief_and_headlines(site: Path) -> None:
    words = plain(day(site))
    order = (
        "The router refuses more than 8 experts, and the cache evicts",
        "Inferred: Whoever sets topK above 8",
        "Highlights",
        "Routing refuses more than 8 experts",
        "Advice: Lower topK to 8 before upgrading.",
        "The day of the router is about limits",
    )
    places = [words.index(one) for one in order]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("lang", "title", "told"),
    [
        (
            "en",
            "Routing refuses",
            (
                "fix(moe): cap topK",
                "The router accepts a topK",
                "Inferred: Models",
                "Advice: Lower",
                "Evidence (2 facts)",
            ),
        ),
        (
            "zh",
            "路由不再接受",
            ("fix(moe): cap topK", "路由器接受的", "推断：每个", "建议：升级前", "证据（2 条事实）"),
        ),
    ],
)
def test_a_commit_has_headline_title_analysis_and_folded_evidence(
    site: Path, lang: str, title: str, told: tuple[str, ...]
) -> None:
    words = plain(article(day(site, lang), title))
    places = [words.index(one) for one in (title, *told)]
    assert places == sorted(places)
    assert words.count("--router-legacy") == 2
    assert words.index("--router-legacy") < words.index(told[-1]) < words.index("MaxExperts")


def test_evidence_opens_on_the_anchor(site: Path) -> None:
    entry = article(day(site), "Two workers")
    first, _, reported = entry.partition('<div class="analysis">')[2].partition("Reported in ")
    assert "<code>router/pool.py</code>" in first
    assert "<ins>+    self._lock.release()</ins>" in first
    assert "With two GPUs it hangs on every restart." in reported.partition("</details>")[0]
    limit = article(day(site), "Routing refuses")
    inferred = limit.split("Models that route")[1].split("</details>")[0]
    # The lines around the anchor are quoted in the report, so they are shown with it.
    assert "<del>-  check(topK &lt;= 22)</del><ins>+  check(topK &lt;= 8)</ins>" in inferred


def test_front_page_feed_and_search_lead_with_headlines(site: Path) -> None:
    front = plain((site / "zh" / "index.html").read_text("utf-8"))
    assert front.index("推断：topK 设得高于 8") < front.index(
        "路由不再接受超过 8 个专家 建议：升级前请将 topK 调到 8。"
    )
    feed = ElementTree.fromstring((site / "en" / "feed.xml").read_bytes())
    content = next(feed.iter(f"{ATOM}content")).text or ""
    assert content.startswith("<ul><li>The router refuses more than 8 experts")
    assert ">Routing refuses more than 8 experts</a> — Advice: Lower <code>topK</code> to 8" in content
    documents = json.loads((site / "search" / "docs" / "2026-02-04.json").read_bytes())
    limit = documents[0]
    assert limit[7:] == ["Routing refuses more than 8 experts", "路由不再接受超过 8 个专家"]
    assert limit[6].startswith("路由器接受的 topK 上限由 22 降为 8。")
    assert "推断：每个 token" in limit[6]


def test_a_report_in_one_language_has_its_facts_in_the_other(
    shelf: Callable[..., Path], built: Callable[..., Built], tmp_path: Path
) -> None:
    report = analysed_report()
    chinese = [one.model_copy(update={"text": {"zh": one.text["zh"]}}) if one.free else one for one in report.claims]
    built(shelf(report.model_copy(update={"claims": tuple(chinese)})))
    english = day(tmp_path / "site")
    assert not re.search("[\u4e00-\u9fff]", plain(english).replace("中文", ""))
    assert "The default of the flag topK changes from 22 to 8." in html.escape(plain(english), quote=False)


def test_the_pages_are_whole(site: Path, parsed: Callable[[str], Any]) -> None:
    for lang in ("en", "zh"):
        page = parsed(day(site, lang))
        assert page.unbalanced == []
        assert not [one for one in page.all("details", "div", "figure") if "p" in one.parents]
