"""Checks of code: paths and names stand in the diff or in the trees, fenced lines in the diff or the touched files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from agent.audit.entries import Entry
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, Library, touched
from agent.audit.markdown import Block, code_of
from agent.domain.base import CommitId, RepoId
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
    listed: bool = False
    """Whether it stands in a column or behind a label of files."""


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


def lacking(entries: Sequence[Entry]) -> dict[RepoId, set[str]]:
    """Name what the cited diffs lack, for each repository: it is then looked for in whole trees."""
    found: dict[RepoId, set[str]] = {}
    for entry in entries:
        for one in names_in(entry) if entry.evidence else ():
            if not any(_has(one, each) for each in entry.evidence):
                words = _unknown(one.text, entry.evidence) if one.kind == "identifier" else set()
                for each in entry.evidence:
                    found.setdefault(each.repo, set()).update(words)
    return found


def _forms(name: str) -> set[str]:
    """Give the words by which a name is found in code: its telling parts, and a flag as the variable it becomes."""
    bare = name.removesuffix("()").lstrip("-")
    if name.startswith("--"):
        return {bare.casefold(), bare.replace("-", "_").casefold()}
    parts = [part for part in re.split(r"\.|::", bare) if part]
    return {part.casefold() for part in [one for one in parts if _has_joints(one)] or parts[-1:]}


def _unknown(name: str, evidence: Sequence[CommitEvidence]) -> set[str]:
    return {form for form in _forms(name) if not any(_is_whole(form, text_of(one)) for one in evidence)}


def _has(one: Name, evidence: CommitEvidence) -> bool:
    if one.kind == "path":
        return bool(touched(one.text, evidence.change)) or one.text in evidence.change.commit.message
    found = (_is_whole(form, text_of(evidence)) for form in _forms(one.text))
    return any(found) if one.text.startswith("--") else all(found)


def _is_whole(word: str, text: SearchText) -> bool:
    """Tell whether a name stands in a text by itself, and not only as a part of a longer one."""
    for at in text.places(word, fold=True):
        around = text.folded[max(0, at - 1) : at] + text.folded[at + len(word) : at + len(word) + 1]
        if not any(sign.isascii() and (sign.isalnum() or sign == "_") for sign in around):
            return True
    return False


def check_names(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Give every path and name that stands in or under an entry its verdict."""
    for entry in (entry for entry in entries if entry.whole):
        ids = ", ".join(each.id for each in entry.evidence[:2])
        searched = all(library[each.repo].searched for each in entry.evidence)
        for one in names_in(entry):
            if any(_has(one, each) for each in entry.evidence):
                verdict, told = RIGHT, ids
            elif one.kind == "path":
                verdict, told = _path(one, entry, library, searched=searched)
            else:
                verdict, told = _name(one, entry, library, searched=searched)
            yield Finding(one.line, one.kind, one.text, verdict, told)


def _path(one: Name, entry: Entry, library: Library, *, searched: bool) -> tuple[str, str]:
    """Judge a path that no cited commit touches: wrong in a list of files, or where no tree has it."""
    files = [file.path for each in entry.evidence for file in each.change.files]
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    told = f"{', '.join(each.id for each in entry.evidence[:2])} touches {', '.join(files[:3])}{more}"
    if any(text_of(each).has(one.text, fold=True) for each in entry.evidence):
        return UNVERIFIABLE, told
    if one.listed and len(entry.evidence) == 1:
        return "wrong:path", told
    there = any(f"/{one.text.casefold()}\n" in found.paths for found in library.values())
    # Under a folder that the repository has, it can hardly be a path of anything else.
    rooted = any(f"\n/{one.text.partition('/')[0].casefold()}/" in found.paths for found in library.values())
    if there or not searched or not (entry.direct or rooted):
        return UNVERIFIABLE, told
    return "wrong:path", f"there is no such file; {told}"


def _name(one: Name, entry: Entry, library: Library, *, searched: bool) -> tuple[str, str]:
    """Judge a name that no cited diff has: wrong beside a commit where no tree has it either."""
    ids = ", ".join(each.id for each in entry.evidence[:2])
    wanted, words = _unknown(one.text, entry.evidence), {word for found in library.values() for word in found.words}
    there = bool(wanted & words) if one.text.startswith("--") else wanted <= words
    partly = all(text_of(each).has(form, fold=True) for each in entry.evidence for form in wanted)
    if there or partly or not searched or not entry.direct:
        return UNVERIFIABLE, f"not in the diff of {ids}{', but in the repository' if there else ''}"
    return "wrong:name", f"neither {ids} nor any file has it"


# ---------------------------------------------------------------- fenced code

_COMMENT = re.compile(r"(?://|#(?!include|define|if|endif|pragma)|/\*|\*|<!--|;;|\"\"\").{0,2000}")
_TRAILING = re.compile(r"\s(?://|#)\s[^\n]*$")
_FILE = re.compile(r"(?<![\w./-])[\w./-]{3,200}\.\w{1,8}")
_GAP = re.compile(r"\.{3}|…")
_CONSOLE = frozenset(("bash", "sh", "shell", "console", "text", "txt", "mermaid", "log", "markdown", "md", "html"))
"""Languages of fences that show commands and drawings, not the change."""
_SETTINGS = frozenset(("", "json", "yaml", "yml", "toml", "ini"))
"""Languages of fences that may as well be an example of the writer's."""
_TELLING = 4  # Signs of a line of code that says something: brackets and `else` are everywhere.


def fences_of(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """List the fences that stand under a commit and show code, each with the block before it."""
    for before, entry in pairwise(entries):
        if entry.block.kind == "fence" and entry.whole and entry.block.language not in _CONSOLE:
            yield before, entry


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
    for before, entry in fences_of(entries):
        block = entry.block
        said = [line for line in block.text.splitlines() if len(_bare(_GAP.sub("", _said(line, "")))) >= _TELLING]
        if not said:
            continue
        missing = unknown_lines(block, entry.evidence, [text for name in entry.commits for text in files.get(name, ())])
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
