"""Checks of code: paths and names stand in the diff, fenced lines in the diff or in the files that it touches."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agent.audit.entries import AuditEntry
from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding, finding, touched
from agent.audit.markdown import code_of
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.gate.quotes import patch_lines
from agent.gate.text import text_of

_PATH = re.compile(
    r"(?<![\w./@-])(?:[\w.@+-]{1,99}/){1,25}[\w.@+-]{0,99}\.[A-Za-z]\w{0,9}(?![\w/])", re.ASCII
)
_NAME = re.compile(
    r"(?=.{5})(?:--)?[A-Za-z_][\w-]{0,120}(?:(?:\.|::)[A-Za-z_]\w{0,120}){0,8}(?:\(\))?", re.ASCII
)
_JOINT = re.compile(r"\w[_.:-]{1,9}\w|[a-z0-9][A-Z]")  # A word of everyday language has none.
_COMMENT = re.compile(r"(?://|#(?!include|define|if|endif|pragma)|/\*|\*|<!--|;;|\"\"\").{0,2000}")
_TRAILING = re.compile(r"\s(?://|#)\s[^\n]*$")
_GAP = re.compile(r"\.{3}|…")
_OTHERS = (
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
_TELLING = 4  # Signs of a line of code that says something: brackets and `else` are everywhere.


def check_names(entries: Sequence[AuditEntry]) -> Iterator[Finding]:
    """Look for the paths and names of an entry in its diffs; only a list of files can be wrong by what it has not."""
    for entry in (
        entry for entry in entries if entry.whole and entry.block.kind in ("text", "item", "row")
    ):
        ids = ", ".join(one.id for one in entry.evidence[:2])
        files = " ".join(field.value for field in entry.fields if field.name == "files")
        listed = [path for path in _PATH.findall(files) if "..." not in path]
        spans = {code.text: entry.block.line_at(code.start) for code in code_of(entry.block.text)}
        for text, line in {**dict.fromkeys(listed, entry.block.line), **spans}.items():
            bare, is_touched = (
                text.removesuffix("()"),
                any(touched(text, one.change) for one in entry.evidence),
            )
            is_path = is_touched or _PATH.fullmatch(text)
            if is_touched or any(text_of(one).has(bare, fold=True) for one in entry.evidence):
                verdict, told = RIGHT, ids
            else:
                wrong = text in listed and len(entry.evidence) == 1
                verdict, told = "wrong:path" if wrong else UNVERIFIABLE, f"not in the diff of {ids}"
            if is_path or (_NAME.fullmatch(text) and _JOINT.search(text)):
                yield Finding(line, "path" if is_path else "identifier", text, verdict, told)


def fences_of(entries: Sequence[AuditEntry]) -> list[AuditEntry]:
    """List the fences that stand under a commit and show code."""
    return [entry for entry in entries if entry.whole and entry.block.language not in _OTHERS]


def check_code(
    entries: Sequence[AuditEntry], files: Mapping[EvidenceId, Sequence[str]]
) -> Iterator[Finding]:
    """Compare every fence with the change it stands under; `files` are the touched files as they were and became."""
    for entry in fences_of(entries):
        block, evidence = entry.block, entry.evidence
        texts = [
            _bare(text)
            for one in evidence
            for text in (*one.texts[:2], *files[one.change.commit.id])
        ]
        sides = {"+": _side(evidence, "+"), "-": _side(evidence, "-")}
        whole = "\0".join([_side(evidence, "+ "), _side(evidence, "- "), *texts])
        said, missing = list[str](), list[str]()
        for line in block.text.splitlines():
            sign = line.strip()[:1] if block.language == "diff" else ""
            parts = [
                part for part in map(_bare, _GAP.split(_said(line, sign))) if len(part) >= _TELLING
            ]
            said += [line.strip()] if parts else []
            missing += (
                [line.strip()] if any(part not in sides.get(sign, whole) for part in parts) else []
            )
        if said:
            ids = ", ".join(one.id for one in evidence[:2])
            told = (
                f"{len(missing)} of {len(said)} lines are not in {ids}: {missing[0][:120]}"
                if missing
                else ids
            )
            yield finding(
                block.line, "code", " ".join(said)[:120], told, wrong="quote" if missing else ""
            )


def _side(evidence: Sequence[CommitEvidence], kept: str) -> str:
    """Give the lines of the diffs with some signs, without blanks: people write several lines as one."""
    patches = (patch_lines(file.patch or "") for one in evidence for file in one.change.files)
    return "\0".join(
        "".join(_bare(line.text) for line in lines if line.mark in kept) for lines in patches
    )


def _said(line: str, sign: str) -> str:
    """Give what a line shows of code: no sign of a diff, no remark of the writer."""
    code = line.strip().removeprefix(sign).strip()
    if code.startswith(("@@", "diff --git", "index ", "--- ", "+++ ")) or _COMMENT.fullmatch(code):
        return ""
    return _TRAILING.sub("", code)


def _bare(line: str) -> str:
    return "".join(line.split())
