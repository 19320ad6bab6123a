"""The command `serve`: the site, built when reports change, and the questions, on a port of this machine."""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from agent.domain.base import (
    EXIT_DONE,
    AppError,
    ConfigError,
    InputError,
    Language,
    NotFound,
    RepoId,
    UpstreamError,
    UsageError,
)
from agent.questions import Reply
from agent.settings.values import RepoSpec, Settings
from agent.telling import catalogue
from agent.web import Web
from gitzette.arguments import settings_for, specs_of
from gitzette.commands.ask import asking_context, checked, thread_name
from gitzette.fleet.editions import shown_edition
from gitzette.http_server import address_of, bound_socket, is_loopback, listen
from gitzette.live.guard import Guard
from gitzette.publish import bring_reports
from gitzette.render.templating import LANGUAGES, Place, html_page, mark_of
from gitzette.replies import CitedEvidence, ReplyPage
from gitzette.site.build import build_site
from gitzette.site.pages import Pages
from gitzette.wiring import home_of, memory_of
from graphs.ask import open_conversations

_SHORTEST_TOKEN = 16
_REFRESH_SECONDS = "10"
_STATUS: dict[type[Exception], int] = {UsageError: 422, InputError: 404, NotFound: 404, UpstreamError: 502}
_ASSETS = {f"assets/{name}": files("gitzette.live").joinpath("assets", name) for name in ("ask.js", "ask.css")}
# The end of the list in the masthead, which every page of the site has first.
_NAVIGATION = "</ul></nav>"
_STILL_HERE_SECONDS = 5.0
_AT_ONCE = 3
Events = asyncio.Queue[tuple[str, dict[str, Any]] | None]


def serve(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Serve until interrupted; a token is needed wherever others can reach the page."""
    edition, settings = shown_edition(settings_for(args, environ), args.edition)
    token = None
    if args.token_env is not None:
        token = environ.get(args.token_env, "").strip()
        if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
            raise ConfigError(f"{args.token_env} must hold at least {_SHORTEST_TOKEN} plain characters")
    elif not is_loopback(args.host):
        told = f"{args.host} can be reached by others: put a long random word in a variable, and its name behind"
        raise UsageError(f"{told} --token-env")
    application = app(settings, environ, args.site or settings.out / "site", token, edition)
    listener = bound_socket(args.host, args.port)
    listen(application, listener, f"the live page is at {address_of(listener)}/")
    return EXIT_DONE


def app(
    settings: Settings, environ: Mapping[str, str], folder: Path, token: str | None = None, edition: str = ""
) -> Starlette:
    """Put pages, questions and evidence together behind the guard."""
    live = Live(settings, environ, folder, edition)
    routes = [
        Route("/api/ask", live.ask, methods=["POST"]),
        Route("/api/evidence", live.evidence, methods=["POST"]),
        Route("/{path:path}", live.page, methods=["GET"]),
    ]
    handlers = {AppError: _told, ValidationError: _told}
    return Starlette(routes=routes, middleware=[Middleware(Guard, token=token)], exception_handlers=handlers)


async def _told(request: Request, error: Exception) -> Response:
    """Tell a failure in one line, and by its status whose it is; a bug stays in the log."""
    del request
    if isinstance(error, ValidationError):
        return PlainTextResponse("what was sent is not understood", 422)
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)
    return PlainTextResponse(" ".join(str(error).split()), status)


class _Asked(BaseModel, extra="forbid", strict=True):
    """What the page sends with a question."""

    question: str
    thread: str


class _Wanted(BaseModel, extra="forbid", strict=True):
    """Which evidence the page wants to show."""

    cite: str = Field(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+[@#][^\s@#]{1,200}$")


class Live:
    """Answers what a browser asks for."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], folder: Path, edition: str) -> None:
        self._settings, self._environ, self._folder, self._edition = settings, environ, folder, edition
        self._answering = Answering(settings, environ, specs_of(settings))
        self._built: list[tuple[str, int]] | None = None
        self._building = asyncio.Lock()

    async def ask(self, request: Request) -> Response:
        """Stream the answer to a question."""
        asked = _Asked.model_validate_json(await request.body())
        question, thread = checked(asked.question), thread_name(asked.thread)
        head = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._answering.stream(thread, question), headers=head, media_type="text/event-stream")

    async def evidence(self, request: Request) -> Response:
        """Give the text of something that is cited."""
        wanted = _Wanted.model_validate_json(await request.body())
        lines = await self._answering.evidence(wanted.cite)
        return JSONResponse({"lines": lines}, headers={"Cache-Control": "no-store"})

    async def page(self, request: Request) -> Response:
        """Give a file of the site folder or the page to ask on, and nothing else."""
        path = request.path_params["path"] or "index.html"
        lang = next((lang for lang in LANGUAGES if path.startswith(f"{lang}/")), self._settings.lang)
        if path == f"{lang}/ask.html":
            return self._html(self._ask_page(lang), path, lang)
        if path == f"{lang}/runs.html" and self._settings.database:
            return self._html(await asyncio.to_thread(self._runs_page, lang), path, lang)
        if path in _ASSETS:
            return Response(_ASSETS[path].read_text("utf-8"), media_type=guess_type(path)[0])
        await self._renew()
        root = self._folder.resolve()
        file = (root / path.replace("\0", "")).resolve()
        file = file / "index.html" if file.is_dir() else file
        if "\0" in path or not file.is_relative_to(root) or not file.is_file() or file.name.startswith("."):
            return PlainTextResponse("there is no such page\n", 404)
        if file.suffix == ".html":
            return self._html(file.read_text("utf-8"), path, lang)
        return Response(file.read_bytes(), media_type=guess_type(file)[0], headers={"Cache-Control": "no-cache"})

    async def _renew(self) -> None:
        """Build the site again where a report has come or changed."""
        async with self._building:
            out = self._settings.out
            if self._settings.database:
                await asyncio.to_thread(self._bring)
            state = [(file.name, file.stat().st_mtime_ns) for file in (out / "reports").glob("*.json")]
            if state != self._built:
                await asyncio.to_thread(build_site, out, self._folder, self._settings)
                self._built = state

    def _html(self, page: str, path: str, lang: Language) -> Response:
        """Put into the navigation of a page the ways to ask and to the queue, of which the site knows nothing."""
        names = ("ask", "runs") if self._settings.database else ("ask",)
        root = "../" * path.count("/")
        ways = html_page("live_links.html", root=root, lang=lang, path=path, names=names, say=catalogue(lang)["live"])
        headers = {"Cache-Control": "no-cache"} | ({"Refresh": _REFRESH_SECONDS} if path.endswith("/runs.html") else {})
        return Response(page.replace(_NAVIGATION, f"{ways}{_NAVIGATION}", 1), media_type="text/html", headers=headers)

    def _bring(self) -> None:
        """Fetch what workers published."""
        with memory_of(self._settings, self._environ) as memory:
            bring_reports(memory.fleet, self._settings, self._edition)

    def _runs_page(self, lang: Language) -> str:
        """Show the tasks of all workers: what runs, failed, waits and is done, and how far each is."""
        with memory_of(self._settings, self._environ) as memory:
            tasks = memory.fleet.tasks()
        say, pages = catalogue(lang)["queue"], Pages(self._settings, "")
        values = {"say": say, "tasks": tasks, "counts": Counter(one.status for one in tasks)}
        return pages.write("runs.html", Place(lang, "runs.html"), say["title"], **values)

    def _ask_page(self, lang: Language) -> str:
        """Write the page to ask on; browsers are told when its script or style has changed."""
        say, assets = (
            catalogue(lang)["live"],
            mark_of("".join(asset.read_text("utf-8") for asset in _ASSETS.values()), 8),
        )
        pages = Pages(self._settings, assets)
        values = {"say": say, "wide": True, "scripts": ("ask.js",)}
        return pages.write("ask.html", Place(lang, "ask.html"), say["title"], say["lead"], **values)


# ---------------------------------------------------------------- answers


class Answering:
    """Answers the questions of a page; few at once, because each of them reads."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], specs: tuple[RepoSpec, ...]) -> None:
        self._settings, self._environ, self._specs = settings, environ, specs
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def stream(self, thread: str, question: str) -> AsyncIterator[str]:
        """Give the events of one answer; whoever stops listening stops the reading."""
        events: Events = asyncio.Queue()
        task = asyncio.create_task(self._answer(thread, question, events))
        try:
            while True:
                try:
                    event = await asyncio.wait_for(events.get(), _STILL_HERE_SECONDS)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                if event is None:
                    break
                yield f"event: {event[0]}\ndata: {json.dumps(event[1], ensure_ascii=False)}\n\n"
            await task
        finally:
            task.cancel()
            # A server tells a listener who has gone to stop again and again; an answer that closes its files is told
            # once, or they would stay open, and the process with them.
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})

    async def _answer(self, thread: str, question: str, events: Events) -> None:
        try:
            async with self._places:
                await self._ask(thread, question, events)
        except AppError as error:
            events.put_nowait(("failed", {"message": " ".join(str(error).split())}))
        finally:
            events.put_nowait(None)

    async def _ask(self, thread: str, question: str, events: Events) -> None:
        settings, environ = self._settings, self._environ
        async with (
            asking_context(settings, environ, self._specs, datetime.now(UTC), _Shown(events)) as context,
            open_conversations(home_of(settings, environ), settings.database_address) as conversations,
        ):
            cited = CitedEvidence(context, self._specs, Web(settings.web), settings.tz)
            replies = ReplyPage(Web(settings.web), settings.tz)
            said, found = "", ""
            async for event in conversations.ask(thread, question, context):
                if isinstance(event, Reply):
                    numbers = {url: at for at, cite in enumerate(event.cites) for url in cited.addresses(cite)}
                    events.put_nowait(("blocks", {"blocks": list(_blocks(replies.written(event).answer, numbers))}))
                    events.put_nowait(("done", cited.told_by(event)))
                    continue
                said += replies.sentence(event["claim"], event["lang"]) if "claim" in event else ""
                found = replies.found(event["evidence"], event["lang"]) if "evidence" in event else found
                events.put_nowait(("blocks", {"blocks": list(_blocks(said + found, {}))}))

    async def evidence(self, cite: str) -> list[str]:
        """Give the text of what is cited; the page marks in it what the answer says."""
        settings = self._settings
        async with asking_context(settings, self._environ, self._specs, datetime.now(UTC), _Shown(None)) as context:
            return await CitedEvidence(context, self._specs, Web(settings.web), settings.tz).lines(cite)


@dataclass(frozen=True)
class _Shown:
    """Tells the page what is being read."""

    events: Events | None

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        if self.events is not None:
            self.events.put_nowait(("reading", {"repo": repo, "what": what, "done": done, "total": total}))


def _blocks(markdown: str, cites: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Give a reply as data for the page: paragraphs and items of words, code and links, and nothing else.

    `cites` numbers the addresses of what it cites.
    """
    depth, url = 0, ""
    for token in MarkdownIt("commonmark", {"html": False}).parse(markdown):
        depth += token.nesting if token.type.startswith("bullet_list") else 0
        pieces = []
        for one in token.children or ():
            if one.type in ("link_open", "link_close"):
                url = str(one.attrGet("href") or "")
            elif one.type in ("text", "code_inline", "softbreak", "hardbreak"):
                code = one.type == "code_inline"
                pieces.append({"text": one.content or " ", "code": code, "url": url or None, "cite": cites.get(url)})
        if pieces:
            yield {"kind": "item" if depth else "text", "level": depth, "pieces": pieces}
