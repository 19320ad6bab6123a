"""What models are asked for, and how their failures are told."""

from typing import Literal

from agent.domain.base import UpstreamError

Job = Literal["reading", "writing", "judging"]
"""What a model is asked for: what to read next, what to say, whether something said is true."""
JOBS: tuple[Job, ...] = ("reading", "writing", "judging")


class ModelError(UpstreamError):
    """The model gave nothing that can be used; whoever asked goes on without it."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message, retryable=retryable)
