"""What was delivered and what could not be: one small file beside the reports, without a secret in it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from agent.domain import Frozen
from agent.errors import StorageError
from gitzette.publish import replace_file

NAME = "deliveries.json"
_REMEMBERED = 2_000


class Sent(Frozen):
    """A report that a channel has taken."""

    channel: str
    label: str
    content: str
    """The fingerprint of what was said."""
    parts: int
    at: datetime


class Dead(Frozen):
    """A report that a channel has not taken whole; the next run tries again."""

    channel: str
    label: str
    content: str = ""
    done: tuple[int, ...] = ()
    """The messages that were taken."""
    why: str
    since: datetime
    tries: int = 1


class Book(Frozen):
    """All that is remembered of deliveries."""

    of: Literal["gitzette"] = "gitzette"
    sent: tuple[Sent, ...] = ()
    dead: tuple[Dead, ...] = ()

    def was_sent(self, channel: str, label: str, content: str) -> bool:
        """Tell whether a channel has this very content."""
        return any((one.channel, one.label, one.content) == (channel, label, content) for one in self.sent)

    def letter(self, channel: str, label: str) -> Dead | None:
        """Find what could not be delivered of a report."""
        return next((one for one in self.dead if (one.channel, one.label) == (channel, label)), None)

    def waiting(self, channel: str) -> list[str]:
        """Name the reports that a channel still waits for, oldest first."""
        return sorted(one.label for one in self.dead if one.channel == channel)

    def failing(self, dead: Dead) -> "Book":
        """Note a failure over an earlier one of the same report."""
        return self.model_copy(update={"dead": (*self._others(dead.channel, dead.label), dead)})

    def delivered(self, sent: Sent) -> "Book":
        """Note that a report has arrived."""
        kept = (*self.sent, sent)[-_REMEMBERED:]
        return self.model_copy(update={"sent": kept, "dead": self._others(sent.channel, sent.label)})

    def without(self, channel: str, label: str) -> "Book":
        """Let go of a report that need not or cannot be delivered any more."""
        return self.model_copy(update={"dead": self._others(channel, label)})

    def _others(self, channel: str, label: str) -> tuple[Dead, ...]:
        return tuple(one for one in self.dead if (one.channel, one.label) != (channel, label))


class Outbox:
    """The file; whoever holds it is the only one who delivers."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._file = out / NAME

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep a second run from delivering the same at the same time."""
        try:
            descriptor = os.open(self._out, os.O_RDONLY)
        except OSError as error:
            raise StorageError(f"cannot read {self._out}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def read(self) -> Book:
        """Read what is remembered; a file that is not ours is refused, because replacing it would send all again."""
        try:
            return Book.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return Book()
        except OSError as error:
            raise StorageError(f"cannot read {self._file}: {error.strerror}") from error
        except ValidationError as error:
            raise StorageError(f"{self._file} is not readable; move it away to deliver again") from error

    def write(self, book: Book) -> None:
        """Replace what is remembered."""
        try:
            replace_file(self._file, [book.model_dump_json(indent=1), "\n"])
        except OSError as error:
            raise StorageError(f"cannot write {self._file}: {error.strerror}") from error
