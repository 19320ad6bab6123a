"""The other editions as Markdown: a week out of its days, and the guide between two versions."""

from typing import Any

from agent.domain.base import Language, commit_id
from agent.domain.links import StoryKind
from agent.domain.upgrade import Part, Upgrade
from agent.editions.upgrade import entries
from agent.editions.week import MOST_WORDS, Week
from agent.web import Web
from gitzette.render.compose import page_model
from gitzette.render.markdown import filled
from gitzette.render.model import row_id, words_in
from gitzette.render.view import cut_title

_LISTED = 6
"""Stories, and pairs of changes and their reverts, that a week tells; the others are counted."""
_KNOWING = 12
"""Commits worth knowing that are told by one line; their words, and those beside the sentences, are set aside."""
_LINE, _FRAME = 16, 100
_IN_SIGHT = 15
"""Entries of a guide's part in front of its fold; all of what breaks or is used is in sight."""


def week_page(week: Week, lang: Language, web: Web) -> str:
    """Write what stands of a week in a thousand words; the rest is in the daily reports."""
    rows = {row_id(row): row for row in week.report.ledger}
    pairs = [(cut_title(rows[one.change])[0], (one.change, one.undone_by)) for one in week.came_and_went]
    # A story has its first title for a name; those of what came and went are told already.
    named = [(next((step.title for step in one.timeline if step.title), ""), one) for one in week.report.stories]
    fresh = [(title, one) for title, one in named if title and one.kind is not StoryKind.RELEASED]
    told = [(title, one.steps[-3:]) for title, one in fresh if not any({*pair} <= {*one.steps} for _, pair in pairs)]
    taken = sum(words_in(title) + 2 * len(cites) for title, cites in (*pairs[:_LISTED], *told[:_LISTED]))
    page = page_model(week.report, lang, web, MOST_WORDS - taken - _KNOWING * _LINE - _FRAME)
    lists = {"pairs": pairs, "stories": told, "knowing": page.sections[1].items[:_KNOWING], "most": _LISTED}
    return filled("week.md", lang, web, page=page, week=week, **lists)


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Write the guide in one language."""
    parts = [(part.value, list(entries(upgrade, part, lang))) for part in Part]
    urls = {sha: web.commit(upgrade.repo, sha) for sha in upgrade.titles}
    whole = (Part.USED, Part.BREAKS)
    return filled("upgrade.md", lang, web, guide=upgrade, parts=parts, whole=whole, most=_IN_SIGHT, urls=urls)


def upgrade_json(upgrade: Upgrade) -> dict[str, Any]:
    """Give the guide as plain data, each item with its part and with the commits as they are cited."""
    items = []
    for one in (one for one in upgrade.items if one.part):
        fact = one.fact.model_dump(mode="json")
        best = fact["places"][0] if fact["places"] else {"file": None, "line": None, "lines": []}
        cites = [commit_id(upgrade.repo, sha) for sha in one.commits]
        items.append(fact | best | {"part": one.part, "cites": cites, "backwards": one.backwards})
    uses = [use.model_dump(mode="json") for one in upgrade.items if one.part for use in one.uses]
    return upgrade.model_dump(mode="json", exclude={"items", "titles"}) | {"items": items, "uses": uses}
