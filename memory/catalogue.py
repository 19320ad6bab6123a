"""The cards of landed commits: found again by hash and time, and over which stretches of time all are known."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from pydantic import TypeAdapter
from sqlite_utils import Database

from agent.card import Card
from agent.facts import Fact
from agent.ids import RepoId, thread_id
from agent.window import Window, midnight, zone
from memory.columns import clean, moment_of, stamp
from memory.database import reading, writing
from memory.search_entries import Entry, put_entry

_FACTS = TypeAdapter(tuple[Fact, ...])
_NAMES = tuple(Card.model_fields)
_CARD = (
    "select c.repo, c.sha, c.at, c.author, c.title, c.message, c.pull, c.files, c.additions, c.deletions, c.paths,"
    " c.touched, c.written, c.facts, c.route from "
)
_IN = " (? is null or c.repo in (select value from json_each(?)))"
_BY_HASH = f"{_CARD} cards c where c.sha >= ? and c.sha < ? and {_IN} order by c.at desc limit ?"
_LISTED = f"{_CARD} cards c where c.at >= ? and c.at < ? and {_IN} order by c.at desc limit ?"
_INSERT = (
    "insert into cards (repo, sha, at, author, title, message, pull, files, additions, deletions, paths, touched,"
    " written, facts, route) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_FACT_WORDS, _PATH_WORDS = 8_000, 8_000
_LONG_VALUE = 80
_WEEK, _SECOND = timedelta(days=7), timedelta(seconds=1)
"""How much is read where nothing is known and no time is asked for."""


class Catalogue:
    """What is known of landed commits, repository by repository, and over which stretches of time that is complete."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, repo: RepoId, cards: Iterable[Card], complete: Window | None = None) -> None:
        """Store cards; with a window, these are all the commits that landed in it."""
        with writing(self._db, durable=False):
            for card in cards:
                self._put(card)
            if complete is not None:
                row = (repo, stamp(complete.start), stamp(complete.cutoff or complete.end))
                self._db.conn.execute("insert or ignore into card_spans (repo, start, end) values (?, ?, ?)", row)

    def repos(self) -> tuple[RepoId, ...]:
        """List the repositories of which anything is known."""
        with reading():
            return tuple(RepoId(row[0]) for row in self._db.execute("select distinct repo from card_spans order by 1"))

    def spans(self, repo: RepoId) -> list[tuple[datetime, datetime]]:
        """Give the stretches of landing time that are wholly known, oldest first, joined where they touch."""
        with reading():
            rows = self._db.execute(
                "select start, end from card_spans where repo = ? order by start", [repo]
            ).fetchall()
        joined: list[tuple[datetime, datetime]] = []
        for start, end in ((moment_of(start), moment_of(end)) for start, end in rows):
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return joined

    def gaps(self, repo: RepoId, window: Window) -> list[Window]:
        """Give the parts of a window of which not everything is known."""
        end = window.cutoff or window.end
        known = [(max(a, window.start), min(b, end)) for a, b in self.spans(repo) if a < end and b > window.start]
        edges = [window.start, *(edge for span in known for edge in span), end]
        return [Window(start=a, end=b, tz=window.tz) for a, b in list(pairwise(edges))[::2] if a < b]

    def unread(self, repo: RepoId, now: datetime, tz: str) -> Window:
        """Give the time from what is known to now, at most the last days."""
        spans, end = self.spans(repo), now.replace(microsecond=0) + _SECOND
        week = midnight((now.astimezone(zone(tz)) - _WEEK).date(), tz)
        start = max(spans[-1][1], week) if spans else week
        return Window(start=min(start, end - _SECOND), end=end, tz=tz)

    def whole(self, repos: Sequence[RepoId], now: datetime, tz: str) -> Window:
        """Give the time of which anything is known, at least the last days."""
        end = now.replace(microsecond=0) + _SECOND
        starts = [start for repo in repos for start, _ in self.spans(repo)]
        return Window(start=min([*starts, end - _WEEK]), end=end, tz=tz)

    def known(self, repo: RepoId, shas: Sequence[str]) -> set[str]:
        """Tell which of these commits have a card."""
        query = "select sha from cards where repo = ? and sha in (select value from json_each(?))"
        with reading():
            return {row[0] for row in self._db.execute(query, [repo, json.dumps(list(shas))])}

    def by_hash(self, prefix: str, repos: Sequence[RepoId] = ()) -> list[Card]:
        """Find the commits whose hash begins so."""
        return self._cards(_BY_HASH, [prefix, f"{prefix}g"], repos, 5)

    def listed(self, repos: Sequence[RepoId], window: Window | None, limit: int = 5_000) -> list[Card]:
        """List what landed, newest first."""
        return self._cards(_LISTED, _between(window), repos, limit)

    def count(self, repo: RepoId, window: Window) -> int:
        """Count the commits that are known to have landed in a window."""
        query = "select count(*) from cards where repo = ? and at >= ? and at < ?"
        with reading():
            return int(self._db.execute(query, [repo, *_between(window)]).fetchone()[0])

    def _cards(self, query: str, values: Sequence[object], repos: Sequence[RepoId], limit: int) -> list[Card]:
        chosen = json.dumps(list(repos)) if repos else None
        with reading():
            return [_card(row) for row in self._db.execute(query, [*values, chosen, chosen, limit])]

    def _put(self, card: Card) -> None:
        execute = self._db.conn.execute
        row = execute("select id, route from cards where repo = ? and sha = ?", (card.repo, card.sha)).fetchone()
        if row is not None and row[1] == "blobs" and card.route != "blobs":
            return  # Whole files told more than the patch alone does now.
        if row is not None:
            execute("delete from cards where id = ?", (row[0],))
        values = (
            card.repo, card.sha, stamp(card.at), card.author, clean(card.title), clean(card.message), card.pull,
            card.files, card.additions, card.deletions, clean("\n".join(card.paths)), "\n".join(card.touched),
            clean("\n".join(card.written)),
            clean(_FACTS.dump_json(card.facts, exclude_defaults=True).decode()), card.route,
        )  # fmt: skip
        execute(_INSERT, values)
        put_entry(self._db, _entry(card))


def _entry(card: Card) -> Entry:
    """Give what a commit is found by."""
    return Entry(
        id=card.id,
        repo=card.repo,
        kind="commit",
        opened=card.at,
        author=card.author,
        title=card.title,
        facts=_told(card.facts)[:_FACT_WORDS],
        paths=" ".join((*card.touched, *card.paths))[:_PATH_WORDS],
        body=card.message.partition(card.title)[2],
        names=" ".join(card.written),
        brought_by=thread_id(card.repo, card.pull) if card.pull else "",
    )


def _between(window: Window | None) -> list[object]:
    """Give the first and the last moment of a search, as they are written in the table."""
    return ["", "9"] if window is None else [stamp(window.start), stamp(window.cutoff or window.end)]


def _told(facts: Iterable[Fact]) -> str:
    """Give the kinds, names and short values of facts as words."""
    pieces: list[str] = []
    for fact in facts:
        values = [value for value in (fact.old, fact.new, fact.detail) if value and len(value) <= _LONG_VALUE]
        pieces += [fact.kind.value, fact.name, *values]
    return " ".join(pieces)


def _card(row: Sequence[object]) -> Card:
    values = dict(zip(_NAMES, row, strict=True))
    facts = _FACTS.validate_json(str(values.pop("facts")))
    lists = {name: tuple(str(values.pop(name) or "").split("\n")) for name in ("paths", "touched", "written")}
    return Card.model_validate(
        values | {"facts": facts} | {name: one if one != ("",) else () for name, one in lists.items()}
    )
