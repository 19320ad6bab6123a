import os


def workspace() -> str:
    return os.environ.get("ENGINE_WORKSPACE_BASE", "/tmp/engine")
