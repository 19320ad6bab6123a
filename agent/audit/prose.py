"""The sentences of a report that cite a commit or stand under one: code cannot say whether they are true."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent.audit.findings import NOT_CHECKED, Finding
from agent.audit.lookup import Library
from agent.audit.markdown import code_of, links_of, plain
from agent.audit.structure import Entry, field_name
from agent.domain.base import CommitId
from agent.gate.verbatim import normal

_END = re.compile(
    r"[。！？](?:[”」』）)]{0,2})|[!?.](?=\s+[A-Z\"'“(\[`*])|；|<br ?/?>|(?<=[。！？.!?;；:：|])\n|\n(?=[*<\[])"
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{1,40}")
_FEW_SIGNS, _FEW_WORDS, _LONG = 6, 4, 100  # What is shorter is a label or a name, and tells nothing.


class Sentence(NamedTuple):
    """A sentence and the commits by which it can be judged."""

    line: int
    text: str
    commits: tuple[CommitId, ...]
    codes: tuple[str, ...]
    """What it gives as code."""


def sentences_of(entries: Sequence[Entry], library: Library) -> list[Sentence]:
    """List the sentences of all entries; titles, labelled values and tables of contents are none."""
    found: dict[tuple[int, str], Sentence] = {}
    for entry in entries:
        row = entry.block.kind == "row" and entry.block.header
        if not entry.commits or not (row or entry.block.kind in ("text", "item")):
            continue
        titles = [normal(plain(library.commit(name).title)) for name in entry.commits]
        for line, text in _pieces(entry):
            words = plain(text).strip(" -–—:：|")
            rest = next((normal(words).replace(title, " ") for title in titles if title in normal(words)), words)
            if _tells(rest, text):
                codes = tuple(code.text for code in code_of(text))
                found.setdefault((line, words), Sentence(line, words, entry.commits, codes))
    return list(found.values())


def _pieces(entry: Entry) -> Iterator[tuple[int, str]]:
    """Cut a block into sentences, each with its line; values of fields are checked by code."""
    block = entry.block
    if block.kind == "row":
        cells = [cell for head, cell in zip(block.header, block.cells, strict=False) if not field_name(head)]
        yield from ((block.line, piece) for cell in cells for _, piece in _cut(cell))
        return
    known = [field.start for field in entry.fields if field.name != "files"]
    for start, piece in _cut(block.text):
        # A long one says more behind the value.
        if len(piece) > _LONG or bisect_left(known, start) == bisect_left(known, start + len(piece)):
            yield block.line_at(start + len(piece) - len(piece.lstrip())), piece


def _cut(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for end in _END.finditer(text):
        yield at, text[at : end.end()]
        at = end.end()
    yield at, text[at:]


def _tells(words: str, text: str) -> bool:
    """Tell whether a piece is more than a label, a name or a link into the page."""
    if any(link.url.startswith("#") for link in links_of(text)):
        return False
    bare = re.sub(r"`[^`\n]{0,1000}`|https?://\S{1,2000}", " ", words)
    told = re.split(r"[:：]\s*", bare, maxsplit=1)[-1]
    return len(_CHINESE.findall(told)) >= _FEW_SIGNS or len(_WORD.findall(told)) >= _FEW_WORDS


def unchecked(sentences: Sequence[Sentence], why: str) -> list[Finding]:
    """Say of sentences that nobody has read them."""
    return [Finding(one.line, "sentence", one.text[:300], NOT_CHECKED, why) for one in sentences]
