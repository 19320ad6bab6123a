"""Whether what a report says of its days as a whole is so: authors, reverts, lines, the largest, first and last."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from agent.audit.changes import Changes
from agent.audit.landings import ZONES
from agent.audit.library import Library
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, wrong
from agent.domain import Commit
from agent.ids import RepoId

_REVERT = re.compile(
    r"^\W*(?:\[[^\]]*\]\s*|\w+(?:\([^)]*\))?!?:\s*)*revert\b|^This reverts commit", re.IGNORECASE | re.MULTILINE
)
_UNDOING = re.compile(r"revert|roll\w*[ -]?back|back(?:s|ed|ing)? out|undo", re.IGNORECASE)
Rows = Sequence[Commit]
Rule = Callable[[Statement, Rows], bool | None]


class Standings:
    """Compares all that landed in the days of one report."""

    def __init__(self, library: Library, changes: Changes) -> None:
        self._library = library
        self._changes = changes
        self.rules: Mapping[str, Callable[[Statement], Finding | None]] = {
            "authors": self.judged(self._authors, self._told_authors),
            "undone in all": self.judged(self._reverts, self._told_reverts),
            "sums": self.judged(self._sums, self._told_sums),
            "largest": self.judged(self._largest, self._told_largest),
            "at the end": self._ended,
            "clocked": self.judged(self._clocked, self._told_ends),
        }

    def judged(self, rule: Rule, told: Callable[[Statement, Rows], str]) -> Callable[[Statement], Finding | None]:
        """Make a rule over what landed one that gives findings."""

        def finding(statement: Statement) -> Finding | None:
            readings = list(self._readings(statement))
            verdicts = [rule(statement, rows) for rows in readings]
            if not readings or verdicts[0] is None:
                return None
            why = told(statement, readings[0])
            if verdicts[0]:
                return statement.ruled(RIGHT, why)
            # Whoever names no zone may have cut the days elsewhere.
            open_ = any(one is not False for one in verdicts) or bool(self._library.days.guessed)
            return statement.ruled(UNVERIFIABLE if open_ else wrong("count"), why)

        return finding

    def _readings(self, statement: Statement) -> Iterator[Rows]:
        """Give what landed in the days, and in the same days of other zones where the report does not say which."""
        repos = [RepoId(one) for one in statement.params.get("repos", "").split()]
        if not repos or any(repo not in self._library.landed for repo in repos):
            return
        yield [row for repo in repos for row in self._library.landed[repo]]
        if self._library.days.tz is None:
            windows = [window for tz in ZONES if (window := self._library.days.window(tz))]
            lines = [row for repo in repos for row in self._library.lines.get(repo, ())]
            yield from ([row for row in lines if row.committed_at in window] for window in windows)

    # ------------------------------------------------------------ counts

    def _authors(self, statement: Statement, rows: Rows) -> bool | None:
        if len(rows) != int(statement.params["commits"]):
            # Other commits are meant, or the count itself is wrong, which is told elsewhere.
            return None
        names, people = {row.author.name.casefold() for row in rows}, int(statement.params["people"])
        mails = {row.author.email.casefold() for row in rows}
        return people in (len(names), len(mails), len({one for one in names if "bot" not in one}))

    def _told_authors(self, _: Statement, rows: Rows) -> str:
        names = [row.author.name for row in rows]
        twice = [f"{name} {names.count(name)}" for name in dict.fromkeys(names) if names.count(name) > 1]
        return f"{len(rows)} commits are by {len(set(names))} authors" + (f" ({', '.join(twice[:4])})" if twice else "")

    def _reverts(self, statement: Statement, rows: Rows) -> bool | None:
        least = sum(_REVERT.search(row.message) is not None for row in rows)
        most = sum(_UNDOING.search(row.message) is not None for row in rows)
        return least <= int(statement.params["reverts"]) <= most

    def _told_reverts(self, _: Statement, rows: Rows) -> str:
        found = [f"{row.id} “{row.subject}”" for row in rows if _REVERT.search(row.message)]
        return f"{len(found)} of {len(rows)} commits are reverts" + (f": {', '.join(found[:3])}" if found else "")

    def _sums(self, statement: Statement, rows: Rows) -> bool | None:
        sizes = [self._library.sizes.get(row.id) for row in rows]
        if not sizes or None in sizes:
            return None
        added, deleted = (sum(one[side] for one in sizes if one) for side in (0, 1))
        return [added, deleted] == [int(statement.params[name]) for name in ("additions", "deletions")]

    def _told_sums(self, _: Statement, rows: Rows) -> str:
        added, deleted = (sum(self._library.sizes[row.id][side] for row in rows) for side in (0, 1))
        return f"{len(rows)} commits change +{added} −{deleted} together"

    # ------------------------------------------------------------ the largest

    def _largest(self, statement: Statement, rows: Rows) -> bool | None:
        own = self._changes.of(statement.about, statement)
        sizes = {str(row.id): size for row in rows if (size := self._library.sizes.get(row.id))}
        if own is None or len(sizes) < len(rows) or own.id not in sizes:
            return None
        place = int(statement.params["rank"])
        return any(
            sum(measure(one) > measure(sizes[own.id]) for one in sizes.values()) < place
            for measure in _measures(statement.params["by"])
        )

    def _told_largest(self, statement: Statement, rows: Rows) -> str:
        measure = _measures(statement.params["by"])[0]
        sizes = {str(row.id): self._library.sizes[row.id] for row in rows}
        ranked = sorted(sizes, key=lambda one: -measure(sizes[one]))[:2]
        return "; then ".join(f"{one} +{sizes[one][0]} −{sizes[one][1]}" for one in ranked)

    # ------------------------------------------------------------ the first and the last

    def _ended(self, statement: Statement) -> Finding | None:
        if not statement.also:
            return self.judged(self._at_end, self._told_ends)(statement)
        group = [self._changes.of(one, statement) for one in statement.also]
        rows = [one.change.commit for one in group if one is not None]
        if len(rows) < len(group) or (right := self._at_end(statement, rows)) is None:
            return None
        return statement.ruled(RIGHT if right else wrong("count"), self._told_ends(statement, rows))

    def _at_end(self, statement: Statement, rows: Rows) -> bool | None:
        own = self._changes.of(statement.about, statement)
        moments = [row.committed_at for row in rows]
        if own is None or own.at not in moments:
            return None
        return own.at == (min if statement.params["which"] == "first" else max)(moments)

    def _clocked(self, statement: Statement, rows: Rows) -> bool | None:
        moments = [row.committed_at for row in rows]
        if not moments:
            return None
        at = (min if statement.params["which"] == "first" else max)(moments)
        return f"{at.astimezone(ZoneInfo(self._library.tz)):%H:%M}" == statement.params["clock"]

    def _told_ends(self, _: Statement, rows: Rows) -> str:
        ordered = sorted(rows, key=lambda row: row.committed_at)
        ends = (("first", ordered[0]), ("last", ordered[-1]))
        return "; ".join(f"{which} is {row.id} at {row.committed_at:%Y-%m-%d %H:%M} UTC" for which, row in ends)


def _measures(by: str) -> list[Callable[[tuple[int, int]], int]]:
    """List the ways to measure: what is added, what is deleted, or any, where a report does not say which."""
    measures: dict[str, Callable[[tuple[int, int]], int]] = {
        "": sum,
        "additions": lambda size: size[0],
        "deletions": lambda size: size[1],
        "net": lambda size: size[0] - size[1],
    }
    return [measures[by]] if by else list(measures.values())
