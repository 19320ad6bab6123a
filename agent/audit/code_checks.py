"""Checks of code: paths and names occur in the diff, fenced lines in the diff or its files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.audit.entries import AuditEntry
from agent.audit.findings import Finding, finding
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.gate.quotes import patch_lines

_COMMENT = re.compile(r"(?://|#(?!include|define|if|endif|pragma)|/\*|\*|<!--|;;|\"\"\").{0,2000}")
_TRAILING_COMMENT = re.compile(r"\s(?://|#)\s[^\n]*$")
_ELLIPSIS = re.compile(r"\.{3}|…")
_DIFF_HEADERS = ("@@", "diff --git", "index ", "--- ", "+++ ")
_LANGUAGES_OF_THE_WRITER = (
    "",
    "bash",
    "sh",
    "shell",
    "console",
    "text",
    "mermaid",
    "markdown",
    "html",
    "json",
    "yaml",
    "toml",
)
"""Languages of fences that show commands, drawings and examples of the writer's, not the change."""
_MIN_CODE_LENGTH = 4  # Brackets and `else` are everywhere.
_NAMED_IDS = 2  # That are listed as evidence


def _ids(evidence: Sequence[CommitEvidence]) -> str:
    return ", ".join(commit.id for commit in evidence[:_NAMED_IDS])


def fences_of(entries: Sequence[AuditEntry]) -> list[AuditEntry]:
    """Return the fences that stand under a commit and show code."""
    fences = []
    for entry in entries:
        if entry.is_read and entry.block.language not in _LANGUAGES_OF_THE_WRITER:
            fences.append(entry)
    return fences


def check_code(
    entries: Sequence[AuditEntry], files: Mapping[EvidenceId, Sequence[str]]
) -> Iterator[Finding]:
    """Compare every fence with the change it stands under.

    `files` are the touched files of each commit, as they were and as they became.
    """
    for entry in fences_of(entries):
        code = _ComparedCode(entry.evidence, files)
        shown_lines = []
        missing_lines: list[_QuotedLine] = []
        for number, line in enumerate(entry.block.text.splitlines(), start=entry.block.line + 1):
            sign = line.strip()[:1] if entry.block.language == "diff" else ""
            parts = _code_parts(line, sign)
            if not parts:
                continue
            shown_lines.append(line.strip())
            if not all(code.has(part, sign) for part in parts):
                missing_lines.append(_QuotedLine(number, line.strip()))
        if shown_lines:
            yield _fence_finding(entry, shown_lines, missing_lines)


class _QuotedLine(NamedTuple):
    """A line of a fence, and its number in the report."""

    number: int
    text: str


class _ComparedCode:
    """The code of a change, in which the parts of quoted lines are looked for."""

    def __init__(
        self, evidence: Sequence[CommitEvidence], files: Mapping[EvidenceId, Sequence[str]]
    ) -> None:
        texts = [_side(evidence, "+ "), _side(evidence, "- ")]
        for commit in evidence:
            for text in (*commit.texts[:2], *files[commit.change.commit.id]):
                texts.append(_without_blanks(text))
        self._everything = "\0".join(texts)
        self._by_sign = {"+": _side(evidence, "+"), "-": _side(evidence, "-")}

    def has(self, part: str, sign: str) -> bool:
        """Return True if code without blanks is there, behind a sign of a diff on that side."""
        return part in self._by_sign.get(sign, self._everything)


def _side(evidence: Sequence[CommitEvidence], signs: str) -> str:
    """Return the lines of the diffs with some signs, without blanks and breaks.

    People write several lines as one.
    """
    sides = []
    for commit in evidence:
        for file in commit.change.files:
            lines = patch_lines(file.patch or "")
            sides.append(
                "".join(_without_blanks(line.text) for line in lines if line.mark in signs)
            )
    return "\0".join(sides)


def _code_parts(line: str, sign: str) -> list[str]:
    """Return the code of a quoted line: the parts between ellipses, without blanks."""
    parts = []
    for part in _ELLIPSIS.split(_quoted_code(line, sign)):
        bare_part = _without_blanks(part)
        if len(bare_part) >= _MIN_CODE_LENGTH:
            parts.append(bare_part)
    return parts


def _quoted_code(line: str, sign: str) -> str:
    """Return a line without the sign of a diff and without remarks of the writer."""
    code = line.strip().removeprefix(sign).strip()
    if code.startswith(_DIFF_HEADERS) or _COMMENT.fullmatch(code):
        return ""
    return _TRAILING_COMMENT.sub("", code)


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _fence_finding(
    entry: AuditEntry, shown_lines: Sequence[str], missing_lines: Sequence[_QuotedLine]
) -> Finding:
    ids = _ids(entry.evidence)
    claim = " ".join(shown_lines)[:120]
    if not missing_lines:
        return finding(entry.block.line, "code", claim, ids, wrong="")
    counts = f"{len(missing_lines)} of {len(shown_lines)} lines are not in {ids}"
    first = missing_lines[0]
    evidence = f"{counts}: {first.text[:120]}"
    return finding(first.number, "code", claim, evidence, wrong="quote", span=first.text)
