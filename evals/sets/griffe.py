"""Griffe: what breaks for callers of Python packages, compared with an independent tool.

Recall asks of each finding of griffe about the public API whether a fact that is not internal states
it. Public is what the `__init__.py` of a package, or of one right below it, gives to others: griffe
loads the package at a commit and resolves these names to their definitions itself, and the bases of
its classes: a member that a class inherits now is not removed. Precision asks of each name that a
fact calls broken whether griffe finds it broken too, in whatever module: documents also show users
what no `__init__.py` gives on. Fields of records are left out of precision: users set them without
importing the record.
"""

import ast
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from agent.domain.commits import Change
from agent.domain.errors import InputError
from agent.domain.facts import Fact, Severity
from evals.figures import Figures, Score, Target, share
from evals.harness import Bench, evalset
from evals.mirror_commits import (
    FirstParentCommit,
    ask_git,
    between,
    days_of,
    first_parent_line,
    git_dir_of,
    path_of,
)
from tools.diff.files_read_for_facts import study
from tools.git.source import GitSource

_FEW = 60  # How many of the latest commits are compared
_MANY = 600
_NOT_PACKAGES = re.compile(
    r"^(\w*tests?|testing|bench\w*|examples?|docs?|scripts?|ci|tools|third_?party|3rdparty)$"
)
_ROOTS = ("src", "python", "lib")  # Folders that hold packages and are not part of their names
_MAX_PACKAGES_KEPT = 4
_MAX_MODULES_KEPT = 10_000
_PACKAGES_BY_NAMES: "dict[str, LoadedPackage]" = {}
_REMOVABLE = ("symbol-", "enum-member-", "field-")


@dataclass(frozen=True)
class Broken:
    """A breaking change of one name by griffe or by a fact; the old name, qualified in its file."""

    name: str
    removed: bool
    parameters: frozenset[str] = frozenset()  # Empty where all of them may have moved
    # An attribute that no statement of its class gives a value: it is none of the class itself
    is_of_objects: bool = field(default=False, compare=False)

    @property
    def top(self) -> str:
        """The function or class that it is, or is a part of."""
        return self.name.partition(".")[0]

    def states(self, finding: "Broken") -> bool:
        """Return True if a fact states a finding; a removed class takes its members along."""
        if finding.removed and not self.removed:
            # The field of a record is an argument of its class.
            owner, _, member = finding.name.rpartition(".")
            return self.name == owner and member in self.parameters
        if self.removed != finding.removed:
            return False
        if self.removed:
            return self.name == finding.name or self.name.startswith(f"{finding.name}.")
        if self.name != finding.name:
            return False
        return not finding.parameters or bool(finding.parameters & self.parameters)


class FoundBreaks(NamedTuple):
    """What griffe finds broken in a package."""

    given_on: list[Broken]  # Among the names that the package gives to others
    anywhere: list[Broken]  # In all of its modules


@evalset("griffe", "what breaks for callers is what griffe says breaks", needs_mirrors=True)
async def run(bench: Bench) -> Figures:
    """Compare the latest commits of every mirror."""
    if bench.mirrors and find_spec("griffe") is None:
        raise InputError("the set griffe needs the package griffe: pip install griffe")
    recall: list[Score] = []
    precision: list[Score] = []
    for spec in bench.mirrors:
        git_dir = git_dir_of(spec)
        source = GitSource(spec.name, path_of(spec))
        folders = await packages(git_dir)
        bench.say(f"griffe: {spec.name}, {', '.join(folders) or 'no package'}")
        line = await first_parent_line(spec)
        for row, parent in _compared(bench, line):
            given_on: list[Broken] = []
            anywhere: list[Broken] = []
            for folder in folders:
                found = await broken(git_dir, folder, parent.sha, row.sha)
                given_on += found.given_on
                anywhere += found.anywhere
            async for change in source.changes([row.sha]):
                facts = await _public_facts(source, change, folders)
                recall += _recall(change.commit.id, given_on, facts)
                precision += _precision(change.commit.id, anywhere, facts)
    return {"recall": share(recall, Target(0.9)), "precision": share(precision, Target(0.9))}


def _compared(
    bench: Bench, line: Sequence[FirstParentCommit]
) -> Iterator[tuple[FirstParentCommit, FirstParentCommit]]:
    """Yield commits with their parents: those of the days that were asked for, else the latest."""
    if bench.span is None:
        yield from pairwise(line[: bench.count(_FEW, _MANY) + 1])
        return
    shas = between(line, days_of(bench))
    for row, parent in pairwise(line):
        if row.sha in shas:
            yield row, parent


async def _public_facts(source: GitSource, change: Change, folders: Sequence[str]) -> list[Fact]:
    """Return the facts about Python files of the packages that are not internal."""
    in_packages = re.compile(rf"(?:{'|'.join(map(re.escape, folders))})/.*\.py$")
    sheet = await study(source, change)
    facts = []
    for fact in sheet.facts:
        if fact.severity is Severity.INTERNAL:
            continue
        if any(in_packages.match(location.file) for location in fact.places):
            facts.append(fact)
    return facts


def _recall(commit: str, findings: Sequence[Broken], facts: Sequence[Fact]) -> Iterator[Score]:
    """Score each finding by whether a fact states it."""
    stated: list[Broken] = []
    for fact in facts:
        stated.extend(claims(fact))
    for finding in findings:
        right = any(statement.states(finding) for statement in stated)
        yield _score(commit, finding, right)


def _precision(commit: str, findings: Sequence[Broken], facts: Sequence[Fact]) -> Iterator[Score]:
    """Score each name that a fact calls broken by whether it is a finding."""
    for fact in facts:
        if fact.severity is not Severity.BREAKING or fact.kind.startswith("field-"):
            continue
        for statement in claims(fact):
            right = any(statement.states(finding) for finding in findings)
            yield _score(commit, statement, right)


def _score(commit: str, statement: Broken, right: bool) -> Score:
    reason = f"{commit}: nobody else says {statement}"
    return Score(reason, float(right), f"{commit} {statement.name}")


async def packages(git_dir: Path) -> list[str]:
    """Return the repository's packages: the topmost folders with an `__init__.py`, but no tests."""
    listing = await ask_git(git_dir, "ls-tree", "-r", "--name-only", "-z", "HEAD")
    folders: list[PurePosixPath] = []
    for name in listing.split("\0"):
        path = PurePosixPath(name)
        if path.name == "__init__.py" and not any(map(_NOT_PACKAGES.match, path.parts)):
            folders.append(path.parent)
    depth = min(map(_depth, folders), default=0)
    return sorted({folder.as_posix() for folder in folders if _depth(folder) == depth})


def _depth(folder: PurePosixPath) -> int:
    parts = folder.parts
    return len(parts) - 1 if parts[0] in _ROOTS else len(parts)


async def broken(git_dir: Path, folder: str, old: str, new: str) -> FoundBreaks:
    """Return what griffe finds broken in a package between two commits."""
    diff = ("diff", "--no-renames", "--name-only", "-z", old, new, "--", folder)
    paths = (await ask_git(git_dir, *diff)).split("\0")
    candidates: list[tuple[str, Broken]] = []
    for path in paths:
        if not path.endswith(".py"):
            continue
        old_module = await _module(git_dir, old, path)
        new_module = await _module(git_dir, new, path)
        module_name = _module_name(folder, path)
        for finding in breaks_between(old_module, new_module):
            candidates.append((module_name, finding))
    if not candidates:
        return FoundBreaks([], [])
    before = await _load(git_dir, folder, old)
    after = await _load(git_dir, folder, new)
    given_on: list[Broken] = []
    anywhere: list[Broken] = []
    for module_name, finding in candidates:
        if finding.removed and after.has_member(f"{module_name}.{finding.name}"):
            continue
        anywhere.append(finding)
        if finding.is_of_objects:
            continue
        exported_as = before.exports.get(f"{module_name}.{finding.top}", frozenset())
        # What moved elsewhere and is still exported is not removed.
        is_still_exported = finding.removed and bool(exported_as & after.names)
        if exported_as and (not is_still_exported or "." in finding.name):
            given_on.append(finding)
    return FoundBreaks(given_on, anywhere)


class LoadedPackage(NamedTuple):
    """A package at a commit as griffe loads it."""

    package: Any = None  # None where griffe cannot load it
    exports: Mapping[str, frozenset[str]] = {}
    """The paths under which the package gives each of its definitions to others."""
    names: frozenset[str] = frozenset()  # All of these paths, and those of what others define

    def has_member(self, path: str) -> bool:
        """Return True for a member of a class, or of one that it inherits from."""
        import griffe

        class_path, _, member = path.partition(".")[2].rpartition(".")
        if self.package is None or not class_path:
            return False
        try:
            owner = self.package[class_path]
            target = owner.final_target if owner.is_alias else owner
        except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError):
            return False
        return bool(target.is_class) and member in target.all_members


def _module_name(folder: str, path: str) -> str:
    """Return the name of a module, from the folder of its package on."""
    package = PurePosixPath(folder)
    parts = PurePosixPath(path).relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


async def _load(git_dir: Path, folder: str, commit: str) -> LoadedPackage:
    """Return a package at a commit with what it gives on and right below it."""
    with TemporaryDirectory() as temporary:
        await _extract(git_dir, folder, commit, Path(temporary))
        package_folder = Path(temporary) / folder
        # Most commits change nothing but what functions hold.
        names = _empty_functions(package_folder)
        if names not in _PACKAGES_BY_NAMES:
            while len(_PACKAGES_BY_NAMES) >= _MAX_PACKAGES_KEPT:
                del _PACKAGES_BY_NAMES[next(iter(_PACKAGES_BY_NAMES))]
            _PACKAGES_BY_NAMES[names] = _loaded(package_folder)
    return _PACKAGES_BY_NAMES[names]


async def _extract(git_dir: Path, folder: str, commit: str, target: Path) -> None:
    """Write the Python files of a package at a commit below a folder."""
    command = ("ls-tree", "-r", "--name-only", "-z", commit, "--", folder)
    paths = [
        path for path in (await ask_git(git_dir, *command)).split("\0") if path.endswith(".py")
    ]
    archive = target / "package.tar"
    options = (f"--output={archive}", commit, "--", f":(glob){folder}/**/*.py")
    if paths:
        await ask_git(git_dir, "archive", *options)
        with tarfile.open(archive) as members:
            members.extractall(target, filter="data")


def _empty_functions(package_folder: Path) -> str:
    """Leave nothing of functions but their names, and return a digest of what is left.

    Exports and members are names; griffe needs most of its time for what functions hold.
    """
    digest = sha256()
    for file in sorted(package_folder.rglob("*.py")):
        names = _without_bodies(file.read_bytes())
        file.write_bytes(names)
        path = file.relative_to(package_folder.parent).as_posix()
        digest.update(f"{path}\0{len(names)}\0".encode())
        digest.update(names)
    return digest.hexdigest()


@lru_cache(_MAX_MODULES_KEPT)
def _without_bodies(source: bytes) -> bytes:
    """Return a module with empty functions, or as it is where it cannot be parsed."""
    try:
        tree = ast.parse(source)
        return ast.unparse(_FunctionEmptier().visit(tree)).encode("utf-8", "replace")
    except (SyntaxError, ValueError, RecursionError):
        return source


class _FunctionEmptier(ast.NodeTransformer):
    """Leaves nothing of functions but their names, in classes and in branches too."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Empty a function."""
        _empty(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        """Empty a coroutine function."""
        _empty(node)
        return node


def _empty(node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    node.args = ast.arguments([], [], None, [], [], None, [])
    node.body = [ast.Pass()]
    node.decorator_list = []
    node.returns = None


def _loaded(package_folder: Path) -> LoadedPackage:
    import griffe

    loader = griffe.GriffeLoader(search_paths=[package_folder.parent], allow_inspection=False)
    try:
        package = loader.load(package_folder.name)
    except (ImportError, SyntaxError, ValueError, RecursionError):
        return LoadedPackage()
    loader.resolve_aliases(implicit=True, external=False)
    exports: dict[str, set[str]] = {}
    names: set[str] = set()
    modules = [package]
    for member in package.members.values():
        if not member.is_alias and member.is_module and member.is_init_module:
            modules.append(member)
    for module in modules:
        for name, member in module.members.items():
            if name.startswith("_") or (not member.is_alias and member.is_module):
                continue
            names.add(f"{module.path}.{name}")
            target = _target_path(member)
            if target:
                exports.setdefault(target, set()).add(f"{module.path}.{name}")
    paths_by_target = {target: frozenset(paths) for target, paths in exports.items()}
    return LoadedPackage(package, paths_by_target, frozenset(names))


def _target_path(member: Any) -> str:
    """Return the path of what a name stands for; empty for what another project defines."""
    import griffe

    if not member.is_alias:
        return str(member.path)
    try:
        return str(member.final_target.path)
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return ""


async def _module(git_dir: Path, commit: str, path: str) -> Any:
    import griffe

    try:
        code = await ask_git(git_dir, "show", f"{commit}:{path}")
        return griffe.visit(
            PurePosixPath(path).stem, Path(path), code, extensions=griffe.Extensions()
        )
    except (InputError, SyntaxError, ValueError, RecursionError):
        return griffe.Module(PurePosixPath(path).stem)


def breaks_between(old: Any, new: Any) -> Iterator[Broken]:
    """Yield what griffe finds broken between two versions of a module."""
    import griffe

    for member in old.members.values():
        # Griffe takes what a module does not list for private; its package may list it.
        member.public = True
    for breakage in griffe.find_breaking_changes(old, new):
        kind = breakage.kind.name
        name = breakage.obj.path.removeprefix(f"{old.path}.")
        if kind == "OBJECT_REMOVED" and not breakage.obj.is_alias:
            # The target of an alias may be of another project, so nothing can be asked of it.
            is_of_objects = "." in name and _is_of_objects(breakage.obj)
            yield Broken(name, removed=True, is_of_objects=is_of_objects)
        elif kind.startswith("PARAMETER_"):
            # Facts name a constructor by its class, as callers do.
            function = name.removesuffix(".__init__")
            yield Broken(function, removed=False, parameters=_parameters(breakage))


def _is_of_objects(obj: Any) -> bool:
    return bool(obj.is_attribute) and not {"class-attribute", "property"} & obj.labels


def _parameters(breakage: Any) -> frozenset[str]:
    if breakage.kind.name in ("PARAMETER_MOVED", "PARAMETER_CHANGED_KIND"):
        return frozenset()  # A parameter moves when another is added or removed before it.
    values = (breakage.old_value, breakage.new_value)
    names = [getattr(value, "name", None) for value in values]
    return frozenset(filter(None, names))


def claims(fact: Fact) -> Iterator[Broken]:
    """Yield what a fact about Python says of each of its names, as they were before."""
    names = fact.name.split(", ")
    if fact.kind.startswith("parameter-"):
        values = frozenset(
            value.lstrip("*") for value in (fact.detail, fact.old, fact.new) if value
        )
        for name in names:
            yield Broken(name, removed=False, parameters=values)
        return
    if not fact.kind.startswith(_REMOVABLE):
        return
    if not fact.kind.endswith(("-removed", "-renamed", "-moved")):
        return
    for name in names:
        yield Broken(_old_name(name, fact), removed=True)


def _old_name(name: str, fact: Fact) -> str:
    if not fact.kind.endswith("-renamed") or not fact.old:
        return name
    return ".".join([*name.split(".")[:-1], fact.old])
