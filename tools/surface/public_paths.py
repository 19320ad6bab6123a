"""The public paths of a package: those that users reach from it or are shown to import."""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from tools.surface.import_path_resolution import Meaning, ModuleFound, Package
from tools.surface.python_module import PythonDefinition

_IMPORT = re.compile(r"[\s>]*(?:from\s+([A-Za-z_][\w.]*)\s+)?import\s+([^#\n]+)")
_INCLUDE = re.compile(r"[\s>]*#\s*include\s*[<\"]([^>\"]+)[>\"]")
_SETUP_NAME = re.compile(r"\bname\s*=\s*[\"']([\w.-]+)[\"']")
_NAME = re.compile(r"\W*([A-Za-z_][\w.]*)")
_GAP = "--"  # What git prints between lines that do not follow each other
_MAX_DEPTH = 4  # Modules that a package gives on, and those that these give on


class Documented(NamedTuple):
    """The imports and includes in documents, examples and entry points."""

    modules: frozenset[str] = frozenset()
    names: frozenset[tuple[str, str]] = frozenset()  # Names with the modules they come from
    headers: frozenset[str] = frozenset()  # As they are included, `engine/core.h`
    # Those that are imported without naming what is in them
    whole_modules: frozenset[str] = frozenset()
    # The names of the projects of a tree, as they are installed, in lower case with underscores
    projects: frozenset[str] = frozenset()
    # Names that documents of Sphinx describe, and modules that they describe as a whole
    described: frozenset[tuple[str, str]] = frozenset()
    described_modules: frozenset[str] = frozenset()
    # Functions that commands start, with their modules; nobody calls them with arguments
    commands: frozenset[tuple[str, str]] = frozenset()

    def __or__(self, other: "Documented") -> "Documented":
        """Return what either of two sets of documents has."""
        return Documented(
            modules=self.modules | other.modules,
            names=self.names | other.names,
            headers=self.headers | other.headers,
            whole_modules=self.whole_modules | other.whole_modules,
            projects=self.projects | other.projects,
            described=self.described | other.described,
            described_modules=self.described_modules | other.described_modules,
            commands=self.commands | other.commands,
        )


def documented_imports(lines: Iterable[str]) -> Documented:
    """Return the modules, names and headers that lines of documents and examples import.

    The lines behind one that opens a bracket have the names that it imports, up to the bracket's end.
    """
    modules: set[str] = set()
    whole_modules: set[str] = set()
    names: set[tuple[str, str]] = set()
    headers: set[str] = set()
    open_module = ""
    for line in lines:
        included = _INCLUDE.match(line)
        if included is not None:
            headers.add(included[1])
        statement = _IMPORT.match(line)
        if statement is None:
            if open_module:
                names.update((open_module, name) for name in _names_in(line))
                open_module = "" if ")" in line or line == _GAP else open_module
            continue
        module, imported = statement.groups()
        imported_names = _names_in(imported)
        open_module = ""
        if module is None:
            modules.update(imported_names)
            whole_modules.update(imported_names)
            continue
        modules.add(module)
        if imported.lstrip().startswith("*"):
            whole_modules.add(module)
        names.update((module, name) for name in imported_names)
        if "(" in imported and ")" not in imported:
            open_module = module
    return Documented(
        frozenset(modules), frozenset(names), frozenset(headers), frozenset(whole_modules)
    )


def _names_in(imported: str) -> list[str]:
    """Return the names of a list of imports; what stands behind `as` is the reader's own name."""
    names: list[str] = []
    for part in imported.partition("#")[0].split(","):
        if name := _NAME.match(part):
            names.append(name[1])
    return names


def entry_points(project: bytes) -> frozenset[tuple[str, str]]:
    """Return the functions that the commands of a `pyproject.toml` start, with their modules."""
    try:
        tables = tomllib.loads(project.decode("utf-8", "replace")).get("project", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return frozenset()
    scripts = tables.get("scripts", {}) if isinstance(tables, dict) else {}
    functions: set[tuple[str, str]] = set()
    for target in scripts.values() if isinstance(scripts, dict) else ():
        module, separator, name = str(target).partition(":")
        if separator:
            functions.add((module.strip(), name.strip()))
    return frozenset(functions)


def project_name(file: str, content: bytes) -> str:
    """Return the name under which a project is installed, by its `pyproject.toml` or `setup.py`."""
    text = content.decode("utf-8", "replace")
    name = ""
    if file.endswith("setup.py"):
        name_match = _SETUP_NAME.search(text)
        name = name_match[1] if name_match else ""
    else:
        try:
            table = tomllib.loads(text).get("project", {})
        except (tomllib.TOMLDecodeError, RecursionError):
            return ""
        name = str(table.get("name", "")) if isinstance(table, dict) else ""
    return name.lower().replace("-", "_").replace(".", "_")


class GivenOn(NamedTuple):
    """What the packages of a tree give to their users themselves."""

    paths: Mapping[str, Meaning]
    packages: frozenset[str]  # Those that give something on


def given_on(package: Package) -> GivenOn:
    """Return what packages bind, and what the modules that they give on by name bind."""
    paths: dict[str, Meaning] = {}
    packages: set[str] = set()
    for module in _top_packages(package):
        _add_package(package, module, paths, packages, _MAX_DEPTH)
    return GivenOn(paths, frozenset(packages))


def public_paths(package: Package, documented: Documented, given: GivenOn) -> dict[str, Meaning]:
    """Return what every public path stands for."""
    paths = dict(given.paths)
    for module in _listing_packages(package):
        _add_names(package, module, package.defined_names(module), paths)
    for module in sorted(documented.modules):
        if module in package.paths and not _is_private(module):
            _add_names(package, module, _own_names(package, module), paths)
    for module, name in sorted(documented.names | documented.commands):
        if module in package.paths and not _is_private(f"{module}.{name}"):
            _add_names(package, module, [name], paths)
    return paths


def command_paths(documented: Documented, given: GivenOn) -> frozenset[str]:
    """Return the paths that are public because a command starts there, and for nothing else."""
    paths: set[str] = set()
    for module, name in documented.commands - documented.names:
        path = f"{module}.{name}"
        if path not in given.paths and module not in documented.whole_modules:
            paths.add(path)
    return frozenset(paths)


def described_paths(package: Package, documented: Documented) -> frozenset[str]:
    """Return the public paths that documents of Sphinx describe."""
    paths = {f"{module}.{name}" for module, name in documented.described}
    for module in documented.described_modules:
        if module in package.paths:
            paths.update(f"{module}.{name}" for name in _own_names(package, module))
    return frozenset(paths)


def documented_definitions(package: Package, documented: Documented) -> frozenset[tuple[str, str]]:
    """Return the definitions that documents and examples import by their names, with their modules."""
    definitions: set[tuple[str, str]] = set()
    for module, name in documented.names:
        meaning = package.resolve(module, name) if module in package.paths else None
        if isinstance(meaning, PythonDefinition):
            definitions.add((meaning.module, meaning.name))
    return frozenset(definitions)


def implied_paths(package: Package, documented: Documented, given: GivenOn) -> frozenset[str]:
    """Return the paths that documents do not show themselves, but beside others of a module.

    That an example imports one class of a module does not say that users import the others. Nor
    does a package that lists its names in `__all__` give on what else it binds, and one that gives
    on a module and names of it means these names. A module that a package only binds is there for
    the package itself, unless documents show it. What a module lists in `__all__` is as public as
    the module, if documents show that.
    """
    implied = set(_unlisted_paths(package, given.packages, documented))
    implied |= set(_unpicked_paths(package, given.paths, documented))
    implied |= _unnamed_packages(package, documented)
    implied |= set(_unshown_paths(package, given, documented))
    for module in _listing_packages(package):
        if module not in documented.modules:
            paths = {f"{module}.{name}" for name in package.defined_names(module)}
            implied |= paths - given.paths.keys() - {".".join(pair) for pair in documented.names}
    importing_names = {module for module, _ in documented.names}
    for module in importing_names - documented.whole_modules:
        if module not in package.paths:
            continue
        listed = package.listed_names(module)
        for name in _own_names(package, module):
            path = f"{module}.{name}"
            is_shown = name in listed or (module, name) in documented.names
            if path not in given.paths and not is_shown:
                implied.add(path)
    return frozenset(implied)


def _unlisted_paths(
    package: Package, packages: Iterable[str], documented: Documented
) -> Iterator[str]:
    """Yield what packages bind that is not in their `__all__` and that no document imports."""
    for module in packages:
        for name in package.unlisted_names(module):
            path = f"{module}.{name}"
            is_imported = (module, name) in documented.names
            if not is_imported and not _is_around(path, documented.modules):
                yield path


def _unpicked_paths(
    package: Package, given_on: Mapping[str, Meaning], documented: Documented
) -> Iterator[str]:
    """Yield the names of modules from which packages give other names on."""
    picked: set[tuple[str, str]] = set()
    for path, meaning in given_on.items():
        parent = path.rpartition(".")[0]
        if isinstance(meaning, PythonDefinition) and meaning.module != parent:
            picked.add((meaning.module, meaning.name))
    for meaning in given_on.values():
        if not isinstance(meaning, ModuleFound) or meaning.name in documented.whole_modules:
            continue
        for name in package.unlisted_definitions(meaning.name, picked):
            if (meaning.name, name) not in documented.names:
                yield f"{meaning.name}.{name}"


def _unshown_paths(package: Package, given: GivenOn, documented: Documented) -> Iterator[str]:
    """Yield what users reach only through modules that packages neither list nor document."""
    modules = set(_unshown_modules(package, given.packages, documented))
    shown: set[tuple[str, str]] = set()
    unshown: dict[str, tuple[str, str]] = {}
    for path, meaning in given.paths.items():
        if not isinstance(meaning, PythonDefinition):
            continue
        definition = (meaning.module, meaning.name)
        if _is_in_any(path, modules):
            unshown[path] = definition
        else:
            shown.add(definition)
    for path, definition in unshown.items():
        if definition not in shown:
            yield path


def _unshown_modules(
    package: Package, giving: Iterable[str], documented: Documented
) -> Iterator[str]:
    """Yield the modules that a package binds beside its names, but neither lists nor documents."""
    tops = set(_top_packages(package))
    for module in giving:
        parent, _, name = module.rpartition(".")
        if module in tops or name in package.listed_names(parent):
            continue
        if (parent, name) not in documented.names and not _is_around(module, documented.modules):
            yield module


def _unnamed_packages(package: Package, documented: Documented) -> set[str]:
    """Return the packages that are not named as others beside them are.

    A package is named by a document that imports it, or by the name of its project.
    """
    tops = set(_top_packages(package))
    named_packages = {module.partition(".")[0] for module in documented.modules}
    named_packages |= {top for top in tops if top.lower() in documented.projects}
    return tops - named_packages if tops & named_packages else set()


def _is_in_any(path: str, modules: Collection[str]) -> bool:
    """Return True for a path inside of one of some modules."""
    while "." in path:
        path = path.rpartition(".")[0]
        if path in modules:
            return True
    return False


def _is_around(path: str, modules: Iterable[str]) -> bool:
    """Return True for a module that is one of some modules or has one inside."""
    return any(f"{module}.".startswith(f"{path}.") for module in modules)


def _top_packages(package: Package) -> list[str]:
    """Return the packages that are in no other one; a folder between may lack an `__init__.py`."""
    folders: dict[str, str] = {}
    for module, file in package.paths.items():
        if "." not in module:
            folders[module] = f"{file.rpartition('/')[0]}/"
    tops: list[str] = []
    for module, folder in folders.items():
        around = [other for other in folders.values() if other != folder]
        if not folder.startswith(tuple(around)):
            tops.append(module)
    return tops


def _add_package(
    package: Package, module: str, paths: dict[str, Meaning], seen: set[str], depth: int
) -> None:
    """Add what a package binds, and the modules of its own that it gives on by name."""
    if module in seen or depth == 0:
        return
    seen.add(module)
    # What a plain module imports is for its own use.
    is_package = package.paths.get(module, "").endswith("/__init__.py")
    names = package.exported_names(module) if is_package else package.defined_names(module)
    for name in dict.fromkeys(names):
        if name.startswith("_"):
            continue
        meaning = package.resolve(module, name)
        if isinstance(meaning, ModuleFound) and meaning.name == f"{module}.{name}":
            paths[meaning.name] = meaning
            _add_package(package, meaning.name, paths, seen, depth - 1)
        elif isinstance(meaning, PythonDefinition):
            paths[f"{module}.{name}"] = meaning


def _add_names(
    package: Package, module: str, names: Iterable[str], paths: dict[str, Meaning]
) -> None:
    for name in names:
        meaning = package.resolve(module, name)
        if isinstance(meaning, PythonDefinition | ModuleFound) and not name.startswith("_"):
            paths.setdefault(f"{module}.{name}", meaning)


def _listing_packages(package: Package) -> Iterator[str]:
    """Yield the packages right inside of the others that list in `__all__` what they give on.

    Others do not mention them, but who imports them gets what they list.
    """
    tops = set(_top_packages(package))
    for module, file in package.paths.items():
        top, _, name = module.partition(".")
        is_right_inside = top in tops and name.isidentifier() and not name.startswith("_")
        if is_right_inside and file.endswith("/__init__.py") and package.listed_names(module):
            yield module


def _own_names(package: Package, module: str) -> Iterator[str]:
    """Return what a module defines, and of a package also what it gives on."""
    is_package = package.paths[module].endswith("/__init__.py")
    return package.exported_names(module) if is_package else package.defined_names(module)


def _is_private(path: str) -> bool:
    return any(part.startswith("_") for part in path.split("."))
