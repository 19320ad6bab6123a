"""The report on a bump: the repository, both commits, and the effect on the user's code."""

from typing import Literal

from pydantic import computed_field

from agent.bumps.pins import Bump, PinChanges
from agent.domain.base import Frozen, RepoId

Effect = Literal["gone", "argument", "changed"]
"""What happens to a line of own code: nothing is importable under the path any more, the call does
not fit the parameters, or it still works and what it names was changed."""
Proof = Literal["commit", "tag", "inferred"]
"""How the commit of a version is known: pinned by its hash, by a tag whose manifest names package
and version, or as the commit that changed the version."""


class VersionCommit(Frozen):
    """The commit that a version of a package stands for."""

    version: str
    sha: str
    tag: str = ""
    proof: Proof = "commit"
    note: str = ""  # What remains unproved, such as a version that the manifest does not write


class SourceMapping(Frozen):
    """The repository of a package, and the commits of both versions."""

    repo: RepoId
    origin: str  # Why this is the repository: configured, part of the pin, declared in a registry
    old: VersionCommit
    new: VersionCommit
    folder: str = ""  # Where in the repository the package is
    imports: tuple[str, ...] = ()  # The names under which Python code imports it


class CodeUse(Frozen):
    """A line of own code that uses something a bump changes."""

    file: str
    line: int
    name: str  # What it uses, as a dotted path or as it is written
    effect: Effect
    text: str  # What happens to it, as a clause
    replacement: str = ""
    is_guarded: bool = False  # Inside `try` with a handler for a failed import
    is_certain: bool = True  # False where an annotation is all that says what the line uses

    @computed_field  # type: ignore[prop-decorator]
    @property
    def is_breaking(self) -> bool:
        """True if the line fails after the bump."""
        return self.effect != "changed" and not self.is_guarded and self.is_certain

    @property
    def may_break(self) -> bool:
        """True if the line fails after the bump, provided that it uses what it seems to use."""
        return self.effect != "changed" and not self.is_guarded and not self.is_certain


class UsedName(Frozen):
    """A name of a package that a line of own code uses, whatever happens to it."""

    name: str  # Without what it is in
    file: str
    line: int
    defined_in: str = ""  # The file or folder of the package that defines it, where that is known
    is_class: bool = False


class Explanation(Frozen):
    """What a model says of a commit of a package, as far as it was checked."""

    sha: str
    uses: tuple[UsedName, ...]  # Of the names whose code the commit changes
    sentences: tuple[str, ...]


class Explanations(Frozen):
    """What a model says of the commits of a package that own code may notice."""

    items: tuple[Explanation, ...] = ()
    omissions: tuple[str, ...] = ()  # What nobody looked through or explained, and why
    failure: str = ""  # What the model failed at; empty where it did what it was asked


class PackageOutcome(Frozen):
    """One bump and what came of reading it."""

    bump: Bump
    mapping: SourceMapping | None = None
    reason: str = ""  # Why it could not be read; empty where it was
    uses: tuple[CodeUse, ...] = ()
    changed_names: int = 0  # How many names of the package changed
    files_searched: int = 0
    files_importing: int = 0
    breaking_changes: tuple[str, ...] = ()  # Sentences about what breaks for users in general
    omissions: tuple[str, ...] = ()  # What was left out, and why
    explanations: tuple[Explanation, ...] = ()
    model_failure: str = ""

    @property
    def breaking_uses(self) -> tuple[CodeUse, ...]:
        """The uses that fail after the bump."""
        return tuple(use for use in self.uses if use.is_breaking)

    @property
    def uncertain_uses(self) -> tuple[CodeUse, ...]:
        """The uses that fail if an annotation is right."""
        return tuple(use for use in self.uses if use.may_break)


class BumpReport(Frozen):
    """Everything that a comment is written from."""

    repo: RepoId
    base: str
    tip: str
    changes: PinChanges
    outcomes: tuple[PackageOutcome, ...] = ()
    folded: tuple[Bump, ...] = ()  # Transitive dependencies that own code does not import
    containers: tuple[Bump, ...] = ()
    omissions: tuple[str, ...] = ()
    model: str = ""  # Who explained changes of behaviour; empty where nobody was asked

    @computed_field  # type: ignore[prop-decorator]
    @property
    def is_breaking(self) -> bool:
        """True if a line of own code fails after one of the bumps."""
        return any(outcome.breaking_uses for outcome in self.outcomes)

    @property
    def model_failures(self) -> tuple[str, ...]:
        """What the model failed at, once for each reason."""
        failures = [outcome.model_failure for outcome in self.outcomes if outcome.model_failure]
        return tuple(dict.fromkeys(failures))

    @property
    def has_bumps(self) -> bool:
        """True if anything is bumped at all, whether or not it could be read."""
        return bool(self.changes.bumps or self.changes.unclear or self.changes.problems)
