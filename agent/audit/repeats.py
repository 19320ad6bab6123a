"""Entries and paragraphs of a report that say a thing twice."""

import re
from collections.abc import Iterator

from agent.audit.markdown_blocks import Block
from agent.audit.page import Page
from agent.audit.statement import Statement, structural
from agent.audit.vocabulary import ATTRIBUTE, FILES_LABEL, plain

_LONG = 40
_HEAD = 4
"""How far into an entry the commit may stand that heads it."""
_SHARED = 0.6


def repeats(page: Page) -> Iterator[Statement]:
    """Find entries and paragraphs that stand twice, and items that say again what one before them says."""
    seen: dict[tuple[str, str, str], int] = {}
    group = ""
    for place, block in enumerate(page.blocks):
        if block.kind == "heading":
            group = block.text
        elif block.kind == "paragraph" and len(block.text) < _LONG:
            # The same label stands below every change; what follows it there is told of that change.
            subject = page.subjects[place]
            group = f"{block.text} {subject.words if subject else ''}"
        text = " ".join(plain(block.text).split())
        if block.kind not in ("item", "paragraph", "row") or len(text) < _LONG or (block.kind == "row" and block.level):
            continue
        if FILES_LABEL.match(text) or ATTRIBUTE.match(text) or all(span.kind == "link" for span in block.spans):
            continue
        first = seen.setdefault((group, block.kind, text), block.line)
        if first != block.line:
            yield structural(block.line, "repeat", text, "repeated", f"the same as line {first}")
    yield from _twice(page)
    yield from _again(page)
    yield from _once_more(page)


def _twice(page: Page) -> Iterator[Statement]:
    """Find a change that is an entry of its own twice in one list; to come back to it in a remark is none."""
    seen: dict[tuple[object, ...], Block] = {}
    heading, last = 0, ""
    for place, block in enumerate(page.blocks):
        if block.kind == "heading":
            heading = place
        lead = next((m for m in page.mentions[place] if m.kind == "commit" and m.sure and not m.damaged), None)
        headed = block.kind == "paragraph" and any(span.kind == "strong" for span in block.inlines[0].spans[:1])
        entry = block.kind == "row" or (block.kind == "item" and block.level == 1) or headed
        if lead is None or not entry or lead is not page.subjects[place]:
            continue
        # A second table with other columns says something else of the same change.
        key = (heading, block.kind, block.header, lead.sha[:7], str(page.repo_of(lead, place)))
        first = seen.setdefault(key, block)
        # Right behind its entry a hash opens a remark on it.
        heads, last = lead.at <= _HEAD and last != lead.sha[:7], lead.sha[:7]
        # A row that is called otherwise is about something else that the same change did.
        again = _opens_alike(first, block, lead.cell) if block.kind == "row" else heads or _retells(first, block)
        if first is not block and again:
            told = f"{lead.sha[:7]} is an entry of its own in line {first.line} too"
            yield structural(block.line, "repeat", block.text, "repeated", told)


def _opens_alike(first: Block, second: Block, cell: int) -> bool:
    """Tell whether two rows have the same words before the commit that they name; numbers and times are none."""
    pairs = zip(first.inlines[:cell], second.inlines[:cell], strict=False)
    return not any(one.text.strip() != two.text.strip() and re.search(r"[^\W\d_]", two.text) for one, two in pairs)


def _retells(first: Block, second: Block) -> bool:
    """Tell whether two entries share most words of the shorter one."""
    one, two = (
        set(re.findall(r"[a-z0-9_]{2,}|[\u4e00-\u9fff]", plain(block.text).lower())) for block in (first, second)
    )
    return len(one & two) >= _SHARED * max(1, min(len(one), len(two)))


def _once_more(page: Page) -> Iterator[Statement]:
    """Find an item that opens with a commit of which an item before it in the same list says all of this already."""
    before: dict[int | None, list[int]] = {}
    for place, block in enumerate(page.blocks):
        if block.kind == "heading":
            before = {}
        if block.kind != "item" or block.level < 2:
            continue
        siblings = before.setdefault(block.parent, [])
        lead = next((m.sha[:7] for m in page.mentions[place] if m.kind == "commit" and m.sure and m.at <= _HEAD), "")
        # Right behind its entry a hash opens a remark on it.
        for other in siblings[:-1] if lead and _codes(block) else ():
            first = page.blocks[other]
            named = any(m.kind == "commit" and m.sha.startswith(lead) for m in page.mentions[other])
            if named and _codes(block) <= _codes(first) and _retells(first, block):
                told = f"line {first.line} says it of {lead} already"
                yield structural(block.line, "repeat", block.text, "repeated", told)
        siblings.append(place)


def _codes(block: Block) -> set[str]:
    return {span.text for span in block.spans if span.kind == "code" and not re.fullmatch(r"[0-9a-f]{7,40}", span.text)}


def _again(page: Page) -> Iterator[Statement]:
    """Find a whole paragraph about a commit, or the heading of one, that stands in two parts of the report."""
    seen: dict[tuple[str, int, str, str], int] = {}
    for place, block in enumerate(page.blocks):
        subject, text = page.subjects[place], " ".join(plain(block.text).split())
        if subject is None or subject.kind != "commit" or block.kind not in ("heading", "paragraph"):
            continue
        own = block.kind == "heading" or any(m.kind == "commit" and m.sure for m in page.mentions[place])
        if not own or block.parent is not None or len(text) < _LONG:
            continue
        first = seen.setdefault((block.kind, block.level, subject.sha[:7], text), place)
        if any(one.kind == "heading" for one in page.blocks[first + 1 : place + 1]):
            told = f"the same as line {page.blocks[first].line}"
            yield structural(block.line, "repeat", text, "repeated", told)
