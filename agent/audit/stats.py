"""Statements about how many lines and files a change has."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from agent.audit.markdown_blocks import Block, Inline
from agent.audit.page import Page
from agent.audit.paths import Located, located
from agent.audit.sections import changes_above
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import ADDED_COLUMN, DELETED_COLUMN, FILES_COLUMN, LINES_COLUMN, plain

_N = r"(\d[\d,]*)"
_LINES = r"(?:\s*(?:行|lines?|LOC))?"
_FORMS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(form, re.IGNORECASE), names)
    for form, names in (
        (rf"(?<![\w+])\+\s?{_N}{_LINES}\s*[/，,、|]?\s*-\s?{_N}(?!\w|\.\w){_LINES}", ("additions", "deletions")),
        (rf"(?<![\w+])\+\s?{_N}\s*(?:行|lines?|LOC)", ("additions",)),
        (rf"(?<![\w-])-\s?{_N}\s*(?:行|lines?|LOC)", ("deletions",)),
        (rf"±\s?{_N}\s*(?:行|lines?)?", ("either",)),
        (rf"(?:新增|增加|添加)\s*(?:了)?\s*(?:约)?\s*{_N}\s*行", ("additions",)),
        (rf"{_N}\s*行(?:新增|增加)", ("additions",)),
        (rf"(?:删除|减少|移除)\s*(?:了)?\s*(?:约)?\s*{_N}\s*行", ("deletions",)),
        (rf"{_N}\s*行删除", ("deletions",)),
        (rf"(?:共计?|合计|总计|累计|改动|变更|修改)\s*(?:约)?\s*{_N}\s*行", ("total",)),
        (rf"{_N}\s*行(?:代码)?(?:改动|变更|修改)", ("total",)),
        (rf"（{_N}\s*行）|\({_N}\s*行\)", ("total",)),
        (rf"(?<![\w#.]){_N}\s+(?:lines?\s+)?(?:additions?|insertions?)(?:\(\+\))?", ("additions",)),
        (rf"(?<![\w#.]){_N}\s+(?:lines?\s+)?deletions?(?:\(-\))?", ("deletions",)),
        (rf"\b(?:adds|added|adding)\s+{_N}\s+lines?", ("additions",)),
        (rf"\b(?:removes|removed|deletes|deleted|drops)\s+{_N}\s+lines?", ("deletions",)),
        (rf"(?<![\w#.]){_N}\s+lines?\s+(?:changed|of changes)", ("total",)),
        (rf"(?<![\w#.]){_N}\s+lines\s+(?:together|altogether|combined|in (?:total|all))\b", ("total",)),
        (rf"(?<![\w#.]){_N}\s+(?:new\s+)?lines?\s+(?:were\s+)?added", ("additions",)),
        (rf"(?<![\w#.]){_N}\s+lines?\s+(?:were\s+)?(?:removed|deleted)", ("deletions",)),
        (rf"\b(?:gains|gained)\s+{_N}\s+lines?", ("additions",)),
        (rf"\b(?:loses|lost|sheds)\s+{_N}\s+lines?", ("deletions",)),
        (rf"(?<![\w#.]){_N}\s+(?:added|new)\s+lines?", ("additions",)),
        (rf"(?<![\w#.]){_N}\s+of\s+(?:the|its|these)\s+(?:[\d,]+\s+)?(?:added|new)\s+lines?", ("additions",)),
        (rf"(?<![\w#.]){_N}\s+of\s+(?:the|its|these)\s+(?:[\d,]+\s+)?(?:removed|deleted)\s+lines?", ("deletions",)),
        (rf"(?<![\w#.]){_N}\s+(?:removed|deleted)\s+lines?", ("deletions",)),
        (rf"\bnew\s+(?:[\w-]+\s+){{1,3}}(?:of|with)\s+{_N}\s+lines?", ("additions",)),
        (rf"(?<![\w#.]){_N}\s+files?\s+(?:changed|touched|modified)", ("files",)),
        (rf"(?<![\w#.]){_N}\s+files?\s+(?:in (?:total|all)|overall|altogether)\b", ("files",)),
        (rf"(?<![\w#.]){_N}\s+files?(?=\s*(?:[,;:)，；：）]|$|\.\s|\.$|and\s+\d))", ("files",)),
        (rf"\bin\s+{_N}\s+files?(?=\s+(?:under|below|of|in)\b)", ("files",)),
        (rf"\b(?:changes|changed|touches|touched|modifies|modified|across|spans)\s+{_N}\s+files?", ("files",)),
        (rf"(?:共|涉及|修改|改动|变更)\s*(?:了)?\s*{_N}\s*个文件", ("files",)),
        (rf"{_N}\s*个文件(?:变更|改动|被修改|发生)", ("files",)),
        (rf"(?:[；;，,：:]|^)\s*{_N}\s*个文件(?=\s*[，,；;。]|\s*$)", ("files",)),
    )
)
_LONE = re.compile(rf"`?\s*[:：(（]?\s*(?P<sign>[+-]){_N}(?=\s*(?:\.?$|\.\s|[,，;；、)）。]\s*(?![-\d])))")
_SIZE = re.compile(
    r"`?\s*(?:[也均]?(?:是|为))?(?:新增|新建|新)?(?:的|文件)*\s*[，,]?\s*(?:共\s*)?(\d[\d,]*)\s*行(?=\s*(?:$|[，。；、）),;]))"
)
_SIZE_EN = re.compile(
    r"`?\s*[,(（:：–—-]?\s*(?:(?:is|are|was|which is|it is)\s+)?(?:an?\s+)?"
    r"(?:(?:brand[- ])?new|added|created|deleted|removed|gone)?\s*(?:file|module|script|test|header)?\s*"
    r"[,(（:：–—-]?\s*(?:(?:of|with|has|had|at|counts|holds|is|all)\s+)*"
    r"(\d[\d,]*)\s+lines?(?:\s+(?:long|of code|of text))?(?=\s*(?:$|[.,;)）。]))",
    re.IGNORECASE,
)
_GROWN = re.compile(
    r"`?\s*(?:(?P<grow>grows|grew|增长|增加)|(?P<shrink>shrinks|shrank|缩减|缩短|减少))\s*(?:了|by)?\s*(?P<n>\d[\d,]*)\s*(?:lines?\b|行)",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"additions?|insertions?|deletions?|files?", re.IGNORECASE)
_WHOLE = re.compile(
    r"(?:整个(?:提交|改动|变更)(?:一共)?|累计|共计?|合计|总计|总共|total|overall|in all|altogether)\W*$", re.IGNORECASE
)
_ABOUT = re.compile(r"(?:约|大约|近|around|about|roughly|nearly|~|≈)\s*$", re.IGNORECASE)
_BEHIND_FILES = re.compile(
    r"(\d+)\s*(?:个文件|files?)(?:\s+(?:changed|touched))?\s*[,，(（:：]\s*(?:with\s+|合计)?$", re.IGNORECASE
)
_BEFORE_FILES = re.compile(r"\s*(?:in|across|over|，|,)?\s*(?:共\s*)?\d+\s*(?:个文件|files?)", re.IGNORECASE)
_BEFORE_LINES = re.compile(r"\s*[,，:：(（]\s*\+\s?\d[\d,]*\s*/\s*-\s?\d")
_IN_ALL = re.compile(r"\s*(?:in (?:total|all)\b|overall\b|altogether\b|together\b|合计|总计)", re.IGNORECASE)
# "`abc1234` (+263)": what a bracket right behind a hash adds.
_AT_HASH = re.compile(rf"(?<!\w)[0-9a-f]{{7,40}}[`*\])\s]{{0,4}}[(（](\+{_N})(?=[)）])")
_STOOD = re.compile(r"读取时为|which stood at")
_LIST_JOINT = re.compile(r"\s*(?:[、,，]|[、,，]?\s*(?:and|和|与|及|以及))\s*")
_LIST_END = re.compile(r"\s*[,，;；:：]\s*(?:共|合计|in total|together)?\s*")
_SUM_END = re.compile(r"\s*[,，;；:：(（]?\s*")
# "120 of the new lines are tests in `x.py`"
_BEFORE_PATH = re.compile(r"\s*(?:(?:are|is|were|was)\s+)?(?:\w+\s+){0,2}(?:in|of|from|to)\s+`?", re.IGNORECASE)
_EACH = re.compile(r"(?:各|每个|each)\s*(?:约)?$", re.IGNORECASE)


_NEAR, _SENTENCE, _SEVERAL = 48, 2000, 8


@dataclass(frozen=True)
class _Number:
    start: int
    end: int
    words: str
    values: dict[str, str]
    whole: bool = False
    """Whether it can only be meant of the whole change."""


def stats(page: Page) -> Iterator[Statement]:
    """State the line and file counts that the report gives."""
    for place, block in enumerate(page.blocks):
        if block.kind in ("fence", "heading", "rule", "comment") or (block.kind == "row" and block.level):
            continue
        if page.subjects[place] is None and len(changes_above(page, place)) != 1:
            continue
        yield from _columns(page, place, block)
        for cell, inline in enumerate(block.inlines):
            yield from _running(page, place, cell, inline)


def _running(page: Page, place: int, cell: int, inline: Inline) -> Iterator[Statement]:
    text = plain(inline.text)
    if _STOOD.search(text):
        # A line of our own that sums up a repository, not the commit that it names.
        return
    paths = located(inline)
    block = page.blocks[place]
    column = plain(block.header[cell]) if cell < len(block.header) else ""
    for number in (*_numbers(text), *_beside(text, paths)):
        subject = page.nearest(place, number.start, cell)
        above = changes_above(page, place) if subject is None else ()
        subject = subject or (above[0] if above else None)
        if subject is None:
            continue
        before = text[max(0, number.start - _NEAR) : number.start]
        whole = (
            bool(LINES_COLUMN.match(column))
            or number.whole
            or bool(_IN_ALL.match(text, number.end))
            or bool(_WHOLE.search(before))
            or bool(re.search(r"^(?:共|累计|合计|总计)|(?:in (?:total|all)|overall|altogether)$", number.words))
            # "3 files, +10/-2": what stands behind the number of files is the sum over them.
            or bool(_BEHIND_FILES.search(before))
            or bool(_BEFORE_FILES.match(text, number.end))
            or ("files" in number.values and bool(_BEFORE_LINES.match(text, number.end)))
        )
        near = _close(paths, number)
        if "files" in number.values:
            # One file is never several: such a count is of the change, or of a folder.
            near = [path for path in near if "." not in path.path.rpartition("/")[2]]
        own = _paths_for(number, near, text, _EACH.search(before) is not None)
        scope = "either" if whole and own else "whole" if whole else "file" if own else "any"
        if listed := _listed(number, near, text):
            # "a and b, +10/-2" may count the last of them or all.
            own, scope = listed, "either"
        params = number.values | {"paths": "\n".join(own), "scope": scope}
        if _ABOUT.search(before) or "约" in number.words:
            params["about"] = "yes"
        if own and all(path.at > number.start for path in near if path.path in own):
            params["scope"] = "either"
            own = [path.path for path in near if path.at > number.start]
            params["paths"] = "\n".join(own)
        if above:
            params["above"] = "yes"
        if behind := _BEHIND_FILES.search(before):
            params["of_files"] = behind[1]
        words = f"{own[-1]} {number.words}" if own and scope == "file" else number.words
        repo = page.repo_of(subject, place)
        line = inline.line_at(number.start)
        yield Statement(
            line,
            "statistics",
            shortened(words),
            subject,
            repo,
            "counts",
            params,
            strict=bool(own)
            or (not above and (whole or bool(_ENGLISH.search(number.words)) or _says_all(page, place, number))),
        )


def _says_all(page: Page, place: int, number: _Number) -> bool:
    """Tell whether a pair of counts can only be meant of the one change that its line names."""
    if len(page.mentions[place]) > _SEVERAL:
        return False
    changes = {m.sha[:7] or str(m.number) for m in page.mentions[place] if m.kind in ("commit", "thread")}
    return len(number.values) == 2 and len(changes) <= 1


def _close(paths: list[Located], number: _Number) -> list[Located]:
    """Keep the paths near a count; a paragraph may be endless."""
    first = bisect_left(paths, number.start - _SENTENCE, key=attrgetter("at"))
    return paths[first : bisect_left(paths, number.end + _SENTENCE, key=attrgetter("at"))]


def _beside(text: str, paths: list[Located]) -> Iterator[_Number]:
    """Find a lone "+7" right behind a path, and how many lines a file is said to have."""
    for path in paths:
        if found := _GROWN.match(text, path.end):
            key = "grown" if found["grow"] else "shrunk"
            yield _Number(found.start("n"), found.end(), found[0].strip("` "), {key: found["n"].replace(",", "")})
        if found := _SIZE.match(text, path.end) or _SIZE_EN.match(text, path.end):
            yield _Number(found.start(1), found.end(), found[0].strip("，, "), {"size": found[1].replace(",", "")})
        if found := _LONE.match(text, path.end):
            key = "additions" if found["sign"] == "+" else "deletions"
            yield _Number(found.start("sign"), found.end(), found[0].strip(), {key: found[2].replace(",", "")})


def counted(inline: Inline) -> list[tuple[int, int]]:
    """Find where a text counts lines or files."""
    text = plain(inline.text)
    return [(number.start, number.end) for number in (*_numbers(text), *_beside(text, located(inline)))]


def _numbers(text: str) -> list[_Number]:
    """Find every count; what a longer form has taken is not read again."""
    found: list[_Number] = []
    taken: set[int] = set()
    for form, names in _FORMS:
        for match in form.finditer(text):
            span = set(range(match.start(), match.end()))
            if span & taken or re.search(r"\d\+\d", text[max(0, match.start() - 4) : match.end() + 2]):
                continue
            taken |= span
            digits = [group.replace(",", "") for group in match.groups() if group]
            found.append(_Number(match.start(), match.end(), match[0].strip(), dict(zip(names, digits, strict=False))))
    for match in _AT_HASH.finditer(text):
        found.append(
            _Number(match.start(1), match.end(1), match[1], {"additions": match[2].replace(",", "")}, whole=True)
        )
    return sorted(found, key=lambda one: one.start)


def _paths_for(number: _Number, paths: list[Located], text: str, each: bool) -> list[str]:
    """Find the file that a count belongs to: the one named last before it, or right behind it."""
    # A form may begin with the mark that ends what stands before it.
    start = max(
        (text.rfind(mark, max(0, number.start - _SENTENCE), number.start + 1) for mark in "。；;\n"), default=-1
    )
    before = [path for path in paths if start < path.at < number.start]
    if each:
        return [path.path for path in before]
    if before:
        between = text[before[-1].end : number.start]
        # Another noun between the file and the count: it is counted for that noun.
        if not re.search(r"(?:以及|和|与|及|并在|\band\b).{2,}", between):
            return [before[-1].path]
        return []
    behind = [path for path in paths if number.end <= path.at <= number.end + _NEAR]
    behind = [one for one in behind if one.at <= number.end + 8 or _BEFORE_PATH.fullmatch(text[number.end : one.at])]
    return [behind[0].path] if behind else []


def _listed(number: _Number, paths: list[Located], text: str) -> list[str]:
    """Find the files of a list that ends right before a count."""
    before = [path for path in paths if path.end <= number.start]
    end = _SUM_END if _IN_ALL.match(text, number.end) else _LIST_END
    if len(before) < 2 or not end.fullmatch(text[before[-1].end : number.start]):
        return []
    first = len(before) - 1
    while first and _LIST_JOINT.fullmatch(text[before[first - 1].end : before[first].at]):
        first -= 1
    return [path.path for path in before[first:]] if first < len(before) - 1 else []


def _columns(page: Page, place: int, block: Block) -> Iterator[Statement]:
    """Read counts that have a column of their own."""
    subject = page.subjects[place]
    if block.kind != "row" or subject is None:
        return
    for column, inline in zip(block.header, block.inlines, strict=False):
        name, text = plain(column).strip(), plain(inline.text).strip()
        forms = ((FILES_COLUMN, "files"), (ADDED_COLUMN, "additions"), (DELETED_COLUMN, "deletions"))
        value = re.fullmatch(r"[+-]?\s*(\d[\d,]*)", text)
        key = next((key for form, key in forms if form.match(name)), "")
        if not (value and key) and not (LINES_COLUMN.match(name) and text and not _numbers(text)):
            continue
        repo = page.repo_of(subject, place)
        if value and key:
            params = {key: value[1].replace(",", ""), "paths": "", "scope": "whole"}
            yield Statement(block.line, "statistics", f"{name}: {text}", subject, repo, "counts", params)
        elif re.fullmatch(r"\d+", text):
            params = {"total": text, "paths": "", "scope": "whole"}
            yield Statement(block.line, "statistics", f"{name}: {text}", subject, repo, "counts", params)
