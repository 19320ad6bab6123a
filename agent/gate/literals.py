"""The literals of a sentence (code, identifiers, paths, flags, hashes, numbers, versions, dates, names)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.domain.dates import find_dates
from agent.gate.text import fold_case, plain_marks

_STARTS = frozenset(".!?:;。!?:;…—\n")
_OPENING = frozenset(" \t\"'“”‘’([（「『*_-•")
_PLAIN = re.compile(r"(?P<value>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d_]*(?:\.\d+)?)(?P<tail>[A-Za-zμ]*|%|×)", re.ASCII)
_ORDINAL = ("st", "nd", "rd", "th")
_GROUPS = """
ns nanosecond nanoseconds 纳秒 | us μs microsecond microseconds 微秒 | ms msec millisecond milliseconds 毫秒
s sec secs second seconds 秒 | min mins minute minutes 分钟 | h hr hrs hour hours 小时 | d day days 天 | week weeks 周
bit bits 位 比特 | b byte bytes 字节 | kb kib kilobytes | mb mib megabytes | gb gib gigabytes | tb tib terabytes
% percent 百分 | x × times fold 倍 | hz | khz | mhz | ghz | gflops gflop/s | tflops tflop/s
mb/s mib/s | gb/s gib/s | tb/s tib/s
"""
"""Notation of units: the spellings of one unit stand together."""
UNITS = {word: one.split() for line in _GROUPS.splitlines() for one in line.split("|") for word in one.split()}
MAGNITUDES = {
    "k": (10**3, 2**10),
    "m": (10**6, 2**20),
    "g": (10**9, 2**30),
    "b": (10**9,),
    "万": (10**4,),
    "亿": (10**8,),
}
_TOUCHING = frozenset("bBdkKmMgGxX")
_BEHIND = re.compile(
    r"(?P<gap>[ -]?)(?P<unit>"
    + "|".join(re.escape(word) for word in sorted({*UNITS, *MAGNITUDES}, key=len, reverse=True))
    + r")(?![A-Za-z0-9_/])",
    re.IGNORECASE,
)
_TICKS = re.compile("`+")
SPAN = "\ufffc"  # Stands for a code span in the text around it
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
_VERSION = re.compile(r"[vV]\d+|[vV]?\d+(?:\.\d+)+(?:[.+-]?[A-Za-z]\w*)*", re.ASCII)
_ABBREVIATION = re.compile(r"[A-Z]+s?")
_INNER_CAPITAL = re.compile(r"[A-Za-z]*[a-z][A-Z]|[A-Z]{2,}[a-z]|[A-Z][a-z]+[A-Z]")
_CAPITALISED = re.compile(r"[A-Z][a-z]+")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile("[A-Za-z]")


class Literal(NamedTuple):
    """A part of a sentence that must stand in the evidence."""

    kind: str
    """`code`, `snake`, `camel`, `mixed`, `qualified`, `path`, `flag`, `hash`, `number`, `version`, `thread`, `date`,
    `name`."""
    text: str
    unit: str = ""


def literals(text: str, *, chinese: bool) -> list[Literal]:
    """Find every literal of a sentence, each once; capitals count as names everywhere in Chinese."""
    pieces = _TICKS.split(plain_marks(text))
    spans = [" ".join(piece.split()) for piece in pieces[1::2]]
    rest = SPAN.join(pieces[0::2])
    dates = find_dates(rest)
    for date in dates:
        rest = rest[: date.start] + " " * len(date.text) + rest[date.start + len(date.text) :]
    found = [*(_of_span(span) for span in spans if span), *(Literal("date", date.text.strip()) for date in dates)]
    return list(dict.fromkeys((*found, *_of_prose(rest, chinese=chinese))))


def _of_span(span: str) -> Literal:
    """Read a code span: one number, hash, flag or path is looked up as such, anything else as code."""
    token = _TOKEN.fullmatch(span)
    kind = token.lastgroup if token else None
    if kind in ("thread", "flag", "hash"):
        return Literal(str(kind), span)
    if kind == "path" and is_path(span):
        return Literal("path", span)
    if kind == "chunk" and (number := split_number(span)) and not number[1]:
        return Literal("number", number[0])
    return Literal("code", span)


def _of_prose(text: str, *, chinese: bool) -> Iterator[Literal]:
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        if kind in ("thread", "flag", "hash"):
            yield Literal(kind, token.rstrip("-"))
        elif kind == "path":
            yield from _of_path(token, text, match.start(), chinese=chinese)
        elif kind == "chunk":
            yield from _of_chunk(token, text, match.end())
        else:
            yield from _of_name(token, first=not chinese and begins_sentence(text, match.start()))


def is_path(token: str) -> bool:
    """Tell whether a word with slashes is a path, and not two words such as read/write."""
    last = token.rstrip("/").rpartition("/")[2]
    return (
        token.startswith(("/", "./", "../"))
        or token.count("/") > 1
        or "_" in token
        or re.search(r"[\w*]\.[A-Za-z]\w*$", last) is not None
    )


def _of_path(token: str, text: str, start: int, *, chinese: bool) -> Iterator[Literal]:
    token = token.rstrip(".-+*~") if not token.endswith("/*") else token
    if is_path(token):
        yield Literal("path", token)
        return
    if re.fullmatch(r"[A-Za-z-]+/[A-Za-z-]*", token):
        yield Literal("pair", token)
    at = start
    for part in token.split("/"):
        for literal in _of_prose(part, chinese=chinese):
            if literal.kind != "name" or chinese or not begins_sentence(text, at):
                yield literal
        at += len(part) + 1


def _of_chunk(chunk: str, text: str, end: int) -> Iterator[Literal]:
    """Read what begins with a digit: a number with its unit, a version, or a name such as 8xH100."""
    if number := split_number(chunk + ("%" if text[end : end + 1] == "%" else "")):
        value, unit = number
        yield Literal("number", value, unit or unit_behind(text, end)[0])
    elif _VERSION.fullmatch(chunk):
        yield Literal("version", chunk)
    elif "," in chunk:
        for part in chunk.split(","):
            yield from _of_chunk(part, part, len(part))
    else:
        yield Literal("mixed", chunk)


def _of_name(token: str, *, first: bool) -> Iterator[Literal]:
    if _INITIALS.fullmatch(token) or _ABBREVIATION.fullmatch(token):
        return
    if re.search(r"\.(?!\d)|::|->", token):
        yield Literal("qualified", token)
    elif "_" in token.strip("_") or token.startswith("_"):
        yield Literal("snake", token)
    elif _VERSION.fullmatch(token):
        yield Literal("version", token)
    elif _DIGIT.search(token) and _LETTER.search(token):
        yield Literal("mixed", token)
    elif _INNER_CAPITAL.match(token):
        yield Literal("camel", token)
    elif _CAPITALISED.fullmatch(token) and not first:
        yield Literal("name", token)


def begins_sentence(text: str, at: int) -> bool:
    """Tell whether a word is the first of a sentence, where a capital says nothing."""
    at -= 1
    while at >= 0 and text[at] in _OPENING:
        at -= 1
    return at < 0 or text[at] in _STARTS


def unit_behind(text: str, at: int) -> tuple[str, int]:
    """Read the unit behind a number, and where it ends; most single letters must touch the number."""
    found = _BEHIND.match(text, at)
    if found is None or (found["gap"] and found["unit"] in _TOUCHING):
        return "", at
    return fold_case(found["unit"]), found.end()


def split_number(chunk: str) -> tuple[str, str] | None:
    """Split `5ms` into number and unit; None where letters behind the digits are no unit, as in `8xH100`."""
    found = _PLAIN.fullmatch(chunk)
    if found is None:
        return None
    tail = fold_case(found["tail"])
    if tail in _ORDINAL:
        return found["value"], ""
    return (found["value"], tail) if not tail or tail in UNITS or tail in MAGNITUDES else None
