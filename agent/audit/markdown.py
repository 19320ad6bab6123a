"""A Markdown report as blocks with their lines.

Every pattern is bounded: a report may be a megabyte of brackets.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

BAR = " | "
"""What stands between the cells in the text of a row."""
_SAME_WIDTH = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00a0": " ", "\u3000": " ", "\t": " "})
_CODE = re.compile(r"(?<!`)(?:`([^`\n]{1,1000})`|``(?!`)((?:[^`\n]|`(?!`)){1,1000})``)(?!`)")
_LINK = (
    r"\[([^\[\]\n]{0,400}(?:\[[^\[\]\n]{0,200}\][^\[\]\n]{0,400}){0,4})\]"
    r"\( ?<?([^()\s<>]{1,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,500})?)>?"
    r"(?: +[\"'][^\"'\n]{0,300}[\"'])? ?\)"
)
_ADDRESS = r"(https?://[^\s<>()\[\]`\"'|，。；、）】]{1,2000})(?<![.,;:!?*_])"
_LABELLED_LINK = re.compile(_LINK)
_LINK_OR_ADDRESS = re.compile(f"{_LINK}|{_ADDRESS}")
_MARKUP = re.compile(
    _CODE.pattern + r"|<[/!]?[A-Za-z-][^<>\n]{0,300}>|\*{1,3}|~~|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)"
)
_CELL_BORDER = re.compile(r"(?<!\\)\|")


class MarkdownSpan(NamedTuple):
    """A code span, a link by its label, or an address by itself, whose label is the address."""

    start: int
    end: int
    text: str
    url: str = ""


@dataclass(frozen=True)
class Block:
    """One part of a report; its text has no markers of lists, tables and fences."""

    kind: str  # heading, text, item, row or fence
    line: int
    text: str
    level: int = 0  # Of a heading 1 to 6; of anything else its indentation
    cells: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    written_cells: int = 0  # Of a row; a reader fills up what is missing with empty cells
    language: str = ""  # Of a fence
    closed: bool = True  # False for a fence that nobody closes

    def line_at(self, offset: int) -> int:
        """Return the line of the report on which an offset of the text lies."""
        return self.line + bisect_left(self._line_breaks, offset)

    @cached_property
    def _line_breaks(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]


def read_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a report from top to bottom."""
    text = text.replace("\r\n", "\n").translate(_SAME_WIDTH)
    lines = text.split("\n")
    tokens = iter(_reader().parse(text))
    kind = "text"
    level = 0
    header: tuple[str, ...] = ()
    for token in tokens:
        line = token.map[0] + 1 if token.map else 0
        match token.type:
            case "heading_open":
                kind = "heading"
                level = int(token.tag[1])
            case "list_item_open":
                kind = "item"
                level = token.level
            case "inline":
                block_level = token.level if kind == "text" else level
                yield Block(kind, line, token.content, block_level)
                kind = "text"
            case "table_open":
                header = ()
            case "tr_open":
                cells = _cells(tokens)
                yield Block(
                    "row",
                    line,
                    BAR.join(cells),
                    cells=cells,
                    header=header,
                    written_cells=_count_cells(lines[line - 1]),
                )
                header = header or cells
            case "fence":
                yield _fence(token, lines)
                kind = "text"


def _cells(tokens: Iterator[Token]) -> tuple[str, ...]:
    """Return the cells of the row that has just begun."""
    cells = []
    for token in tokens:
        if token.type == "tr_close":
            break
        if token.type == "inline":
            cells.append(token.content)
    return tuple(cells)


def _count_cells(line: str) -> int:
    """Return how many cells a line of a table has, as GitHub counts them."""
    inner = line.strip(" >")
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return len(_CELL_BORDER.split(inner))


def _fence(token: Token, lines: Sequence[str]) -> Block:
    start, end = token.map or (0, 0)
    is_closed = end - start > 1 and lines[end - 1].strip(" >").startswith(token.markup)
    language = (token.info.split() or [""])[0].lower()
    return Block(
        "fence",
        start + 1,
        token.content.rstrip("\n"),
        token.level,
        language=language,
        closed=is_closed,
    )


@cache
def _reader() -> MarkdownIt:
    """Return a reader of CommonMark's blocks and GitHub's tables.

    Indented code, HTML and definitions of links are text to it.
    """
    reader = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
    reader.disable(["reference", "code", "html_block", "lheading"])
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader


def links_of(text: str) -> list[MarkdownSpan]:
    """Return the links of a text, and the addresses that stand by themselves."""
    links = []
    for match in _LINK_OR_ADDRESS.finditer(text):
        label, url, address = match.groups()
        links.append(MarkdownSpan(*match.span(), label or address or "", url or address))
    return links


def code_of(text: str) -> list[MarkdownSpan]:
    """Return the code spans of a text."""
    spans = []
    for match in _CODE.finditer(text):
        code = match[1] or match[2]
        spans.append(MarkdownSpan(*match.span(), code.strip()))
    return spans


def blanked(text: str, spans: Sequence[MarkdownSpan]) -> str:
    """Return a text with blanks in place of some parts, so that all offsets stay."""
    pieces = []
    offset = 0
    for span in sorted(spans):
        if span.start < offset:
            continue
        pieces.append(text[offset : span.start])
        pieces.append(" " * (span.end - span.start))
        offset = span.end
    pieces.append(text[offset:])
    return "".join(pieces)


def plain(text: str) -> str:
    """Return the words of a text as a reader sees them; code spans keep their marks."""
    without_links = _LABELLED_LINK.sub(r"\1", text)
    return " ".join(_MARKUP.sub(_without_markup, without_links).split())


def _without_markup(match: re.Match[str]) -> str:
    markup = match[0]
    if markup.startswith("`"):
        return markup
    return " " if markup.startswith("<") else ""
