"""The live page in a real browser: ask, watch, follow a citation; nothing leaves this machine."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Page, Route, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: the live page was NOT tried")
Serving = Callable[..., str]
HOSTILE = "<img src=x onerror=document.title='taken'><script>document.title='taken'</script> raise MAX_ROUTES"
_ATTACKS = (
    "<script>document.title='taken'</script>",
    "<img src=x onerror=document.title='taken'>",
    "<svg/onload=document.title='taken'>",
    "<iframe srcdoc='<script>parent.document.title=1</script>'>",
    "[x](javascript:document.title='taken')",
    "<a href='javascript:document.title=1'>x</a>",
    "</pre></span></div><h1>taken</h1>",
    "<style>*{display:none}</style>",
    "<base href='https://evil.example/'>",
    "<form action='https://evil.example/'><input name=q>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "![x](https://evil.example/p.png)",
    "<link rel=stylesheet href='https://evil.example/x.css'>",
    "<object data='https://evil.example/x'>",
    "<math><mi xlink:href='javascript:alert(1)'>",
    "event: done",
    'data: {"cites": []}',
    "\u202egnp.exe\u2066",
    "&lt;b&gt; &#60;script&#62;",
    "${document.title='taken'} {{constructor.constructor('x')()}}",
)
ATTACKS = [f"{before}{attack}{after}" for before, after in
           (("", ""), ("`", "`"), ('"', '"'), ("中文", "中文"), ("-->", "<!--")) for attack in _ATTACKS]  # fmt: skip


class Engine(Protocol):
    """The clone of the fixture."""

    @property
    def repo(self) -> list[str]: ...

    def commit(self, subject: str, when: datetime, author: str = "Ada", **files: str) -> str: ...


@contextmanager
def browsing(address: str, width: int, dark: bool = False) -> Iterator[Page]:
    strange: list[str] = []
    faults: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        scheme = "dark" if dark else "light"
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
        page.on("request", lambda one: None if one.url.startswith(address) else strange.append(one.url))
        page.on("pageerror", lambda one: faults.append(str(one)))
        page.on("console", lambda one: faults.append(one.text) if one.type == "error" else None)
        try:
            yield page
        finally:
            browser.close()
    assert strange == []
    assert faults == []


@pytest.mark.parametrize("width", [390, 1280])
def test_a_question_is_answered_with_its_evidence_beside_it(serving: Serving, width: int, tmp_path: Path) -> None:
    address = serving()
    with browsing(address, width, dark=width > 1_000) as page:
        page.goto(f"{address}/")
        page.get_by_role("link", name="Ask", exact=True).click()
        page.get_by_label("Your question").fill("what changed in MAX_ROUTES on 2026-02-04?")
        page.keyboard.press("Enter")
        cite = page.locator("button.cite").first
        expect(cite).to_be_visible(timeout=60_000)
        expect(page.locator("#turns")).to_contain_text("from 22 to 12")
        cite.click()
        expect(page.locator("#evidence")).to_contain_text("+MAX_ROUTES = 12", timeout=30_000)
        expect(page.locator("#evidence .line.marked")).to_have_text(["-MAX_ROUTES = 22", "+MAX_ROUTES = 12"])
        page.get_by_label("Your question").fill("who wrote it?")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator(".turn").nth(1)).to_contain_text("Grace", timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.screenshot(path=tmp_path / f"live-{width}.png", full_page=True)
        page.get_by_role("link", name="中文").first.click()
        expect(page.get_by_role("button", name="提问", exact=True)).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.heavy)])
@pytest.mark.parametrize(
    ("lang", "asking"), [pytest.param("en", "Your question", marks=pytest.mark.heavy), ("zh", "您的问题")]
)
def test_axe_has_nothing_grave_to_say_of_an_answer_and_its_evidence(
    serving: Serving, grave: Callable[[Page], list[str]], lang: str, asking: str, width: int, dark: bool
) -> None:
    address = serving()
    with browsing(address, width, dark) as page:
        page.goto(f"{address}/{lang}/ask.html")
        assert grave(page) == []
        page.get_by_label(asking).fill("what changed in MAX_ROUTES on 2026-02-04?")
        page.keyboard.press("Enter")
        cite = page.locator("button.cite").first
        expect(cite).to_be_visible(timeout=60_000)
        cite.click()
        expect(page.locator("#evidence")).to_contain_text("+MAX_ROUTES = 12", timeout=30_000)
        expect(page.locator("#stop")).to_be_hidden()
        assert grave(page) == []


def test_words_of_others_stay_words_and_a_question_can_be_stopped(serving: Serving, engine: Engine) -> None:
    assert len(ATTACKS) == 100
    lines = "\n".join(ATTACKS)
    code = "".join(f"# {attack}\n" for attack in ATTACKS)
    engine.commit(
        f"{HOSTILE}\n\n{lines}", datetime(2026, 2, 5, 9, tzinfo=UTC), router=f"MAX_ROUTES = 99  # <b>x</b>\n{code}"
    )
    address = serving()
    with browsing(address, 1280) as page:
        page.goto(f"{address}/en/ask.html")
        page.get_by_label("Your question").fill(f"what changed in MAX_ROUTES on 2026-02-05? {HOSTILE}")
        page.keyboard.press("Enter")
        cite = page.locator("button.cite").first
        expect(cite).to_be_visible(timeout=60_000)
        cite.click()
        expect(page.locator("#evidence")).to_contain_text("<b>x</b>", timeout=30_000)
        expect(page.locator("#evidence")).to_contain_text("# -->${document.title=")
        assert page.locator("#ask :is(img, script, svg, iframe, style, object, h1), #evidence .line *").count() == 0
        assert page.evaluate("document.querySelectorAll('main h1').length") == 1
        assert "taken" not in page.title()
        page.get_by_label("Your question").fill("what changed in the last 300 days?")
        page.keyboard.press("Enter")
        # The answer may come before a hand would reach the button; a click that waits for it would wait for ever.
        page.locator("#stop").dispatch_event("click")
        expect(page.locator(".turn").nth(1)).to_contain_text(re.compile("Stopped|MAX_ROUTES"), timeout=30_000)
        expect(page.get_by_role("button", name="Stop")).to_be_hidden()


def test_what_is_typed_while_an_answer_comes_is_kept_and_a_question_that_failed_comes_back(serving: Serving) -> None:
    address = serving()
    held: list[Route] = []

    def sent(page: Page) -> Route:
        for _ in range(500):
            if held:
                break
            page.wait_for_timeout(20)
        return held.pop()

    with sync_playwright() as play, play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser:
        page = browser.new_page()
        page.route("**/api/ask", lambda route: held.append(route))
        page.goto(f"{address}/en/ask.html")
        question = page.get_by_label("Your question")
        question.fill("what changed in MAX_ROUTES on 2026-02-04?")
        page.keyboard.press("Enter")
        expect(question).to_have_value("")
        question.fill("who wrote it?")
        sent(page).continue_()
        expect(page.locator("button.cite").first).to_be_visible(timeout=60_000)
        expect(page.locator("#stop")).to_be_hidden(timeout=60_000)
        expect(question).to_have_value("who wrote it?")
        page.keyboard.press("Enter")
        expect(question).to_have_value("")
        sent(page).abort()
        expect(question).to_have_value("who wrote it?")
