"""What a report of ours says of a commit: its sentences, risks and advice, the author's words, and excerpts."""

import re
from collections.abc import Iterator
from dataclasses import replace

from agent.audit.markdown_blocks import Block, Span
from agent.audit.mentions import Mention, linked
from agent.audit.own_layout import About, Layout
from agent.audit.statement import Statement, shortened
from agent.templates import sentence

_CITING = ("undoes", "relands", "undone", "fixes", "likely fixes")
"""Sentences whose only value is what they cite."""
_QUOTED = re.compile(r"\s*“.*”\s*", re.DOTALL)


def said(layout: Layout, make: About, block: Block, start: int, predicate: str, *, sure: bool) -> Iterator[Statement]:
    """State what stands in a line from a place on: what is cited, then a sentence of ours or words of the author."""
    text = block.text
    while found := _citing(layout, text, start):
        yield from _cited(make, block, *found)
        start = found[2]
    rest = text[start:].strip()
    if _QUOTED.fullmatch(rest):
        yield from speech(make, block, start, strict=sure)
    elif rest:
        told = " ".join(rest.split())
        yield replace(make("code", told, "tells"), params={"text": told, "as": predicate}, strict=False)


def _citing(layout: Layout, text: str, start: int) -> tuple[str, int, int] | None:
    """Find a sentence that names another commit or an issue: which one it is, where its value stands, where it ends."""
    for predicate in _CITING:
        before, _, after = (sentence(predicate, {}, layout.lang) or "").partition("[@2]")
        form = re.compile(rf"\s*{re.escape(before)}(\S+?){re.escape(after)}(?=\s|$)")
        if found := form.match(text, start):
            return predicate, found.start(1), found.end()
    return None


def _cited(make: About, block: Block, predicate: str, at: int, end: int) -> Iterator[Statement]:
    span = next((one for one in block.spans if one.kind == "link" and at <= one.at < end), None)
    target = linked(span) if span is not None else None
    words = block.text[at:end]
    if target is None:
        yield replace(make("label", words, "linked"), found="label", evidence="what is cited is not linked")
    elif target.kind == "thread" and predicate == "fixes":
        issue = replace(target, told="issue")
        params = {"issue": str(target.number), "records": "unread"}
        yield Statement(block.line, "fix", words, issue, make.repo, "fixes", params, also=(make.subject,))
    elif target.kind == "thread":
        yield make("fix", words, "likely")
    elif target.kind == "commit":
        yield replace(make("commit", words, predicate), also=(target,))


def speech(make: About, block: Block, start: int, *, strict: bool) -> Iterator[Statement]:
    """State that the author's words are in the commit; marks of code may be the page's own, so words part there."""
    edges = [edge for span in block.spans if span.kind == "code" and span.at >= start for edge in (span.at, span.end)]
    pieces = [block.text[at:end] for at, end in zip((start, *edges), (*edges, None), strict=True)]
    said_ = block.text[start:].strip()
    parts = [part.strip(" “”") for piece in pieces for part in piece.split("” “")]
    lines = tuple(part for part in parts if re.search(r"\w", part))
    yield Statement(block.line, "code", shortened(said_), make.subject, make.repo, "shows", lines=lines, strict=strict)


def excerpt(make: About, block: Block, above: Block | None) -> Iterator[Statement]:
    """State that a fence shows lines of the file that is named above it, one after the other."""
    file = _file(above)
    params = {"file": file} if file else {}
    lines = tuple(block.code.rstrip("\n").split("\n"))
    told = shortened(block.code)
    yield Statement(block.line, "code", told, make.subject, make.repo, "excerpt", params, lines=lines)


def _file(above: Block | None) -> str:
    spans: tuple[Span, ...] = tuple(above.spans) if above is not None and above.kind == "paragraph" else ()
    return spans[0].text if len(spans) == 1 and spans[0].kind == "code" else ""


def is_path_line(block: Block) -> bool:
    """Tell whether a line only names the file of the excerpt below it."""
    return bool(_file(block))


def undone_pair(layout: Layout, block: Block, first: Mention, last: Mention) -> list[tuple[Mention, str, str]]:
    """Read when and by whom a change landed and was undone."""
    gap = r"(?P<{0}>(?:\d{{4}}-\d\d-\d\d )?\d\d:\d\d) \((?P<{0}_by>.*)\)"
    before, _, rest = layout.say.pair_times.partition("{landed}")
    between, _, after = rest.partition("{undone}")
    form = "".join(
        (re.escape(before), gap.format("landed"), re.escape(between), gap.format("undone"), re.escape(after))
    )
    found = re.fullmatch(form, block.text.strip())
    if found is None:
        return []
    return [(first, found["landed"], found["landed_by"]), (last, found["undone"], found["undone_by"])]
