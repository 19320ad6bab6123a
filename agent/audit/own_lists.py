"""What a report of ours says of itself: its table of contents, its highlights and its statistics."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from agent.audit.markdown_blocks import Block, Span
from agent.audit.own_entries import naming
from agent.audit.own_layout import Layout, Section, equal, number_in
from agent.audit.page import Page
from agent.audit.statement import Statement, structural
from agent.markdown import slug

_COUNT = re.compile(r" \((\d+)\)$")
_LINES = re.compile(r"\+(\d+) −(\d+)")
_AUTHOR, _CHANGED, _TIER, _DEPTH = 3, 5, 6, 7
"""Columns of the table."""


def listed(page: Page, layout: Layout) -> Iterator[Statement]:
    """State that each line which leads to a heading calls it as it is called, and counts what it counts."""
    headings, taken = dict[str, Block](), set[str]()
    for block in page.blocks:
        if block.kind == "heading":
            headings[slug(block.text.strip("\n"), taken)] = block
    for place in layout.head:
        block = page.blocks[place]
        span = next((one for one in block.spans if one.kind == "link" and one.url.startswith("#")), None)
        heading = headings.get(span.url[1:]) if span is not None else None
        if span is not None and heading is not None and block.kind == "item":
            yield from _leading(layout, block, span, heading)


def _leading(layout: Layout, block: Block, span: Span, heading: Block) -> Iterator[Statement]:
    named = naming(layout, heading)
    counted = _COUNT.search(heading.text) if named is None else None
    called = named.bare if named else _COUNT.sub("", heading.text).strip()
    why = "right" if " ".join(span.text.split()) == " ".join(called.split()) else "metadata"
    yield structural(block.line, "title", span.text, why, f"the heading is “{called}”")
    if counted:
        told = block.text[span.end :]
        yield equal(block.line, block.text, number_in(told), int(counted[1]), "entries below the heading")


def statistics(page: Page, layout: Layout, section: Section) -> Iterator[Statement]:
    """State that sums of the table are sums of the table."""
    rows = [[one.text.strip() for one in page.blocks[row].inlines] for row in (*section.rows, *section.late)]
    say, inside = layout.say, False
    for place in section.others:
        block = page.blocks[place]
        if block.kind == "heading":
            inside = block.text.strip() == say.statistics
        if not inside or block.kind != "item" or not rows:
            continue
        label, _, told = block.text.partition(say.colon)
        name = next((key for key, word in say.by.items() if word == label.strip()), "")
        if name == "purpose":
            yield _kinds(layout, block, told.strip(), _printed_kinds(page, layout, section), len(rows))
        elif name:
            yield _sum(layout, block, name, told.strip(), rows)


def _sum(layout: Layout, block: Block, name: str, told: str, rows: list[list[str]]) -> Statement:
    say = layout.say
    if name == "authors":
        return equal(block.line, block.text, number_in(told), len({row[_AUTHOR] for row in rows}), "authors listed")
    if name == "lines":
        pairs = [found for row in rows if (found := _LINES.fullmatch(row[_CHANGED]))]
        real = f"+{sum(int(one[1]) for one in pairs)} −{sum(int(one[2]) for one in pairs)}"
        return structural(block.line, "count", block.text, "right" if told == real else "count", f"the rows: {real}")
    shares = _shares(told, say.comma)
    counted = Counter(row[_TIER if name == "tier" else _DEPTH] for row in rows)
    del counted[""]
    real = say.comma.join(f"{mark} {count}" for mark, count in counted.items())
    return structural(block.line, "count", block.text, "right" if shares == counted else "count", f"the rows: {real}")


def _printed_kinds(page: Page, layout: Layout, section: Section) -> Counter[str]:
    """Count the types that entries name."""
    label = f"{layout.say.kind}{layout.say.colon}"
    items = [page.blocks[place] for place in section.others if page.subjects[place] is not None]
    told = [item.text for item in items if item.kind == "item" and item.level == 1 and item.text.startswith(label)]
    return Counter(text.removeprefix(label).strip() for text in told)


def _kinds(layout: Layout, block: Block, told: str, printed: Counter[str], rows: int) -> Statement:
    """Hold the types to their bounds: the table has no such column, only the larger entries name theirs."""
    shares, most = _shares(told, layout.say.comma), rows - printed.pop("—", 0)
    short = next((kind for kind, count in printed.items() if shares.get(kind, 0) < count), "")
    if short:
        return structural(block.line, "count", block.text, "count", f"entries of type {short}: {printed[short]}")
    why = "right" if sum(shares.values()) <= most else "count"
    return structural(block.line, "count", block.text, why, f"commits that have a type: at most {most}")


def _shares(told: str, comma: str) -> Mapping[str, int]:
    """Read `high 1, mid 7`; what is no number counts as nothing."""
    parts = [part.rpartition(" ") for part in told.split(comma)]
    return {mark: int(count) if count.isdecimal() else 0 for mark, _, count in parts}
