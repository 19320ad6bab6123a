"""Delivers a report to every configured channel after a run, each message once; a failure is noted and told."""

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
from gitzette.delivery.channels import Channel, Content, channel_of
from gitzette.render.compose import page_model

_TRIES = 4
_LONGEST_WAIT = 60.0
_REMEMBERED = 2_000


class DeliveryState(Frozen, extra="ignore"):
    """How one report stands on one channel."""

    channel: str
    label: str
    sent: tuple[
        str, ...
    ] = ()  # The fingerprints of what was delivered whole, and of the messages of what is under way
    why: str = ""  # Why it is not delivered; empty where nothing is under way


class Entries(BaseModel):
    """How all reports stand on all channels; without a secret in it."""

    of: Literal["gitzette"] = "gitzette"
    entries: tuple[DeliveryState, ...] = ()

    def entry(self, channel: str, label: str) -> DeliveryState:
        """Find how a report stands on a channel."""
        found = (one for one in self.entries if (one.channel, one.label) == (channel, label))
        return next(found, DeliveryState(channel=channel, label=label))

    def waiting(self) -> list[DeliveryState]:
        """List what is not delivered, oldest first."""
        return sorted((one for one in self.entries if one.why), key=lambda one: one.label)


class Outbox:
    """Notes what was delivered and what was not in one small file beside the reports."""

    def __init__(self, out: Path) -> None:
        self._file = out / "deliveries.json"

    def read(self) -> Entries:
        """Read the entries; a file that is not ours is refused, because replacing it would send all again."""
        try:
            return Entries.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return Entries()
        except (OSError, ValidationError) as error:
            raise StorageError(
                f"{self._file} is not readable; move it away to deliver again"
            ) from error

    def put(self, entry: DeliveryState) -> None:
        """Note how a report stands on a channel."""
        others = [
            one
            for one in self.read().entries
            if (one.channel, one.label) != (entry.channel, entry.label)
        ]
        entries = Entries(entries=(*others, entry)[-_REMEMBERED:])
        replace_file(self._file, [entries.model_dump_json(indent=1), "\n"])


@dataclass(frozen=True, kw_only=True)
class Deliverer:
    """Delivers reports by the settings, and tells a line for each channel."""

    settings: Settings
    environ: Mapping[str, str]
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    sent: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    outbox: Outbox | None = None  # A file in the output folder where nothing else is given

    def deliver(self, report: Report) -> None:
        """Send a report to every channel; what is not whole is not sent."""
        if report.window.cutoff is not None:
            return
        if failed_share(report) > self.settings.max_failed:
            self.failed.append("not delivered: too much of the report is missing")
            return
        try:
            with locked(self.settings.out):
                for spec in self.settings.deliver:
                    self._deliver_to(spec, report, self.outbox or Outbox(self.settings.out))
        except (AppError, OSError) as error:
            self.failed.append(f"not delivered: {' '.join(str(error).split())}")

    def _deliver_to(self, spec: Delivery, report: Report, outbox: Outbox) -> None:
        entry = outbox.read().entry(spec.called, report.window.label)
        try:
            count = self._send(spec, report, entry, outbox)
        except AppError as error:
            why = " ".join(str(error).split())
            self.failed.append(
                f"{spec.called}: {entry.label} not delivered: {why}; run it again to send it"
            )
            outbox.put(
                outbox.read().entry(spec.called, entry.label).model_copy(update={"why": why})
            )
            return
        told = "nothing new" if not count else "1 message" if count == 1 else f"{count} messages"
        self.sent.append(f"delivered to {spec.called}: {told}")

    def _send(self, spec: Delivery, report: Report, entry: DeliveryState, outbox: Outbox) -> int:
        """Send what a channel does not have yet of a report; give how many messages that took."""
        channel, web = channel_of(spec, self.environ, self.now), Web(self.settings.web)
        page = page_model(report, spec.lang or self.settings.lang, web)
        content = Content(page, web, self.settings.site_url, spec.kind == "webhook")
        messages = channel.messages(content) if content.fingerprint not in entry.sent else []
        keys = [
            f"{content.fingerprint}-{number}-{len(messages)}"
            for number, _ in enumerate(messages, start=1)
        ]
        missing = [
            (key, one) for key, one in zip(keys, messages, strict=True) if key not in entry.sent
        ]
        for at, (key, message) in enumerate(missing):
            if at:
                self.sleep(channel.pause)
            self._send_one(channel, message, key)
            # After each message: a run that is killed must not send it again.
            entry = entry.model_copy(update={"why": "not finished", "sent": (*entry.sent, key)})
            outbox.put(entry)
        whole = dict.fromkeys(one for one in (*entry.sent, content.fingerprint) if one not in keys)
        outbox.put(entry.model_copy(update={"why": "", "sent": tuple(whole)}))
        return len(missing)

    def _send_one(self, channel: Channel, message: bytes, key: str, attempt: int = 1) -> None:
        """Send one message, again while that may help."""
        try:
            channel.send(message, key)
        except UpstreamError as error:
            wait = max(
                self.settings.budget.retry_seconds * 2 ** (attempt - 1), error.retry_after or 0
            )
            if not error.retryable or attempt == _TRIES or wait > _LONGEST_WAIT:
                raise
            self.sleep(wait)
            self._send_one(channel, message, key, attempt + 1)
