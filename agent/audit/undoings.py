"""Statements that a change takes back what a pull request brought."""

import re
from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.statement import Statement
from agent.audit.vocabulary import plain

_LEAD = 32
_REVERTS = re.compile(
    r"(?:\brevert(?:s|ed|ing)?|回退|回滚|撤销)(?:了)?\s*(?:the\s+)?(?:pr|pull request|合并请求)?\s*$", re.IGNORECASE
)


def undoings(page: Page) -> Iterator[Statement]:
    """State of each change that is said to revert a number that it does."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row"):
            continue
        for mention in page.mentions[place]:
            lead = plain(block.inlines[mention.cell].text[max(0, mention.at - _LEAD) : mention.at])
            said = _REVERTS.search(lead)
            if mention.kind != "thread" or mention.told == "issue" or mention.damaged or said is None:
                continue
            change = page.nearest(place, mention.at, mention.cell)
            if change is None or change.number == mention.number or (change.kind != "commit" and change.told != "pull"):
                continue
            words, params = f"{said[0]}#{mention.number}", {"number": str(mention.number)}
            yield Statement(mention.line, "sentence", words, change, page.repo_of(change, place), "reverts", params)
