"""How fast the search page of a site answers in a real browser, served on loopback."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# An identifier, Chinese that every commit has, several words, a beginning, and one that many words begin with.
_QUESTIONS = (
    "max_cache_mask",
    "默认值",
    "默认值 scheduler",
    "prefill decode",
    "崩溃",
    "alloc",
    "rename kernel graph",
    "max",
)
# Of as many tries the least counts: other work on the machine slows some, and nothing makes one too fast.
_TRIES = 3


@dataclass(frozen=True)
class Times:
    """Milliseconds from a question to its answer on the page."""

    first: list[float] = field(default_factory=list)
    """With nothing loaded yet."""
    further: list[float] = field(default_factory=list)
    """With one word more on the same page."""
    again: list[float] = field(default_factory=list)
    """With everything loaded: the work of the script alone."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback, and give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def search_times(folder: Path, say: Callable[[str], None]) -> Times:
    """Ask each question on fresh pages; nothing where there is no browser."""
    browser_path = shutil.which("chromium")
    if browser_path is None:
        say("site-cost: the search is not measured, there is no chromium on this machine")
        return Times()
    if find_spec("playwright") is None:
        say("site-cost: the search is not measured, playwright is missing; ./scripts/check installs it")
        return Times()
    from playwright.sync_api import sync_playwright

    times = Times()
    with served(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for question in _QUESTIONS:
            tries = [_asked(browser, f"{address}zh/search.html", question) for _ in range(_TRIES)]
            for kept, found in zip((times.first, times.further, times.again), zip(*tries, strict=True), strict=True):
                kept.append(min(found))
        browser.close()
    return times


def _asked(browser: "Browser", address: str, question: str) -> list[float]:
    """Ask on a fresh page, once more with a further word, then the first question again."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    found = []
    for asked in (question, f"{question} path", question):
        page.fill("#q", asked)
        page.wait_for_function("asked => results.dataset.answered === asked", arg=asked)
        found.append(float(page.evaluate("results.dataset.ms")))
    context.close()
    return found
