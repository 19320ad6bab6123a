import os


def debug() -> bool:
    return "ENGINE_DEBUG" in os.environ


def trace() -> bool:
    return os.environ["ENGINE_TRACE"] == "1"
