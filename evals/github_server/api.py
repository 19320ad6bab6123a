"""The gateway of the API: who asks, what goes wrong, what it costs, what is unchanged, and what was asked."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.github_server import graphql
from evals.github_server.faults import TRANSPORT, BrokenResponse, Fault, Faults, partial, substitute
from evals.github_server.repositories import Hub, RestCall
from evals.github_server.responses import (
    ANONYMOUS,
    EXHAUSTED,
    ClientMeters,
    Refusal,
    json_response,
    not_found,
)
from evals.github_server.rest import ENDPOINTS

Answer = Callable[[Request, bytes, str], tuple[Response, bool]]
"""Takes a request, its body and who asks; gives the response and whether it was free of the limit."""

_GUEST_EXHAUSTED = (
    "API rate limit exceeded for 127.0.0.1. (Authenticated requests get a higher rate limit.)"
)


@dataclass(frozen=True)
class SeenRequest:
    """One request to the API as the server saw it."""

    method: str
    path: str
    status: int
    free: bool  # True if the request did not count against the primary limit


class Api:
    """Answers every request to the API."""

    def __init__(
        self, hub: Hub, limits: ClientMeters, faults: Faults, origin: str, tokens: tuple[str, ...]
    ) -> None:
        self._hub, self._limits, self._faults, self._origin, self._tokens = (
            hub,
            limits,
            faults,
            origin,
            tokens,
        )
        self.hits: list[SeenRequest] = []

    def routes(self) -> list[Route]:
        """Give the addresses of REST and GraphQL."""
        rest = [Route("/rate_limit", self._handler(self._rate_limit))]
        for tail, endpoint in ENDPOINTS.items():
            for start in ("/repos/{owner}/{name}", "/repositories/{id:int}"):
                rest.append(Route(start + tail, self._handler(self._rest(endpoint))))
        query, missing = self._handler(self._graphql), self._handler(self._missing)
        return [Route("/graphql", query, methods=["POST"]), *rest, Route("/{path:path}", missing)]

    def _handler(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            return self._deliver(request, await request.body(), answer)

        return handle

    def _deliver(self, request: Request, body: bytes, answer: Answer) -> Response:
        """Answer a request, let go wrong what shall go wrong, and write it down."""
        path, query = _path(request), request.url.query
        target = f"{path}?{query}" if query else path
        fault = self._faults.take(target, body)
        try:
            who = self._identify(request)
            response, free = (self._faulty(fault, target, who) if fault else None) or answer(
                request, body, who
            )
        except Refusal as refusal:
            response, free = refusal.response(), False
        if fault and fault.kind == "graphql_partial":
            response = partial(response)
        self.hits.append(SeenRequest(request.method, path, response.status_code, free))
        return BrokenResponse(response, fault) if fault and fault.kind in TRANSPORT else response

    def _identify(self, request: Request) -> str:
        """Name whoever asks by the hash of the token; a token that is not known is refused."""
        token = request.headers.get("authorization", "").partition(" ")[2].strip()
        if token and token not in self._tokens:
            raise Refusal(401, "Bad credentials")
        return hashlib.sha256(token.encode()).hexdigest()[:12] if token else ANONYMOUS

    def _faulty(self, fault: Fault, target: str, who: str) -> tuple[Response, bool] | None:
        """Give the answer that stands in for the right one, if one does; a history may grow instead."""
        if fault.kind == "grow" and (repository := self._hub.named(fault.repo)) is not None:
            repository.show(fault.push)
        instead = substitute(fault, target, who, self._limits)
        if instead is None:
            return None
        for name, value in self._limits.meter(who, "core").headers().items():
            instead.headers.setdefault(name, value)
        return instead, True

    def _graphql(self, request: Request, body: bytes, who: str) -> tuple[Response, bool]:
        if who == ANONYMOUS:
            raise Refusal(401, "This endpoint requires you to be authenticated.")
        meter = self._limits.meter(who, "graphql")
        response = graphql.answer(self._hub, body, meter)
        response.headers.update(meter.headers())
        return response, False

    def _rest(self, endpoint: Callable[[RestCall], Response]) -> Answer:
        def answer(request: Request, body: bytes, who: str) -> tuple[Response, bool]:
            meter = self._limits.meter(who, "core")
            exhausted = Refusal(403, _GUEST_EXHAUSTED if who == ANONYMOUS else EXHAUSTED).response()
            try:
                left = meter.used < meter.limit
                response = (
                    _conditional(request, endpoint(self._call(request))) if left else exhausted
                )
            except Refusal as refusal:
                response = refusal.response()
            # Only whoever shows a token gets unchanged answers for nothing.
            free = response.status_code == 304 and who != ANONYMOUS
            if not free:
                meter.charge()
            response.headers.update(meter.headers())
            return response, free

        return answer

    def _call(self, request: Request) -> RestCall:
        """Find the repository that a request is about; one that was renamed is told its new address."""
        path, names = _path(request), request.path_params
        tail = "".join(f"/{part}" for part in path.split("/")[3 if "id" in names else 4 :])
        full_name = f"{names.get('owner')}/{names.get('name')}"
        repository = (
            self._hub.numbered(names["id"]) if "id" in names else self._hub.named(full_name)
        )
        if repository is None:
            raise not_found()
        if "id" in names or repository.full_name.lower() == full_name.lower():
            return RestCall(request, repository, self._origin, tail)
        query = f"?{request.url.query}" if request.url.query else ""
        moved = f"{self._origin}/repositories/{repository.repo.id}{tail}{query}"
        raise Refusal(301, "Moved Permanently", {"Location": moved})

    def _rate_limit(self, request: Request, body: bytes, who: str) -> tuple[Response, bool]:
        core, graph = (
            self._limits.meter(who, resource).overview for resource in ("core", "graphql")
        )
        return json_response({"resources": {"core": core, "graphql": graph}, "rate": core}), True

    def _missing(self, request: Request, body: bytes, who: str) -> tuple[Response, bool]:
        raise not_found()


def _path(request: Request) -> str:
    """Give the path as the client wrote it, escapes included."""
    raw: bytes = request.scope["raw_path"]
    return raw.decode("ascii", "replace")


def _conditional(request: Request, response: Response) -> Response:
    """Name the representation by its content; answer 304 to a client that already has it."""
    media = response.headers["content-type"].encode()
    etag = f'W/"{hashlib.sha256(media + bytes(response.body)).hexdigest()}"'
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, max-age=60, s-maxage=60"
    known = {
        part.strip().removeprefix("W/")
        for part in request.headers.get("if-none-match", "").split(",")
    }
    if etag.removeprefix("W/") not in known:
        return response
    headers = {
        name: response.headers[name]
        for name in ("etag", "cache-control", "link")
        if name in response.headers
    }
    return Response(status_code=304, headers=headers)
