"""A Markdown report as blocks with line numbers: headings, paragraphs, list items, table rows, fences."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent.audit.html_blocks import HtmlPart, HtmlPiece, InlineTag, html_parts, inline_tag

SpanKind = Literal["text", "strong", "code", "link"]
BlockKind = Literal["heading", "paragraph", "item", "row", "fence", "rule", "comment"]

# Addresses end where Chinese punctuation begins, which is no part of them.
_BARE = re.compile(r"https?://[^\s<>()\[\]{}\"'`|，。；：、！？（）【】「」《》*]+(?<![.,;:!?])")

# What chats, mails and word processors put before an entry; Markdown knows none of them.
_BULLET = re.compile(r"^([ \t]*)[•◦▪▫‣⁃●○∙](?=[ \t])", re.MULTILINE)


@dataclass(frozen=True)
class Span:
    """A stretch of a line with one meaning."""

    kind: SpanKind
    text: str
    line: int
    at: int
    """Where it begins in the text around it."""
    url: str = ""

    @property
    def end(self) -> int:
        """Where it ends in the text around it."""
        return self.at + len(self.text)


@dataclass(frozen=True)
class Inline:
    """Running text, as it is read: no markup, links by their labels."""

    text: str = ""
    line: int = 0
    spans: tuple[Span, ...] = ()

    def line_at(self, position: int) -> int:
        """Tell the line on which a character stands."""
        place = bisect_right(self.spans, position, key=attrgetter("at"))
        return self.spans[place - 1].line if place else self.line


@dataclass(frozen=True)
class Block:
    """One piece of the report."""

    kind: BlockKind
    line: int
    end: int
    inlines: tuple[Inline, ...] = ()
    """One, or for a table's row one for each cell."""
    level: int = 0
    """The level of a heading, the depth of a list item."""
    parent: int | None = None
    """The place of the list item that it stands in."""
    header: tuple[str, ...] = ()
    """The names of the columns, for a table's row."""
    code: str = ""
    """What is between the fences."""
    info: str = ""
    """What stands behind the opening fence."""
    quoted: bool = False
    """Whether it is set off as somebody's words."""
    closed: bool = True
    """False for a fence that is never closed."""
    anchors: tuple[str, ...] = ()
    """Ids that are set by hand."""

    @property
    def text(self) -> str:
        """The text as it is read."""
        return " | ".join(inline.text for inline in self.inlines)

    @property
    def spans(self) -> Iterator[Span]:
        """Every span of every cell."""
        for inline in self.inlines:
            yield from inline.spans


def read_blocks(markdown: str) -> tuple[Block, ...]:
    """Take a report apart; whatever is no Markdown is a paragraph."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    return tuple(_Walk(parser.parse(_BULLET.sub(r"\1-", markdown)), markdown.splitlines()).blocks())


class _Walk:
    """Goes through the parser's tokens once, keeping which list and table it is in."""

    def __init__(self, tokens: Sequence[Token], lines: Sequence[str]) -> None:
        self._tokens = tokens
        self._lines = lines
        self._found: list[Block] = []
        self._items: list[int | None] = []
        self._quotes = 0
        self._header: tuple[str, ...] = ()
        self._cells: list[Inline] = []
        self._row_line = 0
        self._in_head = False
        self._within = ""
        """The element that holds the next text."""

    def blocks(self) -> list[Block]:
        """Give the blocks in the order in which they stand."""
        for token in self._tokens:
            self._take(token)
        return self._found

    def _take(self, token: Token) -> None:
        match token.type:
            case "heading_open" | "paragraph_open" | "th_open" | "td_open":
                self._within = token.tag
            case "list_item_open":
                self._items.append(None)
            case "list_item_close":
                self._items.pop()
            case "blockquote_open" | "blockquote_close":
                self._quotes += token.nesting
            case "thead_open" | "thead_close":
                self._in_head = token.type == "thead_open"
            case "tr_open":
                self._cells, self._row_line = [], _first(token)
            case "tr_close":
                self._end_row()
            case "inline":
                self._inline(token)
            case "fence" | "code_block":
                self._fence(token)
            case "hr":
                self._add(Block("rule", _first(token), _last(token)))
            case "html_block":
                self._html(token)
            case _:
                pass

    def _add(self, block: Block) -> None:
        own = next((item for item in reversed(self._items) if item is not None), None)
        self._found.append(replace(block, parent=own))

    def _end_row(self) -> None:
        if self._in_head:
            self._header = tuple(cell.text.strip() for cell in self._cells)
        row = Block("row", self._row_line, self._row_line, tuple(self._cells), header=self._header)
        self._add(replace(row, level=int(self._in_head)))

    def _inline(self, token: Token) -> None:
        start = _first(token) or self._row_line
        inline, anchors = read_inline(token.children or [], start)
        if self._within in ("th", "td"):
            self._cells.append(inline)
            return
        end = _last(token) or start
        if self._within.startswith("h"):
            self._add(Block("heading", start, end, (inline,), level=int(self._within[1]), anchors=anchors))
        elif self._items and self._items[-1] is None:
            outer = next((item for item in reversed(self._items[:-1]) if item is not None), None)
            block = Block("item", start, end, (inline,), level=len(self._items), parent=outer, anchors=anchors)
            self._found.append(block)
            self._items[-1] = len(self._found) - 1
        else:
            level, quoted = len(self._items), self._quotes > 0
            self._add(Block("paragraph", start, end, (inline,), level=level, anchors=anchors, quoted=quoted))

    def _fence(self, token: Token) -> None:
        first, last = _first(token), _last(token)
        closing = self._lines[last - 1].strip() if last <= len(self._lines) else ""
        closed = token.type == "code_block" or (last > first and closing.startswith(token.markup[:3]))
        block = Block("fence", first, last, code=token.content, info=token.info.strip(), closed=closed)
        self._add(replace(block, level=int(token.type == "code_block")))

    def _html(self, token: Token) -> None:
        for part in html_parts(token.content, _first(token)):
            self._add(_html_block(part))


def _html_block(part: HtmlPart) -> Block:
    """Make a block of what a browser would show."""
    inlines = tuple(_gather(pieces, part.line) for pieces in part.cells)
    kind: BlockKind = part.kind
    return Block(
        kind,
        part.line,
        part.line,
        inlines,
        level=part.level,
        header=part.header,
        code=part.code,
        anchors=part.anchors,
    )


def _gather(pieces: Sequence[HtmlPiece], line: int) -> Inline:
    text, spans = "", list[Span]()
    for piece in pieces:
        spans += _split(piece.kind, piece.text, piece.line, len(text), piece.url)
        text += piece.text
    return Inline(text, line, tuple(spans))


def read_inline(tokens: Sequence[Token], line: int) -> tuple[Inline, tuple[str, ...]]:
    """Read running text; give the ids that are set in it too."""
    text, spans, anchors = "", list[Span](), list[str]()
    strong, link, labelled, start = 0, "", False, line
    for token in tokens:
        kind: SpanKind = "link" if link else "strong" if strong else "text"
        piece = ""
        match token.type:
            case "softbreak" | "hardbreak":
                piece, kind = "\n", "text"
            case "code_inline":
                piece, kind = token.content, "link" if link else "code"
            case "text" | "text_special" | "image":
                # Where people chat, `<address|label>` is a link.
                piece = token.content.rpartition("|")[2] if labelled else token.content
            case "strong_open" | "strong_close":
                strong += token.nesting
            case "link_open":
                link, labelled = _address(token)
            case "link_close":
                link, labelled = "", False
            case "html_inline":
                tag = inline_tag(token.content)
                piece, link, strong = _html_inline(tag, link, strong)
                anchors += [tag.anchor] if tag.anchor else []
            case _:
                pass
        if piece:
            spans += _joined(spans, _split(kind, piece, line, len(text), link))
            text += piece
        if piece == "\n" and token.type != "html_inline":
            line += 1
    return Inline(text, start, tuple(spans)), tuple(anchors)


def _address(token: Token) -> tuple[str, bool]:
    """Read the address of a link, and whether it carries its label with it."""
    address = str(token.attrs.get("href", "")) or "#"
    bare, label, _ = address.partition("%7C")
    return (bare, True) if label and token.markup == "autolink" else (address, False)


def _html_inline(tag: InlineTag, link: str, strong: int) -> tuple[str, str, int]:
    """Follow the few tags that matter to a reader."""
    if tag.name == "br":
        return "\n", link, strong
    if tag.name == "a":
        return "", "" if tag.closing else tag.href, strong
    if tag.name in ("b", "strong"):
        return "", link, strong + (-1 if tag.closing else 1)
    return "", link, strong


def _joined(before: list[Span], new: list[Span]) -> list[Span]:
    """Put the label of a link together where it has code and words in it."""
    if before and new and before[-1].kind == new[0].kind == "link" and before[-1].url == new[0].url:
        last = before.pop()
        new[0] = replace(last, text=last.text + new[0].text)
    return new


def _split(kind: SpanKind, text: str, line: int, at: int, url: str) -> list[Span]:
    """Find addresses that stand in the text as they are."""
    if kind == "link":
        return [Span("link", text, line, at, url)]
    if kind == "code":
        return [Span("code", text, line, at)]
    spans, done = list[Span](), 0
    for found in _BARE.finditer(text):
        if found.start() > done:
            spans.append(Span(kind, text[done : found.start()], line, at + done))
        spans.append(Span("link", found[0], line, at + found.start(), found[0]))
        done = found.end()
    if done < len(text):
        spans.append(Span(kind, text[done:], line, at + done))
    return spans


def _first(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0


def _last(token: Token) -> int:
    return token.map[1] if token.map else 0
