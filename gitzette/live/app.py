"""The command `serve`: the site, built when reports change, and questions, for those who may ask."""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from pydantic import BaseModel, ValidationError, field_validator
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from agent.domain.base import (
    EXIT_DONE,
    LANGUAGES,
    AppError,
    ConfigError,
    InputError,
    Language,
    NotFound,
    RepoId,
    UsageError,
)
from agent.domain.evidence_id import EvidenceId
from agent.languages import catalogue
from agent.questions import Reply
from agent.settings.values import Settings
from agent.web import Web
from gitzette.arguments import settings_for, specs_of
from gitzette.commands.ask import asking_context, checked, thread_name
from gitzette.fleet.editions import shown_edition
from gitzette.http_server import address_of, bound_socket, is_loopback, listen
from gitzette.live.guard import Guard
from gitzette.progress import QuietProgress
from gitzette.publish import bring_reports
from gitzette.render.templating import PageLocation, html_page
from gitzette.replies import CitedEvidence, ReplyPage
from gitzette.site.build import build_site
from gitzette.site.pages import Pages
from gitzette.wiring import home_of, memory_of
from graphs.conversations import open_conversations

_MIN_TOKEN_CHARACTERS = 16
_REFRESH_SECONDS = "10"
_STATUS = {UsageError: 422, InputError: 404, NotFound: 404, AppError: 500}
_ASSETS = {
    f"assets/{name}": files("gitzette.live").joinpath("assets", name)
    for name in ("ask.js", "ask.css")
}
# The end of the list in the masthead, which every page of the site has first.
_NAVIGATION = "</ul></nav>"
_MAX_QUESTIONS_AT_ONCE = 3
Events = asyncio.Queue[tuple[str, dict[str, Any]] | None]


def serve(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Serve until interrupted; a token is needed wherever others can reach the page."""
    edition, settings = shown_edition(settings_for(args, environ), args.edition)
    token = None
    if args.token_env is not None:
        token = _read_token(args.token_env, environ)
    elif not is_loopback(args.host):
        raise UsageError(
            f"{args.host} can be reached by others: put a long random word in a variable, "
            "and its name behind --token-env"
        )
    application = app(settings, environ, args.site or settings.out / "site", token, edition)
    listener = bound_socket(args.host, args.port)
    listen(application, listener, f"the live page is at {address_of(listener)}/")
    return EXIT_DONE


def _read_token(variable: str, environ: Mapping[str, str]) -> str:
    token = environ.get(variable, "").strip()
    if len(token) < _MIN_TOKEN_CHARACTERS or not token.isascii() or not token.isprintable():
        raise ConfigError(f"{variable} must hold at least {_MIN_TOKEN_CHARACTERS} plain characters")
    return token


def app(
    settings: Settings,
    environ: Mapping[str, str],
    folder: Path,
    token: str | None = None,
    edition: str = "",
) -> Starlette:
    """Return the application: pages, questions and evidence behind the guard."""
    live = Live(settings, environ, folder, edition)
    routes = [
        Route("/api/ask", live.ask, methods=["POST"]),
        Route("/api/evidence", live.evidence, methods=["POST"]),
        Route("/{path:path}", live.page, methods=["GET"]),
    ]
    handlers = {
        AppError: _error_response,
        ValidationError: _error_response,
        ClientDisconnect: _error_response,
    }
    return Starlette(
        routes=routes, middleware=[Middleware(Guard, token=token)], exception_handlers=handlers
    )


async def _error_response(request: Request, error: Exception) -> Response:
    """Return an error as one line, with a status that says whose it is; a bug stays in the log."""
    del request
    if isinstance(error, ValidationError):
        return PlainTextResponse("what was sent is not understood", 422)
    if isinstance(error, ClientDisconnect):
        return PlainTextResponse("the request did not arrive", 408)
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    return PlainTextResponse(" ".join(str(error).split()), status)


class _Asked(BaseModel, extra="forbid", strict=True):
    question: str
    thread: str


class _Wanted(BaseModel, extra="forbid", strict=True):
    cite: EvidenceId

    @field_validator("cite")
    @classmethod
    def _is_well_formed(cls, cite: EvidenceId) -> EvidenceId:
        return EvidenceId(cite)


class Live:
    """Answers what a browser asks for; few questions at once, because each of them reads."""

    def __init__(
        self, settings: Settings, environ: Mapping[str, str], folder: Path, edition: str = ""
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._folder = folder
        self._edition = edition
        self._specs = specs_of(settings)
        self._web = Web(settings.web)
        self._built: list[tuple[str, int]] | None = None
        self._building = asyncio.Lock()
        self._question_slots = asyncio.Semaphore(_MAX_QUESTIONS_AT_ONCE)

    async def page(self, request: Request) -> Response:
        """Return a file of the site folder, the page to ask on or that of the queue."""
        path = request.path_params["path"] or "index.html"
        lang = self._language_of(path)
        if path == f"{lang}/ask.html":
            say = catalogue(lang)["live"]
            page = self._own("ask", lang, say, wide=True, scripts=("ask.js",))
            return self._html(page, path, lang)
        if path == f"{lang}/runs.html" and self._settings.database:
            return self._html(await asyncio.to_thread(self._runs, lang), path, lang)
        if path in _ASSETS:
            return _file(_ASSETS[path].read_bytes(), path)
        async with self._building:
            await asyncio.to_thread(self._renew)
        file = self._site_file(path)
        if file is None:
            return PlainTextResponse("there is no such page\n", 404)
        if file.suffix == ".html":
            return self._html(file.read_text("utf-8"), path, lang)
        return _file(file.read_bytes(), file.name)

    def _language_of(self, path: str) -> Language:
        for lang in LANGUAGES:
            if path.startswith(f"{lang}/"):
                return lang
        return self._settings.lang

    def _site_file(self, path: str) -> Path | None:
        """Return the file of the site that a path names, or None if it names nothing in there."""
        if "\0" in path:
            return None
        root = self._folder.resolve()
        try:
            file = (root / path).resolve()
            if file.is_dir():
                file /= "index.html"
            is_file = file.is_file()
        except OSError:
            # A name may be longer than the file system allows.
            return None
        if not is_file or not file.is_relative_to(root) or file.name.startswith("."):
            return None
        return file

    def _renew(self) -> None:
        """Fetch what workers published, and rebuild the site if a report is new or has changed."""
        out = self._settings.out
        if self._settings.database:
            with memory_of(self._settings, self._environ) as memory:
                bring_reports(memory.fleet, self._settings, self._edition)
        reports = (out / "reports").glob("*.json")
        state = [(file.name, file.stat().st_mtime_ns) for file in reports]
        if state != self._built:
            build_site(out, self._folder, self._settings)
            self._built = state

    def _html(self, page: str, path: str, lang: Language) -> Response:
        """Put into the navigation of a page the ways to ask and to the queue, of which the site knows nothing."""
        names = ("ask", "runs") if self._settings.database else ("ask",)
        root = "../" * path.count("/")
        ways = html_page(
            "live_links.html",
            root=root,
            lang=lang,
            path=path,
            names=names,
            say=catalogue(lang)["live"],
        )
        headers = {"Refresh": _REFRESH_SECONDS} if path.endswith("/runs.html") else {}
        return _file(
            page.replace(_NAVIGATION, f"{ways}{_NAVIGATION}", 1).encode(), "x.html", **headers
        )

    def _runs(self, lang: Language) -> str:
        """Show the tasks of all workers: what runs, failed, waits and is done, and how far each is."""
        with memory_of(self._settings, self._environ) as memory:
            tasks = memory.fleet.tasks()
        return self._own(
            "runs",
            lang,
            catalogue(lang)["queue"],
            tasks=tasks,
            counts=Counter(one.status for one in tasks),
        )

    def _own(self, name: str, lang: Language, say: Mapping[str, str], **values: Any) -> str:
        at, lead = PageLocation(lang, f"{name}.html"), say.get("lead", "")
        return Pages(self._settings, "").write(
            f"{name}.html", at, say["title"], lead, say=say, **values
        )

    async def evidence(self, request: Request) -> Response:
        """Give the text of what is cited; the page marks in it what the answer says."""
        wanted = _Wanted.model_validate_json(await request.body())
        now, display = datetime.now(UTC), QuietProgress()
        async with asking_context(
            self._settings, self._environ, self._specs, now, display
        ) as context:
            lines = await CitedEvidence(context, self._specs, self._web, self._settings.tz).lines(
                wanted.cite
            )
        return JSONResponse({"lines": lines}, headers={"Cache-Control": "no-store"})

    async def ask(self, request: Request) -> Response:
        """Stream the answer to a question."""
        asked = _Asked.model_validate_json(await request.body())
        question, thread = checked(asked.question), thread_name(asked.thread)
        head = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(
            self.answer(thread, question), headers=head, media_type="text/event-stream"
        )

    async def answer(self, thread: str, question: str) -> AsyncIterator[str]:
        """Give the events of one answer; whoever stops listening stops the reading."""
        events: Events = asyncio.Queue()
        task = asyncio.create_task(self._answer(thread, question, events))
        try:
            while (event := await events.get()) is not None:
                yield f"event: {event[0]}\ndata: {json.dumps(event[1], ensure_ascii=False)}\n\n"
            await task
        finally:
            task.cancel()
            # A server tells a listener who has gone to stop again and again; an answer that closes its files is told
            # once, or they would stay open, and the process with them.
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})

    async def _answer(self, thread: str, question: str, events: Events) -> None:
        settings, environ, now = self._settings, self._environ, datetime.now(UTC)
        try:
            async with (
                self._question_slots,
                asking_context(settings, environ, self._specs, now, _Shown(events)) as context,
                open_conversations(
                    home_of(settings, environ), settings.database_address
                ) as conversations,
            ):
                cited = CitedEvidence(context, self._specs, self._web, settings.tz)
                replies, said, found = ReplyPage(self._web, settings.tz), "", ""
                async for event in conversations.ask(thread, question, context):
                    if isinstance(event, Reply):
                        numbers = {
                            url: at
                            for at, cite in enumerate(event.cites)
                            for url in cited.addresses(cite)
                        }
                        _tell(events, replies.written(event).answer, numbers)
                        events.put_nowait(("done", cited.told_by(event)))
                        continue
                    said += (
                        replies.sentence(event["claim"], event["lang"]) if "claim" in event else ""
                    )
                    found = (
                        replies.found(event["evidence"], event["lang"])
                        if "evidence" in event
                        else found
                    )
                    _tell(events, said + found, {})
        except AppError as error:
            events.put_nowait(("failed", {"message": " ".join(str(error).split())}))
        finally:
            events.put_nowait(None)


def _file(body: bytes, name: str, **headers: str) -> Response:
    return Response(
        body, media_type=guess_type(name)[0], headers={"Cache-Control": "no-cache"} | headers
    )


@dataclass(frozen=True)
class _Shown:
    """Tells the page what is being read."""

    events: Events

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        self.events.put_nowait(
            ("reading", {"repo": repo, "what": what, "done": done, "total": total})
        )


def _tell(events: Events, markdown: str, cites: Mapping[str, int]) -> None:
    """Tell what is answered as data: paragraphs and items of words, code and links, and nothing else.

    `cites` numbers the addresses of what it cites.
    """
    blocks, depth, url = list[dict[str, Any]](), 0, ""
    for token in MarkdownIt("commonmark", {"html": False}).parse(markdown):
        depth += token.nesting if token.type.startswith("bullet_list") else 0
        pieces = []
        for one in token.children or ():
            if one.type in ("link_open", "link_close"):
                url = str(one.attrGet("href") or "")
            elif one.type in ("text", "code_inline", "softbreak", "hardbreak"):
                code = one.type == "code_inline"
                pieces.append(
                    {
                        "text": one.content or " ",
                        "code": code,
                        "url": url or None,
                        "cite": cites.get(url),
                    }
                )
        if pieces:
            blocks.append({"kind": "item" if depth else "text", "level": depth, "pieces": pieces})
    events.put_nowait(("blocks", {"blocks": blocks}))
