"""The gateway of the API: authentication, faults, rate limits, conditional requests and the request log."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.github_server import graphql
from evals.github_server.faults import TRANSPORT, BrokenResponse, Fault, Faults, partial, substitute
from evals.github_server.http_responses import (
    ANONYMOUS,
    EXHAUSTED,
    ClientMeters,
    Meter,
    Refusal,
    json_response,
    not_found,
)
from evals.github_server.repositories import Hub, RestCall, ServedRepository
from evals.github_server.rest import ENDPOINTS, WRITE_ENDPOINTS

_GUEST_EXHAUSTED = (
    "API rate limit exceeded for 127.0.0.1. (Authenticated requests get a higher rate limit.)"
)
_REPOSITORY_PATHS = ("/repos/{owner}/{name}", "/repositories/{id:int}")
_KEPT_IN_304 = ("etag", "cache-control", "link")


class Answered(NamedTuple):
    """A response, and whether it was free of the primary rate limit."""

    response: Response
    free: bool = False


Answer = Callable[[Request, bytes, str], Answered]
"""Answers a request, given its body and the client that sent it."""


@dataclass(frozen=True)
class SeenRequest:
    """A request to the API as the server saw it."""

    method: str
    path: str
    status: int
    free: bool  # True if the request did not count against the primary limit


class Api:
    """Answers every request to the API."""

    def __init__(
        self,
        hub: Hub,
        limits: ClientMeters,
        faults: Faults,
        origin: str,
        tokens: tuple[str, ...],
        reading_tokens: tuple[str, ...] = (),
    ) -> None:
        """Serve clients with one of `tokens`; those of `reading_tokens` may change nothing."""
        self._hub = hub
        self._limits = limits
        self._faults = faults
        self._origin = origin
        self._tokens = (*tokens, *reading_tokens)
        self._readers = {_client_name(token) for token in reading_tokens}
        self.hits: list[SeenRequest] = []

    def routes(self) -> list[Route]:
        """Return the routes of REST and GraphQL."""
        routes = [
            Route("/graphql", self._handler(self._graphql), methods=["POST"]),
            Route("/rate_limit", self._handler(self._rate_limit)),
        ]
        for tail, endpoint in ENDPOINTS.items():
            for start in _REPOSITORY_PATHS:
                routes.append(Route(start + tail, self._handler(self._rest(endpoint))))
        for (method, tail), change in WRITE_ENDPOINTS.items():
            for start in _REPOSITORY_PATHS:
                handler = self._handler(self._write(change))
                routes.append(Route(start + tail, handler, methods=[method]))
        routes.append(Route("/{path:path}", self._handler(self._missing)))
        return routes

    def _handler(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            return self._deliver(request, await request.body(), answer)

        return handle

    def _deliver(self, request: Request, body: bytes, answer: Answer) -> Response:
        """Answer a request, apply the fault that is due, and log the request."""
        path = _path(request)
        query = request.url.query
        target = f"{path}?{query}" if query else path
        fault = self._faults.take(target, body)
        try:
            client = self._identify(request)
            answered = self._faulty(fault, target, client) if fault else None
            if answered is None:
                answered = answer(request, body, client)
        except Refusal as refusal:
            answered = Answered(refusal.response())
        response = answered.response
        if fault and fault.kind == "graphql_partial":
            response = partial(response)
        self.hits.append(SeenRequest(request.method, path, response.status_code, answered.free))
        if fault and fault.kind in TRANSPORT:
            return BrokenResponse(response, fault)
        return response

    def _identify(self, request: Request) -> str:
        """Return the name of a client, a hash of its token; an unknown token is refused."""
        token = request.headers.get("authorization", "").partition(" ")[2].strip()
        if not token:
            return ANONYMOUS
        if token not in self._tokens:
            raise Refusal(401, "Bad credentials")
        return _client_name(token)

    def _faulty(self, fault: Fault, target: str, client: str) -> Answered | None:
        """Return the answer that a fault puts in place of the right one, if it does so.

        A fault of the kind `grow` moves the default branch instead.
        """
        if fault.kind == "grow":
            repository = self._hub.named(fault.repo)
            if repository is not None:
                repository.show(fault.push)
        response = substitute(fault, target, client, self._limits)
        if response is None:
            return None
        for name, value in self._limits.meter(client, "core").headers().items():
            response.headers.setdefault(name, value)
        return Answered(response, free=True)

    def _graphql(self, request: Request, body: bytes, client: str) -> Answered:
        if client == ANONYMOUS:
            raise Refusal(401, "This endpoint requires you to be authenticated.")
        meter = self._limits.meter(client, "graphql")
        response = graphql.answer(self._hub, body, meter)
        response.headers.update(meter.headers())
        return Answered(response)

    def _rest(self, endpoint: Callable[[RestCall], Response]) -> Answer:
        def answer(request: Request, body: bytes, client: str) -> Answered:
            meter = self._limits.meter(client, "core")
            try:
                _check_limit(meter, client)
                response = _conditional(request, endpoint(self._call(request)))
            except Refusal as refusal:
                response = refusal.response()
            # A 304 is free only for clients with a token.
            free = response.status_code == 304 and client != ANONYMOUS
            if not free:
                meter.charge()
            response.headers.update(meter.headers())
            return Answered(response, free)

        return answer

    def _write(self, change: Callable[[RestCall, bytes], Response]) -> Answer:
        def answer(request: Request, body: bytes, client: str) -> Answered:
            if client == ANONYMOUS:
                raise Refusal(401, "Requires authentication")
            if client in self._readers:
                raise Refusal(403, "Resource not accessible by integration")
            meter = self._limits.meter(client, "core")
            _check_limit(meter, client)
            response = change(self._call(request), body)
            meter.charge()
            response.headers.update(meter.headers())
            return Answered(response)

        return answer

    def _call(self, request: Request) -> RestCall:
        """Find the repository of a request; an old name is redirected to the repository's id."""
        names = request.path_params
        parts = _path(request).split("/")
        if "id" in names:
            repository = self._existing(self._hub.numbered(names["id"]))
            return RestCall(request, repository, self._origin, _tail(parts[3:]))
        tail = _tail(parts[4:])
        full_name = f"{names.get('owner')}/{names.get('name')}"
        repository = self._existing(self._hub.named(full_name))
        if repository.full_name.lower() == full_name.lower():
            return RestCall(request, repository, self._origin, tail)
        query = f"?{request.url.query}" if request.url.query else ""
        moved = f"{self._origin}/repositories/{repository.repo.id}{tail}{query}"
        raise Refusal(301, "Moved Permanently", {"Location": moved})

    def _existing(self, repository: ServedRepository | None) -> ServedRepository:
        if repository is None:
            raise not_found()
        return repository

    def _rate_limit(self, request: Request, body: bytes, client: str) -> Answered:
        core = self._limits.meter(client, "core").overview
        graph = self._limits.meter(client, "graphql").overview
        limits = {"resources": {"core": core, "graphql": graph}, "rate": core}
        return Answered(json_response(limits), free=True)

    def _missing(self, request: Request, body: bytes, client: str) -> Answered:
        raise not_found()


def _client_name(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:12]


def _path(request: Request) -> str:
    """Return the path as the client wrote it, escapes included."""
    raw: bytes = request.scope["raw_path"]
    return raw.decode("ascii", "replace")


def _check_limit(meter: Meter, client: str) -> None:
    if meter.used < meter.limit:
        return
    raise Refusal(403, _GUEST_EXHAUSTED if client == ANONYMOUS else EXHAUSTED)


def _tail(parts: list[str]) -> str:
    return "".join(f"/{part}" for part in parts)


def _conditional(request: Request, response: Response) -> Response:
    """Add an ETag made from the content; answer 304 to a client that already has it."""
    media_type = response.headers["content-type"].encode()
    etag = f'W/"{hashlib.sha256(media_type + bytes(response.body)).hexdigest()}"'
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, max-age=60, s-maxage=60"
    if etag.removeprefix("W/") not in _cached_etags(request):
        return response
    headers = {}
    for name in _KEPT_IN_304:
        if name in response.headers:
            headers[name] = response.headers[name]
    return Response(status_code=304, headers=headers)


def _cached_etags(request: Request) -> set[str]:
    """Return the ETags that the client has, without the mark of weak ones."""
    header = request.headers.get("if-none-match", "")
    return {etag.strip().removeprefix("W/") for etag in header.split(",")}
