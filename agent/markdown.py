"""How text that others wrote becomes Markdown that cannot do anything: no markup, no mentions, no closing words."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

# Direction marks and overrides, zero-width characters, the byte order mark, fillers, Unicode tags: they can make a line
# read as something else than it is.
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
# A code span of the author's (between two signs where one stands within it), or what GitHub would turn into a
# notification, a back-reference, a link, a closed issue. A table cannot hold a bar behind a backslash in code.
# The number of a version that could be read as a commit is one piece of code, whole.
# Repetitions in front of a sign are bounded, so that a long word is read once and not once for each of its letters;
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
# An underscore inside a word is no emphasis in GitHub's Markdown, and escaping it would spoil identifiers.
_MARKUP = re.compile(r"([\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_]))")


def visible(text: str) -> str:
    """Keep what a reader can see: one line, no control, bidirectional or zero-width characters."""
    return " ".join(_UNSEEN.sub(lambda seen: seen[1] or "", _BREAKING.sub(" ", text)).split())


def inline(text: str) -> str:
    """Write foreign text so that it renders as itself behind other words of a line."""
    parts: list[str] = []
    # Code spans that touch would read as one with a longer fence, so they become one.
    for is_code, pieces in groupby(_pieces(visible(text)), key=itemgetter(0)):
        piece = "".join(text for _, text in pieces)
        parts.append(code(piece) if is_code else _MARKUP.sub(r"\\\1", piece))
    return "".join(parts)


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Split a text into what must be code and what need not."""
    position = 0
    for found in _CODE.finditer(text):
        # A word ends where a code span begins, so what stands between is looked at once more by itself.
        if found.start() > position:
            yield from _pieces(text[position : found.start()])
        yield True, (found["span"] or found["wide"] or found["live"]).strip()
        position = found.end()
    if 0 < position < len(text):
        yield from _pieces(text[position:])
    elif position == 0 and text:
        yield False, text


def cell(markdown: str) -> str:
    """Fit safe Markdown into a table, which splits its rows at bars even inside code."""
    # Behind an even number of backslashes a bar is bare: they escape one another.
    return re.sub(r"(?<!\\)(?:\\\\)*\|", lambda bare: bare[0][:-1] + "\\|", markdown)


def code(text: str) -> str:
    """Write foreign text as a code span."""
    text = visible(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""


def link(text: str, url: str) -> str:
    """Write a link whose address code has made; the text must be safe already, and stands alone without an address."""
    return (
        text
        if not url
        else f"[{text}]({url.replace('(', '%28').replace(')', '%29').replace(' ', '%20')})"
    )


def slug(heading: str, taken: set[str]) -> str:
    """Give the anchor that GitHub makes of a heading, and note it as taken."""
    base = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    anchor, count = base, 0
    while anchor in taken:
        count += 1
        anchor = f"{base}-{count}"
    taken.add(anchor)
    return anchor
