"""How entries of a list are signed: behind the title, by whom and when."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.audit.vocabulary import plain
from agent.dates import find_dates

_PERSON = r"[^\W\d_](?:[^()（）,，;；:：\n\"“”]|\([^()\n]{1,30}\)){0,60}?"
_BRACKETED = re.compile(rf"\s*[（(](?P<name>{_PERSON}(?:, [A-Z][\w-]+)?)[,，]\s*(?P<date>[^()（）\n]{{6,30}})[)）]\s*$")
IN_LINK = re.compile(rf"\s+by\s+(?P<name>{_PERSON})\s+in\s*$")
"""As release notes name who, right before the address of the pull request."""
_DASHED = re.compile(rf"\s-{{1,2}}\s+(?P<name>{_PERSON})\s*(?=$|[,，;；(（])")
_QUOTED = re.compile(
    rf"^[\W_]*?[\"“「](?P<title>[^\"”」\n]{{6,}})[\"”」](?:,\s+(?P<name>{_PERSON})\s*(?=$|[,，;；(（]))?"
)
_FEW_WORDS = 5
_NEAR = 200


@dataclass(frozen=True)
class Signature:
    """Who signed a line, and where its title ends."""

    title: str
    """What stands before it."""
    at: int
    name: str = ""
    date: str = ""


def signature(line: str) -> Signature | None:
    """Read how one line is signed: "Title (Ada, 2026-03-10)", "Title by Ada in", "Title — Ada", "“Title”, Ada"."""
    text = plain(line)
    tail = max(0, len(text) - _NEAR)
    if (found := _BRACKETED.search(text, tail)) and (dates := find_dates(found["date"])):
        return Signature(line[: found.start()], found.start("name"), found["name"].strip(), dates[0].text)
    if found := _QUOTED.match(text):
        name = found["name"] or ""
        at = found.start("name") if name else found.end("title")
        return Signature(line[found.start("title") : found.end("title")], at, name if is_name(name) else "")
    if (found := IN_LINK.search(text, tail)) and is_name(found["name"]):
        return Signature(line[: found.start()], found.start("name"), found["name"].strip())
    for found in _last(_DASHED.finditer(text, tail)):
        if is_name(found["name"]) and re.search(r"\w", text[: found.start()]):
            return Signature(line[: found.start()], found.start("name"), found["name"].strip())
    return None


def _last(found: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    return list(found)[-1:]


def is_name(text: str) -> bool:
    """Tell whether words may be somebody's name: one word, or several with a capital each."""
    words = text.split()
    return 0 < len(words) <= _FEW_WORDS and (len(words) == 1 or all(not word[0].islower() for word in words))


def inside(part: str) -> str:
    """Cut a part where the bracket ends that was opened before it."""
    depth = 0
    for place, letter in enumerate(part):
        depth += (letter in "(（") - (letter in ")）")
        if depth < 0:
            return part[:place]
    return part
