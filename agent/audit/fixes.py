"""Statements that an issue was fixed or is still open, with its number or only in words."""

import re
from collections.abc import Iterator

from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import FIXED, NOT_FIXED, STILL_OPEN, plain

_SENTENCE = re.compile(r"[^。！？；\n]+[。！？；]?|\n")
_TELLING = re.compile(r"`[^`]+`|\b[A-Z][a-z]+[A-Z]\w+\b|\b[A-Z]{2,}[A-Z0-9_]*[a-z0-9_]\w*\b|\b\w+_\w+\b")
_LEAD = 40
_CLOSING = re.compile(
    r"(?:\b(?:fix(?:es|ed|ing)?|close[sd]?|closing|resolve[sd]?|resolving)|修复|关闭|解决)(?:了)?\s*(?:the\s+)?(?:issues?|问题)?\s*$",
    re.IGNORECASE,
)
# Who says so of the message, and not of its pull request, can be held to it.
_BY_MESSAGE = re.compile(
    r"(?:提交(?:信息|说明|消息)|\b(?:commit )?message)\s*(?:中|里)?(?:明确|也|还)?"
    r"(?:写明|写着|写道|写有|注明|标明|提到|指出|说明?|声明|称"
    r"|says?(?: that it)?|states?(?: that it)?|reads?|has|names|carries)?"
    r"\W*\w*\W*$",
    re.IGNORECASE,
)
_CLOSED_BY = re.compile(
    r"\s*(?:(?:is|was|has been|gets|got)\s+)?(?:now |also |thereby |finally )?"
    r"(?:closed|fixed|resolved)\s+(?:by|in|with|through)\b",
    re.IGNORECASE,
)
_CLOSED_LATER = re.compile(
    r"\b(?:closed|fixed|resolved|solved|addressed)\s+(?:by|in|with|through)\b|[由被](?=[^，。；,;\n]{0,60}(?:修复|关闭|解决))",
    re.IGNORECASE,
)
_OPENS, _BOTH = 4, 2
# What a change is said to name, in its message or in its lines.
_CITING = re.compile(
    r"(?:引用了?|提到了?|提及了?|指向|链接到"
    r"|\b(?:cit(?:es|ed|ing)|refer(?:s|ring)? to|referenc(?:es|ed|ing)|mentions?|links? to|points? (?:to|at)|names))"
    r"\s*(?:the\s+)?(?:[\w.-]+(?:/[\w.-]+)?(?:\s*的|['’]s)?\s*)?(?:issues?|问题|PR|pull request)?\s*$",
    re.IGNORECASE,
)
_IN_WHAT = re.compile(
    r"(?:注释|提交信息|提交说明|代码|文档|\b(?:comments?|message|docstring|code|TODO|description))[^，。；,;.\n]{0,40}$",
    re.IGNORECASE,
)


def fixes(page: Page) -> Iterator[Statement]:
    """State which issues the report tells as fixed."""
    listed = _listed_issues(page)
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row"):
            continue
        for cell, inline in enumerate(block.inlines):
            threads = [m for m in page.mentions[place] if m.kind == "thread" and m.told != "pull" and m.cell == cell]
            commits = tuple(m for m in page.mentions[place] if m.kind == "commit" and m.sure and m.cell == cell)
            issue = next((m for m in threads if m.told == "issue"), None)
            for found in _SENTENCE.finditer(inline.text):
                sentence = plain(found[0])
                inside = [m for m in threads if found.start() <= m.at < found.end()]
                subject = next(iter(inside), issue)
                line = inline.line_at(found.start())
                if STILL_OPEN.search(sentence) and subject is not None:
                    yield _state(page, place, line, subject, sentence)
                elif FIXED.search(sentence) and not NOT_FIXED.search(sentence):
                    if subject is not None and subject.told == "issue":
                        by = tuple(m for m in commits if found.start() <= m.at < found.end())
                        yield _fixed(page, place, line, subject, sentence, by)
                    elif (subject is None or not subject.told) and block.kind != "row":
                        yield from _unnumbered(page, place, found, line, listed)


def closings(page: Page) -> Iterator[Statement]:
    """State of each change that is said to close an issue by its number that it has to do with it."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row"):
            continue
        for mention in page.mentions[place]:
            inline = block.inlines[mention.cell]
            lead = plain(inline.text[max(0, mention.at - _LEAD) : mention.at])
            closing = _CLOSING.search(lead)
            if mention.kind != "thread" or mention.told == "pull" or mention.damaged:
                continue
            if closing is None:
                yield from _closed_by(page, place, mention)
                yield from _cited(page, place, mention, lead)
                continue
            change = page.nearest(place, mention.at, mention.cell)
            if change is None or change.told == "issue" or change is mention:
                change = _change_around(page, place) or _introduced(page, place)
            if change is not None and (change.kind == "commit" or change.told == "pull"):
                repo, words = page.repo_of(change, place), f"{lead[closing.start() :]}{mention.words}"
                params = {"issue": str(mention.number)} | ({"by": "message"} if _BY_MESSAGE.search(lead) else {})
                yield Statement(mention.line, "fix", words, change, repo, "closes", params)


def _cited(page: Page, place: int, mention: Mention, lead: str) -> Iterator[Statement]:
    """State of a number that the lines or the message of a change are said to name that they do."""
    citing = _CITING.search(lead)
    change = page.nearest(place, mention.at, mention.cell) if citing else None
    if citing is None or change is None or change is mention or not _IN_WHAT.search(lead[: citing.start()]):
        return
    if change.kind == "commit" or change.told == "pull":
        words, params = f"{lead[citing.start() :]}{mention.words}", {"number": str(mention.number)}
        yield Statement(mention.line, "fix", shortened(words), change, page.repo_of(change, place), "cites", params)


def _change_around(page: Page, place: int) -> Mention | None:
    """Find the change of which an entry that names only an issue speaks: that of its item, or of its heading."""
    block = page.blocks[place]
    if block.parent is not None:
        return page.subjects[block.parent]
    for before in range(place - 1, -1, -1):
        if page.blocks[before].kind == "rule":
            return None
        if page.blocks[before].kind == "heading":
            return page.subjects[before]
    return None


def _introduced(page: Page, place: int) -> Mention | None:
    """Find the change of the paragraph above a list: the last one, and the only one that it names."""
    if page.blocks[place].kind != "item":
        return None
    for before in range(place - 1, -1, -1):
        one = page.blocks[before]
        commits = {m.sha[:7]: m for m in page.mentions[before] if m.kind == "commit" and m.sure}
        if one.kind in ("heading", "rule", "row") or (one.kind == "item" and commits):
            return None
        if one.kind == "paragraph" and one.parent is None:
            return next(iter(commits.values())) if len(commits) == 1 else None
    return None


def _closed_by(page: Page, place: int, issue: Mention) -> Iterator[Statement]:
    """Find the change that an issue is said to be closed by."""
    inline = page.blocks[place].inlines[issue.cell]
    text = plain(inline.text)
    at = issue.at + len(next((s.text for s in inline.spans if s.at == issue.at and s.kind == "link"), issue.words))
    closing = _CLOSED_BY.match(text, at)
    if closing is None and issue.at <= _OPENS and len(page.mentions[place]) == _BOTH:
        # An entry of a list of issues: "#12 — the title; fixed by `abc1234`".
        closing = _CLOSED_LATER.search(text, at)
    if closing is None:
        return
    end = next((one for one in page.sentence_ends(place, issue.cell) if one > closing.end()), len(text))
    change = next(
        (m for m in page.within(place, issue.cell, closing.end(), end) if m.kind == "commit" and m.sure), None
    )
    if change is not None:
        repo, words = page.repo_of(change, place), f"#{issue.number}{closing[0]} {change.words}"
        # That an issue is fixed is a statement of its own already.
        params = {"issue": str(issue.number), "only": "wrong"}
        yield Statement(issue.line, "fix", shortened(words), change, repo, "closes", params)


def _fixed(page: Page, place: int, line: int, issue: Mention, words: str, by: tuple[Mention, ...] = ()) -> Statement:
    repo = page.repo_of(issue, place)
    params = {"issue": str(issue.number)}
    return Statement(line, "fix", shortened(words), issue, repo, "fixes", params, also=by)


def _state(page: Page, place: int, line: int, issue: Mention, words: str) -> Statement:
    repo = page.repo_of(issue, place)
    return Statement(line, "state", shortened(words), issue, repo, "state", {"state": "open"})


def _listed_issues(page: Page) -> list[tuple[int, Mention, str]]:
    """Find the issues that the report lists with their titles."""
    found = []
    for place, block in enumerate(page.blocks):
        subject = page.subjects[place]
        if (
            block.kind in ("item", "row")
            and subject is not None
            and subject.kind == "thread"
            and subject.told == "issue"
        ):
            found.append((place, subject, plain(block.text)))
    return found


def _unnumbered(
    page: Page, place: int, sentence: re.Match[str], line: int, listed: list[tuple[int, Mention, str]]
) -> Iterator[Statement]:
    """Find listed issues that a sentence tells as solved by the names in their titles."""
    for clause in _fixing_clauses(page, place, sentence):
        told = {word.strip("`") for word in _TELLING.findall(clause)}
        for at, issue, title in listed:
            shared = {word for word in told if len(word) > 3 and word in title}
            if shared and not _in_a_commit(page, shared):
                yield _fixed(page, at, line, issue, clause)


def _fixing_clauses(page: Page, place: int, sentence: re.Match[str]) -> Iterator[str]:
    """Give the part of a sentence behind the word that says fixed, with code marked as such."""
    inline = next(
        one for one in page.blocks[place].inlines if one.text[sentence.start() : sentence.end()] == sentence[0]
    )
    marked, done = "", sentence.start()
    for span in inline.spans:
        if span.kind == "code" and sentence.start() <= span.at < sentence.end():
            marked += inline.text[done : span.at] + f"`{span.text}`"
            done = span.end
    marked += inline.text[done : sentence.end()]
    if found := FIXED.search(marked):
        yield marked[found.start() :]


def _in_a_commit(page: Page, words: set[str]) -> bool:
    """Tell whether a change that the report lists has the same names in its title."""
    for place, block in enumerate(page.blocks):
        subject = page.subjects[place]
        change = subject is not None and (subject.kind == "commit" or subject.told == "pull")
        if change and block.kind != "paragraph" and any(word in plain(block.text) for word in words):
            return True
    return False
