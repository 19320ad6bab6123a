"""The resolution of importable paths: what each stands for, over all modules of a tree."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from tools.surface.python_module import ImportTarget, Module, PythonDefinition

_MAX_HOPS = 12  # Imports that are followed from one name; a longer chain is a circle
_BASES_WITHOUT_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "abc": ("ABC",),
    "enum": ("Enum", "Flag", "IntEnum", "IntFlag", "StrEnum"),
    "typing": ("Generic", "Protocol"),
    "typing_extensions": ("Generic", "Protocol"),
}
"""Bases of the standard library that have no members which a class could have had as its own."""
_PLAIN_TYPES: Mapping[str, type] = {
    "bool": bool,
    "bytes": bytes,
    "float": float,
    "int": int,
    "str": str,
}


@dataclass(frozen=True, slots=True)
class Outside:
    """Something that is there, but is not defined in this tree."""


@dataclass(frozen=True, slots=True)
class ModuleFound:
    """A path that stands for a module."""

    name: str


Meaning = PythonDefinition | Outside | ModuleFound
"""What a path stands for. `Outside` also where nobody can say what it is without running code."""
OUTSIDE = Outside()


DefinitionKey = tuple[str, str]
"""The module and the name of a definition."""


class _StarGivers(NamedTuple):
    """The star imports of a module by the names that they may give it, each in their order."""

    by_name: Mapping[str, Sequence[str]]
    of_any_name: Sequence[str]  # Modules that were not read, or may make names up


@dataclass
class Package:
    """The modules of a tree, of which some are read.

    Resolving a path may need modules that were not read yet: they are noted in `unread`, and the
    answer is `Outside` until they were read.
    """

    paths: Mapping[str, str]  # The file of each module of the tree
    modules: Mapping[str, Module | None]  # Those that were read; None for what cannot be parsed
    unread: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)  # Read modules that an answer came from or through
    whole: dict[DefinitionKey, PythonDefinition | None] = field(default_factory=dict)
    """Definitions that are known by their names alone in `modules`; None where unreadable."""
    unopened: set[DefinitionKey] = field(default_factory=set)  # Of which more has to be known
    _givers: dict[str, _StarGivers] = field(default_factory=dict)

    def whole_definition(self, definition: PythonDefinition) -> PythonDefinition:
        """Return a definition with its parameters and members.

        Where only its name was read, that is noted in `unopened`.
        """
        if self.digest(definition) is None:
            return definition
        key = (definition.module, definition.name)
        if key not in self.whole:
            self.unopened.add(key)
        return self.whole.get(key) or definition

    def is_whole(self, definition: PythonDefinition) -> bool:
        """Return False where only the name of a definition is known."""
        if self.digest(definition) is None:
            return True
        return self.whole.get((definition.module, definition.name)) is not None

    def digest(self, definition: PythonDefinition) -> bytes | None:
        """Return the digest of the source of a definition that was read by its name alone."""
        module = self.modules.get(definition.module)
        return module.shortened.get(definition.name) if module is not None else None

    def resolve(self, module_name: str, name: str, hops: int = _MAX_HOPS) -> Meaning | None:
        """Return what a name of a module stands for; None where the module has no such name."""
        if not self._is_of_tree(module_name) or hops == 0:
            return OUTSIDE
        module = self._module(module_name)
        if module is None:
            return OUTSIDE  # It was not read, or cannot be: anything may be in it
        if name in module.definitions:
            return module.definitions[name]
        submodule = f"{module_name}.{name}"
        target = module.imports.get(name)
        # `from . import name` binds the module of this name.
        if target is not None and target != ImportTarget(module_name, name):
            return self._target(target, hops - 1)
        if submodule in self.paths:
            return ModuleFound(submodule)
        for star in self._stars_with(module, name):
            if not self._is_exported_by_star(star, name, hops - 1):
                continue
            meaning = self.resolve(star, name, hops - 1)
            if meaning is not None:
                return meaning
        return OUTSIDE if module.is_open or name in module.made_up else None

    def importable(self, path: str) -> Meaning | None:
        """Return what a path stands for, whether or not it is public."""
        if path in self.paths:
            return ModuleFound(path)
        module, _, name = path.rpartition(".")
        return self.resolve(module, name) if module in self.paths else None

    def _stars_with(self, module: Module, name: str) -> Iterable[str]:
        """Return the star imports of a module, in their order, by which it may have a name."""
        if len(module.stars) <= 1:
            return module.stars
        if module.name not in self._givers:
            self._givers[module.name] = self._givers_of(module)
        givers = self._givers[module.name]
        return givers.by_name.get(name, givers.of_any_name)

    def _givers_of(self, module: Module) -> _StarGivers:
        stars_by_name: dict[str, list[str]] = {}
        of_any_name: list[str] = []
        for star in module.stars:
            names = self._names_given(star, frozenset((module.name,)))
            if names is None:
                of_any_name.append(star)
                for stars in stars_by_name.values():
                    stars.append(star)
                continue
            for name in names:
                stars = stars_by_name.setdefault(name, list(of_any_name))
                stars.append(star)
        return _StarGivers(stars_by_name, of_any_name)

    def _names_given(self, module_name: str, around: frozenset[str]) -> set[str] | None:
        """Return all names that `from module import *` may bind; None if that may be any name.

        `around` are the modules by whose star imports it was reached.
        """
        if not self._is_of_tree(module_name):
            return set()
        module = self._module(module_name)
        if module is None or module_name in around or module.is_open:
            return None
        if not module.has_all_exports:
            return None
        if module.exports is not None:
            return set(module.exports)
        names = {*module.definitions, *module.imports, *module.made_up}
        names |= self._submodule_names.get(module_name, set())
        for star in module.stars:
            further_names = self._names_given(star, around | {module_name})
            if further_names is None:
                return None
            names |= further_names
        return names

    @cached_property
    def _submodule_names(self) -> dict[str, set[str]]:
        """The names of the modules inside each package."""
        names: dict[str, set[str]] = {}
        for path in self.paths:
            parent, _, name = path.rpartition(".")
            names.setdefault(parent, set()).add(name)
        return names

    def _target(self, target: ImportTarget, hops: int) -> Meaning | None:
        if not target.name:
            return ModuleFound(target.module) if self._is_of_tree(target.module) else OUTSIDE
        return self.resolve(target.module, target.name, hops)

    def _is_exported_by_star(self, module_name: str, name: str, hops: int) -> bool:
        if not self._is_of_tree(module_name) or hops == 0:
            return False
        module = self._module(module_name)
        if module is None or module.exports is None:
            return not name.startswith("_")
        return name in module.exports or module.is_open or not module.has_all_exports

    def exported_names(self, module_name: str) -> Iterator[str]:
        """Yield the names that a package gives to its users: its `__all__`, and all that it binds."""
        module = self._module(module_name)
        if module is None:
            return
        yield from module.exports or ()
        yield from self._bound_names(module, _MAX_HOPS)

    def listed_names(self, module_name: str) -> Collection[str]:
        """Return the names that the `__all__` of a module spells out."""
        module = self._module(module_name)
        return () if module is None else module.exports or ()

    def gives_on(self, path: str) -> bool:
        """Return True for a name that a module lists in `__all__`, or a package without one binds."""
        module_name, _, name = path.rpartition(".")
        module = self.modules.get(module_name)
        if module is None:
            return False
        return module.is_package if module.exports is None else name in module.exports

    def unlisted_names(self, module_name: str) -> Iterator[str]:
        """Yield the names that a package binds beside those of its `__all__`, if that names any."""
        listed = set(self._all_listed(module_name, _MAX_HOPS))
        module = self._module(module_name)
        if module is None or module.exports is None:
            return
        if not listed and not module.has_all_exports:
            return
        for name in self._bound_names(module, _MAX_HOPS):
            if name not in listed:
                yield name

    def _all_listed(self, module_name: str, hops: int) -> Iterator[str]:
        """Yield the names of an `__all__`, with those that it adds of other modules."""
        module = self._module(module_name)
        if module is None or hops == 0:
            return
        yield from module.exports or ()
        for path in module.listed_modules:
            meaning = self._named(module_name, path)
            if isinstance(meaning, ModuleFound) and meaning.name in self.paths:
                yield from self._all_listed(meaning.name, hops - 1)

    def unlisted_definitions(
        self, module_name: str, given_on: Collection[tuple[str, str]]
    ) -> Iterator[str]:
        """Yield the names of a module beside those that a package picks from it for its users."""
        module = self._module(module_name)
        if module is None or module.is_package or module.exports is not None:
            return
        own_names = [name for name in module.definitions if not name.startswith("_")]
        if any((module_name, name) in given_on for name in own_names):
            for name in own_names:
                if (module_name, name) not in given_on:
                    yield name

    def _star_names(self, module_name: str, hops: int) -> Iterator[str]:
        """Yield the names that `from module import *` binds."""
        if not self._is_of_tree(module_name) or hops == 0:
            return
        module = self._module(module_name)
        if module is None:
            return
        if module.exports is not None:
            yield from module.exports
        else:
            yield from self._bound_names(module, hops - 1)

    def _bound_names(self, module: Module, hops: int) -> Iterator[str]:
        """Yield the public names that the statements of a module bind."""
        for name in (*module.definitions, *module.imports):
            if not name.startswith("_"):
                yield name
        for star in module.stars:
            yield from self._star_names(star, hops)

    def defined_names(self, module_name: str) -> Iterator[str]:
        """Yield the public names that a module defines itself or lists in its `__all__`."""
        module = self._module(module_name)
        if module is None:
            return
        if module.exports is not None:
            yield from module.exports
            return
        for name in module.definitions:
            if not name.startswith("_"):
                yield name

    def inherited(
        self, definition: PythonDefinition, name: str, hops: int = _MAX_HOPS
    ) -> bool | None:
        """Return whether a class has a member from one of its bases; None where nobody can say."""
        is_certain = True
        for base in definition.bases:
            if base == "object" or self._brings_nothing(definition.module, base):
                continue
            if base in _PLAIN_TYPES and self.resolve(definition.module, base) is None:
                if hasattr(_PLAIN_TYPES[base], name):
                    return True
                continue
            top, _, rest = base.partition(".")
            meaning = None if rest else self.resolve(definition.module, top)
            if not isinstance(meaning, PythonDefinition) or hops == 0:
                is_certain = False
                continue
            meaning = self.whole_definition(meaning)
            if name in meaning.members or name in meaning.attributes:
                return True
            above = self.inherited(meaning, name, hops - 1) if self.is_whole(meaning) else None
            if above:
                return True
            if above is None:
                is_certain = False
        return False if is_certain else None

    def member(
        self, definition: PythonDefinition, name: str, hops: int = _MAX_HOPS
    ) -> "Meaning | None":
        """Return the member of a class or its bases by name; None if there certainly is none."""
        if name in definition.members:
            return definition.members[name]
        if name in definition.attributes:
            full_name = f"{definition.name}.{name}"
            attribute_type = definition.attribute_types.get(name)
            return PythonDefinition(
                definition.module, full_name, "value", definition.line, type=attribute_type
            )
        if definition.is_open:
            return OUTSIDE
        for base in definition.bases:
            if base == "object" or self._brings_nothing(definition.module, base):
                continue
            meaning = self._named(definition.module, base)
            if not isinstance(meaning, PythonDefinition) or not hops:
                return OUTSIDE
            inherited = self.member(self.whole_definition(meaning), name, hops - 1)
            if inherited is not None:
                return inherited
        return None

    def _named(self, module_name: str, path: str) -> Meaning | None:
        """Return what a name stands for, behind the names of the modules it is in."""
        first, *others = path.split(".")
        meaning = self.resolve(module_name, first)
        for other in others:
            if not isinstance(meaning, ModuleFound):
                return None
            meaning = self.resolve(meaning.name, other)
        return meaning

    def _brings_nothing(self, module_name: str, base: str) -> bool:
        """Return True for a base that says what sort of class it is, and has nothing to inherit."""
        top, _, rest = base.partition(".")
        module = self._module(module_name)
        target = module.imports.get(top) if module else None
        bases = _BASES_WITHOUT_MEMBERS.get(target.module, ()) if target is not None else ()
        return target is not None and (rest or target.name) in bases

    def warns(self, module_name: str) -> tuple[str, ...]:
        """Return the categories of what a module warns of whenever it is imported."""
        module = self._module(module_name) if module_name in self.paths else None
        return module.warns if module is not None else ()

    def _is_of_tree(self, module_name: str) -> bool:
        return module_name in self.paths or module_name in self.modules

    def _module(self, module_name: str) -> Module | None:
        if module_name not in self.modules:
            self.unread.add(module_name)
            return None
        self.used.add(module_name)
        return self.modules[module_name]


def module_paths(files: Iterable[str]) -> dict[str, str]:
    """Return the file of each module below a package, by the names users may import it under.

    A package is named from the topmost folder that has an `__init__.py`; where a folder between
    has none, the packages below it also go by the names they have if they are built on their own.
    """
    python_files = [file for file in files if file.endswith(".py")]
    folders = {file.rpartition("/")[0] for file in python_files if file.endswith("/__init__.py")}
    paths: dict[str, str] = {}
    for file in python_files:
        for root in _root_folders(file, folders):
            parts = file[len(root) :].lstrip("/").removesuffix(".py").split("/")
            if parts[-1] == "__init__":
                parts.pop()
            paths.setdefault(".".join(parts), file)
    return paths


def _root_folders(file: str, package_folders: set[str]) -> Iterator[str]:
    """Yield the folders that may hold the package of a file, the topmost first."""
    parts = file.split("/")[:-1]
    is_inside = False
    for depth in range(1, len(parts) + 1):
        is_package = "/".join(parts[:depth]) in package_folders
        if is_package and not is_inside:
            yield "/".join(parts[: depth - 1])
        is_inside = is_package
