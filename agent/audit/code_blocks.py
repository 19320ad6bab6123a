"""Checks of fenced code: its lines stand in the diff of the commit above it, or in the files that it touches."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding
from agent.audit.markdown import Block
from agent.audit.names import names_in, touched
from agent.audit.structure import Entry
from agent.domain.base import CommitId
from agent.domain.evidence import CommitEvidence
from agent.gate.patches import patch_lines

_COMMENT = re.compile(r"(?://|#(?!include|define|if|endif|pragma)|/\*|\*|<!--|;;|\"\"\").{0,2000}")
_TRAILING = re.compile(r"\s(?://|#)\s[^\n]*$")
_FILE = re.compile(r"(?<![\w./-])[\w./-]{3,200}\.\w{1,8}")
_GAP = re.compile(r"\.{3}|…")
_KEPT = {"+": ("+",), "-": ("-",), "": ("+ ", "- ")}
_CONSOLE = frozenset(("bash", "sh", "shell", "console", "text", "txt", "mermaid", "log", "markdown", "md", "html"))
"""Languages of fences that show commands and drawings, not the change."""
_SETTINGS = frozenset(("", "json", "yaml", "yml", "toml", "ini"))
"""Languages of fences that may as well be an example of the writer's."""
_LEAST = 4  # Signs of a line of code that says something: brackets and `else` are everywhere.


def fences_of(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """List the fences that stand under a commit and show code, each with the block before it."""
    for before, entry in pairwise(entries):
        if entry.block.kind == "fence" and entry.whole and entry.block.language not in _CONSOLE:
            yield before, entry


def unknown_lines(block: Block, evidence: Sequence[CommitEvidence], files: Sequence[str] = ()) -> list[str]:
    """List the lines of a fence that are neither in the diffs nor in the files; comments and gaps are the writer's."""
    sides = {mark: _side(evidence, mark) for mark in ("+", "-", "")}
    whole = "\0".join([sides[""], *map(_bare, files)])
    missing = []
    for line in block.text.splitlines():
        sign = line.strip()[:1] if block.language == "diff" else ""
        hay = sides[sign] if sign in ("+", "-") else whole
        parts = [_bare(part) for part in _GAP.split(_said(line, sign))]
        if any(len(part) >= _LEAST and part not in hay for part in parts):
            missing.append(line.strip())
    return missing


def _side(evidence: Sequence[CommitEvidence], mark: str) -> str:
    """Give one side of the diffs without blanks, or both sides; people write several lines as one."""
    texts = [_bare(text) for one in evidence for text in (one.change.commit.message, *one.paths) if not mark]
    for lines in (patch_lines(file.patch or "") for one in evidence for file in one.change.files):
        texts += ["".join(_bare(line.text) for line in lines if line.mark in kept) for kept in _KEPT[mark]]
    return "\0".join(texts)


def _said(line: str, sign: str) -> str:
    """Give what a line shows of code: no sign of a diff, no remark of the writer."""
    code = line.strip().removeprefix(sign).strip()
    if code.startswith(("@@", "diff --git", "index ", "--- ", "+++ ")) or _COMMENT.fullmatch(code):
        return ""
    return _TRAILING.sub("", code)


def _bare(line: str) -> str:
    return "".join(line.split())


def check_code(entries: Sequence[Entry], files: Mapping[CommitId, Sequence[str]]) -> Iterator[Finding]:
    """Compare every fence with the change it stands under; `files` are the touched files as they were and became."""
    for before, entry in fences_of(entries):
        block = entry.block
        said = [line for line in block.text.splitlines() if len(_bare(_GAP.sub("", _said(line, "")))) >= _LEAST]
        if not said:
            continue
        around = [text for name in entry.commits for text in files.get(name, ())]
        missing = unknown_lines(block, entry.evidence, around)
        ids = ", ".join(one.id for one in entry.evidence[:2])
        told = f"{len(missing)} of {len(said)} lines are not in {ids}: {missing[0][:120]}" if missing else ids
        announced = len(missing) < len(said) or block.language not in _SETTINGS or _names_file(before, entry)
        verdict = RIGHT if not missing else "wrong:quote" if announced else UNVERIFIABLE
        yield Finding(block.line, "code", " ".join(" ".join(said).split())[:120], verdict, told)


def _names_file(before: Entry, entry: Entry) -> bool:
    """Tell whether the block above a fence, or its first line, names a file of the change."""
    named = [one.text for one in names_in(before) if one.kind == "path"]
    named += _FILE.findall(entry.block.text.partition("\n")[0][:300])
    return any(touched(path, one.change) for path in named for one in entry.evidence)
