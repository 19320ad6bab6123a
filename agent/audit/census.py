"""What a report says of its days as a whole: how many authors, how many reverts, how many lines."""

import re
from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.scopes import SENTENCE, is_of_others, part_of, repos_behind, value_of
from agent.audit.statement import Kind, Statement, shortened
from agent.audit.tallies import commit_counts
from agent.audit.vocabulary import plain
from agent.ids import RepoId

_N = r"(?P<n>\d{1,4}|[A-Za-z]+(?:-[a-z]+)?|[一二两三四五六七八九十]+)"
_AUTHORS = re.compile(
    rf"\b(?:from|by|of) (?:a total of |just |only )?{_N} (?:different |distinct |unique |individual |separate )?"
    r"(?:authors|contributors|committers|people|developers)\b"
    rf"|(?:来自|由|出自|共|涉及)?\s*(?:了)?\s*{_N.replace('<n>', '<m>')}\s*(?:位|名|个)(?:不同的?)?"
    r"(?:作者|贡献者|开发者|提交者)",
    re.IGNORECASE,
)
_NONE = r"no|none|zero|not one|没有|无"
_REVERTS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:^|(?<=[.;:：；。,，] )|(?<=\band )|(?<=\bwith )|(?<=\bare )|(?<=\bwere ))(?P<n>{_NONE}|\d{{1,3}}|[a-z]+)"
        r" reverts?(?: commits?)?\b"
        r"(?=\s*(?:$|[.,;，。；)]|in (?:the|this)|this|today|landed|were|was|on (?:\d|[A-Z])|among))",
        rf"(?P<n>{_NONE}|\d{{1,3}}|[a-z]+)(?: of (?:them|these|the \w+))?(?: [A-Z]\w+)?(?: commits?)?"
        r" (?:is|are|was|were) (?:a )?reverts?\b(?=\s*(?:$|[.,;，。；)]))",
        r"(?P<n>没有|无|\d{1,3}|[一二两三四五六七八九十]+)\s*(?:任何|个|次|条|笔)?\s*(?:回滚|回退|revert)(?:提交)?(?=\s*(?:$|[。；，,;.)）]))",
    )
)
_PAIR = (
    r"(?:add(?:s|ed|ing)?\s+(?P<a>\d[\d,]*)\s+lines?\s*,?\s*(?:and|,)\s*(?:delet|remov)(?:e|es|ed|ing)\s+(?P<d>\d[\d,]*)"
    r"|(?P<a2>\d[\d,]*)\s+(?:insertions?|additions?|lines? added)\s*,?\s*(?:and|,)\s*"
    r"(?P<d2>\d[\d,]*)\s+(?:deletions?|(?:lines? )?(?:deleted|removed))"
    r"|(?:新增|增加)\s*(?P<a3>\d[\d,]*)\s*行[，、,]?\s*(?:共|并)?(?:删除|减少)(?:了)?\s*(?P<d3>\d[\d,]*)\s*行"
    r"|\+\s?(?P<a4>\d[\d,]*)\s*/\s*-\s?(?P<d4>\d[\d,]*))"
)
_LINES = re.compile(_PAIR, re.IGNORECASE)
_ALTOGETHER = re.compile(
    r"\b(?:together|altogether|in total|in all|combined|overall|all told|summed|sum)\b|合计|总计|总共|累计|加起来|一共",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"\b(?:commits|days?|week|weekend|period)\b|提交|当天|当日|本周|期间", re.IGNORECASE)


def census(page: Page) -> Iterator[Statement]:
    """State what a report says of everything that landed in its days."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph"):
            continue
        for cell, inline in enumerate(block.inlines):
            text, start = plain(inline.text), 0
            for end in (*page.sentence_ends(place, cell), len(text)):
                line = inline.line_at(start + len(text[start:end]) - len(text[start:end].lstrip()))
                if not any(m.kind == "commit" for m in page.within(place, cell, start, end)):
                    yield from _authors(page, place, text, (start, end), line)
                    yield from _reverts(page, place, text, (start, end), line)
                    yield from _lines(page, place, text, (start, end), line)
                start = end


def _authors(page: Page, place: int, text: str, span: tuple[int, int], line: int) -> Iterator[Statement]:
    """Find how many people the commits are by that a sentence counts."""
    counts = [one for one in commit_counts(text) if span[0] <= one[0] < span[1]]
    found = _AUTHORS.search(text, *span)
    people = value_of(found["n"] or found["m"]) if found else None
    if found is None or people is None or len(counts) != 1:
        return
    start, end, _, commits = counts[0]
    if not is_of_others(page, place, text, start, end):
        repos = repos_behind(page, place, text, start, end)
        yield _made("count", line, found[0], repos, "authors", {"commits": str(commits), "people": str(people)})


def _reverts(page: Page, place: int, text: str, span: tuple[int, int], line: int) -> Iterator[Statement]:
    """Find how many reverts there are said to be."""
    for form in _REVERTS:
        for found in form.finditer(text[span[0] : span[1]]):
            none = re.fullmatch(_NONE, found["n"], re.IGNORECASE)
            count = 0 if none else 1 if found["n"].lower() in ("one", "a", "一") else value_of(found["n"])
            start, end = span[0] + found.start(), span[0] + found.end()
            if count is not None and not is_of_others(page, place, text, start, end):
                repos = repos_behind(page, place, text, start, end)
                yield _made("count", line, found[0], repos, "undone in all", {"reverts": str(count)})
                return


def _lines(page: Page, place: int, text: str, span: tuple[int, int], line: int) -> Iterator[Statement]:
    """Find the sums of added and deleted lines over all that landed."""
    if page.subjects[place] is not None or not _ALTOGETHER.search(text, *span):
        return
    if not _OF_ALL.search(text, *span) and _names_a_change(page, place):
        return
    for found in _LINES.finditer(text, *span):
        added, deleted = ([found[key] for key in (name, f"{name}2", f"{name}3", f"{name}4")] for name in "ad")
        values = [next(one for one in side if one).replace(",", "") for side in (added, deleted)]
        if not is_of_others(page, place, text, found.start(), found.end()):
            repos = repos_behind(page, place, text, found.start(), found.end())
            params = {"additions": values[0], "deletions": values[1]}
            yield _made("statistics", line, part_of(text, *found.span(), SENTENCE), repos, "sums", params)


def _names_a_change(page: Page, place: int) -> bool:
    """Tell whether this part of the report has named a change so far: then a sum may be of that."""
    for before in range(place, -1, -1):
        if page.blocks[before].kind == "heading":
            return False
        if any(m.kind == "commit" or m.told == "pull" for m in page.mentions[before]):
            return True
    return False


def _made(kind: Kind, line: int, words: str, repos: list[RepoId], predicate: str, params: dict[str, str]) -> Statement:
    params |= {"repos": " ".join(repos)}
    return Statement(line, kind, shortened(words.strip()), None, repos[0] if repos else None, predicate, params)
