"""The change of a public surface by a commit, from the files of both trees."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from agent.domain.surface import PublicBreak, PublicName, SurfaceChange
from tools.diff.file_roles import is_product
from tools.surface.breaking_changes import surface_breaks
from tools.surface.import_paths import Meaning, Package, module_paths
from tools.surface.public_paths import (
    Documented,
    command_paths,
    documented_definitions,
    implied_paths,
    public_paths,
)
from tools.surface.python_module import Module, PythonDefinition, read_module

_MAX_ROUNDS = 20  # Each reads the modules that the names found so far are imported from
_MAX_MODULES_KEPT = 20_000

Files = Mapping[str, str]  # The blob of each file of a tree
ReadBlobs = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]


class Surface(NamedTuple):
    """The public paths of a tree."""

    paths: Mapping[str, Meaning]
    package: Package
    implied: frozenset[str] = frozenset()  # Paths that only stand beside what documents import
    commands: frozenset[str] = frozenset()  # Paths that only commands start
    documented: frozenset[tuple[str, str]] = frozenset()  # Definitions that documents import


class SurfaceReader:
    """Reads public surfaces; a module that two trees have in common is parsed once."""

    def __init__(self) -> None:
        self._modules: dict[tuple[str, str], Module | None] = {}
        self._listed: tuple[str, ...] = ()  # The files of the latest tree
        self._paths: Mapping[str, str] = {}  # Its modules
        self._latest: _LatestSurface | None = None

    async def read(self, files: Files, documented: Documented, read_blobs: ReadBlobs) -> Surface:
        """Read the modules that public names lead through, and return what these stand for."""
        paths = self._module_paths(tuple(files))
        if self._latest is not None and self._latest.is_of(paths, files, documented):
            return self._latest.surface
        surface = await self._read_surface(paths, files, documented, read_blobs)
        blobs = {name: files[paths[name]] for name in surface.package.modules if name in paths}
        self._latest = _LatestSurface(surface, paths, documented, blobs)
        return surface

    def _module_paths(self, listed: tuple[str, ...]) -> Mapping[str, str]:
        """Return the file of each module of a tree; most trees have the files of the one before."""
        if listed != self._listed:
            self._paths = module_paths(_product_files(listed))
            self._listed = listed
        return self._paths

    async def _read_surface(
        self,
        paths: Mapping[str, str],
        files: Files,
        documented: Documented,
        read_blobs: ReadBlobs,
    ) -> Surface:
        # What the latest tree needed, this one is likely to need: without a guess, modules are
        # found only step by step.
        likely = [name for name in self._latest.blobs if name in paths] if self._latest else []
        modules = await self._read_modules(likely, paths, files, read_blobs)
        package = Package(paths, modules)
        public = public_paths(package, documented)
        rounds = 1
        while package.unread and rounds < _MAX_ROUNDS:
            modules |= await self._read_modules(package.unread, paths, files, read_blobs)
            package = Package(paths, modules)
            public = public_paths(package, documented)
            rounds += 1
        needed = {name: modules[name] for name in modules if name in package.used}
        return Surface(
            public,
            Package(paths, needed),
            implied_paths(package, documented),
            command_paths(package, documented),
            documented_definitions(package, documented),
        )

    async def _read_modules(
        self,
        names: Collection[str],
        paths: Mapping[str, str],
        files: Files,
        read_blobs: ReadBlobs,
    ) -> dict[str, Module | None]:
        keys = {name: (name, files[paths[name]]) for name in names if name in paths}
        unread: list[str] = []
        for key in keys.values():
            if key not in self._modules:
                unread.append(key[1])
        if len(self._modules) > _MAX_MODULES_KEPT:
            self._modules.clear()
        contents = await read_blobs(unread) if unread else {}
        modules: dict[str, Module | None] = dict.fromkeys(names)
        for name, key in keys.items():
            if key not in self._modules:
                is_package = paths[name].endswith("__init__.py")
                source = contents.get(key[1])
                module = None
                if source is not None:
                    module = read_module(name, source, is_package=is_package)
                self._modules[key] = module
            modules[name] = self._modules[key]
        return modules


class _LatestSurface(NamedTuple):
    """The surface that was read last, and what it was read from."""

    surface: Surface
    paths: Mapping[str, str]
    documented: Documented
    blobs: Mapping[str, str]  # Of the modules that were read

    def is_of(self, paths: Mapping[str, str], files: Files, documented: Documented) -> bool:
        """Return True if another tree has the same surface: it differs in no module of it."""
        if paths is not self.paths or documented != self.documented:
            return False
        return all(files[paths[name]] == blob for name, blob in self.blobs.items())


def _product_files(files: Iterable[str]) -> list[str]:
    return [file for file in files if file.endswith(".py") and is_product(file)]


def surface_change(before: Surface, after: Surface, changed: Collection[str]) -> SurfaceChange:
    """Return the public names of changed files, and what breaks."""
    names: dict[PublicName, None] = {}
    for surface in (before, after):
        for path, meaning in surface.paths.items():
            if not isinstance(meaning, PythonDefinition):
                continue
            file = surface.package.paths.get(meaning.module, "")
            if file in changed:
                names[PublicName(file=file, name=meaning.name, path=path)] = None
    breaks = surface_breaks(
        before.paths, before.package, after.paths, after.package, before.documented
    )
    certain_or_not: list[PublicBreak] = []
    for broken in breaks:
        if broken.kind != "gone" and broken.path in before.commands:
            continue  # The command that starts it passes no arguments of users
        if _is_implied(broken.path, before.implied):
            broken = broken.model_copy(update={"is_certain": False})
        certain_or_not.append(broken)
    folders = tuple(_exporting_folders(before))
    return SurfaceChange(
        names=tuple(names),
        breaks=tuple(certain_or_not),
        exporting_folders=folders,
        commands=tuple(name for name in names if name.path in before.commands),
    )


def _is_implied(path: str, implied: Collection[str]) -> bool:
    """Return True for an implied path, and for a member of what stands under one."""
    while path:
        if path in implied:
            return True
        path = path.rpartition(".")[0]
    return False


def _exporting_folders(surface: Surface) -> list[str]:
    """Return the folders of the packages that have public paths."""
    exporting = {path.partition(".")[0] for path in surface.paths}
    folders: list[str] = []
    for module, file in surface.package.paths.items():
        if module in exporting:
            folders.append(file.rpartition("/")[0])
    return sorted(folders)
