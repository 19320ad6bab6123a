"""The tables of a fleet, which its workers share: parts, editions, deliveries, limits and progress."""

import time
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from agent.domain.report import Report
from agent.domain.window import Window
from agent.reports.report_json import dump, load
from memory.column_values import stamp
from memory.protocols import Record, Row

if TYPE_CHECKING:
    # It needs packages that only workers have.
    from memory.postgres.connection import PostgresConnection

DONE = "done"
FAILED = "failed"
_SECONDS_BETWEEN_STEPS = 1.0
_MAX_PERIODS_KEPT = 100  # Of a limit
_STATUS_WORDS = {"todo": "queued", "doing": "running", "succeeded": "done"}
_NO_REASON = "no reason was noted; see the log of the worker"


@dataclass(frozen=True)
class QueuedTask:
    """One task of the queue, as a person sees it."""

    id: int
    status: str
    task: str
    about: str
    attempts: int
    progress: str  # How far it is; of one that failed or waits for another try, why it failed


class Fleet:
    """The tables of workers, which need PostgreSQL; one machine alone does not use them."""

    def __init__(self, db: "PostgresConnection") -> None:
        self._db = db
        self._last_steps: dict[str, float] = {}  # When the progress of each part was last stored

    def put_part(
        self, key: str, repo: str, window: Window, run: str, status: str, body: bytes
    ) -> None:
        """Store what a report says of one repository, done or failed, in place of what it was."""
        row: Record = {
            "key": key,
            "repo": repo,
            "window_key": window.key,
            "run": run,
            "status": status,
            "finished": stamp(datetime.now(UTC)),
            "body": zlib.compress(body),
        }
        self._db.upsert("parts", [row], ("key",))

    def parts(self, keys: list[str]) -> dict[str, bytes]:
        """Return the parts that are there."""
        rows = self._db.select("parts", ["key", "body"], {"key": keys})
        return {key: zlib.decompress(bytes(body)) for key, body in rows}

    def statuses(self, keys: list[str]) -> dict[str, str]:
        """Return for each part that is there whether it is done or failed."""
        rows = self._db.select("parts", ["key", "status"], {"key": keys})
        return dict(rows)

    def put_edition(self, edition: str, report: Report) -> None:
        """Store a published edition, in place of what it was."""
        body = zlib.compress(dump(report).encode("utf-8", errors="replace"))
        row: Record = {
            "edition": edition,
            "window_key": report.window.key,
            "label": report.window.label,
            "finished": stamp(datetime.now(UTC)),
            "body": body,
        }
        self._db.upsert("editions", [row], ("edition", "window_key"))

    def edition(self, edition: str, window_key: str) -> Report | None:
        """Return an edition of a window as it was published."""
        key = {"edition": edition, "window_key": window_key}
        rows = self._db.select("editions", ["label", "body"], key)
        if not rows:
            return None
        label, body = rows[0]
        return load(zlib.decompress(bytes(body)), label)

    def has_edition(self, edition: str, window_key: str) -> bool:
        """Return True if an edition of a window is published."""
        key = {"edition": edition, "window_key": window_key}
        return bool(self._db.select("editions", ["label"], key))

    def labels(self, edition: str) -> dict[str, tuple[str, str]]:
        """Return the days of an edition, each with its window and when it was composed."""
        columns = ["label", "window_key", "finished"]
        rows = self._db.select("editions", columns, {"edition": edition})
        return {label: (window_key, finished) for label, window_key, finished in rows}

    def deliveries(self, edition: str) -> list[str]:
        """Return the delivery state of reports on an edition's channels, as JSON."""
        rows = self._db.select("deliveries", ["body"], {"edition": edition})
        return [body for (body,) in rows]

    def put_delivery(self, edition: str, channel: str, label: str, body: str) -> None:
        """Note how a report stands on a channel."""
        row = {"edition": edition, "channel": channel, "label": label, "body": body}
        self._db.upsert("deliveries", [row], ("edition", "channel", "label"))

    def take(self, name: str, limit: int, seconds: int) -> float:
        """Count one request against a shared limit; return the seconds to wait if it is spent.

        The clock is the database's: those of machines differ.
        """
        [(clock,)] = self._db.rows("select extract(epoch from clock_timestamp())::float8")
        period = int(clock // seconds)
        counted = self._db.rows(
            "insert into limits (name, period, used) values (%s, %s, 1)"
            " on conflict (name, period) do update set used = limits.used + 1"
            " where limits.used < %s returning used",
            [name, period, limit],
        )
        if not counted:
            return float((period + 1) * seconds - clock)
        if counted == [(1,)]:
            oldest = period - _MAX_PERIODS_KEPT
            self._db.execute("delete from limits where name = %s and period < %s", [name, oldest])
        return 0.0

    def put_mirror(self, place: str, repo: str) -> None:
        """Note that the machines of a place have the mirror of a repository."""
        row = {"place": place, "repo": repo, "seen": stamp(datetime.now(UTC))}
        self._db.upsert("mirrors", [row], ("place", "repo"))

    def alive(self, place: str) -> None:
        """Note that a worker of this place is alive."""
        self.put_mirror(place, "")

    def place_of(self, repo: str, fresh: timedelta) -> str | None:
        """Return a place that has the mirror of a repository and whose workers are alive."""
        rows = self._db.rows(
            "select m.place from mirrors m join mirrors a on a.place = m.place and a.repo = ''"
            " where m.repo = %s and a.seen > %s order by m.seen desc limit 1",
            [repo, stamp(datetime.now(UTC) - fresh)],
        )
        return rows[0][0] if rows else None

    def step(self, key: str, what: str, done: int, total: int) -> None:
        """Note how far a part is; at most once a second for each."""
        last_step = self._last_steps.get(key)
        if last_step is not None and time.monotonic() < last_step + _SECONDS_BETWEEN_STEPS:
            return
        self._last_steps[key] = time.monotonic()
        self._put_progress(key, what, done, total)

    def note_reason(self, task: int, reason: str) -> None:
        """Note why a task failed; `tasks` shows it until the task is done."""
        self._put_progress(f"task {task}", reason, 0, 0)

    def _put_progress(self, key: str, what: str, done: int, total: int) -> None:
        at = stamp(datetime.now(UTC))
        row: Record = {"key": key, "what": what, "done": done, "total": total, "at": at}
        self._db.upsert("progress", [row], ("key",))

    def move_orphans(self, queue: str, fresh: timedelta) -> None:
        """Move what waits for machines that are not alive to the queue of all."""
        self._db.execute(
            "update procrastinate_jobs set queue_name = %s"
            " where status = 'todo' and starts_with(queue_name, 'place-') and queue_name not in"
            " (select place from mirrors where repo = '' and seen > %s)",
            [queue, stamp(datetime.now(UTC) - fresh)],
        )

    def tasks(self, limit: int = 1_000) -> list[QueuedTask]:
        """Return the tasks of the queue: what runs, failed and waits, then what was done last."""
        rows = self._db.rows(
            "select j.id, j.status, j.task_name,"
            " coalesce(j.args->>'repo', 'edition ' || (j.args->>'edition')), j.args->>'day',"
            " j.attempts, p.what, p.done, p.total, reason.what from procrastinate_jobs j"
            " left join progress p on p.key = (j.args->>'repo') || ' ' || (j.args->>'day')"
            " left join progress reason on reason.key = 'task ' || j.id"
            " order by array_position(array['doing', 'failed', 'todo'], j.status::text),"
            " j.id desc limit %s",
            [limit],
        )
        return [_task(row) for row in rows]

    def forget(self, before: datetime) -> None:
        """Delete parts and progress from before a day; editions stay."""
        with self._db.transaction():
            self._db.execute("delete from parts where finished < %s", [stamp(before)])
            self._db.execute("delete from progress where at < %s", [stamp(before)])


def _task(row: Row) -> QueuedTask:
    number, status, task, about, day, attempts, what, done, total, reason = row
    progress = ""
    if status == "doing":
        progress = f"{what or ''} {done} of {total}" if total else what or ""
    elif status == "failed":
        progress = reason or _NO_REASON
    elif status != "succeeded":
        progress = reason or ""
    word = str(_STATUS_WORDS.get(status, status))
    return QueuedTask(number, word, task, f"{about} {day}", attempts, progress)
