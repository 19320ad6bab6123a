"""How long GitHub wants us to wait, read from its answers, and what a run spent on each host."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import httpx
from pydantic import AliasPath, BaseModel, ConfigDict, Field, TypeAdapter

if TYPE_CHECKING:
    from tools.github.client import GitHubClient

SECONDARY_WAIT = 60.0
"""What GitHub asks for when a secondary limit comes without `retry-after`; doubled each time it happens again."""
_SECONDARY_WORDS = ("secondary rate limit", "abuse detection")
# A reset is in whole seconds of a clock that is not ours: one more makes sure it has passed.
_MARGIN = 1.0


class Limits:
    """What is known of the limits; every request asks here first, so one refusal holds all of them back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._not_before = 0.0
        self._remaining: dict[str, int] = {}
        self._reset: dict[str, float] = {}
        self._streak = 0
        self.secondary_seen = False

    def note(self, resource: str, headers: httpx.Headers) -> None:
        """Remember how much is left of a primary limit."""
        remaining, reset = (
            _number(headers.get("x-ratelimit-remaining")),
            _number(headers.get("x-ratelimit-reset")),
        )
        if remaining is not None and reset is not None:
            self._remaining[resource], self._reset[resource] = int(remaining), reset

    def succeeded(self) -> None:
        """Forget earlier refusals: the next secondary limit starts from the shortest wait again."""
        self._streak = 0

    def remaining(self, resource: str) -> int | None:
        """Say how many requests of a primary limit are left; None before the first answer."""
        return self._remaining.get(resource)

    def wait(self, resource: str) -> float:
        """Say how many seconds the next request has to be held back."""
        until = self._not_before
        if self._remaining.get(resource) == 0:
            until = max(until, self._reset[resource] + _MARGIN)
        return max(0.0, until - self._clock())

    def refused(
        self, resource: str, status: int, headers: httpx.Headers, text: str
    ) -> float | None:
        """Read a refusal: seconds to wait, or None when it is not about limits (a permission, for example)."""
        stated, secondary = (
            retry_after(headers, self._clock()),
            any(word in text.lower() for word in _SECONDARY_WORDS),
        )
        exhausted = headers.get("x-ratelimit-remaining", "").strip() == "0"
        if stated is not None:
            wait = stated
        elif exhausted and not secondary and resource in self._reset:
            # At least a growing second: our clock may be ahead of GitHub's.
            wait = max(self._reset[resource] + _MARGIN - self._clock(), 2.0**self._streak)
        elif secondary or exhausted or status == httpx.codes.TOO_MANY_REQUESTS:
            wait = SECONDARY_WAIT * 2**self._streak
        else:
            return None
        self._streak += 1
        self.secondary_seen |= secondary
        self._not_before = max(self._not_before, self._clock() + wait)
        return wait


def retry_after(headers: httpx.Headers, now: float) -> float | None:
    """Read `retry-after`, in seconds or as a date; None when it is absent or unreadable."""
    text = headers.get("retry-after")
    if text is None:
        return None
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).astimezone(UTC).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    """Read a whole, not absurd number; anything else is treated as absent."""
    text = (text or "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


@dataclass
class RequestUsage:
    """What a client has spent; the run shows it at the end."""

    sent: int = 0
    free: int = 0  # Answers that cost nothing of the limit: 304 to a client with a token
    retried: int = 0
    waited: float = 0.0
    remembered: int = 0  # Questions that were not asked, because the stored answer still holds


class Quota(BaseModel):
    """The primary limit of the account behind the token."""

    model_config = ConfigDict(frozen=True)

    limit: int = Field(validation_alias=AliasPath("resources", "core", "limit"))
    remaining: int = Field(validation_alias=AliasPath("resources", "core", "remaining"))
    reset: int = Field(validation_alias=AliasPath("resources", "core", "reset"))

    def skew(self, now: datetime) -> float:
        """Estimate how many seconds our clock is off: a limit is always renewed within the coming hour."""
        ahead = self.reset - now.timestamp()
        return -ahead if ahead < 0 else max(0.0, ahead - 3600)


_QUOTA = TypeAdapter(Quota)


async def quota(client: "GitHubClient") -> Quota:
    """Ask for the limits."""
    return (await client.get("/rate_limit", _QUOTA)).value
