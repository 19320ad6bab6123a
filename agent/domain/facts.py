"""What code finds in a diff: something that changed for whoever depends on the repository, with its proof."""

from enum import StrEnum

from agent.domain.base import Frozen


class Severity(StrEnum):
    """What a fact means for a user downstream; the rules are in docs/facts.md."""

    BREAKING = "breaking"  # Code, a command or a configuration that worked before stops working
    BEHAVIOUR = "behaviour"  # It still works, but does something else: a default, a limit, a version, an error
    ADDITIVE = "additive"  # Something new that nobody has to use
    INTERNAL = "internal"  # Nothing that a user can see


class FactKind(StrEnum):
    """What changed."""

    SYMBOL_ADDED = "symbol-added"
    SYMBOL_REMOVED = "symbol-removed"
    SYMBOL_RENAMED = "symbol-renamed"
    SYMBOL_MOVED = "symbol-moved"
    PARAMETER_ADDED = "parameter-added"
    PARAMETER_REMOVED = "parameter-removed"
    PARAMETER_RENAMED = "parameter-renamed"
    PARAMETER_REORDERED = "parameter-reordered"
    PARAMETER_DEFAULT = "parameter-default-changed"
    PARAMETER_REQUIRED = "parameter-required"  # A parameter lost its default: callers must give it now
    SIGNATURE_CHANGED = "signature-changed"
    """Another type: of a parameter, which `detail` names, or of what a function returns."""
    BASE_CHANGED = "base-changed"
    MEMBER_ADDED = "enum-member-added"
    MEMBER_REMOVED = "enum-member-removed"
    MEMBER_RENAMED = "enum-member-renamed"
    MEMBER_CHANGED = "enum-member-changed"
    FIELD_ADDED = "field-added"
    FIELD_REMOVED = "field-removed"
    FIELD_RENAMED = "field-renamed"
    FIELD_CHANGED = "field-changed"
    CONSTANT_CHANGED = "constant-changed"
    LIMIT_CHANGED = "limit-changed"
    """An error with the same words under another condition: `old` and `new` hold both, `detail` names the function."""
    CODE_CHANGED = "code-changed"
    """Lines of a function that nothing else tells; `old` and `new` hold the line where it is one."""
    FLAG_ADDED = "flag-added"
    FLAG_REMOVED = "flag-removed"
    FLAG_RENAMED = "flag-renamed"
    FLAG_DEFAULT = "flag-default-changed"
    FLAG_CHOICES = "flag-choices-changed"
    ENV_ADDED = "env-added"
    ENV_REMOVED = "env-removed"
    ENV_RENAMED = "env-renamed"
    ENV_DEFAULT = "env-default-changed"
    CONFIG_ADDED = "config-key-added"
    CONFIG_REMOVED = "config-key-removed"
    CONFIG_CHANGED = "config-key-changed"
    ROUTE_ADDED = "route-added"
    ROUTE_REMOVED = "route-removed"
    DEPENDENCY_ADDED = "dependency-added"
    DEPENDENCY_REMOVED = "dependency-removed"
    DEPENDENCY_CHANGED = "dependency-changed"
    VERSION_CHANGED = "version-changed"
    IMAGE_CHANGED = "image-changed"
    DEPRECATED = "deprecated"
    ERROR_ADDED = "error-added"
    ERROR_REMOVED = "error-removed"
    ERROR_CHANGED = "error-changed"
    FILE_ADDED = "file-added"
    FILE_REMOVED = "file-removed"
    FILE_RENAMED = "file-renamed"
    UNREGISTERED = "unregistered"
    REGISTRATION_CHANGED = "registration-changed"
    REGISTERED = "registered"
    """A name that something can be chosen or called by; `detail` names the table, where there is one."""
    ONLY_TESTS = "only-tests"
    ONLY_DOCS = "only-docs"
    ONLY_CI = "only-ci"
    ONLY_UPKEEP = "only-upkeep"  # Tests, documents, CI and scripts, of more than one sort; `detail` names them
    ONLY_FORMATTING = "only-formatting"
    ONLY_COMMENTS = "only-comments"
    GENERATED = "generated"
    VENDORED = "vendored"
    REVERT = "revert"
    RELAND = "reland"
    CHERRY_PICK = "cherry-pick"


class Place(Frozen):
    """Where a fact shows: a line of the file and the changed lines themselves, as the diff has them."""

    file: str
    line: int  # In the new file, or in the old one where everything shown was removed
    lines: tuple[str, ...]  # Verbatim lines of the diff with their leading `+` or `-`


class Fact(Frozen):
    """One thing that changed, with the place that shows it best first."""

    kind: FactKind
    severity: Severity
    name: str  # What changed: a qualified name, a flag, a variable, a path
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    """What the kind does not say: the parameter's name, the role of a file, the commit that is reverted."""
    module: str = ""  # The Python module, or the path of a file of another language, in which users found it before
    places: tuple[Place, ...] = ()


class FactSheet(Frozen):
    """The facts of one commit, those that matter most first."""

    facts: tuple[Fact, ...]
    route: str  # `blobs` when whole files were read, `hunks` when only the patch was at hand
    skipped: tuple[str, ...] = ()  # What was too large or malformed to be read, and why
    touched: tuple[Fact, ...] = ()
    """Everything that code written before may need a change for, also what is internal; by hunks it is empty."""
