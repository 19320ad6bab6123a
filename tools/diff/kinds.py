"""What differs between two versions: the table of kinds, and how a difference is named and written for a reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.facts import FactKind, FactLocation, Severity
from agent.domain.patch import Side

if TYPE_CHECKING:
    from tools.diff.declarations import Declaration
    from tools.diff.file_versions import Versions


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


_OF_PARAMETER: dict[str, FactKind] = {
    "default": "parameter-default-changed",
    "type": "signature-changed",
}
_OF_MEMBER: dict[str, FactKind] = {"value": "enum-member-changed"}
_OF_FIELD: dict[str, FactKind] = {"value": "field-changed", "type": "field-changed"}
_OF_FLAG: dict[str, FactKind] = {
    "default": "flag-default-changed",
    "choices": "flag-choices-changed",
}
ROWS: Mapping[str, DeclarationRow] = {
    "function": DeclarationRow(
        "symbol-added",
        "symbol-removed",
        "symbol-renamed",
        {"returns": "signature-changed"},
        symbol=True,
    ),
    "class": DeclarationRow(
        "symbol-added", "symbol-removed", "symbol-renamed", {"base": "base-changed"}, symbol=True
    ),
    "enum": DeclarationRow("symbol-added", "symbol-removed", "symbol-renamed", symbol=True),
    "parameter": DeclarationRow(
        "parameter-added", "parameter-removed", "parameter-renamed", _OF_PARAMETER, symbol=True
    ),
    "field": DeclarationRow(
        "field-added", "field-removed", "field-renamed", _OF_FIELD, symbol=True
    ),
    "member": DeclarationRow(
        "enum-member-added", "enum-member-removed", "enum-member-renamed", _OF_MEMBER, symbol=True
    ),
    "constant": DeclarationRow(
        "symbol-added",
        "symbol-removed",
        "symbol-renamed",
        {"value": "constant-changed"},
        symbol=True,
    ),
    "export": DeclarationRow("symbol-added", "symbol-removed", symbol=True),
    "flag": DeclarationRow("flag-added", "flag-removed", "flag-renamed", _OF_FLAG, spread=True),
    "env": DeclarationRow(
        "env-added", "env-removed", "env-renamed", {"default": "env-default-changed"}, spread=True
    ),
    "config": DeclarationRow(
        "config-key-added", "config-key-removed", None, {"value": "config-key-changed"}
    ),
    "route": DeclarationRow("route-added", "route-removed", spread=True),
    "error": DeclarationRow(
        "error-added",
        "error-removed",
        None,
        {"condition": "limit-changed", "message": "error-changed"},
    ),
    "registration": DeclarationRow(
        "registered", "unregistered", None, {"value": "registration-changed"}, spread=True
    ),
    "deprecation": DeclarationRow("deprecated", None, None, {"message": "deprecated"}),
    "dependency": DeclarationRow(
        "dependency-added", "dependency-removed", None, {"version": "dependency-changed"}
    ),
    "version": DeclarationRow(None, None, None, {"value": "version-changed"}),
    "image": DeclarationRow(None, None, None, {"value": "image-changed"}),
}

BREAKING: frozenset[FactKind] = frozenset({
    "symbol-removed", "symbol-renamed", "symbol-moved", "parameter-removed", "parameter-renamed",
    "parameter-reordered", "parameter-required", "enum-member-removed", "enum-member-renamed", "enum-member-changed",
    "field-removed", "field-renamed", "flag-removed", "flag-renamed", "env-removed", "env-renamed",
    "config-key-removed", "route-removed", "unregistered",
})  # fmt: skip
"""What stops working for whoever reaches it; of everything else users see the behaviour change."""
ADDITIVE: frozenset[FactKind] = frozenset({
    "symbol-added", "parameter-added", "enum-member-added", "field-added", "flag-added", "env-added",
    "config-key-added", "route-added", "registered", "file-added",
})  # fmt: skip
NEVER_TOLD: frozenset[FactKind] = frozenset({
    "file-removed", "file-renamed", "only-tests", "only-docs", "only-ci", "only-upkeep", "only-formatting",
    "only-comments", "generated", "vendored",
})  # fmt: skip
"""What users do not see."""


def severity_of(kind: FactKind) -> Severity:
    """Say what a fact means for whoever reaches what it is about."""
    if kind in BREAKING:
        return Severity.BREAKING
    if kind in ADDITIVE:
        return Severity.ADDITIVE
    return Severity.INTERNAL if kind in NEVER_TOLD else Severity.BEHAVIOUR


@dataclass(frozen=True, slots=True)
class FoundDeclaration:
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

    kind: FactKind
    name: str
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    before: FoundDeclaration | None = None
    after: FoundDeclaration | None = None

    @property
    def found(self) -> FoundDeclaration:
        """The newer of both declarations."""
        found = self.after or self.before
        assert found is not None
        return found


def name_of(found: FoundDeclaration) -> str:
    """Name what a reader looks for: a parameter by its function, everything else by itself."""
    one = found.one
    if one.kind == "parameter":
        return one.owner
    return one.path if ROWS[one.kind].symbol else one.name


def detail_of(found: FoundDeclaration) -> str | None:
    """Say what the kind of a fact does not: the parameter, the sort of symbol, the table, the help, or the owner."""
    one = found.one
    if one.kind == "parameter":
        return one.name
    if one.kind in ("function", "class", "enum", "constant", "export"):
        return "method" if is_python(found) and one.kind == "function" and one.owner else one.kind
    own = {"registration": "table", "flag": "help"}.get(one.kind, "")
    return one.parts.get(own) or one.owner or None


def members_of(found: FoundDeclaration) -> str | None:
    """List the members of an enumeration that came or went, with their values: code may have stored them."""
    members = [
        one for one in found.declared if one.kind == "member" and one.owner == found.one.path
    ]
    return (
        ", ".join(
            written(FoundDeclaration(one, found.versions, found.side)) or one.name
            for one in members
        )
        or None
    )


def written(found: FoundDeclaration) -> str | None:
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


def is_python(found: FoundDeclaration) -> bool:
    """Tell a declaration of Python, where callers write the names of parameters and types are only remarks."""
    return found.versions.file.path.endswith((".py", ".pyi"))


_MOST = 4  # Lines shown of each side; the rest is in the commit


def place_of(difference: Difference) -> FactLocation | None:
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
    return FactLocation(
        file=file, line=(own or shown)[0][0], lines=tuple(line for _, line in shown)
    )


def _in_one_file(difference: Difference) -> bool:
    before, after = difference.before, difference.after
    return before is None or after is None or before.versions.file.path == after.versions.file.path


def _telling(found: FoundDeclaration | None, value: str | None) -> list[tuple[int, str]]:
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
