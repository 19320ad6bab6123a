"""What goes wrong on purpose: single faults in a queue, and storms of them drawn from a seed."""

import asyncio
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from agent.domain.base import InputError
from evals.github_server.responses import EXHAUSTED, JSON, ClientMeters, Refusal, json_response
from evals.loopback import reset_connection

TRANSPORT = ("reset", "half_body", "slow")
"""Faults of the connection: the answer is right, but does not arrive as it should."""
STORM = (
    "bad_gateway", "unicorn", "html_labelled_json", *TRANSPORT, "forbidden_retry_after", "graphql_rate_limited",
    "graphql_partial",
)  # fmt: skip
"""What a storm is made of unless told otherwise: what a patient client gets over quickly."""
KINDS = (
    *STORM,
    "forbidden_secondary",
    "primary_exhausted",
    "redirect_elsewhere",
    "grow",
)  # Every fault there is
_UNICORN = (
    b"<!DOCTYPE html>\n<html>\n<head><title>Unicorn! &middot; GitHub</title></head>\n"
    b"<body><p><strong>We couldn't respond to your request in time.</strong></p></body>\n</html>\n"
)
_SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
_SLICES = 8
_MAX_SECONDS = 30.0


@dataclass
class Fault:
    """One thing that goes wrong, for requests whose path matches."""

    kind: str
    path: str = ""  # A regular expression searched in `/path?query`; empty matches everything
    times: int = 1
    after: int = 0  # How many matching requests pass unharmed first
    seconds: float = (
        0.2  # How long a slow answer takes, or how far away the reset of an exhausted limit is
    )
    retry_after: int = 1
    location: str = (
        ""  # Where `redirect_elsewhere` sends the client: the other origin, the path is kept
    )
    repo: str = ""
    push: int = -1  # Where the default branch of `repo` moves when the history grows


@dataclass
class Storm:
    """Faults at random, the same for the same seed whatever the order in which requests arrive."""

    seed: int
    rate: float
    kinds: Sequence[str] = STORM
    in_a_row: int = 2  # How often the same request may fail before it must succeed
    seconds: float = 0.05
    retry_after: int = 0
    _asked: Counter[str] = field(default_factory=Counter)
    _failed: Counter[str] = field(default_factory=Counter)

    def draw(self, target: str, body: bytes) -> Fault | None:
        """Decide about one request."""
        name = hashlib.sha256(target.encode() + body).hexdigest()
        self._asked[name] += 1
        chance = random.Random(f"{self.seed}:{name}:{self._asked[name]}")  # noqa: S311 - weather, not a secret
        kinds = [
            kind
            for kind in self.kinds
            if kind.startswith("graphql_") <= target.endswith("/graphql")
        ]
        if not kinds or chance.random() >= self.rate or self._failed[name] >= self.in_a_row:
            self._failed[name] = 0
            return None
        self._failed[name] += 1
        return Fault(chance.choice(kinds), seconds=self.seconds, retry_after=self.retry_after)


class Faults:
    """The script of what goes wrong with requests to the API; git is spared."""

    def __init__(self) -> None:
        self._queue: list[Fault] = []
        self._storm: Storm | None = None
        self.fired: list[tuple[str, str]] = []  # (kind, path) of everything that went wrong so far

    def add(
        self, kind: str, path: str = "", *, times: int = 1, after: int = 0, **options: float | str
    ) -> None:
        """Queue a fault; `options` are the other fields of `Fault`."""
        if kind not in KINDS:
            raise InputError(f"there is no fault {kind!r}; there are {', '.join(KINDS)}")
        self._queue.append(Fault(kind, path, times, after, **options))  # type: ignore[arg-type]

    def storm(self, seed: int, rate: float, kinds: Sequence[str] = STORM, **options: float) -> None:
        """Let a share of all API requests fail; `options` are the other fields of `Storm`."""
        self._storm = Storm(seed, rate, kinds, **options)  # type: ignore[arg-type]

    def take(self, target: str, body: bytes) -> Fault | None:
        """Find what is to go wrong with a request for `/path?query`."""
        fault = self._next(target)
        if fault is None and self._storm is not None:
            fault = self._storm.draw(target, body)
        if fault is not None:
            self.fired.append((fault.kind, target.partition("?")[0]))
        return fault

    def _next(self, target: str) -> Fault | None:
        for fault in (one for one in self._queue if re.search(one.path, target)):
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            if fault.times <= 0:
                self._queue.remove(fault)
            return fault
        return None


def substitute(fault: Fault, target: str, who: str, limits: ClientMeters) -> Response | None:
    """Give the answer that stands in for the right one; None if the right one is still wanted."""
    where, limited = (
        f"{fault.location}{target}",
        {"errors": [{"type": "RATE_LIMITED", "message": EXHAUSTED}]},
    )

    def used_up(resource: str) -> dict[str, str]:
        meter = limits.meter(who, resource)
        # Rounded up, so that a client which waits until this second has waited long enough.
        reset = int(-(-(limits.clock() + fault.seconds) // 1))
        values = {"Remaining": 0, "Used": meter.limit, "Reset": reset}
        return meter.headers() | {
            f"X-RateLimit-{name}": str(value) for name, value in values.items()
        }

    answers: dict[str, Callable[[], Response]] = {
        "bad_gateway": lambda: json_response({"message": "Server Error"}, 502),
        "unicorn": lambda: Response(_UNICORN, 504, media_type="text/html; charset=utf-8"),
        "html_labelled_json": lambda: Response(_UNICORN, 503, media_type=JSON),
        "forbidden_retry_after": lambda: Refusal(
            403, _SECONDARY, {"Retry-After": str(fault.retry_after)}
        ).response(),
        "forbidden_secondary": lambda: Refusal(403, _SECONDARY).response(),
        "primary_exhausted": lambda: Refusal(403, EXHAUSTED, used_up("core")).response(),
        "redirect_elsewhere": lambda: json_response(
            {"message": "Moved", "url": where}, 301, {"Location": where}
        ),
        "graphql_rate_limited": lambda: json_response(limited, 200, used_up("graphql")),
    }
    return answers[fault.kind]() if fault.kind in answers else None


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

    def __init__(self, whole: Response, fault: Fault) -> None:
        super().__init__(bytes(whole.body), whole.status_code)
        self.raw_headers = whole.raw_headers
        self._fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send slowly, send half, or reset the connection."""
        body = bytes(self.body)
        start = {
            "type": "http.response.start",
            "status": self.status_code,
            "headers": self.raw_headers,
        }
        if self._fault.kind == "slow":
            await send(start)
            size = -(-len(body) // _SLICES)
            for number in range(_SLICES):
                await asyncio.sleep(min(self._fault.seconds, _MAX_SECONDS) / _SLICES)
                part = body[number * size : (number + 1) * size]
                await send(
                    {"type": "http.response.body", "body": part, "more_body": number < _SLICES - 1}
                )
            return
        if self._fault.kind == "half_body" and body:
            await send(start)
            await send(
                {"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True}
            )
            scope["state"]["transport"].close()
        else:
            reset_connection(scope)
        await receive()  # Until the connection is gone.
