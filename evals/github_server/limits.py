"""How many requests each client may make in an hour, and what the headers say about it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from evals.github_server.wire import Answer, Refusal

HOUR = 3600


@dataclass(frozen=True)
class Allowance:
    """Requests (or points) per hour."""

    anonymous: int = 60
    token: int = 5000
    graphql: int = 5000


@dataclass
class Meter:
    """What one client has used of one resource in the present hour."""

    limit: int
    reset: int
    used: int = 0

    @property
    def remaining(self) -> int:
        """What is left; never negative."""
        return max(0, self.limit - self.used)

    def headers(self, resource: str) -> dict[str, str]:
        """Say it as GitHub does on every answer."""
        values = {"Limit": self.limit, "Remaining": self.remaining, "Used": self.used, "Reset": self.reset}
        return {f"X-RateLimit-{name}": str(value) for name, value in values.items()} | {
            "X-RateLimit-Resource": resource
        }

    def overview(self) -> dict[str, int]:
        """Say it as `/rate_limit` does."""
        return {"limit": self.limit, "remaining": self.remaining, "reset": self.reset, "used": self.used}


@dataclass
class Limits:
    """The meters of all clients."""

    allowance: Allowance = field(default_factory=Allowance)
    clock: Callable[[], float] = time.time
    _meters: dict[tuple[str, str], Meter] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def meter(self, who: str, resource: str) -> Meter:
        """Find a client's meter; a new hour starts it anew."""
        with self._lock:
            meter = self._meters.get((who, resource))
            if meter is None or meter.reset <= self.clock():
                meter = Meter(self._limit(who, resource), int(self.clock()) + HOUR)
                self._meters[who, resource] = meter
            return meter

    def _limit(self, who: str, resource: str) -> int:
        if who == "anonymous":
            return 0 if resource == "graphql" else self.allowance.anonymous
        return self.allowance.graphql if resource == "graphql" else self.allowance.token

    def charge(self, meter: Meter, points: int = 1) -> None:
        """Write a request down."""
        with self._lock:
            meter.used = min(meter.limit, meter.used + points)


def exhausted(who: str) -> Refusal:
    """Refuse a client that has nothing left."""
    whom = "for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit.)"
    return Refusal(403, f"API rate limit exceeded {whom if who == 'anonymous' else 'for user ID 1.'}")


def secondary(retry_after: int | None) -> Answer:
    """Refuse a client that asks too fast, with or without saying how long to wait."""
    refusal = Refusal(
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        headers={} if retry_after is None else {"Retry-After": str(retry_after)},
    )
    return refusal.answer()
