"""How text that others wrote becomes Markdown that cannot do anything: no markup, no mentions, no closing words."""

import re
import unicodedata

# Direction marks and overrides, zero-width characters, the byte order mark, Unicode tags: they can make a line read as
# something else than it is.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_CODE_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
# What GitHub would turn into a notification, a back-reference or a closed issue.
_LIVE = re.compile(
    r"@[A-Za-z0-9][\w/-]*"
    r"|(?:[\w.-]+/[\w.-]+)?#\d+\b"
    r"|\bGH-\d+\b"
    r"|\b(?:https?|ftp)://[^\s<>|`]+"
    r"|\bwww\.[^\s<>|`]+"
    r"|\b[0-9a-f]{7,40}\b"
    r"|[\w.+-]+@[\w-]+\.[\w.-]+",
    re.IGNORECASE,
)
# An underscore inside a word is no emphasis in GitHub's Markdown, and escaping it would spoil identifiers.
_MARKUP = re.compile(r"([\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_]))")


def visible(text: str) -> str:
    """Keep what a reader can see: one line, no control, bidirectional or zero-width characters."""
    text = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char for char in text)
    return " ".join(_INVISIBLE.sub("", text).split())


def inline(text: str) -> str:
    """Write foreign text so that it renders as itself in a table cell or behind other words of a line."""
    text = visible(text)
    parts: list[str] = []
    position = 0
    for span in _CODE_SPAN.finditer(text):
        parts += [_plain(text[position : span.start()]), code(span[1])]
        position = span.end()
    return "".join([*parts, _plain(text[position:])])


def code(text: str) -> str:
    """Write foreign text as a code span; a bar is escaped because tables split cells even inside code."""
    text = visible(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""


def link(text: str, url: str) -> str:
    """Write a link whose address code has made; the text must be safe already."""
    return f"[{text}]({url.replace('(', '%28').replace(')', '%29').replace(' ', '%20')})"


def slug(heading: str, taken: set[str]) -> str:
    """Give the anchor that GitHub makes of a heading, and note it as taken."""
    base = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    anchor, count = base, 0
    while anchor in taken:
        count += 1
        anchor = f"{base}-{count}"
    taken.add(anchor)
    return anchor


def _plain(text: str) -> str:
    """Escape markup, and put whatever GitHub would bring to life into code spans."""
    parts: list[str] = []
    position = 0
    for live in _LIVE.finditer(text):
        parts += [_escape(text[position : live.start()]), code(live[0])]
        position = live.end()
    return "".join([*parts, _escape(text[position:])])


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
