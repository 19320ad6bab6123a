"""Which names of a Python module are its interface: `__all__`, underscores, and what it gives on from other modules."""

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from tools.diff.readers.python_syntax import STRINGS, Code
from tools.diff.reading import Symbol


class Interface:
    """What a module says about its names, gathered while its statements are walked."""

    def __init__(self, code: Code, path: str, *, whole: bool) -> None:
        self._code = code
        self._whole = whole
        *self._folders, file = path.split("/")
        self._package = file == "__init__.py"
        self._imported: dict[str, Symbol] = {}
        self._given_on: set[str] = set()
        self._wildcard = False
        self.exports: set[str] | None = None

    def export(self, node: Node | None) -> None:
        """Take over a list of names: `__all__ = [...]`."""
        self.exports = set(self._names(node))

    def export_more(self, node: Node) -> None:
        """Take over `__all__ += [...]`, `__all__.extend([...])` and `__all__.append("…")`."""
        if node.type == "augmented_assignment":
            if self._code.word(node.child_by_field_name("left")) == "__all__":
                self._add(self._names(node.child_by_field_name("right")))
            return
        function = node.child_by_field_name("function")
        if function is not None and self._code.raw(function) in (b"__all__.extend", b"__all__.append"):
            positional, _ = self._code.arguments(node)
            self._add(name for argument in positional for name in self._names(argument))

    def import_from(self, node: Node, *, conditional: bool = False) -> None:
        """Note the names that a statement imports, and whether the module means to give them on."""
        code = self._code
        source = node.child_by_field_name("module_name")
        if source is None:
            return
        self._wildcard = self._wildcard or any(child.type == "wildcard_import" for child in node.children)
        module = code.fold(source)
        own = module.startswith(".") or module.split(".")[0] in self._folders
        # A package gives on what is inside of it; what it takes from elsewhere in the project it uses itself.
        inside = module.startswith(".") or self._holds(module)
        # Linters are told in this way that an import is there for others.
        # Under a condition it is there for what happens when it is imported.
        unused = b"F401" in code.raw(node) or b"F401" in code.rest_of_line(node)
        meant = (self._package and inside) or (unused and not _is_under_condition(node))
        for item in node.children_by_field_name("name"):
            original = item.child_by_field_name("name") if item.type == "aliased_import" else item
            alias = item.child_by_field_name("alias") if item.type == "aliased_import" else item
            name = code.word(alias)
            line, last = code.line(item), code.last_line(item)
            value = f"{module.rstrip('.') or module[:-1]}.{code.word(original)}"
            self._imported[name] = Symbol(name, "variable", line, last, last, public_name(name), value=value)
            # `import x as x` says that a name is for others, unless it only keeps the lines of branches alike.
            same = item.type == "aliased_import" and code.word(original) == name and not conditional
            if own and (meant or same):
                self._given_on.add(name)

    def _holds(self, module: str) -> bool:
        """Tell whether a module that is named in full is a part of this package; the first one has all of a project."""
        first = module.split(".")[0]
        package = self._folders[self._folders.index(first) :] if first in self._folders else []
        return len(package) == 1 or f"{module}.".startswith(f"{'.'.join(package)}.")

    def has(self, name: str) -> bool:
        """Tell whether a statement so far imports a name."""
        return name in self._imported

    def imports(self) -> frozenset[str]:
        """Name all that the module imports by name; `*` stands for all of another module's."""
        return frozenset((*self._imported, "*") if self._wildcard else self._imported)

    def publish(self, declared: dict[str, Symbol]) -> tuple[Symbol, ...]:
        """Add what is given on, and mark what is public; a fragment's list may be cut, so only a whole one excludes."""
        listed = self.exports if self._whole else None
        given = listed or self._given_on
        kept = [s for name, s in self._imported.items() if name in given and name not in declared]
        symbols = [*kept, *declared.values()]
        return tuple(symbols if not listed else (_listed(symbol, listed) for symbol in symbols))

    def _add(self, names: Iterable[str]) -> None:
        self.exports = (self.exports or set()) | set(names)

    def _names(self, node: Node | None) -> Iterator[str]:
        stack = [node] if node is not None else []
        while stack:
            node = stack.pop()
            if node.type in STRINGS:
                yield self._code.string(node) or ""
            elif node.type in ("list", "tuple", "set", "binary_operator", "parenthesized_expression"):
                stack.extend(reversed(node.named_children))


def public_name(name: str) -> bool:
    """Say whether a qualified name is public by its underscores."""
    return "_" not in name or all(map(_open, name.split(".")))


def _listed(symbol: Symbol, exports: set[str]) -> Symbol:
    first, _, rest = symbol.name.partition(".")
    public = first in exports and (not rest or public_name(rest))
    return (
        symbol
        if public == symbol.public and not symbol.device
        else symbol._replace(public=public, device=bool(rest) and symbol.device)
    )


def _open(part: str) -> bool:
    return not part.startswith("_") or (part.startswith("__") and part.endswith("__"))


def _is_under_condition(node: Node) -> bool:
    block = node.parent
    return block is not None and block.parent is not None and block.parent.type in ("if_statement", "elif_clause")
