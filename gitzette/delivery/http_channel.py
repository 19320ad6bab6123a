"""Channels over HTTP: what posts to an address has in common, whatever receives it."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from agent.domain.errors import UpstreamError
from agent.markdown import visible
from gitzette.delivery.channel_address import parsed_address

_TIMEOUT_SECONDS = 20
_MAX_ANSWER_BYTES = 4_096  # That are read of a receiver's answer
_MAX_QUOTED_ANSWER = 120  # Characters of it in an error
_MAX_RETRY_DIGITS = 6  # Of a Retry-After header in seconds
_RETRYABLE_STATUSES = (408, 425, 429)


def json_bytes(data: Any) -> bytes:
    """Return compact JSON; lone surrogates become question marks."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", errors="replace")


class SignedRequest(NamedTuple):
    """A message as it is posted."""

    body: bytes
    headers: dict[str, str]


class HttpChannel:
    """Posts to one address, which is a secret: no error names it."""

    pause = 0.0  # Seconds between two messages
    sends_whole_report = False  # Else the brief and the headlines
    accepted_answers: tuple[str, ...] | None = None  # None if any answer means success

    def __init__(self, address: str, secret: str, clock: Callable[[], float]) -> None:
        self._url = parsed_address(address, "http", "it holds no http(s) address").geturl()
        self._secret = secret
        self._clock = clock

    def send(self, message: bytes, key: str) -> None:
        """Post one message; a receiver knows by its key that it has it already."""
        request = self._signed(message, key)
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "gitzette",
        }
        headers |= request.headers
        try:
            with httpx.stream(
                "POST",
                self._url,
                content=request.body,
                headers=headers,
                timeout=_TIMEOUT_SECONDS,
            ) as response:
                first_bytes = next(response.iter_bytes(_MAX_ANSWER_BYTES), b"")
        except (httpx.RequestError, httpx.InvalidURL) as error:
            # The rest of the address may be a secret.
            host = urlsplit(self._url).netloc.rpartition("@")[2]
            raise UpstreamError(
                f"{host} cannot be reached ({type(error).__name__}); "
                "check the channel's address and the network",
                retryable=True,
            ) from error
        answer = first_bytes.decode("utf-8", errors="replace")
        if response.is_success:
            is_retryable = self._fault(answer)
        else:
            is_retryable = response.is_server_error or response.status_code in _RETRYABLE_STATUSES
        if is_retryable is None:
            return
        quoted = visible(answer)[:_MAX_QUOTED_ANSWER]
        raise UpstreamError(
            f"the receiver answers HTTP {response.status_code} {quoted}".rstrip(),
            retryable=is_retryable,
            retry_after=_retry_after(response),
        )

    def _signed(self, message: bytes, key: str) -> SignedRequest:
        return SignedRequest(message, {"Idempotency-Key": key})

    def _fault(self, answer: str) -> bool | None:
        """Return None if an answer means success, else whether to try again."""
        if self.accepted_answers is None or answer.strip() in self.accepted_answers:
            return None
        return False


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds of a Retry-After header; dates and very long waits are ignored."""
    header = response.headers.get("retry-after", "")
    if header.isdecimal() and len(header) <= _MAX_RETRY_DIGITS:
        return float(header)
    return None
