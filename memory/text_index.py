"""Full text search: how text becomes words, and tables of words that rank documents by BM25, on every database.

Chinese is indexed by pairs of characters, identifiers whole and in parts, English words by their stems.
"""

import math
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from memory.database import Database, Value, clean, number_of

_HAN = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>(?:(?![{_HAN}])\w)+)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}", re.ASCII)
_LONGEST_WORD, _LONGEST_PHRASE = 120, 4
_MOST_TERMS, _MOST_STEMS, _MOST_NAMED = 60, 100_000, 5_000
_K1, _B = 1.2, 0.75
_COMMON = 50  # Words that more than half of all documents have say nothing, where there are more than so many
_TOKENS = "porter unicode61 remove_diacritics 2 tokenchars '_'"


@dataclass(frozen=True)
class Indexed:
    """The words of a text, separated by spaces, in their order."""

    words: str
    parts: str  # The parts of identifiers: `maxNumTokens` and `max_num_tokens` are both found by `num tokens`


def indexed(text: str) -> Indexed:
    """Take a text apart into words."""
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
class Scope:
    """A condition of SQL on the documents `e` that may be found, and its values."""

    condition: str = "1 = 1"
    values: Sequence[Value] = ()

    def narrowed(self, condition: str, *values: Value) -> "Scope":
        """Return the scope with a further condition, a constant: it becomes part of the SQL."""
        return Scope(f"{self.condition} and {condition}", [*self.values, *values])


@dataclass(frozen=True)
class Term:
    """One word of a question, and the numbers under which an index may have it."""

    text: str
    keys: tuple[int, ...]


class TextIndex:
    """Ranks the rows of a table of documents by their words; each text has a weight by its name."""

    def __init__(self, db: Database, table: str, weights: Mapping[str, float]) -> None:
        self._db, self._table, self._weights = db, table, weights
        self._matching = (
            f"from {table}_terms p join {table} e on e.id = p.doc where p.term = any(?)"
        )

    def put(self, number: int, texts: Mapping[str, str]) -> None:
        """Index a document by its texts."""
        runs = [(name, run) for name, text in texts.items() for run in _runs(clean(text))]
        # All at once: one by one takes twenty times as long.
        _stems(*(word for _, run in runs for word in (*_plain(run), *_split(run["word"] or ""))))
        found: dict[str, float] = {}
        for name, run in runs:
            for stem in _stems(*_plain(run)):
                found[stem] = found.get(stem, 0.0) + self._weights[name]
            for phrase in _phrases(_stems(*_split(run["word"] or ""))):
                found[phrase] = found.get(phrase, 0.0) + 1.0
        words = [word for _, run in runs for word in _in_order(run)]
        told = {"doc": number, "length": len(words), "words": " ".join(words)}
        self._db.insert(f"{self._table}_words", [told])
        rows = (
            {"term": number_of(word), "doc": number, "weight": weight}
            for word, weight in found.items()
        )
        self._db.insert_missing(f"{self._table}_terms", rows)

    def delete(self, numbers: Sequence[int]) -> None:
        """Forget documents."""
        for table in ("terms", "words"):
            sql = f"delete from {self._table}_{table} where doc = any(?)"  # noqa: S608 -- constants
            self._db.execute(sql, [list(numbers)])

    def ranked(
        self,
        asked: Sequence[Term],
        scope: Scope,
        limit: int,
        *,
        every: bool = False,
        newest: bool = False,
        telling: bool = False,
    ) -> dict[int, float]:
        """Score the documents that have some or `every` word asked for, the best or the newest.

        How rare a word is, and how long documents are, is counted within the scope alone. With `telling`, words that
        most documents have are left out.
        """
        count, rarity = self._rarity(
            [key for term in asked for key in term.keys], scope, telling=telling
        )
        if not rarity or (every and any(not rarity.keys() & set(term.keys) for term in asked)):
            return {}
        keys = list(rarity)
        values: list[Value] = [value for pair in rarity.items() for value in pair]
        fit = (
            f"sum(case p.term {'when ? then ? ' * len(keys)}end * p.weight * {_K1 + 1}"
            f" / (p.weight + {_K1} * ({1 - _B} + {_B} * w.length / ?)))"
        )
        values += [count, keys, *scope.values]
        having = ""
        if every:
            place = {
                key: number
                for number, term in enumerate(asked)
                for key in term.keys
                if key in rarity
            }
            having = f"having count(distinct case p.term {'when ? then ? ' * len(place)}end) = ?"
            values += [
                *(value for pair in place.items() for value in pair),
                len(set(place.values())),
            ]
        order = "p.doc desc" if newest else "fit desc, p.doc desc"
        return dict(
            self._db.rows(
                f"select p.doc, {fit} as fit from {self._table}_terms p join {self._table}_words w on w.doc = p.doc"  # noqa: S608
                f" join {self._table} e on e.id = p.doc where p.term = any(?) and {scope.condition}"
                f" group by p.doc {having} order by {order} limit ?",
                [*values, limit],
            )
        )

    def words_of(self, numbers: Sequence[int], asked: Sequence[Term]) -> dict[int, list[str]]:
        """Say by which of the words asked for each document is found."""
        keys = [key for term in asked for key in term.keys]
        rows = self._db.rows(
            f"select p.doc, p.term {self._matching} and p.doc = any(?)", [keys, list(numbers)]
        )
        found: dict[int, set[int]] = {}
        for doc, key in rows:
            found.setdefault(doc, set()).add(key)
        return {
            doc: [term.text for term in asked if has & set(term.keys)] for doc, has in found.items()
        }

    def with_phrase(self, text: str, scope: Scope) -> list[int]:
        """Find the documents that have the words of a text, whole and one behind the other."""
        words = [word for run in _runs(clean(text)) for word in _in_order(run)]
        asked = [Term(word, tuple(map(number_of, _stems(word)))) for word in dict.fromkeys(words)]
        found, name = self.ranked(asked, scope, _MOST_NAMED, every=True), " ".join(words)
        sql = f"select doc, words from {self._table}_words where doc = any(?)"  # noqa: S608
        return [
            doc for doc, said in self._db.rows(sql, [list(found)]) if f" {name} " in f" {said} "
        ]

    def _rarity(
        self, keys: Sequence[int], scope: Scope, *, telling: bool
    ) -> tuple[float, dict[int, float]]:
        """Give the mean length of the documents, and the weight of each word that some of them have."""
        [(count, length)] = self._db.rows(
            f"select count(*), sum(w.length) from {self._table}_words w join {self._table} e on e.id = w.doc"  # noqa: S608
            f" where {scope.condition}",
            scope.values,
        )
        sql = f"select p.term, count(*) {self._matching} and {scope.condition} group by p.term order by p.term"
        rows = self._db.rows(sql, [list(dict.fromkeys(keys)), *scope.values])
        most = max(_COMMON, count / 2) if telling else count
        rare = {
            key: max(1e-6, math.log((count - has + 0.5) / (has + 0.5)))
            for key, has in rows
            if has <= most
        }
        return float(length or 0) / (count or 1) or 1.0, rare


def terms(text: str) -> list[Term]:
    """Give every word of a text once: identifiers whole or by their parts side by side, Chinese by pairs."""
    found: dict[str, Term] = {}
    for run in _runs(clean(text)):
        if run["han"]:
            for pair in _pairs(run["han"]) or [run["han"]]:
                found.setdefault(pair, Term(pair, (number_of(pair),)))
        else:
            word, parts = run["word"][:_LONGEST_WORD].lower(), _stems(*_split(run["word"]))
            names = [*_stems(word), *([" ".join(parts)] if parts else [])]
            found.setdefault(word, Term(run["word"], tuple(map(number_of, names))))
    return list(found.values())[:_MOST_TERMS]


def has_han(text: str) -> bool:
    """Tell whether there is Chinese in the text."""
    return any(found["han"] for found in _runs(text))


def _plain(run: "re.Match[str]") -> list[str]:
    """Give the words of a run; of Chinese the pairs of its characters, and each by itself."""
    return (
        [*_pairs(run["han"]), *run["han"]] if run["han"] else [run["word"][:_LONGEST_WORD].lower()]
    )


def _in_order(run: "re.Match[str]") -> list[str]:
    return (_pairs(run["han"]) or [run["han"]]) if run["han"] else _plain(run)


def _phrases(parts: Sequence[str]) -> list[str]:
    """Give the parts of an identifier, alone and in a row."""
    lengths = sorted({*range(1, min(len(parts), _LONGEST_PHRASE) + 1), len(parts)} - {0})
    return [
        " ".join(parts[at : at + length])
        for length in lengths
        for at in range(len(parts) - length + 1)
    ]


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


class _Stemmer:
    """Reduces words to their stems, as SQLite's tokenizer does: Python has none of its own."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._db.execute(f'create virtual table one using fts5(word, tokenize = "{_TOKENS}")')
        self._db.execute("create virtual table tokens using fts5vocab(one, instance)")
        self._known: dict[str, list[str]] = {}
        self._one_at_a_time = threading.Lock()

    def stems(self, words: Iterable[str]) -> list[str]:
        """Give the stems of words, in their order; what the tokenizer takes for no word has none."""
        words = list(words)
        with self._one_at_a_time:
            if new := [word for word in dict.fromkeys(words) if word not in self._known]:
                self._learn(new)
            return [stem for word in words for stem in self._known[word]]

    def _learn(self, words: Sequence[str]) -> None:
        if len(self._known) > _MOST_STEMS:
            self._known = {
                word: self._known[word] for word in list(self._known)[_MOST_STEMS // 2 :]
            }
        self._known |= {word: [] for word in words}
        self._db.execute("begin")
        self._db.executemany("insert into one (rowid, word) values (?, ?)", enumerate(words))
        for place, stem in self._db.execute("select doc, term from tokens order by doc, offset"):
            self._known[words[place]].append(stem)
        self._db.execute("rollback")


@cache
def _stemmer() -> _Stemmer:
    return _Stemmer()


def _stems(*words: str) -> list[str]:
    return _stemmer().stems(words)
