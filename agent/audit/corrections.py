"""Corrections of a report: what git has is written in the place of what is wrong."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent.audit.findings import Finding

_HASH = re.compile(r"[0-9a-f]{7,40}")
_HASH_IN_TEXT = re.compile(r"(?<!\w)[0-9a-f]{7,40}(?!\w)")


class Corrected(NamedTuple):
    """A report after its corrections."""

    text: str
    corrected: tuple[Finding, ...]


def correct(text: str, findings: Iterable[Finding]) -> Corrected:
    """Return a report in which every certain correction is made.

    A correction is made only where the wrong words stand once on their line; a hash may also stand
    in the address of its link.
    """
    lines = text.split("\n")
    corrected = []
    for finding in findings:
        if not finding.wrong or not finding.replacement or finding.line > len(lines):
            continue
        line = lines[finding.line - 1]
        is_hash = _HASH.fullmatch(finding.span) is not None
        occurrences = list(_hashes(finding.span, line) if is_hash else _places(finding.span, line))
        is_certain = len(occurrences) == 1 or (occurrences and is_hash)
        if not is_certain:
            continue
        for place in reversed(occurrences):
            written = finding.replacement[: len(place)] if is_hash else finding.replacement
            line = line[: place.start] + written + line[place.stop :]
        lines[finding.line - 1] = line
        corrected.append(finding)
    return Corrected("\n".join(lines), tuple(corrected))


def _hashes(span: str, line: str) -> Iterator[range]:
    """Yield where a hash stands in a line, in full or abbreviated."""
    for match in _HASH_IN_TEXT.finditer(line):
        if span.startswith(match[0]):
            yield range(*match.span())


def _places(span: str, line: str) -> Iterator[range]:
    """Yield where a span stands in a line, and is not part of a longer word or number."""
    begins_inside_word = r"(?<!\w)" if span[:1].isalnum() else ""
    ends_inside_word = r"(?!\w)" if span[-1:].isalnum() else ""
    pattern = f"{begins_inside_word}{re.escape(span)}{ends_inside_word}"
    for match in re.finditer(pattern, line):
        yield range(*match.span())
