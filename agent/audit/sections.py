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
            if is_summary(one.text):
                return ()
            return tuple(found.values()) if len(found) <= _SEVERAL else _entry_above(page, place)
        for mention in page.mentions[before]:
            if mention.kind == "commit" and mention.sure:
                found.setdefault(mention.sha[:7], mention)
    return ()


def _entry_above(page: Page, place: int) -> tuple[Mention, ...]:
    """Find the entry of a long flat list that a remark follows: the last one before it which names one change."""
    block = page.blocks[place]
    for before in range(place - 1, -1, -1):
        one = page.blocks[before]
        if one.kind in ("heading", "rule") or (one.kind == "item" and one.level < block.level):
            break
        if one.kind != block.kind or one.level != block.level or one.parent != block.parent:
            continue
        commits = {m.sha[:7]: m for m in page.mentions[before] if m.kind == "commit" and m.sure}
        if page.mentions[before]:
            return tuple(commits.values()) if len(commits) == 1 else ()
    return ()
