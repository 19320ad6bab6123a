"""The static site as the live page serves it: built when reports change, with the page to ask on put in."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from agent.domain.base import Language
from agent.settings.values import Settings
from agent.telling.catalogue import catalogue
from agent.web import Web
from gitzette.fleet.editions import bring_reports
from gitzette.site.addresses import Place
from gitzette.site.build import build_site
from gitzette.site.command import site_settings
from gitzette.site.pages import Pages
from gitzette.wiring import memory_of

_PATH, _RUNS = "ask.html", "runs.html"
_REFRESH_SECONDS = 10
_KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".txt": "text/plain",
    ".svg": "image/svg+xml",
    ".xml": "application/atom+xml",
}
_ASSETS = {f"assets/{name}": files("gitzette.live").joinpath("assets", name) for name in ("ask.js", "ask.css")}
# The end of the list in the masthead, which every page of the site has first.
_NAVIGATION = "</ul></nav>"


class LivePages:
    """Gives files of the site folder and the page to ask on, and nothing else."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], folder: Path, edition: str = "") -> None:
        self._settings, self._environ = settings, environ
        self._folder, self._edition = folder, edition
        self._built: list[int] | None = None
        self._building = asyncio.Lock()

    async def answer(self, request: Request) -> Response:
        """Answer with a page or another file of the site."""
        path = request.path_params.get("path", "") or "index.html"
        if path in (f"en/{_PATH}", f"zh/{_PATH}"):
            return self._page(_ask_page("zh" if path.startswith("zh/") else "en"), path)
        if self._settings.database and path in (f"en/{_RUNS}", f"zh/{_RUNS}"):
            return self._page(await asyncio.to_thread(self._runs_page, "zh" if path.startswith("zh/") else "en"), path)
        if path in _ASSETS:
            return Response(_ASSETS[path].read_text("utf-8"), media_type=_KINDS[Path(path).suffix])
        await self._renew()
        return self._file(path)

    async def _renew(self) -> None:
        """Build the site again where a report has come or changed."""
        async with self._building:
            if self._settings.database:
                await asyncio.to_thread(self._bring)
            state = sorted(file.stat().st_mtime_ns for file in (self._settings.out / "reports").glob("*.json"))
            if state != self._built:
                shape = site_settings(self._settings)
                await asyncio.to_thread(build_site, self._settings.out, self._folder, shape)
                self._built = state

    def _bring(self) -> None:
        """Fetch what workers published."""
        with memory_of(self._settings, self._environ) as memory:
            bring_reports(memory.fleet, self._settings, self._edition)

    def _file(self, path: str) -> Response:
        root = self._folder.resolve()
        file = (root / path.replace("\0", "")).resolve()
        if file.is_dir():
            file = file / "index.html"
        kind = _KINDS.get(file.suffix)
        if "\0" in path or kind is None or not file.is_relative_to(root) or not file.is_file():
            return PlainTextResponse("there is no such page\n", 404)
        if kind == "text/html":
            return self._page(file.read_text("utf-8"), path)
        return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    def _page(self, page: str, path: str) -> Response:
        """Put into the navigation of a page the ways to ask and to the queue, of which the site knows nothing."""
        lang: Language = "zh" if path.startswith("zh/") or ("/" not in path and self._settings.lang == "zh") else "en"
        names = {_PATH: "ask"} | ({_RUNS: "runs"} if self._settings.database else {})
        for name, word in names.items():
            current = ' aria-current="page"' if path.endswith(f"/{name}") else ""
            href = f"{'../' * path.count('/')}{lang}/{name}"
            link = f'<a href="{href}"{current}>{escape(catalogue(lang)["live"][word])}</a>'
            page = page.replace(_NAVIGATION, f"<li>{link}</li>{_NAVIGATION}", 1)
        headers = {"Cache-Control": "no-cache"} | ({"Refresh": f"{_REFRESH_SECONDS}"} if path.endswith(_RUNS) else {})
        return Response(page, media_type="text/html", headers=headers)

    def _runs_page(self, lang: Language) -> str:
        """Show the tasks of all workers: what runs, failed, waits and is done, and how far each is."""
        with memory_of(self._settings, self._environ) as memory:
            tasks = memory.fleet.tasks()
        say, pages = catalogue(lang)["queue"], Pages(Web(""), "", "")
        counts = Counter(one.status for one in tasks)
        return pages.write(_RUNS, Place(lang, _RUNS), say["title"], "", say=say, tasks=tasks, counts=counts)


def _ask_page(lang: Language) -> str:
    """Write the page to ask on; browsers are told when its script or style has changed."""
    mark = sha256(b"".join(asset.read_bytes() for asset in _ASSETS.values())).hexdigest()[:12]
    say, pages = catalogue(lang)["live"], Pages(Web(""), "", mark)
    values = {"say": say, "wide": True, "scripts": ("ask.js",)}
    return pages.write("ask.html", Place(lang, _PATH), say["title"], say["lead"], **values)
