"""When: the times that people name in questions, resolved once against a clock and a named zone."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from agent.window import Window, midnight, zone

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ZH_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_EN_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10, "couple of": 2}
_DAY = r"(?P<y>20\d\d)\s*[-/.年]\s*(?P<m>\d{1,2})\s*[-/.月]\s*(?P<d>\d{1,2})\s*[日号]?"
_SHORT_ZH = r"(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})(?!\d)\s*[日号]?"
_DOTTED_ZH = r"(?<![\d.])(?P<m>\d{1,2})[./](?P<d>\d{1,2})(?![\d.])(?=\s*(?:那天|当天|号|日|这天|上午|下午))"
_MONTH_NAME = r"(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS) + ")"
_SHORT_EN = rf"{_MONTH_NAME}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>20\d\d))?\b"
_SHORT_EN_TURNED = rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH_NAME}\b(?:,? (?P<y>20\d\d))?"
_ANY_DAY = [re.compile(one, re.IGNORECASE) for one in (_DAY, _DOTTED_ZH, _SHORT_ZH, _SHORT_EN, _SHORT_EN_TURNED)]
_WEEKDAY = re.compile(r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b", re.IGNORECASE)
_SINCE = re.compile(r"(?:since|from|after|starting|自从?|从|打)\s*(?:the\s+|about\s+|around\s+|~\s*|大概|大约)?$", re.I)
_UNTIL = re.compile(r"(?:until|till|before|by|到)\s*$", re.IGNORECASE)
_THROUGH = re.compile(r"(?:as of|up to|through|截[至止]到?)\s*$", re.IGNORECASE)
_ONWARDS = re.compile(r"^\s*(?:onwards?|以来|之后|以后|起|开始|至今|到现在)", re.IGNORECASE)
_BEFOREHAND = re.compile(r"^\s*(?:之前|以前)")
_BETWEEN = re.compile(r"^\s*(?:and|to|until|through|till|-|–|—|~|到|至|和|与)\s*$", re.IGNORECASE)

BEGINNING = datetime(1970, 1, 2, tzinfo=UTC)
"""Where a stretch of time begins of which only the end is named."""


@dataclass(frozen=True)
class Period:
    """A stretch of time and the words that named it."""

    window: Window
    said: str


def period_of(text: str, now: datetime, tz: str) -> Period | None:
    """Find the time that a question names; None where it names none."""
    text = _WEEKDAY.sub(" ", text)
    return _shared(text, now, tz) or _by_days(text, now, tz) or _relative(text, now, tz)


# ---------------------------------------------------------------- days of the calendar


@dataclass(frozen=True)
class _Found:
    start: int
    end: int
    day: date


_SHARED_ZH = re.compile(
    r"(?P<m>\d{1,2})\s*月\s*(?P<a>\d{1,2})\s*[日号]?\s*(?:到|至|和|与|、|-|~|—)\s*(?P<b>\d{1,2})\s*[日号]"
)
_SHARED_EN = re.compile(
    rf"\b(?P<a>\d{{1,2}})\s*(?:-|–|/|to|and|through)\s*(?P<b>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH_NAME}\b"
    rf"|\b(?P<month2>{_MONTH_NAME.replace('?P<month>', '?:')})\.? "
    r"(?P<a2>\d{1,2})\s*(?:-|–|/|to|and|through)\s*(?P<b2>\d{1,2})(?!\d)",
    re.IGNORECASE,
)


def _shared(text: str, now: datetime, tz: str) -> Period | None:
    """Read two days of one month: 23-29 March, 3 月 14 号和 15 号."""
    today = now.astimezone(zone(tz)).date()
    if found := _SHARED_ZH.search(text):
        month, first, last = int(found["m"]), int(found["a"]), int(found["b"])
    elif found := _SHARED_EN.search(text):
        month = _MONTHS.index(_whole_month(found["month"] or found["month2"])) + 1
        first, last = int(found["a"] or found["a2"]), int(found["b"] or found["b2"])
    else:
        return None
    year = today.year - (month > today.month)
    try:
        return _period(Window.days(date(year, month, first), date(year, month, last), tz), now, found[0])
    except ValueError:
        return None


def _days(text: str, now: datetime, tz: str) -> list[_Found]:
    today = now.astimezone(zone(tz)).date()
    found: list[_Found] = []
    for pattern in _ANY_DAY:
        for match in pattern.finditer(text):
            if any(match.start() < one.end and one.start < match.end() for one in found):
                continue
            if day := _day(match, today):
                found.append(_Found(match.start(), match.end(), day))
    return sorted(found, key=lambda one: one.start)


def _day(match: re.Match[str], today: date) -> date | None:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else _MONTHS.index(_whole_month(parts["month"])) + 1
    try:
        if parts.get("y"):
            return date(int(parts["y"]), month, int(parts["d"]))
        day = date(today.year, month, int(parts["d"]))
        # A day without a year is the last one that was.
        return day if day <= today else date(today.year - 1, month, int(parts["d"]))
    except ValueError:
        return None


def _whole_month(name: str) -> str:
    return next(month for month in _MONTHS if month.startswith(name.lower()[:3]))


def _by_days(text: str, now: datetime, tz: str) -> Period | None:
    found = _days(text, now, tz)
    if not found:
        return _by_month(text, now, tz)
    first, last = found[0], found[-1]
    if len(found) > 1 and _BETWEEN.match(text[first.end : last.start]):
        days = sorted((first.day, last.day))
        return _period(Window.days(days[0], days[1], tz), now, text[first.start : last.end])
    said = text[first.start : first.end]
    before, after = text[: first.start], text[first.end :]
    if _SINCE.search(before) or _ONWARDS.match(after):
        return _span(midnight(first.day, tz), now, tz, said)
    if _THROUGH.search(before):
        after_it = midnight(first.day + timedelta(days=1), tz)
        return Period(Window(start=BEGINNING, end=after_it, tz=tz), said)
    if _UNTIL.search(before) or _BEFOREHAND.match(after):
        return Period(Window(start=BEGINNING, end=midnight(first.day, tz), tz=tz), said)
    return _period(Window.days(first.day, first.day, tz), now, said)


_BY_MONTH = re.compile(
    rf"\b(?:in|during|of|this|last|early|late|mid|throughout|for|since|from)[\s-]+{_MONTH_NAME}\b(?:,?\s+(?P<y>20\d\d))?"
    rf"|\b{_MONTH_NAME.replace('month', 'whose')}(?:'s)?\s+(?=commits?|changes?|releases?|prs?\b|pull|work|updates?)"
    r"|(?:(?P<zy>20\d\d)\s*年\s*)?(?P<zm>\d{1,2}|十[一二]?|[一二三四五六七八九])\s*月份?(?!\s*\d)",
    re.IGNORECASE,
)

_FROM = re.compile(r"(?:since|from)\b", re.IGNORECASE)
_LAST_DAY = re.compile(r"\b(?:last|final) day of\b|月(?:的)?最后一天|月底那天", re.IGNORECASE)


def _by_month(text: str, now: datetime, tz: str) -> Period | None:
    match = _BY_MONTH.search(text)
    if match is None:
        return None
    today = now.astimezone(zone(tz)).date()
    month = _count(match["zm"]) if match["zm"] else _MONTHS.index(_whole_month(match["month"] or match["whose"])) + 1
    if not 1 <= month <= 12:
        return None
    year = int(match["y"] or match["zy"] or today.year - (month > today.month))
    if not 1970 <= year <= 2098:
        return None
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    if _SINCE.search(text[: match.start()]) or _FROM.match(match[0]) or _ONWARDS.match(text[match.end() :]):
        return _span(midnight(date(year, month, 1), tz), now, tz, match[0])
    if _LAST_DAY.search(text):
        return _period(Window.days(last, last, tz), now, match[0])
    return _period(Window.days(date(year, month, 1), last, tz), now, match[0])


# ---------------------------------------------------------------- counted from now


def _relative(text: str, now: datetime, tz: str) -> Period | None:
    for pattern, resolve in _RELATIVE:
        if match := pattern.search(text):
            start, end = resolve(match, now, tz)
            if start < end:
                return Period(_cut(Window(start=start, end=end, tz=tz), now), match[0])
    return None


_Resolve = Callable[[re.Match[str], datetime, str], tuple[datetime, datetime]]


def _today(now: datetime, tz: str) -> date:
    return now.astimezone(zone(tz)).date()


def _day_back(days: int) -> _Resolve:
    def resolve(_: re.Match[str], now: datetime, tz: str) -> tuple[datetime, datetime]:
        day = _today(now, tz) - timedelta(days=days)
        return midnight(day, tz), midnight(day + timedelta(days=1), tz)

    return resolve


def _since_day_back(days: int) -> _Resolve:
    def resolve(_: re.Match[str], now: datetime, tz: str) -> tuple[datetime, datetime]:
        return midnight(_today(now, tz) - timedelta(days=days), tz), _tonight(now, tz)

    return resolve


def _week(back: int) -> _Resolve:
    def resolve(_: re.Match[str], now: datetime, tz: str) -> tuple[datetime, datetime]:
        today = _today(now, tz)
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return midnight(monday, tz), midnight(monday + timedelta(days=7), tz)

    return resolve


def _month(back: int) -> _Resolve:
    def resolve(_: re.Match[str], now: datetime, tz: str) -> tuple[datetime, datetime]:
        # In the very moment in which a month begins, "this month" is the one that is just over, and so is the last.
        today = _today(now - timedelta(seconds=not back), tz)
        months = today.year * 12 + today.month - 1 - back
        first, after = date(months // 12, months % 12 + 1, 1), date((months + 1) // 12, (months + 1) % 12 + 1, 1)
        return midnight(first, tz), midnight(after, tz)

    return resolve


def _since_week_back(match: re.Match[str], now: datetime, tz: str) -> tuple[datetime, datetime]:
    return _week(1)(match, now, tz)[0], _tonight(now, tz)


def _since_month_back(match: re.Match[str], now: datetime, tz: str) -> tuple[datetime, datetime]:
    return _month(1)(match, now, tz)[0], _tonight(now, tz)


def _past(match: re.Match[str], now: datetime, tz: str) -> tuple[datetime, datetime]:
    count, unit = _count(match["n"] or "1"), match["unit"].lower()
    if unit.startswith(("hour", "小时")):
        return now - timedelta(hours=count), now + timedelta(seconds=1)
    days = {"d": 1, "天": 1, "日": 1, "w": 7, "周": 7, "星": 7, "个星": 7, "m": 30, "个": 30, "月": 30}
    length = next((days[key] for key in (unit[:2], unit[:1]) if key in days), 1)
    start = _today(now, tz) - timedelta(days=min(count * length, 3_650))
    return midnight(start, tz), _tonight(now, tz)


def _count(text: str) -> int:
    text = text.strip().lower()
    if text.isdecimal():
        return int(text[:4])
    if text in _EN_NUMBERS:
        return _EN_NUMBERS[text]
    if text.startswith("十"):
        return 10 + _ZH_DIGITS.get(text[1:2], 0)
    return _ZH_DIGITS.get(text[:1], {"几": 7, "few": 7}.get(text, 1))


_N = r"(?P<n>\d{1,4}|one|two|three|four|five|six|seven|ten|few|couple of)?"
_ZN = r"(?P<n>\d{1,4}|[一二两三四五六七八九十几]{1,2})?"
_RELATIVE: list[tuple[re.Pattern[str], _Resolve]] = [
    (re.compile(pattern, re.IGNORECASE), resolve)
    for pattern, resolve in (
        (r"\bsince yesterday\b|昨天(?:以来|至今|到现在|之后|开始)", _since_day_back(1)),
        (r"\bsince (?:the )?last week\b|上个?(?:周|星期|礼拜)(?:以来|至今|到现在|开始|起)", _since_week_back),
        (r"\bsince (?:the )?last month\b|上个?月(?:以来|至今|到现在|开始|起)", _since_month_back),
        (r"\btomorrow\b|明天|明日", _day_back(-1)),
        (r"\bnext week\b|下个?(?:周|星期|礼拜)", _week(-1)),
        (r"\bnext month\b|下个?月", _month(-1)),
        (r"\b(?:the )?day before yesterday\b|前天|前日", _day_back(2)),
        (r"\byesterday\b|昨天|昨日", _day_back(1)),
        (
            r"(?<!name )(?<!called )(?<!still )(?<!there )(?<!until )(?<!as of )(?<!main )\btoday\b"
            "|(?<!到)(?<!至)(?:今天|今日)",
            _day_back(0),
        ),
        (r"\b(?:the )?week before last\b|上上个?(?:周|星期|礼拜)", _week(2)),
        (r"\b(?:the )?month before last\b|上上个?月", _month(2)),
        (r"\b(?:over|during|in)? ?(?:the )?last week\b(?! of)|上个?(?:周|星期|礼拜)", _week(1)),
        (r"\bthis week\b|[这本]个?(?:周|星期|礼拜)", _week(0)),
        (r"\blast month\b|上个?月", _month(1)),
        (r"\bthis month\b|[这本]个?月", _month(0)),
        (rf"\b(?:past|last|previous|recent)\s+{_N}\s*(?P<unit>hours?|days?|weeks?|months?)\b", _past),
        (rf"\b(?:within|in)\s+the\s+(?:past|last)\s+{_N}\s*(?P<unit>hours?|days?|weeks?|months?)\b", _past),
        (
            rf"(?:最近|近|过去|这|前)的?这?{_ZN}\s*(?P<unit>个小时|小时|天|日|周|个?星期|个月)(?:[里内]|以来|之内)?",
            _past,
        ),
        (r"(?<![\d.])(?P<n>\d{1,4}|[一二两三四五六七八九十]{1,2})(?P<unit>天|周|个月|小时)(?:以来|之?内)", _past),
    )
]


def _period(window: Window, now: datetime, said: str) -> Period:
    return Period(_cut(window, now), said)


def _span(start: datetime, now: datetime, tz: str, said: str) -> Period:
    end = max(_tonight(now, tz), midnight(start.astimezone(zone(tz)).date() + timedelta(days=1), tz))
    return _period(Window(start=start, end=end, tz=tz), now, said)


def _cut(window: Window, now: datetime) -> Window:
    """Tell a window that is not over as read until now; one that has not begun stays as it was named."""
    return window.cut_at(now) if window.start < now < window.end else window


def _tonight(now: datetime, tz: str) -> datetime:
    return midnight(_today(now, tz) + timedelta(days=1), tz)
