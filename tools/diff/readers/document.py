"""Which flags and variables a document explains: rows of tables and bullets that begin with one."""

import hashlib
import re
from collections.abc import Iterator

from tools.diff.readers.lines import fold, lines_of, refusal, refused
from tools.diff.reading import Reading, Site, Source

SCOPE = "docs"
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?(?:-\s+)?(?:\*\*)?(`.*)$")
_RULE = re.compile(r"^[\s|:-]+$")
_CODE = re.compile(r"(`{1,2})([^`]{2,200})\1")
_FLAG = re.compile(r"(?<![\w-])(--[A-Za-z0-9][\w-]*(?:\.[\w-]+)*)")
_VARIABLE = re.compile(r"^\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$")
_SAID, _NAME = 300, 120
_SAID_DEFAULT = re.compile(
    r"\bdefaults?(?:\s+(?:is|to|value))*\s*[:=]?\s*(?:is\s+)?`{1,2}([^`]{1,100})`", re.IGNORECASE
)


def read(source: Source) -> Reading:
    """Give the flags and variables that a document explains, with the default it states."""
    if why := refusal(source):
        return refused(why)
    lines = lines_of(source)
    return Reading(sites=tuple(_sites(lines, source.first_line)), code=_words(lines))


def _words(lines: list[str]) -> str:
    """Digest the words: a paragraph that is only wrapped anew has not changed."""
    text = " ".join(" ".join(lines).split())
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _sites(lines: list[str], first: int) -> Iterator[Site]:
    """Walk over the lines; the head of a table says which column holds the default."""
    column: int | None = None
    for at, line in enumerate(lines):
        if line.lstrip().startswith("|"):
            cells = _cells(line)
            if at + 1 < len(lines) and "-" in lines[at + 1] and _RULE.match(lines[at + 1]):
                column = next((k for k, cell in enumerate(cells) if cell.lower().startswith("default")), None)
            elif not _RULE.match(line):
                default = cells[column] if column is not None and column < len(cells) else None
                yield from _named(cells[0], first + at, _plain(default))
                yield from _deprecated(cells[0], line, first + at)
        elif "`" in line and (bullet := _BULLET.match(line)):
            said = _SAID_DEFAULT.search(line)
            yield from _named(bullet[1], first + at, said[1] if said else None)
            yield from _deprecated(bullet[1], line, first + at)
        if not line.strip():
            column = None


def _deprecated(text: str, line: str, number: int) -> Iterator[Site]:
    """Read that a row or bullet calls what it explains deprecated."""
    # Only what stands with the name: a row may well say that it replaces something deprecated.
    if "deprecated" in text[:_NAME].lower():
        for site in list(_named(text, number, None))[:1]:
            yield Site("deprecation", site.name, number, number, value=fold(line)[:_SAID], scope=SCOPE)


def _cells(line: str) -> list[str]:
    """Split a row; a bar inside code or behind a backslash is no border."""
    guarded = re.sub(r"`[^`]*`", lambda code: code[0].replace("|", "\0"), line.replace("\\|", "\0"))
    return [cell.strip().replace("\0", "|") for cell in guarded.strip().strip("|").split("|")]


def _named(text: str, line: int, default: str | None) -> Iterator[Site]:
    """Read what stands first in a row or bullet: one flag with its short forms, or one variable."""
    text = text.lstrip("* ")
    if not text.startswith("`"):
        return
    codes = [code[2] for code in _CODE.finditer(text)]
    for number, code in enumerate(codes):
        flags = _FLAG.findall(code)
        if code.startswith("-") and flags:
            yield from (Site("flag", flag, line, line, value=default, scope=SCOPE) for flag in flags)
        elif number == 0 and (variable := _VARIABLE.match(code)):
            yield Site("env", variable[1], line, line, value=default, scope=SCOPE)
        else:
            return


def _plain(cell: str | None) -> str | None:
    """Take the code marks off a cell."""
    return fold(cell.replace("`", "")) or None if cell is not None else None
