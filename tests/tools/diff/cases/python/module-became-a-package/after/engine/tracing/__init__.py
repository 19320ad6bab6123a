"""Spans of requests."""

from .exporters import make

LIMIT = 10


def init_tracer(name: str) -> object:
    """Begin to trace."""
    return make(name)


def is_available() -> bool:
    return True
