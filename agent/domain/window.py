"""Which stretch of time a report speaks of: half-open, in a named zone, over landing times."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from agent.domain.base import UsageError


@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo:
    """Find a time zone by its IANA name."""
    unknown = UsageError(
        f"unknown time zone {name!r}; use a name such as UTC, Asia/Shanghai or America/New_York"
    )
    # Files such as "localtime" and "right/UTC" beside the zones mean something else on every machine.
    if not name[:1].isupper():
        raise unknown
    try:
        return ZoneInfo(name)
    # A name such as "Etc/../x" is a ValueError, a directory such as "America" an OSError.
    except (KeyError, ValueError, OSError) as error:
        raise unknown from error


def check_year(day: date) -> None:
    """Refuse days that neither git nor GitHub can tell apart, and sums of days that Python cannot hold."""
    if not 1970 <= day.year <= 2099:
        raise UsageError(
            f"{day.isoformat()[:10]} is out of reach; a report can speak of the years 1970 to 2099"
        )


def midnight(day: date, tz: str) -> datetime:
    """Find the first instant of a calendar day, in UTC.

    A midnight that a clock change skips becomes the first instant after the gap, one that happens twice the earlier.
    """
    return datetime.combine(day, time.min, tzinfo=zone(tz)).astimezone(UTC)


def moment(text: str, tz: str) -> datetime:
    """Read a day (its first instant) or a time; a time without a zone is in the named one."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a time; write it as 2026-02-04 or 2026-02-04T06:00"
        ) from error
    check_year(read)
    if len(text) == len("2026-02-04"):
        return midnight(read.date(), tz)
    return (read if read.tzinfo else read.replace(tzinfo=zone(tz))).astimezone(UTC)


class Window(BaseModel):
    """The half-open interval [start, end); both ends are kept in UTC, the zone says how days are cut."""

    model_config = ConfigDict(frozen=True)

    start: datetime
    end: datetime
    tz: str
    cutoff: datetime | None = None
    """Set when the window was read before it was over: nothing from this moment on was there to be seen."""

    @field_validator("start", "end", "cutoff")
    @classmethod
    def _to_utc(cls, value: datetime | None) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("a window needs times with a zone")
        # Landing times are whole seconds, so nothing can lie between.
        return value and value.astimezone(UTC).replace(microsecond=0)

    @field_validator("tz")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        return zone(value).key

    @model_validator(mode="after")
    def _forwards(self) -> Self:
        if self.start >= self.end:
            raise ValueError("a window must end after it starts")
        return self

    @classmethod
    def days(cls, first: date, last: date, tz: str) -> Self:
        """Span whole calendar days, both included; a day may have 23 or 25 hours."""
        check_year(first)
        check_year(last)
        if last < first:
            raise UsageError(f"the window ends before it starts: {first} to {last}")
        start, end = midnight(first, tz), midnight(last + timedelta(days=1), tz)
        if start == end:
            raise UsageError(f"{first} does not exist in {tz}: the calendar skipped it")
        return cls(start=start, end=end, tz=tz)

    @classmethod
    def between(cls, since: str, until: str, tz: str, now: datetime) -> Self:
        """Span from one day or time to another that is not included; left out, the last seven days up to now."""
        end = moment(until, tz) if until else now.replace(microsecond=0) + timedelta(seconds=1)
        start = moment(since, tz) if since else end - timedelta(days=7)
        if start >= end:
            raise UsageError(
                f"there is no time from {since} to {until or 'now'}; until is where it ends, not included"
            )
        return cls(start=start, end=end, tz=tz)

    @classmethod
    def yesterday(cls, now: datetime, tz: str) -> Self:
        """Span the last calendar day that is over in that zone."""
        day = now.astimezone(zone(tz)).date() - timedelta(days=1)
        return cls.days(day, day, tz)

    def __contains__(self, moment: datetime) -> bool:
        """Tell whether a landing time lies in the window."""
        return self.start <= moment < (self.cutoff or self.end)

    def cut_at(self, now: datetime) -> Self:
        """Label the window as read before its end, if it is not over yet."""
        if now >= self.end:
            return self
        if now <= self.start:
            raise UsageError(
                f"the window has not begun: it starts at {self.start:%Y-%m-%d %H:%M} UTC"
            )
        return self.model_copy(update={"cutoff": now.astimezone(UTC).replace(microsecond=0)})

    @property
    def partial(self) -> bool:
        """True when the window was not over when it was read."""
        return self.cutoff is not None

    @property
    def whole_days(self) -> bool:
        """True when both ends are the first instant of a day."""
        return all(
            end == midnight(end.astimezone(zone(self.tz)).date(), self.tz)
            for end in (self.start, self.end)
        )

    @cached_property
    def label(self) -> str:
        """The name of the report: `2026-02-04`, `2026-02-01..2026-02-07`, or with hours where it is not whole days."""
        where = zone(self.tz)
        first, end = self.start.astimezone(where), self.end.astimezone(where)
        if not self.whole_days:
            clock = "%Y-%m-%dT%H%M%S" if first.second or end.second else "%Y-%m-%dT%H%M"
            return f"{first:{clock}}..{end:{clock}}"
        last = (self.end - timedelta(seconds=1)).astimezone(where)
        return (
            f"{first:%Y-%m-%d}"
            if first.date() == last.date()
            else f"{first:%Y-%m-%d}..{last:%Y-%m-%d}"
        )

    @property
    def key(self) -> str:
        """What a report of this window is remembered by; a re-run of a partial day is the same window."""
        if self.whole_days:
            return f"{self.label} {self.tz}"
        # An hour that the clock shows twice has one label and two keys.
        return f"{self.start:%Y-%m-%dT%H:%M:%SZ}..{self.end:%Y-%m-%dT%H:%M:%SZ} {self.tz}"


def narrowed(
    bound: Window | None,
    starts: Sequence[datetime],
    ends: Sequence[datetime],
    tz: str,
    now: datetime,
) -> Window | None:
    """Cut a bound to the latest start and the earliest end; where nothing would be left of it, it stays."""
    if not starts and not ends:
        return bound
    end = min(
        [*ends, *([bound.end] if bound else [])],
        default=now.replace(microsecond=0) + timedelta(seconds=1),
    )
    start = max([*starts, *([bound.start] if bound else [])], default=end - timedelta(days=7))
    if start >= end or start >= now:
        return bound
    window = Window(start=start, end=end, tz=tz)
    return window.cut_at(now) if end > now else window
