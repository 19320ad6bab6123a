"""The types of values in a Python package, followed by annotations: returns, attributes, elements."""

import ast
from dataclasses import dataclass, replace

from agent.bumps.annotation_shapes import AnnotationShape, annotation_shape, type_arguments
from agent.bumps.name_resolution.values import AWAIT, CALL, ELEMENT, ENTER, ITEM
from tools.surface.import_path_resolution import OUTSIDE, Meaning, ModuleFound, Package
from tools.surface.python_module import DEPRECATIONS, PythonDefinition, dotted_name

_MAX_HOPS = 12  # Types that lead to one another
_ELEMENT_METHODS = ("__iter__", "__aiter__", "__getitem__")
_ENTER_METHODS = ("__enter__", "__aenter__")
_CONTEXTS = ("contextmanager", "asynccontextmanager")


@dataclass(frozen=True)
class Typed:
    """A value of which an annotation is known, and where the annotation stands."""

    shape: AnnotationShape
    module: str
    owner: PythonDefinition | None = None  # The class that `Self` means


@dataclass(frozen=True)
class Instance:
    """An object of a class."""

    definition: PythonDefinition
    arguments: tuple[ast.expr, ...] = ()  # Of a generic class
    module: str = ""  # Where these are written


@dataclass(frozen=True)
class Member:
    """A function or a value of a class, reached through one of its objects or itself."""

    definition: PythonDefinition
    owner: PythonDefinition


Place = Meaning | Typed | Instance | Member


@dataclass(frozen=True)
class PathAnswer:
    """What a path stands for, and how it was reached."""

    meaning: Meaning | None  # None where there is no such name
    name: str  # The path without operators, from the class that has the last name
    is_certain: bool = True  # False where an annotation is all there is
    owner: PythonDefinition | None = None  # The class in which the last name is looked up
    is_followed: bool = True  # To its last part; what a part before it stood for may be gone
    deprecated_module: str = ""  # The first module on the way that says so when it is imported


class TypeReader:
    """Applies the operators of paths to what they stand for in a package."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def member(self, owner: Place, name: str) -> Place | None:
        """Return what a name of a module, a class or an object stands for."""
        target = self._object(owner)
        if isinstance(target, ModuleFound):
            return self._package.resolve(target.name, name)
        definition = target.definition if isinstance(target, Instance) else target
        if not isinstance(definition, PythonDefinition) or definition.kind != "class":
            return OUTSIDE
        meaning = self._package.member(definition, name)
        if isinstance(meaning, PythonDefinition) and meaning.kind != "class":
            return Member(meaning, definition)
        return meaning

    def applied(self, value: Place, operator: str) -> Place:
        """Return what calling, awaiting, looping over or entering something gives."""
        if operator == CALL:
            return self._called(value)
        target = self._object(value)
        if operator == AWAIT:
            return self._part(target, "awaitable", 0)
        if operator == ENTER:
            return self._entered(target)
        if isinstance(target, Typed) and target.shape.kind == "mapping":
            return self._part(target, "mapping", 0 if operator == ELEMENT else 1)
        if isinstance(target, Typed):
            return self._part(target, "iterable", 0)
        assert operator in (ITEM, ELEMENT)
        return self._element(target)

    def owner(self, value: Place) -> PythonDefinition | None:
        """Return the class that a value is of, or the class itself."""
        target = self._object(value)
        if isinstance(target, Instance):
            return target.definition
        is_class = isinstance(target, PythonDefinition) and target.kind == "class"
        return target if isinstance(target, PythonDefinition) and is_class else None

    def is_deprecated(self, meaning: Meaning | None) -> bool:
        """Return True for what says that it is deprecated, also by a category of its own."""
        if not isinstance(meaning, PythonDefinition):
            return False
        if meaning.is_deprecated:
            return True
        return any(self._is_deprecation(meaning.module, name) for name in meaning.warns)

    def deprecated_module(self, module: str) -> str:
        """Return the first of a module and the packages around it that calls itself deprecated."""
        parts = module.split(".")
        for length in range(1, len(parts) + 1):
            name = ".".join(parts[:length])
            if any(self._is_deprecation(name, category) for category in self._package.warns(name)):
                return name
        return ""

    def _is_deprecation(self, module: str, category: str, hops: int = _MAX_HOPS) -> bool:
        if category in DEPRECATIONS:
            return True
        definition = self._named(module, category) if hops else None
        if not isinstance(definition, PythonDefinition) or definition.kind != "class":
            return False
        bases = definition.bases
        return any(self._is_deprecation(definition.module, base, hops - 1) for base in bases)

    def _called(self, value: Place) -> Place:
        if isinstance(value, PythonDefinition) and value.kind == "class":
            return Instance(value)
        owner: PythonDefinition | None = None
        definition: Place | None = value
        if isinstance(value, Member):
            owner = value.owner
            definition = value.definition
        elif isinstance(value, Instance):
            owner = value.definition
            definition = self._package.member(owner, "__call__")
        if not isinstance(definition, PythonDefinition) or definition.kind != "function":
            return OUTSIDE
        if definition.type is None:
            return OUTSIDE
        shape = annotation_shape(definition.type)
        names = {name.rpartition(".")[2] for name in definition.decorators}
        if names & {*_CONTEXTS}:
            return Typed(AnnotationShape("context", shape.parts[:1]), definition.module, owner)
        is_generator = shape.kind == "iterable"
        if definition.is_async and not is_generator:
            shape = AnnotationShape("awaitable", (definition.type,))
        return Typed(shape, definition.module, owner)

    def _object(self, value: Place, hops: int = _MAX_HOPS) -> Place:
        """Return the object, or else the shape, that a value is known to be."""
        if not hops:
            return OUTSIDE
        owner: PythonDefinition | None = None
        if isinstance(value, Member):
            owner = value.owner
            value = value.definition
        if isinstance(value, PythonDefinition):
            is_typed = value.kind == "value" and value.type is not None
            return self._declared(value, owner, hops) if is_typed else value
        if not isinstance(value, Typed):
            return value
        shape = value.shape
        if shape.kind == "union":
            is_single = len(shape.parts) == 1
            return (
                self._object(self._typed(shape.parts[0], value), hops - 1) if is_single else OUTSIDE
            )
        if shape.kind != "object" or not shape.parts:
            return OUTSIDE if shape.kind == "nothing" else value
        return self._instance(shape.parts[0], value, hops)

    def _declared(
        self, value: PythonDefinition, owner: PythonDefinition | None, hops: int
    ) -> Place:
        """Return what a value is by its annotation, or by the call that makes it."""
        assert value.type is not None
        if not isinstance(value.type, ast.Call):
            shape = annotation_shape(value.type)
            return self._object(Typed(shape, value.module, owner), hops - 1)
        function = self._named(value.module, dotted_name(value.type.func))
        return self._object(self._called(function), hops - 1)

    def _instance(self, annotation: ast.expr, typed: Typed, hops: int) -> Place:
        name = dotted_name(annotation)
        if name.rpartition(".")[2] == "Self":
            return Instance(typed.owner) if typed.owner is not None else OUTSIDE
        meaning = self._named(typed.module, name)
        if not isinstance(meaning, PythonDefinition):
            return OUTSIDE
        if meaning.kind == "class":
            return Instance(meaning, type_arguments(annotation), typed.module)
        return OUTSIDE

    def _named(self, module: str, name: str) -> Meaning:
        """Return what a name with its attributes stands for in a module."""
        first, *others = name.split(".")
        meaning: Place | None = self._package.resolve(module, first) if first else None
        for other in others:
            meaning = self.member(meaning, other) if meaning is not None else None
        if isinstance(meaning, Member):
            return meaning.definition
        return OUTSIDE if meaning is None or isinstance(meaning, Typed | Instance) else meaning

    def _typed(self, annotation: ast.expr, around: Typed) -> Typed:
        return replace(around, shape=annotation_shape(annotation))

    def _part(self, target: Place, kind: str, number: int) -> Place:
        if not isinstance(target, Typed) or target.shape.kind != kind:
            return OUTSIDE
        parts = target.shape.parts
        return self._typed(parts[number], target) if number < len(parts) else OUTSIDE

    def _entered(self, target: Place) -> Place:
        if not isinstance(target, Instance):
            return self._part(target, "context", 0)
        for name in _ENTER_METHODS:
            method = self._package.member(target.definition, name)
            if isinstance(method, PythonDefinition):
                result = self._called(Member(method, target.definition))
                return self._part(result, "awaitable", 0) if method.is_async else result
        return OUTSIDE

    def _element(self, target: Place) -> Place:
        """Return what looping over an object gives, by its methods or its only type argument."""
        if not isinstance(target, Instance):
            return OUTSIDE
        if len(target.arguments) == 1:
            return Typed(annotation_shape(target.arguments[0]), target.module)
        for name in _ELEMENT_METHODS:
            method = self._package.member(target.definition, name)
            if isinstance(method, PythonDefinition):
                result = self._called(Member(method, target.definition))
                is_item = name == "__getitem__"
                return result if is_item else self._part(self._object(result), "iterable", 0)
        return OUTSIDE
