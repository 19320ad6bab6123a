"""The static site as the live page serves it: built when reports change, with the page to ask on put in."""

import asyncio
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from agent.domain.base import Language
from agent.settings.values import Settings
from agent.telling.catalogue import catalogue
from agent.text.web import Web
from gitzette.site.addresses import Place
from gitzette.site.build import build_site
from gitzette.site.command import site_settings
from gitzette.site.pages import Pages

_PATH = "ask.html"
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

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._built: tuple[int, int] | None = None
        self._building = asyncio.Lock()

    async def answer(self, request: Request) -> Response:
        """Answer with a page or another file of the site."""
        path = request.path_params.get("path", "") or "index.html"
        if path in (f"en/{_PATH}", f"zh/{_PATH}"):
            return self._page(_ask_page("zh" if path.startswith("zh/") else "en"), path)
        if path in _ASSETS:
            return Response(_ASSETS[path].read_text("utf-8"), media_type=_KINDS[Path(path).suffix])
        await self._renew()
        return self._file(path)

    async def _renew(self) -> None:
        """Build the site again where a report has come or changed."""
        async with self._building:
            times = [file.stat().st_mtime_ns for file in (self._settings.out / "reports").glob("*.json")]
            state = len(times), max(times, default=0)
            if state != self._built:
                shape = site_settings(self._settings)
                await asyncio.to_thread(build_site, self._settings.out, self._folder, shape)
                self._built = state

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
        """Put into the navigation of a page the way to ask, of which the site knows nothing."""
        lang: Language = "zh" if path.startswith("zh/") or ("/" not in path and self._settings.lang == "zh") else "en"
        current = ' aria-current="page"' if path.endswith(f"/{_PATH}") else ""
        link = (
            f'<a href="{"../" * path.count("/")}{lang}/{_PATH}"{current}>{escape(catalogue(lang)["live"]["ask"])}</a>'
        )
        page = page.replace(_NAVIGATION, f"<li>{link}</li>{_NAVIGATION}", 1)
        return Response(page, media_type="text/html", headers={"Cache-Control": "no-cache"})


def _ask_page(lang: Language) -> str:
    """Write the page to ask on; browsers are told when its script or style has changed."""
    mark = sha256(b"".join(asset.read_bytes() for asset in _ASSETS.values())).hexdigest()[:12]
    say, pages = catalogue(lang)["live"], Pages(Web(""), "", mark)
    values = {"say": say, "wide": True, "scripts": ("ask.js",)}
    return pages.write("ask.html", Place(lang, _PATH), say["title"], say["lead"], **values)
