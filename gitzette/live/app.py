"""The app of the command `serve`: the site, rebuilt when reports change, and a page for questions."""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pydantic import BaseModel, ValidationError, field_validator
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from agent.browser_urls import Web
from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.errors import EXIT_DONE, AppError, ConfigError, InputError, NotFound, UsageError
from agent.domain.evidence_id import EvidenceId
from agent.questions_and_replies import Reply
from agent.report_languages import catalogue
from agent.settings.values import Settings
from gitzette.commands.ask import asking_context, checked, thread_name
from gitzette.file_publisher import bring_reports
from gitzette.fleet.edition_plans import shown_edition
from gitzette.home_folder import home_of, memory_of
from gitzette.http_server import address_of, bound_socket, is_loopback, listen
from gitzette.live.request_guard import Guard
from gitzette.render.page_addresses import PageLocation
from gitzette.render.templating import html_page
from gitzette.reply_pages import CitedEvidence, ReplyPage
from gitzette.settings_from_arguments import settings_for, specs_of
from gitzette.site.build import build_site
from gitzette.site.pages import Pages
from gitzette.terminal_output import QuietProgress
from graphs.ask_conversations import open_conversations

_MIN_TOKEN_CHARACTERS = 16
_REFRESH_SECONDS = "10"
_STATUS = {UsageError: 422, InputError: 404, NotFound: 404, AppError: 500}
_ASSETS = {
    f"assets/{name}": files("gitzette.live").joinpath("assets", name)
    for name in ("ask.js", "ask.css")
}
# The end of the list in the masthead, which every page of the site has first.
_NAVIGATION = "</ul></nav>"
_MAX_CONCURRENT_QUESTIONS = 3
_MODEL_MODULES = ("graphs.models", "tools.chat.model", "tools.chat.openai_compatible_server")
"""What is imported at the start, for a model: else the first question would wait for it."""
_TEXT_TOKENS = ("text", "code_inline", "softbreak", "hardbreak")


class ServerEvent(NamedTuple):
    """An event of an answer that is streamed to the page."""

    name: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return f"event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n"


Events = asyncio.Queue[ServerEvent | None]  # None at the end of an answer


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
    if settings.analyst == "model":
        for name in _MODEL_MODULES:
            import_module(name)
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
    """Return an error of the user as one line with the status of its kind."""
    del request
    if isinstance(error, ValidationError):
        return PlainTextResponse("what was sent is not understood", 422)
    if isinstance(error, ClientDisconnect):
        return PlainTextResponse("the request did not arrive", 408)
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    return PlainTextResponse(_one_line(error), status)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


class _AskRequest(BaseModel, extra="forbid", strict=True):
    question: str
    thread: str


class _EvidenceRequest(BaseModel, extra="forbid", strict=True):
    cite: EvidenceId

    @field_validator("cite")
    @classmethod
    def _is_well_formed(cls, cite: EvidenceId) -> EvidenceId:
        return EvidenceId(cite)


class Live:
    """The handlers of the live page; few questions run at once, because each reads repositories."""

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
        self._question_slots = asyncio.Semaphore(_MAX_CONCURRENT_QUESTIONS)

    async def page(self, request: Request) -> Response:
        """Return a file of the site, the page to ask questions on, or the page of the queue."""
        path = request.path_params["path"] or "index.html"
        lang = self._language_of(path)
        if path == f"{lang}/ask.html":
            words = catalogue(lang)["live"]
            page = self._live_page("ask", lang, words, wide=True, scripts=("ask.js",))
            return self._html(page, path, lang)
        if path == f"{lang}/runs.html" and self._settings.database:
            page = await asyncio.to_thread(self._runs_page, lang)
            return self._html(page, path, lang)
        if path in _ASSETS:
            return _file(_ASSETS[path].read_bytes(), path)
        async with self._building:
            await asyncio.to_thread(self._rebuild)
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

    def _rebuild(self) -> None:
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
        """Return a page with links to the live pages, which the site does not have."""
        names = ("ask", "runs") if self._settings.database else ("ask",)
        links = html_page(
            "live_links.html",
            root="../" * path.count("/"),
            lang=lang,
            path=path,
            names=names,
            say=catalogue(lang)["live"],
        )
        page = page.replace(_NAVIGATION, f"{links}{_NAVIGATION}", 1)
        headers = {"Refresh": _REFRESH_SECONDS} if path.endswith("/runs.html") else {}
        return _file(page.encode(), "x.html", **headers)

    def _runs_page(self, lang: Language) -> str:
        """Return the page with the tasks of all workers, their states and progress."""
        with memory_of(self._settings, self._environ) as memory:
            tasks = memory.fleet.tasks()
        counts = Counter(task.status for task in tasks)
        words = catalogue(lang)["queue"]
        return self._live_page("runs", lang, words, tasks=tasks, counts=counts)

    def _live_page(self, name: str, lang: Language, words: Mapping[str, str], **values: Any) -> str:
        file_name = f"{name}.html"
        location = PageLocation(lang, file_name)
        lead = words.get("lead", "")
        pages = Pages(self._settings, "")
        return pages.write(file_name, location, words["title"], lead, say=words, **values)

    async def evidence(self, request: Request) -> Response:
        """Return the lines of a piece of evidence; the page marks what the answer quotes."""
        body = _EvidenceRequest.model_validate_json(await request.body())
        settings = self._settings
        now = datetime.now(UTC)
        async with asking_context(
            settings, self._environ, self._specs, now, QuietProgress()
        ) as context:
            cited_evidence = CitedEvidence(context, self._specs, self._web, settings.tz)
            lines = await cited_evidence.lines(body.cite)
        return JSONResponse({"lines": lines}, headers={"Cache-Control": "no-store"})

    async def ask(self, request: Request) -> Response:
        """Stream the answer to a question."""
        body = _AskRequest.model_validate_json(await request.body())
        question = checked(body.question)
        thread = thread_name(body.thread)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(
            self.answer(thread, question), headers=headers, media_type="text/event-stream"
        )

    async def answer(self, thread: str, question: str) -> AsyncIterator[str]:
        """Yield the events of an answer; closing the iterator stops the work on it."""
        events: Events = asyncio.Queue()
        task = asyncio.create_task(self._answer(thread, question, events))
        try:
            while (event := await events.get()) is not None:
                yield str(event)
            await task
        finally:
            task.cancel()
            # When a client has gone, the server cancels again and again. Waiting shields the task
            # from that: it is cancelled once, so that it can close its files and the process end.
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})

    async def _answer(self, thread: str, question: str, events: Events) -> None:
        """Put the events of an answer into the queue, and None at its end."""
        settings = self._settings
        environ = self._environ
        now = datetime.now(UTC)
        home = home_of(settings, environ)
        try:
            async with (
                self._question_slots,
                asking_context(
                    settings, environ, self._specs, now, _EventProgress(events)
                ) as context,
                open_conversations(home, settings.database_address) as conversations,
            ):
                cited_evidence = CitedEvidence(context, self._specs, self._web, settings.tz)
                page = ReplyPage(self._web, settings.tz)
                sentences = ""
                evidence_list = ""
                async for event in conversations.ask(thread, question, context):
                    if isinstance(event, Reply):
                        numbers = _citation_numbers(event, cited_evidence)
                        _put_blocks(events, page.written(event).answer, numbers)
                        events.put_nowait(ServerEvent("done", cited_evidence.citations(event)))
                        continue
                    if "claim" in event:
                        sentences += page.sentence(event["claim"], event["lang"])
                    if "evidence" in event:
                        evidence_list = page.evidence_list(event["evidence"], event["lang"])
                    _put_blocks(events, sentences + evidence_list, {})
        except AppError as error:
            events.put_nowait(ServerEvent("failed", {"message": _one_line(error)}))
        finally:
            events.put_nowait(None)


def _file(body: bytes, name: str, **headers: str) -> Response:
    media_type, _ = guess_type(name)
    return Response(body, media_type=media_type, headers={"Cache-Control": "no-cache"} | headers)


def _citation_numbers(reply: Reply, cited_evidence: CitedEvidence) -> dict[str, int]:
    """Return the number of what each address cites."""
    numbers: dict[str, int] = {}
    for number, cite in enumerate(reply.cites):
        for url in cited_evidence.addresses(cite):
            numbers[url] = number
    return numbers


@dataclass(frozen=True)
class _EventProgress:
    """Sends the steps of reading to the page."""

    events: Events

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        data = {"repo": repo, "what": what, "done": done, "total": total}
        self.events.put_nowait(ServerEvent("reading", data))


def _put_blocks(events: Events, markdown: str, cites: Mapping[str, int]) -> None:
    """Send Markdown as data: paragraphs and items of words, code and links, and nothing else.

    `cites` are the numbers of the addresses that are citations.
    """
    blocks: list[dict[str, Any]] = []
    depth = 0
    for token in MarkdownIt("commonmark", {"html": False}).parse(markdown):
        if token.type.startswith("bullet_list"):
            depth += token.nesting
        pieces = _pieces(token.children or (), cites)
        if pieces:
            kind = "item" if depth else "text"
            blocks.append({"kind": kind, "level": depth, "pieces": pieces})
    events.put_nowait(ServerEvent("blocks", {"blocks": blocks}))


def _pieces(tokens: Iterable[Token], cites: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the words of a paragraph, each piece with its link and citation, if any."""
    pieces = []
    url = ""
    for token in tokens:
        if token.type in ("link_open", "link_close"):
            url = str(token.attrGet("href") or "")
        elif token.type in _TEXT_TOKENS:
            piece = {
                "text": token.content or " ",
                "code": token.type == "code_inline",
                "url": url or None,
                "cite": cites.get(url),
            }
            pieces.append(piece)
    return pieces
