"""A Markdown report as blocks with their lines. Every pattern is bounded: a report may be a megabyte of brackets."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import takewhile
from typing import NamedTuple

from markdown_it import MarkdownIt

BAR = " | "  # What stands between the cells in the text of a row
_SAME_WIDTH = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00a0": " ", "\u3000": " ", "\t": " "})
_CODE = re.compile(r"(?<!`)(?:`([^`\n]{1,1000})`|``(?!`)((?:[^`\n]|`(?!`)){1,1000})``)(?!`)")
_LINK = (
    r"\[([^\[\]\n]{0,400}(?:\[[^\[\]\n]{0,200}\][^\[\]\n]{0,400}){0,4})\]"
    r"\( ?<?([^()\s<>]{1,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,500})?)>?(?: +[\"'][^\"'\n]{0,300}[\"'])? ?\)"
)
_ADDRESS = r"(https?://[^\s<>()\[\]`\"'|，。；、）】]{1,2000})(?<![.,;:!?*_])"
_LABELLED, _LINKS = re.compile(_LINK), re.compile(f"{_LINK}|{_ADDRESS}")
_MARKUP = re.compile(
    _CODE.pattern + r"|<[/!]?[A-Za-z-][^<>\n]{0,300}>|\*{1,3}|~~|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)"
)


class MarkdownSpan(NamedTuple):
    """A code span, a link by its label, or an address by itself, whose label is then the address."""

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
    language: str = ""  # Of a fence
    closed: bool = True  # False for a fence that nobody closes

    def line_at(self, place: int) -> int:
        """Give the line on which a place of the text stands."""
        return self.line + bisect_left(self._breaks, place)

    @cached_property
    def _breaks(self) -> list[int]:
        return [one.start() for one in re.finditer("\n", self.text)]


def read_blocks(text: str) -> Iterator[Block]:
    """Take a report apart."""
    text = text.replace("\r\n", "\n").translate(_SAME_WIDTH)
    lines, tokens = text.split("\n"), iter(_reader().parse(text))
    kind, level, header = "text", 0, tuple[str, ...]()
    for token in tokens:
        line = token.map[0] + 1 if token.map else 0
        match token.type:
            case "heading_open":
                kind, level = "heading", int(token.tag[1])
            case "list_item_open":
                kind, level = "item", token.level
            case "inline":
                yield Block(kind, line, token.content, token.level if kind == "text" else level)
                kind = "text"
            case "table_open":
                header = ()
            case "tr_open":
                inner = takewhile(lambda one: one.type != "tr_close", tokens)
                cells = tuple(one.content for one in inner if one.type == "inline")
                yield Block("row", line, BAR.join(cells), cells=cells, header=header)
                header = header or cells
            case "fence":
                start, end = token.map or (0, 0)
                closed = end - start > 1 and lines[end - 1].strip(" >").startswith(token.markup)
                language = (token.info.split() or [""])[0].lower()
                yield Block(
                    "fence",
                    line,
                    token.content.rstrip("\n"),
                    token.level,
                    language=language,
                    closed=closed,
                )
                kind = "text"


@cache
def _reader() -> MarkdownIt:
    """Read blocks as CommonMark and GitHub's tables have them; indented code, HTML and definitions are text."""
    reader = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
    reader.disable(["reference", "code", "html_block", "lheading"])
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader


def links_of(text: str) -> list[MarkdownSpan]:
    """Find the links of a text, and the addresses that stand by themselves."""
    return [
        MarkdownSpan(*one.span(), one[1] or one[3] or "", one[2] or one[3])
        for one in _LINKS.finditer(text)
    ]


def code_of(text: str) -> list[MarkdownSpan]:
    """Find the code spans of a text."""
    return [MarkdownSpan(*one.span(), (one[1] or one[2]).strip()) for one in _CODE.finditer(text)]


def blanked(text: str, spans: Sequence[MarkdownSpan]) -> str:
    """Put blanks over parts of a text, so that all places stay where they are."""
    pieces, at = [], 0
    for span in sorted(spans):
        if span.start >= at:
            pieces += [text[at : span.start], " " * (span.end - span.start)]
            at = span.end
    return "".join([*pieces, text[at:]])


def plain(text: str) -> str:
    """Give the words of a text as a reader sees them; code spans keep their marks."""
    labelled = _LABELLED.sub(r"\1", text)
    return " ".join(
        _MARKUP.sub(
            lambda one: one[0] if one[0][0] == "`" else " " * (one[0][0] == "<"), labelled
        ).split()
    )
