"""Which parts of a message GitHub does not read for references: code, quotations, comments, what is struck out."""

import re
from collections.abc import Iterator

# What is never closed runs on to the end, as a browser shows it; a tag that is never closed is only a word. The bounds
# keep hostile texts cheap.
_HIDDEN = re.compile(
    r"^[ \t]*>[> \t]*$"
    # A paragraph in a quotation goes on over the lines below it until something else begins.
    r"|^[ \t]*>[^\n]*$(?:\n(?![ \t]*(?:$|>|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}))[^\n]*$)*"
    r"|^[ \t]*(?P<fence>`{3,}|~{3,})(?:(?<=`)[^`\n]*|(?<=~)[^\n]*)$.*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|<!--.*?(?:-->|\Z)"
    r"|<(?P<tag>code|pre|blockquote|del)\b[^>\n]{0,100}>.{0,5000}?</(?P=tag)>"
    r"|(?<!`)(?P<ticks>`++)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)"
    r"|~~[^~\n]{1,500}~~",
    re.MULTILINE | re.DOTALL,
)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_INDENTED = re.compile(r" {4}|\t")
_SIGN = re.compile(r"[^\n]")


def visible(text: str) -> str:
    """Put blanks in the place of what GitHub does not read; everything else keeps its place."""
    return "\n".join(_outside_code(_HIDDEN.sub(lambda match: _SIGN.sub(" ", match[0]), text)))


def _outside_code(text: str) -> Iterator[str]:
    """Blank code that is marked by its indentation; below an item of a list it would only be a paragraph."""
    after_blank, listed, code = True, False, False
    for line in text.split("\n"):
        if not line.strip():
            after_blank = True
            yield line
            continue
        indented = _INDENTED.match(line) is not None
        code = indented and not listed and (after_blank or code)
        after_blank = False
        if not indented:
            listed = _ITEM.match(line) is not None or (listed and line[:1] in " \t")
        yield " " * len(line) if code else line
