"""The site in a real browser, at the widths of a phone and a desk."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from agent.reports.report_json import dump
from agent.settings.values import Settings
from gitzette.site.build import Built, build_site
from tests.made_reports import FIRST, made_day
from tests.site_server import served

WIDTHS = [390, 1280]
NARROWEST = 320  # Pixels, of the smallest phones that are still about
PAPER = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def address(demo_site: Path) -> Iterator[str]:
    with served(demo_site) as site_server:
        yield site_server


def answered(page: Any, words: str) -> list[str]:
    page.fill("#q", words)
    page.wait_for_function("words => results.dataset.answered === words", arg=words)
    return list(page.locator("#results a.title").all_inner_texts())


@pytest.mark.parametrize("width", WIDTHS)
def test_a_reader_searches_in_chinese_and_for_an_identifier(
    opened: Any, address: str, width: int
) -> None:
    page = opened(address, "index.html", width)
    page.keyboard.press("/")
    if width < 1_000:
        page.wait_for_url("**/search.html")
    page.keyboard.type("fused_rms_norm")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=fused_rms_norm")
    page.wait_for_function("() => results.dataset.answered === 'fused_rms_norm'")
    assert "fused_rms_norm" in page.locator("#results a.title").first.inner_text()
    assert any("fused_rms_norm" in title for title in answered(page, "fused_r"))
    assert any("健康检查" in title for title in answered(page, "健康"))
    answered(page, "健康检查")
    page.locator("#results a.title").first.click()
    page.wait_for_url("**/days/2026-02-04.html#*")
    assert page.locator(":target").is_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_citation_opens_to_its_evidence_and_closes_again(
    opened: Any, address: str, width: int
) -> None:
    page = opened(address, "en/days/2026-02-04.html", width)
    cite = page.locator(".commit > .claims details.cite", has=page.locator("pre")).first
    evidence = cite.locator(".evidence")
    assert not evidence.is_visible()
    cite.locator("summary").click()
    assert evidence.is_visible()
    assert evidence.locator("pre").first.inner_text()
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    assert not evidence.is_visible()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@pytest.fixture(scope="module")
def breaking_day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site of a made-up day on which several repositories break something."""
    folder = tmp_path_factory.mktemp("breaking") / "out" / "reports"
    folder.mkdir(parents=True)
    (folder / f"{FIRST}.json").write_text(dump(made_day(FIRST, most=4)), encoding="utf-8")
    build_site(folder.parent, folder.parent / "site", Settings())
    with served(folder.parent / "site") as site_server:
        yield site_server


def test_filters_stand_in_the_address_and_counts_follow_them(
    opened: Any, breaking_day: str
) -> None:
    def visible_commits() -> int:
        return int(
            page.evaluate(
                "[...document.querySelectorAll('main [data-commits]:not([data-again])')]"
                ".filter(n => !n.hidden)"
                ".reduce((sum, n) => sum + Number(n.dataset.commits), 0)"
            )
        )

    def counts() -> list[int]:
        texts = page.locator("main section.tier:not([hidden]) h2 .count").all_inner_texts()
        return [int(text.strip(" ()（）") or 0) for text in texts]

    day = f"en/days/{FIRST}.html"
    page = opened(breaking_day, day)
    everything = visible_commits()
    assert sum(counts()) == everything
    page.locator("p.counts a.badge.breaking").click()
    page.wait_for_url("**?show=breaking")
    breaking = visible_commits()
    assert 0 < breaking < everything
    assert sum(counts()) == breaking
    assert page.locator("main [data-commits]:not([hidden]):not([data-breaking])").count() == 0
    repo_button = page.locator("#filter button[data-of]").first
    repo_button.click()
    repo = repo_button.get_attribute("data-of")
    assert parse_qs(urlsplit(page.url).query) == {"show": ["breaking"], "repo": [repo]}
    assert visible_commits() == int(repo_button.locator(".count").inner_text())
    seen = visible_commits()
    page.reload()
    assert visible_commits() == seen
    page.locator("nav.languages a").click()
    page.wait_for_url(f"**/zh/days/{FIRST}.html?*")
    assert visible_commits() == sum(counts()) == seen
    page.locator("#filter button[data-all]").click()
    assert visible_commits() == sum(counts()) == everything
    texts = page.locator("main section.tier:not([hidden]) h2 .count").all_inner_texts()
    assert {text[:1] for text in texts if text} == {"（"}
    assert urlsplit(page.url).query == ""
    opened(breaking_day, f"{day}?repo=octo/nowhere&show=all")
    assert page.locator("main [data-commits]:not([hidden])").count() > 0


def test_keys_go_from_card_to_card(opened: Any, breaking_day: str) -> None:
    page = opened(breaking_day, f"en/days/{FIRST}.html")
    first, second = page.locator("article.commit").all()[:2]
    page.keyboard.press("j")
    assert first.evaluate("card => card.contains(document.activeElement)")
    page.keyboard.press("j")
    assert second.evaluate("card => card.contains(document.activeElement)")
    page.keyboard.press("k")
    assert first.evaluate("card => card.contains(document.activeElement)")
    page.keyboard.press("Enter")
    page.wait_for_url("**/commits/**")


def test_search_finds_words_of_sentences_and_whole_names_come_first(
    opened: Any, address: str, demo_site: Path
) -> None:
    report = json.loads((demo_site.parent / "reports" / "2026-02-04.json").read_text("utf-8"))
    titles = " ".join(row["title"] for row in report["ledger"]).casefold()
    sentences = [claim for claim in report["claims"] if claim["kind"] == "stated"]
    words = set()
    for claim in sentences:
        if claim["role"] in ("change", "effect"):
            words.update(re.findall(r"\b[a-z]{9,}\b", claim["text"]["en"]))
    word = next(word for word in sorted(words) if word not in titles)
    page = opened(address, "en/search.html")
    assert answered(page, word)
    exact = answered(page, "fused_rms_norm")
    assert "fused_rms_norm" in exact[0]


def test_the_first_screen_of_a_phone_shows_the_brief(opened: Any, address: str) -> None:
    for path in ("en/index.html", "zh/index.html", "en/days/2026-02-04.html"):
        page = opened(address, path, 390)
        first = page.locator(".brief li").first.bounding_box()
        assert first["y"] + first["height"] < 844, path


def test_pictures_follow_the_chosen_colours(opened: Any, address: str) -> None:
    page = opened(address, "en/repos/quillon--larkserve.html", color_scheme="light")
    picture = page.locator("img.chart").first
    light = picture.screenshot()
    page.click("#theme")
    page.click("#theme")
    page.wait_for_timeout(50)
    assert picture.screenshot() != light
    assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)")


def test_the_masthead_leaves_four_fifths_of_a_phone_to_the_news(opened: Any, address: str) -> None:
    for path in ("en/index.html", "zh/index.html"):
        page = opened(address, path, 390)
        assert (
            page.evaluate("document.querySelector('.masthead').getBoundingClientRect().height")
            <= 844 / 5
        )


def test_no_page_is_wider_than_the_narrowest_phone(opened: Any, address: str) -> None:
    day = "en/days/2026-02-04.html"
    # `opened` measures each page when the test is over.
    for path in (day, "index.html", "zh/stories.html", "en/days/index.html", "en/search.html"):
        opened(address, path, NARROWEST)
    opened(address, "en/breaking.html", NARROWEST)
    opened(address, "en/repos/quillon--larkserve.html", NARROWEST)
    unfolded = opened(address, day, NARROWEST)
    unfolded.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")


BREAKS_IN_HAN = """() => {
  const broken = [];
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const walker = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { index, 0: run } of node.data.matchAll(/\\p{Script=Han}+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + run.length);
        if (range.getClientRects().length > 1) broken.push(run);
      }
    }
  }
  return broken;
}"""


def test_headings_in_chinese_break_between_phrases(opened: Any, address: str) -> None:
    for path in ("zh/index.html", "zh/days/2026-02-04.html"):
        assert opened(address, path, 1280).evaluate(BREAKS_IN_HAN) == []


def test_a_word_without_end_breaks_no_layout(
    opened: Any, hostile_report: Callable[..., str], built: Callable[..., Built], tmp_path: Path
) -> None:
    folder = tmp_path / "out" / "reports"
    folder.mkdir(parents=True)
    text = hostile_report(FIRST, "endless" * 50, names=True)
    (folder / f"{FIRST}.json").write_text(text, encoding="utf-8")
    built(folder.parent)
    with served(tmp_path / "site") as site_server:
        for path in ("index.html", f"en/days/{FIRST}.html", "zh/stories.html"):
            page = opened(site_server, path, NARROWEST)
            # What a page fetches after it is shown must come before the server ends.
            page.wait_for_load_state("networkidle")


def test_everything_but_search_works_without_scripts(opened: Any, address: str) -> None:
    page = opened(address, "en/days/2026-02-04.html", 390, java_script_enabled=False)
    cite = page.locator(".commit > .claims details.cite").first
    cite.locator("summary").click()
    assert cite.locator(".evidence").is_visible()
    assert not page.locator("#theme").is_visible()
    page.locator("nav.languages a").click()
    assert page.url.endswith("/zh/days/2026-02-04.html")


@pytest.mark.parametrize("width", WIDTHS)
def test_language_and_colours_can_be_switched_and_the_choice_is_kept(
    opened: Any, address: str, width: int
) -> None:
    page = opened(address, "en/days/2026-02-04.html", width, color_scheme="light")
    light = page.evaluate(PAPER)
    page.click("#theme")
    page.click("#theme")
    dark = page.evaluate(PAPER)
    assert dark != light
    page.click("nav.languages a")
    page.wait_for_url("**/zh/days/2026-02-04.html")
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert page.evaluate(PAPER) == dark
    page.click("#theme")
    assert page.evaluate(PAPER) == light


def test_the_system_decides_the_colours_at_first(opened: Any, address: str) -> None:
    dark = opened(address, "index.html", color_scheme="dark")
    light = opened(address, "index.html", color_scheme="light")
    assert dark.evaluate(PAPER) != light.evaluate(PAPER)


def test_the_first_stop_of_the_keyboard_leads_past_the_navigation(
    opened: Any, address: str
) -> None:
    page = opened(address, "index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_a_link_into_a_folded_part_opens_it(opened: Any, address: str) -> None:
    page = opened(address, "en/days/2026-02-04.html")
    folded = "details:not([open]) [id]"
    element_id = page.evaluate(f"document.querySelector('{folded}').id")
    target = page.locator(f"[id='{element_id}']")
    assert not target.is_visible()
    page.evaluate("element_id => { location.hash = element_id }", element_id)
    target.wait_for(state="visible")


def test_evidence_shows_under_the_pointer_and_by_the_keyboard(opened: Any, address: str) -> None:
    page = opened(address, "en/days/2026-02-04.html")
    cite = page.locator(".commit > .claims details.cite").first
    cite.locator("summary").hover()
    assert cite.locator(".evidence").is_visible()
    page.mouse.move(0, 0)
    assert not cite.locator(".evidence").is_visible()
    cite.locator("summary").focus()
    page.keyboard.press("Enter")
    assert cite.locator(".evidence").is_visible()


@pytest.mark.heavy
@pytest.mark.timeout(900)
def test_hostile_strings_do_nothing_and_break_no_layout_on_a_phone(
    opened: Any,
    hostile_strings: list[str],
    hostile_report: Callable[..., str],
    built: Callable[..., Built],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "out" / "reports"
    folder.mkdir(parents=True)
    days = [FIRST + timedelta(days=offset) for offset in range(len(hostile_strings))]
    for number, (day, bad) in enumerate(zip(days, hostile_strings, strict=True)):
        text = hostile_report(day, bad, names=number % 2 == 1)
        (folder / f"{day}.json").write_text(text, encoding="utf-8")
    built(folder.parent)
    site = tmp_path / "site"
    with served(site) as site_server:
        page = opened(site_server, "index.html", 390)
        for file in sorted(site.rglob("*.html")):
            page.goto(site_server + file.relative_to(site).as_posix())
            page.evaluate(
                "for (const part of document.querySelectorAll('details')) part.open = true"
            )
            too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert too_wide <= 0, file
            assert (
                page.locator("main :is(img:not(.chart), script, iframe, object, style)").count()
                == 0
            ), file


def test_search_works_from_disk(browser: Any, demo_site: Path) -> None:
    page = browser.new_page()
    page.goto((demo_site / "en" / "search.html").as_uri())
    assert any("fused_rms_norm" in title for title in answered(page, "fused_rms_norm"))
    page.close()


@pytest.mark.parametrize(
    ("lang", "width", "theme"),
    [("en", 390, "dark"), pytest.param("zh", 1280, "light", marks=pytest.mark.heavy)],
)
def test_axe_has_nothing_grave_to_say_of_any_page(
    opened: Any, address: str, grave: Callable[[Any], list[str]], lang: str, width: int, theme: str
) -> None:
    page = opened(address, f"{lang}/days/2026-02-04.html", width, color_scheme=theme)
    # Evidence is folded away at first, and what is folded away is not looked at; a citation of each kind is enough.
    page.evaluate(
        "for (const one of document.querySelectorAll('details:not(.cite)')) one.open = true"
    )
    page.evaluate("document.querySelector('.commit details.cite').open = true")
    assert grave(page) == []
    names = "index stories breaking days/index repos/index repos/quillon--larkserve"
    for name in names.split():
        page.goto(f"{address}{lang}/{name}.html")
        assert grave(page) == []
    page.goto(f"{address}{lang}/search.html?q=健康检查")
    page.wait_for_function("() => results.dataset.answered === '健康检查'")
    assert page.locator("#results a.title").count() > 0
    assert grave(page) == []


def test_hostile_text_does_nothing_in_search(
    opened: Any, hostile_report: Callable[..., str], built: Callable[..., Built], tmp_path: Path
) -> None:
    bad = "zyzzyva<img src=x onerror=alert(1)><script>alert(1)</script>\"'`"
    folder = tmp_path / "out" / "reports"
    folder.mkdir(parents=True)
    (folder / f"{FIRST}.json").write_text(hostile_report(FIRST, bad, names=False), encoding="utf-8")
    built(folder.parent)
    with served(tmp_path / "site") as site_server:
        page = opened(site_server, "en/search.html")
        assert answered(page, "zyzzyva")[0].startswith("zyzzyva<img src=x")
        assert answered(page, bad)
        assert page.locator("main img").count() == 0
        page.wait_for_timeout(50)
