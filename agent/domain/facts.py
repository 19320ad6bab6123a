"""What code finds in a diff: something that changed for whoever depends on the repository, with its proof."""

from enum import StrEnum
from typing import Literal

from agent.domain.base import Frozen


class Severity(StrEnum):
    """What a fact means for a user downstream; the rules are in docs/facts.md."""

    BREAKING = "breaking"  # Code, a command or a configuration that worked before stops working
    BEHAVIOUR = "behaviour"  # It still works, but does something else: a default, a limit, a version, an error
    ADDITIVE = "additive"  # Something new that nobody has to use
    INTERNAL = "internal"  # Nothing that a user can see


FactKind = (
    Literal[
        "symbol-added",
        "symbol-removed",
        "symbol-renamed",
        "symbol-moved",
        "signature-changed",
        "base-changed",
    ]
    | Literal["parameter-added", "parameter-removed", "parameter-renamed", "parameter-reordered"]
    | Literal["parameter-default-changed", "parameter-required"]
    | Literal[
        "enum-member-added", "enum-member-removed", "enum-member-renamed", "enum-member-changed"
    ]
    | Literal[
        "field-added",
        "field-removed",
        "field-renamed",
        "field-changed",
        "constant-changed",
        "limit-changed",
    ]
    | Literal[
        "flag-added", "flag-removed", "flag-renamed", "flag-default-changed", "flag-choices-changed"
    ]
    | Literal[
        "env-added",
        "env-removed",
        "env-renamed",
        "env-default-changed",
        "route-added",
        "route-removed",
    ]
    | Literal[
        "config-key-added",
        "config-key-removed",
        "config-key-changed",
        "version-changed",
        "image-changed",
    ]
    | Literal[
        "dependency-added", "dependency-removed", "dependency-changed", "deprecated", "code-changed"
    ]
    | Literal[
        "error-added",
        "error-removed",
        "error-changed",
        "file-added",
        "file-removed",
        "file-renamed",
    ]
    | Literal["registered", "unregistered", "registration-changed", "generated", "vendored"]
    | Literal[
        "only-tests", "only-docs", "only-ci", "only-upkeep", "only-formatting", "only-comments"
    ]
    | Literal["revert", "reland", "cherry-pick"]
)
"""What changed. `signature-changed`: another type, of the parameter that `detail` names or of what a function returns;
`parameter-required`: it lost its default; `limit-changed`: an error with the same words under another condition, which
`old` and `new` hold; `code-changed`: lines of a function that nothing else tells; `registered`: a name that something
can be chosen or called by; `only-upkeep`: tests, documents, CI and scripts, of more than one sort."""


class FactLocation(Frozen):
    """Where a fact shows: a line of the file and the changed lines themselves, as the diff has them."""

    file: str
    line: int  # In the new file, or in the old one where everything shown was removed
    lines: tuple[str, ...]  # Verbatim lines of the diff with their leading `+` or `-`


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
