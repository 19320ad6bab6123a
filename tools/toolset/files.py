"""Lines of a file with their numbers: a stretch of it, or what surrounds an identifier."""

from collections.abc import Sequence
from typing import NamedTuple

from agent.tokens import tokens_of
from tools.toolset.pages import word

_LONGEST = 1_000
"""Characters of a line that are shown."""
_BEFORE, _AFTER = 6, 24
"""Lines around a line that names an identifier: mostly what follows tells what it is."""


class Shown(NamedTuple):
    """Numbered lines, and the line to go on from; 0 where this was the end."""

    text: str
    first: int
    last: int
    following: int


def clean_path(path: str) -> str | None:
    """Give a path below the root of a repository as git writes it; None where it is no such path."""
    clean = path.strip().removeprefix("./").strip("/")
    return None if "\n" in clean or any(part in ("", ".", "..") for part in clean.split("/")) else clean


def stretch(lines: Sequence[str], start: int, tokens: int) -> Shown:
    """Show lines from a number on, as many as fit."""
    return _shown(lines, range(start, len(lines) + 1), tokens)


def around(lines: Sequence[str], name: str, start: int, tokens: int) -> Shown:
    """Show what surrounds the lines that have an identifier, from a number on; no text where none has it."""
    whole = word(name)
    wanted: set[int] = set()
    for number in range(start, len(lines) + 1):
        if whole.search(lines[number - 1]):
            wanted.update(range(max(start, number - _BEFORE), min(len(lines), number + _AFTER) + 1))
    return _shown(lines, sorted(wanted), tokens)


def _shown(lines: Sequence[str], numbers: Sequence[int], tokens: int) -> Shown:
    text: list[str] = []
    last = 0
    for number in numbers:
        line = lines[number - 1]
        cut = f"{line[:_LONGEST]} … ({len(line)} characters)" if len(line) > _LONGEST else line
        gap = "…\n" if last and number > last + 1 else ""
        shown = f"{gap}{number:>6}  {cut}\n"
        tokens -= tokens_of(shown)
        if tokens < 0 and text:
            return Shown("".join(text), numbers[0], last, number)
        text.append(shown)
        last = number
    return Shown("".join(text), numbers[0] if text else 0, last, 0)
