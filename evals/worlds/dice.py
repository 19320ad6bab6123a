"""Chance that falls the same way on every machine and Python version."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A source of choices, seeded by words, so that a new repository does not shift the choices of another.

    Only `random.Random.random()` is used: it is the one method whose sequence Python promises to keep.
    """

    def __init__(self, *words: object) -> None:
        digest = hashlib.sha256("\x1f".join(str(word) for word in words).encode()).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - a world, not a secret

    def below(self, limit: int) -> int:
        """Give a whole number in `[0, limit)`."""
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        """Give a whole number in `[low, high]`."""
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        """Say yes this often."""
        return self._random.random() < share

    def pick(self, items: Sequence[T]) -> T:
        """Choose one item."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Give the items in another order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(len(rest))]

    def bytes(self, count: int) -> bytes:
        """Give bytes that no compressor can shrink."""
        seed = str(self._random.random())
        blocks = (hashlib.sha256(f"{seed} {i}".encode()).digest() for i in range(count // 32 + 1))
        return b"".join(blocks)[:count]
