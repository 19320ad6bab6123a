"""What was delivered and what was not: one small file beside the reports, without a secret in it."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from agent.domain.base import Frozen, StorageError
from gitzette.publish import replace_file

_REMEMBERED = 2_000


class Entry(Frozen, extra="ignore"):
    """How one report stands on one channel."""

    channel: str
    label: str
    sent: tuple[str, ...] = ()
    """The fingerprints of what was delivered whole, and of the messages of what is under way."""
    why: str = ""
    """Why it is not delivered; empty where nothing is under way."""
    since: datetime | None = None


class _Entries(BaseModel):
    of: Literal["gitzette"] = "gitzette"
    entries: tuple[Entry, ...] = ()


class Outbox:
    """Reads and writes the file."""

    def __init__(self, out: Path) -> None:
        self._file = out / "deliveries.json"

    def entry(self, channel: str, label: str) -> Entry:
        """Find how a report stands on a channel."""
        found = (one for one in self._read() if (one.channel, one.label) == (channel, label))
        return next(found, Entry(channel=channel, label=label))

    def waiting(self) -> list[Entry]:
        """List what is not delivered, oldest first."""
        return sorted((one for one in self._read() if one.why), key=lambda one: one.label)

    def put(self, entry: Entry) -> None:
        """Note how a report stands on a channel."""
        others = [one for one in self._read() if (one.channel, one.label) != (entry.channel, entry.label)]
        entries = _Entries(entries=(*others, entry)[-_REMEMBERED:])
        try:
            replace_file(self._file, [entries.model_dump_json(indent=1), "\n"])
        except OSError as error:
            raise StorageError(f"cannot write {self._file}: {error.strerror}") from error

    def _read(self) -> tuple[Entry, ...]:
        """Read the entries; a file that is not ours is refused, because replacing it would send all again."""
        try:
            return _Entries.model_validate_json(self._file.read_bytes()).entries
        except FileNotFoundError:
            return ()
        except (OSError, ValidationError) as error:
            raise StorageError(f"{self._file} is not readable; move it away to deliver again") from error
