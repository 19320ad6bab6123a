"""Numbers written as words, in English and Chinese."""

import re
import string
from collections.abc import Iterator

_SMALL = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH = {
    **{word: value for value, word in enumerate(_SMALL, start=1)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
    "dozen": 12,
}
_TAIL = re.compile(rf"-({'|'.join(_SMALL[:9])})(?![\w-])")
_LOWER = {ord(sign): sign.lower() for sign in string.ascii_uppercase}
_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "零": 0}
_PLACES = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
# A Chinese numeral counts only in front of a measure word: 一般, 统一, 三方 and 第二 are words.
_MEASURES = "个处条项种次行份倍类块名位天周年月秒层组套张台轮步段枚篇对款批"
_CHINESE = re.compile(
    rf"(?<![第数几十百千万{''.join(_DIGITS)}])(?P<zh>[{''.join(_DIGITS)}十百千万]+)(?!几)(?=\s*(?:[{_MEASURES}]|小时|分钟|毫秒))"
)
_PLURAL = re.compile(r"\s+(?:[a-z-]+\s+)?(?:file|line|commit|[a-z]{3,}s\b(?<!ss)(?<!is)(?<!us))")


def numerals(text: str) -> Iterator[tuple[int, int, int]]:
    """Find numbers written as words, each as value, start and end; "one" and 一个 are mostly articles and left out."""
    yield from _english(text)
    for match in () if text.isascii() else _CHINESE.finditer(text):
        value = _chinese(match["zh"])
        if value > 1 or re.match(r"\s*个(?:文件|提交)", text[match.end() :]):
            yield value, match.start(), match.end()


def _english(text: str) -> Iterator[tuple[int, int, int]]:
    # Plain search, word by word, is many times faster than a pattern on patches, which are long.
    # Lowering ASCII alone keeps every sign in its place.
    lower = text.lower() if text.isascii() else text.translate(_LOWER)
    for word, value in _ENGLISH.items():
        start = lower.find(word)
        while start >= 0:
            end = start + len(word)
            tail = _TAIL.match(lower, end) if value >= 20 else None
            total, last = (value + _ENGLISH[tail[1]], tail.end()) if tail else (value, end)
            apart = not _joins(lower[start - 1 : start]) and not _joins(lower[last : last + 1])
            if apart and (total > 1 or _PLURAL.match(text, last)):
                yield total, start, last
            start = lower.find(word, end)


def _joins(sign: str) -> bool:
    return sign.isascii() and (sign.isalnum() or sign in ("_", "-"))


def _chinese(text: str) -> int:
    total = section = digit = 0
    for sign in text:
        if sign in _DIGITS:
            digit = digit * 10 + _DIGITS[sign] if digit and not section else _DIGITS[sign]
        elif sign == "万":
            total, section, digit = (total + section + digit or 1) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _PLACES[sign], 0
    return total + section + digit
