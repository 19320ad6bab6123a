"""A webhook of one's own: the report as JSON, signed where a secret is given."""

import hashlib
import hmac
import json
from typing import Any

from agent.record import to_json
from gitzette.delivery.edition import Edition, Message
from gitzette.delivery.parts import in_bytes, packed
from gitzette.delivery.post import Post

FORMAT = 1
_FRAME = 1_000


class Webhook:
    """Posts Markdown in parts; the report as data comes along where one message can hold both."""

    pause = 0.0

    def __init__(self, post: Post, secret: str | None, most: int) -> None:
        self._post = post
        self._secret = secret
        self._most = most

    def messages(self, edition: Edition) -> list[Message]:
        """Write one message with everything where that fits, else the page in parts."""
        paragraphs = edition.markdown.split("\n\n")
        texts = packed([paragraph.splitlines(keepends=True) for paragraph in paragraphs], self._room, _size, "\n\n")
        data = to_json(edition.report) if len(texts) == 1 else None
        if data is not None and len(_body(edition, texts[0], 1, 1, data)) > self._most:
            data = None
        return [
            Message(part, len(texts), _body(edition, text, part, len(texts), data))
            for part, text in enumerate(texts, start=1)
        ]

    @property
    def _room(self) -> int:
        return self._most - _FRAME

    def send(self, message: Message) -> None:
        """Post one message; anything from 200 to 299 is a thank-you."""
        named = hashlib.sha256(message.body).hexdigest()
        headers = {"Idempotency-Key": named[:32], "X-Gitzette-Event": "report"}
        if self._secret is not None:
            signed = hmac.new(self._secret.encode(), message.body, hashlib.sha256).hexdigest()
            headers["X-Gitzette-Signature"] = f"sha256={signed}"
        self._post.json(message.body, headers=headers)


def _size(text: str) -> int:
    return in_bytes(json.dumps(text, ensure_ascii=False))


def _body(edition: Edition, text: str, part: int, parts: int, data: dict[str, Any] | None) -> bytes:
    message = {
        "format": FORMAT,
        "event": "report",
        "title": edition.title,
        "date": edition.label,
        "lang": edition.lang,
        "part": part,
        "parts": parts,
        "markdown": text,
        "report": data,
    }
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")
