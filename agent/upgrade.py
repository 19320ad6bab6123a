"""An upgrade guide: what differs between two versions for users of the project, each with its commits."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from agent.domain import Frozen
from agent.facts import Fact, FactKind, Severity
from agent.grouping import grouped
from agent.ids import RepoId
from agent.own_code import OwnUse
from agent.telling import Group
from agent.templates import params_of_several, sentence

K = FactKind


class Part(StrEnum):
    """Where in the guide a fact is told, in this order."""

    USED = "used"
    """Whatever the user's own code uses of what changes."""
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

    @property
    def part(self) -> "Part | None":
        """Say where it is told; None for what users do not see."""
        return Part.USED if self.uses else part_of(self.fact)


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
        """List the items of a part: what users set comes before what they call."""
        return sorted((one for one in self.items if one.part is part), key=lambda one: _rank(one.fact))


class Entry(Frozen):
    """Items that make one sentence."""

    facts: Group
    commits: tuple[str, ...]
    backwards: bool
    uses: tuple[OwnUse, ...] = ()


def upgrade_lines(upgrade: Upgrade) -> list[str]:
    """Write a guide as plain lines, for a program that reads on with other tools."""
    titles = {**upgrade.titles, **upgrade.lacking}
    lines = [f"{upgrade.repo} from {upgrade.old.name} to {upgrade.new.name}: {len(upgrade.titles)} commits"]
    for part in Part:
        for one in entries(upgrade.of(part)):
            told = sentence("facts", params_of_several(one.facts), "en")
            lacks = f" ({upgrade.new.name} lacks it)" if one.backwards else ""
            lines.append(f"{part}: {told} {', '.join(f'{sha[:12]} {titles[sha]}' for sha in one.commits)}{lacks}")
    return [*lines, *(f"taken back: {one.sha[:12]} {titles[one.sha]} by {one.by[:12]}" for one in upgrade.undone)]


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


def _rank(fact: Fact) -> int:
    return next((place for place, start in enumerate(_SET) if fact.kind.startswith(start)), len(_SET))


def entries(items: Sequence[Item]) -> Iterator[Entry]:
    """Tell what the same commits did in as few sentences as possible, in the order of the items."""
    groups: dict[tuple[tuple[str, ...], bool, bool], list[Item]] = {}
    for one in items:
        groups.setdefault((one.commits, one.backwards, bool(one.uses)), []).append(one)
    for (commits, backwards, _), members in groups.items():
        used = {one.fact: one.uses for one in members}
        for facts in grouped([one.fact for one in members]):
            uses = tuple(dict.fromkeys(use for fact in facts for use in used.get(fact, ())))
            yield Entry(facts=facts, commits=commits, backwards=backwards, uses=uses)
