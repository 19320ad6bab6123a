"""Statements that a message has words with a number in them: a sentence is judged without its references."""

import re
from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import plain

_WRITTEN = re.compile(
    r"(?:\b(?:commit )?(?:message|description|body)\b|提交(?:信息|说明|日志|描述))[^“”\"。；.;]{0,16}[“\"]"
    r"(?P<words>[^“”\"\n]{0,80}#\d{1,7}[^“”\"\n]{0,80})[”\"]",
    re.IGNORECASE,
)


def wordings(page: Page) -> Iterator[Statement]:
    """State of each such quotation that the message of the change beside it has it."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row"):
            continue
        for cell, inline in enumerate(block.inlines):
            for found in _WRITTEN.finditer(plain(inline.text)):
                change = page.nearest(place, found.start(), cell)
                if change is None or change.kind != "commit" or not change.sure:
                    continue
                line, params = inline.line_at(found.start("words")), {"words": found["words"].strip()}
                words = shortened(found["words"])
                yield Statement(line, "sentence", words, change, page.repo_of(change, place), "writes", params)
