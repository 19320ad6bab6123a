"""How many requests each client may make in an hour, and what the headers say about it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from evals.github_server.responses import Refusal

HOUR = 3600
ANONYMOUS = "anonymous"
EXHAUSTED = "API rate limit exceeded for user ID 1."
_SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass(frozen=True)
class Allowance:
    """Requests (or GraphQL queries) per hour."""

    anonymous: int = 60
    token: int = 5000
    graphql: int = 5000


@dataclass
class Meter:
    """What one client has used of one resource in the present hour."""

    resource: str
    limit: int
    reset: int
    used: int = 0

    @property
    def remaining(self) -> int:
        """What is left; never negative."""
        return max(0, self.limit - self.used)

    def charge(self) -> None:
        """Count one request."""
        self.used = min(self.limit, self.used + 1)

    def headers(self) -> dict[str, str]:
        """Say it as GitHub does on every answer."""
        values = {"Limit": self.limit, "Remaining": self.remaining, "Used": self.used, "Reset": self.reset}
        return {f"X-RateLimit-{name}": str(value) for name, value in values.items()} | {
            "X-RateLimit-Resource": self.resource
        }

    def exhausted_headers(self, reset: int) -> dict[str, str]:
        """Say that nothing is left until a moment, whatever was used."""
        used_up = {"Remaining": "0", "Used": str(self.limit), "Reset": str(reset)}
        return self.headers() | {f"X-RateLimit-{name}": value for name, value in used_up.items()}

    def overview(self) -> dict[str, int]:
        """Say it as `/rate_limit` does."""
        return {"limit": self.limit, "remaining": self.remaining, "reset": self.reset, "used": self.used}


@dataclass
class Limits:
    """The meters of all clients."""

    allowance: Allowance = field(default_factory=Allowance)
    clock: Callable[[], float] = time.time
    _meters: dict[tuple[str, str], Meter] = field(default_factory=dict)

    def meter(self, who: str, resource: str) -> Meter:
        """Find a client's meter; a new hour starts it anew."""
        meter = self._meters.get((who, resource))
        if meter is None or meter.reset <= self.clock():
            meter = Meter(resource, self._limit(who, resource), int(self.clock()) + HOUR)
            self._meters[who, resource] = meter
        return meter

    def _limit(self, who: str, resource: str) -> int:
        if who == ANONYMOUS:
            return 0 if resource == "graphql" else self.allowance.anonymous
        return self.allowance.graphql if resource == "graphql" else self.allowance.token


def exhausted(who: str) -> Refusal:
    """Refuse a client that has nothing left of its primary limit."""
    guest = "API rate limit exceeded for 127.0.0.1. (Authenticated requests get a higher rate limit.)"
    return Refusal(403, guest if who == ANONYMOUS else EXHAUSTED)


def secondary(retry_after: int | None) -> Refusal:
    """Refuse a client that asks too fast, with or without saying how long to wait."""
    return Refusal(403, _SECONDARY, {} if retry_after is None else {"Retry-After": str(retry_after)})
