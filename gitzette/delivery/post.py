"""The way of a message over HTTP: one request, its answer told in a line, errors translated here."""

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import httpx

from agent.errors import ConfigError, UpstreamError
from agent.markdown import visible

_SECONDS = 20
_READ = 4_096
_LATER = (408, 425, 429)


@dataclass(frozen=True)
class Answer:
    """What a receiver said, as far as anybody wants to read it."""

    status: int
    text: str

    @property
    def told(self) -> str:
        """The answer in one short line."""
        return f"HTTP {self.status} {visible(self.text)[:120]}".rstrip()


class Post:
    """Posts to one address, which is a secret: no error names it."""

    def __init__(self, address: str) -> None:
        try:
            self._url = httpx.URL(address.strip())
        except httpx.InvalidURL as error:
            raise ConfigError("it holds no http(s) address") from error
        if self._url.scheme not in ("https", "http") or not self._url.host:
            raise ConfigError("it holds no http(s) address")

    def json(
        self,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        accepted: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        """Post a body; `accepted` looks at what a receiver says beside its status."""
        answer, wait = self._posted(body, headers or {})
        if not 200 <= answer.status < 300:
            later = answer.status in _LATER or answer.status >= 500
            raise UpstreamError(f"the receiver answers {answer.told}", retryable=later, retry_after=wait)
        accepted(answer)

    def _posted(self, body: bytes, headers: Mapping[str, str]) -> tuple[Answer, float | None]:
        kind = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "gitzette"}
        try:
            with (
                httpx.Client(timeout=_SECONDS, verify=_trust()) as client,
                client.stream("POST", self._url, content=body, headers={**kind, **headers}) as response,
            ):
                text = b""
                for chunk in response.iter_bytes(_READ):
                    text += chunk
                    if len(text) >= _READ:
                        break
                return Answer(response.status_code, text.decode("utf-8", errors="replace")), _wait(response)
        except httpx.TransportError as error:
            raise UpstreamError(f"the receiver cannot be reached ({type(error).__name__})", retryable=True) from error
        except httpx.DecodingError as error:
            raise UpstreamError("the receiver answers in a broken encoding", retryable=False) from error


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """Read the certificates once; that takes longer than a message."""
    return httpx.create_ssl_context()


def _wait(response: httpx.Response) -> float | None:
    """Read for how many seconds the receiver wants to be left alone."""
    asked = response.headers.get("retry-after", "")
    return float(asked) if asked.isdecimal() and len(asked) < 7 else None
