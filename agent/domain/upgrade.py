"""An upgrade guide as data: what differs between two versions for users, each with its commits."""

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Literal

from agent.domain.base import Frozen, RepoId
from agent.domain.facts import Fact, Severity
from agent.domain.ledger import OwnUse

Part = Literal[
    "used", "breaks", "deprecated", "changed", "new", "dependencies", "also", "deleted scripts"
]
"""Where in the guide a fact is listed, in this order.

First what the user's own code uses. `changed` are defaults and choices, so that the same call does
something else; `new` is what users can set now, `also` new names and the rest. The options of a
program that was deleted as a whole come last."""
SET = (
    "flag-",
    "env-",
    "field-",
    "route-",
    "config-key-",
    "metric-",
    "registered",
)  # What users set
_SHOWN_BY_COMMIT = ("code-", "error-", "file-")  # In a guide they would bury the rest
_MINOR = (
    "symbol-",
    "enum-",
    "hook-",
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
    backwards: bool = False
    """Whether it is so because the newer version lacks commits of the older one."""
    uses: tuple[OwnUse, ...] = ()


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
    own_files: int | None = None
    """How many files of the user's own code were searched for uses; None where nobody asked."""

    @cached_property
    def _deleted_files(self) -> frozenset[str]:
        removed = [item.fact for item in self.items if item.fact.kind == "file-removed"]
        return frozenset(fact.old for fact in removed if fact.old)

    def part_of(self, item: UpgradeItem) -> Part | None:
        """Return the part of the guide that lists an item; None if users do not see it."""
        fact = item.fact
        if item.uses:
            return "used"
        if fact.severity is Severity.INTERNAL or fact.kind.startswith(_SHOWN_BY_COMMIT):
            return None
        if fact.kind.startswith(("dependency-", "version-", "image-")):
            return "dependencies"
        if fact.severity is Severity.BREAKING:
            return "deleted scripts" if self._is_of_deleted_script(fact) else "breaks"
        if fact.severity is Severity.MAY_BREAK:
            return "deleted scripts" if self._is_of_deleted_script(fact) else "also"
        if fact.severity is Severity.ADDITIVE:
            return "new" if fact.kind.startswith(SET) else "also"
        if fact.kind == "deprecated":
            return "deprecated"
        return "also" if fact.kind.startswith(_MINOR) else "changed"

    def _is_of_deleted_script(self, fact: Fact) -> bool:
        """Return True for an option that went with the program which had it."""
        files = {location.file for location in fact.places}
        return fact.kind == "flag-removed" and bool(files) and files <= self._deleted_files
