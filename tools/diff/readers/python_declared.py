"""What is noted of a declaration in Python: where it stands, what it is, which kind of thing that makes it."""

import re
from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from tools.diff.reading import Param, Symbol, SymbolKind

UNKNOWN: Final = "_"
"""The name of what nobody can refer to, and of what a fragment does not name."""
RECORD_BASES: Final = re.compile(r"(^|\.)(\w*BaseModel|NamedTuple|TypedDict|Struct|BaseSettings)$")
RECORD_DECORATORS: Final = re.compile(r"^(\w+\.)*(dataclass|dataclasses|define|frozen|mutable|attrs|s)\b")
ALIASES: Final = re.compile(
    r"^(typing\.|t\.)?(Union|Optional|Literal|Callable|Annotated|[Tt]ype|[Tt]uple|[Ll]ist|[Dd]ict|set|frozenset)\["
)
DEVICE: Final = re.compile(
    r"^(?:cute\.(?:jit|kernel)|(?:triton|gluon|cuda)\.(?:jit|heuristics|autotune|constexpr_function)|tilelang\.jit)\b"
)
DEVICE_TYPE: Final = re.compile(r"^(?:Optional\[)?cute\.")
SURFACE: Final = frozenset({"__init__", "__call__", "can_implement", "forward", "run", "plan"})
"""What a host calls of a class that is a kernel; all else runs on the device or serves what does."""
TYPE_MAKERS: Final = re.compile(r"^(\w+\.)?(TypeVar|NewType|ParamSpec|TypeVarTuple)\(")


@dataclass(frozen=True, slots=True)
class Owner:
    """The class in which declarations stand; a nameless one is known only to be a class."""

    name: str = ""
    kind: SymbolKind = "class"

    def qualify(self, name: str) -> str:
        """Put the owner's name before a member's."""
        return f"{self.name}.{name}" if self.name else name


@dataclass(frozen=True, slots=True)
class Assigned:
    """A name given a value at module or class level, kept for those who look for flags, variables and registries."""

    name: str
    owner: Owner | None
    node: Node
    value: Node | None
    annotation: Node | None


@dataclass(slots=True)
class Found:
    """What the walk over a file's declarations gathered."""

    symbols: dict[str, Symbol] = field(default_factory=dict)
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    """Bytes and name of each function, method and class, outer ones first."""
    assigned: list[Assigned] = field(default_factory=list)
    kernels: set[str] = field(default_factory=set)
    """Classes with methods that run on a device."""
    spares: list[tuple[int, int]] = field(default_factory=list)
    """Bytes of each function that is only there for when one of its name cannot be imported."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node to be looked at, the class it stands in and whether a condition stands around it."""

    node: Node
    owner: Owner | None
    conditional: bool = False
    instead: bool = False
    """Whether it is there for when something failed: `except ImportError:`."""


def class_kind(bases: tuple[str, ...], decorators: tuple[str, ...]) -> SymbolKind:
    """Tell enumerations and records from other classes."""
    if any(base.split("[")[0].endswith(("Enum", "Flag")) for base in bases):
        return "enum"
    if any(RECORD_BASES.search(base.split("[")[0]) for base in bases):
        return "struct"
    return "struct" if any(RECORD_DECORATORS.match(text) for text in decorators) else "class"


def on_device(name: str, decorators: tuple[str, ...], params: tuple[Param, ...] | None) -> bool:
    """Tell what only other code of a kernel calls: marked for the compiler of a device, or handed its tensors."""
    if name in SURFACE:
        return False
    if any(DEVICE.match(text) for text in decorators):
        return True
    handed = sum(DEVICE_TYPE.match(param.annotation or "") is not None for param in params or ())
    return handed > 1 and not decorators


def value_kind(assigned: Assigned, owner: Owner | None, value: str | None, annotation: str | None) -> SymbolKind:
    """Tell members, fields, types, constants and variables apart."""
    name = assigned.name
    if owner is not None:
        if owner.kind == "enum" and assigned.value is not None and not name.startswith("_"):
            return "member"
        if annotation is not None:
            return "field"
    elif (annotation or "").endswith("TypeAlias") or _names_type(name, value or ""):
        return "type"
    return "constant" if name.isupper() or name == "__version__" else "variable"


def _names_type(name: str, value: str) -> bool:
    return bool(TYPE_MAKERS.match(value) or (name[:1].isupper() and not name.isupper() and ALIASES.match(value)))
