"""A report as paragraphs that every channel can write in its own way: words, code and links, and nothing else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent.markdown import visible

_SUMMARY = re.compile(r"<summary>([^<>]*)</summary>")
Kind = Literal["heading", "text", "item", "quote", "code"]


@dataclass(frozen=True)
class Piece:
    """Some words of a paragraph."""

    text: str
    url: str | None = None
    bold: bool = False
    code: bool = False


@dataclass(frozen=True)
class Block:
    """One paragraph, heading, item of a list, quotation or excerpt of code."""

    kind: Kind
    pieces: tuple[Piece, ...]
    level: int = 0
    """Of a heading, or how deep an item is nested."""

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(piece.text for piece in self.pieces)


def letter(markdown: str) -> list[Block]:
    """Take the Markdown of a report of ours apart; links inside the page become words."""
    blocks: list[Block] = []
    depth, quoted, level, kind = 0, 0, 0, "text"
    fresh = False
    for token in _parser().parse(markdown):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type in ("list_item_open", "tr_open"):
            fresh = True
        elif token.type in ("blockquote_open", "blockquote_close"):
            quoted += 1 if token.type.endswith("open") else -1
        elif token.type == "heading_open":
            level, kind = int(token.tag[1:]), "heading"
        elif token.type == "heading_close":
            level, kind = 0, "text"
        elif token.type in ("fence", "code_block"):
            blocks.append(Block("code", (Piece(_lines(token.content), code=True),), depth))
        elif token.type == "html_block" and (named := _SUMMARY.search(token.content)):
            # A message folds nothing, so the name of what is folded heads it.
            blocks.append(Block("text", (Piece(_kept(unescape(named[1])), bold=True),)))
        elif token.type == "inline" and (pieces := tuple(_pieces(token.children or []))):
            if kind == "heading":
                blocks.append(Block("heading", pieces, level))
            elif quoted:
                blocks.append(Block("quote", pieces, depth))
            else:
                blocks.append(Block("item" if depth and fresh else "text", pieces, depth))
            fresh = False
    return blocks


def highlights(blocks: Sequence[Block]) -> list[Block]:
    """Keep the head of a report: its title, its highlights and the list of what it covers."""
    sections = [place for place, block in enumerate(blocks) if block.kind == "heading" and block.level == 2]
    end = sections[1] if len(sections) > 1 else len(blocks)
    return list(blocks[:end])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # Foreign text cannot make HTML on a page of ours; what there is folds a part of it.
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def _pieces(tokens: Sequence[Token]) -> Iterator[Piece]:
    url: str | None = None
    bold = False
    for token in tokens:
        if token.type == "link_open":
            address = str(token.attrGet("href") or "")
            url = address if address.startswith(("https://", "http://")) else None
        elif token.type == "link_close":
            url = None
        elif token.type in ("strong_open", "strong_close"):
            bold = token.type == "strong_open"
        elif token.type in ("text", "code_inline"):
            if text := _kept(token.content):
                yield Piece(text, url, bold, token.type == "code_inline")
        elif token.type in ("softbreak", "hardbreak"):
            yield Piece(" ")


def _kept(text: str) -> str:
    """Keep what can be seen, and the spaces at the ends, which part words from links."""
    left, right = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() else "")
    return f"{left}{visible(text)}{right}" if text.strip() else (" " if text else "")


def _lines(code: str) -> str:
    return "\n".join(line.rstrip() for line in code.rstrip("\n").split("\n"))
