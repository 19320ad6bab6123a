"""Long texts as pages of a bounded number of tokens: diffs cut between hunks, everything else between lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agent.domain import Change, FileChange
from agent.tokens import tokens_of

PAGE_TOKENS = 6_000
_CHARS = 3
"""Characters of ASCII that surely are no more than a token."""


class Piece(NamedTuple):
    """A text that stays together where it fits on a page, and the title that stands above it on each page."""

    text: str
    title: str = ""


def pages_of(pieces: Iterable[Piece], tokens: int = PAGE_TOKENS) -> list[str]:
    """Put pieces on pages; a piece longer than a page is cut between lines, a line longer than a page anywhere."""
    pages: list[list[str]] = [[]]
    room, title = tokens, ""
    for piece in pieces:
        for text in _cut(piece.text, max(1, tokens - tokens_of(piece.title))):
            size = tokens_of(text) + (tokens_of(piece.title) if piece.title != title else 0)
            if pages[-1] and size > room:
                pages.append([])
                room, title = tokens, ""
            if piece.title != title:
                pages[-1].append(piece.title)
                room, title = room - tokens_of(piece.title), piece.title
            pages[-1].append(text)
            room -= tokens_of(text)
    return ["".join(page) for page in pages]


def lines_as_pages(lines: Iterable[str], tokens: int = PAGE_TOKENS) -> list[str]:
    """Put lines on pages."""
    return pages_of((Piece(f"{line}\n") for line in lines), tokens)


def diff_pages(
    change: Change, files: Sequence[FileChange] | None = None, *, symbol: str = "", tokens: int = PAGE_TOKENS
) -> list[str]:
    """Cut a commit's diff into pages; with `files` only these, with `symbol` only the hunks that name it."""
    chosen = change.files if files is None else files
    pieces = [piece for file in chosen for piece in file_pieces(file, symbol)]
    return pages_of([Piece(_heading(change)), *pieces], tokens)


def file_pieces(file: FileChange, symbol: str = "") -> Iterator[Piece]:
    """Cut a file's patch between its hunks, under the file's name; with `symbol` only the hunks that name it."""
    name = file.path if file.previous_path in (None, file.path) else f"{file.previous_path} -> {file.path}"
    title = f"--- {name} ({file.status}, +{file.additions} -{file.deletions})\n"
    if not file.patch:
        if not symbol:
            yield Piece(f"{file.unreadable or 'no text'}\n", title)
        return
    for hunk in [f"@@ {part}" for part in f"\n{file.patch}".split("\n@@ ")[1:]] or [file.patch]:
        if not symbol or names_symbol(hunk, symbol):
            yield Piece(f"{hunk}\n", title)


def names_symbol(hunk: str, symbol: str) -> bool:
    """Tell whether a hunk's heading or one of its changed lines has this identifier."""
    whole = word(symbol)
    return any(whole.search(line) for line in hunk.split("\n") if line[:1] in ("@", "+", "-"))


def word(name: str) -> re.Pattern[str]:
    """Give the pattern of an identifier that is not part of a longer one."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _heading(change: Change) -> str:
    commit = change.commit
    counts = f"{len(change.files)} files, +{change.additions} -{change.deletions}"
    left_out = f"\nnot all files are listed: {change.incomplete}" if change.incomplete else ""
    return f"{commit.sha[:12]} {commit.author.name}\n{commit.message.strip()}\n{counts}{left_out}\n"


def _cut(text: str, tokens: int) -> Iterator[str]:
    """Cut a text that is longer than a page."""
    if tokens_of(text) <= tokens:
        yield text
        return
    held: list[str] = []
    room = tokens
    for line in text.splitlines(keepends=True):
        for part in _cut_line(line, tokens):
            size = tokens_of(part)
            if held and size > room:
                yield "".join(held)
                held, room = [], tokens
            held.append(part)
            room -= size
    yield "".join(held)


def _cut_line(line: str, tokens: int) -> Iterator[str]:
    if tokens_of(line) <= tokens:
        yield line
        return
    size = max(1, _CHARS * (tokens - 1) if line.isascii() else tokens - 1)
    yield from (line[at : at + size] for at in range(0, len(line), size))
