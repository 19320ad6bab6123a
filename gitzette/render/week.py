"""A week's edition as Markdown: the page of its days, at most a thousand words of it in sight."""

from agent.settings import Language
from agent.web import Web
from agent.week import MOST_WORDS, Week
from gitzette.render.compose import page_model
from gitzette.render.markdown import Headings, filled
from gitzette.render.names import cut_title
from gitzette.render.page import words_in

_PAIRS = 8


def week_page(week: Week, lang: Language, web: Web) -> str:
    """Write the edition in one language."""
    rows = {f"{row.repo}@{row.sha}": row for row in week.report.ledger}
    pairs = [
        (
            cut_title(rows[pair.change])[0],
            [(rows[cite].sha, web.commit(rows[cite].repo, rows[cite].sha)) for cite in both],
        )
        for pair in week.came_and_went[:_PAIRS]
        for both in [(pair.change, pair.undone_by)]
    ]
    taken = sum(words_in(title) + 3 for title, _ in pairs)
    page = page_model(week.report, lang, web, MOST_WORDS - taken)
    words = page.words
    return filled(
        "week.md",
        page=page,
        week=week,
        pairs=pairs,
        more=max(0, len(week.came_and_went) - _PAIRS),
        w=words["page"],
        own=words["week"],
        signs=words["signs"],
        web=web,
        headings=Headings(),
    )
