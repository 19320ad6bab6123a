"""Table of facts by the kind of a declaration: what it means when one comes, goes or changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.domain.facts import FactKind
from tools.diff.located_differences import FoundDeclaration, written


@dataclass(frozen=True)
class DeclarationRow:
    """One kind of declaration, as the queries capture it."""

    added: FactKind | None = None
    removed: FactKind | None = None
    renamed: FactKind | None = None
    parts: Mapping[str, FactKind] = field(default_factory=dict)
    """The captured parts that are compared, and the fact that another one makes."""
    symbol: bool = False
    """Whether users reach it by importing or including it; everything else they meet by running the project."""
    spread: bool = False
    """Whether its name means the same in every file: a flag that moves to another file stays the same flag."""


_SYMBOL = DeclarationRow("symbol-added", "symbol-removed", "symbol-renamed", symbol=True)
_CONSTANT = DeclarationRow(
    "symbol-added", "symbol-removed", "symbol-renamed", {"value": "constant-changed"}, symbol=True
)
_PARAMETER = DeclarationRow(
    "parameter-added",
    "parameter-removed",
    "parameter-renamed",
    {"default": "parameter-default-changed", "type": "choices-changed"},
    symbol=True,
)
_FIELD = DeclarationRow(
    "field-added",
    "field-removed",
    "field-renamed",
    {"value": "field-default-changed", "type": "choices-changed"},
    symbol=True,
)
_MEMBER = DeclarationRow(
    "enum-member-added",
    "enum-member-removed",
    "enum-member-renamed",
    {"value": "enum-member-changed"},
    symbol=True,
)
_FLAG = DeclarationRow(
    "flag-added",
    "flag-removed",
    "flag-renamed",
    {"default": "flag-default-changed", "choices": "flag-choices-changed"},
    spread=True,
)
_ENV = DeclarationRow(
    "env-added", "env-removed", "env-renamed", {"default": "env-default-changed"}, spread=True
)
_REGISTRATION = DeclarationRow(
    "registered", "unregistered", None, {"value": "registration-changed"}, spread=True
)
ROWS: Mapping[str, DeclarationRow] = {
    "function": _SYMBOL,
    "class": _SYMBOL,
    "enum": _SYMBOL,
    "parameter": _PARAMETER,
    "field": _FIELD,
    "member": _MEMBER,
    "constant": _CONSTANT,
    "export": DeclarationRow("symbol-added", "symbol-removed", symbol=True),
    "hook": DeclarationRow("hook-added", symbol=True),
    "flag": _FLAG,
    "env": _ENV,
    "config": DeclarationRow(
        "config-key-added", "config-key-removed", None, {"value": "config-key-changed"}
    ),
    "build": DeclarationRow(None, None, None, {"value": "config-key-changed"}),
    "route": DeclarationRow("route-added", "route-removed", spread=True),
    "query": DeclarationRow("field-added", "field-removed", "field-renamed"),
    "metric": DeclarationRow("metric-added", "metric-removed", "metric-renamed", spread=True),
    "error": DeclarationRow("error-added", "error-removed", None, {"condition": "limit-changed"}),
    "registration": _REGISTRATION,
    "deprecation": DeclarationRow("deprecated", None, None, {"message": "deprecated"}),
    "dependency": DeclarationRow(
        "dependency-added", "dependency-removed", None, {"version": "dependency-changed"}
    ),
    "version": DeclarationRow(None, None, None, {"value": "version-changed"}),
    "image": DeclarationRow(None, None, None, {"value": "image-changed"}),
    "package": DeclarationRow(None, None, None, {"value": "package-renamed"}),
    "contents": DeclarationRow("contents-added", "contents-removed"),
}


_CMAKE = ("CMakeLists.txt", ".cmake")


def is_cmake(path: str) -> bool:
    """Return True for a file of CMake, whose cached variables all files of a project share."""
    return path.endswith(_CMAKE)


def is_spread(declared: FoundDeclaration) -> bool:
    """Return True for a name that means the same in every file."""
    if declared.kind == "config" and is_cmake(declared.file):
        return True
    return ROWS[declared.kind].spread


def name_of(declared: FoundDeclaration) -> str:
    """Return the name a reader looks for: a parameter by its function, everything else by itself."""
    if declared.kind == "parameter":
        return declared.owner.removesuffix(".__init__")
    return declared.path if ROWS[declared.kind].symbol else declared.name


_DETAIL_PARTS = {"registration": "table", "flag": "help"}


def detail_of(declared: FoundDeclaration) -> str | None:
    """Return what the kind of a fact does not say: the parameter, the sort of symbol, the owner."""
    if declared.kind == "parameter":
        return declared.name
    if declared.kind in ("function", "class", "enum", "constant", "export"):
        is_method = declared.is_python and declared.kind == "function" and declared.owner
        return "method" if is_method else declared.kind
    part = _DETAIL_PARTS.get(declared.kind, "")
    return declared.parts.get(part) or declared.owner or None


def members_of(declared: FoundDeclaration) -> str | None:
    """Return the members of an enumeration with their values: code may have stored them."""
    members: list[str] = []
    for declaration in declared.siblings:
        if declaration.kind == "member" and declaration.owner == declared.path:
            member = FoundDeclaration(declaration, declared.versions, declared.side)
            members.append(written(member) or declaration.name)
    return ", ".join(members) or None
