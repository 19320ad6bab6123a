"""Writes foreign text as Markdown without effect: no markup, no mentions, no closing keywords."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

# Direction marks and overrides, zero-width characters, the byte order mark, fillers, Unicode tags:
# they can make a line read as something else than it is.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Controls, separators of lines and halves of characters, all of Unicode's kinds Cc, Zl, Zp and Cs.
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SYMBOL = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]\ufe0f?"
)
# Inside an emoji, and only there, a joiner or a selector is part of what is seen.
_EMOJI = f"{_SYMBOL}(?:\u200d?{_SYMBOL})*|[0-9#*]\ufe0f\u20e3"
_UNSEEN = re.compile(f"({_EMOJI})|[{_INVISIBLE}]")
_ADDRESS = r"[!-;=?-_a-{}~]*(?<![.,;:!?)\]'\"*])"
# A code span of the author's (between two backticks if it holds one), or what GitHub would turn
# into a notification, a back-reference, a link or a closed issue. A table cannot hold a bar behind
# a backslash in code. A version number that could be read as a commit is one piece of code.
# Repetitions before a sign are bounded, so that a long word is not read again for each letter;
# only ASCII ends a word, because Chinese is written without spaces.
_CODE = re.compile(
    r"(?<!`)`(?! ?`)(?P<span>(?:[^`\\]|\\(?!\|))+)`(?!`)"
    r"|(?<!`)``(?!`| *``)(?P<wide>(?:[^`\\]|\\(?!\|)|(?<!`)`(?!`))+)``(?!`)"
    rf"|(?P<live>(?:https?|ftp)://{_ADDRESS}"
    rf"|www\.{_ADDRESS}"
    r"|[\w.+-]{0,64}@[\w./-]*\w"
    r"|(?:[\w.-]{1,39}/[\w.-]{1,100})?#\d+\b"
    r"|\bGH-\d+\b"
    r"|(?:\bv?\d{1,20}\.(?:\d{1,20}\.){0,3})?\b[0-9a-f]{7,40}\b(?:\.\d{1,20}\b){0,4})",
    re.IGNORECASE | re.ASCII,
)
# Within a word, GitHub's Markdown reads an underscore as text; escaping it would spoil identifiers.
_MARKUP = re.compile(r"([\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_]))")


class _InlinePiece(NamedTuple):
    """A part of a text that is written in one way."""

    is_code: bool
    text: str


def visible(text: str) -> str:
    """Return what a reader can see, on one line and without invisible characters."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    single_line = _BREAKING.sub(" ", text)
    seen = _UNSEEN.sub(lambda match: match[1] or "", single_line)
    return " ".join(seen.split())


def inline(text: str) -> str:
    """Return foreign text that renders as itself within a line."""
    parts: list[str] = []
    # Adjacent code spans would read as one with a longer fence, so they are joined.
    for is_code, pieces in groupby(_pieces(visible(text)), key=attrgetter("is_code")):
        joined = "".join(piece.text for piece in pieces)
        parts.append(code(joined) if is_code else escaped(joined))
    return "".join(parts)


def escaped(text: str) -> str:
    """Return text with a backslash before every sign that Markdown could read as markup."""
    return _MARKUP.sub(r"\\\1", text)


def _pieces(text: str) -> Iterator[_InlinePiece]:
    """Yield the parts of a text that must be code, and the parts between them."""
    position = 0
    for match in _CODE.finditer(text):
        # A word ends where a code span begins, so the text between is searched again by itself.
        if match.start() > position:
            yield from _pieces(text[position : match.start()])
        code_text = match["span"] or match["wide"] or match["live"]
        yield _InlinePiece(True, code_text.strip())
        position = match.end()
    if 0 < position < len(text):
        yield from _pieces(text[position:])
    elif position == 0 and text:
        yield _InlinePiece(False, text)


def cell(markdown: str) -> str:
    """Return safe Markdown for a table, which splits its rows at bars even inside code."""
    # Behind an even number of backslashes a bar is bare: they escape one another.
    return re.sub(r"(?<!\\)(?:\\\\)*\|", lambda match: match[0][:-1] + "\\|", markdown)


def code(text: str) -> str:
    """Return foreign text as a code span."""
    text = visible(text)
    if not text:
        return ""
    longest_run = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest_run + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def link(text: str, url: str) -> str:
    """Return a link to an address that code has made, or only the text if there is none.

    The text must be safe already.
    """
    if not url:
        return text
    escaped = url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return f"[{text}]({escaped})"


def slug(heading: str, taken: set[str]) -> str:
    """Return the anchor that GitHub makes of a heading, and add it to those that are taken."""
    base = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    anchor = base
    count = 0
    while anchor in taken:
        count += 1
        anchor = f"{base}-{count}"
    taken.add(anchor)
    return anchor
