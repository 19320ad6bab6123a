"""Numbers written as words, in English and Chinese."""

import re
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
_ONES = "|".join(_SMALL[:9])
_WORD = re.compile(rf"(?<![\w-])(?P<word>{'|'.join(_ENGLISH)})(?:-(?P<ones>{_ONES}))?(?![\w-])", re.IGNORECASE)
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
    for match in _WORD.finditer(text):
        value = _ENGLISH[match["word"].lower()] + (_ENGLISH[match["ones"].lower()] if match["ones"] else 0)
        if value > 1 or _PLURAL.match(text, match.end()):
            yield value, match.start(), match.end()
    for match in _CHINESE.finditer(text):
        value = _chinese(match["zh"])
        if value > 1 or re.match(r"\s*个(?:文件|提交)", text[match.end() :]):
            yield value, match.start(), match.end()


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
