"""The door of the API: who asks, may they, does something go wrong, and what is written down about it."""

import base64
import binascii
import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from evals.github_server import wire
from evals.github_server.faults import TRANSPORT, Fault, Faults, broken, partial
from evals.github_server.graphql import GraphQL
from evals.github_server.limits import Limits, exhausted
from evals.github_server.rest import Rest
from evals.github_server.wire import Answer, Refusal, Request, not_found

VARY = "Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With"
NO_AGENT = (
    b"Request forbidden by administrative rules. Please make sure your request has a User-Agent header "
    b"(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required).\n"
)


@dataclass(frozen=True)
class Hit:
    """One request as the server saw it."""

    method: str
    path: str
    query: str
    status: int
    who: str
    """`anonymous`, or the first digits of the token's hash."""
    free: bool
    """True if the request did not count against the primary limit."""
    fault: str = ""


@dataclass(frozen=True)
class Delivery:
    """An answer and how it reaches the client: plainly, or by one of the faults of the connection."""

    answer: Answer
    fault: Fault | None = None


def fingerprint(token: str) -> str:
    """Name a token without telling it."""
    return hashlib.sha256(token.encode()).hexdigest()[:12]


class Gateway:
    """Answers every request to the API."""

    def __init__(
        self,
        rest: Rest,
        graphql: GraphQL,
        *,
        origin: str,
        tokens: tuple[str, ...],
        limits: Limits,
        faults: Faults,
        grow: Callable[[str, int], None],
    ) -> None:
        self._rest, self._graphql, self._origin, self._limits, self._faults = rest, graphql, origin, limits, faults
        self._known = {fingerprint(token) for token in tokens}
        self._grow = grow
        self._lock = threading.Lock()
        self.hits: list[Hit] = []

    def deliver(self, request: Request) -> Delivery:
        """Answer a request, let go wrong what shall go wrong, and write it down."""
        fault = self._faults.take(request)
        try:
            who = self._identify(request)
            answer, free = self._answer(request, who, fault)
        except Refusal as refusal:
            who, free, answer = self._suspect(request), False, refusal.answer()
        with self._lock:
            number = len(self.hits) + 1
            kind = fault.kind if fault else ""
            self.hits.append(Hit(request.method, request.path, request.raw_query, answer.status, who, free, kind))
        answer.headers.setdefault("X-GitHub-Request-Id", f"{number:04X}:0000:0000:0000:00000000")
        answer.headers.setdefault("Server", "github.com")
        answer.headers.setdefault("Date", wire.http_date(datetime.fromtimestamp(self._limits.clock(), UTC)))
        return Delivery(answer, fault if fault and fault.kind in TRANSPORT else None)

    def _suspect(self, request: Request) -> str:
        token = _token(request)
        return fingerprint(token) if token else "anonymous"

    def _identify(self, request: Request) -> str:
        who = self._suspect(request)
        if who != "anonymous" and who not in self._known:
            raise Refusal(401, "Bad credentials")
        return who

    def _answer(self, request: Request, who: str, fault: Fault | None) -> tuple[Answer, bool]:
        if not request.headers.get("user-agent", "").strip():
            return Answer(403, NO_AGENT, media="text/plain; charset=utf-8"), True
        if fault is not None and fault.kind == "grow":
            self._grow(fault.repo, fault.push)
        if fault is not None and (instead := broken(fault, request, who, self._limits)) is not None:
            meter = self._limits.meter(who, "core")
            instead.headers = meter.headers("core") | instead.headers
            return instead, True
        api, inner = self._inside(request)
        if inner.path == "/graphql":
            answer = self._ask(inner, who)
            return (partial(answer) if fault is not None and fault.kind == "graphql_partial" else answer), False
        return self._get(inner, api, who)

    def _inside(self, request: Request) -> tuple[str, Request]:
        """Take off the prefix under which GitHub Enterprise has its API."""
        if request.path == "/api/graphql":
            return f"{self._origin}/api/v3", replace(request, path="/graphql")
        if request.path.startswith("/api/v3/"):
            return f"{self._origin}/api/v3", replace(request, path=request.path.removeprefix("/api/v3"))
        return self._origin, request

    def _ask(self, request: Request, who: str) -> Answer:
        if request.method != "POST":
            raise not_found()
        if who == "anonymous":
            raise Refusal(401, "This endpoint requires you to be authenticated.")
        meter = self._limits.meter(who, "graphql")
        answer = self._graphql.answer(request, meter)
        answer.headers |= meter.headers("graphql")
        return answer

    def _get(self, request: Request, api: str, who: str) -> tuple[Answer, bool]:
        if request.method not in ("GET", "HEAD"):
            raise not_found()
        meter = self._limits.meter(who, "core")
        free = request.path == "/rate_limit"
        try:
            if not free and meter.remaining == 0:
                raise exhausted(who)
            answer = self._rest.answer(request, api, who)
        except Refusal as refusal:
            answer = refusal.answer()
        if answer.status == 200:
            answer = self._conditional(request, answer, who)
            # Only whoever shows a token gets unchanged answers for nothing.
            free = free or (answer.status == 304 and who != "anonymous")
        if not free:
            self._limits.charge(meter)
        answer.headers = meter.headers("core") | answer.headers
        return answer, free

    def _conditional(self, request: Request, answer: Answer, who: str) -> Answer:
        etag = wire.etag_of(answer)
        scope = "public" if who == "anonymous" else "private"
        answer.headers |= {"ETag": etag, "Cache-Control": f"{scope}, max-age=60, s-maxage=60", "Vary": VARY}
        if answer.changed is not None:
            answer.headers.setdefault("Last-Modified", wire.http_date(answer.changed))
        if wire.unchanged(request, etag, answer.changed):
            return Answer(304, headers=answer.headers)
        return answer


def _token(request: Request) -> str:
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return value.strip()
    try:
        user, _, password = base64.b64decode(value.strip(), validate=True).decode("utf-8", "replace").partition(":")
    except binascii.Error:
        return value
    return password or user
