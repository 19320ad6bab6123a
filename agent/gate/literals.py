"""The literals of a sentence (code, identifiers, paths, flags, hashes, numbers, versions, dates, names)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.domain.dates import find_dates

_STARTS = tuple(".!?:;。!?:;…—\n")
_OPENING = " \t\"'“”‘’([（「『*_-•"
_PLAIN = re.compile(
    r"(?P<value>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d_]*(?:\.\d+)?)(?P<tail>[A-Za-zμ]*|%|×)", re.ASCII
)
_GROUPS = """
ns nanosecond nanoseconds 纳秒 | us μs microsecond microseconds 微秒 | ms msec millisecond milliseconds 毫秒
s sec secs second seconds 秒 | min mins minute minutes 分钟 | h hr hrs hour hours 小时 | d day days 天 | week weeks 周
bit bits 位 比特 | b byte bytes 字节 | kb kib kilobytes | mb mib megabytes | gb gib gigabytes | tb tib terabytes
% percent 百分 | x × times fold 倍 | hz | khz | mhz | ghz | gflops gflop/s | tflops tflop/s
mb/s mib/s | gb/s gib/s | tb/s tib/s
"""
"""Notation of units: the spellings of one unit stand together."""
UNITS = {
    word: one.split()
    for line in _GROUPS.splitlines()
    for one in line.split("|")
    for word in one.split()
}
MAGNITUDES = {
    "k": (10**3, 2**10),
    "m": (10**6, 2**20),
    "b": (10**9,),
    "万": (10**4,),
    "亿": (10**8,),
}
_TOUCHING = frozenset("bdkmx")  # Units and magnitudes that must touch their number
_BEHIND = re.compile(
    r"(?P<gap>[ -]?)(?P<unit>"
    + "|".join(re.escape(word) for word in sorted({*UNITS, *MAGNITUDES}, key=len, reverse=True))
    + r")(?![A-Za-z0-9_/])",
    re.IGNORECASE,
)
_TICKS = re.compile("`+")
_SPAN = "\ufffc"  # Stands for a code span in the text around it
_THREAD = r"(?:[\w-]+/[\w.-]+)?#\d+"
_FLAG = r"--[A-Za-z][\w-]*"
_HASH = r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])"
_PATH = r"[\w.+~*-]*(?:/[\w.*+-]*)+"
_CHUNK = r"[vV]?\d(?:\w|[.,](?=\w)|(?<=\de)[+-](?=\d))*"
_NAME = r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*|(?<=\d)\.\d\w*)*"
_TOKEN = re.compile(
    rf"(?P<thread>(?<![\w&/.]){_THREAD}\b)|(?P<flag>(?<![\w-]){_FLAG})|(?P<path>(?<![\w/.~+*-]){_PATH})"
    rf"|(?P<hash>(?<![\w.-]){_HASH})|(?P<chunk>(?<![A-Za-z0-9_.]){_CHUNK})|(?P<name>(?<![A-Za-z0-9_]){_NAME})",
    re.ASCII,
)
# A word with slashes is a path, and not two words such as read/write, by its start, two slashes, `_` or an ending.
_IS_PATH = re.compile(r"\.{0,2}/|[^/]*/[^/]*/|[^_]*_|.*[\w*]\.[A-Za-z]\w*/*$", re.ASCII)
_AS_THEY_ARE = ("thread", "flag", "hash")
_VERSION = re.compile(r"[vV]\d+|[vV]?\d+(?:\.\d+)+(?:[.+-]?[A-Za-z]\w*)*", re.ASCII)
_SHORTENED = re.compile(r"[A-Z]+s?|(?:[A-Za-z]\.)+[A-Za-z]")
_FORMS = (
    ("qualified", re.compile(r".*(?:\.(?!\d)|::|->)")),
    ("snake", re.compile(r"_|[^_]+_+[^_]")),
    ("version", re.compile(rf"(?:{_VERSION.pattern})$")),
    ("mixed", re.compile(r".*\d")),
    ("camel", re.compile(r"[A-Za-z]*[a-z][A-Z]|[A-Z]{2,}[a-z]")),
    ("name", re.compile(r"[A-Z][a-z]+$")),
)
"""What a word of letters, digits and underscores is; the first form decides."""


class Literal(NamedTuple):
    """A part of a sentence that must stand in the evidence."""

    kind: str  # What it is looked up as: a key of the table in lookup.py
    text: str
    unit: str = ""


def literals(text: str, *, chinese: bool) -> list[Literal]:
    """Find every literal of a sentence with plain marks, each once; capitals count as names everywhere in Chinese."""
    pieces = _TICKS.split(text)
    spans = [" ".join(piece.split()) for piece in pieces[1::2]]
    rest = _SPAN.join(pieces[0::2])
    dates = find_dates(rest)
    for date in dates:
        rest = rest[: date.start] + " " * len(date.text) + rest[date.start + len(date.text) :]
    found = [
        *(_of_span(span) for span in spans if span),
        *(Literal("date", date.text.strip()) for date in dates),
    ]
    return list(dict.fromkeys((*found, *_of_prose(rest, chinese=chinese))))


def _of_span(span: str) -> Literal:
    """Read a code span: one number, hash, flag or path is looked up as such, anything else as code."""
    token = _TOKEN.fullmatch(span)
    kind = str(token.lastgroup) if token else "code"
    if kind in _AS_THEY_ARE or (kind == "path" and _IS_PATH.match(span)):
        return Literal(kind, span)
    if kind == "chunk" and (number := split_number(span)) and not number[1]:
        return Literal("number", number[0])
    return Literal("code", span)


def _of_prose(text: str, *, chinese: bool) -> Iterator[Literal]:
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        if kind in _AS_THEY_ARE:
            yield Literal(kind, token.rstrip("-"))
        elif kind == "chunk":
            yield from _of_chunk(token, text, match.end())
        elif kind == "path":
            yield from _of_path(token, chinese=chinese)
        else:
            yield from _of_name(token, first=not chinese and _begins_sentence(text, match.start()))


def _of_path(token: str, *, chinese: bool) -> Iterator[Literal]:
    token = token.rstrip(".-+*~")
    if _IS_PATH.match(token):
        yield Literal("path", token)
        return
    if re.fullmatch(r"[A-Za-z-]+/[A-Za-z-]*", token):
        yield Literal("pair", token)
    for part in token.split("/"):
        yield from _of_prose(part, chinese=chinese)


def _of_chunk(chunk: str, text: str, end: int) -> Iterator[Literal]:
    """Read what begins with a digit: a number with its unit, a version, or a name such as 8xH100."""
    if number := split_number(chunk + ("%" if text[end : end + 1] == "%" else "")):
        value, unit = number
        yield Literal("number", value, unit or unit_behind(text, end))
    elif _VERSION.fullmatch(chunk):
        yield Literal("version", chunk)
    elif "," in chunk:
        for part in chunk.split(","):
            yield from _of_chunk(part, part, len(part))
    else:
        yield Literal("mixed", chunk)


def _of_name(token: str, *, first: bool) -> Iterator[Literal]:
    if _SHORTENED.fullmatch(token):
        return
    kind = next((kind for kind, form in _FORMS if form.match(token)), "")
    if kind and not (kind == "name" and first):
        yield Literal(kind, token)


def _begins_sentence(text: str, at: int) -> bool:
    """Tell whether a word is the first of a sentence, where a capital says nothing."""
    before = text[:at].rstrip(_OPENING)
    return not before or before.endswith(_STARTS)


def unit_behind(text: str, at: int) -> str:
    """Read the unit behind a number; most single letters must touch the number."""
    found = _BEHIND.match(text, at)
    unit = found["unit"].lower() if found else ""
    return "" if found and found["gap"] and unit in _TOUCHING else unit


def split_number(chunk: str) -> tuple[str, str] | None:
    """Split `5ms` into number and unit; None where letters behind the digits are no unit, as in `8xH100`."""
    found = _PLAIN.fullmatch(chunk)
    if found is None:
        return None
    tail = found["tail"].lower()
    if tail in ("st", "nd", "rd", "th"):
        return found["value"], ""
    return (found["value"], tail) if not tail or tail in UNITS or tail in MAGNITUDES else None
