"""Faults on purpose: single ones from a queue, and storms of them drawn from a seed."""

import asyncio
import hashlib
import json
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from agent.domain.errors import InputError
from evals.github_server.http_responses import EXHAUSTED, JSON, ClientMeters, Refusal, json_response
from evals.loopback import reset_connection

TRANSPORT = ("reset", "half_body", "slow")
"""Faults of the connection: the answer is right, but does not arrive as it should."""
STORM = (
    "bad_gateway",
    "unicorn",
    "html_labelled_json",
    *TRANSPORT,
    "forbidden_retry_after",
    "graphql_rate_limited",
    "graphql_partial",
)
"""The default faults of a storm: those that a patient client overcomes quickly."""
KINDS = (*STORM, "forbidden_secondary", "primary_exhausted", "redirect_elsewhere", "grow")
"""Every fault there is."""
_UNICORN = (
    b"<!DOCTYPE html>\n<html>\n<head><title>Unicorn! &middot; GitHub</title></head>\n"
    b"<body><p><strong>We couldn't respond to your request in time.</strong></p></body>\n</html>\n"
)
_SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
_SLICES = 8  # In how many parts a slow answer is sent
_MAX_SLOW_SECONDS = 30.0


@dataclass
class Fault:
    """One fault, for requests whose path matches."""

    kind: str
    path: str = ""  # A regular expression searched in `/path?query`; empty matches everything
    times: int = 1
    after: int = 0  # How many matching requests pass unharmed first
    seconds: float = 0.2
    """How long a slow answer takes, or how far away the reset of an exhausted limit is."""
    retry_after: int = 1
    location: str = ""  # The origin to which `redirect_elsewhere` sends the client
    repo: str = ""
    push: int = -1  # Where the default branch of `repo` moves when the history grows


@dataclass
class Storm:
    """Random faults that depend on the seed but not on the order in which requests arrive."""

    seed: int
    rate: float
    kinds: Sequence[str] = STORM
    in_a_row: int = 2  # How often the same request may fail before it must succeed
    seconds: float = 0.05
    retry_after: int = 0
    _requests: Counter[str] = field(default_factory=Counter)
    _failures: Counter[str] = field(default_factory=Counter)

    def draw(self, target: str, body: bytes) -> Fault | None:
        """Decide whether a request fails, and how."""
        request = hashlib.sha256(target.encode() + body).hexdigest()
        self._requests[request] += 1
        seed = f"{self.seed}:{request}:{self._requests[request]}"
        chance = random.Random(seed)  # noqa: S311 - weather, not a secret
        kinds = self._kinds_for(target)
        must_succeed = self._failures[request] >= self.in_a_row
        if not kinds or chance.random() >= self.rate or must_succeed:
            self._failures[request] = 0
            return None
        self._failures[request] += 1
        return Fault(chance.choice(kinds), seconds=self.seconds, retry_after=self.retry_after)

    def _kinds_for(self, target: str) -> list[str]:
        """List the faults that fit a request; those of GraphQL fit no other."""
        if target.endswith("/graphql"):
            return list(self.kinds)
        return [kind for kind in self.kinds if not kind.startswith("graphql_")]


class Faults:
    """The faults of requests to the API; git is spared."""

    def __init__(self) -> None:
        self._queue: list[Fault] = []
        self._storm: Storm | None = None
        self.fired: list[tuple[str, str]] = []  # (kind, path) of every fault so far

    def add(
        self, kind: str, path: str = "", *, times: int = 1, after: int = 0, **options: float | str
    ) -> None:
        """Queue a fault; `options` are the other fields of `Fault`."""
        if kind not in KINDS:
            raise InputError(f"there is no fault {kind!r}; there are {', '.join(KINDS)}")
        self._queue.append(Fault(kind, path, times, after, **options))  # type: ignore[arg-type]

    def storm(self, seed: int, rate: float, kinds: Sequence[str] = STORM, **options: float) -> None:
        """Make a share of all API requests fail; `options` are the other fields of `Storm`."""
        self._storm = Storm(seed, rate, kinds, **options)  # type: ignore[arg-type]

    def take(self, target: str, body: bytes) -> Fault | None:
        """Return the fault of a request for `/path?query`, if it has one."""
        fault = self._next(target)
        if fault is None and self._storm is not None:
            fault = self._storm.draw(target, body)
        if fault is not None:
            self.fired.append((fault.kind, target.partition("?")[0]))
        return fault

    def _next(self, target: str) -> Fault | None:
        for fault in self._queue:
            if not re.search(fault.path, target):
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            if fault.times <= 0:
                self._queue.remove(fault)
            return fault
        return None


def substitute(fault: Fault, target: str, client: str, limits: ClientMeters) -> Response | None:
    """Return the answer that replaces the right one; None if the right one is still needed."""
    match fault.kind:
        case "bad_gateway":
            return json_response({"message": "Server Error"}, 502)
        case "unicorn":
            return Response(_UNICORN, 504, media_type="text/html; charset=utf-8")
        case "html_labelled_json":
            return Response(_UNICORN, 503, media_type=JSON)
        case "forbidden_retry_after":
            headers = {"Retry-After": str(fault.retry_after)}
            return Refusal(403, _SECONDARY, headers).response()
        case "forbidden_secondary":
            return Refusal(403, _SECONDARY).response()
        case "primary_exhausted":
            return Refusal(403, EXHAUSTED, _used_up(fault, client, limits, "core")).response()
        case "redirect_elsewhere":
            url = f"{fault.location}{target}"
            return json_response({"message": "Moved", "url": url}, 301, {"Location": url})
        case "graphql_rate_limited":
            error = {"type": "RATE_LIMITED", "message": EXHAUSTED}
            headers = _used_up(fault, client, limits, "graphql")
            return json_response({"errors": [error]}, 200, headers)
        case _:
            return None


def _used_up(fault: Fault, client: str, limits: ClientMeters, resource: str) -> dict[str, str]:
    """Return the rate limit headers of a client that has nothing left."""
    meter = limits.meter(client, resource)
    # Rounded up, so that a client which waits until this second has waited long enough.
    reset = math.ceil(limits.clock() + fault.seconds)
    return meter.headers() | {
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Used": str(meter.limit),
        "X-RateLimit-Reset": str(reset),
    }


def partial(answer: Response) -> Response:
    """Lose the last part of a GraphQL answer, as GitHub does when a query needs too much."""
    body = json.loads(bytes(answer.body))
    repository = (body.get("data") or {}).get("repository")
    if not repository:
        return answer
    last = list(repository)[-1]
    repository[last] = None
    message = "Resource limits for this query exceeded."
    error = {"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["repository", last], "message": message}
    return json_response({"data": body["data"], "errors": [*body.get("errors", []), error]})


class BrokenResponse(Response):
    """A right answer that a fault of the connection spoils on its way."""

    def __init__(self, response: Response, fault: Fault) -> None:
        super().__init__(bytes(response.body), response.status_code)
        self.raw_headers = response.raw_headers
        self._fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send slowly, send half, or reset the connection."""
        if self._fault.kind == "slow":
            await self._send_slowly(send)
            return
        body = bytes(self.body)
        if self._fault.kind == "half_body" and body:
            await self._send_start(send)
            await _send_part(send, body[: len(body) // 2], more=True)
            scope["state"]["transport"].close()
        else:
            reset_connection(scope)
        await receive()  # Until the connection is closed.

    async def _send_start(self, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )

    async def _send_slowly(self, send: Send) -> None:
        await self._send_start(send)
        body = bytes(self.body)
        size = math.ceil(len(body) / _SLICES)
        pause = min(self._fault.seconds, _MAX_SLOW_SECONDS) / _SLICES
        for number in range(_SLICES):
            await asyncio.sleep(pause)
            part = body[number * size : (number + 1) * size]
            await _send_part(send, part, more=number < _SLICES - 1)


async def _send_part(send: Send, part: bytes, *, more: bool) -> None:
    await send({"type": "http.response.body", "body": part, "more_body": more})
