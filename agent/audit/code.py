"""Checks of code: paths and names stand in the diff, fenced lines in the diff or in the files that it touches."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from agent.audit.entries import Entry
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, touched
from agent.audit.markdown import Block, code_of
from agent.domain.base import CommitId
from agent.domain.evidence import CommitEvidence
from agent.gate.quotes import patch_lines
from agent.gate.text import SearchText, text_of

_PATH = re.compile(r"\A(?:\.{0,2}/)?(?:[\w.@+-]{1,120}/){0,25}[\w.@+-]{0,120}\.[A-Za-z][A-Za-z0-9]{0,9}", re.ASCII)
_LISTED_PATH = re.compile(r"(?<![\w./@-])(?:[\w.@+-]{1,120}/){1,25}[\w.@+-]{1,120}(?![\w/])", re.ASCII)
_FLAG = re.compile(r"\A--[a-z][a-z0-9]{0,40}(?:[-_][a-z0-9]{1,40}){1,12}", re.ASCII | re.IGNORECASE)
_NAME = re.compile(r"\A[A-Za-z_]\w{0,120}(?:(?:\.|::)[A-Za-z_]\w{0,120}){0,8}(?:\(\))?", re.ASCII)
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z][a-z].{0,100}[A-Z][a-z]")
_SOURCE = re.compile(
    r"\A(?i:pyi?|[chm]|mm|cc|[ch]pp|cuh?|rs|go|jsx?|tsx?|vue|html|css|java|kt|rb|sh"
    r"|md|rst|ipynb|toml|ya?ml|json|xml|txt|cmake|jinja2?|inc|in|cfg|ini|lock|proto)"
)
"""How files end that stand in repositories; `torch.nn` ends otherwise."""
_ENDING = re.compile(r"\A[a-z]{1,4}")
_LEAST = 5


class Name(NamedTuple):
    """A path or a name that a block gives as code."""

    kind: Literal["path", "identifier"]
    text: str
    line: int
    listed: bool = False  # Whether it stands in a column or behind a label of files


def names_in(entry: Entry) -> list[Name]:
    """Find the paths and names of a block: code spans, and whatever a list of files has."""
    if entry.block.kind in ("fence", "rule", "heading"):
        return []
    found: dict[str, Name] = {}
    for field in (field for field in entry.fields if field.name == "files"):
        spans = [code.text for code in code_of(field.value)]
        for text in [one for one in spans if _kind(one) == "path"] or _LISTED_PATH.findall(field.value):
            found[text] = Name("path", text.removeprefix("./"), entry.line_of(field), listed=True)
    for code in code_of(entry.block.text):
        if (kind := _kind(code.text)) and code.text not in found:
            found[code.text] = Name(kind, code.text.removeprefix("./"), entry.block.line_at(code.start))
    return list(found.values())


def _kind(text: str) -> Literal["path", "identifier"] | None:
    end = text.rpartition(".")[2]
    ends = _SOURCE.fullmatch(end) or ("/" in text and _ENDING.fullmatch(end))
    if ends and _PATH.fullmatch(text) and "..." not in text:
        return "path"
    bare = text.removesuffix("()")
    named = _NAME.fullmatch(text) and len(bare) >= _LEAST and _has_joints(bare)
    return "identifier" if named or _FLAG.fullmatch(text) else None


def _has_joints(name: str) -> bool:
    return "_" in name.strip("_") or _HUMPS.search(name) is not None


def _forms(name: str) -> set[str]:
    """Give the words by which a name is found in code: its telling parts, and a flag as the variable it becomes."""
    bare = name.removesuffix("()").lstrip("-")
    if name.startswith("--"):
        return {bare.casefold(), bare.replace("-", "_").casefold()}
    parts = [part for part in re.split(r"\.|::", bare) if part]
    return {part.casefold() for part in [one for one in parts if _has_joints(one)] or parts[-1:]}


def _has(one: Name, evidence: CommitEvidence) -> bool:
    if one.kind == "path":
        return bool(touched(one.text, evidence.change)) or one.text in evidence.change.commit.message
    found = (_is_whole(form, text_of(evidence)) for form in _forms(one.text))
    return any(found) if one.text.startswith("--") else all(found)


def _is_whole(word: str, text: SearchText) -> bool:
    """Tell whether a name stands in a text by itself, and not only as a part of a longer one."""
    return re.search(rf"(?<![a-z0-9_]){re.escape(word)}(?![a-z0-9_])", text.folded) is not None


def check_names(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Look for every path and name of an entry in its diffs; only a list of files can be wrong by what it has not."""
    for entry in (entry for entry in entries if entry.whole):
        ids = ", ".join(each.id for each in entry.evidence[:2])
        for one in names_in(entry):
            verdict, told = RIGHT, ids
            if not any(_has(one, each) for each in entry.evidence):
                mentioned = any(text_of(each).has(one.text, fold=True) for each in entry.evidence)
                wrong = one.listed and len(entry.evidence) == 1 and not mentioned
                verdict, told = "wrong:path" if wrong else UNVERIFIABLE, f"not in the diff of {ids}"
            yield Finding(one.line, one.kind, one.text, verdict, told)


# ---------------------------------------------------------------- fenced code

_COMMENT = re.compile(r"(?://|#(?!include|define|if|endif|pragma)|/\*|\*|<!--|;;|\"\"\").{0,2000}")
_TRAILING = re.compile(r"\s(?://|#)\s[^\n]*$")
_GAP = re.compile(r"\.{3}|…")
_CONSOLE = frozenset(("bash", "sh", "shell", "console", "text", "txt", "mermaid", "log", "markdown", "md", "html"))
"""Languages of fences that show commands and drawings, not the change."""
_SETTINGS = frozenset(("", "json", "yaml", "yml", "toml", "ini"))
"""Languages of fences that may as well be an example of the writer's."""
_TELLING = 4  # Signs of a line of code that says something: brackets and `else` are everywhere.


def fences_of(entries: Sequence[Entry]) -> list[Entry]:
    """List the fences that stand under a commit and show code."""
    fences = [entry for entry in entries if entry.block.kind == "fence" and entry.whole]
    return [entry for entry in fences if entry.block.language not in _CONSOLE]


def unknown_lines(block: Block, evidence: Sequence[CommitEvidence], files: Sequence[str] = ()) -> list[str]:
    """List the lines of a fence that are neither in the diffs nor in the files; comments and gaps are the writer's."""
    sides = {"+": _side(evidence, "+"), "-": _side(evidence, "-")}
    texts = [text for one in evidence for text in (one.change.commit.message, *one.paths)]
    whole = "\0".join([_side(evidence, "+ "), _side(evidence, "- "), *map(_bare, (*texts, *files))])
    missing = []
    for line in block.text.splitlines():
        sign = line.strip()[:1] if block.language == "diff" else ""
        parts = [_bare(part) for part in _GAP.split(_said(line, sign))]
        if any(len(part) >= _TELLING and part not in sides.get(sign, whole) for part in parts):
            missing.append(line.strip())
    return missing


def _side(evidence: Sequence[CommitEvidence], kept: str) -> str:
    """Give the lines of the diffs with some signs, without blanks; people write several lines as one."""
    patches = (patch_lines(file.patch or "") for one in evidence for file in one.change.files)
    return "\0".join("".join(_bare(line.text) for line in lines if line.mark in kept) for lines in patches)


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
    for entry in fences_of(entries):
        block = entry.block
        said = [line for line in block.text.splitlines() if len(_bare(_GAP.sub("", _said(line, "")))) >= _TELLING]
        if not said:
            continue
        missing = unknown_lines(block, entry.evidence, [text for name in entry.commits for text in files.get(name, ())])
        ids = ", ".join(one.id for one in entry.evidence[:2])
        told = f"{len(missing)} of {len(said)} lines are not in {ids}: {missing[0][:120]}" if missing else ids
        announced = len(missing) < len(said) or block.language not in _SETTINGS
        verdict = RIGHT if not missing else "wrong:quote" if announced else UNVERIFIABLE
        yield Finding(block.line, "code", " ".join(" ".join(said).split())[:120], verdict, told)
