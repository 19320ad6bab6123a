"""An upgrade guide as Markdown and as data."""

from collections.abc import Iterator
from typing import Any

from agent.catalogue import catalogue
from agent.ids import commit_id
from agent.settings import Language
from agent.templates import params_of_several, sentence
from agent.upgrade import Entry, Item, Part, Upgrade, entries
from agent.web import Web
from gitzette.render.markdown import filled

_IN_SIGHT = 15
"""Entries of a part in front of its fold; all of what breaks is in sight."""


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Write the guide in one language."""
    words = catalogue(lang)
    parts = [(part.value, list(_told(upgrade, part, lang))) for part in Part]
    commits = (*upgrade.titles, *upgrade.lacking)
    return filled(
        "upgrade.md",
        guide=upgrade,
        parts=parts,
        most=_IN_SIGHT,
        titles={**upgrade.titles, **upgrade.lacking},
        urls={sha: web.commit(upgrade.repo, sha) for sha in commits},
        w=words["page"],
        own=words["upgrade"],
        signs=words["signs"],
    )


def _told(upgrade: Upgrade, part: Part, lang: Language) -> Iterator[dict[str, Any]]:
    """Write the sentences of a part, each with what to do about it."""
    for entry in entries(upgrade.of(part)):
        params = params_of_several(entry.facts)
        yield {
            "text": sentence("facts", params, lang),
            "advice": sentence("advices", params, lang) if part in (Part.USED, Part.BREAKS, Part.CHANGED) else None,
            "entry": entry,
            "where": _where(entry),
        }


def _where(entry: Entry) -> str:
    places = dict.fromkeys(fact.places[0].file for fact in entry.facts if fact.places)
    return next(iter(places), "") if len(places) == 1 else ""


def upgrade_json(upgrade: Upgrade) -> dict[str, Any]:
    """Give the guide as plain data, each item with its part and with the commits as they are cited."""
    shown = [one for one in upgrade.items if one.part]
    ends = {end: getattr(upgrade, end).model_dump(mode="json") for end in ("old", "new")}
    return {
        "repo": upgrade.repo,
        **ends,
        "commits": len(upgrade.titles),
        "lacking": len(upgrade.lacking),
        "items": [_item(upgrade, one) for one in shown],
        "undone": [one.model_dump() for one in upgrade.undone],
        "uses": [use.model_dump(mode="json") for one in shown for use in one.uses],
        "skipped": list(upgrade.skipped),
    }


def _item(upgrade: Upgrade, item: Item) -> dict[str, Any]:
    fact = item.fact.model_dump(mode="json")
    best = fact["places"][0] if fact["places"] else {"file": None, "line": None, "lines": []}
    cites = [commit_id(upgrade.repo, sha) for sha in item.commits]
    return fact | best | {"part": item.part, "cites": cites, "backwards": item.backwards}
