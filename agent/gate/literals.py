"""The literals of a sentence: what it marks or writes as a reference, and must copy correctly.

Code spans, paths, flags, variables, qualified names, hashes, versions, `#n`, dates and numbers are
literals. Plain words, capitalised words and terms such as FP4 or TypeError are not: what they mean
is for the judge to say.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from agent.domain.base import Language
from agent.domain.claims import LiteralKind, Number
from agent.domain.stated_dates import find_dates
from agent.gate.numbers_and_units import (
    is_dimension,
    is_grouped,
    is_width,
    read_number,
    unit_behind,
)
from agent.gate.searchable_evidence_text import plain_marks

# A sentence is read again each time its evidence is fitted into a question.
_MAX_CACHED_TEXTS = 2_048
_TICKS = re.compile("`+")
_SPAN_SIGN = "\ufffc"  # Stands for a code span in the text around it
_THREAD = r"(?:[\w-]+/[\w.-]+)?#\d+"
_FLAG = r"--[A-Za-z][\w-]*"
_HASH = r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])"
_PATH = r"[\w.+~*-]*(?:/[\w.*+-]*)+"
_CHUNK = r"[vV]?\d(?:\w|\.(?=\w)|,(?=\d)|(?<=\de)[+-](?=\d))*"
_NAME = r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*|(?<=\d)\.\d\w*)*"
_TOKEN = re.compile(
    rf"(?P<thread>(?<![\w&/.]){_THREAD}\b)"
    rf"|(?P<flag>(?<![\w-]){_FLAG})"
    rf"|(?P<path>(?<![\w/.~+*-]){_PATH})"
    rf"|(?P<hash>(?<![\w.-]){_HASH})"
    rf"|(?P<chunk>(?<![A-Za-z0-9_.]){_CHUNK})"
    rf"|(?P<name>(?<![A-Za-z0-9_]){_NAME})",
    re.ASCII,
)
# A word with slashes is a path, and not two words such as read/write, if it starts with a slash or
# has two of them, an underscore, or an ending.
_IS_PATH = re.compile(r"\.{0,2}/|[^/]*/[^/]*/|[^_]*_|.*[\w*]\.[A-Za-z]\w*/*$", re.ASCII)
_IS_PAIR = re.compile(r"[A-Za-z-]+/[A-Za-z-]*")
_VERSION = re.compile(r"[vV]\d+|[vV]?\d+(?:\.\d+)+(?:[.+-]?[A-Za-z]\w*)*", re.ASCII)
_DIGITS_ALONE = re.compile(r"\d[\d,_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|0[xX][0-9A-Fa-f]+", re.ASCII)
_ABBREVIATION = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")  # e.g, i.e, U.S
_QUALIFIED = re.compile(r".*(?:\.(?!\d)|::|->)")
_SNAKE = re.compile(r"_|[^_]+_+[^_]")
_TERM = re.compile(r"[A-Za-z]*[a-z][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z]+\d")


class Literal(NamedTuple):
    """A part of a sentence that must stand in the evidence."""

    kind: LiteralKind  # Decides how it is looked up: a key of the table in literal_lookup.py
    text: str
    number: Number | None = None  # What it amounts to, if it is a number
    marked: bool = False  # True if the sentence writes it as a code span


class _Parts(NamedTuple):
    """A sentence, taken apart."""

    spans: list[str]
    prose: str  # With a sign in the place of each code span


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def literals(text: str) -> tuple[Literal, ...]:
    """Return the literals of a sentence, each once; its marks must be plain already."""
    parts = _taken_apart(text)
    sentence_literals = [_span_literal(span) for span in parts.spans]
    prose = parts.prose
    for date in find_dates(prose):
        sentence_literals.append(Literal("date", date.text.strip()))
        end = date.start + len(date.text)
        prose = prose[: date.start] + " " * len(date.text) + prose[end:]
    sentence_literals += _prose_literals(prose)
    return tuple(dict.fromkeys(sentence_literals))


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def terms(text: str) -> tuple[str, ...]:
    """Return the words that look like names without being literals: FlashInfer, TypeError, FP8."""
    words = (match[0] for match in _TOKEN.finditer(_taken_apart(text).prose))
    return tuple(word for word in dict.fromkeys(words) if _TERM.match(word))


def _taken_apart(text: str) -> _Parts:
    pieces = _TICKS.split(text)
    spans = [" ".join(piece.split()) for piece in pieces[1::2]]
    return _Parts([span for span in spans if span], _SPAN_SIGN.join(pieces[0::2]))


def _span_literal(span: str) -> Literal:
    """Read a code span: one number, hash, flag or path is looked up as such, the rest as code."""
    token = _TOKEN.fullmatch(span)
    group = token.lastgroup if token else None
    if group == "thread":
        return Literal("thread", span, marked=True)
    if group == "flag":
        return Literal("flag", span, marked=True)
    if group == "hash":
        return Literal("hash", span, marked=True)
    if group == "path" and _IS_PATH.match(span):
        return Literal("path", span, marked=True)
    if group == "chunk":
        number = read_number(span)
        if number is not None and _is_digits_alone(span):
            return Literal("number", span, number, marked=True)
    return Literal("code", span, marked=True)


def _is_digits_alone(span: str) -> bool:
    """Return True for `4096`, `0.5` and `0x400`; `5ms` and `8xH100` are looked up as code."""
    return _DIGITS_ALONE.fullmatch(span) is not None


def _prose_literals(text: str) -> Iterator[Literal]:
    for match in _TOKEN.finditer(text):
        token = match[0]
        if match.lastgroup == "thread":
            yield Literal("thread", token)
        elif match.lastgroup == "flag":
            yield Literal("flag", token.rstrip("-"))
        elif match.lastgroup == "hash":
            yield Literal("hash", token)
        elif match.lastgroup == "chunk":
            yield from _chunk_literals(token, text, match.end())
        elif match.lastgroup == "path":
            yield from _path_literals(token)
        else:
            yield from _name_literals(token)


def _path_literals(token: str) -> Iterator[Literal]:
    token = token.rstrip(".-+*~")
    if _IS_PATH.match(token):
        yield Literal("path", token)
        return
    if _IS_PAIR.fullmatch(token):
        yield Literal("pair", token)
    for part in token.split("/"):
        yield from _prose_literals(part)


def _chunk_literals(chunk: str, text: str, end: int) -> Iterator[Literal]:
    """Read what begins with a digit: a version, or a number with the unit that follows it."""
    if is_dimension(chunk):
        return
    if "," in chunk and not is_grouped(chunk):
        for part in chunk.split(","):
            yield from _chunk_literals(part, part, len(part))
        return
    if chunk.count(".") > 1 or (_VERSION.fullmatch(chunk) and not _is_digits_alone(chunk)):
        yield Literal("version", chunk)
        return
    sign = "%" if text[end : end + 1] == "%" else ""
    number = read_number(chunk + sign)
    if number is None:
        yield Literal("code", chunk)
        return
    digits = chunk
    if number.unit:
        digits = (chunk + sign)[: -len(number.unit)]
    else:
        number = Number(value=number.value, unit=unit_behind(text, end))
    if not is_width(number):
        yield Literal("number", digits, number)


def _name_literals(token: str) -> Iterator[Literal]:
    if _ABBREVIATION.fullmatch(token):
        return
    if _QUALIFIED.match(token):
        yield Literal("qualified", token)
    elif _SNAKE.match(token):
        yield Literal("snake", token)
    elif _VERSION.fullmatch(token):
        yield Literal("version", token)


def names_in(text: Mapping[Language, str]) -> list[str]:
    """Return the literals and terms of a sentence in all its languages."""
    names: list[str] = []
    for words in text.values():
        plain = plain_marks(words)
        names += [literal.text for literal in literals(plain)]
        names += terms(plain)
    return list(dict.fromkeys(names))
