import os


def workspace() -> str:
    return os.environ.get("ENGINE_WORKSPACE", "/tmp/engine")
