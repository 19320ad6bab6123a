"""Spans of requests."""

LIMIT = 10


def init_tracer(name: str) -> object:
    """Begin to trace."""
    return make(name)


def make(name: str) -> object:
    exporter = find_exporter(name)
    return exporter.build(name)


def is_available() -> bool:
    return True
