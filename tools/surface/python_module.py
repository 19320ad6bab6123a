"""The definitions, imports and exports in the source of a Python module. Nothing is executed."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from typing import Literal, NamedTuple

from tools.surface.signatures import Parameter, Signature

DefinitionKind = Literal["function", "class", "value"]
_FIELD_DECORATORS = ("dataclass", "dataclasses.dataclass", "config", "attrs.define", "define")
_FIELD_BASES = ("BaseModel", "Struct", "NamedTuple")
"""Bases whose annotated fields are arguments of the constructor: pydantic, msgspec, typing."""
_RUNS_CODE = ("exec", "globals", "eval", "vars")
# A literal line end is found much faster than the place behind one.
_TOP_DEFINITION = re.compile(rb"\n((?:async[ \t]+)?def|class)[ \t]+(\w+)")
_TOP_STATEMENT = re.compile(rb"\n[^\s#)\]}]")
_TRIPLE_QUOTES = (b'"""', b"'''")


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """The target of an import: a module, or a name of a module."""

    module: str
    name: str = ""


@dataclass(frozen=True)
class PythonDefinition:
    """A function, class or value, with everything that a caller must fit."""

    module: str
    name: str  # Behind the names of the classes around it
    kind: DefinitionKind
    line: int
    signatures: tuple[Signature, ...] = ()  # Several where a name has overloads or branches
    members: Mapping[str, "PythonDefinition"] = field(default_factory=dict)
    bases: tuple[str, ...] = ()  # As they are written
    decorators: tuple[str, ...] = ()
    attributes: frozenset[str] = frozenset()  # What the methods of a class assign to its objects
    is_deprecated: bool = False  # It says so by a decorator, or whenever it is called
    warns: tuple[str, ...] = ()  # The categories, as written, that it warns of on every call
    is_async: bool = False
    type: ast.expr | None = field(default=None, compare=False, repr=False)
    """The annotation of what a function returns or a value is; else a call that shows it."""
    attribute_types: Mapping[str, ast.expr] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_open(self) -> bool:
        """True if there may be attributes that no definition shows."""
        return "__getattr__" in self.members or "__dict__" in self.attributes


@dataclass(frozen=True)
class Module:
    """The names of a module."""

    name: str
    is_package: bool
    definitions: Mapping[str, PythonDefinition] = field(default_factory=dict)
    imports: Mapping[str, ImportTarget] = field(default_factory=dict)
    stars: tuple[str, ...] = ()  # Modules of which everything is imported
    exports: tuple[str, ...] | None = None  # The names of `__all__`
    has_all_exports: bool = True  # False where an `__all__` is computed
    listed_modules: tuple[str, ...] = ()  # Those whose `__all__` it adds, by their names in it
    warns: tuple[str, ...] = ()  # The categories that it warns of whenever it is imported
    made_up: frozenset[str] = frozenset()  # What its `__getattr__` has in a written-out collection
    is_open: bool = False
    """Whether names can be there that no statement shows: made by `__getattr__`, or by code that
    is run while the module is imported, or listed in an `__all__` that is computed."""
    shortened: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)
    """The functions and classes of an outline that were read by their names alone, each with a
    digest of what it is in the source."""

    @property
    def is_outline(self) -> bool:
        """True if functions or classes were read by their names alone."""
        return bool(self.shortened)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def binds_like(self, other: "Module") -> bool:
        """Return True if another version of the module binds the same names in the same ways."""
        kinds = {name: definition.kind for name, definition in self.definitions.items()}
        other_kinds = {name: definition.kind for name, definition in other.definitions.items()}
        if list(kinds.items()) != list(other_kinds.items()):
            return False
        return self._bindings() == other._bindings()

    def _bindings(self) -> tuple[object, ...]:
        return (
            list(self.imports.items()),
            self.stars,
            self.exports,
            self.has_all_exports,
            self.listed_modules,
            self.made_up,
            self.is_open,
        )


def read_outline(
    name: str, source: bytes, *, is_package: bool, whole: Collection[str] = ()
) -> Module | None:
    """Read a module with its functions and classes by their names alone, where that is safe.

    Most of a module is the bodies of its functions, and most modules are read only to follow names
    through them. Those named in `whole` are read with what they hold. The whole module is read
    wherever there is doubt where a body ends.
    """
    outline = _without_bodies(source, whole)
    if outline is None:
        return read_module(name, source, is_package=is_package)
    module = read_module(name, outline.source, is_package=is_package)
    if module is None:
        return read_module(name, source, is_package=is_package)
    return replace(module, shortened=outline.shortened)


class _Outline(NamedTuple):
    """The source of a module without what its functions and classes hold."""

    source: bytes
    shortened: Mapping[str, bytes]


def _without_bodies(source: bytes, whole: Collection[str]) -> _Outline | None:
    """Return a module in which `pass` stands for what its functions and classes hold.

    Return None where there is none of these, where one decides which names the module has, or where
    a line without an indent may be in the middle of one.
    """
    if source.count(b"\r") != source.count(b"\r\n"):
        return None
    lines = b"\n" + source
    parts: list[bytes] = []
    digests: dict[str, bytes] = {}
    end = 0
    while definition := _TOP_DEFINITION.search(lines, end):
        keyword, name = definition.groups()
        if name == b"__getattr__":
            return None
        following = _TOP_STATEMENT.search(lines, definition.end())
        next_start = following.start() if following else len(lines)
        dropped = lines[definition.end() : next_start]
        is_continued = dropped.rstrip(b"\r\n").endswith(b"\\")
        if is_continued or any(dropped.count(quotes) % 2 for quotes in _TRIPLE_QUOTES):
            return None
        text = lines[definition.start() : next_start]
        decoded = name.decode("utf-8", "replace")
        digests[decoded] = sha256(digests.get(decoded, b"") + text).digest()
        parts.append(lines[end : definition.start()])
        if decoded in whole:
            parts.append(text)
        else:
            head = b"class %s" if keyword == b"class" else b"def %s()"
            parts.append(b"\n%s: pass" % (head % name))
            parts.append(b"\n" * dropped.count(b"\n"))
        end = next_start
    if not digests:
        return None
    outline = b"".join([*parts, lines[end:]]).removeprefix(b"\n")
    shortened = {name: digest for name, digest in digests.items() if name not in whole}
    return _Outline(outline, shortened)


def read_module(name: str, source: bytes, *, is_package: bool) -> Module | None:
    """Read the names of a module; None where its source cannot be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    reader = _Reader(name, is_package=is_package)
    reader.read(tree.body)
    reader.read_warnings(tree.body)
    return reader.module(made_up_names(tree.body))


def made_up_names(body: Sequence[ast.stmt]) -> frozenset[str] | None:
    """Return the names that a module's `__getattr__` may give; None where nobody can say.

    It can be said if it looks the name up in a written-out collection, and raises AttributeError
    for any other.
    """
    function: ast.FunctionDef | None = None
    collections: dict[str, ast.expr] = {}
    for statement in _flattened(body):
        if isinstance(statement, ast.FunctionDef) and statement.name == "__getattr__":
            function = statement
        for name in _assigned_names(statement):
            value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
            if isinstance(value, ast.Dict | ast.List | ast.Tuple | ast.Set):
                collections[name] = value
    if function is None:
        return frozenset()
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    looked_up = [collection for name, collection in collections.items() if name in names]
    raised = chain.from_iterable(_raised_names(node) for node in ast.walk(function))
    if "AttributeError" not in raised or not looked_up or {"getattr", "eval", "exec"} & names:
        return None
    return frozenset(_texts_in(function, *looked_up))


def _raised_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        yield dotted_name(node.exc.func)


def _texts_in(*nodes: ast.AST) -> Iterator[str]:
    for node in chain.from_iterable(ast.walk(node) for node in nodes):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


class _Reader:
    """Collects names from the statements of a module, those of all branches together."""

    def __init__(self, name: str, *, is_package: bool) -> None:
        self._name = name
        self._is_package = is_package
        self._package = name if is_package else name.rpartition(".")[0]
        self._definitions: dict[str, PythonDefinition] = {}
        self._imports: dict[str, ImportTarget] = {}
        self._stars: list[str] = []
        self._exports: list[str] | None = None
        self._warns: list[str] = []
        self._is_open = False
        self._has_all_exports = True
        self._listed_modules: list[str] = []
        self._lists: dict[str, ast.expr] = {}  # Written-out lists, which `__all__` may add
        self._absent: set[str] = set()  # Names that are None so far

    def module(self, made_up: frozenset[str] | None) -> Module:
        """Return what was collected; `made_up` is None where `__getattr__` may give any name."""
        exports = None if self._exports is None else tuple(dict.fromkeys(self._exports))
        return Module(
            name=self._name,
            is_package=self._is_package,
            definitions=self._definitions,
            imports=self._imports,
            stars=tuple(self._stars),
            exports=exports,
            has_all_exports=self._has_all_exports,
            listed_modules=tuple(self._listed_modules),
            made_up=made_up or frozenset(),
            is_open=self._is_open or made_up is None or self._has_foreign_getattr(),
            warns=tuple(self._warns),
        )

    def _has_foreign_getattr(self) -> bool:
        """Return True if `__getattr__` is made or imported, as lazy loaders have it."""
        definition = self._definitions.get("__getattr__")
        is_made = definition is not None and definition.kind != "function"
        return is_made or "__getattr__" in self._imports

    def read(self, statements: Iterable[ast.stmt]) -> None:
        """Collect the names that some statements bind."""
        for statement in statements:
            self._read_statement(statement)

    def read_warnings(self, statements: Sequence[ast.stmt]) -> None:
        """Collect what the module warns of whenever it is imported."""
        self._warns += _warnings(statements)

    def _read_statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._define(definition_of(self._name, "", statement))
        elif isinstance(statement, ast.Import):
            self._read_import(statement)
        elif isinstance(statement, ast.ImportFrom):
            self._read_import_from(statement)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self._read_assignment(statement)
        elif isinstance(statement, ast.Expr):
            self._read_expression(statement.value)
        else:
            for block in _blocks(statement):
                self.read(block)
            for bound in _bound_names(statement):
                self._define_value(bound, statement.lineno)

    def _define(self, definition: PythonDefinition) -> None:
        earlier = self._definitions.get(definition.name)
        self._imports.pop(definition.name, None)
        self._absent.discard(definition.name)
        self._definitions[definition.name] = joined(earlier, definition)

    def _define_value(self, name: str, line: int, annotation: ast.expr | None = None) -> None:
        self._define(PythonDefinition(self._name, name, "value", line, type=annotation))

    def _read_import(self, statement: ast.Import) -> None:
        for alias in statement.names:
            if alias.asname:
                self._bind(alias.asname, ImportTarget(alias.name))
            else:
                top = alias.name.partition(".")[0]
                self._bind(top, ImportTarget(top))

    def _read_import_from(self, statement: ast.ImportFrom) -> None:
        module = self._absolute(statement.module or "", statement.level)
        for alias in statement.names:
            if alias.name == "*":
                self._stars.append(module)
            else:
                self._bind(alias.asname or alias.name, ImportTarget(module, alias.name))

    def _define_none(self, name: str, line: int, annotation: ast.expr | None) -> None:
        """Bind a name to None, unless it stands for something: then None says that it is missing."""
        if name not in self._definitions and name not in self._imports:
            self._define_value(name, line, annotation)
            self._absent.add(name)

    def _bind(self, name: str, target: ImportTarget) -> None:
        if name in self._absent:
            self._absent.remove(name)
            del self._definitions[name]
        # Where branches differ, what the module itself defines is what its callers must fit.
        if name not in self._definitions:
            self._imports.setdefault(name, target)

    def _absolute(self, module: str, level: int) -> str:
        if not level:
            return module
        parts = self._package.split(".")
        base = parts[: len(parts) - level + 1]
        return ".".join([*base, module] if module else base)

    def _read_assignment(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            for name in _names_in(target):
                if name == "__all__":
                    self._add_exports(statement.value)
                elif isinstance(statement, ast.AugAssign):
                    self._lists.pop(name, None)
                else:
                    self._assign(name, statement, is_alone=len(targets) == 1)

    def _assign(self, name: str, statement: ast.Assign | ast.AnnAssign, *, is_alone: bool) -> None:
        value = statement.value
        if value is not None and _is_written_out(value):
            self._lists[name] = value
        if isinstance(value, ast.Constant) and value.value is None:
            self._define_none(name, statement.lineno, _type_shown(statement))
        elif isinstance(value, ast.Name) and is_alone:
            self._alias(name, value.id, statement.lineno)
        else:
            self._define_value(name, statement.lineno, _type_shown(statement))

    def _alias(self, name: str, original: str, line: int) -> None:
        """Bind a second name to what a name of this module stands for."""
        if original in self._definitions or original in self._imports:
            self._bind(name, ImportTarget(self._name, original))
        else:
            self._define_value(name, line)

    def _add_exports(self, value: ast.expr | None) -> None:
        if self._exports is None:
            self._exports = []
        exports = self._exports
        for part in _operands(value):
            if not isinstance(part, ast.List | ast.Tuple | ast.Set):
                self._add_list(part)
                continue
            for element in part.elts:
                if isinstance(element, ast.Starred):
                    self._add_list(element.value)
                elif isinstance(element, ast.Constant) and isinstance(element.value, str):
                    exports.append(element.value)
                else:
                    self._has_all_exports = False
                    self._is_open = True

    def _add_list(self, part: ast.expr) -> None:
        """Add a list by its name: one that is written out here, or the `__all__` of a module."""
        written = self._lists.get(dotted_name(part))
        if written is not None:
            self._add_exports(written)
            return
        self._has_all_exports = False
        # A list by its name has names that other statements bind.
        self._is_open = self._is_open or not isinstance(part, ast.Name | ast.Attribute)
        if isinstance(part, ast.Attribute) and part.attr == "__all__":
            self._listed_modules.append(dotted_name(part.value))

    def _read_expression(self, value: ast.expr) -> None:
        if not isinstance(value, ast.Call):
            return
        function = dotted_name(value.func)
        if function in ("__all__.extend", "__all__.append"):
            self._exports = self._exports or []
            for argument in value.args:
                if function == "__all__.append":
                    argument = ast.List(elts=[argument], ctx=ast.Load())
                self._add_exports(argument)
        elif function.startswith("__all__."):
            self._has_all_exports = False
            self._is_open = True
        elif function.partition(".")[0] in _RUNS_CODE:
            self._is_open = True


def definition_of(
    module: str, owner: str, statement: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
) -> PythonDefinition:
    """Return what a statement defines, with the members of a class."""
    name = f"{owner}.{statement.name}" if owner else statement.name
    decorators = tuple(_decorator(node) for node in statement.decorator_list)
    if isinstance(statement, ast.ClassDef):
        return _class_definition(module, name, statement, decorators)
    warns = tuple(_warnings(statement.body))
    is_deprecated = _is_decorated_as_deprecated(statement) or _is_deprecation(warns)
    is_value = any(decorator.rpartition(".")[2] in _PROPERTIES for decorator in decorators)
    if is_value:
        return PythonDefinition(
            module,
            name,
            "value",
            statement.lineno,
            decorators=decorators,
            is_deprecated=is_deprecated,
            warns=warns,
            type=statement.returns,
        )
    is_bound = bool(owner) and "staticmethod" not in decorators
    signature = Signature.of(statement.args, is_bound=is_bound)
    return PythonDefinition(
        module,
        name,
        "function",
        statement.lineno,
        (signature,),
        decorators=decorators,
        is_deprecated=is_deprecated,
        warns=warns,
        is_async=isinstance(statement, ast.AsyncFunctionDef),
        type=statement.returns,
    )


def _is_decorated_as_deprecated(
    statement: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
) -> bool:
    for decorator in statement.decorator_list:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        if dotted_name(function).rpartition(".")[2] == "deprecated":
            return True
    return False


def _warnings(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield what may be the category of a warning that a function or a module always gives.

    A warning under a condition is about an argument or a platform.
    """
    for inner in body:
        call = inner.value if isinstance(inner, ast.Expr) else None
        if not isinstance(call, ast.Call) or dotted_name(call.func) not in _WARNS:
            continue
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            category = argument.func if isinstance(argument, ast.Call) else argument
            if dotted_name(category):
                yield dotted_name(category)


def _is_deprecation(categories: Iterable[str]) -> bool:
    return any(category in DEPRECATIONS for category in categories)


_WARNS = ("warnings.warn", "warn")
DEPRECATIONS = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
_PROPERTIES = ("property", "cached_property", "setter", "getter", "deleter")


def _class_definition(
    module: str, name: str, statement: ast.ClassDef, decorators: tuple[str, ...]
) -> PythonDefinition:
    members: dict[str, PythonDefinition] = {}
    fields: list[Parameter] = []
    for inner in _flattened(statement.body):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            member = definition_of(module, name, inner)
            members[inner.name] = joined(members.get(inner.name), member)
        for bound in _assigned_names(inner):
            member_name = f"{name}.{bound}"
            members[bound] = PythonDefinition(
                module, member_name, "value", inner.lineno, type=_type_shown(inner)
            )
        if isinstance(inner, ast.AnnAssign) and not _is_class_variable(inner):
            fields += _field_parameter(inner)
    bases = tuple(dotted_name(base) or "?" for base in statement.bases)
    signatures: tuple[Signature, ...] = ()
    if "__init__" in members:
        signatures = members["__init__"].signatures
    elif _has_fields(bases, decorators):
        is_partial = _inherits_fields(bases)
        signatures = (Signature(tuple(fields), is_partial=is_partial, is_of_fields=True),)
    constructors = [members[name] for name in _CONSTRUCTORS if name in members]
    is_deprecated = _is_decorated_as_deprecated(statement)
    return PythonDefinition(
        module,
        name,
        "class",
        statement.lineno,
        signatures,
        members,
        bases,
        decorators,
        frozenset(_assigned_attributes(statement)),
        is_deprecated or any(constructor.is_deprecated for constructor in constructors),
        tuple(chain.from_iterable(constructor.warns for constructor in constructors)),
        attribute_types=dict(_attribute_types(statement)),
    )


def _type_shown(statement: ast.stmt) -> ast.expr | None:
    """Return what shows the class of an assigned value: an annotation, or the call that makes it."""
    if isinstance(statement, ast.AnnAssign):
        return statement.annotation
    value = statement.value if isinstance(statement, ast.Assign) else None
    return value if isinstance(value, ast.Call) and dotted_name(value.func) else None


def _attribute_types(statement: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield what shows the classes of the attributes that methods assign once."""
    types_by_attribute: dict[str, list[ast.expr | None]] = {}
    for method in _flattened(statement.body):
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        annotations = {argument.arg: argument.annotation for argument in _parameters(method.args)}
        for inner in _statements_of(method):
            value = inner.value if isinstance(inner, ast.Assign) else None
            if isinstance(value, ast.Constant) and value.value is None:
                continue
            for target in _targets(inner):
                if isinstance(target, ast.Attribute):
                    type_shown = _type_shown(inner)
                    if isinstance(value, ast.Name):
                        type_shown = annotations.get(value.id)
                    types_by_attribute.setdefault(target.attr, []).append(type_shown)
    for name, types in types_by_attribute.items():
        spelled = {ast.dump(shown_type) if shown_type else "" for shown_type in types}
        if len(spelled) == 1 and types[0] is not None:
            yield name, types[0]


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def _assigned_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names to which a statement assigns values."""
    for target in _targets(statement):
        yield from _names_in(target)


def _assigned_attributes(statement: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes that methods assign; `__dict__` where a new object gets any others."""
    for method in _flattened(statement.body):
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for inner in _statements_of(method):
            for node in chain.from_iterable(ast.walk(target) for target in _places_of(inner)):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    yield node.attr
        if method.name in _CONSTRUCTORS and any(map(_makes_attributes_up, ast.walk(method))):
            yield "__dict__"


def _statements_of(method: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement and all that are inside it, without looking into expressions."""
    waiting = [method]
    while waiting:
        statement = waiting.pop()
        yield statement
        for block in ("body", "orelse", "finalbody"):
            waiting += getattr(statement, block, ())
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            waiting += part.body


def _places_of(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield where a statement puts values."""
    if isinstance(statement, ast.Assign):
        yield from statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor):
        yield statement.target
    elif isinstance(statement, ast.With | ast.AsyncWith):
        for item in statement.items:
            if item.optional_vars is not None:
                yield item.optional_vars


_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")


def _makes_attributes_up(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return dotted_name(node.func) == "setattr"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def _has_fields(bases: Sequence[str], decorators: Sequence[str]) -> bool:
    if any(decorator in _FIELD_DECORATORS for decorator in decorators):
        return True
    return any(base.rpartition(".")[2] in _FIELD_BASES for base in bases)


def _inherits_fields(bases: Sequence[str]) -> bool:
    """Return True where a base that is written elsewhere may bring further fields."""
    return any(base.rpartition(".")[2] not in (*_FIELD_BASES, "object", "ABC") for base in bases)


def _field_parameter(statement: ast.AnnAssign) -> list[Parameter]:
    if not isinstance(statement.target, ast.Name):
        return []
    name = statement.target.id
    value = statement.value
    if isinstance(value, ast.Call) and _is_field(value):
        keywords = {keyword.arg: keyword.value for keyword in value.keywords}
        init = keywords.get("init")
        if isinstance(init, ast.Constant) and init.value is False:
            return []
        has_default = bool({"default", "default_factory"} & set(keywords)) or bool(value.args)
        return [Parameter(name, "either", has_default=has_default)]
    return [Parameter(name, "either", has_default=value is not None)]


def _is_field(call: ast.Call) -> bool:
    """Return True for `dataclasses.field()` and pydantic's `Field()`."""
    return dotted_name(call.func).rpartition(".")[2] in ("field", "Field")


def _is_class_variable(statement: ast.AnnAssign) -> bool:
    return any("ClassVar" in _text_of(node) for node in ast.walk(statement.annotation))


def _text_of(node: ast.AST) -> str:
    """Return the name or the text that a node holds itself."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def joined(earlier: PythonDefinition | None, later: PythonDefinition) -> PythonDefinition:
    """Join two definitions of a name: overloads, branches of a condition, a property's setter."""
    if earlier is None or earlier.kind != later.kind:
        return later
    signatures = tuple(dict.fromkeys((*earlier.signatures, *later.signatures)))
    if _implements(later, earlier):
        signatures = later.signatures  # Overloads are never called
    return PythonDefinition(
        module=later.module,
        name=later.name,
        kind=later.kind,
        line=later.line,
        signatures=signatures,
        members={**earlier.members, **later.members},
        bases=tuple(dict.fromkeys((*earlier.bases, *later.bases))),
        decorators=tuple(dict.fromkeys((*earlier.decorators, *later.decorators))),
        attributes=earlier.attributes | later.attributes,
        is_deprecated=earlier.is_deprecated and later.is_deprecated,
        warns=tuple(name for name in earlier.warns if name in later.warns),
        is_async=earlier.is_async and later.is_async,
        type=_common_type(earlier.type, later.type),
        attribute_types={**earlier.attribute_types, **later.attribute_types},
    )


def _implements(later: PythonDefinition, earlier: PythonDefinition) -> bool:
    """Return True for the function behind overloads, unless it takes whatever these name."""
    has_overloads = any(_is_overload(decorator) for decorator in earlier.decorators)
    if not has_overloads or any(_is_overload(decorator) for decorator in later.decorators):
        return False
    return not any(
        signature.takes_positions and signature.takes_names for signature in later.signatures
    )


def _is_overload(decorator: str) -> bool:
    return decorator.rpartition(".")[2] == "overload"


def _common_type(earlier: ast.expr | None, later: ast.expr | None) -> ast.expr | None:
    """Return the type of overloads or branches that agree; a property's setter has none."""
    if earlier is None or later is None:
        return earlier or later
    return later if ast.dump(earlier) == ast.dump(later) else None


def _flattened(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, and those of the branches of conditions instead of the conditions."""
    for statement in statements:
        blocks = list(_blocks(statement))
        if not blocks:
            yield statement
        for block in blocks:
            yield from _flattened(block)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a condition, an attempt, a loop or a `with`; nothing of a definition."""
    if isinstance(statement, ast.If | ast.For | ast.While):
        yield statement.body
        yield statement.orelse
    elif isinstance(statement, ast.Try):
        yield statement.body
        for handler in statement.handlers:
            yield handler.body
        yield statement.orelse
        yield statement.finalbody
    elif isinstance(statement, ast.With):
        yield statement.body


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a loop or a `with` binds."""
    if isinstance(statement, ast.For):
        yield from _names_in(statement.target)
    elif isinstance(statement, ast.With):
        for item in statement.items:
            if item.optional_vars is not None:
                yield from _names_in(item.optional_vars)


def _names_in(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _operands(value: ast.expr | None) -> list[ast.expr]:
    """Return the lists of a sum of lists, those of both branches of a condition."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return [*_operands(value.left), *_operands(value.right)]
    if isinstance(value, ast.IfExp):
        return [*_operands(value.body), *_operands(value.orelse)]
    return [] if value is None else [value]


def _is_written_out(value: ast.expr) -> bool:
    """Return True for a list of strings, also if a condition decides which one."""
    for part in _operands(value):
        if not isinstance(part, ast.List | ast.Tuple):
            return False
        if not all(isinstance(element, ast.Constant) for element in part.elts):
            return False
    return True


def _decorator(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return dotted_name(node) or "?"


def dotted_name(node: ast.expr) -> str:
    """Return a name with its attributes, `a.b.c`; empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted_name(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    if isinstance(node, ast.Subscript):
        return dotted_name(node.value)
    return ""
