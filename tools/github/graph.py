"""What every GraphQL answer has: data, and errors that may concern only a part of it."""

from pydantic import BaseModel, ConfigDict

# Asking again gives the same: the thing is not there, or this token may not see it.
_FINAL = {"NOT_FOUND", "FORBIDDEN", "INSUFFICIENT_SCOPES", "UNAUTHORIZED"}
_LIMIT = {"RATE_LIMITED", "RATE_LIMIT"}


class GraphError(BaseModel):
    """One entry of `errors`; `path` leads to the part that is missing from the data."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    message: str = ""
    type: str | None = None
    path: tuple[str | int, ...] | None = None
    extensions: dict[str, object] | None = None

    @property
    def is_final(self) -> bool:
        """True when the missing part stays missing."""
        return self.type in _FINAL

    @property
    def is_limit(self) -> bool:
        """True when the question was not answered because of a limit."""
        return self.type in _LIMIT or "rate limit" in self.message.lower()

    @property
    def is_ours(self) -> bool:
        """True when the question itself is wrong; GitHub then names the rule that it breaks."""
        return bool(self.extensions and "code" in self.extensions)


class GraphAnswer(BaseModel):
    """The envelope; each query's own shape adds `data`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    errors: tuple[GraphError, ...] | None = None

    @property
    def has_data(self) -> bool:
        """True when at least a part was answered."""
        return getattr(self, "data", None) is not None

    @property
    def unanswered(self) -> frozenset[str]:
        """The aliases below `repository` that are missing for now; `*` when an error does not say where."""
        return frozenset(
            str(error.path[1]) if error.path and len(error.path) > 1 else "*"
            for error in self.errors or ()
            if not error.is_final
        )
