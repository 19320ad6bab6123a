"""Axe on the pages of the site: both languages, both themes, phone and desk; skipped where there is no Chromium."""

import shutil
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.site_server import served

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="NOT TESTED: axe on the site, because there is no chromium here (apt install chromium)"
)
# The gate has each language, width and theme once; all that they can be together is heavy.
GATE = [("en", 390, "dark"), ("zh", 1280, "light")]
SHEETS = pytest.mark.parametrize(
    ("lang", "width", "theme"),
    [
        pytest.param(*one, marks=() if one in GATE else pytest.mark.heavy)
        for one in product(("en", "zh"), (390, 1280), ("light", "dark"))
    ],
)
DAY = "days/2026-02-04.html"
# Evidence is folded away at first, and what is folded away is not looked at; a citation of each kind is enough.
_UNFOLD = """() => {
  for (const one of document.querySelectorAll("details:not(.cite)")) one.open = true;
  document.querySelector(".commit details.cite").open = true;
}"""
Grave = Callable[[Any], list[str]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(demo_site: Path) -> Iterator[str]:
    with served(demo_site) as found:
        yield found


@pytest.fixture
def sheet(width: int, theme: str, browser: Any) -> Iterator[Any]:
    """A page of one width and one theme."""
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme)
    yield context.new_page()
    context.close()


def test_axe_sees_a_fault_where_there_is_one(browser: Any, address: str, grave: Grave) -> None:
    page = browser.new_page()
    page.goto(f"{address}index.html")
    assert grave(page) == []
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert ["button-name" in one for one in grave(page)] == [True]
    page.close()


@SHEETS
def test_axe_has_nothing_grave_to_say_of_a_day_with_everything_unfolded(
    sheet: Any, address: str, grave: Grave, lang: str
) -> None:
    sheet.goto(f"{address}{lang}/{DAY}")
    sheet.evaluate(_UNFOLD)
    assert grave(sheet) == []


@SHEETS
def test_axe_has_nothing_grave_to_say_of_the_front_page_and_of_stories(
    sheet: Any, address: str, grave: Grave, lang: str
) -> None:
    for name in ("index", "stories"):
        sheet.goto(f"{address}{lang}/{name}.html")
        assert grave(sheet) == []


@pytest.mark.heavy
@pytest.mark.parametrize(("lang", "width", "theme"), GATE)
def test_axe_has_nothing_grave_to_say_of_any_other_page(
    browser: Any, address: str, demo_site: Path, grave: Grave, lang: str, width: int, theme: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=theme)
    paths = sorted(str(file.relative_to(demo_site)) for file in (demo_site / lang).rglob("*.html"))
    assert {f"{lang}/days/index.html", f"{lang}/repos/index.html"} <= set(paths)
    for path in paths:
        page.goto(f"{address}{path}")
        assert grave(page) == []
    page.close()


@SHEETS
def test_axe_has_nothing_grave_to_say_of_what_a_search_found(sheet: Any, address: str, grave: Grave, lang: str) -> None:
    sheet.goto(f"{address}{lang}/search.html?q=显存")
    sheet.wait_for_function("() => results.dataset.answered === '显存'")
    assert sheet.locator("#results a.title").count() > 0
    assert grave(sheet) == []
