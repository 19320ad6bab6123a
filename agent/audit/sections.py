"""The changes that an entry without one of its own goes on about: those that its part of the report has named."""

from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.summaries import is_summary

_SEVERAL = 4
"""How many changes a part may have named and still leave no doubt that an entry is about one of them."""


def changes_above(page: Page, place: int) -> tuple[Mention, ...]:
    """List the commits that stand between a heading and an entry which names nothing itself."""
    block = page.blocks[place]
    if block.kind not in ("item", "paragraph") or page.subjects[place] is not None or page.mentions[place]:
        return ()
    found: dict[str, Mention] = {}
    for before in range(place - 1, -1, -1):
        one = page.blocks[before]
        if one.kind == "rule":
            break
        if one.kind == "heading":
            return tuple(found.values()) if len(found) <= _SEVERAL and not is_summary(one.text) else ()
        for mention in page.mentions[before]:
            if mention.kind == "commit" and mention.sure:
                found.setdefault(mention.sha[:7], mention)
    return ()
