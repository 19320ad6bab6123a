"""Counting lines and files of a change, in every way that a report may have counted them."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from agent.audit.statement import Statement
from agent.claims import Judgement, Verdict
from agent.domain import Change, FileChange
from agent.evidence import CommitEvidence, Evidence

_ROUGHLY = 0.15


def fitting_paths(path: str, touched: Sequence[str]) -> list[str]:
    """Find the touched paths that a path may mean: itself, its end, what is below it, or what fits its pattern."""
    path = path.strip().strip("`").removeprefix("./").strip("/")
    if path in touched:
        return [path]
    if re.search(r"[*…]|\.{3}", path):
        form = re.sub(r"…|\.{3}", "*", path)
        return [one for one in touched if fnmatchcase(one, form) or fnmatchcase(one, f"*/{form}")]
    ends = [one for one in touched if one.endswith(f"/{path}")]
    return ends or [one for one in touched if one.startswith(f"{path}/") or f"/{path}/" in one]


def measured(statement: Statement, evidence: Evidence) -> tuple[Judgement, str]:
    """Compare stated counts with the diff."""
    if not isinstance(evidence, CommitEvidence):
        return Judgement(verdict=Verdict.UNDECIDED, reason="the diff of this thread was not read"), ""
    change = evidence.change
    if change.unreadable or change.incomplete:
        return Judgement(verdict=Verdict.UNDECIDED, reason="parts of the diff could not be read"), ""
    groups = _groups(statement, change)
    for name, files in groups:
        if _fits(statement, files):
            return Judgement(verdict=Verdict.SUPPORTED), f"{evidence.id}: {name} {_counted(files)}"
    # Who has the number of files right counts the lines of this very change.
    meant = statement.params.get("of_files") == str(len(change.files)) and statement.params.get("scope") == "whole"
    if not (statement.strict or meant) or _is_open(statement, groups):
        return Judgement(verdict=Verdict.UNDECIDED, reason=f"no file of {evidence.id} has these counts"), ""
    told = "; ".join(f"{name} {_counted(files)}" for name, files in groups[:3])
    return Judgement(verdict=Verdict.NUMBER, reason=f"{evidence.id}: {told}"), ""


def _groups(statement: Statement, change: Change) -> list[tuple[str, list[FileChange]]]:
    """List the sets of files that the counts may be about, the likeliest first."""
    whole = ("the whole commit", list(change.files))
    scope, wanted = statement.params.get("scope"), statement.params.get("paths", "").split("\n")
    if scope == "whole":
        return [whole]
    if scope == "any":
        return [whole, *((file.path, [file]) for file in change.files), *_folders(change)]
    groups: list[tuple[str, list[FileChange]]] = []
    together: dict[str, FileChange] = {}
    for path in wanted:
        paths = set(fitting_paths(path, [file.path for file in change.files]))
        old = set(fitting_paths(path, [file.previous_path or "" for file in change.files]))
        files = [file for file in change.files if file.path in paths or file.previous_path in old - {""}]
        if not files:
            continue
        together |= {file.path: file for file in files}
        groups += [(file.path, [file]) for file in files[:8]]
        if len(files) > 1:
            groups.append((path, files))
    if scope == "either":
        return [*groups, ("these files", list(together.values())), whole]
    return groups or [(f"{wanted[-1]} is not touched;", []), whole]


def _is_open(statement: Statement, groups: list[tuple[str, list[FileChange]]]) -> bool:
    """Tell whether the diff alone cannot refute a count: the length of a file that was there before and after."""
    files = [file for _, group in groups for file in group]
    untouched = "above" in statement.params and not groups[0][1]
    return untouched or ("size" in statement.params and any(not _is_whole(file) for file in files))


def _is_whole(file: FileChange) -> bool:
    return file.status in ("added", "removed")


def _folders(change: Change) -> list[tuple[str, list[FileChange]]]:
    """Group the files by each folder above them: a report may count its tests or its kernels."""
    groups: dict[str, list[FileChange]] = {}
    for file in change.files:
        parts = file.path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            groups.setdefault("/".join(parts[:depth]) + "/", []).append(file)
    return list(groups.items())


def _fits(statement: Statement, files: list[FileChange]) -> bool:
    if not files:
        return False
    added, deleted = sum(file.additions for file in files), sum(file.deletions for file in files)
    real = {"additions": added, "deletions": deleted, "files": len(files), "total": added + deleted}
    roughly = "about" in statement.params
    if "size" in statement.params:
        return all(map(_is_whole, files)) and _equal(int(statement.params["size"]), added + deleted, roughly)
    for name, value in statement.params.items():
        if name == "grown" and int(value) not in (added, added - deleted):
            return False
        if name == "shrunk" and int(value) not in (deleted, deleted - added):
            return False
        if name == "either" and int(value) not in (added, deleted, added + deleted):
            return False
        if name == "total" and _equal(int(value), added, roughly) and not deleted:
            continue
        if name in real and not _equal(int(value), real[name], roughly):
            return False
    return True


def _equal(stated: int, real: int, roughly: bool) -> bool:
    return abs(stated - real) <= _ROUGHLY * real if roughly else stated == real


def _counted(files: list[FileChange]) -> str:
    if not files:
        return "—"
    added, deleted = sum(file.additions for file in files), sum(file.deletions for file in files)
    return f"+{added} −{deleted}" + (f" in {len(files)} files" if len(files) > 1 else "")
