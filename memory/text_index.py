"""Full text search: how text becomes words, and tables that rank their rows by BM25.

Chinese is indexed by pairs of characters, identifiers whole and in parts. The tables are SQLite's FTS5.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory.database import Database, Value

_HAN = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>(?:(?![{_HAN}])\w)+)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}", re.ASCII)
_LONGEST_WORD = 120
_MOST_ASKED, _MOST_TERMS = 8, 60
_SHORTEST_BEGINNING = 4


@dataclass(frozen=True)
class Indexed:
    """The words of a text, as the index takes them: separated by spaces, in their order."""

    words: str
    parts: str
    """The parts of identifiers: `maxNumTokens` and `max_num_tokens` are both found by `num tokens`."""


def indexed(text: str) -> Indexed:
    """Take a text apart for the index."""
    words: list[str] = []
    parts: list[str] = []
    for found in _runs(text):
        if found["han"]:
            words += [*_pairs(found["han"]), found["han"][-1]]
        else:
            words.append(found["word"][:_LONGEST_WORD].lower())
            parts += _split(found["word"])
    return Indexed(" ".join(words), " ".join(parts))


@dataclass(frozen=True)
class Term:
    """One word of a question, and how the index is asked for it."""

    text: str
    match: str


def terms(text: str) -> list[Term]:
    """Give every word of a text once: identifiers whole or by their parts side by side, Chinese by pairs.

    Each word goes in quotation marks: what somebody searches for is never a command to the index.
    """
    found: dict[str, Term] = {}
    for run in _runs(text):
        if run["han"]:
            for pair in _pairs(run["han"]) or [run["han"]]:
                found.setdefault(pair, Term(pair, f'"{pair}"'))
        else:
            found.setdefault(run["word"].lower(), Term(run["word"], _word(run["word"], "")))
    return list(found.values())[:_MOST_TERMS]


def queries(text: str) -> list[str]:
    """Give what to ask the index for, the strictest first: every word, every word's beginning, any word or pair."""
    runs = list(dict.fromkeys((found["han"] or "", found["word"] or "") for found in _runs(text)))
    asked = runs[:_MOST_ASKED]
    exact = [_han(han) if han else _word(word, "") for han, word in asked]
    begun = [_han(han) if han else _word(word, "*") for han, word in asked]
    loose = [term.match for term in terms(text)]
    forms = [" AND ".join(exact), " AND ".join(begun), " OR ".join(loose)]
    return [form for form in dict.fromkeys(forms) if form]


class TextIndex:
    """A table of words, by the numbers of the rows of another table; its columns are given with their weights."""

    def __init__(self, db: Database, table: str, **weights: float) -> None:
        self._db = db
        self._table = table
        self._columns = ("rowid", *weights)
        self._fit = f"-bm25({table}, {', '.join(map(str, weights.values()))})"
        self._matching = f"from {table} w where {table} match ?"

    def put(self, number: int, *texts: str) -> None:
        """Index a row by the words of `indexed`, column by column."""
        self._db.insert(self._table, [dict(zip(self._columns, (number, *texts), strict=True))])

    def delete(self, numbers: Sequence[int]) -> None:
        """Forget rows."""
        self._db.execute(f"delete from {self._table} where rowid = any(?)", [list(numbers)])  # noqa: S608

    def ranked(
        self, match: str, limit: int, *, within: str = "", values: Sequence[Value] = (), newest: bool = False
    ) -> dict[int, float]:
        """Score the rows that match, the best or the newest; `within` is a query for the numbers that may be found."""
        # The sign keeps SQLite from looking up each number by itself.
        bound = f"and +w.rowid in ({within})" if within else ""
        order = "w.rowid desc" if newest else "fit desc"
        sql = f"select w.rowid, {self._fit} as fit {self._matching} {bound} order by {order} limit ?"
        return dict(self._db.rows(sql, [match, *values, limit]))

    def count(self, match: str) -> int:
        """Count the rows that match."""
        return int(self._db.rows(f"select count(*) {self._matching}", [match])[0][0])

    def matching(self, match: str, numbers: Sequence[int]) -> list[int]:
        """Tell which of these rows match."""
        rows = self._db.rows(f"select w.rowid {self._matching} and w.rowid = any(?)", [match, list(numbers)])
        return [row[0] for row in rows]

    def texts(self, match: str) -> dict[int, str]:
        """Give the words of the rows that match, as they were indexed."""
        return {row[0]: " ".join(row[1:]) for row in self._db.rows(f"select w.rowid, w.* {self._matching}", [match])}

    def copy(self, other: "TextIndex", within: str, values: Sequence[Value]) -> None:
        """Index what another index has of the rows that a query gives."""
        sql = f"select w.rowid, w.* from {other._table} w where w.rowid in ({within})"  # noqa: S608
        rows = other._db.rows(sql, values)
        with self._db.transaction(durable=False):
            self._db.insert(self._table, (dict(zip(self._columns, row, strict=True)) for row in rows))


def create_index(table: str, columns: str, *, stems: bool = False) -> str:
    """Write the statement that creates an index; it keeps identifiers whole, and may know stems of English words."""
    tokens = f"{'porter ' if stems else ''}unicode61 remove_diacritics 2 tokenchars '_'"
    return f'create virtual table {table} using fts5({columns}, tokenize = "{tokens}")'


def has_han(text: str) -> bool:
    """Tell whether there is Chinese in the text."""
    return any(found["han"] for found in _runs(text))


def _runs(text: str) -> Iterator[re.Match[str]]:
    return _RUN.finditer(unicodedata.normalize("NFKC", text))


def _pairs(run: str) -> list[str]:
    """Cut a run of characters into overlapping pairs: Chinese has no spaces, and most of its words have two."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


# The same names stand in text after text.
@lru_cache(maxsize=65_536)
def _split(word: str) -> tuple[str, ...]:
    """Cut an identifier at underscores, capitals and digits; a plain word has no parts, and neither has a hash."""
    if _HASH.fullmatch(word):
        return ()
    parts = tuple(part.lower() for part in _PART.findall(word[:_LONGEST_WORD]))
    return parts if len(parts) > 1 else ()


def _han(run: str) -> str:
    # A single character is found as the beginning of a pair, or as the end of a run.
    return f'"{" ".join(_pairs(run))}"' if len(run) > 1 else f'"{run}"*'


def _word(word: str, beginning: str) -> str:
    """Ask for a word as it stands, or for the parts of one in their order."""
    star = beginning if len(word) >= _SHORTEST_BEGINNING else ""
    whole = f'"{word[:_LONGEST_WORD].lower()}"{star}'
    parts = _split(word)
    return f'({whole} OR parts : "{" ".join(parts)}")' if parts else whole
