"""Landings: over consecutive reports every landed commit is told exactly once, however the branch moves."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Landed, Landing, Person
from agent.domain.window import Window
from agent.reports.chapter import CommitsOfReport, commits_of_report
from memory.landing_owners import Landings
from memory.protocols import Database
from memory.store import database_in_memory

REPO = RepoId("octo/repo")
FIRST = date(2026, 2, 1)
START = datetime(2026, 2, 1, tzinfo=UTC)
SMALL = settings(max_examples=60, derandomize=True, deadline=None)


def day(number: int, last: int | None = None) -> Window:
    return Window.days(
        FIRST + timedelta(days=number),
        FIRST + timedelta(days=number if last is None else last),
        "UTC",
    )


def at(days: float) -> datetime:
    return START + timedelta(seconds=round(days * 86_400))


@dataclass
class Branch:
    """A branch as a server has it: a line of commits that grows and is sometimes rewritten."""

    line: list[Landed] = field(default_factory=list)
    made: int = 0

    def push(self, dated: datetime) -> str:
        self.made += 1
        sha = hashlib.sha1(str(self.made).encode()).hexdigest()
        somebody = Person(name="Somebody", email="somebody@example.com")
        parents = (self.line[-1].commit.sha,) if self.line else ()
        who = {
            "author": somebody,
            "authored_at": dated,
            "committer": somebody,
            "committed_at": dated,
        }
        commit = Commit.model_validate(
            {"repo": REPO, "sha": sha, "parents": parents, "message": sha, **who}
        )
        self.line.append(Landed(commit=commit, members=0))
        return sha

    def rewrite(self, dropped: int) -> None:
        """Throw the newest commits away, but never the first one."""
        del self.line[max(1, len(self.line) - dropped) :]

    def read(self, window: Window, known_tip: str | None, seen: dict[str, list[str]]) -> Landing:
        """Answer as a source does: rows by date, late ones since the place where the known tip left this line."""
        shas = [row.commit.sha for row in self.line]
        seen[shas[-1]] = shas
        known_shas = set(seen[known_tip]) if known_tip else set(shas)
        rows = tuple(row for row in reversed(self.line) if row.commit.committed_at in window)
        new = [row for row in reversed(self.line) if row.commit.sha not in known_shas]
        late = tuple(row for row in new if row.commit.committed_at < window.start)
        return Landing(repo=REPO, branch="main", tip=shas[-1], rows=rows, late=late)


class Gazette:
    """What a series of runs has published; the newest report of a window stands."""

    def __init__(self, branch: Branch, db: Database) -> None:
        self.branch = branch
        self.landings = Landings(db)
        self.seen: dict[str, list[str]] = {}
        self.reports: dict[str, list[str]] = {}

    def run(self, window: Window) -> CommitsOfReport:
        landing = self.branch.read(window, self.landings.known_tip(REPO, window), self.seen)
        shas = [row.commit.sha for row in (*landing.rows, *landing.late)]
        own_shas = commits_of_report(landing, self.landings.elsewhere(REPO, window, shas))
        owned = {
            row.commit.sha: late
            for part, late in ((own_shas.rows, False), (own_shas.late, True))
            for row in part
        }
        assert landing.tip is not None
        self.landings.put(REPO, window, tip=landing.tip, owned=owned)
        self.reports[window.key] = list(owned)
        return own_shas

    def reported(self) -> Counter[str]:
        return Counter(sha for shas in self.reports.values() for sha in shas)


STEP = st.one_of(
    st.tuples(st.just("push"), st.sampled_from([0, 0, 0.2, 1, 3])),
    st.tuples(st.just("rewrite"), st.integers(1, 3)),
    st.tuples(st.just("run"), st.just(0)),
    st.tuples(st.just("rerun"), st.integers(0, 8)),
    st.tuples(st.just("skip"), st.just(0)),
)


@SMALL
@given(st.lists(STEP, min_size=5, max_size=40))
def test_nothing_is_told_twice_or_lost_whatever_the_order_of_runs(
    steps: list[tuple[str, float]],
) -> None:
    db = database_in_memory()
    gazette = Gazette(Branch(), db)
    gazette.branch.push(at(-30))
    today = 1
    newest = 0
    gazette.run(day(0))
    for step, value in steps:
        if step == "push":
            gazette.branch.push(max(at(today + 0.5 - value), START))
        elif step == "rewrite":
            gazette.branch.rewrite(int(value))
        elif step == "run":
            gazette.run(day(today))
            newest = today
            today = today + 1
        elif step == "skip":
            today += 1
        else:
            gazette.run(day(min(int(value), newest)))
        assert set(gazette.reported().values()) <= {1}
    gazette.run(day(today))
    reported = gazette.reported()
    landed = {
        row.commit.sha
        for row in gazette.branch.line[1:]
        if row.commit.committed_at < day(today).end
    }
    assert landed <= set(reported)
    assert set(reported.values()) <= {1}
    for number in range(today + 1):
        if day(number).key in gazette.reports:
            gazette.run(day(number))
    again = gazette.reported()
    assert landed <= set(again)
    assert set(again.values()) <= {1}
    db.close()
