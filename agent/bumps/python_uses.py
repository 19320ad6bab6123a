"""Uses of other packages in a Python file: names, calls, and names in strings."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_MAX_HOPS = 4  # Names through which an object is followed
_MAX_STRING = 300  # Characters of a string that may be a path


class CallShape(NamedTuple):
    """The arguments of a call, as far as its source shows them."""

    positions: int
    keywords: tuple[str, ...]
    is_open: bool  # Whether `*` or `**` may pass more


class PathUse(NamedTuple):
    """A line that uses something by its path."""

    path: str
    line: int
    call: CallShape | None = None
    caught: frozenset[str] = frozenset()  # The errors that are handled where the line is


def imported_packages(source: str) -> set[str]:
    """Return the top-level names that a file imports."""
    names: set[str] = set()
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.partition(".")[0])
    return names


class OwnClass(NamedTuple):
    """A class of one's own that is derived from a single class of a package."""

    base: str  # The path of that class
    members: frozenset[str]  # What it defines or assigns itself
    is_open: bool  # Whether it makes attributes up
    is_called_as_base: bool  # Whether its constructor is that of the base


class ModuleNames(NamedTuple):
    """The names of a module that stand for packages or parts of them."""

    paths: Mapping[str, str]  # What names stand for
    objects: Mapping[str, str]  # The classes of objects
    classes: Mapping[str, OwnClass]


GivenOn = Mapping[str, ModuleNames]
"""The modules of one's own that give names of packages on, by their names."""


def path_uses(
    source: str, packages: Collection[str], given_on: GivenOn, module: str = ""
) -> list[PathUse]:
    """Return what a file uses of these top-level packages, by line.

    `module` is the name of the file, from which relative imports start.
    """
    reader = _reader(source, packages, given_on, module)
    if reader is None:
        return []
    return sorted(set(reader.uses), key=lambda use: (use.line, use.path))


def names_given_on(source: str, packages: Collection[str], module: str) -> ModuleNames | None:
    """Return the names of a file that come from these packages; None where there are none.

    They are imported, or made from a module and a name in two strings, as lazy imports are; or they
    are objects and subclasses of a package's classes.
    """
    reader = _reader(source, packages, {}, module)
    return None if reader is None else reader.module_names()


def _reader(
    source: str, packages: Collection[str], given_on: GivenOn, module: str
) -> "_UseReader | None":
    if not _may_use(source, packages, given_on):
        return None
    tree = _parsed(source)
    if tree is None:
        return None
    reader = _UseReader(frozenset(packages), given_on, module)
    reader.read(tree)
    return reader


def _may_use(source: str, packages: Collection[str], given_on: GivenOn) -> bool:
    """Return False for a file that need not be parsed, which is what takes time."""
    if any(package in source for package in packages):
        return True
    for module, names in given_on.items():
        every_name = (*names.paths, *names.objects, *names.classes)
        if module.rpartition(".")[2] in source and any(name in source for name in every_name):
            return True
    return False


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _nodes(source: str) -> Iterator[ast.AST]:
    tree = _parsed(source)
    return iter(()) if tree is None else ast.walk(tree)


@dataclass
class _UseReader:
    """Collects the uses of a file.

    Imported names are bound for the whole file: they are rarely bound otherwise elsewhere.
    A name that the file also binds to something else is not followed.
    """

    packages: frozenset[str]
    given_on: GivenOn
    module: str
    uses: list[PathUse] = field(default_factory=list)
    _bound: dict[str, str] = field(default_factory=dict)
    _classes: dict[str, set[str]] = field(default_factory=dict)  # Of objects, by their spelling
    _sources: dict[str, list[ast.expr]] = field(default_factory=dict)
    """The names and attributes whose objects other names are given, `other = runner`."""
    _caught: dict[int, set[str]] = field(default_factory=dict)  # Errors, by line
    _handled: set[int] = field(default_factory=set)  # Targets of assignments that were noted
    _dictionaries: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    _own_classes: dict[str, OwnClass] = field(default_factory=dict)
    _class_around: dict[int, OwnClass] = field(default_factory=dict)
    """The class of each `self` and each `super()`, by the node."""
    _parameter_classes: dict[int, str] = field(default_factory=dict)
    """The class of each name that is a parameter of the function around it, by the node."""
    _module_objects: dict[str, str] = field(default_factory=dict)
    _module_paths: dict[str, str] = field(default_factory=dict)

    def read(self, tree: ast.Module) -> None:
        """Collect all uses of a module."""
        nodes = list(ast.walk(tree))
        for node in nodes:
            self._note_handlers(node)
            self._note_dictionary(node)
        for node in nodes:
            self._read_import(node)
        for name in _rebound_names(nodes):
            self._bound.pop(name, None)
            self._own_classes.pop(name, None)
        self._note_own_classes(nodes)
        for node in nodes:
            self._note_class(node)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._note_parameters(node)
        self._read_expressions(nodes)
        self._note_module_names(tree)

    def module_names(self) -> ModuleNames | None:
        """Return what the statements of the module bind to something of the packages."""
        names = ModuleNames(self._module_paths, self._module_objects, self._own_classes)
        return names if any(names) else None

    def _note_module_names(self, tree: ast.Module) -> None:
        self._module_paths |= self._bound
        for statement in tree.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
                continue
            path = self._path_in_strings(statement.value)
            for target in statement.targets:
                if not isinstance(target, ast.Name):
                    continue
                object_class = self._class_of(target)
                if path:
                    self._module_paths[target.id] = path
                elif object_class:
                    self._module_objects[target.id] = object_class

    def _note_own_classes(self, nodes: Sequence[ast.AST]) -> None:
        """Note the classes that have one base, of a package or of one's own."""
        definitions = [node for node in nodes if isinstance(node, ast.ClassDef)]
        bindings = Counter(definition.name for definition in definitions)
        bindings.update(node.id for node in nodes if isinstance(node, ast.Name) and _is_bound(node))
        for definition in definitions:
            base = self._single_base(definition)
            if base is None:
                continue
            own_class = _derived(definition, base)
            if bindings[definition.name] == 1:
                self._own_classes[definition.name] = own_class
            for method in definition.body:
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                    self._note_self(method, own_class)

    def _single_base(self, definition: ast.ClassDef) -> OwnClass | None:
        if len(definition.bases) != 1:
            return None
        base = definition.bases[0]
        if isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name) and base.id in self._own_classes:
            return self._own_classes[base.id]
        path = self._path(base)
        return OwnClass(path, frozenset(), False, True) if path else None

    def _note_self(
        self, method: ast.FunctionDef | ast.AsyncFunctionDef, own_class: OwnClass
    ) -> None:
        parameters = [*method.args.posonlyargs, *method.args.args]
        is_static = "staticmethod" in {_spelling(node) for node in method.decorator_list}
        first = parameters[0].arg if parameters and not is_static else ""
        for node in ast.walk(method):
            is_self = isinstance(node, ast.Name) and node.id == first
            if is_self or _is_super(node):
                self._class_around[id(node)] = own_class

    def _path_in_strings(self, call: ast.Call) -> str:
        texts = [_text_of(argument) for argument in call.args]
        if len(texts) < 2 or texts[0].partition(".")[0] not in self.packages:
            return ""
        return f"{texts[0]}.{texts[1]}" if texts[1].isidentifier() else ""

    def _note_handlers(self, node: ast.AST) -> None:
        """Record which errors are caught on the lines of an attempt.

        What a function does that is only defined there happens later, and is not caught.
        """
        if not isinstance(node, ast.Try):
            return
        caught: set[str] = set()
        for handler in node.handlers:
            caught.update(_names_of_handler(handler))
        for statement in node.body:
            end = statement.end_lineno or statement.lineno
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for line in range(statement.lineno, end + 1):
                    self._caught.setdefault(line, set()).update(caught)

    def _read_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self._bind_module(alias)
        elif isinstance(node, ast.ImportFrom):
            module = self._absolute(node)
            self._bind_given_on(module, node.names)
            if not node.level and module.partition(".")[0] in self.packages:
                self._bind_names(module, node)

    def _bind_module(self, alias: ast.alias) -> None:
        top = alias.name.partition(".")[0]
        if top in self.packages:
            self._bound[alias.asname or top] = alias.name if alias.asname else top
            self._add(alias.name, alias.lineno)

    def _bind_given_on(self, module: str, aliases: Iterable[ast.alias]) -> None:
        """Bind names that a module of one's own has from a package."""
        names = self.given_on.get(module)
        if names is None:
            return
        for alias in aliases:
            bound_name = alias.asname or alias.name
            if alias.name in names.paths:
                self._bound[bound_name] = names.paths[alias.name]
            elif alias.name in names.objects:
                self._note_objects(ast.Name(bound_name), {names.objects[alias.name]})
            elif alias.name in names.classes:
                self._own_classes[bound_name] = names.classes[alias.name]

    def _bind_names(self, module: str, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self._add(module, node.lineno)
                continue
            path = f"{module}.{alias.name}"
            self._bound[alias.asname or alias.name] = path
            self._add(path, alias.lineno)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        base = self.module.split(".")[: -node.level]
        return ".".join([*base, node.module] if node.module else base)

    def _note_class(self, node: ast.AST) -> None:
        """Record which class the objects of a name have, by assignment or annotation."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._note_assigned(target, node.value)
        elif isinstance(node, ast.AnnAssign):
            self._handled.add(id(node.target))
            self._note_objects(node.target, self._annotated(node.annotation))
        elif isinstance(node, ast.arg):
            classes = self._annotated(node.annotation) if node.annotation else {""}
            self._classes.setdefault(node.arg, set()).update(classes)
        elif _is_bound(node) and id(node) not in self._handled:
            self._note_objects(node, {""})

    def _note_parameters(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Record the class of annotated parameters that the function binds to nothing else.

        Elsewhere in the file the same name may stand for something else.
        """
        nodes = list(ast.walk(function))
        bindings = Counter(node.arg for node in nodes if isinstance(node, ast.arg))
        bindings.update(node.id for node in nodes if isinstance(node, ast.Name) and _is_bound(node))
        arguments = function.args
        class_by_name: dict[str, str] = {}
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if parameter.annotation is not None and bindings[parameter.arg] == 1:
                class_by_name[parameter.arg] = "".join(self._annotated(parameter.annotation))
        for node in nodes:
            if isinstance(node, ast.Name) and class_by_name.get(node.id):
                self._parameter_classes[id(node)] = class_by_name[node.id]

    def _note_assigned(self, target: ast.expr, value: ast.expr) -> None:
        self._handled.add(id(target))
        if isinstance(value, ast.Call):
            self._note_objects(target, {self._path(value.func)})
        elif _spelling(value) and _spelling(target):
            self._sources.setdefault(_spelling(target), []).append(value)
        elif not _is_none(value):
            self._note_objects(target, {""})

    def _note_objects(self, target: ast.AST, classes: set[str]) -> None:
        """Add what an expression may be; an empty name stands for anything."""
        self._classes.setdefault(_spelling(target), set()).update(classes)

    def _annotated(self, annotation: ast.expr) -> set[str]:
        """Return the class of an annotation, also in quotes or of one that allows None."""
        if _text_of(annotation):
            quoted = _expression(_text_of(annotation))
            return self._annotated(quoted) if quoted is not None else {""}
        if isinstance(annotation, ast.Subscript) and _is_optional(annotation.value):
            return self._annotated(annotation.slice)
        if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
            sides = [annotation.left, annotation.right]
            others = [side for side in sides if not _is_none(side)]
            return self._annotated(others[0]) if len(others) == 1 else {""}
        return {self._path(annotation)}

    def _read_expressions(self, nodes: Iterable[ast.AST]) -> None:
        called: set[int] = set()
        for node in nodes:
            if isinstance(node, ast.Call):
                called.add(id(node.func))
                path = self._path(node.func) or self._constructor(node.func)
                if path:
                    self._add(path, node.lineno, self._call_shape(node))
                self._read_strings(node)
            elif isinstance(node, ast.Attribute | ast.Name) and id(node) not in called:
                path = self._path(node) if isinstance(node.ctx, ast.Load) else ""
                if path:
                    self._add(path, node.end_lineno or node.lineno)

    def _constructor(self, function: ast.expr) -> str:
        """Return the class of a package whose constructor is called through a class of one's own."""
        if isinstance(function, ast.Name):
            own_class = self._own_classes.get(function.id)
            return own_class.base if own_class and own_class.is_called_as_base else ""
        if isinstance(function, ast.Attribute) and function.attr == "__init__":
            own_class = self._class_around.get(id(function.value))
            return own_class.base if own_class and isinstance(function.value, ast.Call) else ""
        return ""

    def _call_shape(self, call: ast.Call) -> CallShape:
        """Return the arguments of a call; `**` also passes the keys of a dictionary in the file."""
        is_open = any(isinstance(argument, ast.Starred) for argument in call.args)
        keywords: list[str] = []
        for keyword in call.keywords:
            if keyword.arg is None:
                is_open = True
                keywords += self._dictionaries.get(_spelling(keyword.value)) or ()
            else:
                keywords.append(keyword.arg)
        return CallShape(len(call.args), tuple(keywords), is_open)

    def _note_dictionary(self, node: ast.AST) -> None:
        """Record the keys of a dictionary; for a name with several dictionaries, None."""
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            return
        keys = _literal_keys(node.value)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            name = _spelling(target)
            self._dictionaries[name] = None if name in self._dictionaries else keys

    def _read_strings(self, call: ast.Call) -> None:
        """Read paths that are passed as strings: `import_module("a.b")`, `patch("a.b.c")`.

        A module and a name in two strings beside each other are a path as well.
        """
        texts = [_text_of(argument) for argument in call.args]
        for index, text in enumerate(texts):
            if not _DOTTED.fullmatch(text) and text not in self.packages:
                continue
            if text.partition(".")[0] not in self.packages:
                path = self._path_given_on(text)
                if path:
                    self._add(path, call.args[index].lineno)
                continue
            follower = texts[index + 1] if index + 1 < len(texts) else ""
            line = call.args[index].lineno
            if follower.isidentifier():
                self._add(f"{text}.{follower}", call.args[index + 1].lineno)
            elif "." in text:
                self._add(text, line)

    def _path_given_on(self, text: str) -> str:
        """Return what a path through a module of one's own stands for: `patch("app.canvas.line")`."""
        parts = text.split(".")
        for length in range(len(parts) - 1, 0, -1):
            names = self.given_on.get(".".join(parts[:length]))
            if names is None:
                continue
            path = names.paths.get(parts[length]) or names.objects.get(parts[length])
            return ".".join([path, *parts[length + 1 :]]) if path else ""
        return ""

    def _path(self, node: ast.expr) -> str:
        """Return the path that an expression stands for; empty where that is not known."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            object_class = self._owner(node)
            names.insert(0, node.attr)
            if object_class:
                return ".".join([object_class, *names])
            node = node.value
        if isinstance(node, ast.Name) and node.id in self._bound:
            return ".".join([self._bound[node.id], *names])
        return ""

    def _owner(self, node: ast.Attribute) -> str:
        """Return the class of a package that an attribute is looked up in."""
        own_class = self._class_around.get(id(node.value))
        if own_class is None:
            return self._class_of(node.value)
        is_own = node.attr in own_class.members and not isinstance(node.value, ast.Call)
        # `super().__init__` is looked at as a call of the class.
        if is_own or own_class.is_open or node.attr.startswith("__"):
            return ""
        return own_class.base

    def _class_of(self, node: ast.expr, hops: int = _MAX_HOPS) -> str:
        """Return the class of an object whose every assignment in the file is of that class."""
        if isinstance(node, ast.Call):
            return self._path(node.func)
        if id(node) in self._parameter_classes:
            return self._parameter_classes[id(node)]
        classes = set(self._classes.get(_spelling(node), ()))
        for source in self._sources.get(_spelling(node), ()):
            classes.add(self._class_of(source, hops - 1) if hops else "")
        return next(iter(classes)) if len(classes) == 1 else ""

    def _add(self, path: str, line: int, call: CallShape | None = None) -> None:
        caught = frozenset(self._caught.get(line, ()))
        self.uses.append(PathUse(path, line, call, caught))


def _derived(definition: ast.ClassDef, base: OwnClass) -> OwnClass:
    """Return what a class has besides what it has from a package."""
    members: set[str] = set()
    is_open = False
    has_fields = bool(definition.decorator_list) or bool(definition.keywords)
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            members.add(node.name)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            members.add(node.attr)
        elif _is_bound(node):
            assert isinstance(node, ast.Name)
            members.add(node.id)
        elif isinstance(node, ast.Call) and _spelling(node.func) == "setattr":
            is_open = True
    has_fields |= any(isinstance(statement, ast.AnnAssign) for statement in definition.body)
    makes_up = {"__getattr__", "__getattribute__"} & members
    constructs = {"__init__", "__new__"} & members
    return OwnClass(
        base=base.base,
        members=base.members | members,
        is_open=base.is_open or is_open or bool(makes_up),
        is_called_as_base=base.is_called_as_base and not has_fields and not constructs,
    )


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _spelling(node.func) == "super" and not node.args


def _names_of_handler(handler: ast.ExceptHandler) -> Iterator[str]:
    if handler.type is None:
        yield "Exception"
        return
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    for error in caught:
        if isinstance(error, ast.Name):
            yield error.id


def _rebound_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that are bound by something else than an import.

    None is what stands in for an import that failed, or that comes later.
    """
    stand_ins: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_none(node.value):
            stand_ins.update(id(target) for target in node.targets)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and _is_bound(node) and id(node) not in stand_ins:
            names.add(node.id)
    return names


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_optional(node: ast.expr) -> bool:
    return _spelling(node).rpartition(".")[2] == "Optional"


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _spelling(node: ast.AST) -> str:
    """Return a name or an attribute of `self` as it is written; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _literal_keys(node: ast.expr) -> tuple[str, ...] | None:
    """Return the keys of a dictionary that is written out, `{"a": 1}` or `dict(a=1)`."""
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        return tuple(key for key in keys if isinstance(key, str))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return tuple(keyword.arg for keyword in node.keywords if keyword.arg)
    return None


def _text_of(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if len(node.value) <= _MAX_STRING else ""
    return ""
