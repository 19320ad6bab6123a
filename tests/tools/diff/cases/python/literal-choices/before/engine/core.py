from typing import Literal

Backend = Literal["flash", "triton", "eager"]


def attend(q, backend: Backend = "flash"):
    return q
