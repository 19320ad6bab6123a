"""Statements that what is told as new landed in the days the report is about, and that nothing did."""

import re
from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import NOTHING_NEW, plain

_EARLIER = re.compile(
    r"(?:revert(?:s|ed|ing)?|回退|撤销|earlier|之前|previous(?:ly)?|since|introduced in|compare)\W*$", re.IGNORECASE
)


def windows(page: Page) -> Iterator[Statement]:
    """State once for each commit that it belongs to the report's days."""
    if page.days.first is None:
        return
    seen: set[tuple[str, str]] = set()
    for place, block in enumerate(page.blocks):
        for mention in page.mentions[place]:
            if mention.kind != "commit" or mention.damaged or not mention.sure:
                continue
            key = (str(page.repo_of(mention, place)), mention.sha[:7])
            if key in seen or _EARLIER.search(plain(block.inlines[mention.cell].text[: mention.at])[-24:]):
                continue
            seen.add(key)
            repo = page.repo_of(mention, place)
            yield Statement(mention.line, "window", shortened(mention.words), mention, repo, "new")
        if block.kind in ("paragraph", "item") and NOTHING_NEW.match(plain(block.text)) and page.repos[place]:
            params = {"commits": "0"}
            yield Statement(block.line, "coverage", block.text, None, page.repos[place], "landed", params)
