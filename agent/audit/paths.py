"""Statements that a change touches a file, and that it has to do with a name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.audit.markdown_blocks import Block, Inline
from agent.audit.page import Page
from agent.audit.sections import changes_above
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import FILES_LABEL, HEDGED, NEW_COLUMN, OLD_COLUMN, PATH_COLUMN, SPECULATIVE, TOUCHES, plain

_ENDINGS = (
    "py|pyi|ipynb|cu|cuh|h|hpp|hh|c|cc|cpp|cxx|inc|md|rst|txt|toml|yaml|yml|json|jsonl|cfg|ini|sh|bash|ps1|js|ts|tsx|jsx"
    "|mjs|rs|go|java|kt|swift|rb|php|proto|cmake|jinja|j2|html|css|scss|lock|sql|xml|gradle|m|mm|metal|td|mlir|ll|s|asm"
    "|csv|tf|nix|in|bat|dockerfile"
)
_FILE = re.compile(rf"(?:[\w.@+*{{}}…\[\]-]+/)*[\w.@+*{{}}…-]*[\w*}}]\.(?:{_ENDINGS})", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:[\w.@+-]+/)*(?:Dockerfile(?:\.[\w-]+)?|Makefile|CODEOWNERS|LICENSE|Jenkinsfile|\.\w+rc|[\w.-]+\.Dockerfile)"
)
_FOLDER = re.compile(r"(?:[\w.@+-]+/){2,}[\w.*-]*|[\w.@+-]+/\*+")
_IN_TEXT = re.compile(rf"(?<![\w/:.@])(?:[\w.@+-]+/)+[\w.@+-]+\.(?:{_ENDINGS})(?![\w/])", re.IGNORECASE)
_IDENTIFIER = re.compile(r"-{0,2}[A-Za-z_][\w]*(?:[.:/-]+[\w]+)*(?:\(\))?")
_TOUCHED = re.compile(
    r"`?\s*(?:(?:was|were|is|are|gets|got)\s+(?:re)?(?:worked|written|changed|updated|added|removed|modified|touched"
    r"|deleted|renamed|moved|split)|changes? by|被(?:修改|重写|删除|重命名|移动|更新)|有改动)",
    re.IGNORECASE,
)
# What follows is said of each: "both touch `a` (6 lines each way) and `b`".
_ALL_TOUCH = re.compile(
    r"\b(?:both|all|each|the two|the three)\b(?: of them| commits?| changes?)?(?: only| also)* "
    r"(?:touch(?:es)?|chang(?:e|es)|modif(?:y|ies)|edits?)\b(?!.*\bof\b)"
    r"|(?:两者|二者|两个提交|三个提交|这些提交)?(?:都|均|都只|只)(?:改动|修改|涉及|触及|更新)了?",
    re.IGNORECASE,
)
_CODE_LABEL = re.compile(
    r"\s*(?:#|//|--|;+|/\*|<!--|%)\s*(?P<path>[\w.@+/-]*\w)\s*"
    r"(?:[@(（\[:：,，|–—-]\s*(?:commit\s*|提交\s*)?`?[0-9a-f]{7,40}[^\n]*)?(?:\*/|-->)?[ \t]*(?:\n|$)"
)
_SENTENCE = re.compile(r"[。；\n]|[.;](?=\s)")
_LEAST = 4
_NEAR = 32
_CLAUSE = 400


@dataclass(frozen=True)
class Located:
    """A path and where it stands in its text."""

    path: str
    at: int
    end: int


def is_path(text: str) -> bool:
    """Tell whether a word is the name of a file or folder."""
    text = plain(text).strip()
    return any(form.fullmatch(text) for form in (_FILE, _NAMED)) or bool(_FOLDER.fullmatch(text) and "//" not in text)


def located(inline: Inline) -> list[Located]:
    """Find the paths of a text, in code and bare."""
    found: list[Located] = []
    for span in inline.spans:
        if span.kind == "code" and is_path(span.text):
            found.append(Located(plain(span.text).strip(), span.at, span.end))
        elif span.kind in ("text", "strong"):
            text = plain(span.text)
            found += [Located(m[0], span.at + m.start(), span.at + m.end()) for m in _IN_TEXT.finditer(text)]
    return found


def paths(page: Page) -> Iterator[Statement]:
    """State which files the report says a change touches."""
    for place, block in enumerate(page.blocks):
        yield from _above_code(page, place)
        if block.kind not in ("item", "paragraph", "row") or (block.kind == "row" and block.level):
            continue
        labelled = bool(FILES_LABEL.match(plain(block.text)))
        for cell, inline in enumerate(block.inlines):
            column = plain(block.header[cell]) if cell < len(block.header) else ""
            text = plain(inline.text)
            # What was there before and what is there now are values.
            only = _only_paths(text) and not (OLD_COLUMN.match(column) or NEW_COLUMN.match(column))
            for path in located(inline):
                yield from _of_all(page, place, inline, path)
                subject = page.nearest(place, path.at, cell)
                if subject is None or (subject.kind != "commit" and subject.told != "pull"):
                    subject = page.subjects[place]
                if subject is None or (subject.kind == "thread" and subject.told == "issue"):
                    continue
                strict = labelled or bool(PATH_COLUMN.match(column)) or _is_counted(text, path)
                told = only or TOUCHES.search(text[max(0, path.at - _NEAR) : path.at]) or _TOUCHED.match(text, path.end)
                strict = strict or bool(told and not advises(page, place))
                repo, line = page.repo_of(subject, place), inline.line_at(path.at)
                params = {"path": path.path}
                yield Statement(line, "path", path.path, subject, repo, "touches", params, strict=strict)


def _above_code(page: Page, place: int) -> Iterator[Statement]:
    """State that the file which the first line of a block of code names, a comment, is one of the change."""
    block, subject = page.blocks[place], page.subjects[place]
    label = _CODE_LABEL.match(block.code) if block.kind == "fence" else None
    if label is None or not is_path(label["path"]) or subject is None or subject.kind != "commit":
        return
    line, repo = block.line + (0 if block.level else 1), page.repo_of(subject, place)
    yield Statement(line, "path", label["path"], subject, repo, "touches", {"path": label["path"]})


def _of_all(page: Page, place: int, inline: Inline, path: Located) -> Iterator[Statement]:
    """State of each change that an entry without one of its own goes on about that it touches what all of them do."""
    start = max((mark.end() for mark in _SENTENCE.finditer(inline.text, 0, path.at)), default=0)
    said = _ALL_TOUCH.search(inline.text, start, path.at)
    for change in changes_above(page, place) if said and not advises(page, place) else ():
        line, repo = inline.line_at(path.at), page.repo_of(change, place)
        yield Statement(line, "path", path.path, change, repo, "touches", {"path": path.path})


def _only_paths(text: str) -> bool:
    """Tell whether a line is nothing but a list of files."""
    return all(is_path(word) for word in re.split(r"[、,，;；\s`]+", text.strip(" 。.")) if word)


def _is_counted(text: str, path: Located) -> bool:
    """Tell whether line counts follow, as they do behind a file that was changed."""
    return bool(re.match(r"\s*[（(]\s*(?:[+±-]\s?\d|新增|删除|文件重命名)", text[path.end : path.end + 16]))


def identifiers(page: Page) -> Iterator[Statement]:
    """State which names the report says a change has to do with."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row") or (block.kind == "row" and block.level):
            continue
        for cell, inline in enumerate(block.inlines):
            for span in inline.spans:
                word = plain(span.text).strip()
                if span.kind != "code" or len(word) < _LEAST or not _IDENTIFIER.fullmatch(word) or is_path(word):
                    continue
                subject = page.nearest(place, span.at, cell)
                change = subject is not None and (subject.kind == "commit" or subject.told == "pull")
                if subject is None or not change or re.fullmatch("[0-9a-f]{7,40}", word):
                    continue
                strict = _claims_change(block, cell, inline, span.at) and not advises(page, place)
                repo, name = page.repo_of(subject, place), word.removesuffix("()")
                params = {"identifier": name}
                words = shortened(word)
                yield Statement(span.line, "identifier", words, subject, repo, "names", params, strict=strict)


_DONE = re.compile(
    r"新增|删除|移除|重命名|替换|改为|引入|添加|加入|去除|更名|修改|增加|实现|将|\b(?:add|remov|renam|replac|introduc|delet|deprecat|import|export)\w*",
    re.IGNORECASE,
)


def _claims_change(block: Block, cell: int, inline: Inline, at: int) -> bool:
    """Tell whether the clause around a name says that something was done to it."""
    first = max(0, at - _CLAUSE)
    text, at = plain(inline.text[first : at + _CLAUSE]), at - first
    start = max(text.rfind(mark, 0, at) for mark in "。；;\n，,") + 1
    ends = [end for mark in "。；;\n，," if (end := text.find(mark, at)) >= 0]
    clause = text[start : min(ends, default=len(text))]
    column = block.header[cell] if cell < len(block.header) else ""
    return bool(_DONE.search(clause)) and not HEDGED.search(clause) and not SPECULATIVE.search(column)


def advises(page: Page, place: int) -> bool:
    """Tell whether this part of the report gives opinions and advice."""
    block = page.blocks[place]
    lead = plain(block.inlines[0].text[:40]) if block.inlines else ""
    if SPECULATIVE.search(re.split(r"[:：]", lead)[0]):
        return True
    for before in range(place - 1, max(-1, place - 40), -1):
        one = page.blocks[before]
        label = one.kind == "heading" or (one.kind == "paragraph" and len(one.text) < 30 and one.parent is None)
        if one.kind == "rule":
            return False
        if label:
            return bool(SPECULATIVE.search(one.text))
    return False
