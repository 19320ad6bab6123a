"""An upgrade guide as Markdown and as data."""

from typing import Any

from agent.domain.base import Language, commit_id
from agent.editions.upgrade import Item, Part, Upgrade
from agent.telling.words import catalogue
from agent.web import Web
from gitzette.render.markdown import filled

_IN_SIGHT = 15
"""Entries of a part in front of its fold; all of what breaks or is used is in sight."""


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Write the guide in one language."""
    words = catalogue(lang)
    return filled(
        "upgrade.md",
        guide=upgrade,
        parts=[(part.value, list(upgrade.entries(part, lang))) for part in Part],
        whole=(Part.USED, Part.BREAKS),
        most=_IN_SIGHT,
        urls={sha: web.commit(upgrade.repo, sha) for sha in upgrade.titles},
        w=words["page"],
        own=words["upgrade"],
        signs=words["signs"],
    )


def upgrade_json(upgrade: Upgrade) -> dict[str, Any]:
    """Give the guide as plain data, each item with its part and with the commits as they are cited."""
    shown = [one for one in upgrade.items if one.part]
    return upgrade.model_dump(mode="json", exclude={"items", "titles"}) | {
        "items": [_item(upgrade, one) for one in shown],
        "uses": [use.model_dump(mode="json") for one in shown for use in one.uses],
    }


def _item(upgrade: Upgrade, item: Item) -> dict[str, Any]:
    fact = item.fact.model_dump(mode="json")
    best = fact["places"][0] if fact["places"] else {"file": None, "line": None, "lines": []}
    cites = [commit_id(upgrade.repo, sha) for sha in item.commits]
    return fact | best | {"part": item.part, "cites": cites, "backwards": item.backwards}
