"""Messages over HTTP, and the webhook of one's own: the whole report as JSON, signed where a secret is given."""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx

from agent.domain.base import ConfigError, UpstreamError
from agent.markdown import visible
from agent.reports.stored import to_json
from gitzette.delivery.messages import Content, grouped
from gitzette.render.markdown import markdown_page

_MOST_BYTES, _FRAME = 1_000_000, 1_000
"""Bytes of a message, and of what stands around its text; many servers take no more than 1 MiB."""
_SECONDS, _READ = 20, 4_096
_LATER = (408, 425, 429)


def parsed(address: str, scheme: str, told: str) -> SplitResult:
    """Parse an address with a scheme, or the same with an s behind it."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in (scheme, f"{scheme}s") and parts.hostname and parts.port != 0:
            return parts
    raise ConfigError(told)


class Post:
    """Posts to one address, which is a secret: no error names it."""

    def __init__(self, address: str) -> None:
        self._url = parsed(address, "http", "it holds no http(s) address").geturl()

    def json(self, body: bytes, fault: Callable[[str], bool | None], headers: Mapping[str, str] | None = None) -> None:
        """Post a body; `fault` reads a friendly answer: None if all is well, else whether to try again."""
        head = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "gitzette"} | dict(headers or {})
        try:
            with httpx.stream("POST", self._url, content=body, headers=head, timeout=_SECONDS) as response:
                said = next(response.iter_bytes(_READ), b"").decode("utf-8", errors="replace")
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise UpstreamError(f"the receiver cannot be reached ({type(error).__name__})", retryable=True) from error
        again = fault(said) if response.is_success else response.status_code in _LATER or response.is_server_error
        if again is not None:
            asked = response.headers.get("retry-after", "")
            wait = float(asked) if asked.isdecimal() and len(asked) < 7 else None
            told = f"the receiver answers HTTP {response.status_code} {visible(said)[:120]}".rstrip()
            raise UpstreamError(told, retryable=again, retry_after=wait)


def dumped(data: Any) -> bytes:
    """Write JSON as it travels."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")


class Webhook:
    """Posts Markdown in parts; the report as data comes along where one message can hold both."""

    pause = 0.0

    def __init__(self, post: Post, secret: str, most: int | None) -> None:
        self._post, self._secret, self._most = post, secret, most or _MOST_BYTES

    def messages(self, content: Content) -> list[bytes]:
        """Write one message with everything where that fits, else the page in parts."""
        room = self._most - _FRAME - len(dumped(content.title))
        # A line that is longer than a message is cut between characters, of which each has at most six bytes.
        lines = markdown_page(content.page, content.web, "digest").splitlines(keepends=True)
        pieces = [line[at : at + room // 6] for line in lines for at in range(0, len(line), room // 6)]
        texts = ["".join(group) for group in grouped(pieces, lambda text: len(dumped(text)), room)]
        head = {"format": 1, "event": "report", "title": content.title, "date": content.page.report.window.label}
        head |= {"lang": content.page.lang, "url": content.url or None, "parts": len(texts), "report": None}
        parts = [head | {"part": part, "markdown": text} for part, text in enumerate(texts, start=1)]
        whole = dumped(parts[0] | {"report": to_json(content.page.report)})
        return [whole] if len(parts) == 1 and len(whole) <= self._most else [dumped(part) for part in parts]

    def send(self, message: bytes, key: str) -> None:
        """Post one message; any status from 200 to 299 means that it was taken."""
        headers = {"Idempotency-Key": key, "X-Gitzette-Event": "report"}
        if self._secret:
            signed = hmac.new(self._secret.encode(), message, hashlib.sha256).hexdigest()
            headers["X-Gitzette-Signature"] = f"sha256={signed}"
        self._post.json(message, lambda _: None, headers)
