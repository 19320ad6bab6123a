"""The cards of landed commits: found again by hash, pull request, time, people, names and words."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from pydantic import TypeAdapter
from sqlite_utils import Database

from agent.card import Card
from agent.facts import Fact
from agent.ids import RepoId
from agent.window import Window
from memory.database import reading, writing
from memory.words import indexed, phrase, pieces

_FACTS = TypeAdapter(tuple[Fact, ...])
_NAMES = tuple(Card.model_fields)
_CARD = (
    "select c.repo, c.sha, c.at, c.author, c.title, c.message, c.pull, c.files, c.additions, c.deletions, c.paths,"
    " c.touched, c.written, c.facts, c.route from "
)
_IN = " (? is null or c.repo in (select value from json_each(?)))"
_BY_HASH = f"{_CARD} cards c where c.sha >= ? and c.sha < ? and {_IN} order by c.at desc limit ?"
_BY_PULL = f"{_CARD} cards c where c.pull = ? and {_IN} order by c.at desc limit ?"
_LISTED = f"{_CARD} cards c where c.at >= ? and c.at < ? and {_IN} order by c.at desc limit ?"
_SEARCH = "".join(
    (
        _CARD,
        "(select w.rowid as id, bm25(card_words, 6.0, 5.0, 2.0, 1.0, 1.5) as fit"
        " from card_words w join cards c on c.id = w.rowid where card_words match ? and c.at >= ? and c.at < ? and",
        _IN,
        " order by w.rowid desc limit ?) f join cards c using (id) order by f.fit, c.at desc limit ?",
    )
)
_INSERT = (
    "insert into cards (repo, sha, at, author, title, message, pull, files, additions, deletions, paths, touched,"
    " written, facts, route) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_MOST_WEIGHED = 2_000
"""Of a word that is everywhere only so many of the newest commits are weighed; it keeps a search short."""
_FACT_WORDS, _PATH_WORDS = 8_000, 8_000
_LONG_VALUE = 80


@dataclass(frozen=True)
class Needle:
    """One thing to look for: any of these spellings, which is as good as the others."""

    spellings: tuple[str, ...]
    needed: bool = True
    """A commit without it does not fit; one that is only welcome makes a commit fit better."""


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
                row = (repo, _text(complete.start), _text(complete.cutoff or complete.end))
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
        for start, end in ((_time(start), _time(end)) for start, end in rows):
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

    def known(self, repo: RepoId, shas: Sequence[str]) -> set[str]:
        """Tell which of these commits have a card."""
        query = "select sha from cards where repo = ? and sha in (select value from json_each(?))"
        with reading():
            return {row[0] for row in self._db.execute(query, [repo, json.dumps(list(shas))])}

    def by_hash(self, prefix: str, repos: Sequence[RepoId] = ()) -> list[Card]:
        """Find the commits whose hash begins so."""
        return self._cards(_BY_HASH, [prefix, f"{prefix}g"], repos, 5)

    def by_pull(self, number: int, repos: Sequence[RepoId] = ()) -> list[Card]:
        """Find what a pull request brought."""
        return self._cards(_BY_PULL, [number], repos, 10)

    def listed(self, repos: Sequence[RepoId], window: Window | None, limit: int = 5_000) -> list[Card]:
        """List what landed, newest first."""
        return self._cards(_LISTED, _between(window), repos, limit)

    def search(
        self, needles: Sequence[Needle], repos: Sequence[RepoId] = (), window: Window | None = None, limit: int = 50
    ) -> list[Card]:
        """Find the commits that speak of everything needed, those that fit best first, then the newest."""
        match = match_of(needles)
        if not match:
            return []
        chosen = json.dumps(list(repos)) if repos else None
        values = [match, *_between(window), chosen, chosen, _MOST_WEIGHED, limit]
        with reading():
            return [_card(row) for row in self._db.execute(_SEARCH, values)]

    def count(self, repo: RepoId, window: Window) -> int:
        """Count the commits that are known to have landed in a window."""
        query = "select count(*) from cards where repo = ? and at >= ? and at < ?"
        with reading():
            return int(self._db.execute(query, [repo, *_between(window)]).fetchone()[0])

    def people(self, repos: Sequence[RepoId] = ()) -> tuple[str, ...]:
        """List the authors of what is known."""
        query = (
            "select distinct name from card_people"
            " where ? is null or repo in (select value from json_each(?)) order by 1"
        )
        chosen = json.dumps(list(repos)) if repos else None
        with reading():
            rows = self._db.execute(query, [chosen, chosen]).fetchall()
        # A merge is by everybody whose commits it brought in.
        return tuple(dict.fromkeys(name for row in rows for name in row[0].split(", ")))

    def rarity(self, forms: Sequence[str]) -> float:
        """Tell how much it says that a commit has any of these words: little for common, no end for unheard ones."""
        with reading():
            total = self._db.execute("select max(id) from cards").fetchone()[0] or 1
            found = sum(map(self._commits_with, forms))
        return math.log(1 + total / found) if found else math.inf

    def _commits_with(self, form: str) -> int:
        """Tell in how many commits a form can be at most: in no more than the rarest of its words."""
        return min((self._commits_with_word(word, form) for word in pieces(form)), default=0)

    def _commits_with_word(self, word: str, form: str) -> int:
        last = f"{word}\U0010ffff" if form.endswith("*") else word
        query = "select max(doc) from card_vocabulary where term >= ? and term <= ?"
        return self._db.execute(query, [word, last]).fetchone()[0] or 0

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
            execute("delete from card_words where rowid = ?", (row[0],))
            execute("delete from cards where id = ?", (row[0],))
        values = (
            card.repo, card.sha, _text(card.at), card.author, _clean(card.title), _clean(card.message), card.pull,
            card.files, card.additions, card.deletions, _clean("\n".join(card.paths)), "\n".join(card.touched),
            _clean("\n".join(card.written)),
            _clean(_FACTS.dump_json(card.facts, exclude_defaults=True).decode()), card.route,
        )  # fmt: skip
        number = execute(_INSERT, values).lastrowid
        execute("insert or ignore into card_people (repo, name) values (?, ?)", (card.repo, card.author))
        title, facts = indexed(_clean(f"{card.title} {card.author}")), indexed(_clean(_told(card.facts))[:_FACT_WORDS])
        paths, body = (
            indexed(_clean(" ".join((*card.touched, *card.paths)))[:_PATH_WORDS]),
            indexed(_clean(card.message)),
        )
        written = indexed(_clean(" ".join(card.written)))
        parts = " ".join((title.parts, facts.parts, paths.parts, body.parts, written.words))
        execute(
            "insert into card_words (rowid, title, facts, paths, body, parts) values (?, ?, ?, ?, ?, ?)",
            (number, title.words, facts.words, paths.words, body.words, parts),
        )


def match_of(needles: Sequence[Needle]) -> str:
    """Put together what to ask a full-text index for; empty where there is nothing to look for."""
    needed = [form for one in needles if one.needed and (form := _any(one))]
    welcome = [form for one in needles if not one.needed and (form := _any(one))]
    if needed:
        # What is welcome must not be needed: it only weighs.
        both = f"({' AND '.join(needed)})"
        return f"{both} OR ({both} AND ({' OR '.join(welcome)}))" if welcome else both
    return " OR ".join(welcome)


def _any(needle: Needle) -> str:
    forms = [form for one in needle.spellings if (form := phrase(one))]
    return f"({' OR '.join(forms)})" if forms else ""


def _between(window: Window | None) -> list[object]:
    """Give the first and the last moment of a search, as they are written in the table."""
    return ["", "9"] if window is None else [_text(window.start), _text(window.cutoff or window.end)]


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


def _clean(text: str) -> str:
    """Keep what every file can hold: names of files may carry bytes that are no text."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
