"""Delivers a report to every configured channel, each message once, and notes failures."""

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agent.browser_urls import Web
from agent.domain.errors import AppError, UpstreamError
from agent.domain.report import Report, failed_share
from agent.settings.values import Delivery, Settings
from gitzette.delivery.channels import Channel, channel_of
from gitzette.delivery.message_content import Content
from gitzette.delivery.outbox import DeliveryState, Outbox
from gitzette.output_folder import locked
from gitzette.render.page_composition import page_model

_MAX_TRIES = 4
_MAX_WAIT_SECONDS = 60.0


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
        content = Content(page, web, self.settings.site_url, whole=channel.sends_whole_report)
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
            # Stored after each message, so that a run that is killed goes on with the next one.
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
