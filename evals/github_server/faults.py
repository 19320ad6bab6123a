"""What goes wrong on purpose: single faults in a queue, and storms of them drawn from a seed."""

import hashlib
import random
import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.errors import InputError
from evals.github_server.limits import Limits, secondary
from evals.github_server.wire import Answer, Json, Refusal, Request, encode

UNICORN = (
    b"<!DOCTYPE html>\n<html>\n<head><title>Unicorn! &middot; GitHub</title></head>\n"
    b"<body><p><strong>We couldn't respond to your request in time.</strong></p></body>\n</html>\n"
)

TRANSPORT = ("reset", "half_body", "slow")
"""Faults of the connection: the answer is right, but does not arrive as it should."""

STORM = (
    "bad_gateway", "unicorn", "html_labelled_json", "reset", "half_body", "slow", "forbidden_retry_after",
    "graphql_rate_limited", "graphql_partial",
)  # fmt: skip
"""What a storm is made of unless told otherwise: what a patient client gets over quickly."""

KINDS = (
    *STORM, "forbidden_secondary", "primary_exhausted", "redirect_elsewhere", "grow",
)  # fmt: skip
"""Every fault there is."""


@dataclass
class Fault:
    """One thing that goes wrong, for requests whose path matches."""

    kind: str
    path: str = ""
    """A regular expression searched in `/path?query`; empty matches everything."""
    times: int = 1
    after: int = 0
    """How many matching requests pass unharmed first."""
    seconds: float = 0.2
    """How long a slow answer takes, or how far away the reset of an exhausted limit is."""
    retry_after: int = 1
    location: str = ""
    """Where `redirect_elsewhere` sends the client: the other origin, the path is kept."""
    repo: str = ""
    push: int = -1
    """Where the default branch of `repo` moves when the history grows."""

    def matches(self, target: str) -> bool:
        """Tell whether a request is meant."""
        return re.search(self.path, target) is not None


@dataclass
class Storm:
    """Faults at random, the same for the same seed whatever the order in which requests arrive."""

    seed: int
    rate: float
    kinds: Sequence[str] = STORM
    in_a_row: int = 2
    """How often the same request may fail before it must succeed."""
    seconds: float = 0.05
    retry_after: int = 0
    _asked: Counter[str] = field(default_factory=Counter)
    _failed: Counter[str] = field(default_factory=Counter)

    def draw(self, target: str, body: bytes) -> Fault | None:
        """Decide about one request."""
        name = hashlib.sha256(target.encode() + body).hexdigest()
        self._asked[name] += 1
        chance = random.Random(f"{self.seed}:{name}:{self._asked[name]}")  # noqa: S311 - weather, not a secret
        kinds = [kind for kind in self.kinds if kind.startswith("graphql_") <= target.endswith("/graphql")]
        if not kinds or chance.random() >= self.rate or self._failed[name] >= self.in_a_row:
            self._failed[name] = 0
            return None
        self._failed[name] += 1
        return Fault(chance.choice(kinds), seconds=self.seconds, retry_after=self.retry_after)


class Faults:
    """The script of what goes wrong."""

    def __init__(self) -> None:
        self._queue: list[Fault] = []
        self._storm: Storm | None = None
        self._lock = threading.Lock()
        self.fired: list[tuple[str, str]] = []
        """(kind, path) of everything that went wrong so far."""

    def add(self, kind: str, path: str = "", *, times: int = 1, after: int = 0, **options: float | str) -> None:
        """Queue a fault; `options` are the other fields of `Fault`."""
        if kind not in KINDS:
            raise InputError(f"there is no fault {kind!r}; there are {', '.join(KINDS)}")
        with self._lock:
            self._queue.append(Fault(kind, path, times, after, **options))  # type: ignore[arg-type]

    def storm(self, seed: int, rate: float, kinds: Sequence[str] = STORM, **options: float) -> None:
        """Let a share of all API requests fail; `options` are the other fields of `Storm`."""
        with self._lock:
            self._storm = Storm(seed, rate, kinds, **options)  # type: ignore[arg-type]

    def clear(self) -> None:
        """End everything."""
        with self._lock:
            self._queue.clear()
            self._storm = None

    def take(self, request: Request, *, git: bool = False) -> Fault | None:
        """Find what is to go wrong with a request; storms spare git, which has no retries of its own."""
        target = f"{request.path}?{request.raw_query}" if request.raw_query else request.path
        with self._lock:
            fault = self._next(target)
            if fault is None and self._storm is not None and not git:
                fault = self._storm.draw(target, request.body)
            if fault is not None:
                self.fired.append((fault.kind, request.path))
            return fault

    def _next(self, target: str) -> Fault | None:
        for fault in self._queue:
            if not fault.matches(target):
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            if fault.times <= 0:
                self._queue.remove(fault)
            return fault
        return None


def broken(fault: Fault, request: Request, who: str, limits: Limits) -> Answer | None:
    """Give the answer that stands in for the right one; None if the right one is still wanted."""
    match fault.kind:
        case "bad_gateway":
            return Answer.json({"message": "Server Error"}, status=502)
        case "unicorn":
            return Answer(504, UNICORN, media="text/html; charset=utf-8")
        case "html_labelled_json":
            return Answer(503, UNICORN)
        case "forbidden_retry_after":
            return secondary(fault.retry_after)
        case "forbidden_secondary":
            return secondary(None)
        case "primary_exhausted":
            return _exhausted(fault, who, limits)
        case "redirect_elsewhere":
            where = f"{fault.location}{request.path}" + (f"?{request.raw_query}" if request.raw_query else "")
            return Answer.json({"message": "Moved Permanently", "url": where}, status=301, headers={"Location": where})
        case "graphql_rate_limited":
            error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}
            return Answer.json({"errors": [error]}, headers=_nothing_left(fault, who, limits, "graphql"))
    return None


def _exhausted(fault: Fault, who: str, limits: Limits) -> Answer:
    refusal = Refusal(403, "API rate limit exceeded for user ID 1.", headers=_nothing_left(fault, who, limits, "core"))
    return refusal.answer()


def _nothing_left(fault: Fault, who: str, limits: Limits, resource: str) -> dict[str, str]:
    meter = limits.meter(who, resource)
    # Rounded up, so that a client which waits until this second has waited long enough.
    reset = int(-(-(limits.clock() + fault.seconds) // 1))
    return meter.headers(resource) | {
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Used": str(meter.limit),
        "X-RateLimit-Reset": str(reset),
    }


def partial(answer: Answer) -> Answer:
    """Lose the last part of a GraphQL answer, as GitHub does when a query needs too much."""
    if not isinstance(answer.data, dict) or not isinstance(answer.data.get("data"), dict):
        return answer
    data: Json = answer.data["data"]
    place, path = data, []
    for name in list(data):
        if isinstance(data[name], dict) and name != "rateLimit":
            place, path = data[name], [name]
    if not place:
        return answer
    last = list(place)[-1]
    place[last] = None
    error = {
        "type": "RESOURCE_LIMITS_EXCEEDED",
        "path": [*path, last],
        "message": "Resource limits for this query exceeded.",
    }
    errors = [*answer.data.get("errors", []), error]
    return Answer(200, encode({"data": data, "errors": errors}), headers=answer.headers)
