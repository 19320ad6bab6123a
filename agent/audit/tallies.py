"""How many commits a report says have landed, in one repository or in several together."""

import re
from collections.abc import Iterator

from agent.audit.markdown_blocks import Inline
from agent.audit.page import Page
from agent.audit.scopes import CLAUSE, SENTENCE, is_of_others, part_of, repos_behind, value_of
from agent.audit.statement import Statement
from agent.audit.vocabulary import COMMITS_COLUMN, TOTAL_ROW, plain
from agent.ids import RepoId

_N = r"(?P<n>\d{1,4}|[A-Za-z]+(?:-[a-z]+)?|[一二两三四五六七八九十百]+)"
_ZH = r"\s*(?:个|次|条|笔)\s*(?:提交|commit)"
_DAYS = r"(?:\w+ ){0,2}(?:week|days?|period|window|month|range|span|hours|timeframe)\b"
_THEN = (
    rf"(?:this|that|the) {_DAYS}|today|yesterday|(?:on )?that day"
    rf"|(?:in|during|over|within|for) (?:the|this|that|these) {_DAYS}"
    r"|(?:on|between|from) (?:20\d\d|\d{1,2} [A-Z]|[A-Z][a-z]{2,8}\.? \d)"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<![\w#.-]){_N} commits? (?:landed|reached|hit|were merged|went in|made it|in (?:total|all)\b"
        rf"|(?:on|to) `?main\b|{_THEN})",
        r"\b(?:merged|landed|saw|had|received|counted|took|got|absorbed|logged|recorded|total(?: of)?)"
        rf" (?:exactly |only |just |a total of )?{_N} commits?\b",
        rf"(?:当日|今日|本日|昨日|当天|全天|本周|该周|一周|期间|本期|主分支)[^，。；,;\n]{{0,12}}?(?<!\d){_N}{_ZH}",
        rf"(?:共|合计|总计|总共|累计)(?:有|计|合入|合并|落地|收录)?(?:了)?\s*{_N}{_ZH}",
    )
)
# "其中 a 与 b 共 9 个": without the noun, where the repositories say what is counted.
_TOGETHER = re.compile(r"(?:共|合计)(?:有|计)?\s*(?P<n>\d{1,4})\s*个(?=\s*(?:[，。；,;]|$))")
# "a 11 个提交、b 4 个、c 2 个，合计 17 个": the noun stands with the first of them.
_REPO = r"[A-Za-z][\w./-]{2,60}"
_LISTED = re.compile(
    rf"{_REPO}\s*(?<!\d)\d{{1,4}}(?:{_ZH}|\s+commits?\b)(?:\s*[、，,]\s*(?:and\s+)?{_REPO}\s*(?<![\d.])\d{{1,4}}\s*个?"
    rf"(?:{_ZH}|\s*commits?\b)?(?![\w%]|\.\d))+",
    re.IGNORECASE,
)
_LISTED_ONE = re.compile(rf"(?P<repo>{_REPO})\s*(?<!\d)(?P<n>\d{{1,4}})(?!\d)")
# "a took 8 commits, b took 4 and c 2": the noun stands with the first of them.
_GOING_ON = re.compile(
    rf"(?P<repo>{_REPO})[`*_]*\s*(?:(?:merged|landed|saw|had|has|received|counted|took|got|gained|logged|recorded|contributed"
    r"|adds|added|with|合入|有|收录|落地|则?为|合并|新增)\s*(?:了|only |just |another |also )*|[:：]\s*)?"
    r"(?P<n>(?<![\w.])\d{1,4}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|[一二两三四五六七八九十]+)"
    r"(?:\s*[个次条笔])?(?=\s*(?:[,，、;；。)）]|\.(?!\d)|and\b|[和与]|$))",
    re.IGNORECASE,
)
# Who says by whom, where or for what counts a part of them.
_PART = re.compile(
    r"\s*(?:(?:by|from(?! (?:20\d\d|\d|[A-Z]))|of|for(?! th)|to(?! `?(?:main|master|trunk)\b)"
    r"|that(?! (?:day|week))|which|with|without|about|touch\w*|reverted"
    rf"|in (?!(?:total|all)\b|(?:the|this|that|these) {_DAYS}))\b"
    r"|涉及|来自|由|用于|属于|修复|均|都|的)",
    re.IGNORECASE,
)
_NOUN = re.compile(r"\s*(?:commits?|(?:个|次|条|笔)\s*(?:提交|commits?))", re.IGNORECASE)


def tallies(page: Page) -> Iterator[Statement]:
    """State how many commits landed in the report's days."""
    for place, block in enumerate(page.blocks):
        if block.kind == "row" and not block.level:
            yield from _row(page, place)
        if block.kind not in ("item", "paragraph"):
            continue
        for inline in block.inlines:
            text = plain(inline.text)
            for start, end, words, count in commit_counts(text):
                if is_of_others(page, place, text, start, end):
                    continue
                line = inline.line_at(start)
                repos = repos_behind(page, place, text, start, end)
                yield _landed(line, words, count, repos)
                yield from _going_on(page, inline, text, end)
            yield from _listed(page, inline, text)
            for found in _TOGETHER.finditer(text):
                repos = page.names.named(part_of(text, found.start(), found.end(), CLAUSE))
                if len(repos) > 1:
                    yield _landed(inline.line_at(found.start()), found[0], int(found["n"]), repos)


def _listed(page: Page, inline: Inline, text: str) -> Iterator[Statement]:
    """Read a list of repositories, each with how much landed in it."""
    for found in _LISTED.finditer(text):
        rows = [(one, page.names.named(one["repo"])) for one in _LISTED_ONE.finditer(found[0])]
        if any(len(repos) != 1 for _, repos in rows):
            continue
        for one, repos in rows:
            yield _landed(inline.line_at(found.start() + one.start()), one[0], int(one["n"]), repos)


def _going_on(page: Page, inline: Inline, text: str, at: int) -> Iterator[Statement]:
    """Read how much landed in the other repositories that the sentence of a count goes on with."""
    stop = next((found.start() for found in SENTENCE.finditer(text, at)), len(text))
    for found in _GOING_ON.finditer(text, at, stop):
        repos, count = page.names.named(found["repo"]), value_of(found["n"])
        if len(repos) == 1 and count is not None:
            yield _landed(inline.line_at(found.start()), found[0], count, repos)


def _landed(line: int, words: str, count: int, repos: list[RepoId]) -> Statement:
    params = {"commits": str(count)}
    if len(repos) > 1:
        return Statement(line, "count", words, None, None, "landed", params | {"repos": " ".join(repos)})
    return Statement(line, "count", words, None, repos[0] if repos else None, "landed", params)


def _row(page: Page, place: int) -> Iterator[Statement]:
    """Read a table of repositories and how much landed in each."""
    block = page.blocks[place]
    for column, inline in zip(block.header, block.inlines, strict=False):
        text = plain(inline.text).strip()
        if not COMMITS_COLUMN.match(plain(column).strip()) or not re.fullmatch(r"\d{1,4}", text):
            continue
        lead = plain(block.inlines[0].text)
        repos = _rows_above(page, place) if TOTAL_ROW.match(lead) else page.names.named(lead)
        if len(repos) == 1 or (repos and TOTAL_ROW.match(lead)):
            yield _landed(block.line, f"{lead.strip()}: {text}", int(text), repos)


def _rows_above(page: Page, place: int) -> list[RepoId]:
    """List the repositories of the rows that a last row sums up; nothing where a row has none."""
    found: list[RepoId] = []
    for before in range(place - 1, -1, -1):
        block = page.blocks[before]
        if block.kind != "row" or block.header != page.blocks[place].header or block.level:
            break
        named = page.names.named(plain(block.inlines[0].text))
        if len(named) != 1:
            return []
        found += named
    return found


def commit_counts(text: str) -> Iterator[tuple[int, int, str, int]]:
    """Find where a text counts commits, and how many."""
    taken: set[int] = set()
    for form in _FORMS:
        for found in form.finditer(text):
            count = value_of(found["n"])
            noun = _NOUN.match(text, found.end("n"))
            end = noun.end() if noun else found.end()
            if count is None or found.start("n") in taken or _PART.match(text, end) or _PART.match(text, found.end()):
                continue
            taken.add(found.start("n"))
            yield found.start("n"), found.end(), found[0].strip(), count
