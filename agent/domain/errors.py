"""The errors of the program, each with who must act, and the exit statuses."""

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INCOMPLETE = 3
EXIT_ABSTAINED = 4


class AppError(Exception):
    """A failure that is reported in one line; anything else is a bug and keeps its traceback."""

    exit_code = EXIT_FAILED


class UsageError(AppError, ValueError):
    """The user must act: the command line asks for something that makes no sense; pydantic reports it with its key."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """The user must act: a configuration file or environment variable is wrong."""


class MissingPackages(ConfigError):
    """The user must act: `purpose` needs packages that are installed only on request."""

    def __init__(self, purpose: str, *, extra: str = "server") -> None:
        super().__init__(
            f"{purpose} needs the packages of Gitzette's extra '{extra}'; install them from its "
            f"checkout with: uv tool install '.[{extra}]' (or pip install '.[{extra}]')"
        )


class InputError(AppError):
    """The user must act: something that was named does not exist or cannot be used."""

    exit_code = EXIT_USAGE


class UnknownVersion(InputError):
    """The user must act: a repository has no tag, commit or day of that name."""


class StorageError(AppError):
    """One of our own files cannot be read or written; what was stored before is untouched."""


class UpstreamError(AppError):
    """A service we depend on failed; the caller may try again if `retryable`."""

    def __init__(self, message: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after


class NotFound(UpstreamError):
    """The thing asked for is not there, and asking again will not help."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=False)


class RateLimited(UpstreamError):
    """The service asks us to wait longer than the run is willing to."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message, retryable=True, retry_after=retry_after)
