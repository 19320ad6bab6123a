"""The log of unexpected errors: a file in the home folder, created with the first of them."""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

LOG_FILE = "gitzette.log"
_MAX_BYTES = 2_000_000  # A log that has grown beyond this begins anew
_MIN_SECRET = 8  # Characters: replacing shorter values would garble the rest
_SECRET_NAMES = ("TOKEN", "KEY", "SECRET", "PASSWORD", "DATABASE")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class ErrorLog(logging.Handler):
    """Appends errors and their tracebacks to a private file, without secrets."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter(_FORMAT))
        self._environ = environ
        self.path: Path | None = None  # The file, once something was written to it

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; whatever goes wrong with that ends nothing."""
        text = f"{_without_secrets(self.format(record), self._environ)}\n"
        for folder in (self._home, _temporary_folder):
            try:
                self.path = self.path or folder() / LOG_FILE
                _append(self.path, text)
            except OSError:
                self.path = None
            else:
                return

    def _home(self) -> Path:
        """Return the home folder that the settings name, or the environment if they are wrong."""
        # These bring pydantic along, which help can do without.
        from agent.domain.errors import AppError
        from agent.settings.values import Settings
        from gitzette.home_folder import home_of
        from gitzette.settings_from_arguments import settings_here

        try:
            settings = settings_here(self._environ)
        except AppError:
            given_home = self._environ.get("GITZETTE_HOME")
            settings = Settings(home=Path(given_home) if given_home else None)
        home = home_of(settings, self._environ)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return home


@contextmanager
def open_error_log(environ: Mapping[str, str], *, debug: bool) -> Iterator[ErrorLog]:
    """Send what is logged to the file, and with `debug` to stderr as well."""
    log = ErrorLog(environ)
    handlers: list[logging.Handler] = [log]
    if debug:
        handlers.append(_debug_handler())
    root = logging.getLogger()
    for handler in handlers:
        root.addHandler(handler)
    try:
        yield log
    finally:
        for handler in handlers:
            root.removeHandler(handler)


def _debug_handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.ERROR)
    return handler


def _append(path: Path, text: str) -> None:
    is_full = path.is_file() and path.stat().st_size > _MAX_BYTES
    mode = os.O_TRUNC if is_full else os.O_APPEND
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | mode, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("utf-8", "replace"))


def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="gitzette-log-"))


def _without_secrets(text: str, environ: Mapping[str, str]) -> str:
    for name, value in environ.items():
        if len(value) >= _MIN_SECRET and any(part in name.upper() for part in _SECRET_NAMES):
            text = text.replace(value, "***")
    return text
