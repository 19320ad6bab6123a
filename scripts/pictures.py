"""Take the pictures of the docs from the demonstration's world.

    python scripts/pictures.py [FOLDER]

Needs Chromium. The three days of the world are reported on, the last one with the demonstration's
recorded analysis; their site is served with the live page, and a browser looks at both.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from evals.github_server.app import GitHubServer
from evals.worlds.worlds_from_toml import read_world
from gitzette.demo import DATA, TOKEN

ROOT = Path(__file__).resolve().parent.parent
DAYS = ("2026-02-02", "2026-02-03", "2026-02-04")
WIDE, PHONE = (1180, 800), (390, 760)
QUESTION = "what changed in --max-queue on 2026-02-04?"
COMMIT = re.compile("^[0-9a-f]{7}$")


@contextmanager
def live_page(folder: Path) -> Iterator[str]:
    """Report on the days of the world and serve them; yield the address."""
    world = read_world(DATA, folder / "world")
    names = [repo.full_name for repo in world.repos]
    (folder / "gitzette.toml").write_text(f"repos = {names!r}\n".replace("'", '"'))
    with GitHubServer(world.repos, tokens=(TOKEN,), now=world.now) as server:
        addresses = {
            "GITZETTE_GITHUB_URL": server.url,
            "GITZETTE_GIT_URL": server.git_url,
            "GITZETTE_WEB_URL": "https://git.example",
        }
        environ = os.environ | addresses
        environ |= {
            "GITHUB_TOKEN": TOKEN,
            "GITZETTE_HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-m", "gitzette"]
        for options in (*(["--date", day] for day in DAYS), ["--demo"]):
            run = [*command, "run", *options]
            subprocess.run(run, cwd=folder, env=environ, check=True, capture_output=True)
        for file in (folder / "gazette-demo" / "reports").glob("*.json"):
            shutil.copy(file, folder / "gazette" / "reports")
        serve = [*command, "serve", "--port", "0"]
        with subprocess.Popen(
            serve, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True
        ) as serving:
            assert serving.stderr is not None
            try:
                yield serving.stderr.readline().split(" is at ")[1].strip().rstrip("/")
            finally:
                serving.terminate()


@contextmanager
def opened(browser: Browser, address: str, size: tuple[int, int], theme: str) -> Iterator[Page]:
    """Open an address in a window of some size."""
    window = {"width": size[0], "height": size[1]}
    page = browser.new_page(viewport=window, color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.goto(address)
    yield page
    page.close()


def take(browser: Browser, address: str, to: Path, theme: str) -> None:
    """Take one picture of each kind in one theme."""
    end = "-dark.png" if theme == "dark" else ".png"
    with opened(browser, f"{address}/en/index.html", WIDE, theme) as page:
        page.screenshot(path=to / f"site-front{end}")
    with opened(browser, f"{address}/en/days/{DAYS[-1]}.html", WIDE, theme) as page:
        commit = page.locator("article.commit", has=page.locator("ins")).first
        commit.evaluate("element => element.scrollIntoView()")
        commit.locator("details.cite summary").first.hover()
        page.screenshot(path=to / f"site-day{end}")
    with opened(browser, f"{address}/en/stories.html", PHONE, theme) as page:
        page.locator("main h1").evaluate("element => element.scrollIntoView()")
        page.screenshot(path=to / f"site-story-phone{end}")
    with opened(browser, f"{address}/en/ask.html", WIDE, theme) as page:
        page.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        page.get_by_role("button", name=COMMIT).first.click(timeout=60_000)
        expect(page.locator("#evidence .line.marked").first).to_be_visible(timeout=60_000)
        expect(page.locator("#stop")).to_be_hidden()
        page.locator("main h1").evaluate("element => element.scrollIntoView()")
        page.screenshot(path=to / f"live{end}")


def main() -> None:
    """Write the pictures into a folder, docs/pictures unless another is given."""
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("pictures: there is no chromium here (apt install chromium)")
    to.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as name,
        live_page(Path(name)) as address,
        sync_playwright() as play,
    ):
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for theme in ("light", "dark"):
            take(browser, address, to, theme)
        browser.close()


main()
