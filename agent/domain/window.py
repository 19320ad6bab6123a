"""The window that a report is about: a half-open interval of landing times, in a named time zone."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from agent.domain.errors import UsageError


@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo:
    """Return a time zone by its IANA name; raise UsageError if there is none."""
    unknown = UsageError(
        f"unknown time zone {name!r}; use a name such as UTC, Asia/Shanghai or America/New_York"
    )
    # The files "localtime" and "right/UTC" beside the zones differ from machine to machine.
    if not name[:1].isupper():
        raise unknown
    try:
        return ZoneInfo(name)
    # A name such as "Etc/../x" is a ValueError, a directory such as "America" an OSError.
    except (KeyError, ValueError, OSError) as error:
        raise unknown from error


def check_year(day: date) -> None:
    """Raise UsageError for a day that git, GitHub or Python's calendar cannot represent."""
    if not 1970 <= day.year <= 2099:
        raise UsageError(
            f"{day.isoformat()[:10]} is out of reach; a report can speak of the years 1970 to 2099"
        )


def midnight(day: date, tz: str) -> datetime:
    """Return the first instant of a calendar day, in UTC.

    If a clock change skips midnight, this is the first instant after the gap; if midnight happens
    twice, it is the earlier one.
    """
    return datetime.combine(day, time.min, tzinfo=zone(tz)).astimezone(UTC)


def moment(text: str, tz: str) -> datetime:
    """Return the first instant of a day, or a time; a time without a zone is in the named one."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a time; write it as 2026-02-04 or 2026-02-04T06:00"
        ) from error
    check_year(parsed)
    if len(text) == len("2026-02-04"):
        return midnight(parsed.date(), tz)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=zone(tz))
    return parsed.astimezone(UTC)


class Window(BaseModel):
    """The half-open interval [start, end), in UTC; the zone is the one whose days it is made of."""

    model_config = ConfigDict(frozen=True)

    start: datetime
    end: datetime
    tz: str
    cutoff: datetime | None = None
    """When the window was read, if that was before its end: nothing later could be seen."""

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
        """Return a window of whole days, the last included; a day may have 23 or 25 hours."""
        check_year(first)
        check_year(last)
        if last < first:
            raise UsageError(f"the window ends before it starts: {first} to {last}")
        start = midnight(first, tz)
        end = midnight(last + timedelta(days=1), tz)
        if start == end:
            raise UsageError(f"{first} does not exist in {tz}: the calendar skipped it")
        return cls(start=start, end=end, tz=tz)

    @classmethod
    def between(cls, since: str, until: str, tz: str, now: datetime) -> Self:
        """Return a window up to a day or time that is not included; by default the last seven days."""
        end = moment(until, tz) if until else now.replace(microsecond=0) + timedelta(seconds=1)
        start = moment(since, tz) if since else end - timedelta(days=7)
        if start >= end:
            raise UsageError(
                f"there is no time from {since} to {until or 'now'}; until is where it ends, not included"
            )
        return cls(start=start, end=end, tz=tz)

    @classmethod
    def yesterday(cls, now: datetime, tz: str) -> Self:
        """Return the window of the last calendar day that is over in a time zone."""
        day = now.astimezone(zone(tz)).date() - timedelta(days=1)
        return cls.days(day, day, tz)

    def __contains__(self, moment: datetime) -> bool:
        """Return True if a landing time lies in the window."""
        return self.start <= moment < (self.cutoff or self.end)

    def cut_at(self, now: datetime) -> Self:
        """Return the window as it is now: with a cutoff if it is not over yet."""
        if now >= self.end:
            return self
        if now <= self.start:
            raise UsageError(
                f"the window has not begun: it starts at {self.start:%Y-%m-%d %H:%M} UTC"
            )
        return self.model_copy(update={"cutoff": now.astimezone(UTC).replace(microsecond=0)})

    @property
    def partial(self) -> bool:
        """True if the window was not over when it was read."""
        return self.cutoff is not None

    @property
    def whole_days(self) -> bool:
        """True if both ends are the first instant of a day."""
        return self._is_midnight(self.start) and self._is_midnight(self.end)

    def _is_midnight(self, at: datetime) -> bool:
        return at == midnight(at.astimezone(zone(self.tz)).date(), self.tz)

    @cached_property
    def label(self) -> str:
        """The name of the report: `2026-02-04`, `2026-02-01..2026-02-07`, or days with hours."""
        start = self.start.astimezone(zone(self.tz))
        end = self.end.astimezone(zone(self.tz))
        if not self.whole_days:
            clock = "%Y-%m-%dT%H%M%S" if start.second or end.second else "%Y-%m-%dT%H%M"
            return f"{start:{clock}}..{end:{clock}}"
        last_instant = (self.end - timedelta(seconds=1)).astimezone(zone(self.tz))
        if start.date() == last_instant.date():
            return f"{start:%Y-%m-%d}"
        return f"{start:%Y-%m-%d}..{last_instant:%Y-%m-%d}"

    @property
    def key(self) -> str:
        """The key of the window's report in memory; a partial day and the whole day share one."""
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
    """Return a bound cut to the latest start and the earliest end, or whole if nothing is left."""
    if not starts and not ends:
        return bound
    all_starts = list(starts)
    all_ends = list(ends)
    if bound is not None:
        all_starts.append(bound.start)
        all_ends.append(bound.end)
    end = min(all_ends, default=now.replace(microsecond=0) + timedelta(seconds=1))
    start = max(all_starts, default=end - timedelta(days=7))
    if start >= end or start >= now:
        return bound
    window = Window(start=start, end=end, tz=tz)
    return window.cut_at(now) if end > now else window
