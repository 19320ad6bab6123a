"""A cache over HTTP for GitHub's answers: unchanged pages are asked for conditionally and cost nothing."""

import hashlib
import json
import zlib
from dataclasses import dataclass
from typing import Protocol, Self

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict


class AnswerCache(Protocol):
    """A store of bytes by key, without knowledge of HTTP."""

    def get(self, key: str) -> bytes | None:
        """Return what was put last under this key."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Store the bytes under the key, in place of what was there."""
        ...


class TransientCache:
    """A cache that lives as long as the process."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """Return what was put last under this key."""
        return self._values.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Store the bytes under the key, in place of what was there."""
        self._values[key] = value


class _Header(TypedDict):
    etag: str
    url: str
    next: str | None


_HEADER = TypeAdapter(_Header)


@dataclass(frozen=True)
class StoredAnswer:
    """A body with its ETag, the address that sent it and the address of the page after it."""

    etag: str
    url: str
    next: str | None
    body: bytes

    def encode(self) -> bytes:
        """Return a line of JSON and the compressed body; diffs are kept for weeks and shrink fivefold."""
        header = {"etag": self.etag, "url": self.url, "next": self.next}
        return json.dumps(header).encode() + b"\n" + zlib.compress(self.body, 1)

    @classmethod
    def decode(cls, value: bytes | None) -> Self | None:
        """Return the answer that `encode` wrote, or None for nothing and for anything else."""
        if value is None:
            return None
        line, _, compressed = value.partition(b"\n")
        try:
            header = _HEADER.validate_json(line)
            body = zlib.decompress(compressed)
        except (ValidationError, zlib.error):
            return None
        return cls(header["etag"], header["url"], header["next"], body)


def token_identity(token: str | None) -> str:
    """Return a digest of a token: its answers are never served to another."""
    if token is None:
        return "anonymous"
    return hashlib.sha256(token.encode()).hexdigest()[:16]
