"""A week's edition as Markdown: what stands of its days in a thousand words; the rest is in the daily reports."""

from collections.abc import Iterator

from agent.domain.base import Language
from agent.domain.links import StoryKind
from agent.editions.week import MOST_WORDS, Week
from agent.web import Web
from gitzette.render.compose import page_model
from gitzette.render.markdown import Headings, filled
from gitzette.render.names import cut_title, named
from gitzette.render.pieces import words_in

_LISTED = 6
"""Stories, and pairs of changes and their reverts, that are told; the others are counted."""
_KNOWING = 12
"""Commits worth knowing that are told by one line; their words, and those beside the sentences, are set aside."""
_LINE, _FRAME = 16, 100


def week_page(week: Week, lang: Language, web: Web) -> str:
    """Write the edition in one language."""
    told = {part: list(lines) for part, lines in (("pairs", _pairs(week)), ("stories", _stories(week)))}
    shown = [line for lines in told.values() for line in lines[:_LISTED]]
    taken = sum(words_in(title) + 2 * len(cites) for title, cites in shown)
    page = page_model(week.report, lang, web, MOST_WORDS - taken - _KNOWING * _LINE - _FRAME)
    words = page.words
    return filled(
        "week.md",
        page=page,
        week=week,
        most=_LISTED,
        knowing=[*page.worth_knowing][:_KNOWING],
        cited=lambda cite: named(cite, None, web),
        w=words["page"],
        own=words["week"],
        signs=words["signs"],
        web=web,
        headings=Headings(),
        **told,
    )


def _pairs(week: Week) -> Iterator[tuple[str, tuple[str, ...]]]:
    rows = {f"{row.repo}@{row.sha}": row for row in week.report.ledger}
    for pair in week.came_and_went:
        yield cut_title(rows[pair.change])[0], (pair.change, pair.undone_by)


def _stories(week: Week) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Name the stories by their first title; those of what came and went are told already."""
    pairs = [{pair.change, pair.undone_by} for pair in week.came_and_went]
    for story in week.report.stories:
        titles = [step.title for step in story.timeline if step.title]
        if titles and story.kind is not StoryKind.RELEASED and not any(pair <= {*story.steps} for pair in pairs):
            yield titles[0], story.steps[-3:]
