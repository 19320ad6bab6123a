"""Everything that can go wrong on purpose, and who must act on it.

AppError                    shown to the user as one line; carries the exit status
├── UsageError              the user: the command line is wrong
│   └── ConfigError         the user: gitzette.toml or an environment variable is wrong
├── InputError              the user: an input (repository, file, name) does not exist or is not what it should be
├── StorageError            the user or operator: a file or database of ours cannot be read or written
└── UpstreamError           nobody, or later: a service we depend on failed; `retryable` says whether it may get better
    ├── NotFound            the thing asked for is not there (404, 410, unknown commit)
    └── RateLimited         wait until `retry_after` seconds have passed
"""

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INCOMPLETE = 3
EXIT_ABSTAINED = 4


class AppError(Exception):
    """A failure that is told in one line; anything else is a bug and keeps its traceback."""

    exit_code = EXIT_FAILED


class UsageError(AppError):
    """The command line asks for something that makes no sense."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """A configuration file or environment variable is wrong."""


class InputError(AppError):
    """Something the user named does not exist or cannot be used."""

    exit_code = EXIT_USAGE


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
