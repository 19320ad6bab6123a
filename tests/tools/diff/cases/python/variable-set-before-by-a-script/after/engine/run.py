import os


def start():
    return os.getenv("ENGINE_TRACE")
