"""How many commits a report says have landed."""

import re
from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.statement import Statement
from agent.audit.vocabulary import plain
from agent.gate.numerals import numerals
from agent.ids import RepoId

_N = r"(?P<n>\d{1,4}|[A-Za-z]+(?:-[a-z]+)?|[一二两三四五六七八九十百]+)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<![\w#.-]){_N} commits? (?:landed|reached|were merged|went in|this week|today|yesterday|in (?:total|all)\b"
        r"|on `?main\b|(?:on )?that day)",
        r"\b(?:merged|landed|saw|had|received|counted|total(?: of)?) (?:exactly |only |just |a total of )?"
        rf"{_N} commits?\b",
        rf"(?:当日|今日|本日|昨日|当天|全天|本周|主分支)[^，。；,;\n]{{0,12}}?(?<!\d){_N}\s*个(?:提交|commit)",
        rf"共(?:有|计|合入|合并|落地|收录)?(?:了)?\s*{_N}\s*个(?:提交|commit)",
    )
)
# Who says by whom or for what counts a part of them.
_PART = re.compile(
    r"\s*(?:(?:by|from|of|for|to(?! `?(?:main|master|trunk)\b)|that|which)\b|涉及|来自|由|用于|属于|修复|均|都|的)"
)


def tallies(page: Page) -> Iterator[Statement]:
    """State how many commits landed in the report's days."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph"):
            continue
        for inline in block.inlines:
            text = plain(inline.text)
            for start, words, count in _counts(text):
                repo = _repo(page, place, text[:start])
                params = {"commits": str(count)}
                yield Statement(inline.line_at(start), "count", words, None, repo, "landed", params)


def _counts(text: str) -> Iterator[tuple[int, str, int]]:
    taken: set[int] = set()
    for form in _FORMS:
        for found in form.finditer(text):
            count = _value(found["n"])
            if count is None or found.start("n") in taken or _PART.match(text, found.end()):
                continue
            taken.add(found.start("n"))
            yield found.start("n"), found[0].strip(), count


def _value(word: str) -> int | None:
    if word.isdecimal():
        return int(word)
    return next((value for value, _, _ in numerals(f"{word}个 " if not word.isascii() else f"{word} commits ")), None)


def _repo(page: Page, place: int, before: str) -> RepoId | None:
    """Tell of which repository a count speaks: the one named last before it, or that of its part."""
    named = page.names.placed(before)
    if named:
        return named[-1][1]
    spoken = page.spoken_of
    return page.repos[place] or (spoken[0] if len(spoken) == 1 else None)
