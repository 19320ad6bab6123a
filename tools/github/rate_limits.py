"""GitHub's rate limits: what its answers say of them, and how long the next request must wait."""

from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

import httpx

SECONDARY_WAIT = 60.0
"""Seconds that GitHub asks for where a secondary limit has no `retry-after`; doubled each time."""
_SECONDARY_PHRASES = ("secondary rate limit", "abuse detection")
_RESET_MARGIN = 1.0
"""A reset is given in whole seconds of a foreign clock: one more makes sure that it has passed."""
_MAX_DIGITS = 12


class Limits:
    """The state of all limits of one client, so that one refusal holds back every request."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._not_before = 0.0
        self._remaining: dict[str, int] = {}
        self._reset: dict[str, float] = {}
        self._refusals_in_a_row = 0
        self.secondary_seen = False

    def note(self, resource: str, headers: httpx.Headers) -> None:
        """Record how much is left of a primary limit, if the headers say so."""
        remaining = _number(headers.get("x-ratelimit-remaining"))
        reset = _number(headers.get("x-ratelimit-reset"))
        if remaining is None or reset is None:
            return
        self._remaining[resource] = int(remaining)
        self._reset[resource] = reset

    def succeeded(self) -> None:
        """Forget earlier refusals: the next secondary limit begins with the shortest wait again."""
        self._refusals_in_a_row = 0

    def remaining(self, resource: str) -> int | None:
        """Return how many requests a primary limit leaves, or None before the first answer."""
        return self._remaining.get(resource)

    def wait(self, resource: str) -> float:
        """Return for how many seconds the next request has to be held back."""
        until = self._not_before
        if self._remaining.get(resource) == 0:
            until = max(until, self._reset[resource] + _RESET_MARGIN)
        return max(0.0, until - self._clock())

    def refused(
        self, resource: str, status: int, headers: httpx.Headers, message: str
    ) -> float | None:
        """Record a refusal and return the seconds to wait.

        Return None if the refusal is not about limits: it may be about a permission.
        """
        is_secondary = any(phrase in message.lower() for phrase in _SECONDARY_PHRASES)
        wait = self._wait_after(resource, status, headers, is_secondary=is_secondary)
        if wait is None:
            return None
        self._refusals_in_a_row += 1
        self.secondary_seen = self.secondary_seen or is_secondary
        self._not_before = max(self._not_before, self._clock() + wait)
        return wait

    def _wait_after(
        self, resource: str, status: int, headers: httpx.Headers, *, is_secondary: bool
    ) -> float | None:
        stated = retry_after(headers, self._clock())
        if stated is not None:
            return stated
        is_exhausted = headers.get("x-ratelimit-remaining", "").strip() == "0"
        if is_exhausted and not is_secondary and resource in self._reset:
            until_reset = self._reset[resource] + _RESET_MARGIN - self._clock()
            # At least a growing second: our clock may be ahead of GitHub's.
            return max(until_reset, 2.0**self._refusals_in_a_row)
        if is_secondary or is_exhausted or status == httpx.codes.TOO_MANY_REQUESTS:
            return SECONDARY_WAIT * 2.0**self._refusals_in_a_row
        return None


def retry_after(headers: httpx.Headers, now: float) -> float | None:
    """Return `retry-after` in seconds, given as such or as a date; None if absent or unreadable."""
    text = headers.get("retry-after")
    if text is None:
        return None
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(text).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - now)


def _number(text: str | None) -> float | None:
    """Return a whole number of a sane length, or None."""
    digits = (text or "").strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS:
        return float(digits)
    return None
