"""The errors of models and their servers."""

from agent.domain.account import Limit
from agent.domain.errors import UpstreamError


class ModelError(UpstreamError):
    """The model gave nothing that can be used; the caller goes on without it."""

    def __init__(
        self, message: str, *, retryable: bool = False, limit: Limit | None = None
    ) -> None:
        super().__init__(message, retryable=retryable)
        self.limit = limit  # The limit of the budget that is reached, if that is the cause


class ContextExceeded(ModelError):
    """A question does not fit into the model's context; a shorter one may."""


class Unsupported(ModelError):
    """The server does not accept a request made in this way; another way may work."""
