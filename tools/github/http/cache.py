"""What the client remembers between runs: answers under a key, so that an unchanged one costs nothing."""

import hashlib
import json
import zlib
from dataclasses import dataclass
from typing import Protocol, Self

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict


class HttpCache(Protocol):
    """Keeps bytes under a key; the client decides what they mean, so a store needs no knowledge of HTTP."""

    def get(self, key: str) -> bytes | None:
        """Find what was put last under this key."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Keep this under the key, in place of what was there."""
        ...


class TransientCache:
    """Remembers for the life of the process only."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """Find what was put last under this key."""
        return self._values.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep this under the key, in place of what was there."""
        self._values[key] = value


class _Head(TypedDict):
    etag: str
    url: str
    next: str | None


_HEAD = TypeAdapter(_Head)


@dataclass(frozen=True)
class StoredAnswer:
    """A body with the mark under which GitHub knows it, the address that gave it and the page after it."""

    etag: str
    url: str
    next: str | None
    body: bytes

    def encode(self) -> bytes:
        """Write one line of JSON, then the body, compressed: diffs are kept for weeks and shrink fivefold."""
        head = {"etag": self.etag, "url": self.url, "next": self.next}
        return json.dumps(head).encode() + b"\n" + zlib.compress(self.body, 1)

    @classmethod
    def decode(cls, value: bytes | None) -> Self | None:
        """Read what `encode` wrote; None for nothing and for anything else."""
        if value is None:
            return None
        head, _, body = value.partition(b"\n")
        try:
            known = _HEAD.validate_json(head)
            return cls(known["etag"], known["url"], known["next"], zlib.decompress(body))
        except (ValidationError, zlib.error):
            return None


def identity(token: str | None) -> str:
    """Tell tokens apart without keeping them: what one may see is never served to another."""
    return hashlib.sha256(token.encode()).hexdigest()[:16] if token else "anonymous"
