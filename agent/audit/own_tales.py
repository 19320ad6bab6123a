"""The stories of a report of ours: their news, and a timeline of steps with day, title and what each does."""

import re
from collections.abc import Iterator

from agent.audit.markdown_blocks import Block
from agent.audit.mentions import linked
from agent.audit.own_layout import About, Layout, Section, form_of, number_in, zone_told
from agent.audit.own_sentences import tale
from agent.audit.page import Page
from agent.audit.statement import Statement, structural
from agent.conventions import read_heading
from agent.dates import stated

_DAY = re.compile(r"\d{4}-\d\d-\d\d(?= )")


def in_stories(layout: Layout, block: Block) -> bool:
    """Tell whether a heading opens the stories."""
    return block.kind == "heading" and block.text.strip() == layout.say.stories


def told_story(page: Page, layout: Layout, section: Section, block: Block) -> Iterator[Statement]:
    """State what one line of a story says."""
    if block.kind != "item":
        return
    if block.level == 1:
        # Without an earlier report the line begins with the commit that it speaks of.
        if any(one.kind == "link" and one.at == 0 for one in block.spans):
            yield from tale(layout, block, section.repo, 0)
            return
        label, colon, _ = block.text.partition(layout.say.colon.rstrip())
        yield from tale(layout, block, section.repo, len(label) + len(colon))
        yield from _since(layout, block, label)
    elif _DAY.match(block.text):
        yield from _step(page, layout, section, block)
    elif not form_of(layout.say.more).fullmatch(block.text.strip()):
        yield structural(block.line, "date", block.text, "malformed", "the step has no day")


def _since(layout: Layout, block: Block, label: str) -> Iterator[Statement]:
    """Hold the day of an earlier report to be before this one."""
    found = form_of(layout.say.update_since).fullmatch(label)
    if found is None:
        known = label in layout.say.story_kinds.values()
        if not known and re.search(r"\d", label):
            yield structural(block.line, "date", label, "malformed", "no label that we would print")
    elif not _DAY.match(f"{found['p0']} ") or found["p0"] >= layout.label:
        yield structural(block.line, "date", label, "metadata", f"the report is of {layout.label}")


def _step(page: Page, layout: Layout, section: Section, block: Block) -> Iterator[Statement]:
    span = next((one for one in block.spans if one.kind == "link"), None)
    target = linked(span) if span else None
    if span is None or target is None:
        yield structural(block.line, "commit", block.text, "malformed", "the step links nothing")
        return
    make = About(block.line, target, section.repo)
    title, _, act = block.text[span.end :].rpartition(" — ")
    day = block.text[: len("0000-00-00")]
    if stated(day) is None:
        yield structural(block.line, "date", day, "malformed", "no calendar has this day")
    if day > layout.label.rpartition("..")[2]:
        yield structural(block.line, "date", day, "metadata", f"the report is of {layout.label}")
    if target.kind in ("commit", "release"):
        yield make("date", day, "dated", at=day, tz=zone_told(page, layout), exact="yes")
    if title.strip() and target.kind != "release":
        thread = {"thread": "yes"} if target.kind == "thread" else {}
        yield make("title", title.strip(), "titled", title=title.strip(), exact="yes", **thread)
    if part := form_of(layout.say.acts["part"]).fullmatch(act.strip()):
        real = read_heading(title.strip()).part
        why = "right" if real and real[0] == number_in(part["p0"]) else "number"
        yield structural(block.line, "count", act, why, f"the title is “{title.strip()}”")
