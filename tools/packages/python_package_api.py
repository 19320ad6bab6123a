"""The API of Python packages at a commit: what paths stand for, and whether calls fit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import NamedTuple

from agent.bumps.name_resolution.values import OPERATORS, plain_path
from agent.bumps.python_uses import CallShape, Override
from tools.diff.file_roles import is_product
from tools.packages.python_types import Instance, Member, PathAnswer, Place, Typed, TypeReader
from tools.packages.repository_trees import TreeReader
from tools.surface.import_path_resolution import (
    OUTSIDE,
    Meaning,
    ModuleFound,
    Package,
    module_paths,
)
from tools.surface.python_module import Module, PythonDefinition, read_module
from tools.surface.signatures import Signature

_MAX_ROUNDS = 25  # Each reads the modules that the paths asked for so far lead through
_MODULE_FOLDERS = ("", "src", "python", "lib")  # Folders in which a module may be a package's all
_NOT_IMPORTED = ("__init__", "setup", "conftest", "build_backend", "build_utils", "noxfile")
_MAX_MODULE_BYTES = 2_000_000


class DefinitionPlace(NamedTuple):
    """The name of a definition without its class, and the file that it is in."""

    name: str
    file: str
    is_class: bool


class PythonTree:
    """The Python modules of a repository at a commit, read as far as they are asked for."""

    def __init__(self, trees: TreeReader, blobs: dict[str, str]) -> None:
        """Read from `trees`; `blobs` are the product's Python files of the commit."""
        self._trees = trees
        self._blobs = blobs
        packages = _with_stubs(blobs)
        self._single_modules = _single_modules(blobs)
        namespaced = _in_namespaces(packages)
        self._namespaced_names = {file: name for name, file in namespaced.items()}
        self._paths = self._single_modules | packages | namespaced
        self._modules: dict[str, Module | None] = {}
        self._package = Package(self._paths, self._modules)
        self._types = TypeReader(self._package)

    @classmethod
    async def at(cls, trees: TreeReader, sha: str) -> "PythonTree":
        """Open the modules of a commit."""
        blobs: dict[str, str] = {}
        for path, entry in (await trees.listing(sha)).items():
            if entry.is_file and path.endswith((".py", ".pyi")) and is_product(path):
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
                names.add(self._namespaced_names.get(file, module))
        return names - self._single_modules.keys() or names

    async def meanings(self, paths: Iterable[str]) -> dict[str, Meaning | None]:
        """Return what each path stands for: None where there is no such name any more."""
        answers = await self.answers(paths)
        return {path: answer.meaning for path, answer in answers.items()}

    async def answers(self, paths: Iterable[str]) -> dict[str, PathAnswer]:
        """Return what each path stands for, and how sure that is."""
        distinct_paths = list(dict.fromkeys(paths))
        answers: dict[str, PathAnswer] = {}
        for _ in range(_MAX_ROUNDS):
            answers = {path: self._answer(path) for path in distinct_paths}
            if not self._package.unread:
                break
            await self._read(self._package.unread)
            self._package = Package(self._paths, self._modules)
            self._types = TypeReader(self._package)
        return answers

    async def definitions(self, paths: Iterable[str]) -> dict[str, "DefinitionPlace"]:
        """Return where the paths are defined that lead to a definition of this tree."""
        places: dict[str, DefinitionPlace] = {}
        for path, meaning in (await self.meanings(paths)).items():
            if isinstance(meaning, PythonDefinition) and meaning.module in self._paths:
                file = self._paths[meaning.module]
                name = meaning.name.rpartition(".")[2]
                places[path] = DefinitionPlace(name, file, meaning.kind == "class")
        return places

    def is_deprecated(self, meaning: Meaning | None) -> bool:
        """Return True for what the package calls deprecated."""
        return self._types.is_deprecated(meaning)

    def may_inherit(self, answer: PathAnswer) -> bool:
        """Return True for a name that a class of the tree can only have from elsewhere."""
        if answer.owner is None or answer.owner.is_open:
            return False
        return self._package.member(answer.owner, answer.name.rpartition(".")[2]) is OUTSIDE

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
        return self._answer(path).meaning

    def _answer(self, path: str) -> PathAnswer:
        """Follow a path by its names and operators."""
        parts = path.split(".")
        length = len(parts)
        while length and ".".join(parts[:length]) not in self._paths:
            length -= 1
        if not length:
            return PathAnswer(OUTSIDE, plain_path(path))
        walk = _Walk(ModuleFound(".".join(parts[:length])), ".".join(parts[:length]))
        number = length
        while number < len(parts) and walk.place is not None and walk.place is not OUTSIDE:
            walk.go(self._types, parts[number])
            number += 1
        return PathAnswer(
            meaning=self._with_constructor(_meaning(walk.place)),
            name=walk.name,
            is_certain=walk.is_certain,
            owner=walk.owner,
            is_followed=number == len(parts),
            deprecated_module=self._types.deprecated_module(".".join(parts[:length])),
        )

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

    async def _read(self, names: Iterable[str]) -> None:
        unread = {name: self._paths[name] for name in names if name in self._paths}
        contents = await self._trees.blobs(self._blobs[file] for file in unread.values())
        for name in names:
            self._modules.setdefault(name, None)
        for name, file in unread.items():
            source = contents.get(self._blobs[file], b"")
            is_package = file.endswith(("__init__.py", "__init__.pyi"))
            if len(source) <= _MAX_MODULE_BYTES:
                self._modules[name] = read_module(name, source, is_package=is_package)


@dataclass
class _Walk:
    """How far a path was followed."""

    place: Place | None
    name: str
    is_certain: bool = True
    owner: PythonDefinition | None = None

    def go(self, types: TypeReader, part: str) -> None:
        """Follow one more part of a path."""
        assert self.place is not None
        if part in OPERATORS:
            self.place = types.applied(self.place, part)
            return
        self.owner = types.owner(self.place)
        if self.owner is not None and isinstance(self.place, Typed | Member):
            self.name = f"{self.owner.module}.{self.owner.name}"
            self.is_certain = False
        self.place = types.member(self.place, part)
        self.name = f"{self.name}.{part}"


def _meaning(value: Place | None) -> Meaning | None:
    if isinstance(value, Member):
        return value.definition
    return OUTSIDE if isinstance(value, Typed | Instance) else value


def _with_stubs(files: Iterable[str]) -> dict[str, str]:
    """Return the modules of packages; a stub stands for one that is no Python, and is built."""
    python_files = {file: file for file in files if file.endswith(".py")}
    for file in files:
        if file.endswith(".pyi"):
            python_files.setdefault(file.removesuffix("i"), file)
    return {module: python_files[file] for module, file in module_paths(python_files).items()}


def _in_namespaces(packages: Mapping[str, str]) -> dict[str, str]:
    """Return the modules of packages in a namespace, by the names that start with it.

    A namespace is a folder of a source folder that has no module of its own: `src/zope/interface`.
    """
    names: dict[str, str] = {}
    for module, file in packages.items():
        root, _, path = file.partition("/")
        name = path.removesuffix("i").removesuffix(".py").removesuffix("/__init__")
        dotted = name.replace("/", ".")
        is_namespaced = dotted != module and dotted.endswith(f".{module}")
        if root in _MODULE_FOLDERS and is_namespaced:
            names[dotted] = file
    return names


def _single_modules(files: Iterable[str]) -> dict[str, str]:
    """Return the modules that are no package: `six.py` at the root or in a folder of sources."""
    modules: dict[str, str] = {}
    for file in files:
        path = PurePosixPath(file)
        if path.suffix != ".py":
            continue
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


def override_fault(old: PythonDefinition, new: PythonDefinition, override: Override) -> str:
    """Return what callers may pass now that a method which stands in for another does not take."""
    if len(old.signatures) != 1 or len(new.signatures) != 1:
        return ""
    before = {parameter.name for parameter in old.signatures[0].parameters}
    for number, parameter in enumerate(new.signatures[0].parameters):
        if parameter.name in before:
            continue
        is_taken = parameter.name in override.names or override.takes_names
        if parameter.kind != "keyword":
            # A name of its own shows that the method expects its arguments by position.
            own_names = override.by_position[number : number + 1]
            is_taken = is_taken or override.takes_positions or bool({*own_names} - before)
        if not is_taken:
            return f"it takes `{parameter.name}` now"
    return ""
