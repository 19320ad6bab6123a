"""What a report of ours says of itself: its table of contents, its highlights and its statistics."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from agent.audit.markdown_blocks import Block, Span
from agent.audit.own_entries import is_folded, naming, naming_place, pull_read, told_of
from agent.audit.own_layout import About, Layout, Section, equal, form_of, number_in
from agent.audit.own_sentences import said
from agent.audit.page import Page
from agent.audit.statement import Statement, shortened, structural
from agent.markdown import slug
from agent.triage import Tier

_COUNT = re.compile(r" \((\d+)\)$")
_TIERED = 3
"""The level of the headings of tiers."""
_LINES = re.compile(r"\+(\d+) −(\d+)")
_AUTHOR, _FILES, _CHANGED, _TIER, _DEPTH = 3, 4, 5, 6, 7
"""Columns of the table."""


def listed(page: Page, layout: Layout) -> Iterator[Statement]:
    """State that each line which leads to a heading calls it as it is called, and counts what it counts."""
    headings, taken = dict[str, int](), set[str]()
    for place, block in enumerate(page.blocks):
        if block.kind == "heading":
            headings[slug(block.text.strip("\n"), taken)] = place
    for place in layout.head:
        block = page.blocks[place]
        span = next((one for one in block.spans if one.kind == "link" and one.url.startswith("#")), None)
        heading = headings.get(unquote(span.url[1:])) if span is not None else None
        if span is not None and heading is not None and block.kind == "item":
            yield from _leading(layout, block, span, page.blocks[heading])
            section = next((one for one in layout.sections if one.place == heading), None)
            if section is not None:
                told = number_in(block.text[span.end :])
                yield equal(block.line, block.text, told, section.size, "commits listed")
            yield from _news(page, layout, block, span, heading)


def _leading(layout: Layout, block: Block, span: Span, heading: Block) -> Iterator[Statement]:
    named = naming(layout, heading)
    counted = _COUNT.search(heading.text) if named is None else None
    called = named.bare if named else _COUNT.sub("", heading.text).strip()
    why = "right" if " ".join(span.text.split()) == " ".join(called.split()) else "metadata"
    yield structural(block.line, "title", span.text, why, f"the heading is “{called}”")
    if counted:
        told = block.text[span.end :]
        yield equal(block.line, block.text, number_in(told), int(counted[1]), "entries below the heading")


def _news(page: Page, layout: Layout, block: Block, span: Span, heading: int) -> Iterator[Statement]:
    """State what a highlight says of its commit: in which repository it is, and its first news."""
    subject, repo = told_of(page, layout, heading), page.repos[heading]
    if subject is None or repo is None or naming(layout, page.blocks[heading]) is None:
        return
    mark, _, whose = block.text[: span.at].removesuffix(layout.say.colon).rpartition(" ")
    if "/" in whose:
        why = "right" if whose == repo else "metadata"
        yield structural(block.line, "repository", whose, why, f"the commit is one of {repo}")
    about = page.blocks[heading + 1].text if heading + 1 < len(page.blocks) else ""
    real = layout.say.breaking if about.startswith(f"{layout.say.breaking} · ") else ""
    # What stands deeper is a table of contents, which says no more than titles.
    if block.level == 1 and mark.strip() != real:
        why = f"the entry says {real or 'no such thing'}"
        yield structural(block.line, "label", block.text[: span.at], "label", why)
    if block.text.startswith(" — ", span.end):
        named = naming(layout, page.blocks[heading])
        pull = pull_read(page, layout, repo, named)
        subject = named.subject or subject if named and named.pair else subject
        yield from said(layout, About(block.line, subject, repo), block, span.end + 3, "fact", pull=pull)


def counted(page: Page, layout: Layout, section: Section) -> Iterator[Statement]:
    """State that each heading of a tier or of a folded group has as many entries below it as it says."""
    sizes = Counter[str]()
    for place in section.others:
        block = page.blocks[place]
        found = _COUNT.search(block.text.rstrip()) if block.kind in ("heading", "paragraph") else None
        name = _COUNT.sub("", block.text.rstrip()) if found else ""
        folded = is_folded(layout, block)
        tiered = block.kind == "heading" and block.level == _TIERED and (name in _tiers(layout))
        if found and (folded or tiered):
            yield equal(block.line, block.text, int(found[1]), _below(page, layout, place), "entries below")
            sizes[layout.say.tiers[Tier.NOISE] if folded else name] += int(found[1])
    form = form_of(layout.say.counts)
    for place in section.others:
        block = page.blocks[place]
        if block.kind == "paragraph" and (found := form.fullmatch(block.text.strip())):
            for tier in Tier:
                told, real = found[tier.value], sizes[layout.say.tiers[tier]]
                yield equal(block.line, block.text, number_in(told), real, f"{layout.say.tiers[tier]}")


def _tiers(layout: Layout) -> set[str]:
    return {*layout.say.tiers.values(), layout.say.not_read}


def _below(page: Page, layout: Layout, place: int) -> int:
    """Count the commits that are told below a heading, up to the next of its kind."""
    counts = Counter[str]()
    for at, block in enumerate(page.blocks[place + 1 :], place + 1):
        if block.kind == "rule" or (block.kind == "heading" and block.level <= _TIERED):
            break
        if block.kind == "paragraph" and _COUNT.search(block.text.rstrip()):
            break
        if block.kind in ("heading", "item") and (named := naming(layout, page.blocks[naming_place(page, layout, at)])):
            counts[block.kind] += 2 if named.pair else 1
    # Below the heading of a commit its lines may name others.
    return counts["heading"] or counts["item"]


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
            yield _kinds(page, layout, section, block, told.strip())
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


def _kinds(page: Page, layout: Layout, section: Section, block: Block, told: str) -> Statement:
    """State how often each type occurs in the table, which has no column for it: each commit is looked at again."""
    rows = [place for place in (*section.rows, *section.late) if page.subjects[place] is not None]
    read = [place for place in rows if page.blocks[place].inlines[_FILES].text.strip() != layout.say.not_counted]
    depths = tuple(page.blocks[place].inlines[_DEPTH].text.strip() for place in read)
    params = {mark: str(count) for mark, count in _shares(told, layout.say.comma).items()}
    commits = tuple(subject for place in read if (subject := page.subjects[place]))
    words = shortened(block.text)
    return Statement(block.line, "count", words, None, section.repo, "types", params, also=commits, lines=depths)


def _shares(told: str, comma: str) -> Mapping[str, int]:
    """Read `high 1, mid 7`; what is no number counts as nothing."""
    parts = [part.rpartition(" ") for part in told.split(comma)]
    return {mark: int(count) if count.isdecimal() else 0 for mark, _, count in parts}
