"""A Markdown report as blocks with their lines: headings, paragraphs, list items, table rows, fences.

Every pattern is bounded, and every line is looked at once: a report may be anything, also a megabyte of brackets.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

Kind = Literal["heading", "text", "item", "row", "fence", "rule"]
_SAME_WIDTH = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00a0": " ", "\u3000": " ", "\t": " "})
_ITEM = re.compile(r"\A( {0,80})(?:[-*+•]|\d{1,9}[.)])(?: +|$)")
_HEADING = re.compile(r"\A {0,3}(#{1,6}) +(.*)")
_FENCE = re.compile(r"\A( {0,80})(`{3,40}|~{3,40}) {0,4}([\w+#.-]{0,40})")
_DELIMITER = re.compile(r"\A[ :|-]{0,4000}")
_QUOTED = re.compile(r"\A(?: {0,3}> ?){1,20}")
_BOLD_LINE = re.compile(r"\A(?:\*\*|__)([^*_\n]{1,200})(?:\*\*|__) {0,4}[:：]?")
_CODE = re.compile(r"(?<!`)(?:`([^`\n]{1,1000})`|``(?!`)((?:[^`\n]|`(?!`)){1,1000})``)(?!`)")
_LINK = re.compile(
    r"\[([^\[\]\n]{0,400}(?:\[[^\[\]\n]{0,200}\][^\[\]\n]{0,400}){0,4})\]"
    r"\( ?<?([^()\s<>]{1,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,500})?)>?(?: +[\"'][^\"'\n]{0,300}[\"'])? ?\)"
)
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]`\"'|，。；、）】]{1,2000}")
_TAG = re.compile(r"<[/!]?[A-Za-z-][^<>\n]{0,300}>")
_EMPHASIS = re.compile(r"\*{1,3}|~~|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)")
BAR = " | "
"""What stands between the cells in the text of a row."""
_END_OF_ADDRESS = ".,;:!?*_"


class Link(NamedTuple):
    """A link, or an address by itself, whose label is then the address."""

    start: int
    end: int
    label: str
    url: str


class Code(NamedTuple):
    """A code span."""

    start: int
    end: int
    text: str


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


def read_blocks(text: str) -> list[Block]:
    """Take a report apart."""
    lines = [line.rstrip().translate(_SAME_WIDTH) for line in text.replace("\r\n", "\n").split("\n")]
    return list(_blocks(lines))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    at, header = 0, ()
    while at < len(lines):
        line = _unquoted(lines[at])
        if not line.strip():
            at, header = at + 1, ()
        elif fence := _FENCE.match(line):
            block, at = _fence(lines, at, fence)
            yield block
        elif "|" in line and not header and at + 1 < len(lines) and _is_delimiter(_unquoted(lines[at + 1])):
            header = _cells(line)
            yield _row(line, at + 1, ())
            at += 2
        elif header and "|" in line:
            yield _row(line, at + 1, header)
            at += 1
        elif block := _single(line, at + 1):
            yield block
            at, header = at + 1, ()
        else:
            block, at = _paragraph(lines, at)
            header = ()
            yield block


def _unquoted(line: str) -> str:
    """Take the signs of a quotation away."""
    quoted = _QUOTED.match(line)
    return line[quoted.end() :] if quoted else line


def _fence(lines: Sequence[str], start: int, opening: re.Match[str]) -> tuple[Block, int]:
    mark, indent = opening[2], len(opening[1])
    for at in range(start + 1, len(lines)):
        line = _unquoted(lines[at]).strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            inner = [_unquoted(one) for one in lines[start + 1 : at]]
            return Block("fence", start + 1, "\n".join(inner), indent, language=opening[3].lower()), at + 1
    text = "\n".join(lines[start + 1 :])
    return Block("fence", start + 1, text, indent, language=opening[3].lower(), closed=False), len(lines)


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


def _is_delimiter(line: str) -> bool:
    return "-" in line and "|" in line and _DELIMITER.fullmatch(line) is not None


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
    cells = _cells(line)
    return Block("row", number, BAR.join(cells), cells=cells, header=header, closed=line.endswith("|"))


def _cells(line: str) -> tuple[str, ...]:
    """Split a row at its bars, as GitHub does: also inside of code."""
    bare = line.strip().replace("\\|", "\0").removeprefix("|").removesuffix("|")
    return tuple(cell.replace("\0", "|").strip() for cell in bare.split("|"))


# ---------------------------------------------------------------- within a block


def links_of(text: str) -> list[Link]:
    """Find the links of a text, and the addresses that stand by themselves."""
    found = [Link(*one.span(), one[1], one[2]) for one in _LINK.finditer(text)]
    covered = blanked(text, found)
    for one in _ADDRESS.finditer(covered):
        url = one[0].rstrip(_END_OF_ADDRESS)
        found.append(Link(one.start(), one.start() + len(url), url, url))
    return sorted(found)


def code_of(text: str) -> list[Code]:
    """Find the code spans of a text."""
    return [Code(*one.span(), (one[1] or one[2]).strip()) for one in _CODE.finditer(text)]


def blanked(text: str, spans: Sequence[Link | Code]) -> str:
    """Put blanks over parts of a text, so that all places stay where they are."""
    pieces, at = [], 0
    for span in sorted(spans, key=lambda one: one.start):
        if span.start >= at:
            pieces += [text[at : span.start], " " * (span.end - span.start)]
            at = span.end
    return "".join([*pieces, text[at:]])


def plain(text: str) -> str:
    """Give the words of a text as a reader sees them; code spans keep their marks."""
    labelled = _LINK.sub(lambda one: one[1], text)
    parts = _CODE.split(_TAG.sub(" ", labelled))
    # A split gives the text between spans and the two groups of each, of which one is None.
    words = [_EMPHASIS.sub("", parts[0])]
    for place in range(1, len(parts), 3):
        code = parts[place] or parts[place + 1]
        words += [f"`{code.strip()}`", _EMPHASIS.sub("", parts[place + 2])]
    return " ".join("".join(words).split())
