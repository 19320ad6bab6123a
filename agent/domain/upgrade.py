"""An upgrade guide as data: what differs between two versions for users of the project, each with its commits."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from agent.domain.base import Frozen, RepoId
from agent.domain.facts import Fact, Severity
from agent.domain.ledger import OwnUse

Part = Literal["used", "breaks", "deprecated", "changed", "new", "dependencies", "also"]
"""Where in the guide a fact is told, in this order: first what the user's own code uses; `changed` are defaults and
choices, so that the same call does something else; `new` is what users can set now, `also` new names and the rest."""
SET = ("flag-", "env-", "field-", "route-", "config-key-", "registered")  # What users set
_INSIDE = (
    "code-",
    "error-",
    "file-",
)  # What is told commit by commit, and would bury the rest of a guide
_ASIDE = (
    "symbol-",
    "enum-",
    "signature-",
    "base-",
    "limit-",
    "constant-",
    "registration-",
    "parameter-added",
)


class Version(Frozen):
    """One end of the range, as it was named, and the commit that this means."""

    name: str
    sha: str
    at: datetime


class UpgradeItem(Frozen):
    """A fact that holds between the two trees, and the commits whose changes show it."""

    fact: Fact
    commits: tuple[str, ...] = ()
    """The one that brought the present state first; empty where no commit of the range shows it."""
    backwards: bool = (
        False  # Whether it is so because the newer version lacks commits of the older one
    )
    uses: tuple[OwnUse, ...] = ()

    @property
    def part(self) -> Part | None:
        """Say where it is told; None for what users do not see."""
        fact = self.fact
        if self.uses:
            return "used"
        if fact.severity is Severity.INTERNAL or fact.kind.startswith(_INSIDE):
            return None
        if fact.kind.startswith(("dependency-", "version-", "image-")):
            return "dependencies"
        if fact.severity is Severity.BREAKING:
            return "breaks"
        if fact.severity is Severity.ADDITIVE:
            return "new" if fact.kind.startswith(SET) else "also"
        if fact.kind == "deprecated":
            return "deprecated"
        return "also" if fact.kind.startswith(_ASIDE) else "changed"


class Undone(Frozen):
    """A commit of the range and the one that took it back."""

    sha: str
    by: str


class Upgrade(Frozen):
    """Everything that the guide is written from."""

    repo: RepoId
    old: Version
    new: Version
    titles: Mapping[str, str]  # What the commits call themselves, those of the range first
    commits: int  # How many of them are of the range; the others only the older version has
    items: tuple[UpgradeItem, ...] = ()
    undone: tuple[Undone, ...] = ()
    skipped: tuple[str, ...] = ()
