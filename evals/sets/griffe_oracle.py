"""What griffe, which shares nothing with the code under test, finds broken in the Python of a commit.

Griffe is made to load packages; a commit touches few of their modules, and modules that did not change cannot differ.
So only the changed files are visited, each as the module that it is, old against new: the findings are those of loading
both trees whole, at a hundredth of the time. Left out is what only griffe counts: attributes set on `self`, `__all__`
itself, and members that a class merely inherits.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from agent.errors import InputError
from evals.sets.oracle import ask_git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import griffe

KINDS: Final = {
    "OBJECT_REMOVED": "removed",
    "PARAMETER_REMOVED": "parameter-removed",
    "PARAMETER_ADDED_REQUIRED": "parameter-added-required",
    "PARAMETER_MOVED": "parameter-moved",
    "PARAMETER_CHANGED_DEFAULT": "parameter-default",
    "PARAMETER_CHANGED_REQUIRED": "parameter-required",
    "PARAMETER_CHANGED_KIND": "parameter-kind",
    "CLASS_REMOVED_BASE": "base-removed",
    "ATTRIBUTE_CHANGED_VALUE": "value-changed",
    "ATTRIBUTE_CHANGED_TYPE": "type-changed",
    "OBJECT_CHANGED_KIND": "kind-changed",
    "RETURN_CHANGED_TYPE": "return-type",
}


@dataclass(frozen=True, order=True)
class Breakage:
    """One finding of griffe."""

    kind: str
    file: str
    """The file that declared it, as it was called before."""
    name: str
    """Qualified inside the file; empty for a module that is gone."""
    parameter: str = ""
    old: str = ""
    new: str = ""


@dataclass(frozen=True)
class Change:
    """A Python file of both trees; a blob that is not there is None."""

    file: str
    old: str | None
    new: str | None


async def breakages(git_dir: Path, parent: str, commit: str, folders: Sequence[str]) -> list[Breakage]:
    """List what the commit breaks in the packages under these folders, sorted."""
    changes = [c for c in await _changes(git_dir, parent, commit, folders) if c.old and _public_path(c.file)]
    texts = await _blobs(git_dir, [blob for change in changes for blob in (change.old, change.new) if blob])
    return await asyncio.to_thread(lambda: sorted({b for change in changes for b in compare(change, texts)}))


def compare(change: Change, texts: dict[str, bytes]) -> Iterator[Breakage]:
    """Compare the two versions of one file."""
    try:
        import griffe
    except ImportError as error:
        raise InputError("this set needs griffe, which is a development dependency") from error
    assert change.old is not None
    if change.new is None:
        yield Breakage("removed", change.file, "")
        return
    old, new = _module(change.file, texts[change.old]), _module(change.file, texts[change.new])
    if old is None or new is None:
        return
    for found in griffe.find_breaking_changes(old, new):
        normal = _normal(found, change.file, old)
        if normal is not None:
            yield normal


def _module(file: str, text: bytes) -> griffe.Module | None:
    import griffe

    try:
        code = text.decode("utf-8")
        module = griffe.visit("module", Path(file), code, extensions=griffe.Extensions())
    except (SyntaxError, ValueError, RecursionError):
        return None
    return module


def _normal(found: griffe.Breakage, file: str, old: griffe.Module) -> Breakage | None:
    name = found.obj.path.removeprefix("module").removeprefix(".")
    kind = KINDS.get(found.kind.name, found.kind.value)
    if kind == "removed":
        if name == "__all__" or getattr(found.obj, "inherited", False) or _set_on_self(found.obj):
            return None
        return Breakage(kind, file, name)
    before, after = found.old_value, found.new_value
    parameter = _attribute(before, "name") or _attribute(after, "name") if kind.startswith("parameter") else ""
    if kind == "parameter-default":
        before, after = before.default, after.default
    if kind.startswith("parameter") and kind != "parameter-default":
        before, after = _attribute(before, "kind"), _attribute(after, "kind")
    return Breakage(kind, file, name, parameter, _words(before), _words(after))


def _set_on_self(found: griffe.Object | griffe.Alias) -> bool:
    """Say whether an attribute of a class is assigned inside one of its methods only."""
    owner = found.parent
    if found.is_alias or not found.is_attribute or owner is None or not owner.is_class or found.lineno is None:
        return False
    methods = [member for member in owner.members.values() if not member.is_alias and member.is_function]
    return any((m.lineno or 0) <= found.lineno <= (m.endlineno or 0) for m in methods)


def _attribute(value: Any, name: str) -> str:  # griffe's findings carry whatever they are about
    found = getattr(value, name, "")
    return str(getattr(found, "value", found) or "")


def _words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(getattr(value, "value", value))


def _public_path(file: str) -> bool:
    parts = PurePosixPath(file).with_suffix("").parts
    return all(not part.startswith("_") or part == "__init__" for part in parts)


async def _changes(git_dir: Path, parent: str, commit: str, folders: Sequence[str]) -> list[Change]:
    out = await ask_git(git_dir, "diff-tree", "-r", "-z", "--no-renames", parent, commit, "--", *folders)
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    changes = []
    for head, file in zip(fields[::2], fields[1::2], strict=False):
        _, _, old, new, _ = head.split(" ")
        if file.endswith(".py"):
            changes.append(Change(file, old if old.strip("0") else None, new if new.strip("0") else None))
    return changes


async def _blobs(git_dir: Path, names: list[str]) -> dict[str, bytes]:
    process = await asyncio.create_subprocess_exec(
        *("git", "--git-dir", str(git_dir), "cat-file", "--batch"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate("".join(f"{name}\n" for name in names).encode())
    blobs: dict[str, bytes] = {}
    at = 0
    for name in names:
        head, _, _ = out[at : at + 200].partition(b"\n")
        try:
            size = int(head.split(b" ")[2])
        except (IndexError, ValueError) as error:
            raise InputError(f"{git_dir} has no blob {name}") from error
        start = at + len(head) + 1
        blobs[name] = out[start : start + size]
        at = start + size + 1
    return blobs
