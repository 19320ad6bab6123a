"""The change of a public surface by a commit, from the files of both trees."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.domain.surface import PublicBreak, PublicName, SurfaceChange
from tools.diff.file_roles import is_product
from tools.surface.breaking_changes import surface_breaks
from tools.surface.import_path_resolution import Meaning, Package, module_paths
from tools.surface.public_paths import (
    Documented,
    command_paths,
    described_paths,
    documented_definitions,
    given_on,
    implied_paths,
    public_paths,
)
from tools.surface.python_module import Module, PythonDefinition, read_outline

_MAX_ROUNDS = 20  # Each reads the modules that the names found so far are imported from
_MAX_OPENINGS = 20  # Each reads whole definitions that the comparison so far asked for
_MAX_MODULES_KEPT = 8_000
_MAX_DEFINITIONS_KEPT = 4_000

Files = Mapping[str, str]  # The blob of each file of a tree
ReadBlobs = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
_ModuleKey = tuple[str, str]  # A module and its blob
_WholeKey = tuple[str, str, str]  # A module, its blob, and a name that it defines


class Surface(NamedTuple):
    """The public paths of a tree."""

    paths: Mapping[str, Meaning]
    package: Package
    files: Files
    implied: frozenset[str] = frozenset()  # Paths that only stand beside what documents import
    commands: frozenset[str] = frozenset()  # Paths that only commands start
    documented: frozenset[tuple[str, str]] = frozenset()  # Definitions that documents import
    described: frozenset[str] = frozenset()  # Paths that documents of Sphinx describe


class SurfaceReader:
    """Reads public surfaces; a module that two trees have in common is parsed once."""

    def __init__(self) -> None:
        self._outlines: dict[_ModuleKey, Module | None] = {}
        self._whole: dict[_WholeKey, PythonDefinition | None] = {}
        self._listed: list[str] = []  # The Python files of the latest tree
        self._paths: Mapping[str, str] = {}  # Its modules
        self._latest: _LatestSurface | None = None

    async def read(self, files: Files, documented: Documented, read_blobs: ReadBlobs) -> Surface:
        """Read the modules that public names lead through, and return what these stand for."""
        tree = _Tree(self._module_paths(files), files)
        surface = await self._surface_like_latest(tree, documented, read_blobs)
        if surface is None:
            surface = await self._read_surface(tree, documented, read_blobs)
        names = surface.package.modules
        blobs = {name: files[tree.paths[name]] for name in names if name in tree.paths}
        self._latest = _LatestSurface(surface, tree.paths, documented, blobs)
        return surface

    async def change(
        self, before: Surface, after: Surface, changed: Collection[str], read_blobs: ReadBlobs
    ) -> SurfaceChange:
        """Return the public names of changed files, and what breaks.

        Whole definitions are read as far as the comparison asks for them.
        """
        change = surface_change(before, after, changed)
        for _ in range(_MAX_OPENINGS):
            if not before.package.unopened and not after.package.unopened:
                break
            for surface in (before, after):
                await self._open(surface, read_blobs)
            change = surface_change(before, after, changed)
        return change

    async def _open(self, surface: Surface, read_blobs: ReadBlobs) -> None:
        """Read whole what a comparison needed more of than its name."""
        if len(self._whole) > _MAX_DEFINITIONS_KEPT:
            self._whole.clear()
        tree = _Tree(surface.package.paths, surface.files)
        names_by_module: dict[str, list[str]] = defaultdict(list)
        for module, name in sorted(surface.package.unopened):
            if (module, tree.blob(module), name) not in self._whole:
                names_by_module[module].append(name)
        blobs = [tree.blob(module) for module in names_by_module]
        contents = await read_blobs(blobs) if blobs else {}
        for module, names in names_by_module.items():
            blob = tree.blob(module)
            definitions = _definitions(module, names, contents.get(blob), tree.paths[module])
            for name in names:
                self._whole[module, blob, name] = definitions.get(name)
        for module, name in surface.package.unopened:
            whole = self._whole[module, tree.blob(module), name]
            surface.package.whole[module, name] = whole
        surface.package.unopened.clear()

    def _module_paths(self, files: Files) -> Mapping[str, str]:
        """Return the file of each module of a tree; most trees have the files of the one before."""
        listed = [file for file in files if file.endswith(".py")]
        if listed != self._listed:
            self._paths = module_paths(file for file in listed if is_product(file))
            self._listed = listed
        return self._paths

    async def _surface_like_latest(
        self, tree: "_Tree", documented: Documented, read_blobs: ReadBlobs
    ) -> Surface | None:
        """Return the surface of a tree in which names lead where they led in the latest one."""
        latest = self._latest
        if latest is None or tree.paths is not latest.paths or documented != latest.documented:
            return None
        changed = [name for name, blob in latest.blobs.items() if tree.blob(name) != blob]
        if not changed:
            return latest.surface
        modules = await self._read_outlines(changed, tree, read_blobs)
        earlier_modules = latest.surface.package.modules
        for name, module in modules.items():
            earlier = earlier_modules[name]
            if module is None or earlier is None or not module.binds_like(earlier):
                return None
        paths = dict(latest.surface.paths)
        for path, meaning in paths.items():
            if isinstance(meaning, PythonDefinition):
                module = modules.get(meaning.module)
                if module is not None:
                    paths[path] = module.definitions[meaning.name]
        package = Package(tree.paths, {**earlier_modules, **modules})
        return latest.surface._replace(paths=paths, package=package, files=tree.files)

    async def _read_surface(
        self, tree: "_Tree", documented: Documented, read_blobs: ReadBlobs
    ) -> Surface:
        # What the latest tree needed, this one is likely to need: without a guess, modules are
        # found only step by step.
        likely = [name for name in self._latest.blobs if name in tree.paths] if self._latest else []
        modules = await self._read_outlines(likely, tree, read_blobs)
        package = Package(tree.paths, modules)
        given = given_on(package)
        public = public_paths(package, documented, given)
        rounds = 1
        while package.unread and rounds < _MAX_ROUNDS:
            modules |= await self._read_outlines(package.unread, tree, read_blobs)
            package = Package(tree.paths, modules)
            given = given_on(package)
            public = public_paths(package, documented, given)
            rounds += 1
        implied = implied_paths(package, documented, given)
        commands = command_paths(documented, given)
        definitions = documented_definitions(package, documented)
        described = described_paths(package, documented)
        needed = {name: modules[name] for name in modules if name in package.used}
        return Surface(
            paths=public,
            package=Package(tree.paths, needed),
            files=tree.files,
            implied=implied,
            commands=commands,
            documented=definitions,
            described=described,
        )

    async def _read_outlines(
        self, names: Collection[str], tree: "_Tree", read_blobs: ReadBlobs
    ) -> dict[str, Module | None]:
        if len(self._outlines) > _MAX_MODULES_KEPT:
            kept = self._latest.blobs.items() if self._latest else ()
            self._outlines = {key: self._outlines[key] for key in kept if key in self._outlines}
        return await _read_modules(names, tree, self._outlines, read_blobs)


class _Tree(NamedTuple):
    """The modules and the files of a tree."""

    paths: Mapping[str, str]  # The file of each module
    files: Files

    def blob(self, module: str) -> str:
        """Return the blob of a module that the tree has."""
        return self.files[self.paths[module]]


async def _read_modules(
    names: Collection[str],
    tree: _Tree,
    known: dict[_ModuleKey, Module | None],
    read_blobs: ReadBlobs,
) -> dict[str, Module | None]:
    """Return the outlines of modules; those that are not known yet are read, and known then."""
    keys = {name: (name, tree.blob(name)) for name in names if name in tree.paths}
    unread = [key[1] for key in keys.values() if key not in known]
    contents = await read_blobs(unread) if unread else {}
    modules: dict[str, Module | None] = dict.fromkeys(names)
    for name, key in keys.items():
        if key not in known:
            is_package = _is_package(tree.paths[name])
            source = contents.get(key[1])
            module = None if source is None else read_outline(name, source, is_package=is_package)
            known[key] = module
        modules[name] = known[key]
    return modules


def _definitions(
    module: str, names: Sequence[str], source: bytes | None, file: str
) -> Mapping[str, PythonDefinition]:
    """Return the definitions of a module, those of some names with all that they hold."""
    if source is None:
        return {}
    outline = read_outline(module, source, is_package=_is_package(file), whole=names)
    return {} if outline is None else outline.definitions


def _is_package(file: str) -> bool:
    return file.endswith("__init__.py")


class _LatestSurface(NamedTuple):
    """The surface that was read last, and what it was read from."""

    surface: Surface
    paths: Mapping[str, str]
    documented: Documented
    blobs: Mapping[str, str]  # Of the modules that were read


def surface_change(before: Surface, after: Surface, changed: Collection[str]) -> SurfaceChange:
    """Return the public names of changed files, and what breaks."""
    names = dict.fromkeys(_names_in(before, changed))
    if after.paths is not before.paths:
        names |= dict.fromkeys(_names_in(after, changed))
    breaks = surface_breaks(
        before.paths,
        before.package,
        after.paths,
        after.package,
        before.documented,
        after.implied,
    )
    certain_or_not: list[PublicBreak] = []
    for broken in breaks:
        if broken.kind != "gone" and broken.path in before.commands:
            continue  # The command that starts it passes no arguments of users
        if _is_implied(broken.path, before.implied):
            is_given_on = before.package.gives_on(broken.path)
            broken = broken.model_copy(update={"is_certain": False, "is_given_on": is_given_on})
        certain_or_not.append(broken)
    folders = tuple(_exporting_folders(before))
    described = before.described | after.described
    return SurfaceChange(
        names=tuple(names),
        breaks=tuple(certain_or_not),
        exporting_folders=folders,
        commands=tuple(name for name in names if name.path in before.commands),
        described=tuple(name for name in names if name.path in described),
        given_on=tuple(_newly_given_on(before, after)),
    )


def _names_in(surface: Surface, changed: Collection[str]) -> Iterator[PublicName]:
    """Yield the public names of changed files."""
    files = surface.package.paths
    modules = {module for module, file in files.items() if file in changed}
    for path, meaning in surface.paths.items():
        if isinstance(meaning, PythonDefinition) and meaning.module in modules:
            yield PublicName(file=files[meaning.module], name=meaning.name, path=path)


def _newly_given_on(before: Surface, after: Surface) -> Iterator[str]:
    """Yield the paths that packages give on now and that nobody could import before."""
    if after.paths is before.paths:
        return
    for path, meaning in after.paths.items():
        if path in before.paths or not isinstance(meaning, PythonDefinition):
            continue
        if after.package.gives_on(path) and before.package.importable(path) is None:
            yield path


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
