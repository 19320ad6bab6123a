"""Which lines of a file that was looked up an anchor stands in."""

import re

from agent.domain.evidence import FileEvidence, without_line_numbers
from agent.gate.evidence_text import normal

_NUMBERED = re.compile(r"^ {0,5}[0-9]{1,9}  ")


def lines_of(anchor: str, evidence: FileEvidence) -> tuple[int, int] | None:
    """Return the first and the last line that an anchor was copied from, or None if unknown.

    The lines follow each other, empty ones apart, and may have been copied in part.
    """
    wanted: list[str] = []
    for line in without_line_numbers(anchor).split("\n"):
        if words := normal(line):
            wanted.append(words)
    if not wanted:
        return None
    shown = _shown_lines(evidence)
    for start in range(len(shown) - len(wanted) + 1):
        passage = shown[start : start + len(wanted)]
        if all(words in text for words, (_, text) in zip(wanted, passage, strict=True)):
            return passage[0][0], passage[-1][0]
    return None


def numbered_lines(evidence: FileEvidence) -> list[str]:
    """Return the lines of a file that were shown, with their numbers and without our heading."""
    return [line for line in evidence.text.split("\n") if _NUMBERED.match(line)]


def _shown_lines(evidence: FileEvidence) -> list[tuple[int, str]]:
    """Return the numbers and the words of the lines that were shown, without empty ones."""
    lines: list[tuple[int, str]] = []
    for line in numbered_lines(evidence):
        number, _, code = line.lstrip().partition("  ")
        if words := normal(code):
            lines.append((int(number), words))
    return lines
