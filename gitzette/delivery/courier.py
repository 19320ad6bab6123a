"""Who takes a report to every channel after a run: tries again what can get better, and never stops the run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from agent.deliveries import Delivery
from agent.errors import AppError, ConfigError, UpstreamError
from agent.report import Report
from agent.settings import Settings
from agent.soundness import failed_share
from agent.web import Web
from gitzette.delivery.edition import Channel, Edition, Message, fingerprint
from gitzette.delivery.feishu import Feishu
from gitzette.delivery.mail import HTML, Mail
from gitzette.delivery.outbox import Book, Dead, Outbox, Sent
from gitzette.delivery.post import Post
from gitzette.delivery.slack import Slack
from gitzette.delivery.webhook import Webhook
from gitzette.shelf import Shelf

_TRIES = 4
_LONGEST_WAIT = 60.0
_GIVEN_UP_AFTER = timedelta(days=14)
_FULL = ("email", "webhook")
_WEBHOOK_BYTES = 1_000_000
"""Many servers take no more than 1 MiB unless they are told to."""


@dataclass(frozen=True, kw_only=True)
class Clock:
    """The time, and how one waits for it."""

    now: Callable[[], float]
    sleep: Callable[[float], None]


class Courier:
    """Delivers reports by the settings."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], clock: Clock) -> None:
        self._settings = settings
        self._environ = environ
        self._clock = clock
        self._outbox = Outbox(settings.out)

    def deliver(self, report: Report) -> list[str]:
        """Take a report, and what is left of earlier ones, to every channel; give what went wrong, a line each."""
        if report.window.cutoff is not None:
            return []
        if failed_share(report) > self._settings.max_failed:
            return ["not delivered: too much of the report is missing"]
        told: list[str] = []
        try:
            with self._outbox.held():
                for spec in self._settings.deliver:
                    told += self._take(spec, report)
        except AppError as error:
            told.append(" ".join(str(error).split()))
        return told

    def _take(self, spec: Delivery, report: Report) -> list[str]:
        """Take to one channel what it waits for, oldest first, and then the new report."""
        told: list[str] = []
        label = report.window.label
        for wanted in dict.fromkeys((*self._outbox.read().waiting(spec.called), label)):
            found = report if wanted == label else self._earlier(spec, wanted)
            if found is None:
                told.append(f"{spec.called}: the report of {wanted} was not delivered and is let go of")
                continue
            try:
                self._bring(spec, found)
            except AppError as error:
                why = " ".join(str(error).split())
                told.append(f"{spec.called}: {wanted} not delivered: {why}; the next run tries again")
                self._note(spec, wanted, why)
                break
        return told

    def _earlier(self, spec: Delivery, label: str) -> Report | None:
        """Find a report that could not be delivered; None where it is gone, or has waited for too long."""
        book = self._outbox.read()
        dead = book.letter(spec.called, label)
        report = None
        if dead is not None and self._moment() - dead.since < _GIVEN_UP_AFTER:
            shelf = Shelf(self._settings.out)
            report = shelf.report(label) if label in shelf.labels() else None
        if report is None:
            self._outbox.write(book.without(spec.called, label))
        return report

    def _bring(self, spec: Delivery, report: Report) -> None:
        """Deliver one report to one channel, unless it has this very content already."""
        channel = channel_of(spec, self._environ, self._clock)
        full = spec.content == "full" if spec.content else spec.kind in _FULL
        edition = Edition(report, spec.lang or self._settings.lang, Web(self._settings.web), full)
        messages = channel.messages(edition)
        label, content, book = edition.label, fingerprint(messages), self._outbox.read()
        if book.was_sent(spec.called, label, content):
            self._outbox.write(book.without(spec.called, label))
            return
        dead = book.letter(spec.called, label)
        done = dead.done if dead is not None and dead.content == content else ()
        for message in messages:
            if message.part in done:
                continue
            if done:
                self._clock.sleep(channel.pause)
            self._persist(channel, message)
            done = (*done, message.part)
            self._outbox.write(self._half_way(spec, label, content, done))
        sent = Sent(channel=spec.called, label=label, content=content, parts=len(messages), at=self._moment())
        self._outbox.write(self._outbox.read().delivered(sent))

    def _half_way(self, spec: Delivery, label: str, content: str, done: tuple[int, ...]) -> Book:
        """Remember what has arrived after each message: a run that is killed must not say it twice."""
        book = self._outbox.read()
        dead = book.letter(spec.called, label)
        since = dead.since if dead is not None else self._moment()
        return book.failing(
            Dead(channel=spec.called, label=label, content=content, done=done, why="not finished", since=since)
        )

    def _note(self, spec: Delivery, label: str, why: str) -> None:
        book = self._outbox.read()
        dead = book.letter(spec.called, label)
        if dead is None:
            dead = Dead(channel=spec.called, label=label, why=why, since=self._moment(), tries=0)
        self._outbox.write(book.failing(dead.model_copy(update={"why": why, "tries": dead.tries + 1})))

    def _persist(self, channel: Channel, message: Message) -> None:
        """Send a message, and send it again while that may help."""
        retrying = Retrying(
            stop=stop_after_attempt(_TRIES),
            wait=self._wait,
            retry=retry_if_exception(_may_get_better),
            sleep=self._clock.sleep,
            reraise=True,
        )
        retrying(channel.send, message)

    def _wait(self, state: RetryCallState) -> float:
        pause = wait_exponential(multiplier=self._settings.budget.retry_seconds, max=_LONGEST_WAIT)(state)
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, UpstreamError) else None
        return max(pause, asked or 0.0)

    def _moment(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now(), UTC).replace(microsecond=0)


def channel_of(spec: Delivery, environ: Mapping[str, str], clock: Clock) -> Channel:
    """Open the way to a channel; what is wrong with its variables is told by their names."""
    address = environ.get(spec.address_env, "").strip()
    if not address:
        raise ConfigError(f"the variable {spec.address_env} is not set")
    secret = environ.get(spec.secret_env, "").strip() if spec.secret_env else None
    if secret == "":
        raise ConfigError(f"the variable {spec.secret_env} is not set")
    try:
        if spec.kind == "email":
            return Mail(address, spec.sender, spec.to, spec.max_bytes or HTML)
        post = Post(address)
    except ConfigError as error:
        raise ConfigError(f"{spec.address_env}: {error}") from error
    if spec.kind == "slack":
        return Slack(post)
    if spec.kind == "feishu":
        return Feishu(post, secret, clock.now)
    return Webhook(post, secret, spec.max_bytes or _WEBHOOK_BYTES)


def _may_get_better(error: BaseException) -> bool:
    return isinstance(error, UpstreamError) and error.retryable and (error.retry_after or 0.0) <= _LONGEST_WAIT
