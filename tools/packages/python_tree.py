"""Paths of Python packages at a commit: what they stand for, and whether calls fit."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from agent.bumps.python_uses import CallShape
from tools.diff.roles import is_product
from tools.packages.trees import TreeReader
from tools.surface.module import Module, PythonDefinition, read_module
from tools.surface.package import OUTSIDE, Meaning, ModuleFound, Package, module_paths
from tools.surface.signatures import Signature

_MAX_ROUNDS = 25  # Each reads the modules that the paths asked for so far lead through
_MODULE_FOLDERS = ("", "src", "python", "lib")  # Folders in which a module may be a package's all
_NOT_IMPORTED = ("__init__", "setup", "conftest", "build_backend", "build_utils", "noxfile")
_MAX_MODULE_BYTES = 2_000_000


class PythonTree:
    """The Python modules of a repository at a commit, read as far as they are asked for."""

    def __init__(self, trees: TreeReader, blobs: dict[str, str]) -> None:
        """Read from `trees`; `blobs` are the product's Python files of the commit."""
        self._trees = trees
        self._blobs = blobs
        packages = module_paths(blobs)
        self._single_modules = _single_modules(blobs)
        self._paths = self._single_modules | packages
        self._modules: dict[str, Module | None] = {}
        self._package = Package(self._paths, self._modules)

    @classmethod
    async def at(cls, trees: TreeReader, sha: str) -> "PythonTree":
        """Open the modules of a commit."""
        blobs: dict[str, str] = {}
        for path, entry in (await trees.listing(sha)).items():
            if entry.is_file and path.endswith(".py") and is_product(path):
                blobs[path] = entry.sha
        return cls(trees, blobs)

    def top_level_names(self, folder: str, others: Sequence[str] = ()) -> set[str]:
        """Return the names importable from a folder, without those in folders of other packages.

        Modules beside a package are programs that build it; without one they are the package.
        """
        names: set[str] = set()
        for module, file in self._paths.items():
            if "." in module or not _is_below(file, folder):
                continue
            if not any(_is_below(file, other) for other in others if other != folder and other):
                names.add(module)
        return names - self._single_modules.keys() or names

    async def meanings(self, paths: Iterable[str]) -> dict[str, Meaning | None]:
        """Return what each path stands for: None where there is no such name any more."""
        distinct_paths = list(dict.fromkeys(paths))
        meanings: dict[str, Meaning | None] = {}
        for _ in range(_MAX_ROUNDS):
            meanings = {}
            for path in distinct_paths:
                meanings[path] = self._with_constructor(self._resolve(path))
            if not self._package.unread:
                break
            await self._read(self._package.unread)
            self._package = Package(self._paths, self._modules)
        return meanings

    def may_inherit(self, path: str) -> bool:
        """Return True if a path names what a class of the tree can only have from elsewhere."""
        owner_path, _, name = path.rpartition(".")
        owner = self._resolve(owner_path)
        if not isinstance(owner, PythonDefinition) or owner.kind != "class" or owner.is_open:
            return False
        return self._package.member(owner, name) is OUTSIDE

    def is_imported_from_elsewhere(self, path: str) -> bool:
        """Return True for a name that a module of the tree has from another package."""
        module_path, _, name = path.rpartition(".")
        module = self._modules.get(module_path)
        return module is not None and name in module.imports and self._resolve(path) is OUTSIDE

    def moved_to(self, path: str, earlier: Meaning) -> str:
        """Return the only other path that was read to a definition of the same name and kind."""
        if not isinstance(earlier, PythonDefinition):
            return ""
        package, _, _ = path.partition(".")
        name = path.rpartition(".")[2]
        candidates: list[str] = []
        for module_name, module in self._modules.items():
            if module is None or module_name.partition(".")[0] != package:
                continue
            definition = module.definitions.get(name)
            if definition is not None and definition.kind == earlier.kind:
                candidates.append(f"{module_name}.{name}")
        return candidates[0] if len(candidates) == 1 else ""

    def _resolve(self, path: str) -> Meaning | None:
        parts = path.split(".")
        length = len(parts)
        while length and ".".join(parts[:length]) not in self._paths:
            length -= 1
        if not length:
            return OUTSIDE
        meaning: Meaning | None = ModuleFound(".".join(parts[:length]))
        for part in parts[length:]:
            meaning = self._member(meaning, part)
            if meaning is None or meaning is OUTSIDE:
                return meaning
        return meaning

    def _with_constructor(self, meaning: Meaning | None) -> Meaning | None:
        """Return a class with the parameters that it takes, though a base defines them."""
        if not isinstance(meaning, PythonDefinition) or meaning.kind != "class":
            return meaning
        if meaning.signatures or "__new__" in meaning.members or meaning.decorators:
            return meaning
        constructor = self._package.member(meaning, "__init__")
        if not isinstance(constructor, PythonDefinition):
            return meaning
        return replace(meaning, signatures=constructor.signatures)

    def _member(self, owner: Meaning | None, name: str) -> Meaning | None:
        if isinstance(owner, ModuleFound):
            return self._package.resolve(owner.name, name)
        if not isinstance(owner, PythonDefinition) or owner.kind != "class":
            return OUTSIDE
        return self._package.member(owner, name)

    async def _read(self, names: Iterable[str]) -> None:
        unread = {name: self._paths[name] for name in names if name in self._paths}
        contents = await self._trees.blobs(self._blobs[file] for file in unread.values())
        for name in names:
            self._modules.setdefault(name, None)
        for name, file in unread.items():
            source = contents.get(self._blobs[file], b"")
            is_package = file.endswith("__init__.py")
            if len(source) <= _MAX_MODULE_BYTES:
                self._modules[name] = read_module(name, source, is_package=is_package)


def _single_modules(files: Iterable[str]) -> dict[str, str]:
    """Return the modules that are no package: `six.py` at the root or in a folder of sources."""
    modules: dict[str, str] = {}
    for file in files:
        path = PurePosixPath(file)
        folder = "" if str(path.parent) == "." else str(path.parent)
        is_imported = path.stem.isidentifier() and path.stem not in _NOT_IMPORTED
        if folder in _MODULE_FOLDERS and is_imported:
            modules[path.stem] = file
    return modules


def _is_below(file: str, folder: str) -> bool:
    return not folder or file.startswith(f"{folder}/")


def call_fault(definition: PythonDefinition, call: CallShape) -> str:
    """Return why a call does not fit a function or class; empty where it fits or may fit."""
    faults: list[str] = []
    for signature in definition.signatures:
        fault = _signature_fault(signature, call)
        if not fault:
            return ""
        faults.append(fault)
    return faults[0] if faults else ""


def _signature_fault(signature: Signature, call: CallShape) -> str:
    if signature.is_partial:
        return ""
    by_position = signature.by_position
    is_too_long = call.positions > len(by_position) and not signature.takes_positions
    if is_too_long and not call.is_open:
        return f"it takes {len(by_position)} arguments by position, {call.positions} are given"
    for keyword in call.keywords:
        if signature.named(keyword) is None and not signature.takes_names:
            return f"it does not take `{keyword}`"
    if call.is_open:
        return ""
    passed = {parameter.name for parameter in by_position[: call.positions]} | {*call.keywords}
    for parameter in signature.parameters:
        if not parameter.has_default and parameter.name not in passed:
            return f"it needs `{parameter.name}`"
    return ""


def shifted_argument(old: PythonDefinition, new: PythonDefinition, call: CallShape) -> str:
    """Return how an argument passed by position reaches another parameter; empty if none does."""
    if len(old.signatures) != 1 or len(new.signatures) != 1 or call.is_open:
        return ""
    before = old.signatures[0].by_position[: call.positions]
    after = new.signatures[0].by_position[: call.positions]
    for number, (earlier, later) in enumerate(zip(before, after, strict=False), start=1):
        if earlier.name != later.name and new.signatures[0].named(earlier.name) is not None:
            return f"argument {number} was `{earlier.name}` and is `{later.name}` now"
    return ""
