"""Sentences in which a report tells what a change does, made ready for the gate."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.audit.markdown_blocks import Block, Inline
from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.paths import advises
from agent.audit.sections import changes_above
from agent.audit.statement import Statement, shortened
from agent.audit.stats import counted
from agent.audit.vocabulary import (
    DEFAULT_COLUMN,
    HEDGED,
    NEW_COLUMN,
    OLD_COLUMN,
    SPECULATIVE,
    TOLD_COLUMN,
    UNSURE,
    plain,
)

_CITED = re.compile(
    r"[(（\[]\s*(?:(?:commit|提交|pr|pull request|see|见|and|和|by|,|，|、|/|;|；|\s)*§+)+\s*(?:[,，;；]\s*)?[)）\]]",
    re.IGNORECASE,
)
_MARKED = re.compile(r"§+")
_CODE = re.compile(r"`[^`]*`")
# "Tue 03-10" behind a title, which others read.
_DAY = re.compile(
    r"[,，(（]\s*((?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\.?\s+)?\d\d[-/]\d\d)(?=\s*(?:$|[,，)）\n]))", re.MULTILINE
)
# When something landed is no number of the diff; "2:30" behind a name in code is.
_TIME = r"[0-2]?\d:[0-5]\d(?::[0-5]\d)?"
_CLOCK = re.compile(
    rf"(?<![\w:.`/-])(?<!月)(?<!月 )(?:[0-3]?\d\s*[日号]\s*(?:{_TIME})?|(?=\d\d){_TIME})(?![\w:`]|\.\w)", re.ASCII
)
_LABEL = re.compile(r"^\W*[\w /]{1,24}[:：]\s*")
_DEFAULT = re.compile(r"[\w.+\"'-]*\w[\"']?")
_VALUE = re.compile(r"[<>=~^!]*\s*`?[<>=~^!]*\s*(?P<value>[^`\n]{1,80}?)`?")
_CLAUSE = re.compile(r"[，,；;。]\s*|\s(?=(?:because|since|so that|which|as it|as they)\b)|(?=因为|以便|以免|从而)")
# Names and figures of a condition are no statement, and a list goes on behind its commas.
_CONDITION = re.compile(
    r"^\W*(?:when|whenever|once|unless|with|without|当|一旦|除非|在[^，。]{0,60}(?:时|情况下|场景下))", re.IGNORECASE
)
_PERMITTED = re.compile(r"\bmay (?:now |only |also )*be (?=`?[\d\"'])|可以(?:是|为|取)(?=\s*`?[\d\"'])", re.IGNORECASE)
_LEAST = 8
_NEAR = 1000
_SEVERAL = 6
"""How many changes one sentence may speak of and still be held to them."""


@dataclass(frozen=True)
class _Telling:
    at: int
    text: str
    about: tuple[Mention, ...]
    above: bool = False
    """Whether the changes are those that its part has named, and not its own."""
    hedged: bool = False
    """Whether the sentence goes on with a guess or tells what was before: then its names may be of anything."""


def tellings(page: Page) -> Iterator[Statement]:
    """State that each sentence beside a change says what the change does."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row") or (block.kind == "row" and block.level):
            continue
        if advises(page, place):
            continue
        yield from _given(page, place)
        yield from _exchanged(page, place)
        for cell, inline in enumerate(block.inlines):
            if not _tells(block, cell):
                continue
            for told in _tellings(page, place, cell, inline):
                about, *also = told.about
                params = {"text": told.text, "around": _around(block, inline, told.at)}
                params |= {"quoted": "yes"} if block.quoted else {}
                params |= {"hedged": "yes"} if told.hedged else {}
                yield Statement(
                    inline.line_at(told.at),
                    "sentence",
                    shortened(told.text),
                    about,
                    page.repo_of(about, place),
                    "says",
                    params | ({"above": "yes"} if told.above else {}),
                    also=tuple(also),
                )


def _given(page: Page, place: int) -> Iterator[Statement]:
    """State of a row with a column of defaults that the name which it opens with has this default."""
    block, subject = page.blocks[place], page.subjects[place]
    code = next((span.text for inline in block.inlines[:1] for span in inline.spans if span.kind == "code"), "")
    column = next((n for n, name in enumerate(block.header) if DEFAULT_COLUMN.match(plain(name).strip())), 0)
    value = plain(block.inlines[column].text).strip() if 0 < column < len(block.inlines) else ""
    if block.kind == "row" and code and _DEFAULT.fullmatch(value) and subject is not None and _is_change(subject):
        text = f"`{code}` defaults to `{value}`."
        params = {"text": text, "around": plain(block.text)}
        yield Statement(block.line, "sentence", text, subject, page.repo_of(subject, place), "says", params)


def _exchanged(page: Page, place: int) -> Iterator[Statement]:
    """State of a row with columns of old and new values that what it opens with went from one to the other."""
    block, subject = page.blocks[place], page.subjects[place]
    columns = [
        next((n for n, name in enumerate(block.header) if form.match(plain(name).strip())), 0)
        for form in (OLD_COLUMN, NEW_COLUMN)
    ]
    cells = [plain(block.inlines[n].text).strip() if 0 < n < len(block.inlines) else "" for n in columns]
    old, new = (found["value"] if (found := _VALUE.fullmatch(cell)) else "" for cell in cells)
    if block.kind == "row" and old and new and old != new and subject is not None and _is_change(subject):
        names = " ".join(f"`{span.text}`" for span in block.inlines[0].spans if span.kind == "code")
        text = f"{names or f'`{plain(block.inlines[0].text).strip()}`'}: from `{old}` to `{new}`."
        params = {"text": text, "around": plain(block.text), "hedged": "yes"}
        yield Statement(block.line, "sentence", text, subject, page.repo_of(subject, place), "says", params)


def _around(block: Block, inline: Inline, at: int) -> str:
    """Give the words around a sentence: all of its entry, unless that is endless."""
    short = sum(len(one.text) for one in block.inlines) <= 2 * _NEAR
    return plain(block.text if short else inline.text[max(0, at - _NEAR) : at + _NEAR])


def _tells(block: Block, cell: int) -> bool:
    """Tell whether a cell describes; a text that is no table's always may."""
    column = plain(block.header[cell]).strip() if cell < len(block.header) else ""
    return block.kind != "row" or (bool(TOLD_COLUMN.match(column)) and not SPECULATIVE.search(column))


def _tellings(page: Page, place: int, cell: int, inline: Inline) -> Iterator[_Telling]:
    letters = _without_references(page, place, cell, inline)
    above = changes_above(page, place)
    start = 0
    for end in (*page.sentence_ends(place, cell), len(inline.text)):
        words = "".join(letters[start:end])
        at = start + len(words) - len(words.lstrip())
        text = " ".join(_MARKED.sub(" ", _CITED.sub(" ", words)).split())
        text = _LABEL.sub("", text)
        hedged = bool(HEDGED.search(_CODE.sub("", text)))
        text = _sure_part(text) if hedged else text
        if len(text) >= _LEAST:
            if about := _about(page, place, cell, start, end):
                yield _Telling(at, text, about, hedged=hedged)
            elif above:
                yield _Telling(at, text, above, above=True, hedged=hedged)
        start = end


def _sure_part(text: str) -> str:
    """Keep what stands before the first clause that guesses, advises or sets a condition."""
    if _CONDITION.match(text):
        return ""
    words = _CODE.sub(lambda code: "`" + "0" * (len(code[0]) - 1), text)
    start = 0
    for end in (*(found.end() for found in _CLAUSE.finditer(words)), len(words)):
        if UNSURE.search(_PERMITTED.sub("", words[start:end])):
            return text[:start]
        start = end
    return text


def _about(page: Page, place: int, cell: int, start: int, end: int) -> tuple[Mention, ...]:
    """List the changes that a sentence speaks of: those that it names, else the one it stands with."""
    named = [m for m in page.within(place, cell, start, end) if _is_change(m)]
    near = page.nearest(place, start, cell)
    found = {(m.sha[:7], m.number): m for m in (*named, *((near,) if near is not None and _is_change(near) else ()))}
    if not found and near in page.mentions[place] and near.kind == "thread" and not near.told and not near.damaged:
        # A bare number is a change where a commit came by it; what was told before it is not about it.
        return (near,) if near.cell == cell and near.at <= end else ()
    return tuple(found.values()) if len(found) <= _SEVERAL else ()


def _is_change(mention: Mention) -> bool:
    return (mention.kind == "commit" and mention.sure) or (mention.kind == "thread" and mention.told == "pull")


def _without_references(page: Page, place: int, cell: int, inline: Inline) -> list[str]:
    """Give a text letter by letter, with code marked as such and every reference blotted out."""
    letters = list(inline.text)
    for span in inline.spans:
        if span.kind == "link":
            letters[span.at : span.end] = "§" * len(span.text)
        if span.kind == "code" and len(span.text) and "`" not in span.text:
            letters[span.at] = "`" + letters[span.at]
            letters[span.end - 1] += "`"
    for mention in page.mentions[place]:
        if mention.cell == cell and not mention.words.startswith("http"):
            letters[mention.at : mention.at + len(mention.words)] = ["§"] * len(mention.words)
    for start, end in counted(inline):
        # Lines and files are counted elsewhere, in every way that they may be.
        letters[start:end] = ["§"] * (end - start)
    for clock in _CLOCK.finditer(plain(inline.text)):
        letters[clock.start() : clock.end()] = ["§"] * len(clock[0])
    for day in _DAY.finditer(plain(inline.text)):
        letters[day.start(1) : day.end(1)] = ["§"] * len(day[1])
    return letters
