"""The static site as the live page serves it: built when reports change, with the way to the questions put in."""

import asyncio
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from agent.settings import Language, Settings
from gitzette.live.ask_page import PATH, ask_entry, ask_page
from gitzette.site.build import build_site
from gitzette.site.command import site_settings

_KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".txt": "text/plain",
    ".svg": "image/svg+xml",
    ".xml": "application/atom+xml",
}
_OWN = ("ask.js", "ask.css")
# The end of the list in the masthead, which every page of the site has first.
_NAVIGATION = "</ul></nav>"


class Pages:
    """Gives files of the site folder, and nothing else."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._built: tuple[int, int] | None = None
        self._building = asyncio.Lock()
        self._mark = sha256("".join(map(_asset, _OWN)).encode()).hexdigest()[:12]

    async def answer(self, request: Request) -> Response:
        """Answer with a page or another file of the site."""
        path = request.path_params.get("path", "") or "index.html"
        lang, _, rest = path.partition("/")
        if rest == PATH and lang in ("en", "zh"):
            return _page(self._with_entry(ask_page("zh" if lang == "zh" else "en", self._mark), path))
        if path in (f"assets/{name}" for name in _OWN):
            return Response(_asset(path.removeprefix("assets/")), media_type=_KINDS[Path(path).suffix])
        await self._renew()
        return self._file(path)

    async def _renew(self) -> None:
        """Build the site again where a report has come or changed."""
        async with self._building:
            state = self._state()
            if state != self._built:
                settings = self._settings
                await asyncio.to_thread(
                    build_site,
                    settings.out,
                    self._folder,
                    site_settings(settings),
                )
                self._built = state

    def _state(self) -> tuple[int, int]:
        times = [file.stat().st_mtime_ns for file in (self._settings.out / "reports").glob("*.json")]
        return len(times), max(times, default=0)

    def _file(self, path: str) -> Response:
        root = self._folder.resolve()
        if "\0" in path:
            return _nothing()
        file = (root / path).resolve()
        if file.is_dir():
            file = file / "index.html"
        kind = _KINDS.get(file.suffix)
        if kind is None or not file.is_relative_to(root) or not file.is_file():
            return _nothing()
        if kind == "text/html":
            return _page(self._with_entry(file.read_text("utf-8"), path))
        return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    def _with_entry(self, page: str, path: str) -> str:
        lang: Language = "zh" if path.startswith("zh/") or ("/" not in path and self._settings.lang == "zh") else "en"
        entry = ask_entry(lang, "../" * path.count("/"), here=path.endswith(f"/{PATH}"))
        return page.replace(_NAVIGATION, f"{entry}{_NAVIGATION}", 1)


def _page(text: str) -> Response:
    return Response(text, media_type="text/html", headers={"Cache-Control": "no-cache"})


def _nothing() -> Response:
    return PlainTextResponse("there is no such page\n", 404)


def _asset(name: str) -> str:
    return files("gitzette.live").joinpath("assets", name).read_text("utf-8")
