"""The outbox: what was delivered and what was not, in a file or in a fleet's database."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from agent.domain.base import Frozen
from agent.domain.errors import StorageError
from gitzette.output_folder import replace_file
from memory.fleet import Fleet

_MAX_ENTRIES = 2_000  # That the outbox remembers


class DeliveryState(Frozen, extra="ignore"):
    """The state of one report on one channel."""

    channel: str
    label: str
    sent: tuple[str, ...] = ()
    """The fingerprints of contents that were delivered, and the keys of single messages of one
    that is being delivered."""
    why: str = ""  # Why it is not delivered; empty if it is


class Entries(BaseModel):
    """The delivery states of all reports on all channels; they hold no secret."""

    of: Literal["gitzette"] = "gitzette"
    entries: tuple[DeliveryState, ...] = ()

    def entry(self, channel: str, label: str) -> DeliveryState:
        """Return the state of a report on a channel."""
        for state in self.entries:
            if state.channel == channel and state.label == label:
                return state
        return DeliveryState(channel=channel, label=label)

    def waiting(self) -> list[DeliveryState]:
        """Return the states of what is not delivered, oldest first."""
        waiting = [state for state in self.entries if state.why]
        return sorted(waiting, key=lambda state: state.label)


class Outbox:
    """Stores what was delivered and what was not, in a small file beside the reports."""

    def __init__(self, out: Path) -> None:
        self._file = out / "deliveries.json"

    def read(self) -> Entries:
        """Return the entries.

        A file that cannot be read is an error: replacing it would send everything again.
        """
        try:
            return Entries.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return Entries()
        except (OSError, ValidationError) as error:
            raise StorageError(
                f"{self._file} is not readable; move it away to deliver again"
            ) from error

    def put(self, entry: DeliveryState) -> None:
        """Store the state of a report on a channel."""
        states = []
        for state in self.read().entries:
            if (state.channel, state.label) != (entry.channel, entry.label):
                states.append(state)
        states.append(entry)
        entries = Entries(entries=tuple(states[-_MAX_ENTRIES:]))
        replace_file(self._file, [entries.model_dump_json(indent=1), "\n"])


class FleetOutbox(Outbox):
    """Notes in the database what was delivered, for every machine."""

    def __init__(self, fleet: Fleet, edition: str) -> None:
        self._fleet = fleet
        self._edition = edition

    def put(self, entry: DeliveryState) -> None:
        """Note how a report stands on a channel."""
        self._fleet.put_delivery(self._edition, entry.channel, entry.label, entry.model_dump_json())

    def read(self) -> Entries:
        """Return the entries of all channels."""
        bodies = self._fleet.deliveries(self._edition)
        return Entries(entries=tuple(map(DeliveryState.model_validate_json, bodies)))
