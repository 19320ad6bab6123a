"""The lines of a text that is read line by line: decoded, counted, and refused when no person wrote them."""

import hashlib
import re
from collections.abc import Iterator

from tools.diff.reading import Reading, Source

MAX_BYTES = 2_000_000
MAX_LINE = 20_000
_SPACE = re.compile(r"\s+")


def refusal(source: Source) -> str | None:
    """Say why a source is not read at all: too large, minified, or binary under a text's name."""
    if len(source.text) > MAX_BYTES:
        return f"{len(source.text):,} bytes, more than {MAX_BYTES:,}"
    if b"\0" in source.text:
        return "not text"
    if any(len(line) > MAX_LINE for line in source.text.split(b"\n")):
        return f"a line of more than {MAX_LINE:,} bytes"
    return None


def refused(why: str) -> Reading:
    """Give the empty reading of a source that was refused."""
    return Reading(problems=(why,))


def lines_of(source: Source) -> list[str]:
    """Split into lines as git counts them; other separators (form feed, U+2028) are part of a line."""
    lines = source.text.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def numbered(source: Source) -> Iterator[tuple[int, str]]:
    """Give every line with its number in the file."""
    return enumerate(lines_of(source), source.first_line)


def fold(text: str) -> str:
    """Fold white space to single spaces."""
    return " ".join(text.split())


def unquote(text: str) -> str:
    """Take away one pair of quotes."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def digest(source: Source, comment: str = "#", *, indented: bool = False) -> str:
    """Digest everything but blank lines, white space and whole-line comments.

    A comment behind code is left in: only a parser knows whether the mark stands in a string. `indented` keeps the
    indentation, which is meaning in YAML.
    """
    hashed = hashlib.blake2b(digest_size=16)
    for line in lines_of(source):
        text = line.strip()
        if not text or (comment and text.startswith(comment) and not text.startswith("#!")):
            continue
        if indented:
            hashed.update(b"%d " % (len(line) - len(line.lstrip())))
        hashed.update(_SPACE.sub("" if not indented else " ", text).encode("utf-8", "surrogatepass"))
        hashed.update(b"\n")
    return hashed.hexdigest()
