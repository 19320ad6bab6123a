"""The API of Rust crates at a commit: which paths lead to something, as far as modules show it."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tree_sitter import Node

from agent.bumps.argument_counts import ParameterCount
from agent.bumps.manifest_name_and_version import read_manifest
from agent.bumps.python_pin_readers import UnreadableFile, parse_toml, table
from agent.bumps.python_pin_readers import text_of as toml_text
from tools.packages.repository_trees import Listing, TreeReader
from tools.packages.syntax import field_text, syntax_tree, text_of, walk

_MAX_FILES = 3_000  # Manifests of one repository
_FILES_AT_ONCE = 100
_MAX_CHARACTERS = 30_000_000  # Of the sources of a crate and of those whose names it gives on
_MAX_STEPS = 60  # Re-exports that are followed to one name
_ITEMS = {
    "struct_item",
    "enum_item",
    "union_item",
    "trait_item",
    "type_item",
    "const_item",
    "static_item",
    "function_item",
    "function_signature_item",
}
_TYPES = ("struct_item", "enum_item", "union_item", "trait_item", "type_item")


@dataclass
class RustItem:
    """Something that a module declares."""

    kind: str
    name: str
    is_deprecated: bool = False
    counts: set[ParameterCount] = field(default_factory=set)
    members: set[str] = field(default_factory=set)  # Variants of an enum, fields of a struct
    deprecated_members: set[str] = field(default_factory=set)


@dataclass
class RustModule:
    """A module with its items, what it gives on, and what macros may add to it."""

    items: dict[str, RustItem] = field(default_factory=dict)
    modules: dict[str, "RustModule"] = field(default_factory=dict)
    reexports: dict[str, tuple[str, ...]] = field(default_factory=dict)
    globs: list[tuple[str, ...]] = field(default_factory=list)
    words: set[str] = field(default_factory=set)  # Of macros, which may declare any of them


@dataclass(frozen=True)
class Resolved:
    """What a path leads to: an item, or a module; neither where it leads out of sight."""

    item: RustItem | None = None
    module: RustModule | None = None

    @property
    def is_open(self) -> bool:
        """True where nobody can say what is there."""
        return self.item is None and self.module is None


OPEN = Resolved()


class RustWorkspace:
    """The crates of a repository at a commit."""

    def __init__(self, crates: Mapping[str, RustModule], impls: "Impls") -> None:
        self._crates = crates
        self.impls = impls

    @classmethod
    async def at(cls, trees: TreeReader, sha: str, crate: str) -> "RustWorkspace":
        """Read a crate, and those of its repository whose names it gives on.

        Raise TooLarge where their sources are more than can be read.
        """
        listing = await trees.listing(sha)
        manifests = [path for path in listing if path.rpartition("/")[2] == "Cargo.toml"]
        entries: dict[str, _CrateEntry] = {}
        for path, text in (await trees.texts(sha, manifests[:_MAX_FILES])).items():
            entry = _crate_entry(path, text)
            if entry is not None and entry.root in listing:
                entries[entry.name] = entry
        sources = _CrateSources(trees, sha, listing)
        reader = _CrateReader()
        crates: dict[str, RustModule] = {}
        waiting = [crate]
        while waiting:
            name = waiting.pop()
            if name in crates or name not in entries:
                continue
            texts = await sources.of(entries[name])
            # Parsing takes long; the limit of time for all packages holds meanwhile.
            crates[name] = await asyncio.to_thread(reader.crate, entries[name].root, texts)
            waiting += sorted(reader.given_on & entries.keys())
        return cls(crates, reader.impls)

    def has_crate(self, name: str) -> bool:
        """Return True for a crate of this repository."""
        return name in self._crates

    def resolve(self, path: tuple[str, ...]) -> Resolved | None:
        """Return what a path from a crate's name on leads to; None where it leads nowhere."""
        return _ModuleWalk(self._crates).resolve(path)


class _CrateEntry:
    def __init__(self, name: str, root: str) -> None:
        self.name = name
        self.root = root


def _crate_entry(path: str, text: str) -> _CrateEntry | None:
    manifest = read_manifest("cargo", path, text)
    if manifest is None:
        return None
    try:
        library = table(parse_toml(text).get("lib"))
    except UnreadableFile:
        return None
    name = toml_text(library.get("name")) or manifest.name
    root = toml_text(library.get("path")) or "src/lib.rs"
    folder = f"{manifest.folder}/" if manifest.folder else ""
    return _CrateEntry(name.replace("-", "_"), f"{folder}{root}")


@dataclass
class Impls:
    """What the blocks `impl` of all crates declare, by the last name of the type."""

    functions: dict[str, dict[str, set[ParameterCount]]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    """All functions, also those of traits and macros, whatever they belong to."""
    public: set[str] = field(default_factory=set)  # Methods that users can call
    of_traits: set[str] = field(default_factory=set)  # Methods that any type may have
    returns: dict[str, dict[str, str]] = field(default_factory=dict)
    """The last name of the type that a function of a type returns."""
    deprecated: set[str] = field(default_factory=set)  # Those of them that all say so
    deprecated_of: dict[str, set[str]] = field(default_factory=dict)  # By the type
    _current: set[str] = field(default_factory=set)

    def add(self, owner: str, function: Node) -> None:
        """Note a function of a type."""
        name = field_text(function, "name")
        self.names.add(name)
        if not is_deprecated(function):
            self._current.add(name)
            self.deprecated.discard(name)
        else:
            self.deprecated_of.setdefault(owner, set()).add(name)
            if name not in self._current:
                self.deprecated.add(name)
        counts = self.functions.setdefault(owner, {}).setdefault(name, set())
        counts.add(_parameter_count(function))
        returned = last_name(field_text(function, "return_type"))
        if returned:
            self.returns.setdefault(owner, {})[name] = owner if returned == "Self" else returned
        if _is_public(function):
            self.public.add(name)


class TooLarge(Exception):
    """The sources of a package are more than can be read."""


class _CrateSources:
    """Reads the files of crates, as many as bearable."""

    def __init__(self, trees: TreeReader, sha: str, listing: Listing) -> None:
        self._trees = trees
        self._sha = sha
        self._listing = listing
        self._characters = 0

    async def of(self, entry: _CrateEntry) -> dict[str, str]:
        """Return the files beside and below the root of a crate."""
        folder = str(PurePosixPath(entry.root).parent)
        prefix = "" if folder == "." else f"{folder}/"
        files = [path for path in self._listing if path.startswith(prefix)]
        files = [path for path in files if path.endswith(".rs")]
        texts: dict[str, str] = {}
        for start in range(0, len(files), _FILES_AT_ONCE):
            part = await self._trees.texts(self._sha, files[start : start + _FILES_AT_ONCE])
            self._characters += sum(map(len, part.values()))
            if self._characters > _MAX_CHARACTERS:
                raise TooLarge(f"its sources have more than {_MAX_CHARACTERS // 1_000_000} MB")
            texts |= part
        return texts


class _CrateReader:
    """Reads modules from files; each is parsed once, however often it is declared."""

    def __init__(self) -> None:
        self._texts: Mapping[str, str] = {}
        self._modules: dict[str, RustModule] = {}
        self.impls = Impls()
        self.given_on: set[str] = set()  # The names that paths of `pub use` begin with

    def crate(self, root: str, texts: Mapping[str, str]) -> RustModule:
        """Return the module at the root of a crate."""
        self._texts = texts
        return self.module(root, is_root=True) if root in texts else RustModule()

    def module(self, path: str, *, is_root: bool = False, depth: int = 0) -> RustModule:
        """Return the module of a file with those inside of it."""
        if path in self._modules:
            return self._modules[path]
        module = self._modules[path] = RustModule()
        file = PurePosixPath(path)
        folder = file.parent if is_root or file.name == "mod.rs" else file.parent / file.stem
        root = syntax_tree(path, self._texts[path])
        if root is not None and depth < _MAX_STEPS:
            self._read_items(root, module, folder, depth)
        return module

    def _read_items(
        self, node: Node, module: RustModule, folder: PurePosixPath, depth: int
    ) -> None:
        for item in node.named_children:
            if item.type in _ITEMS:
                self._read_item(item, module)
            elif item.type == "impl_item":
                self._read_impl(item)
            elif item.type == "mod_item":
                self._read_module(item, module, folder, depth)
            elif item.type == "use_declaration" and _is_public(item):
                for names, name in used_paths(item.child_by_field_name("argument")):
                    self.given_on.add(names[0])
                    _add_use(module, names, name)
            elif item.type == "extern_crate_declaration" and _is_public(item):
                name = field_text(item, "alias") or field_text(item, "name")
                module.reexports[name] = (field_text(item, "name"),)
                self.given_on.add(field_text(item, "name"))
            elif item.type == "macro_definition":
                name = field_text(item, "name")
                module.items.setdefault(f"{name}!", RustItem("macro", name))
            else:
                self._read_macro(item, module, folder, depth)

    def _read_item(self, node: Node, module: RustModule) -> None:
        name = field_text(node, "name")
        item = module.items.setdefault(name, RustItem(node.type, name, is_deprecated(node)))
        if node.type.startswith("function"):
            item.counts.add(_parameter_count(node))
            self.impls.names.add(name)
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            if child.type in ("enum_variant", "field_declaration"):
                item.members.add(field_text(child, "name"))
                if is_deprecated(child):
                    item.deprecated_members.add(field_text(child, "name"))
            elif child.type.startswith("function"):
                self.impls.add(name, child)
                self.impls.of_traits.add(field_text(child, "name"))

    def _read_impl(self, node: Node) -> None:
        written = node.child_by_field_name("type")
        owner = last_name(text_of(written))
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            if child.type == "function_item":
                self.impls.add(owner, child)
            elif child.type == "const_item":
                self.impls.functions.setdefault(owner, {}).setdefault(
                    field_text(child, "name"), set()
                )
            elif child.type == "macro_invocation":
                self.impls.names |= _words(child)

    def _read_module(
        self, node: Node, module: RustModule, folder: PurePosixPath, depth: int
    ) -> None:
        name = field_text(node, "name")
        body = node.child_by_field_name("body")
        if depth >= _MAX_STEPS:
            module.words.add(name)
            return
        if body is not None:
            inner = module.modules.setdefault(name, RustModule())
            self._read_items(body, inner, folder / name, depth + 1)
            return
        for path in (folder / f"{name}.rs", folder / name / "mod.rs"):
            if str(path) in self._texts:
                module.modules[name] = self.module(str(path), depth=depth + 1)
                return
        module.words.add(name)  # Its file has another path, or is generated

    def _read_macro(
        self, node: Node, module: RustModule, folder: PurePosixPath, depth: int
    ) -> None:
        """Read the items that a macro is given; whatever it names it may declare."""
        for child in walk(node):
            if child.type == "macro_invocation":
                words = _words(child)
                module.words |= words
                self.impls.names |= words
                tokens = next(
                    (part for part in child.named_children if part.type == "token_tree"), None
                )
                inner = syntax_tree("x.rs", text_of(tokens)[1:-1])
                if inner is not None and depth < _MAX_STEPS and tokens is not None:
                    self._read_items(inner, module, folder, depth + 1)
                return


def _words(node: Node) -> set[str]:
    return {
        text_of(child) for child in walk(node) if child.type in ("identifier", "type_identifier")
    }


def _is_public(node: Node) -> bool:
    modifiers = [child for child in node.children if child.type == "visibility_modifier"]
    return any(text_of(modifier) == "pub" for modifier in modifiers)


def is_deprecated(item: Node) -> bool:
    """Return True for an item below an attribute that calls it deprecated."""
    attribute = item.prev_named_sibling
    while attribute is not None and attribute.type in ("attribute_item", "line_comment"):
        if "deprecated" in text_of(attribute) and attribute.type == "attribute_item":
            return True
        attribute = attribute.prev_named_sibling
    return False


def _parameter_count(function: Node) -> ParameterCount:
    parameters = function.child_by_field_name("parameters")
    count = 0
    for parameter in parameters.named_children if parameters is not None else ():
        count += parameter.type in ("parameter", "self_parameter")
    return ParameterCount(count, count)


def last_name(path: str) -> str:
    """Return the last name of a written type, without its parameters."""
    return path.partition("<")[0].rpartition("::")[2].strip("&' ")


def _add_use(module: RustModule, path: tuple[str, ...], name: str) -> None:
    if name == "*":
        module.globs.append(path)
    else:
        module.reexports[name] = path


def used_paths(
    node: Node | None, before: tuple[str, ...] = (), depth: int = 0
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the paths of a `use` with the names that they have from then on; `*` for all."""
    if node is None or depth > _MAX_STEPS:
        return
    if node.type == "scoped_use_list":
        path = (*before, *path_names(node.child_by_field_name("path")))
        yield from used_paths(node.child_by_field_name("list"), path, depth + 1)
        return
    if node.type == "use_list":
        for child in node.named_children:
            yield from used_paths(child, before, depth + 1)
        return
    path = (*before, *_used_names(node))
    if not path:
        return
    if node.type == "use_as_clause":
        yield path, field_text(node, "alias")
    else:
        yield path, "*" if node.type == "use_wildcard" else path[-1]


def _used_names(node: Node) -> tuple[str, ...]:
    """Return the names that a part of a `use` adds to the path before it."""
    if node.type == "use_as_clause":
        return path_names(node.child_by_field_name("path"))
    if node.type == "use_wildcard":
        return path_names(node.named_children[0] if node.named_children else None)
    return () if node.type == "self" else path_names(node)


def path_names(node: Node | None) -> tuple[str, ...]:
    """Return the names of a path, without its type arguments."""
    names: list[str] = []
    while node is not None:
        if node.type in ("scoped_identifier", "scoped_type_identifier"):
            names.append(field_text(node, "name"))
            node = node.child_by_field_name("path")
        elif node.type == "generic_type":
            node = node.child_by_field_name("type")
        else:
            names.append(text_of(node))
            break
    return tuple(reversed(names))


class _ModuleWalk:
    """Follows one path through modules and what they give on."""

    def __init__(self, crates: Mapping[str, RustModule]) -> None:
        self._crates = crates
        self._steps = 0

    def resolve(self, path: tuple[str, ...]) -> Resolved | None:
        crate = self._crates.get(path[0])
        if crate is None:
            return OPEN
        return self._inside(crate, crate, (path[0],), path[1:])

    def _inside(
        self, crate: RustModule, module: RustModule, at: tuple[str, ...], rest: tuple[str, ...]
    ) -> Resolved | None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return OPEN
        if not rest:
            return Resolved(module=module)
        name = rest[0]
        if name in module.items:
            return Resolved(item=module.items[name]) if len(rest) == 1 else OPEN
        if name in module.modules:
            return self._inside(crate, module.modules[name], (*at, name), rest[1:])
        if name in module.reexports:
            target = self._absolute(module.reexports[name], at)
            if target == (*at, name):
                return OPEN  # A crate of the same name: `pub use bitflags;`
            return self.resolve((*target, *rest[1:]))
        return self._through_globs(module, at, rest)

    def _through_globs(
        self, module: RustModule, at: tuple[str, ...], rest: tuple[str, ...]
    ) -> Resolved | None:
        is_open = rest[0].rstrip("!") in module.words
        for glob in module.globs:
            found = self.resolve((*self._absolute(glob, at), *rest))
            if found is not None and not found.is_open:
                return found
            is_open |= found is not None
        return OPEN if is_open else None

    def _absolute(self, path: tuple[str, ...], at: tuple[str, ...]) -> tuple[str, ...]:
        """Return a path from the crate's name on."""
        if path[0] == "crate":
            return (at[0], *path[1:])
        names = list(path)
        base = list(at)
        if names[0] == "self":
            return (*at, *names[1:])
        if names[0] == "super":
            while names and names[0] == "super":
                names.pop(0)
                base = base[:-1] or base
            return (*base, *names)
        if names[0] in self._crates and names[0] != at[0] and not self._has(at, names[0]):
            return path
        return (*at, *names) if self._has(at, names[0]) else path

    def _has(self, at: tuple[str, ...], name: str) -> bool:
        """Return True if a module declares a name that a path may begin with."""
        module: RustModule | None = self._crates.get(at[0])
        for part in at[1:]:
            module = module.modules.get(part) if module is not None else None
        return module is not None and (name in module.modules or name in module.items)
