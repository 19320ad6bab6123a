import os


def rank() -> int:
    return int(os.environ["LOCAL_RANK"])
