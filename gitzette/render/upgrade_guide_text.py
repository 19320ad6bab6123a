"""The pages of upgrade guides, as Markdown and as data."""

from typing import Any, NamedTuple, get_args

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.evidence_id import EvidenceId
from agent.domain.upgrade import Part, Upgrade
from agent.editions.upgrade_guide import CommitEntries, entries_by_commit
from agent.reports.shown_titles import shown_title
from gitzette.render.templating import filled

_MAX_ENTRIES = 15  # Commits of a part of a guide before its fold
_PARTS_IN_SIGHT = ("used", "breaks")  # Parts of a guide that have no fold
_FOLDED_PARTS = ("new", "dependencies", "also", "deleted scripts")
_PARTS_ALWAYS_NAMED = ("breaks", "changed")  # Parts that are named even where they are empty


class GuidePart(NamedTuple):
    """A part of a guide, by the commits that made the changes."""

    name: Part
    groups: list[CommitEntries]

    @property
    def size(self) -> int:
        """The number of its sentences."""
        return sum(len(group.entries) for group in self.groups)

    @property
    def is_folded(self) -> bool:
        """True if nothing of it is in sight."""
        return self.name in _FOLDED_PARTS

    @property
    def in_sight(self) -> list[CommitEntries]:
        """The groups before the fold."""
        return self.groups if self.name in _PARTS_IN_SIGHT else self.groups[:_MAX_ENTRIES]

    @property
    def behind(self) -> list[CommitEntries]:
        """The groups in the fold."""
        return self.groups[len(self.in_sight) :]


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Return the guide in one language."""
    titles = {sha: shown_title(title, lang) for sha, title in upgrade.titles.items()}
    parts = [GuidePart(part, entries_by_commit(upgrade, part, lang)) for part in get_args(Part)]
    is_used = any(item.uses for item in upgrade.items)
    return filled(
        "upgrade.md",
        lang,
        web,
        guide=upgrade.model_copy(update={"titles": titles}),
        parts=parts,
        always=_PARTS_ALWAYS_NAMED,
        unused_files=None if is_used else upgrade.own_files,
        urls={sha: web.commit(upgrade.repo, sha) for sha in upgrade.titles},
    )


def upgrade_json(upgrade: Upgrade) -> dict[str, Any]:
    """Return the guide as plain data, each item with its part and its commits as citations."""
    items = []
    for item in upgrade.items:
        part = upgrade.part_of(item)
        if part is None:
            continue
        data = item.fact.model_dump(mode="json")
        data["part"] = part
        data["cites"] = [EvidenceId.commit(upgrade.repo, sha) for sha in item.commits]
        data |= item.model_dump(mode="json", include={"backwards", "uses"})
        items.append(data)
    guide = upgrade.model_dump(mode="json", exclude={"items", "titles"})
    guide["items"] = items
    return guide
