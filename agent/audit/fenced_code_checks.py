"""Checks of fenced code: paths and names occur in the diff, fenced lines in the diff or its files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.audit.entries import AuditEntry
from agent.audit.findings import Finding, finding
from agent.audit.markdown import code_of
from agent.audit.repository_lookup_results import count_differing, touched
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.gate.quotes import patch_lines

_COMMENT = re.compile(r"(?://|#(?!include|define|if|endif|pragma)|/\*|\*|<!--|;;|\"\"\").{0,2000}")
_TRAILING_COMMENT = re.compile(r"\s(?://|#)\s[^\n]*$")
_ELLIPSIS = re.compile(r"\.{3}|…")
_DIFF_HEADERS = ("@@", "diff --git", "index ", "--- ", "+++ ")
_HUNK_OR_FILE = re.compile(r"^[ \t]{0,20}(?:@@ |diff --git |\+\+\+ \S)", re.MULTILINE)
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
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MAX_CODE_SPANS = 50
_CHARACTERS_BEHIND_HASH = 12  # Marks between a hash and the colon before a fence
_SHARE_OF_CHANGED = 0.25  # Lines of a fence that may be misquoted, and it is still a quotation
_SHARE_OF_SIGNED = 0.5
_TEXTS = (".md", ".mdx", ".rst", ".txt")
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
        is_quotation = _is_quotation(entry)
        shown_lines = []
        missing_lines: list[_QuotedLine] = []
        for number, line in enumerate(entry.block.text.splitlines(), start=entry.block.line + 1):
            sign = _sign_of(line, entry)
            parts = _code_parts(line, sign)
            if not parts:
                continue
            shown_lines.append(line.strip())
            if not all(code.has(part, sign) for part in parts) and not code.has_written(line):
                missing_lines.append(_QuotedLine(number, line.strip()))
        if (
            not missing_lines
            or is_quotation
            or _is_almost_quoted(shown_lines, missing_lines, entry)
        ):
            yield from _fence_finding(entry, shown_lines, missing_lines)


def _sign_of(line: str, entry: AuditEntry) -> str:
    """Return the first character of a line in a diff, empty elsewhere."""
    return line.strip()[:1] if entry.block.language == "diff" else ""


def _is_quotation(entry: AuditEntry) -> bool:
    """Return True if a fence is said to be code of the change, and not an example of the writer's.

    It has the headings of a diff, or the block before it names a file that the change touches, or
    ends with the hash and a colon. Lines with signs alone may show readers how to change theirs.
    """
    if entry.block.language == "diff" and _HUNK_OR_FILE.search(entry.block.text):
        return True
    if entry.introduction is None:
        return False
    block = entry.introduction.block
    for code in code_of(block.text)[:_MAX_CODE_SPANS]:
        if any(touched(code.text, commit.change) for commit in entry.evidence):
            return True
    text = block.text.rstrip()
    hashes = [
        reference for reference in entry.introduction.references if reference.kind == "commit"
    ]
    is_behind_hash = hashes and len(text) - hashes[-1].end <= _CHARACTERS_BEHIND_HASH
    return bool(is_behind_hash) and text.endswith((":", "："))


def _is_almost_quoted(
    shown_lines: Sequence[str],
    missing_lines: Sequence["_QuotedLine"],
    entry: AuditEntry,
) -> bool:
    """Return True if nearly all lines are in the change, and the others but for one word.

    Of lines with the signs of a diff one must be there. The lines of changed texts do not count:
    their examples are told again in other words.
    """
    share = _SHARE_OF_CHANGED if entry.block.language != "diff" else _SHARE_OF_SIGNED
    if len(missing_lines) > share * len(shown_lines):
        return False
    changed_lines: list[list[str]] = []
    for commit in entry.evidence:
        for file in commit.change.files:
            if file.path.endswith(_TEXTS):
                continue
            for line in patch_lines(file.patch or ""):
                changed_lines.append(_TOKEN.findall(line.text))
    for missing_line in missing_lines:
        tokens = _TOKEN.findall(missing_line.text.removeprefix(_sign_of(missing_line.text, entry)))
        if not any(count_differing(tokens, changed) == 1 for changed in changed_lines):
            return False
    return True


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

    def has_written(self, line: str) -> bool:
        """Return True if a line is there as it is written, with its sign: an example in a text."""
        return _without_blanks(line) in self._everything

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
    written = line.strip()
    code = written.removeprefix(sign).strip()
    if written.startswith(_DIFF_HEADERS) or _COMMENT.fullmatch(code):
        return ""
    return _TRAILING_COMMENT.sub("", code)


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _fence_finding(
    entry: AuditEntry, shown_lines: Sequence[str], missing_lines: Sequence[_QuotedLine]
) -> Iterator[Finding]:
    if not shown_lines:
        return
    ids = _ids(entry.evidence)
    claim = " ".join(shown_lines)[:120]
    if not missing_lines:
        yield finding(entry.block.line, "code", claim, ids, wrong="")
        return
    counts = f"{len(missing_lines)} of {len(shown_lines)} lines are not in {ids}"
    first = missing_lines[0]
    evidence = f"{counts}: {first.text[:120]}"
    yield finding(first.number, "code", claim, evidence, wrong="quote", span=first.text)
