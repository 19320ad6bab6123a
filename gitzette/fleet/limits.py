"""Limits that all machines share: requests for each token, questions for each key of a model."""

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable, Mapping

from agent.settings.values import Settings
from memory.fleet import Fleet

_LEFT_TO_PEOPLE = 0.1
_LONGEST_NAP = 30.0


class SharedLimits:
    """Counts in the database; whoever finds a limit spent sleeps until there is room again."""

    def __init__(
        self, fleet: Fleet, settings: Settings, environ: Mapping[str, str], *, background: bool = False
    ) -> None:
        """Leave a tenth of each limit to people who ask, if this is work in the background."""
        self._fleet, self._background = fleet, background
        limits, shared = settings.limits, settings.database is not None
        token = settings.token.get_secret_value() if settings.token else ""
        key = f"{settings.model_url} {environ.get('OPENAI_API_KEY', '')}"
        self.of_requests = self._admission(
            "requests", token, limits.requests if shared else None, limits.requests_seconds
        )
        """Waits until a request to GitHub may be sent; None where nothing is limited."""
        self.of_model_calls = self._admission(
            "model", key, limits.model_calls if shared else None, limits.model_seconds
        )

    def _admission(
        self, kind: str, secret: str, most: int | None, seconds: int
    ) -> Callable[[], Awaitable[None]] | None:
        if most is None:
            return None
        name = f"{kind} {hashlib.sha256(secret.encode()).hexdigest()[:16]}"
        allowed = max(1, int(most * (1 - _LEFT_TO_PEOPLE))) if self._background else most

        async def admit() -> None:
            while (wait := self._fleet.take(name, allowed, seconds)) > 0:  # noqa: ASYNC110 -- nobody tells us
                # Not all at the same moment.
                await asyncio.sleep(min(wait, _LONGEST_NAP) + random.uniform(0, 0.5))  # noqa: S311

        return admit
