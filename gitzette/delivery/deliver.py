"""Delivers a report to every configured channel, each message once, and notes failures."""

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from agent.domain.base import AppError, Frozen, StorageError, UpstreamError
from agent.domain.report import Report, failed_share
from agent.settings.values import Delivery, Settings
from agent.web import Web
from gitzette.archive import locked, replace_file
from gitzette.delivery.channels import Channel, channel_of
from gitzette.delivery.content import Content
from gitzette.render.compose import page_model

_MAX_TRIES = 4
_MAX_WAIT_SECONDS = 60.0
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


@dataclass(frozen=True, kw_only=True)
class Deliverer:
    """Delivers reports by the settings, and keeps a line for each channel."""

    settings: Settings
    environ: Mapping[str, str]
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    sent: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    outbox: Outbox | None = None  # By default, a file in the output folder

    def deliver(self, report: Report) -> None:
        """Send a report to every channel, unless it is partial or mostly failed."""
        if report.window.cutoff is not None:
            return
        if failed_share(report) > self.settings.max_failed:
            self.failed.append("not delivered: too much of the report is missing")
            return
        outbox = self.outbox or Outbox(self.settings.out)
        try:
            with locked(self.settings.out):
                for spec in self.settings.deliver:
                    self._deliver_to(spec, report, outbox)
        except (AppError, OSError) as error:
            self.failed.append(f"not delivered: {' '.join(str(error).split())}")

    def _deliver_to(self, spec: Delivery, report: Report, outbox: Outbox) -> None:
        label = report.window.label
        entry = outbox.read().entry(spec.called, label)
        try:
            count = self._send(spec, report, entry, outbox)
        except AppError as error:
            reason = " ".join(str(error).split())
            self.failed.append(
                f"{spec.called}: {label} not delivered: {reason}; run it again to send it"
            )
            entry = outbox.read().entry(spec.called, label)
            outbox.put(entry.model_copy(update={"why": reason}))
            return
        self.sent.append(f"delivered to {spec.called}: {_count_text(count)}")

    def _send(self, spec: Delivery, report: Report, entry: DeliveryState, outbox: Outbox) -> int:
        """Send the messages of a report that a channel does not have yet; return how many."""
        channel = channel_of(spec, self.environ, self.now)
        web = Web(self.settings.web)
        page = page_model(report, spec.lang or self.settings.lang, web)
        content = Content(page, web, self.settings.site_url, spec.kind == "webhook")
        fingerprint = content.fingerprint
        messages = channel.messages(content) if fingerprint not in entry.sent else []
        keys = set()
        count = 0
        for number, message in enumerate(messages, start=1):
            key = f"{fingerprint}-{number}-{len(messages)}"
            keys.add(key)
            if key in entry.sent:
                continue
            if count:
                self.sleep(channel.pause)
            self._send_message(channel, message, key)
            count += 1
            # Stored after each message, so that a run that is killed does not send it again.
            entry = entry.model_copy(update={"why": "not finished", "sent": (*entry.sent, key)})
            outbox.put(entry)
        delivered = dict.fromkeys((*entry.sent, fingerprint))
        for key in keys:
            delivered.pop(key, None)
        outbox.put(entry.model_copy(update={"why": "", "sent": tuple(delivered)}))
        return count

    def _send_message(self, channel: Channel, message: bytes, key: str) -> None:
        """Send a message; try again if that may help."""
        pause = self.settings.budget.retry_seconds
        for attempt in itertools.count(1):
            try:
                channel.send(message, key)
            except UpstreamError as error:
                wait = max(pause, error.retry_after or 0)
                if not error.retryable or attempt == _MAX_TRIES or wait > _MAX_WAIT_SECONDS:
                    raise
                self.sleep(wait)
                pause *= 2
            else:
                return


def _count_text(count: int) -> str:
    if count == 0:
        return "nothing new"
    return "1 message" if count == 1 else f"{count} messages"
