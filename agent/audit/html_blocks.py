"""HTML inside Markdown: the parts that a reader sees, as far as reports use them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Literal

PartKind = Literal["heading", "paragraph", "item", "row", "fence", "rule", "comment"]
_BREAKS = {"p", "div", "summary", "details", "blockquote", "section", "ul", "ol", "table", "dl", "dd", "dt", "center"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


@dataclass(frozen=True)
class InlineTag:
    """One tag in running text."""

    name: str = ""
    closing: bool = False
    href: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class HtmlPiece:
    """A stretch of text with one meaning."""

    kind: Literal["text", "strong", "code", "link"]
    text: str
    line: int
    url: str = ""


@dataclass
class HtmlPart:
    """What would be a block in Markdown."""

    kind: PartKind
    line: int
    level: int = 0
    cells: list[list[HtmlPiece]] = field(default_factory=lambda: [[]])
    header: tuple[str, ...] = ()
    code: str = ""
    anchors: tuple[str, ...] = ()


def inline_tag(source: str) -> InlineTag:
    """Read one tag; nothing where it is none."""
    reader = _OneTag()
    reader.feed(source)
    return reader.tag


def html_parts(source: str, line: int) -> list[HtmlPart]:
    """Read a stretch of HTML that begins on `line`."""
    reader = _Parts(line)
    reader.feed(source)
    reader.close()
    return reader.finish()


def _values(attrs: list[tuple[str, str | None]]) -> dict[str, str]:
    return {name: value or "" for name, value in attrs}


class _OneTag(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tag = InlineTag()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = _values(attrs)
        self.tag = InlineTag(tag, False, given.get("href", ""), given.get("id") or given.get("name", ""))

    def handle_endtag(self, tag: str) -> None:
        self.tag = InlineTag(tag, closing=True)


class _Parts(HTMLParser):
    """Collects blocks; tags that are not known only give their text."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self._base = line
        self._done: list[HtmlPart] = []
        self._part: HtmlPart | None = None
        self._header: tuple[str, ...] = ()
        self._link = ""
        self._code = self._strong = self._pre = 0
        self._head_row = False
        self._depth = 0
        self._anchors: list[str] = []

    def finish(self) -> list[HtmlPart]:
        """Give what was read; ids that stand before nothing get a part of their own."""
        self._end()
        if self._anchors:
            self._done.append(HtmlPart("comment", self._base, anchors=tuple(self._anchors)))
        return self._done

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = _values(attrs)
        if anchor := given.get("id") or (given.get("name", "") if tag == "a" else ""):
            self._anchors.append(anchor)
        if tag in _HEADINGS:
            self._begin("heading", _HEADINGS[tag])
        elif tag == "li":
            self._begin("item", max(1, self._depth))
        elif tag == "tr":
            self._begin("row")
            self._head_row = False
        elif tag in ("td", "th"):
            self._cell(tag)
        elif tag == "hr":
            self._begin("rule")
            self._end()
        elif tag == "pre":
            self._begin("fence")
            self._pre += 1
        elif tag in _BREAKS:
            self._end()
            self._depth += tag in ("ul", "ol")
        elif tag == "br":
            self._text("\n")
        else:
            self._inside(tag, given.get("href", ""))

    def _inside(self, tag: str, href: str) -> None:
        if tag == "a" and href:
            self._link = href
        elif tag == "code":
            self._code += 1
        elif tag in ("b", "strong"):
            self._strong += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._link = ""
        elif tag == "code":
            self._code = max(0, self._code - 1)
        elif tag in ("b", "strong"):
            self._strong = max(0, self._strong - 1)
        elif tag == "pre":
            self._pre = max(0, self._pre - 1)
            self._end()
        elif tag in ("ul", "ol"):
            self._depth = max(0, self._depth - 1)
            self._end()
        elif tag in _HEADINGS or tag in ("li", "tr") or tag in _BREAKS:
            self._end()

    def handle_data(self, data: str) -> None:
        if self._pre and self._part is not None:
            self._part.code += data
        else:
            self._text(data)

    def handle_comment(self, data: str) -> None:
        self._done.append(HtmlPart("comment", self._line, code=data))

    @property
    def _line(self) -> int:
        return self._base + self.getpos()[0] - 1

    def _begin(self, kind: PartKind, level: int = 0) -> None:
        self._end()
        cells: list[list[HtmlPiece]] = [] if kind in ("row", "rule") else [[]]
        self._part = HtmlPart(kind, self._line, level, cells, self._header if kind == "row" else ())

    def _cell(self, tag: str) -> None:
        if self._part is None or self._part.kind != "row":
            self._begin("row")
        assert self._part is not None
        self._part.cells.append([])
        self._head_row = self._head_row or tag == "th"

    def _text(self, text: str) -> None:
        if self._part is None:
            if not text.strip():
                return
            self._begin("paragraph")
        assert self._part is not None
        kind: Literal["text", "strong", "code", "link"]
        kind = "link" if self._link else "code" if self._code else "strong" if self._strong else "text"
        # A text's newlines are only white space; each line keeps its number.
        for offset, piece in enumerate(text.split("\n") if text != "\n" else ["\n"]):
            if piece and self._part.cells:
                self._part.cells[-1].append(HtmlPiece(kind, piece, self._line + offset, self._link))

    def _end(self) -> None:
        part, self._part = self._part, None
        if part is None or (part.kind in ("paragraph", "item") and not any(part.cells)):
            return
        part.anchors = tuple(self._anchors)
        self._anchors = []
        if part.kind == "row" and self._head_row:
            part.level = 1
            self._header = tuple("".join(piece.text for piece in cell).strip() for cell in part.cells)
            part.header = self._header
        self._done.append(part)
