"""Commits that are dated in the future: only the commits around them show when they landed."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from agent.domain.commits import Notice
from agent.domain.window import Window

_MAX_NAMED = 20  # Commits that one report names: more are a clock that is wrong
_CLOCK_SKEW = timedelta(days=1)
"""How far a date may be ahead: such a commit has its day soon, and needs no other one."""


class DatedCommit(NamedTuple):
    """A commit of a first-parent line with its landing time."""

    sha: str
    at: datetime


class FutureCommit(NamedTuple):
    """A commit that is dated in the future, with the landing times of its neighbours."""

    sha: str
    at: datetime
    after: datetime | None  # Of the nearest commit below it with a date that can be true
    before: datetime | None  # Of the nearest one above it; None where it is at the tip

    def landed_in(self, window: Window) -> bool:
        """Return True if it counts as landed in a window: the commit below it did."""
        return self.after is not None and self.after in window

    def belongs_to(self, window: Window, above_tip: Collection[str] | None) -> bool:
        """Return True if the report of a window lists it.

        `above_tip` is what landed since the branch was last read; None where it never was.
        """
        if self.landed_in(window):
            return True
        is_earlier = self.after is None or self.after < window.start
        return is_earlier and above_tip is not None and self.sha in above_tip

    def is_named(self, window: Window, above_tip: Collection[str] | None) -> bool:
        """Return True if a notice names it: the report lists it, or it may have landed in the window."""
        if above_tip is not None:
            return self.belongs_to(window, above_tip)
        is_too_late = self.after is not None and self.after >= (window.cutoff or window.end)
        is_too_early = self.before is not None and self.before < window.start
        return not is_too_late and not is_too_early


def future_commits(line: Iterable[DatedCommit], now: datetime) -> list[FutureCommit]:
    """Return the commits of a line, newest first, that are dated after the moment of reading it."""
    latest = now + _CLOCK_SKEW
    futures: list[FutureCommit] = []
    waiting: list[DatedCommit] = []  # Those for which no commit below has a date that can be true
    before: datetime | None = None
    for commit in line:
        if commit.at > latest:
            waiting.append(commit)
            continue
        for future in waiting:
            futures.append(FutureCommit(*future, after=commit.at, before=before))
        waiting.clear()
        before = commit.at
    for future in waiting:
        futures.append(FutureCommit(*future, after=None, before=before))
    return futures


def future_notices(
    futures: Iterable[FutureCommit], window: Window, above_tip: Collection[str] | None
) -> tuple[Notice, ...]:
    """Return a notice for each commit that is listed, or that may have landed in the window."""
    notices: list[Notice] = []
    for future in futures:
        if future.is_named(window, above_tip):
            after = f"{future.after:%Y-%m-%d %H:%M} UTC" if future.after else "?"
            about = (future.sha[:12], f"{future.at:%Y-%m-%d}", after)
            notices.append(Notice(kind="future-dated", about=about))
    return tuple(notices[:_MAX_NAMED])
