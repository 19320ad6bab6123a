"""Keeps blocks."""

SIZE = 16


class Cache:
    """A cache of blocks."""

    def __init__(self, size: int = SIZE) -> None:
        self.size = size

    def clear(self) -> None:
        self.size = 0
