"""Whether what landed is spread over days, people and repositories as a report says."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from agent.audit.changes import Changes
from agent.audit.landings import ZONES
from agent.audit.library import Library
from agent.audit.standings import Standings
from agent.audit.statement import RIGHT, Finding, Statement, wrong
from agent.audit.vocabulary import plain
from agent.domain import Commit
from agent.evidence import CommitEvidence
from agent.ids import RepoId

_NUMBERED = re.compile(r"\(#[1-9]\d{0,8}\)|^Merge pull request #\d")
_ALONG = re.compile(r"^co-authored-by:\s*([^<\n]+?)\s*<", re.IGNORECASE | re.MULTILINE)
_MOST = 2 / 3
Rows = Sequence[Commit]


class Sharing:
    """Counts the parts of what landed in the days of one report."""

    def __init__(self, library: Library, changes: Changes, standings: Standings) -> None:
        self._library = library
        self._changes = changes
        self.rules: Mapping[str, Callable[[Statement], Finding | None]] = {
            "daily": standings.judged(self._daily, self._told_daily),
            "by person": standings.judged(self._by_person, self._told_people),
            "all numbered": standings.judged(self._numbered, self._told_numbered),
            "only one": standings.judged(self._only, self._told_only),
            "compares": self._compared,
            "deleted together": self._deleted,
        }

    # ------------------------------------------------------------ days

    def _daily(self, statement: Statement, rows: Rows) -> bool | None:
        stated = int(statement.params["commits"])
        if not rows or stated in self._of_day(statement, rows, self._library.tz):
            return True if rows else None
        lines = [row for repo in statement.params["repos"].split() for row in self._library.lines.get(RepoId(repo), ())]
        elsewhere = ZONES if self._library.days.tz is None else ()
        # Whoever names no zone may have cut the days elsewhere.
        return None if any(stated in self._of_day(statement, lines, zone) for zone in elsewhere) else False

    def _of_day(self, statement: Statement, rows: Rows, tz: str) -> tuple[int, int]:
        """Count what landed on a day of the report, with merges and without."""
        where, days = ZoneInfo(tz), self._library.days
        moments = [(row.committed_at.astimezone(where).date(), row.is_merge) for row in rows]
        first, last = days.first or date.min, days.last or date.max
        own = [merge for at, merge in moments if at.day == int(statement.params["day"]) and first <= at <= last]
        return len(own), len(own) - sum(own)

    def _told_daily(self, statement: Statement, rows: Rows) -> str:
        count, _ = self._of_day(statement, rows, self._library.tz)
        return f"{count} commits landed on day {statement.params['day']}"

    # ------------------------------------------------------------ people

    def _by_person(self, statement: Statement, rows: Rows) -> bool | None:
        """Count by author; of a name that nobody has only a list of others that fit tells that it is one."""
        people, stated = statement.params["people"].split("\n"), int(statement.params["commits"])
        counts = {name: _count(name, rows) for name in people}
        known = {name for name, count in counts.items() if count or _key(name) in self._library.people}
        if len(known) < max(1, _MOST * len(people)):
            return None
        wrong_ones = [name for name, count in counts.items() if count != stated]
        return all(_count(name, rows, along=True) == stated for name in wrong_ones)

    def _told_people(self, statement: Statement, rows: Rows) -> str:
        people, stated = statement.params["people"].split("\n"), int(statement.params["commits"])
        counts = [(name, _count(name, rows)) for name in people]
        differing = [one for one in counts if one[1] != stated] or counts
        return "; ".join(f"{count} of {len(rows)} commits are by {name}" for name, count in differing[:4])

    # ------------------------------------------------------------ what all share

    def _numbered(self, statement: Statement, rows: Rows) -> bool | None:
        own = self._of_those(statement, rows)
        numbered = [bool(_NUMBERED.search(row.subject)) for row in own]
        return (not any(numbered) if statement.params["none"] else all(numbered)) if own else None

    def _of_those(self, statement: Statement, rows: Rows) -> list[Commit]:
        """Choose the commits of somebody who is named."""
        who = _key(statement.params["who"])
        named = {row.author.name for row in rows if _key(row.author.name) in who}
        return [row for row in rows if not named or row.author.name in named]

    def _told_numbered(self, statement: Statement, rows: Rows) -> str:
        own = self._of_those(statement, rows)
        without = [row for row in own if not _NUMBERED.search(row.subject)]
        shown = f": {without[0].id} “{without[0].subject}”" if without else ""
        return f"{len(without)} of {len(own)} titles have no number{shown}"

    def _only(self, statement: Statement, rows: Rows) -> bool | None:
        own = self._changes.of(statement.about, statement)
        if own is None or any(row.id not in self._library.sizes for row in rows):
            return None
        return [row.id for row in self._of_kind(statement, rows)] == [own.id]

    def _of_kind(self, statement: Statement, rows: Rows) -> list[Commit]:
        kinds: dict[str, Callable[[int, int], bool]] = {
            "shrinking": lambda added, deleted: deleted > added,
            "growing": lambda added, deleted: added > deleted,
            "one line": lambda added, deleted: max(added, deleted) == 1,
        }
        fits = kinds[statement.params["kind"]]
        return [row for row in rows if fits(*self._library.sizes[row.id])]

    def _told_only(self, statement: Statement, rows: Rows) -> str:
        found = self._of_kind(statement, rows)
        sizes = [(row.sha[:10], *self._library.sizes[row.id]) for row in found]
        return f"{len(found)} commits are so: " + ", ".join(f"{sha} +{plus} −{minus}" for sha, plus, minus in sizes[:4])

    # ------------------------------------------------------------ repositories

    def _compared(self, statement: Statement) -> Finding | None:
        """Compare the lines of two repositories, where all of both were read."""
        one, other = map(RepoId, statement.params["repos"].split())
        rows = {repo: self._library.landed.get(repo) for repo in (one, other)}
        if any(not found or any(row.id not in self._library.sizes for row in found) for found in rows.values()):
            return None
        side = 0 if statement.params["side"] == "additions" else 1
        sums = {repo: sum(self._library.sizes[row.id][side] for row in found or ()) for repo, found in rows.items()}
        right = sums[one] > sums[other] if statement.params["more"] else sums[one] < sums[other]
        why = "; ".join(f"{repo}: {count} {statement.params['side']}" for repo, count in sums.items())
        return statement.ruled(RIGHT if right else wrong("count"), why)

    def _deleted(self, statement: Statement) -> Finding | None:
        """Add up the files that the cited commits of these days delete, where there are as many as is said."""
        window = self._library.window
        cited = [one for one in self._library.found.values() if isinstance(one, CommitEvidence)]
        own = [one.change for one in cited if window is not None and one.at in window]
        gone = [file for change in own for file in change.files if file.status == "removed"]
        unread = any(change.incomplete or change.unreadable for change in own)
        if unread or len(gone) != int(statement.params["files"]):
            return None
        lines = sum(file.deletions for file in gone)
        verdict = RIGHT if lines == int(statement.params["lines"]) else wrong("count")
        return statement.ruled(
            verdict, f"{lines} lines: " + ", ".join(f"{one.path} −{one.deletions}" for one in gone[:4])
        )


def _count(name: str, rows: Rows, *, along: bool = False) -> int:
    """Count the commits by somebody, also those that name him along with their author."""
    key = _key(name)
    return sum(
        _key(row.author.name) == key or (along and any(_key(one) == key for one in _ALONG.findall(row.message)))
        for row in rows
    )


def _key(name: str) -> str:
    return " ".join(plain(name).strip("`*_ @").casefold().split())
