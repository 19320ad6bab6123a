"""An upgrade guide in words."""

from collections.abc import Iterator
from typing import NamedTuple, get_args

from agent.domain.base import Language
from agent.domain.facts import Fact
from agent.domain.ledger import OwnUse
from agent.domain.upgrade import SET, Part, Upgrade
from agent.fact_sentences import fact_sentence
from agent.facts_worth_stating import joined


class UpgradeEntry(NamedTuple):
    """Items that make one sentence."""

    text: str
    commits: tuple[str, ...]
    backwards: bool
    uses: tuple[OwnUse, ...]
    files: tuple[str, ...]


class CommitEntries(NamedTuple):
    """The changes that the same commits made, a sentence each."""

    commits: tuple[str, ...]
    entries: tuple[UpgradeEntry, ...]

    @property
    def uses(self) -> tuple[OwnUse, ...]:
        """Where the user's own code uses any of it, each place once."""
        uses: dict[OwnUse, None] = {}
        for entry in self.entries:
            uses |= dict.fromkeys(entry.uses)
        return tuple(uses)


class _Group(NamedTuple):
    """The key by which facts are grouped into one sentence."""

    commits: tuple[str, ...]
    backwards: bool
    uses: tuple[OwnUse, ...]


def entries(guide: Upgrade, part: Part, lang: Language) -> Iterator[UpgradeEntry]:
    """Yield the sentences of a part: what users set first, and what the same commits did together."""
    members = [item for item in guide.items if guide.part_of(item) == part]
    members.sort(key=lambda item: _rank(item.fact))
    facts_by_group: dict[_Group, list[Fact]] = {}
    for item in members:
        group = _Group(item.commits, item.backwards, item.uses)
        facts_by_group.setdefault(group, []).append(item.fact)
    for group, facts in facts_by_group.items():
        for fact in joined(facts):
            files = dict.fromkeys(location.file for location in fact.places)
            text = fact_sentence(fact, lang)
            yield UpgradeEntry(text, group.commits, group.backwards, group.uses, tuple(files))


def entries_by_commit(guide: Upgrade, part: Part, lang: Language) -> list[CommitEntries]:
    """Return the sentences of a part, those about the same commits together."""
    by_commits: dict[tuple[str, ...], list[UpgradeEntry]] = {}
    for entry in entries(guide, part, lang):
        by_commits.setdefault(entry.commits, []).append(entry)
    groups: list[CommitEntries] = []
    for commits, commit_entries in by_commits.items():
        groups.append(CommitEntries(commits, tuple(commit_entries)))
    return groups


def guide_lines(guide: Upgrade) -> list[str]:
    """Return the guide as plain lines, for a program that reads on with other tools."""
    lines = [f"{guide.repo} from {guide.old.name} to {guide.new.name}: {guide.commits} commits"]
    for part in get_args(Part):
        for entry in entries(guide, part, "en"):
            lacks = f" ({guide.new.name} lacks it)" if entry.backwards else ""
            by = ", ".join(f"{sha[:12]} {guide.titles[sha]}" for sha in entry.commits)
            lines.append(f"{part}: {entry.text} {by}{lacks}")
    for pair in guide.undone:
        lines.append(f"taken back: {pair.sha[:12]} {guide.titles[pair.sha]} by {pair.by[:12]}")
    return lines


def _rank(fact: Fact) -> int:
    """Return the place of a fact: what users set, in the order of `SET`, before everything else."""
    for rank, start in enumerate(SET):
        if fact.kind.startswith(start):
            return rank
    return len(SET)
