"""Right citations with wrong words, changed by code: numbers, units, names, people, dates, directions, quotations."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from agent.evidence import CommitEvidence
from evals.sets.mutants_case import Case, Operator
from evals.sets.mutants_cites import one_word_changed
from evals.sets.mutants_stock import Stock

_NUMBER = re.compile(r"(?<![\w.@#/–-])\d+(?:\.\d+)?(?![\w.–-]*[\w–])(?!`)", re.ASCII)
_UNITS = {
    "ms": "s",
    "seconds": "minutes",
    "minutes": "hours",
    "MB": "GB",
    "GB": "MB",
    "KB": "MB",
    "分钟": "小时",
    "秒": "分钟",
}
_UNIT = re.compile(rf"(?<=\d)(\s?)({'|'.join(_UNITS)})(?![A-Za-z])")
_NAME = re.compile(r"`([A-Za-z_][\w.]{3,})(?=[`(])", re.ASCII)
_DAY = re.compile(r"20\d\d-\d\d-\d\d")
_PASSAGE = re.compile(r"“([^“”]{12,})”|\"([^\"]{12,})\"|「([^「」]{8,})」")
_TURNS = {
    "adds": "removes",
    "added": "removed",
    "gains": "loses",
    "removes": "adds",
    "removed": "added",
    "raises": "lowers",
    "raised": "lowered",
    "lowers": "raises",
    "lowered": "raised",
    "doubles": "halves",
    "halves": "doubles",
    "disables": "enables",
    "enables": "disables",
    "新增": "移除",
    "新加": "删去",
    "添加": "移除",
    "移除": "新增",
    "删除": "新增",
    "删去": "新增",
    "去掉": "加上",
    "提高": "降低",
    "降低": "提高",
    "上调": "下调",
    "下调": "上调",
    "升到": "降到",
    "升级到": "降级到",
    "启用": "禁用",
    "禁用": "启用",
}
_NEGATED = r"(?<!not )(?<!never )(?<!longer )(?<!不)(?<!没有)(?<!未)"
_TURN = re.compile(_NEGATED + "(?:" + "|".join(rf"\b{word}\b" if word.isascii() else word for word in _TURNS) + ")")
"""What is said not to have happened is not turned: that need not be wrong."""
_VALUE = r"`[^`]+`|[\w.]*\d[\w.]*\w|\d"
_PAIR = re.compile(rf"(from|由|从) ?({_VALUE})( to | ?改为 ?| ?变为 ?| ?提高到 ?| ?升到 ?| ?改成 ?| ?降到 ?)({_VALUE})")


def spoilt_words(clean: Case, commit: CommitEvidence, stock: Stock) -> Iterator[Case]:
    """Change what stands in the sentence, one thing at a time; nothing where there is no such thing."""
    text = clean.claim.text[clean.lang]
    for operator, change in _CHANGES:
        if (wrong := change(text)) is not None and wrong != text:
            yield clean.saying(operator, wrong, change.__name__.strip("_"))
    if (wrong := _other_person(text, commit, stock)) is not None:
        yield clean.saying(Operator.AUTHOR, wrong, "person")


def _put(text: str, match: re.Match[str], new: str, group: int = 0) -> str:
    return f"{text[: match.start(group)]}{new}{text[match.end(group) :]}"


def _first_number(text: str) -> str | None:
    match = _NUMBER.search(text)
    return _put(text, match, _up(match[0])) if match else None


def _last_number(text: str) -> str | None:
    matches = list(_NUMBER.finditer(text))
    return _put(text, matches[-1], _up(matches[-1][0])) if len(matches) > 1 else None


def _up(number: str) -> str:
    """Raise the last printed place by one."""
    value = Decimal(number)
    return str(value + Decimal(1).scaleb(value.as_tuple().exponent))  # type: ignore[arg-type]


def _unit(text: str) -> str | None:
    match = _UNIT.search(text)
    return _put(text, match, _UNITS[match[2]], 2) if match else None


def _name(text: str) -> str | None:
    """Leave a letter out of the first name that is set as code."""
    match = _NAME.search(text)
    if match is None:
        return None
    middle = match.start(1) + len(match[1]) // 2
    return text.replace(match[1], match[1][: middle - match.start(1)] + match[1][middle - match.start(1) + 1 :])


def _day(text: str) -> str | None:
    match = _DAY.search(text)
    return _put(text, match, str(date.fromisoformat(match[0]) + timedelta(days=1))) if match else None


def _turn(text: str) -> str | None:
    match = _TURN.search(text)
    return _put(text, match, _TURNS[match[0]]) if match else None


def _swap(text: str) -> str | None:
    match = _PAIR.search(text)
    return _put(text, match, f"{match[1]} {match[4]}{match[3]}{match[2]}") if match else None


def _passage(text: str) -> str | None:
    match = _PASSAGE.search(text)
    if match is None:
        return None
    group = next(number for number in (1, 2, 3) if match[number])
    return _put(text, match, one_word_changed(match[group]), group)


_CHANGES: tuple[tuple[Operator, Callable[[str], str | None]], ...] = (
    (Operator.NUMBER, _first_number),
    (Operator.NUMBER, _last_number),
    (Operator.NUMBER, _unit),
    (Operator.INVENTED, _name),
    (Operator.DATE, _day),
    (Operator.NEGATION, _turn),
    (Operator.NEGATION, _swap),
    (Operator.QUOTE_WORD, _passage),
)


def _other_person(text: str, commit: CommitEvidence, stock: Stock) -> str | None:
    """Put somebody else's name where the author's stands."""
    author = commit.change.commit.author.name
    if len(author) < 3 or author not in text:
        return None
    others = sorted({one.change.commit.author.name for one in stock.commits.values() if one.repo == commit.repo})
    strangers = [name for name in others if name not in text and not any(name in told for told in commit.texts)]
    return text.replace(author, strangers[len(text) % len(strangers)]) if strangers else None
