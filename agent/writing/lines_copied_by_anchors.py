"""The lines that an anchor copies: as they stand in a diff, and by their numbers in a file."""

import re

from agent.domain.evidence import FileEvidence, without_line_numbers
from agent.gate.searchable_evidence_text import normal

_NUMBERED = re.compile(r"^ {0,5}[0-9]{1,9}  ")


def exact_lines(anchor: str, patch: str) -> str:
    """Return the whole lines of a patch that an anchor copies, as they stand there.

    Writers lose signs and blanks. An anchor of other words, or of parts of lines, stays as it is.
    """
    wanted = _words_of_lines(anchor)
    if not wanted:
        return anchor
    rarest = max(wanted[0].split(), key=len)
    lines = patch.split("\n")
    for start, line in enumerate(lines):
        if rarest not in line:
            continue
        passage = lines[start : start + len(wanted)]
        if len(passage) == len(wanted) and all(map(_is_copied, passage, wanted)):
            return "\n".join(passage)
    return anchor


def _is_copied(line: str, words: str) -> bool:
    """Return True if words are all of a line, with its sign or without."""
    if line.startswith("@@"):
        return False
    code = normal(line[1:])
    has_its_sign = words[:1] == line[:1] and words[1:].strip() == code
    return has_its_sign or words == code


def _words_of_lines(text: str) -> list[str]:
    """Return the words of each line that has any."""
    return [words for line in text.split("\n") if (words := normal(line))]


def lines_of(anchor: str, evidence: FileEvidence) -> tuple[int, int] | None:
    """Return the first and the last line that an anchor was copied from, or None if unknown.

    The lines follow each other, empty ones apart, and may have been copied in part.
    """
    wanted = _words_of_lines(without_line_numbers(anchor))
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
