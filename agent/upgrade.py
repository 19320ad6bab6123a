"""An upgrade guide: what differs between two versions for users of the project, each with its commits."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from agent.domain import Frozen
from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from agent.own_code import OwnUse
from agent.telling import Group, told_groups

K = FactKind


class Part(StrEnum):
    """Where in the guide a fact is told, in this order."""

    BREAKS = "breaks"
    DEPRECATED = "deprecated"
    CHANGED = "changed"
    """Defaults, limits and choices: the same call or command does something else."""
    NEW = "new"
    """What users can set now."""
    DEPENDENCIES = "dependencies"
    ALSO = "also"
    """New names of the interface, and what users run into."""


class Version(Frozen):
    """One end of the range, as it was named, and the commit that this means."""

    name: str
    sha: str
    at: datetime


class Item(Frozen):
    """A fact that holds between the two trees, and the commits whose changes show it."""

    fact: Fact
    commits: tuple[str, ...] = ()
    """The one that brought the present state first; empty where no single commit of the range shows it."""
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
    titles: Mapping[str, str]
    """What the commits of the range call themselves, newest first."""
    lacking: Mapping[str, str] = {}
    """The same of those that only the older version has."""
    items: tuple[Item, ...] = ()
    undone: tuple[Undone, ...] = ()
    skipped: tuple[str, ...] = ()

    def of(self, part: Part) -> list[Item]:
        """List the items of a part: what the user's own code uses first."""
        return sorted((one for one in self.items if part_of(one.fact) is part), key=lambda one: not one.uses)


class Entry(Frozen):
    """Items that make one sentence."""

    facts: Group
    commits: tuple[str, ...]
    backwards: bool
    uses: tuple[OwnUse, ...] = ()


_DEPENDENCIES = ("dependency-", "version-", "image-")
_SET = ("flag-", "env-", "config-key-", "route-", "field-", "registered")
_INSIDE = ("code-", "error-", "file-")
"""What is told commit by commit, and would bury the rest of a guide."""
_ASIDE = ("symbol-", "enum-", "signature-", "base-", "limit-", "constant-", "registration-", "parameter-added")


def part_of(fact: Fact) -> Part | None:
    """Say where a fact is told; None for what users do not see."""
    if fact.severity is Severity.INTERNAL or fact.kind.startswith(_INSIDE):
        return None
    if fact.kind.startswith(_DEPENDENCIES):
        return Part.DEPENDENCIES
    if fact.severity is Severity.BREAKING:
        return Part.BREAKS
    if fact.kind is K.DEPRECATED:
        return Part.DEPRECATED
    if fact.severity is Severity.ADDITIVE:
        return Part.NEW if fact.kind.startswith(_SET) else Part.ALSO
    return Part.ALSO if fact.kind.startswith(_ASIDE) else Part.CHANGED


def entries(items: Sequence[Item]) -> Iterator[Entry]:
    """Tell what the same commits did in as few sentences as possible, in the order of the items."""
    groups: dict[tuple[tuple[str, ...], bool, bool], list[Item]] = {}
    for one in items:
        groups.setdefault((one.commits, one.backwards, bool(one.uses)), []).append(one)
    for (commits, backwards, _), members in groups.items():
        used = {one.fact: one.uses for one in members}
        for facts in told_groups([one.fact for one in members]):
            uses = tuple(dict.fromkeys(use for fact in facts for use in used.get(fact, ())))
            yield Entry(facts=facts, commits=commits, backwards=backwards, uses=uses)
