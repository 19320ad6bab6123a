"""The look-up of each literal of a sentence in the text of the cited evidence."""

import builtins
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from agent.domain.base import RepoId
from agent.domain.claims import LiteralKind, Number
from agent.domain.evidence import Citable, CommitEvidence, ThreadEvidence, all_dates_of
from agent.domain.references import mentions_thread, parse_reference
from agent.domain.stated_dates import Stated, find_dates
from agent.domain.window import zone
from agent.gate.literals import Literal
from agent.gate.numbers_and_units import NumberSpan, Unit, notations, unit_behind
from agent.gate.searchable_evidence_text import SearchText, find_words, fold_case, text_of

_CODE_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|\w+|[<>=!]=|->|[-+*/%<>&|!~^@$?]")
_MAX_LINES = 2000  # Lines on which the tokens of a code span are looked for
_VERSION_LETTER = r"(?:(?<![A-Za-z0-9])[vV]|(?<=[a-z])V)"  # v2, tokens_v2, EngineV2; not conv2
_MAX_TABLE_CHARACTERS = 5_000  # Before a number, in which the head of its table is looked for
_MIN_HASH_DIGITS = 7
_MAX_DATED_TEXT = 100_000  # Characters of a text in which dates are looked for


@dataclass(frozen=True)
class Lookup:
    """The evidence of one claim, in which its literals are looked up."""

    texts: tuple[SearchText, ...]
    evidence: tuple[Citable, ...] = ()
    known_names: frozenset[str] = frozenset()  # In lower case; these need no proof
    language_names: frozenset[str] = frozenset()  # Exceptions and constants of the language itself
    tz: str = "UTC"

    @classmethod
    def of(
        cls,
        evidence: Sequence[Citable],
        repo: RepoId | None,
        tz: str = "UTC",
        further_texts: Sequence[str] = (),
    ) -> "Lookup":
        """Lay out evidence; the further texts are anchors and notes about it."""
        texts = [text_of(piece) for piece in evidence]
        texts += [SearchText(text) for text in further_texts if text]
        return cls(
            texts=tuple(texts),
            evidence=tuple(evidence),
            known_names=_known_names(evidence, repo),
            language_names=_language_names(evidence),
            tz=tz,
        )

    def has_literal(self, literal: Literal) -> bool:
        """Return True if a literal occurs in the evidence."""
        return _CHECKS[literal.kind](self, literal)

    def has(self, word: str, *, fold: bool = False) -> bool:
        """Return True if any evidence has a word."""
        return any(text.has(word, fold=fold) for text in self.texts)

    def knows(self, word: str) -> bool:
        """Return True if a word needs no proof."""
        return fold_case(word) in self.known_names or word in self.language_names

    def has_form(self, text: str, before: str, after: str) -> bool:
        """Return True if any evidence has a text between these patterns."""
        form = re.compile(f"{before}{re.escape(text)}{after}")
        return any(text in other.text and form.search(other.text) for other in self.texts)

    def has_hash(self, digits: str) -> bool:
        """Return True if a commit of the evidence has a hash that begins with these digits."""
        hashes: list[str] = []
        for text in self.texts:
            hashes += text.hashes
        return any(sha.startswith(digits) for sha in hashes)


def _known_names(evidence: Iterable[Citable], repo: RepoId | None) -> frozenset[str]:
    """Return the names that need no proof: the repositories and their owners."""
    repos = [piece.repo for piece in evidence]
    if repo:
        repos.append(repo)
    names = {"git", "github"}
    for name in repos:
        folded = fold_case(name)
        names |= {folded, *folded.split("/"), *re.findall("[a-z0-9]+", folded)}
    return frozenset(names)


def _language_names(evidence: Iterable[Citable]) -> frozenset[str]:
    """Return the language's own exceptions and constants, where a commit touches Python."""
    for piece in evidence:
        if isinstance(piece, CommitEvidence) and any(path.endswith(".py") for path in piece.paths):
            return _python_names()
    return frozenset()


@cache
def _python_names() -> frozenset[str]:
    names = {"None", "True", "False"}
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            names.add(name)
    return frozenset(names)


# ---------------------------------------------------------------- names and code


def _has_code(lookup: Lookup, literal: Literal) -> bool:
    span = literal.text
    if lookup.has(span) or lookup.knows(span) or _has_qualified(lookup, literal):
        return True
    tokens = _CODE_TOKEN.findall(span)
    return bool(tokens) and any(_is_on_one_line(tokens, text) for text in lookup.texts)


def _is_on_one_line(tokens: Sequence[str], text: SearchText) -> bool:
    """Return True if a line has all tokens in their order: `a: bool = True` shows `a=True`."""
    longest = max(tokens, key=len)
    for count, position in enumerate(text.positions(longest)):
        if count >= _MAX_LINES:
            return False
        rest = iter(_CODE_TOKEN.findall(text.line_at(position).text))
        if all(token in rest for token in tokens):
            return True
    return False


def _has_qualified(lookup: Lookup, literal: Literal) -> bool:
    """Return True if a qualified name or all its parts occur.

    A diff shows a class and its method on lines of their own.
    """
    name = literal.text.removesuffix("()")
    if lookup.has(name):
        return True
    parts = re.split(r"\.|::|->", name)
    if len(parts) < 2:
        return False
    return all(_has_part(lookup, part) for part in parts)


def _has_part(lookup: Lookup, part: str) -> bool:
    if not re.fullmatch(r"\w+", part):
        return False
    return lookup.has(part) or lookup.knows(part)


def _has_path(lookup: Lookup, literal: Literal) -> bool:
    tail = literal.text.removeprefix("./").strip("/")
    if lookup.knows(tail):
        return True
    for text in lookup.texts:
        if any(f"/{tail}/" in f"/{path}/" for path in text.paths):
            return True
    # As a whole or as the end of a longer path.
    if lookup.has_form(tail, r"(?<![\w.-])", r"(?![\w-]|\.\w)"):
        return True
    # Else it may be several words, as in prefill/decode/mixed.
    words = literal.text.split("/")
    if len(words) < 3 or not all(re.fullmatch(r"[A-Za-z0-9-]+", word) for word in words):
        return False
    return all(lookup.has(word, fold=True) for word in words)


def _has_pair(lookup: Lookup, literal: Literal) -> bool:
    """Return True if two plain words with a slash are no path, or a path that is there."""
    if lookup.knows(literal.text):
        return True
    folders: set[str] = set()
    for text in lookup.texts:
        for path in text.paths:
            folders.update(path.split("/")[:-1])
    words = [word for word in literal.text.split("/") if word]
    if not any(word in folders or word in lookup.known_names for word in words):
        return True
    return all(lookup.has(word, fold=True) for word in words)


def _has_snake(lookup: Lookup, literal: Literal) -> bool:
    return lookup.has(literal.text)


def _has_flag(lookup: Lookup, literal: Literal) -> bool:
    return lookup.has_form(literal.text, r"(?<![\w-])", r"(?![\w-])")


# ---------------------------------------------------------------- references


def _has_hash(lookup: Lookup, literal: Literal) -> bool:
    return lookup.has_hash(literal.text) or lookup.has_form(literal.text, r"(?<![0-9A-Za-z_])", "")


def _has_version(lookup: Lookup, literal: Literal) -> bool:
    """Look up a version, with or without its letter; 0.6 is also shown by 0.6.3.

    A single number such as v2 needs its letter, or a point behind it.
    """
    version = literal.text.lstrip("vV")
    if version.isdigit():
        has_letter = lookup.has_form(version, _VERSION_LETTER, r"(?![0-9])")
        return has_letter or lookup.has_form(version, r"(?<![0-9.])", r"\.[0-9]")
    return lookup.has_form(version, r"(?<![0-9.])", r"(?![0-9A-Za-z])")


def _has_thread(lookup: Lookup, literal: Literal) -> bool:
    reference = parse_reference(literal.text)
    for piece, text in zip(lookup.evidence, lookup.texts, strict=False):
        is_written = text.has(literal.text, fold=True)
        if reference is None:
            # No number of a thread, such as #0: it must stand there as it is written.
            if is_written:
                return True
            continue
        repo = reference.repo
        is_other_repo = repo is not None and fold_case(repo) != fold_case(piece.repo)
        if is_other_repo and not is_written:
            continue
        is_same = _thread_number(piece) == reference.number
        if is_same or mentions_thread(text.text, reference.number):
            return True
    return False


def _thread_number(evidence: Citable) -> int | None:
    if isinstance(evidence, CommitEvidence):
        return evidence.pull
    if isinstance(evidence, ThreadEvidence):
        return evidence.thread.number
    return None


def _has_date(lookup: Lookup, literal: Literal) -> bool:
    stated = find_dates(literal.text)
    if all(_is_moment(date, lookup) for date in stated) or lookup.has(literal.text):
        return True
    written = _written_dates(lookup)
    return all(_is_among(date, written) for date in stated)


def _is_among(date: Stated, written: Sequence[Stated]) -> bool:
    return any(_is_same_day(date, other) for other in written)


def _is_moment(date: Stated, lookup: Lookup) -> bool:
    zones = (zone("UTC"), zone(lookup.tz))
    for piece in lookup.evidence:
        for moment in all_dates_of(piece):
            if any(date.fits(moment, tz) for tz in zones):
                return True
    return False


def _written_dates(lookup: Lookup) -> list[Stated]:
    dates: list[Stated] = []
    for piece in lookup.evidence:
        for text in piece.texts[:2]:
            dates += find_dates(text[:_MAX_DATED_TEXT])
    return dates


def _is_same_day(date: Stated, other: Stated) -> bool:
    if date.year not in (None, other.year) or date.month != other.month:
        return False
    return date.day in (None, other.day)


# ---------------------------------------------------------------- numbers


def _has_number(lookup: Lookup, literal: Literal) -> bool:
    """Look up a number by its value, with its unit where it has one."""
    if literal.number is None:
        return False
    if _is_hash_of_digits(lookup, literal.text):
        return True
    return any(_text_has_number(text, literal.number) for text in lookup.texts)


def _is_hash_of_digits(lookup: Lookup, digits: str) -> bool:
    """Return True for a hash of the evidence, or of a text about it, that has no letter."""
    if len(digits) < _MIN_HASH_DIGITS:
        return False
    return lookup.has_hash(digits) or lookup.has_form(digits, r"(?<!\w)", r"(?!\w)")


def _text_has_number(text: SearchText, number: Number) -> bool:
    if not number.unit and number.value in text.numbers:
        return True
    for notation in notations(number):
        for span in text.numbers.get(notation.value, ()):
            if _has_unit(text, span, notation.unit):
                return True
    return False


def _has_unit(text: SearchText, span: NumberSpan, unit: Unit) -> bool:
    """Return True if a number of the text has a unit: behind it, else named on its line.

    In a table of Markdown the head names the units of the rows.
    """
    if not unit.spellings:
        return True
    line = text.line_at(span.start)
    end = line.position + span.end - span.start
    behind = unit_behind(line.text, end)
    before = line.text[line.position - 1 : line.position]
    if behind or before.isalpha() or before == "_":
        # A number inside of a name (p50) does not belong to the unit of its line.
        return behind in unit.spellings
    named_in = f"{_table_head(text.text, span.start)} {line.text}"
    return any(_is_unit_named(spelling, named_in) for spelling in unit.spellings)


def _table_head(text: str, position: int) -> str:
    """Return the head of the table in which a position stands; empty outside of a table."""
    rows = text[max(0, position - _MAX_TABLE_CHARACTERS) : position].split("\n")
    header_row = ""
    for row in reversed(rows):
        if not row.lstrip().startswith("|"):
            break
        header_row = row
    return header_row


def _is_unit_named(spelling: str, line: str) -> bool:
    """Return True if a line names a unit as a word or as the end of an identifier (`delay_ms`)."""
    folded = fold_case(line)
    if len(spelling) == 1 and spelling.isascii():
        if not spelling.isalpha():
            return False
        return re.search(rf"[a-z0-9]_{spelling}(?![a-z0-9_])", folded) is not None
    return next(find_words(spelling, folded, written=line), None) is not None


_CHECKS: dict[LiteralKind, Callable[[Lookup, Literal], bool]] = {
    "code": _has_code,
    "snake": _has_snake,
    "qualified": _has_qualified,
    "path": _has_path,
    "pair": _has_pair,
    "flag": _has_flag,
    "hash": _has_hash,
    "number": _has_number,
    "version": _has_version,
    "thread": _has_thread,
    "date": _has_date,
}
