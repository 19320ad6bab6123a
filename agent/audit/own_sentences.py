"""What a report of ours says of a commit: its sentences, risks and advice, the author's words, and excerpts."""

import re
from collections.abc import Iterator
from dataclasses import replace

from agent.audit.markdown_blocks import Block, Span
from agent.audit.mentions import Mention, linked
from agent.audit.own_layout import About, Layout
from agent.audit.statement import Statement, shortened
from agent.claims import MARK
from agent.ids import RepoId
from agent.templates import sentence

CITING = (
    "undoes", "relands", "undone", "fixes", "likely fixes", "relands part", "undoes part", "mends", "continues",
    "same work", "refers to", "refers as said", "takes in",
)  # fmt: skip
"""Sentences whose only values are what they cite, and names."""
_NAMES: dict[str, str] = {}
_DASH = "— "
_QUOTED = re.compile(r"\s*“.*”\s*", re.DOTALL)


def said(
    layout: Layout, make: About, block: Block, start: int, predicate: str, *, pull: Mention | None
) -> Iterator[Statement]:
    """State what stands in a line from a place on: what is cited, then a sentence of ours or words of the author."""
    text = block.text
    cited: list[Statement] = []
    while found := _citing(layout, text, start):
        cited = list(_cited(make, block, *found))
        yield from cited
        start = found[2]
    rest = text[start:].strip()
    if rest.startswith(_DASH) and cited and cited[-1].also:
        called = rest.removeprefix(_DASH)
        yield About(block.line, cited[-1].also[-1], make.repo)("title", called, "titled", title=called, exact="yes")
    elif part := series(layout, make, block, start, len(text)):
        yield part
    elif _QUOTED.fullmatch(rest):
        yield from speech(make, block, start, pull=pull)
    elif rest:
        yield tells(make, rest, predicate)


def tells(make: About, text: str, predicate: str) -> Statement:
    """State that a sentence is one of those that the facts of a commit give."""
    told = " ".join(text.split())
    return replace(make("code", told, "tells"), params={"text": told, "as": predicate}, strict=False)


def _citing(layout: Layout, text: str, start: int) -> tuple[str, int, int] | None:
    """Find a sentence that names other commits or an issue: which one it is, where its values begin, where it ends."""
    for predicate in CITING:
        pieces = MARK.split((sentence(predicate, _NAMES, layout.lang) or "").replace("`", ""))[::2]
        plain = r"(\S+?)".join(map(re.escape, pieces)).replace("NAMES", r"[\w,、 ]+?")
        form = re.compile(r"\s*" + plain + r"(?=\s|$)")
        if found := form.match(text, start):
            return predicate, found.start(1), found.end()
    return None


def _cited(make: About, block: Block, predicate: str, at: int, end: int) -> Iterator[Statement]:
    spans = [one for one in block.spans if one.kind == "link" and at <= one.at < end]
    targets = [target for span in spans if (target := linked(span))]
    words = block.text[at:end]
    if not targets:
        yield replace(make("label", words, "linked"), found="label", evidence="what is cited is not linked")
    elif predicate == "fixes":
        issue = replace(targets[0], told="issue")
        # The report has read more records of closing than an audit does.
        fixed = Statement(block.line, "fix", words, issue, make.repo, "fixes", {"issue": str(issue.number)})
        yield replace(fixed, also=(make.subject,), strict=False)
    else:
        yield replace(make("commit", words, predicate), also=tuple(targets))


def series(layout: Layout, make: About, block: Block, start: int, end: int) -> Statement | None:
    """Read which part of a series a commit is said to be, by writing the sentence again from its numbers and links."""
    links = [one for one in block.spans if one.kind == "link" and start <= one.at < end]
    text = " ".join(block.text[start:end].split())
    bare = block.text[start:end]
    for link in reversed(links):
        bare = bare[: link.at - start] + bare[link.end - start :]
    numbers = re.findall(r"\d+", bare)
    targets = tuple(target for link in links if (target := linked(link)))
    for head in ({"part": 0}, {"part": 0, "total": 1}, {"part": 1, "total": 0}):
        params = {name: numbers[place] for name, place in head.items() if place < len(numbers)}
        rest = numbers[len(head) :]
        if len(params) != len(head) or len(rest) < len(links):
            continue
        landed, others = " ".join(rest[: len(links)]), rest[len(links) :]
        for cut in range(len(others), -1, -1):
            gaps = {"missing": " ".join(others[:cut])}
            values = {name: value for name, value in (params | {"landed": landed} | gaps).items() if value}
            if _filled(sentence("series", values, layout.lang) or "", [link.text for link in links]) == text:
                return replace(make("count", text, "series", **params, landed=landed, **gaps), also=targets)
    return None


def _filled(text: str, names: list[str]) -> str:
    """Put names in the place of marks, one after the other."""
    rest = iter(names)
    return " ".join(MARK.sub(lambda _: next(rest, ""), text).split())


def tale(layout: Layout, block: Block, repo: RepoId, start: int) -> Iterator[Statement]:
    """State what the news of a story say: in front of each sentence stands the commit that it speaks of."""
    colon = layout.say.colon
    links = [one for one in block.spans if one.kind == "link" and one.at >= start]
    heads = [one for one in links if block.text.startswith(colon.rstrip(), one.end)]
    for place, head in enumerate(heads):
        subject = linked(head)
        if subject is None:
            continue
        make = About(block.line, subject, repo)
        begin, end = head.end + len(colon), heads[place + 1].at if place + 1 < len(heads) else len(block.text)
        if found := _citing(layout, block.text[:end], begin):
            yield from _cited(make, block, *found)
        elif part := series(layout, make, block, begin, end):
            yield part


def speech(make: About, block: Block, start: int, *, pull: Mention | None) -> Iterator[Statement]:
    """State that the author's words are in the commit or its pull request; `pull` is None where none was read.

    Marks of code may be the page's own, so words part there.
    """
    edges = [edge for span in block.spans if span.kind == "code" and span.at >= start for edge in (span.at, span.end)]
    pieces = [block.text[at:end] for at, end in zip((start, *edges), (*edges, None), strict=True)]
    parts = [part.strip(" “”") for piece in pieces for part in piece.split("” “")]
    lines = tuple(part for part in parts if re.search(r"\w", part))
    spoken = make("code", block.text[start:].strip(), "speaks")
    yield replace(spoken, also=(pull,) if pull else (), lines=lines)


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
