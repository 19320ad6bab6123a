"""The command `serve`: the site and the questions on a port of this machine."""

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from agent.domain.base import EXIT_DONE, AppError, ConfigError, InputError, NotFound, UpstreamError, UsageError
from agent.settings.values import Settings
from gitzette.arguments import settings_for, specs_of
from gitzette.asking import checked, thread_name
from gitzette.earlier_runs import as_it_is
from gitzette.heartbeat import read_heartbeat
from gitzette.http_server import address_of, bound_socket, is_loopback, listen
from gitzette.live.answering import Answering
from gitzette.live.guard import LARGEST, Guard, Pace
from gitzette.live.pages import LivePages
from gitzette.wiring import home_of, memory_of
from graphs.conversing import open_conversations

_ASKS = 30
"""Questions a minute from one address."""
_REQUESTS = 600
_WAITING = 12
_RUNS = 10
_SHORTEST_TOKEN = 16
_STATUS: dict[type[Exception], int] = {UsageError: 422, InputError: 404, NotFound: 404, UpstreamError: 502}


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
    return Starlette(
        routes=[
            Route("/api/ask", live.ask, methods=["POST"]),
            Route("/api/evidence", live.evidence, methods=["POST"]),
            Route("/api/threads/{name}", live.thread, methods=["GET"]),
            Route("/api/status", live.status, methods=["GET"]),
            Route("/{path:path}", LivePages(settings, folder).answer, methods=["GET"]),
        ],
        middleware=[Middleware(Guard, token=token, asks=Pace(_ASKS), others=Pace(_REQUESTS))],
        exception_handlers={AppError: _told, ValidationError: _told},
    )


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
    """Which evidence the page wants to show, and what is marked in it."""

    cite: str = Field(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+[@#][^\s@#]{1,200}$")
    marks: list[str] = Field(default=[], max_length=200)
    words: list[str] = Field(default=[], max_length=200)


class Live:
    """What the page asks for beside files."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ, self._home = environ, home_of(settings, environ)
        self._answering = Answering(settings, environ, specs_of(settings), _WAITING)

    async def ask(self, request: Request) -> Response:
        """Stream the answer to a question."""
        asked = _Asked.model_validate_json(await _body(request))
        question, thread = checked(asked.question), thread_name(asked.thread)
        if self._answering.full:
            return PlainTextResponse("too many questions at once; wait a little", 503, {"Retry-After": "5"})
        head = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._answering.stream(thread, question), headers=head, media_type="text/event-stream")

    async def evidence(self, request: Request) -> Response:
        """Give the text of something that is cited."""
        wanted = _Wanted.model_validate_json(await _body(request))
        marks, words = ([one.strip() for one in given if one.strip()] for given in (wanted.marks, wanted.words))
        found = await self._answering.evidence(wanted.cite, frozenset(marks), tuple(words))
        return JSONResponse(found, headers={"Cache-Control": "no-store"})

    async def thread(self, request: Request) -> Response:
        """Tell what was asked in a conversation."""
        name = thread_name(request.path_params["name"])
        async with open_conversations(self._home, self._settings.database_address) as conversations:
            standing = await conversations.standing(name)
        return JSONResponse({"thread": name, "turns": standing.turns, "sources": standing.sources})

    async def status(self, request: Request) -> Response:
        """Tell how the last runs went, and which are under way."""
        del request
        with memory_of(self._settings, self._environ) as memory:
            records = [asdict(as_it_is(one, memory.run_locks)) for one in memory.runs.latest(_RUNS)]
        runs = [{name: one[name] for name in ("id", "started", "finished", "status", "window")} for one in records]
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
