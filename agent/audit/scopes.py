"""Of which repositories and of which days a count of a report is."""

import re

from agent.audit.numerals import numerals
from agent.audit.page import Page
from agent.audit.periods import dates_in
from agent.ids import RepoId

# A stretch of history that is not the report's.
_SINCE = re.compile(
    r"\bsince\b|\bahead of\b|\bbehind\b|\bso far\b|\b(?:last|previous) (?:release|week|month)\b|\ball[- ]time\b"
    r"|以来|至今|上(?:一|个)+(?:版本|周|月)|距",
    re.IGNORECASE,
)
_OF_A_DAY = re.compile(r"当日|今日|本日|昨日|当天|全天|today|yesterday|that day", re.IGNORECASE)
_FAR = 1000
SENTENCE = re.compile(r"[。；！？\n]|[.;!?]\s")
# "Ada had 2 commits": who does it is a person, unless a repository or a general word is the subject.
_DOING = re.compile(
    r"\w\W+(?:merged|landed|saw|had|has|received|counted|took|got|absorbed|logged|recorded|made|wrote|contributed|shipped)"
    r"\s+(?:exactly |only |just |a total of )?$",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"\b(?:main|master|trunk|branch|repositor(?:y|ies)|repos?|projects?|tree|codebase|team|we|it|they|both|all|days?|week)\b",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"[，。；,;:：\n]|\.\s")
_ALL = re.compile(
    r"(?P<n>[一二两三四五六七八九十]|\d{1,2})\s*个(?:仓库|项目|代码库)"
    r"|\b(?:all |the )*(?P<w>[a-z]+|\d{1,2}) (?:repositor(?:y|ies)|repos|projects)\b",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"合计|总计|总共|共|累计|in (?:total|all)\b|altogether|together|\btotal\b|combined|overall", re.IGNORECASE
)


def value_of(word: str) -> int | None:
    """Read a number in digits or in words."""
    if word.isdecimal():
        return int(word)
    return next((value for value, _, _ in numerals(f"{word}个 " if not word.isascii() else f"{word} commits ")), None)


def is_of_others(page: Page, place: int, text: str, start: int, end: int) -> bool:
    """Tell whether a count is of somebody, or of days of its own, which its sentence or the heading above names."""
    sentence = part_of(text, start, end, SENTENCE)
    days = dates_in(sentence)
    before = sentence.partition(text[start:end])[0]
    if _DOING.search(before) and not _HOST.search(before) and not page.names.placed(before):
        return True
    if _SINCE.search(sentence) or (days and (min(days), max(days)) != (page.days.first, page.days.last)):
        return True
    above = next((one for one in reversed(page.blocks[:place]) if one.kind == "heading"), None)
    headed = above is not None and above.line != page.days.line and bool(dates_in(above.text))
    return page.days.period == "range" and not days and (headed or bool(_OF_A_DAY.search(sentence)))


def part_of(text: str, start: int, end: int, mark: re.Pattern[str]) -> str:
    """Give the stretch around a count, up to the marks on both sides."""
    near = max(0, start - _FAR)
    first = max((found.end() for found in mark.finditer(text, near, start)), default=near)
    last = next((found.start() for found in mark.finditer(text, end, end + _FAR)), end + _FAR)
    return text[first:last]


def _together(page: Page, text: str, start: int, end: int) -> list[RepoId]:
    """Find the repositories that one count sums up: all of the report, or those that its clause names."""
    clause = part_of(text, start, end, CLAUSE)
    spoken = list(dict.fromkeys(repo for repo in page.repos if repo))
    if found := _ALL.search(clause):
        return spoken if value_of(found["n"] or found["w"]) == len(spoken) else []
    named = page.names.named(clause)
    return named if len(named) > 1 and _SUM.search(clause) else []


def _one_repo(page: Page, place: int, text: str, start: int, end: int) -> list[RepoId]:
    """Tell of which repository a count speaks: the one named last before it, or in its clause, or that of its part."""
    named = page.names.placed(text[:start]) or page.names.placed(part_of(text, start, end, CLAUSE))[:1]
    if named:
        return [named[-1][1]]
    spoken = page.spoken_of
    only = page.repos[place] or (spoken[0] if len(spoken) == 1 else None)
    return [only] if only else []


def repos_behind(page: Page, place: int, text: str, start: int, end: int) -> list[RepoId]:
    """Tell of which repositories a count speaks: of several together, or of one."""
    return _together(page, text, start, end) or _one_repo(page, place, text, start, end)
