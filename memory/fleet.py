"""What several workers share: what was read of repositories, editions, deliveries, limits, mirrors, progress."""

import time
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agent.domain.report import Report
from agent.domain.window import Window
from agent.reports.stored import dump, load
from memory.database import Database, Row, stamp

DONE, FAILED = "done", "failed"
_EVERY_SECONDS, _PERIODS = 1.0, 100


@dataclass(frozen=True)
class Task:
    """One task of the queue, as a person sees it."""

    id: int
    status: str
    task: str
    about: str
    attempts: int
    progress: str


class Fleet:
    """The tables of workers; none of them is used where there is one machine."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._told: dict[str, float] = {}

    def put_part(
        self, key: str, repo: str, window: Window, run: str, status: str, body: bytes
    ) -> None:
        """Store what a report says of one repository, done or failed; again replaces it."""
        row = {"key": key, "repo": repo, "window_key": window.key, "run": run, "status": status}
        row |= {"finished": stamp(datetime.now(UTC))}
        with self._db.transaction():
            self._db.upsert("parts", [{**row, "body": zlib.compress(body)}], ("key",))

    def parts(self, keys: list[str]) -> dict[str, bytes]:
        """Find the parts that are there."""
        rows = self._db.rows("select key, body from parts where key = any(?)", [keys])
        return {key: zlib.decompress(bytes(body)) for key, body in rows}

    def statuses(self, keys: list[str]) -> dict[str, str]:
        """Tell which parts are there, and whether each is done or failed."""
        return dict(self._db.rows("select key, status from parts where key = any(?)", [keys]))

    def put_edition(self, edition: str, report: Report) -> None:
        """Store a published edition, in place of what it was."""
        row = {"edition": edition, "window_key": report.window.key, "label": report.window.label}
        body = zlib.compress(dump(report).encode("utf-8", errors="replace"))
        row |= {"finished": stamp(datetime.now(UTC))}
        with self._db.transaction():
            self._db.upsert("editions", [{**row, "body": body}], ("edition", "window_key"))

    def edition(self, edition: str, window_key: str) -> Report | None:
        """Find an edition of a window as it was published."""
        sql = "select label, body from editions where edition = ? and window_key = ?"
        row = self._db.row(sql, [edition, window_key])
        return load(zlib.decompress(bytes(row[1])), row[0]) if row else None

    def labels(self, edition: str) -> dict[str, tuple[str, str]]:
        """List the days of an edition, each with its window and when it was composed."""
        sql = "select label, window_key, finished from editions where edition = ?"
        return {label: (key, finished) for label, key, finished in self._db.rows(sql, [edition])}

    def deliveries(self, edition: str) -> list[str]:
        """Give how reports stand on the channels of an edition, as JSON."""
        return [
            row[0]
            for row in self._db.rows("select body from deliveries where edition = ?", [edition])
        ]

    def put_delivery(self, edition: str, channel: str, label: str, body: str) -> None:
        """Note how a report stands on a channel."""
        row = {"edition": edition, "channel": channel, "label": label, "body": body}
        self._db.upsert("deliveries", [row], ("edition", "channel", "label"))

    def take(self, name: str, most: int, seconds: int) -> float:
        """Count one request against a shared limit; give the seconds to wait where it is spent, else nothing.

        The clock is the database's: those of machines differ.
        """
        [(now,)] = self._db.rows(
            "select cast(extract(epoch from clock_timestamp()) as double precision)"
        )
        period = int(now // seconds)
        taken = self._db.row(
            "insert into limits (name, period, used) values (?, ?, 1) on conflict (name, period)"
            " do update set used = limits.used + 1 where limits.used < ? returning used",
            [name, period, most],
        )
        if taken == (1,):
            self._db.execute(
                "delete from limits where name = ? and period < ?", [name, period - _PERIODS]
            )
        return 0.0 if taken else (period + 1) * seconds - now

    def put_mirror(self, place: str, repo: str) -> None:
        """Note that the machines of a place have the mirror of a repository."""
        row = {"place": place, "repo": repo, "seen": stamp(datetime.now(UTC))}
        self._db.upsert("mirrors", [row], ("place", "repo"))

    def alive(self, place: str) -> None:
        """Note that a worker of this place is alive."""
        self.put_mirror(place, "")

    def place_of(self, repo: str, fresh: timedelta) -> str | None:
        """Find a place that has the mirror of a repository and whose workers are alive."""
        row = self._db.row(
            "select m.place from mirrors m join mirrors a on a.place = m.place and a.repo = ''"
            " where m.repo = ? and a.seen > ? order by m.seen desc limit 1",
            [repo, stamp(datetime.now(UTC) - fresh)],
        )
        return row[0] if row else None

    def step(self, key: str, what: str, done: int, total: int) -> None:
        """Note how far a part is; at most once a second for each."""
        if self._told.get(key, 0.0) + _EVERY_SECONDS > time.monotonic():
            return
        self._told[key] = time.monotonic()
        row = {
            "key": key,
            "what": what,
            "done": done,
            "total": total,
            "at": stamp(datetime.now(UTC)),
        }
        self._db.upsert("progress", [row], ("key",))

    def put_progress(self, key: str, what: str) -> None:
        """Note why a part failed."""
        self._told.pop(key, None)
        self.step(key, what, 0, 0)

    def move_orphans(self, queue: str, fresh: timedelta) -> None:
        """Move what waits for machines that are not alive to the queue of all."""
        self._db.execute(
            "update procrastinate_jobs set queue_name = ? where status = 'todo' and starts_with(queue_name, 'place-')"
            " and queue_name not in (select place from mirrors where repo = '' and seen > ?)",
            [queue, stamp(datetime.now(UTC) - fresh)],
        )

    def tasks(self, limit: int = 1_000) -> list[Task]:
        """List the tasks of the queue: what runs, waits and failed first, then what was done last."""
        rows = self._db.rows(
            "select j.id, j.status, j.task_name, coalesce(j.args->>'repo', 'edition ' || (j.args->>'edition')),"
            " j.args->>'day', j.attempts, p.what, p.done, p.total from procrastinate_jobs j"
            " left join progress p on p.key = (j.args->>'repo') || ' ' || (j.args->>'day')"
            " order by array_position(array['doing', 'failed', 'todo'], j.status::text), j.id desc limit ?",
            [limit],
        )
        return [_task(row) for row in rows]

    def forget(self, before: datetime) -> None:
        """Delete parts and progress from before a day; editions stay."""
        with self._db.transaction():
            self._db.execute("delete from parts where finished < ?", [stamp(before)])
            self._db.execute("delete from progress where at < ?", [stamp(before)])


_STATUS = {"todo": "queued", "doing": "running", "succeeded": "done"}


def _task(row: Row) -> Task:
    number, status, task, about, day, attempts, what, done, total = row
    counted = f" {done} of {total}" if total else ""
    progress = f"{what or ''}{counted}" if status in ("doing", "failed", "todo") else ""
    return Task(
        number, str(_STATUS.get(status, status)), task, f"{about} {day}", attempts, progress
    )
