"""Delivers a report to every configured channel after a run; a failure waits for the next run and stops nothing."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from agent.domain.base import AppError, ConfigError, Frozen, StorageError, UpstreamError
from agent.domain.report import Report, failed_share
from agent.settings.values import Delivery, Settings
from agent.web import Web
from gitzette.archive import PublishedReports, locked, replace_file
from gitzette.delivery.channels import Feishu, Mail, Post, Slack, Webhook
from gitzette.delivery.messages import Content
from gitzette.render.compose import page_model

_TRIES = 4
_LONGEST_WAIT = 60.0
_GIVEN_UP_AFTER = timedelta(days=14)
_REMEMBERED = 2_000


class Entry(Frozen, extra="ignore"):
    """How one report stands on one channel."""

    channel: str
    label: str
    sent: tuple[str, ...] = ()  # The fingerprints of what was delivered whole, and of the messages of what is under way
    why: str = ""  # Why it is not delivered; empty where nothing is under way
    since: datetime | None = None


class _Entries(BaseModel):
    of: Literal["gitzette"] = "gitzette"
    entries: tuple[Entry, ...] = ()


class Outbox:
    """Notes what was delivered and what was not: one small file beside the reports, without a secret in it."""

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


@dataclass(frozen=True, kw_only=True)
class Deliverer:
    """Delivers reports by the settings, and tells a line for each channel."""

    settings: Settings
    environ: Mapping[str, str]
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    sent: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    outbox: Outbox | None = None
    """Where it is noted what was delivered; a file in the output folder where nothing else is given."""

    def deliver(self, report: Report) -> None:
        """Send a report, and what is left of earlier ones, to every channel; what is not whole is not sent."""
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
        """Send to one channel what it waits for, oldest first, and then the new report."""
        new = outbox.entry(spec.called, report.window.label)
        waiting = [one for one in outbox.waiting() if one.channel == spec.called and one.label != new.label]
        for entry in (*waiting, new):
            found = report if entry is new else self._earlier(entry)
            if found is None:
                self.failed.append(f"{spec.called}: the report of {entry.label} was not delivered and is let go of")
                outbox.put(entry.model_copy(update={"why": "", "since": None}))
                continue
            try:
                count = self._send(spec, found, entry, outbox)
            except AppError as error:
                why = " ".join(str(error).split())
                self.failed.append(f"{spec.called}: {entry.label} not delivered: {why}; the next run tries again")
                known = outbox.entry(spec.called, entry.label)
                outbox.put(known.model_copy(update={"why": why, "since": known.since or self._moment()}))
                return
            told = "nothing new" if not count else "1 message" if count == 1 else f"{count} messages"
            self.sent.append(f"delivered to {spec.called}: {told}{'' if entry is new else f' of {entry.label}'}")

    def _earlier(self, entry: Entry) -> Report | None:
        """Find a report that was not delivered; None where it is gone, or has waited for too long."""
        shelf = PublishedReports(self.settings.out)
        late = entry.since is not None and self._moment() - entry.since >= _GIVEN_UP_AFTER
        return None if late or entry.label not in shelf.labels() else shelf.report(entry.label)

    def _send(self, spec: Delivery, report: Report, entry: Entry, outbox: Outbox) -> int:
        """Send what a channel does not have yet of a report; give how many messages that took."""
        channel, web = self._channel(spec), Web(self.settings.web)
        content = Content(
            page_model(report, spec.lang or self.settings.lang, web), web, self.settings.site_url, spec.whole
        )
        messages = channel.messages(content) if content.fingerprint not in entry.sent else []
        keys = [f"{content.fingerprint}-{number}-{len(messages)}" for number, _ in enumerate(messages, start=1)]
        missing = [(key, one) for key, one in zip(keys, messages, strict=True) if key not in entry.sent]
        begun = {"why": "not finished", "since": entry.since or self._moment()}
        for at, (key, message) in enumerate(missing):
            if at:
                self.sleep(channel.pause)
            self._retrying(channel.send, message, key)
            # After each message: a run that is killed must not send it again.
            entry = entry.model_copy(update=begun | {"sent": (*entry.sent, key)})
            outbox.put(entry)
        whole = dict.fromkeys(one for one in (*entry.sent, content.fingerprint) if one not in keys)
        outbox.put(Entry(channel=entry.channel, label=entry.label, sent=tuple(whole)))
        return len(missing)

    @property
    def _retrying(self) -> Retrying:
        """Try again while that may help."""

        def may_help(error: BaseException) -> bool:
            return isinstance(error, UpstreamError) and error.retryable and (error.retry_after or 0) <= _LONGEST_WAIT

        stop, retry = stop_after_attempt(_TRIES), retry_if_exception(may_help)
        return Retrying(stop=stop, wait=self._wait, retry=retry, sleep=self.sleep, reraise=True)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, UpstreamError) else None
        return max(wait_exponential(self.settings.budget.retry_seconds, _LONGEST_WAIT)(state), asked or 0.0)

    def _moment(self) -> datetime:
        return datetime.fromtimestamp(self.now(), UTC).replace(microsecond=0)

    def _channel(self, spec: Delivery) -> Mail | Slack | Feishu | Webhook:
        """Open a channel; an error names the variable that is wrong, never its value."""
        address, secret = (self.environ.get(name or "", "").strip() for name in (spec.address_env, spec.secret_env))
        for name, value in ((spec.address_env, address), (spec.secret_env, secret)):
            if name and not value:
                raise ConfigError(f"the variable {name} is not set")
        try:
            if spec.kind == "email":
                return Mail(address, spec.sender, spec.to, spec.max_bytes)
            post = Post(address)
        except ConfigError as error:
            raise ConfigError(f"{spec.address_env}: {error}") from error
        if spec.kind == "slack":
            return Slack(post)
        return Feishu(post, secret, self.now) if spec.kind == "feishu" else Webhook(post, secret, spec.max_bytes)
