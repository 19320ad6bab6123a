"""Sentences of a report's summary, which cite nothing and sum up what its entries say."""

import re
from collections.abc import Iterator

from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import HEDGED, plain

_SUMMARY = re.compile(
    r"摘要|总览|概览|概述|总结|小结|要点|亮点|一句话|速览|导读|重点"
    r"|summary|overview|highlights|tl;?dr|at a glance|in short",
    re.IGNORECASE,
)
_LEAST, _MOST = 8, 60
_LEAD = 20


def is_summary(heading: str) -> bool:
    """Tell whether a heading or a label opens a summary."""
    return _SUMMARY.search(heading) is not None


def summaries(page: Page) -> Iterator[Statement]:
    """State that the commits of the whole report bear out each sentence of its summary."""
    cited = _cited(page)
    if not 0 < len(cited) <= _MOST:
        return
    heading = ""
    for place, block in enumerate(page.blocks):
        heading = block.text if block.kind == "heading" else heading
        if block.kind not in ("item", "paragraph") or page.subjects[place] is not None:
            continue
        for cell, inline in enumerate(block.inlines):
            text, start = plain(inline.text), 0
            if not is_summary(heading) and not is_summary(text[:_LEAD]):
                continue
            for end in (*page.sentence_ends(place, cell), len(text)):
                sentence, line = text[start:end].strip(), inline.line_at(start)
                bare = not page.within(place, cell, start, end)
                start = end
                if bare and len(sentence) >= _LEAST and not HEDGED.search(sentence):
                    about, *also = cited
                    repo = page.repo_of(about, 0)
                    params = {"text": sentence}
                    words = shortened(sentence)
                    yield Statement(line, "sentence", words, about, repo, "sums up", params, also=tuple(also))


def _cited(page: Page) -> list[Mention]:
    """List every commit that a report links, once; a bare hash may be one of a repository that is not said."""
    alone = len(page.spoken_of) == 1
    found: dict[str, Mention] = {}
    for mentions in page.mentions:
        for mention in mentions:
            if mention.kind == "commit" and mention.sure and not mention.damaged and (mention.repo or alone):
                found.setdefault(mention.sha[:7], mention)
    return list(found.values())
