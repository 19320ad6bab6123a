"""Numbers of a sentence and their units: how they are written, and whether a line of the evidence has them."""

import re
from collections.abc import Iterator, Sequence

from agent.gate.evidence_text import SearchText, fold_case, is_border

_PLAIN = re.compile(r"(?P<value>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d_]*(?:\.\d+)?)(?P<tail>[A-Za-zμ]*|%|×)", re.ASCII)
_ORDINAL = ("st", "nd", "rd", "th")
_GROUPS = tuple(
    tuple(words.split())
    for words in (
        "ns nanosecond nanoseconds 纳秒",
        "us μs microsecond microseconds 微秒",
        "ms msec millisecond milliseconds 毫秒",
        "s sec secs second seconds 秒",
        "min mins minute minutes 分钟",
        "h hr hrs hour hours 小时",
        "d day days 天",
        "week weeks 周",
        "b byte bytes 字节",
        "kb kib kilobytes",
        "mb mib megabytes",
        "gb gib gigabytes",
        "tb tib terabytes",
        "bit bits 位 比特",
        "% percent 百分",
        "x × times fold 倍",
        "hz",
        "khz",
        "mhz",
        "ghz",
        "gflops gflop/s",
        "tflops tflop/s",
        "mb/s mib/s",
        "gb/s gib/s",
        "tb/s tib/s",
    )
)
"""Notation of units; every row is one unit in its spellings."""
UNITS = {word: group for group in _GROUPS for word in group}
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


def stands_number(number: str, unit: str, texts: Sequence[SearchText]) -> bool:
    """Tell whether a number stands in the evidence, with its unit on the same line where it has one."""
    if unit in MAGNITUDES and _stands_multiplied(number, unit, texts):
        return True
    if unit and unit not in UNITS:
        return any(text.has(f"{number}{unit}", fold=True) for text in texts)
    found = ((text, form, place) for text in texts for form in _forms(number) for place in text.places(form))
    return any(not unit or _has_unit(*text.line_at(place), form, unit) for text, form, place in found)


def _stands_multiplied(number: str, unit: str, texts: Sequence[SearchText]) -> bool:
    """Tell whether 64K stands as 64000 or 65536."""
    value = float(number.replace(",", "").replace("_", ""))
    whole = (f"{value * factor:.0f}" for factor in MAGNITUDES[unit])
    return any(text.has(form) for one in whole for form in _forms(one) for text in texts)


def _forms(number: str) -> Iterator[str]:
    """Write a number in the ways in which code and people write it: 1024, 1,024, 1_024, 1024.0."""
    plain = number.replace(",", "").replace("_", "")
    whole, point, rest = plain.partition(".")
    grouped = f"{int(whole):,}"
    forms = [plain, f"{grouped}{point}{rest}", f"{grouped.replace(',', '_')}{point}{rest}", number]
    forms.append(f"{plain}.0" if not point else plain.rstrip("0").rstrip("."))
    yield from dict.fromkeys(forms)


def _has_unit(line: str, place: int, form: str, unit: str) -> bool:
    """Tell whether a line names a unit: behind the number, as a word, or as the end of an identifier (`delay_ms`)."""
    behind, _ = unit_behind(line, place + len(form))
    if behind in UNITS[unit]:
        return True
    folded = fold_case(line)
    return any(_is_named(word, line, folded) for word in UNITS[unit])


def _is_named(word: str, line: str, folded: str) -> bool:
    if len(word) == 1 and word.isascii():
        return word != "%" and re.search(rf"[a-z0-9]_{word}(?![a-z0-9_])", folded) is not None
    at = folded.find(word)
    while at >= 0:
        if is_border(line, at) and is_border(line, at + len(word)):
            return True
        at = folded.find(word, at + 1)
    return False
