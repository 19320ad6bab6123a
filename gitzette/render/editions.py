"""The other editions as Markdown: a week out of its days, and the guide between two versions."""

from collections.abc import Iterator
from typing import Any

from agent.domain.base import Language, commit_id
from agent.domain.links import StoryKind
from agent.editions.upgrade import Part, Upgrade
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
    pairs, stories = list(_pairs(week)), list(_stories(week))
    taken = sum(words_in(title) + 2 * len(cites) for title, cites in (*pairs[:_LISTED], *stories[:_LISTED]))
    page = page_model(week.report, lang, web, MOST_WORDS - taken - _KNOWING * _LINE - _FRAME)
    knowing = page.sections[1].items[:_KNOWING]
    return filled(
        "week.md", lang, web, page=page, week=week, most=_LISTED, knowing=knowing, pairs=pairs, stories=stories
    )


def _pairs(week: Week) -> Iterator[tuple[str, tuple[str, ...]]]:
    rows = {row_id(row): row for row in week.report.ledger}
    for pair in week.came_and_went:
        yield cut_title(rows[pair.change])[0], (pair.change, pair.undone_by)


def _stories(week: Week) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Name the stories by their first title; those of what came and went are told already."""
    pairs = [{pair.change, pair.undone_by} for pair in week.came_and_went]
    for story in week.report.stories:
        titles = [step.title for step in story.timeline if step.title]
        if titles and story.kind is not StoryKind.RELEASED and not any(pair <= {*story.steps} for pair in pairs):
            yield titles[0], story.steps[-3:]


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Write the guide in one language."""
    parts = [(part.value, list(upgrade.entries(part, lang))) for part in Part]
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
