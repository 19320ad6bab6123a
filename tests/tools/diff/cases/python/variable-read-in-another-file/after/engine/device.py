import os


def device() -> str:
    return f"cuda:{os.environ['LOCAL_RANK']}"
