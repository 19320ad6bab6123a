"""Facts of a diff: changes for those who depend on the repository."""

from enum import StrEnum
from typing import Literal

from agent.domain.base import Frozen


class Severity(StrEnum):
    """The effect of a fact on a user downstream; the rules are in docs/facts.md."""

    BREAKING = "breaks"  # Code, a command or a configuration that worked before fails: certain
    MAY_BREAK = "may-break"  # It fails for some, or nothing shows whether anybody uses it
    BEHAVIOUR = "behaviour"  # It still works, but does something else
    ADDITIVE = "additive"  # Something new that nobody has to use
    INTERNAL = "internal"  # Nothing that a user can see

    @classmethod
    def _missing_(cls, value: object) -> "Severity | None":
        # Reports of earlier versions say `breaking`.
        return cls.BREAKING if value == "breaking" else None


_SymbolKind = Literal["symbol-added", "symbol-removed", "symbol-renamed", "symbol-moved"]
_ParameterKind = Literal[
    "parameter-added",
    "parameter-removed",
    "parameter-renamed",
    "parameter-reordered",
    "parameter-default-changed",
    "parameter-required",
    "parameter-keyword-only",
]
_MemberKind = Literal[
    "enum-member-added", "enum-member-removed", "enum-member-renamed", "enum-member-changed"
]
_FieldKind = Literal["field-added", "field-removed", "field-renamed", "field-default-changed"]
_SettingKind = Literal[
    "flag-added",
    "flag-removed",
    "flag-renamed",
    "flag-default-changed",
    "flag-choices-changed",
    "env-added",
    "env-removed",
    "env-renamed",
    "env-default-changed",
    "config-key-added",
    "config-key-removed",
    "config-key-changed",
    "choices-changed",
    "constant-changed",
]
_ServiceKind = Literal[
    "route-added", "route-removed", "metric-added", "metric-removed", "metric-renamed"
]
_ExtensionKind = Literal["hook-added", "registered", "unregistered", "registration-changed"]
_ErrorKind = Literal["error-added", "error-removed", "limit-changed", "deprecated"]
_PackageKind = Literal[
    "dependency-added",
    "dependency-removed",
    "dependency-changed",
    "version-changed",
    "image-changed",
    "package-renamed",
    "contents-added",
    "contents-removed",
]
_FileKind = Literal["file-added", "file-removed", "file-renamed", "code-changed"]
_CommitKind = Literal[
    "only-tests",
    "only-docs",
    "only-ci",
    "only-upkeep",
    "only-formatting",
    "only-comments",
    "generated",
    "vendored",
    "revert",
    "reland",
    "partial-revert",
    "partial-reland",
    "cherry-pick",
]
_RetiredKind = Literal["signature-changed", "base-changed", "field-changed", "error-changed"]
"""Kinds that only reports of earlier versions have; they can still be printed."""

FactKind = (
    _SymbolKind
    | _ParameterKind
    | _MemberKind
    | _FieldKind
    | _SettingKind
    | _ServiceKind
    | _ExtensionKind
    | _ErrorKind
    | _PackageKind
    | _FileKind
    | _CommitKind
    | _RetiredKind
)
"""What changed. `parameter-required`: it lost its default; `choices-changed`: other values of a
`Literal`; `hook-added`: a method that subclasses must have; `limit-changed`: an error with the same
words under another condition, which `old` and `new` hold; `contents-added`: something that the
built package ships; `registered`: a name that something can be chosen or called by; `code-changed`:
informative lines of a function that has no other fact; `only-upkeep`: tests, documents, CI and
scripts, of more than one sort."""


_CHANGED_DEFAULTS = (
    "parameter-default-changed",
    "field-default-changed",
    "flag-default-changed",
    "env-default-changed",
)
"""Kinds of facts that state a default before and after."""


class FactLocation(Frozen):
    """The place of a fact: a line of the file and the changed lines, as the diff has them."""

    file: str
    line: int  # In the new file, or in the old one where everything shown was removed
    lines: tuple[str, ...]  # Verbatim lines of the diff with their leading `+` or `-`
    above: tuple[str, ...] = ()
    """Unchanged lines behind a blank: what opens the statement around the change, its comment."""
    below: tuple[str, ...] = ()  # The unchanged line that uses what a short change assigns
    old_file: str = ""  # Where the commit takes the file from, if it moves it

    @property
    def excerpt(self) -> tuple[str, ...]:
        """The changed lines with the unchanged ones that they do not make sense without."""
        return (*self.above, *self.lines, *self.below)


class Fact(Frozen):
    """One thing that changed, with the place that shows it best first."""

    kind: FactKind
    severity: Severity
    name: str  # What changed: a qualified name, a flag, a variable, a path
    count: int = 1
    """How many things changed alike; where they are many, `name` lists only the first of them."""
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    """What the kind does not say: the parameter's name, the role of a file, the commit that is reverted."""
    position: int | None = None
    """Of an argument that callers could pass by its position before: how many stand before it."""
    replacement: str | None = None  # What to use instead, where the same commit shows it
    path: str = ""  # The path by which users import it, where that is resolved
    module: str = ""  # The Python module, or the path of a file of another language, in which users found it before
    places: tuple[FactLocation, ...] = ()


class FactSheet(Frozen):
    """The facts of one commit, those that matter most first."""

    facts: tuple[Fact, ...]
    route: str  # `blobs` when whole files were read, `hunks` when only the patch was at hand
    skipped: tuple[str, ...] = ()  # What was too large or malformed to be read, and why
    touched: tuple[Fact, ...] = ()
    """Everything that code written before may need a change for, also what is internal; by hunks it is empty."""
    problem: str = ""  # Why facts are missing; empty where the whole commit could be read


def is_changed_default(fact: Fact) -> bool:
    """Return True for a default that users meet and that is another one now."""
    return fact.kind in _CHANGED_DEFAULTS and fact.severity is not Severity.INTERNAL
