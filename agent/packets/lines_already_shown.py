"""Lines that a packet has already shown are left out of what was looked up."""

import re
from collections.abc import Sequence

from agent.gate.searchable_evidence_text import normal

_MIN_RUN = 4  # Lines in a row that are replaced by a note
_MIN_CODE = 3  # Characters of a line below which it stands in every file
_NUMBERED = re.compile(r" {0,8}(?P<number>\d{1,8}) (?P<code>.*)")
_SIGNS = "+- "


def code_lines(text: str) -> frozenset[str]:
    """Return the lines of a packet without signs of a diff, numbers and extra white space."""
    return frozenset(_code(line) for line in text.splitlines())


def without_shown_lines(text: str, lines_above: frozenset[str]) -> str:
    """Return a look-up in which long runs of lines that are shown already are replaced by a note.

    The first line, which says what was looked up, stays.
    """
    heading, *lines = text.split("\n")
    kept: list[str] = [heading]
    run: list[str] = []
    for line in lines:
        code = _code(line)
        if len(code) < _MIN_CODE or code in lines_above:
            run.append(line)
            continue
        kept += _noted(run, lines_above)
        kept.append(line)
        run = []
    return "\n".join((*kept, *_noted(run, lines_above)))


def _noted(run: Sequence[str], lines_above: frozenset[str]) -> Sequence[str]:
    """Return a note in the place of lines that are shown already; short runs as they are."""
    repeated_count = 0
    for line in run:
        code = _code(line)
        if code in lines_above and len(code) >= _MIN_CODE:
            repeated_count += 1
    if repeated_count < _MIN_RUN:
        return run
    first = _NUMBERED.match(run[0])
    last = _NUMBERED.match(run[-1])
    if first and last:
        return [f"(lines {first['number']} to {last['number']} are shown above)"]
    return [f"({len(run)} lines are shown above)"]


def _code(line: str) -> str:
    numbered = _NUMBERED.fullmatch(line)
    code = numbered["code"] if numbered else line
    return normal(code[1:] if code[:1] in _SIGNS else code)
