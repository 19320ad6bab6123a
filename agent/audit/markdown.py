"""A Markdown report as blocks with their lines: headings, paragraphs, list items, table rows, fences.

Every pattern is bounded, and every line is looked at once: a report may be anything, also a megabyte of brackets.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Literal, NamedTuple

Kind = Literal["heading", "text", "item", "row", "fence", "rule"]
_SAME_WIDTH = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00a0": " ", "\u3000": " ", "\t": " "})
_ITEM = re.compile(r"\A( {0,80})(?:[-*+•]|\d{1,9}[.)])(?: +|$)")
_HEADING = re.compile(r"\A {0,3}(#{1,6}) +(.*)")
_FENCE = re.compile(r"\A( {0,80})(`{3,40}|~{3,40}) {0,4}([\w+#.-]{0,40})")
_DELIMITER = re.compile(r"\A(?=[^|]{0,99}\|)(?=[^-]{0,9}-)[ :|-]{0,4000}")
_QUOTED = re.compile(r"\A(?: {0,3}> ?){1,20}")
_BOLD_LINE = re.compile(r"\A(?:\*\*|__)([^*_\n]{1,200})(?:\*\*|__) {0,4}[:：]?")
_CODE = re.compile(r"(?<!`)(?:`([^`\n]{1,1000})`|``(?!`)((?:[^`\n]|`(?!`)){1,1000})``)(?!`)")
_LINK = re.compile(
    r"\[([^\[\]\n]{0,400}(?:\[[^\[\]\n]{0,200}\][^\[\]\n]{0,400}){0,4})\]"
    r"\( ?<?([^()\s<>]{1,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,500})?)>?(?: +[\"'][^\"'\n]{0,300}[\"'])? ?\)"
)
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]`\"'|，。；、）】]{1,2000}")
_MARKUP = re.compile(
    _CODE.pattern + r"|<[/!]?[A-Za-z-][^<>\n]{0,300}>|\*{1,3}|~~|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)"
)
BAR = " | "
"""What stands between the cells in the text of a row."""
_END_OF_ADDRESS = ".,;:!?*_"


class Span(NamedTuple):
    """A code span, a link by its label, or an address by itself, whose label is then the address."""

    start: int
    end: int
    text: str
    url: str = ""


@dataclass(frozen=True)
class Block:
    """One part of a report; its text has no markers of lists, tables and fences."""

    kind: Kind
    line: int
    text: str
    level: int = 0
    """Of a heading 1 to 6, or 7 for a line in bold; of anything else its indentation."""
    cells: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    language: str = ""
    closed: bool = True
    """False for a fence that nobody closes, and for a row without its last bar."""

    def line_at(self, place: int) -> int:
        """Give the line on which a place of the text stands."""
        return self.line + bisect_left(self._breaks, place) + (self.kind == "fence")

    @cached_property
    def _breaks(self) -> list[int]:
        return [one.start() for one in re.finditer("\n", self.text)]


def read_blocks(text: str) -> Iterator[Block]:
    """Take a report apart."""
    lines = [line.rstrip().translate(_SAME_WIDTH) for line in text.replace("\r\n", "\n").split("\n")]
    at, header = 0, tuple[str, ...]()
    while at < len(lines):
        line = _unquoted(lines[at])
        if not line.strip():
            at, header = at + 1, ()
        elif fence := _FENCE.match(line):
            part, at = _fence(lines, at, fence)
            yield part
        elif "|" in line and not header and _DELIMITER.fullmatch(_unquoted(lines[min(at + 1, len(lines) - 1)])):
            yield (top := _row(line, at + 1, ()))
            at, header = at + 2, top.cells
        elif header and "|" in line:
            yield _row(line, at + 1, header)
            at += 1
        elif block := _single(line, at + 1):
            yield block
            at, header = at + 1, ()
        else:
            part, at = _paragraph(lines, at)
            yield part
            header = ()


def _unquoted(line: str) -> str:
    quoted = _QUOTED.match(line)
    return line[quoted.end() :] if quoted else line


def _fence(lines: Sequence[str], start: int, opening: re.Match[str]) -> tuple[Block, int]:
    mark, rest = opening[2], (_unquoted(lines[at]) for at in range(start + 1, len(lines)))
    inner = list(takewhile(lambda line: not line.strip().startswith(mark) or line.strip().strip(mark[0]), rest))
    end = start + 1 + len(inner)
    language, closed = opening[3].lower(), end < len(lines)
    return Block("fence", start + 1, "\n".join(inner), len(opening[1]), language=language, closed=closed), end + 1


def _single(line: str, number: int) -> Block | None:
    """Read what takes one line: headings, rules, lines in bold that serve as headings."""
    if heading := _HEADING.match(line):
        return Block("heading", number, heading[2].rstrip("# "), len(heading[1]))
    bare = line.replace(" ", "")
    if len(bare) >= 3 and set(bare) in ({"-"}, {"*"}, {"_"}, {"="}):
        return Block("rule", number, "")
    if bold := _BOLD_LINE.fullmatch(line):
        return Block("heading", number, bold[1], 7)
    return None


def _paragraph(lines: Sequence[str], start: int) -> tuple[Block, int]:
    """Read an item or a paragraph up to a blank line or the beginning of something else."""
    first = _unquoted(lines[start])
    item = _ITEM.match(first)
    level = len(item[1]) if item else len(first) - len(first.lstrip())
    taken = [first[item.end() :] if item else first.strip()]
    at = start + 1
    while at < len(lines) and (line := _unquoted(lines[at])).strip() and not _begins(line):
        taken.append(line.strip())
        at += 1
    return Block("item" if item else "text", start + 1, "\n".join(taken), level), at


def _begins(line: str) -> bool:
    return bool(_ITEM.match(line) or _FENCE.match(line) or _single(line, 0)) or line.lstrip().startswith("|")


def _row(line: str, number: int, header: tuple[str, ...]) -> Block:
    """Split a row at its bars, as GitHub does: also inside of code."""
    bare = line.strip().replace("\\|", "\0").removeprefix("|").removesuffix("|")
    cells = tuple(cell.replace("\0", "|").strip() for cell in bare.split("|"))
    return Block("row", number, BAR.join(cells), cells=cells, header=header, closed=line.endswith("|"))


def links_of(text: str) -> list[Span]:
    """Find the links of a text, and the addresses that stand by themselves."""
    found = [Span(*one.span(), one[1], one[2]) for one in _LINK.finditer(text)]
    covered = blanked(text, found)
    for one in _ADDRESS.finditer(covered):
        url = one[0].rstrip(_END_OF_ADDRESS)
        found.append(Span(one.start(), one.start() + len(url), url, url))
    return sorted(found)


def code_of(text: str) -> list[Span]:
    """Find the code spans of a text."""
    return [Span(*one.span(), (one[1] or one[2]).strip()) for one in _CODE.finditer(text)]


def blanked(text: str, spans: Sequence[Span]) -> str:
    """Put blanks over parts of a text, so that all places stay where they are."""
    pieces, at = [], 0
    for span in sorted(spans, key=lambda one: one.start):
        if span.start >= at:
            pieces += [text[at : span.start], " " * (span.end - span.start)]
            at = span.end
    return "".join([*pieces, text[at:]])


def plain(text: str) -> str:
    """Give the words of a text as a reader sees them; code spans keep their marks."""
    labelled = _LINK.sub(r"\1", text)
    return " ".join(_MARKUP.sub(lambda one: one[0] if one[0][0] == "`" else " " * (one[0][0] == "<"), labelled).split())
