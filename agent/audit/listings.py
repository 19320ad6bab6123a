"""Rows of a table that name a commit by its title alone."""

from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import AUTHOR_COLUMN, TITLE_COLUMN, plain

_LEAST = 3
"""How many words tell a title from a label."""
_TOLD = ("change", "变更")
"""Columns that may describe and need not quote."""


def listings(page: Page) -> Iterator[Statement]:
    """State of each row without a hash or a number that a commit of this title landed, by whom it says."""
    for place, block in enumerate(page.blocks):
        repo = page.repos[place]
        named = page.mentions[place] or page.subjects[place] is not None
        if block.kind != "row" or block.level or repo is None or named:
            continue
        cells = {
            plain(name).strip(): inline.text.strip() for name, inline in zip(block.header, block.inlines, strict=False)
        }
        title = next(
            (text for name, text in cells.items() if TITLE_COLUMN.match(name) and name.lower() not in _TOLD), ""
        )
        author = next((text for name, text in cells.items() if AUTHOR_COLUMN.match(name)), "")
        if len(title.split()) >= _LEAST:
            params = {"title": title, "author": plain(author).strip("`* ")}
            yield Statement(block.line, "title", shortened(title), None, repo, "listed", params)
