"""Long texts as pages that fit into a conversation, cut between lines."""

from agent.errors import UsageError

LONGEST = 8_000
"""How many characters a page has at most, what is said about the next one not counted."""


def page_of(text: str, page: int) -> str:
    """Give one page of a text, and say how to get the next one."""
    pages = _cut(text)
    if not 1 <= page <= len(pages):
        raise UsageError(f"there is no page {page}; pages go from 1 to {len(pages)}")
    if len(pages) == 1:
        return pages[0]
    more = f"call again with page={page + 1} for the next one" if page < len(pages) else "this was the last one"
    return f"{pages[page - 1].rstrip()}\n\n(page {page} of {len(pages)}; {more})\n"


def _cut(text: str) -> list[str]:
    """Cut between lines; a line that is longer than a page is cut where the page ends."""
    pages, page = [], ""
    for line in text.splitlines(keepends=True):
        for piece in (line[at : at + LONGEST] for at in range(0, len(line), LONGEST)):
            if page and len(page) + len(piece) > LONGEST:
                pages.append(page)
                page = ""
            page += piece
    return [*pages, page] if page or not pages else pages
