"""The entries of a report of ours: how each commit is named, measured, placed and quoted, and how it is listed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.audit.markdown_blocks import Block, Span
from agent.audit.mentions import Mention
from agent.audit.own_layout import About, Layout, Section, form_of, number_in, zone_told
from agent.audit.page import Page
from agent.audit.statement import Statement, shortened, structural
from agent.ids import RepoId

_ENTRY = 4
_HASH = re.compile(r"[0-9a-f]{7,40}")
_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d )?\d\d:\d\d")
_LINES = re.compile(r"\+(\d+) −(\d+)")


@dataclass(frozen=True)
class Naming:
    """How a line names a commit: its title, its pull request, its hash."""

    title: str
    """With the number of the pull request."""
    bare: str
    links: tuple[Span, ...]
    pair: bool = False
    """Whether it names a change and what undid it."""


def entries(page: Page, layout: Layout, section: Section) -> Iterator[Statement]:
    """State what the entries of one repository print."""
    entry: int | None = None
    for place in section.others:
        block = page.blocks[place]
        if block.kind == "heading":
            entry = place if block.level == _ENTRY else None
        if block.kind == "heading" or (entry is None and block.kind == "item"):
            yield from _named(page, layout, section, place)
        elif entry is not None and (subject := _told_of(page, layout, entry)):
            yield from _below(page, layout, About(block.line, subject, section.repo), entry, place)


def naming(layout: Layout, block: Block) -> Naming | None:
    """Read how a heading or an item names its commit; None where it begins with a link, as threads and releases do."""
    links = [span for span in block.spans if span.kind == "link"]
    commits = [span for span in links if "/commit/" in span.url and _HASH.fullmatch(span.text)]
    if not commits or links[0].at == 0:
        return None
    title = block.text[: commits[0].at].rstrip()
    mark = f"{layout.say.pair}{layout.say.colon}"
    pair = title.startswith(mark) and len(commits) > 1
    title = title.removeprefix(mark) if pair else title
    pulls = [span for span in links if re.fullmatch(r"#\d+", span.text) and span.at < commits[0].at]
    if not pulls or not title.endswith(f"({pulls[-1].text})"):
        return Naming(title, title, tuple(commits[:1]), pair)
    bare = title.removesuffix(f"({pulls[-1].text})").rstrip()
    return Naming(title, bare, (pulls[-1], commits[0]), pair)


def _named(page: Page, layout: Layout, section: Section, place: int) -> Iterator[Statement]:
    block, subject = page.blocks[place], page.subjects[place]
    named = naming(layout, block)
    if named is None or subject is None:
        return
    for span in named.links:
        why = "right" if f"/{section.repo}/" in f"{span.url}/" else "out of scope"
        yield structural(span.line, "repository", span.url, why, f"this part is about {section.repo}")
    make = About(block.line, subject, section.repo)
    yield make("title", named.title, "titled", title=named.title, exact="yes")


def _told_of(page: Page, layout: Layout, entry: int) -> Mention | None:
    """Give the commit that the lines below a heading are about: of a pair the one that came last."""
    named = naming(layout, page.blocks[entry])
    if named is None or not named.pair:
        return page.subjects[entry]
    return next((one for one in reversed(page.mentions[entry]) if one.kind == "commit" and one.repo), None)


def _below(page: Page, layout: Layout, make: About, entry: int, place: int) -> Iterator[Statement]:
    block, say = page.blocks[place], layout.say
    named = naming(layout, page.blocks[entry])
    if place == entry + 1 and block.kind == "paragraph" and named is not None and not named.pair:
        yield from _about(page, layout, make, block)
    elif block.kind == "item" and block.text.startswith((f"{say.scope}{say.colon}", f"{say.where}{say.colon}")):
        yield from _places(layout, make, block)
    elif block.kind == "paragraph" and block.text.startswith(f"{say.speech}{say.colon}"):
        # The words may be from the pull request, where the report has read it.
        sure = named is None or len(named.links) == 1 or _without_threads(page, layout, make.repo)
        yield from _speech(layout, make, block, strict=sure)


def _about(page: Page, layout: Layout, make: About, block: Block) -> Iterator[Statement]:
    """Read the line that tells by whom, when and how large."""
    say, parts = layout.say, block.text.split(" · ")
    late = form_of(say.late)
    whens = [found["p0"] if (found := late.fullmatch(part)) else part for part in parts]
    at = next((place for place, when in enumerate(whens) if _TIME.fullmatch(when)), None)
    if not at:
        yield structural(block.line, "date", block.text, "malformed", "no author and no time")
        return
    who = parts[:at]
    for known in ((say.breaking,), tuple(say.purposes.values())):
        who = who[1:] if len(who) > 1 and who[0] in known else who
    author = " · ".join(who)
    yield make("author", author, "authored", author=author, exact="yes")
    dated = len(whens[at]) > len("00:00") or ".." in layout.label
    when = whens[at] if dated else f"{layout.label} {whens[at]}"
    yield make("date", parts[at], "dated", at=when, tz=zone_told(page, layout), exact="yes")
    for part in parts[at + 1 :]:
        yield from _measure(layout, make, part)


def _measure(layout: Layout, make: About, part: str) -> Iterator[Statement]:
    say = layout.say
    if lines := _LINES.fullmatch(part):
        yield make("statistics", part, "counts", additions=lines[1], deletions=lines[2], scope="whole", paths="")
    elif part == say.one_file or form_of(say.files).fullmatch(part):
        yield make("statistics", part, "counts", files=str(number_in(part) or 0), scope="whole", paths="")
    elif part == say.one_commit or form_of(say.commits).fullmatch(part):
        yield make("count", part, "brought", members=str(number_in(part) or 0))


def _places(layout: Layout, make: About, block: Block) -> Iterator[Statement]:
    """Hold the files that are named, and the number of the others, to the commit."""
    shown = [span for span in block.spans if span.kind == "code"]
    for span in shown:
        yield make("path", span.text, "touches", path=span.text, exact="yes")
    rest = block.text[shown[-1].end :].strip() if shown else ""
    more = number_in(rest) or 0 if form_of(layout.say.more).fullmatch(rest) else 0
    told = f"{len(shown)} {rest}".strip()
    yield make("statistics", told, "counts", files=str(len(shown) + more), scope="whole", paths="")


def _without_threads(page: Page, layout: Layout, repo: RepoId) -> bool:
    """Tell whether the report says that it read no thread of a repository."""
    told = f"{repo} {layout.say.coverage['not read']}"
    return any(told in page.blocks[place].text for place in layout.footer)


def _speech(layout: Layout, make: About, block: Block, *, strict: bool) -> Iterator[Statement]:
    """State that the author's words are in the commit; marks of code may be the page's own, so words part there."""
    start = len(f"{layout.say.speech}{layout.say.colon}")
    edges = [edge for span in block.spans if span.kind == "code" for edge in (span.at, span.end)]
    pieces = [block.text[at:end] for at, end in zip((start, *edges), (*edges, None), strict=True)]
    said = block.text[start:].strip()
    parts = [part.strip(" “”") for piece in pieces for part in piece.split("” “")]
    lines = tuple(part for part in parts if re.search(r"\w", part))
    about, repo = make.subject, make.repo
    yield Statement(block.line, "code", shortened(said), about, repo, "shows", lines=lines, strict=strict)
