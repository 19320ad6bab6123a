"""What griffe, which shares nothing with the code under test, finds broken in the public API of a package.

Public is what users reach without knowing the files: what the `__init__.py` of a package, or of one right below it,
imports, declares or lists in its `__all__`. Griffe is made to load packages, which takes a minute for a large one; here
each version of a file is visited once, and only where an export leads to it. Left out is what only griffe counts:
attributes set on `self`, and members that a class merely inherits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.sets.oracle import ask_git

if TYPE_CHECKING:
    import griffe

KINDS = {
    "OBJECT_REMOVED": "removed",
    "PARAMETER_REMOVED": "parameter-removed",
    "PARAMETER_ADDED_REQUIRED": "parameter-added",
    "PARAMETER_MOVED": "parameter-moved",
    "PARAMETER_CHANGED_DEFAULT": "parameter-default",
    "PARAMETER_CHANGED_REQUIRED": "parameter-required",
    "PARAMETER_CHANGED_KIND": "parameter-kind",
}
"""The findings that are compared."""
_DEEPEST = 8
Place = tuple[str, str]
"""A file and the name of something in it."""


@dataclass(frozen=True, order=True)
class Breakage:
    """One finding."""

    kind: str
    file: str
    name: str
    """Qualified inside the file."""
    parameter: str = ""


@dataclass
class Visits:
    """Every version of a file that griffe has read."""

    git_dir: Path
    modules: dict[tuple[str, str], griffe.Module | None] = field(default_factory=dict)

    async def tree(self, commit: str, folder: str) -> Tree:
        """List the Python files of a package at a commit."""
        out = await ask_git(self.git_dir, "ls-tree", "-r", "-z", commit, "--", f"{folder}/")
        rows = (row.split("\t", 1) for row in out.decode("utf-8", "replace").split("\0") if row.endswith(".py"))
        return Tree(self, folder, {path: head.split(" ")[2] for head, path in rows})

    async def visit(self, path: str, blob: str, name: str) -> griffe.Module | None:
        """Read a version of a file as the module that it is."""
        if (path, blob) not in self.modules:
            text = await ask_git(self.git_dir, "cat-file", "blob", blob)
            self.modules[path, blob] = _visited(path, name, text.decode("utf-8", "replace"))
        return self.modules[path, blob]


@dataclass
class Tree:
    """A package at a commit."""

    visits: Visits
    folder: str
    blobs: Mapping[str, str]

    def __post_init__(self) -> None:
        self.files = {self._module_name(path): path for path in self.blobs}
        self.names = {path: name for name, path in self.files.items()}

    def _module_name(self, path: str) -> str:
        inside = path[self.folder.rfind("/") + 1 :].removesuffix(".py").removesuffix("/__init__")
        return inside.replace("/", ".")

    async def module(self, path: str) -> griffe.Module | None:
        """Give a module as griffe reads it."""
        return await self.visits.visit(path, self.blobs[path], self.names[path])

    async def exported(self) -> dict[str, Place]:
        """Map every public path to where it leads."""
        found: dict[str, Place] = {}
        for name, path in self.files.items():
            package = path.endswith("/__init__.py") and name.count(".") <= 1
            if package and (module := await self.module(path)) is not None:
                for public in await self._public_names(module):
                    if place := await self._target(f"{name}.{public}"):
                        found[f"{name}.{public}"] = place
        return found

    async def _public_names(self, module: griffe.Module, depth: int = 0) -> set[str]:
        """List what a module gives to others; what it imports by a star is what another one gives."""
        import griffe

        if module.exports is not None and depth:
            return {str(name) for name in module.exports}
        names = {str(name) for name in module.exports or ()}
        for name, member in module.members.items():
            wildcard = member.wildcard if isinstance(member, griffe.Alias) else None
            if wildcard is None:
                names |= set() if name.startswith("_") else {name}
            elif (path := self.files.get(wildcard)) and depth < _DEEPEST and (other := await self.module(path)):
                names |= await self._public_names(other, depth + 1)
        return names

    async def _target(self, dotted: str, depth: int = 0) -> Place | None:
        """Follow imports to the file that declares a name, or that is the module of it; None for other projects."""
        import griffe

        owner, _, name = dotted.rpartition(".")
        path = self.files.get(owner)
        module = await self.module(path) if path else None
        if path is None or module is None or depth > _DEEPEST:
            return None
        member = module.members.get(name)
        if isinstance(member, griffe.Alias) and member.target_path != dotted:
            return await self._target(member.target_path, depth + 1)
        if member is not None and not member.is_alias:
            return path, name
        if dotted in self.files:
            return self.files[dotted], ""
        stars = [one.target_path for one in module.members.values() if isinstance(one, griffe.Alias) and one.wildcard]
        targets = [await self._target(f"{star}.{name}", depth + 1) for star in stars]
        return next(filter(None, targets), None)


async def breakages(old: Tree, new: Tree) -> set[Breakage]:
    """Compare every public path of two trees: those that are gone, and those that lead to something else."""
    changed = {path for path in {*old.blobs, *new.blobs} if old.blobs.get(path) != new.blobs.get(path)}
    before, after = await old.exported(), await new.exported()
    found: set[Breakage] = set()
    pairs: dict[tuple[str, str], set[str]] = {}
    for public, (path, name) in before.items():
        if public not in after:
            found.add(Breakage("removed", path, name or public.rpartition(".")[2]))
        elif name and (then := after[public])[1] == name and (path != then[0] or path in changed):
            pairs.setdefault((path, then[0]), set()).add(name)
    for (path, then_path), names in pairs.items():
        one, other = await old.module(path), await new.module(then_path)
        if one is not None and other is not None:
            for name in names:
                # A name that its own module does not list is public all the same if its package gives it on.
                one.members[name].public = other.members[name].public = True
            found |= {b for b in _compared(one, other, path) if b.name.partition(".")[0] in names}
    return found


def _compared(old: griffe.Module, new: griffe.Module, path: str) -> Iterator[Breakage]:
    import griffe

    for one in griffe.find_breaking_changes(old, new):
        kind, name = KINDS.get(one.kind.name), one.obj.path.removeprefix(f"{old.path}.")
        if kind is None or (kind == "removed" and (getattr(one.obj, "inherited", False) or _set_on_self(one.obj))):
            continue
        values: tuple[Any, ...] = (one.old_value, one.new_value)
        parameters = [str(value.name) for value in values if getattr(value, "name", None)] if kind != "removed" else []
        yield Breakage(kind, path, name, next(iter(parameters), ""))


def _set_on_self(found: griffe.Object | griffe.Alias) -> bool:
    """Say whether an attribute of a class is assigned inside one of its methods only."""
    owner = found.parent
    if found.is_alias or not found.is_attribute or owner is None or not owner.is_class or found.lineno is None:
        return False
    methods = [member for member in owner.members.values() if not member.is_alias and member.is_function]
    return any((one.lineno or 0) <= found.lineno <= (one.endlineno or 0) for one in methods)


def _visited(path: str, name: str, code: str) -> griffe.Module | None:
    import griffe

    *owners, own = name.split(".")
    parent: griffe.Module | None = None
    for owner in owners:
        # Relative imports are resolved by the packages around a module.
        parent = griffe.Module(owner, filepath=Path(owner, "__init__.py"), parent=parent)
    try:
        return griffe.visit(own, Path(path), code, extensions=griffe.Extensions(), parent=parent)
    except (SyntaxError, ValueError, RecursionError):
        return None
