"""Visit every page of a built site in a browser, and print what is wrong with it.

    python scripts/visit_site.py FOLDER [PAGES]

Needs Chromium. Each page is opened on a phone and on a desktop, in the light and in the dark theme,
with every fold and one citation open. A page may not complain, ask another host, be wider than its
window, show a chart without a text alternative, or break a serious rule of axe. Of more than PAGES pages (200
if not said) an evenly spread part is visited; the newest day is always among them.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from shutil import which
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.site_server import served

WINDOWS = {"phone": (390, 844), "desktop": (1280, 800)}
THEMES = ("light", "dark")
# Of the citations, which open over the text, only the first one: nobody opens all at once.
UNFOLD = """for (const part of document.querySelectorAll('details:not(.cite)')) part.open = true;
document.querySelector('details.cite > summary')?.click()"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAMELESS_CHARTS = """[...document.querySelectorAll('main img, main svg')].filter(
    picture => !(picture.alt || picture.getAttribute('aria-label') || picture.ariaHidden
                 || picture.querySelector('title'))).length"""


def chosen_pages(site: Path, most: int) -> list[str]:
    """Choose the pages to visit: all of them, or an evenly spread part with the newest days."""
    pages = sorted(file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    if len(pages) <= most:
        return pages
    newest = [page for page in pages if page.startswith(("days/", "en/days/", "zh/days/"))][-2:]
    step = len(pages) / most
    spread = [pages[int(step * position)] for position in range(most)]
    return sorted({*spread, *newest})


@contextmanager
def watched(browser: Browser, address: str, troubles: list[str], **look: Any) -> Iterator[Page]:
    """Open a window that notes errors, warnings and requests to other hosts."""
    context = browser.new_context(**look)
    page = context.new_page()

    def note_console(message: Any) -> None:
        if message.type in ("error", "warning"):
            troubles.append(f"{page.url}: console: {message.text}")

    def note_request(request: Any) -> None:
        if not request.url.startswith(address):
            troubles.append(f"{page.url}: asks {request.url}")

    page.on("console", note_console)
    page.on("pageerror", lambda error: troubles.append(f"{page.url}: {error}"))
    page.on("request", note_request)
    yield page
    context.close()


def faults_of(page: Page, axe: str) -> list[str]:
    """Find what is wrong with the page that is open."""
    page.evaluate(UNFOLD)
    page.wait_for_timeout(50)  # The script of the page places what was opened
    faults = []
    if (pixels := page.evaluate(TOO_WIDE)) > 0:
        faults.append(f"{pixels} px too wide")
    if nameless := page.evaluate(NAMELESS_CHARTS):
        faults.append(f"{nameless} pictures without a text alternative")
    page.evaluate(axe)
    violations = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    for violation in violations:
        if violation["impact"] in ("serious", "critical"):
            places = len(violation["nodes"])
            faults.append(
                f"axe {violation['id']}, {places} ×: {violation['nodes'][0]['html']:.160}"
            )
    return faults


def main(site: Path, most: int) -> int:
    """Visit the pages of a site; return 1 if anything is wrong."""
    browser_path = which("chromium") or which("chromium-browser") or which("google-chrome")
    if browser_path is None:
        print("visit_site: Chromium is not installed; install it (apt install chromium)")
        return 2
    pages = chosen_pages(site, most)
    if not pages:
        print(f"visit_site: {site} has no pages; build a site first (gitzette site)")
        return 2
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    troubles: list[str] = []
    visits = 0
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        for window, (width, height) in WINDOWS.items():
            for theme in THEMES:
                look = {"viewport": {"width": width, "height": height}, "color_scheme": theme}
                with watched(browser, address, troubles, **look) as page:
                    for name in pages:
                        page.goto(address + name)
                        visits += 1
                        found = faults_of(page, axe)
                        troubles += [f"{name} ({window}, {theme}): {fault}" for fault in found]
        browser.close()
    for trouble in troubles:
        print(trouble)
    print(f"{visits} visits of {len(pages)} pages: {len(troubles)} faults")
    return 1 if troubles else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 200))
