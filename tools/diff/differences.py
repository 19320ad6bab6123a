"""What differs between two versions: the table of kinds, and how a difference is named and written for a reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.facts import FactKind as K
from agent.domain.facts import Place, Severity
from agent.domain.patch import Side

if TYPE_CHECKING:
    from tools.diff.declarations import Declaration
    from tools.diff.versions import Versions


@dataclass(frozen=True)
class Row:
    """One kind of declaration, as the queries capture it."""

    added: K | None = None
    removed: K | None = None
    renamed: K | None = None
    parts: Mapping[str, K] = field(default_factory=dict)
    """The captured parts that are compared, and the fact that another one makes."""
    symbol: bool = False
    """Whether users reach it by importing or including it; everything else they meet by running the project."""
    spread: bool = False
    """Whether its name means the same in every file: a flag that moves to another file stays the same flag."""


_OF_PARAMETER = {"default": K.PARAMETER_DEFAULT, "type": K.SIGNATURE_CHANGED}
_OF_FLAG = {"default": K.FLAG_DEFAULT, "choices": K.FLAG_CHOICES}
ROWS: Mapping[str, Row] = {
    "function": Row(K.SYMBOL_ADDED, K.SYMBOL_REMOVED, K.SYMBOL_RENAMED, {"returns": K.SIGNATURE_CHANGED}, symbol=True),
    "class": Row(K.SYMBOL_ADDED, K.SYMBOL_REMOVED, K.SYMBOL_RENAMED, {"base": K.BASE_CHANGED}, symbol=True),
    "enum": Row(K.SYMBOL_ADDED, K.SYMBOL_REMOVED, K.SYMBOL_RENAMED, symbol=True),
    "parameter": Row(K.PARAMETER_ADDED, K.PARAMETER_REMOVED, K.PARAMETER_RENAMED, _OF_PARAMETER, symbol=True),
    "field": Row(K.FIELD_ADDED, K.FIELD_REMOVED, K.FIELD_RENAMED, {"value": K.FIELD_CHANGED}, symbol=True),
    "member": Row(K.MEMBER_ADDED, K.MEMBER_REMOVED, K.MEMBER_RENAMED, {"value": K.MEMBER_CHANGED}, symbol=True),
    "constant": Row(K.SYMBOL_ADDED, K.SYMBOL_REMOVED, K.SYMBOL_RENAMED, {"value": K.CONSTANT_CHANGED}, symbol=True),
    "export": Row(K.SYMBOL_ADDED, K.SYMBOL_REMOVED, symbol=True),
    "flag": Row(K.FLAG_ADDED, K.FLAG_REMOVED, K.FLAG_RENAMED, _OF_FLAG, spread=True),
    "env": Row(K.ENV_ADDED, K.ENV_REMOVED, K.ENV_RENAMED, {"default": K.ENV_DEFAULT}, spread=True),
    "config": Row(K.CONFIG_ADDED, K.CONFIG_REMOVED, None, {"value": K.CONFIG_CHANGED}),
    "route": Row(K.ROUTE_ADDED, K.ROUTE_REMOVED, spread=True),
    "error": Row(K.ERROR_ADDED, K.ERROR_REMOVED, None, {"condition": K.LIMIT_CHANGED, "message": K.ERROR_CHANGED}),
    "registration": Row(K.REGISTERED, K.UNREGISTERED, None, {"value": K.REGISTRATION_CHANGED}, spread=True),
    "deprecation": Row(K.DEPRECATED, None, None, {"message": K.DEPRECATED}),
    "dependency": Row(K.DEPENDENCY_ADDED, K.DEPENDENCY_REMOVED, None, {"version": K.DEPENDENCY_CHANGED}),
    "version": Row(None, None, None, {"value": K.VERSION_CHANGED}),
    "image": Row(None, None, None, {"value": K.IMAGE_CHANGED}),
}

BREAKING = frozenset({
    K.SYMBOL_REMOVED, K.SYMBOL_RENAMED, K.SYMBOL_MOVED, K.PARAMETER_REMOVED, K.PARAMETER_RENAMED,
    K.PARAMETER_REORDERED, K.PARAMETER_REQUIRED, K.MEMBER_REMOVED, K.MEMBER_RENAMED, K.MEMBER_CHANGED,
    K.FIELD_REMOVED, K.FIELD_RENAMED, K.FLAG_REMOVED, K.FLAG_RENAMED, K.ENV_REMOVED, K.ENV_RENAMED,
    K.CONFIG_REMOVED, K.ROUTE_REMOVED, K.UNREGISTERED,
})  # fmt: skip
"""What stops working for whoever reaches it; of everything else users see the behaviour change."""
ADDITIVE = frozenset({
    K.SYMBOL_ADDED, K.PARAMETER_ADDED, K.MEMBER_ADDED, K.FIELD_ADDED, K.FLAG_ADDED, K.ENV_ADDED, K.CONFIG_ADDED,
    K.ROUTE_ADDED, K.REGISTERED, K.FILE_ADDED,
})  # fmt: skip
NEVER_TOLD = frozenset({
    K.FILE_REMOVED, K.FILE_RENAMED, K.ONLY_TESTS, K.ONLY_DOCS, K.ONLY_CI, K.ONLY_UPKEEP, K.ONLY_FORMATTING,
    K.ONLY_COMMENTS, K.GENERATED, K.VENDORED,
})  # fmt: skip
"""What users do not see."""


def severity_of(kind: K) -> Severity:
    """Say what a fact means for whoever reaches what it is about."""
    if kind in BREAKING:
        return Severity.BREAKING
    if kind in ADDITIVE:
        return Severity.ADDITIVE
    return Severity.INTERNAL if kind in NEVER_TOLD else Severity.BEHAVIOUR


@dataclass(frozen=True, slots=True)
class Found:
    """A declaration with the file and the side that have it."""

    one: "Declaration"
    versions: "Versions"
    side: Side

    @property
    def module(self) -> str:
        """The module of the file."""
        return self.versions.module

    @property
    def declared(self) -> Sequence["Declaration"]:
        """Everything that the same version of the file declares."""
        return self.versions.old if self.side == "old" else self.versions.new

    @property
    def changed(self) -> bool:
        """Whether the line with the name came or went."""
        return (self.one.line or self.one.first) in self.versions.patch.lines(self.side)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs, not yet judged by whom it concerns."""

    kind: K
    name: str
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    before: Found | None = None
    after: Found | None = None

    @property
    def found(self) -> Found:
        """The newer of both declarations."""
        found = self.after or self.before
        assert found is not None
        return found


def name_of(found: Found) -> str:
    """Name what a reader looks for: a parameter by its function, everything else by itself."""
    one = found.one
    if one.kind == "parameter":
        return one.owner
    return one.path if ROWS[one.kind].symbol else one.name


def detail_of(found: Found) -> str | None:
    """Say what the kind of a fact does not: the parameter, the sort of symbol, the table, the help, or the owner."""
    one = found.one
    if one.kind == "parameter":
        return one.name
    if one.kind in ("function", "class", "enum", "constant", "export"):
        return "method" if is_python(found) and one.kind == "function" and one.owner else one.kind
    own = {"registration": "table", "flag": "help"}.get(one.kind, "")
    return one.parts.get(own) or one.owner or None


def members_of(found: Found) -> str | None:
    """List the members of an enumeration that came or went, with their values: code may have stored them."""
    members = [one for one in found.declared if one.kind == "member" and one.owner == found.one.path]
    return ", ".join(written(Found(one, found.versions, found.side)) or one.name for one in members) or None


def written(found: Found) -> str | None:
    """Write a declaration that came or went as users would: a parameter with its default, an error by its words."""
    one = found.one
    if one.kind in ("parameter", "field", "member"):
        value = one.parts.get("default") or one.parts.get("value")
        typed = f": {one.parts['type']}" if one.kind != "member" and "type" in one.parts else ""
        return f"{one.name}{typed}" + (f" = {value}" if value else "")
    for part in ("default", "value", "version", "message", "condition"):
        if part in one.parts and one.kind not in ("function", "class", "enum"):
            return one.parts[part]
    return None


def is_python(found: Found) -> bool:
    """Tell a declaration of Python, where callers write the names of parameters and types are only remarks."""
    return found.versions.file.path.endswith((".py", ".pyi"))


_MOST = 4  # Lines shown of each side; the rest is in the commit


def place_of(difference: Difference) -> Place | None:
    """Find the lines that show a difference; None where no changed line does, and then it is not a fact."""
    went = _telling(difference.before, difference.old)
    came = _telling(difference.after, difference.new)
    if not went and not came:
        return None
    file = difference.found.versions.file.path
    own = came if difference.after else went
    shown = (*went, *came) if _in_one_file(difference) else own
    if not shown:
        return None
    return Place(file=file, line=(own or shown)[0][0], lines=tuple(line for _, line in shown))


def _in_one_file(difference: Difference) -> bool:
    before, after = difference.before, difference.after
    return before is None or after is None or before.versions.file.path == after.versions.file.path


def _telling(found: Found | None, value: str | None) -> list[tuple[int, str]]:
    """Take the changed lines of a declaration: the one with its name, and those with its value."""
    if found is None:
        return []
    one = found.one
    lines = found.versions.patch.within(found.side, one.first, one.last)
    if len(lines) <= _MOST:
        return lines
    own = [entry for entry in lines if entry[0] == one.line]
    words = [word for word in (value or "").split() if len(word) > 2][:4]
    valued = [entry for entry in lines if any(word in entry[1] for word in words)]
    return sorted({*own, *valued[: _MOST - 1]}) if own else (valued or lines)[:_MOST]
