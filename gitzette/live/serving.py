"""The command `serve`: the site and the questions on a port of this machine."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from agent.errors import EXIT_DONE, AppError, ConfigError, UsageError
from agent.settings import Settings
from gitzette.asking import checked, thread_name
from gitzette.configured import settings_for
from gitzette.heartbeat import read_heartbeat
from gitzette.listening import address_of, bound_socket, is_loopback, listen
from gitzette.live.answering import Answering
from gitzette.live.guard import LARGEST, Guard, Pace
from gitzette.live.pages import Pages
from gitzette.running import specs_of
from gitzette.wiring import home_of
from graphs.conversing import open_conversations
from memory.store import open_memory

_ASKS = 30
"""Questions a minute from one address."""
_REQUESTS = 600
_WAITING = 12
_RUNS = 10
_SHORTEST_TOKEN = 16


def serve(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Serve until interrupted."""
    settings = settings_for(args, environ)
    token = _token(args, environ)
    application = app(settings, environ, args.site or settings.out / "site", token)
    listener = bound_socket(args.host, args.port)
    listen(application, listener, f"the live page is at {address_of(listener)}/")
    return EXIT_DONE


def _token(args: argparse.Namespace, environ: Mapping[str, str]) -> str | None:
    """Find the token that is needed wherever others can reach the page."""
    if args.token_env is None:
        if not is_loopback(args.host):
            raise UsageError(
                f"{args.host} can be reached by others: put a long random word in a variable, "
                "and its name behind --token-env"
            )
        return None
    token = environ.get(args.token_env, "").strip()
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ConfigError(f"{args.token_env} must hold at least {_SHORTEST_TOKEN} plain characters")
    return token


def app(settings: Settings, environ: Mapping[str, str], folder: Path, token: str | None = None) -> Starlette:
    """Put pages, questions, evidence and status together behind the guard."""
    live = Live(settings, environ)
    pages = Pages(settings, folder)
    return Starlette(
        routes=[
            Route("/api/ask", live.ask, methods=["POST"]),
            Route("/api/evidence", live.evidence, methods=["POST"]),
            Route("/api/threads/{name}", live.thread, methods=["GET"]),
            Route("/api/status", live.status, methods=["GET"]),
            Route("/{path:path}", pages.answer, methods=["GET"]),
        ],
        middleware=[Middleware(Guard, token=token, asks=Pace(_ASKS), others=Pace(_REQUESTS))],
        exception_handlers={AppError: _told},
    )


async def _told(request: Request, error: Exception) -> Response:
    """Tell a failure of ours in one line; a bug stays in the log."""
    del request
    return PlainTextResponse(" ".join(str(error).split()), 500)


class _Asked(BaseModel):
    """What the page sends with a question."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str
    thread: str


class _Wanted(BaseModel):
    """Which evidence the page wants to show, and the lines that are marked in it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    cite: str = Field(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+[@#][^\s@#]{1,200}$")
    marks: list[str] = Field(default=[], max_length=200)
    words: list[str] = Field(default=[], max_length=200)


class Live:
    """What the page asks for beside files."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ
        self._answering = Answering(settings, environ, specs_of(settings), _WAITING)

    async def ask(self, request: Request) -> Response:
        """Stream the answer to a question."""
        try:
            asked = _Asked.model_validate_json(await _body(request))
            question, thread = checked(asked.question), thread_name(asked.thread)
        except ValidationError:
            return PlainTextResponse("send a question and a thread", 422)
        except AppError as error:
            return PlainTextResponse(str(error), 422)
        if self._answering.full:
            return PlainTextResponse("too many questions at once; wait a little", 503, {"Retry-After": "5"})
        head = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._answering.stream(thread, question), headers=head, media_type="text/event-stream")

    async def evidence(self, request: Request) -> Response:
        """Give the text of something that is cited."""
        try:
            wanted = _Wanted.model_validate_json(await _body(request))
            marks = frozenset(mark for line in wanted.marks if (mark := line.strip()))
            words = tuple(word for word in wanted.words if word.strip())
            found = await self._answering.evidence(wanted.cite, marks, words)
        except ValidationError:
            return PlainTextResponse("name something that is cited", 422)
        except AppError as error:
            return PlainTextResponse(" ".join(str(error).split()), 404)
        return JSONResponse(found, headers={"Cache-Control": "no-store"})

    async def thread(self, request: Request) -> Response:
        """Tell what was asked in a conversation."""
        try:
            name = thread_name(request.path_params["name"])
            async with open_conversations(home_of(self._settings, self._environ)) as conversations:
                standing = await conversations.standing(name)
        except AppError as error:
            return PlainTextResponse(str(error), 404)
        return JSONResponse({"thread": name, "turns": standing.turns, "sources": standing.sources})

    async def status(self, request: Request) -> Response:
        """Tell how the last runs went, and which are under way."""
        del request
        with open_memory(home_of(self._settings, self._environ), datetime.now(UTC).date()) as memory:
            records = [
                replace(one, status="unfinished")
                if one.status == "running" and memory.run_locks.process(one.id) is None
                else one
                for one in memory.runs.latest(_RUNS)
            ]
        runs: list[dict[str, Any]] = [
            {"id": one.id, "started": one.started, "finished": one.finished, "status": one.status, "window": one.window}
            for one in records
        ]
        beat = read_heartbeat(self._settings.out)
        return JSONResponse({"runs": runs, "heartbeat": beat.model_dump(mode="json") if beat else None})


async def _body(request: Request) -> bytes:
    """Read what was sent; the guard has looked at how much it says it is."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            return b""
    return body
