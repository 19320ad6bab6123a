"""The entries of a report of ours: how each commit is named, measured, placed and quoted, and how it is listed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.audit.markdown_blocks import Block, Span
from agent.audit.mentions import Mention, linked
from agent.audit.own_layout import About, Layout, Section, coverage_told, form_of, links_here, number_in, zone_told
from agent.audit.own_sentences import excerpt, is_path_line, said, speech, tells, undone_pair
from agent.audit.own_tales import in_stories, told_story
from agent.audit.page import Page
from agent.audit.statement import Statement, structural
from agent.conventions import read_heading
from agent.ids import RepoId
from agent.templates import of_names_alone, sentence

_ENTRY = 4
_DASH = " — "
_DOT = " · "
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
    undone_by: tuple[Span, ...] = ()

    @property
    def subject(self) -> Mention | None:
        """Give the commit that is linked; hashes in a title are words of the title."""
        return linked(self.links[-1])


def entries(page: Page, layout: Layout, section: Section) -> Iterator[Statement]:
    """State what the entries of one repository print."""
    entry: int | None = None
    story = False
    for place in section.others:
        block = page.blocks[place]
        if block.kind == "heading":
            entry = naming_place(page, layout, place) if block.level == _ENTRY else None
            story = in_stories(layout, block)
        elif is_folded(layout, block):
            entry, story = None, False
        if story:
            yield from links_here(section, block)
            yield from told_story(page, layout, section, block)
        elif block.kind == "heading" or (entry is None and block.kind == "item"):
            yield from _named(page, layout, section, place if entry is None else entry)
        elif entry is not None and (subject := told_of(page, layout, entry)):
            yield from links_here(section, block)
            yield from _below(page, layout, About(block.line, subject, section.repo), entry, place)


def commits_told(page: Page, layout: Layout, section: Section) -> dict[str, Mention]:
    """Collect the commits of a part that are told as new, both of a pair, each once."""
    late = re.compile(rf"(?:^| · | \(){form_of(layout.say.late).pattern}(?:$| · |\))")
    found: dict[str, Mention] = {}
    entry = False
    for place in section.others:
        block = page.blocks[place]
        if block.kind == "heading" or is_folded(layout, block):
            entry = block.kind == "heading" and (block.level == _ENTRY or in_stories(layout, block))
        told = block.kind == "heading" or (block.kind == "item" and not entry)
        named = naming(layout, page.blocks[naming_place(page, layout, place)]) if told else None
        if named is None or named.subject is None:
            continue
        about = page.blocks[place + 1].text if block.kind == "heading" else block.text[named.links[-1].end :]
        if not late.search(about):
            found[named.subject.sha] = named.subject
            found |= {m.sha: m for span in named.undone_by if (m := linked(span))}
    return found


def is_folded(layout: Layout, block: Block) -> bool:
    """Tell whether a line heads a group of commits that is folded."""
    return block.kind == "paragraph" and any(
        re.fullmatch(rf"{re.escape(name)} \(\d+\)", block.text.strip()) for name in layout.say.noises.values()
    )


def naming_place(page: Page, layout: Layout, place: int) -> int:
    """Find the line that names the commit of an entry: its heading, or the line below a headline."""
    block, below = page.blocks[place], page.blocks[place + 1 : place + 2]
    headed = block.kind == "heading" and block.level == _ENTRY and naming(layout, block) is None
    return place + 1 if headed and below and below[0].kind == "paragraph" and naming(layout, below[0]) else place


def naming(layout: Layout, block: Block) -> Naming | None:
    """Read how a heading or an item names its commit; None where it begins with a link, as threads and releases do."""
    links = [span for span in block.spans if span.kind == "link"]
    commits = [span for span in links if "/commit/" in span.url and _HASH.fullmatch(span.text)]
    if not commits or links[0].at == 0:
        return None
    title = block.text[_headline_end(block) : commits[0].at].rstrip()
    mark = f"{layout.say.pair}{layout.say.colon}"
    pair = title.startswith(mark) and len(commits) > 1
    title = title.removeprefix(mark) if pair else title
    pulls = [span for span in links if re.fullmatch(r"#\d+", span.text) and span.at < commits[0].at]
    if not pulls or not title.endswith(f"({pulls[-1].text})"):
        return Naming(title, title, tuple(commits[:1]), pair, tuple(commits[1:]) if pair else ())
    bare = title.removesuffix(f"({pulls[-1].text})").rstrip()
    return Naming(title, bare, (pulls[-1], commits[0]), pair, tuple(commits[1:]) if pair else ())


def _headline_end(block: Block) -> int:
    """Tell where the headline in front of an item's title ends."""
    end, strong = 0, False
    for span in block.spans if block.kind == "item" else ():
        if span.kind not in ("strong", "code") or span.at != end:
            break
        end, strong = span.end, strong or span.kind == "strong"
    return end + len(_DOT) if strong and block.text.startswith(_DOT, end) else 0


def _named(page: Page, layout: Layout, section: Section, place: int) -> Iterator[Statement]:
    block = page.blocks[place]
    named = naming(layout, block)
    subject = named.subject if named else None
    if named is None or subject is None:
        return
    yield from links_here(section, block)
    make = About(block.line, subject, section.repo)
    yield make("title", named.title, "titled", title=named.title, exact="yes")
    if block.kind != "item":
        return
    end = (named.undone_by or named.links)[-1].end
    rest = block.text[end:]
    late = form_of(f" ({layout.say.late})").match(rest)
    if late is None:
        yield make("window", named.title, "new")
    else:
        yield make("date", late[0], "dated", at=late["p0"], tz=zone_told(page, layout), exact="yes")
    news = rest[late.end() :] if late else rest
    if series := _series(layout, news):
        why = "right" if series[1] == _part_of(named.title) else "number"
        yield structural(block.line, "count", series[0], why, f"the title is “{named.title}”")
    elif news.startswith(_DASH) and not _headline_end(block):
        pull = pull_read(page, layout, make.repo, named)
        yield from said(layout, make, block, block.text.index(news, end) + len(_DASH), "fact", pull=pull)


def _series(layout: Layout, news: str) -> tuple[str, tuple[int, int | None]] | None:
    """Read which part of a series a line is."""
    for form in (layout.say.part_of, layout.say.part):
        if found := form_of(f"{_DASH}{form}").fullmatch(news.rstrip()):
            numbers = [int(one) if one.isdecimal() else -1 for one in found.groups()]
            return news.strip(), (numbers[0], numbers[1] if len(numbers) > 1 else None)
    return None


def _part_of(title: str) -> tuple[int, int | None] | None:
    return read_heading(title).part


def pull_read(page: Page, layout: Layout, repo: RepoId, named: Naming | None) -> Mention | None:
    """Give the pull request whose words a report may quote beside the commit's: where it has read threads."""
    if named is None or len(named.links) == 1 or _without_threads(page, layout, repo):
        return None
    return linked(named.links[0])


def told_of(page: Page, layout: Layout, entry: int) -> Mention | None:
    """Give the commit that the lines below a heading are about: of a pair the one that came last."""
    named = naming(layout, page.blocks[entry])
    if named is None or not named.pair:
        return named.subject if named else None
    return next((one for one in reversed(page.mentions[entry]) if one.kind == "commit" and one.repo), None)


def _below(page: Page, layout: Layout, make: About, entry: int, place: int) -> Iterator[Statement]:
    block, say = page.blocks[place], layout.say
    named = naming(layout, page.blocks[entry])
    pull = pull_read(page, layout, make.repo, named)
    label, colon, _ = block.text.partition(say.colon)
    start = len(label) + len(colon)
    if place == entry and named is not None:
        yield from _about(page, layout, make, block.text[named.links[-1].end :].removeprefix(_DOT))
    elif (
        place == entry + 1 and page.blocks[entry].kind == "heading" and block.kind == "paragraph" and named is not None
    ):
        yield from (_times(page, layout, make, named, block) if named.pair else _about(page, layout, make, block.text))
    elif block.kind == "fence":
        yield from excerpt(make, block, page.blocks[place - 1])
    elif block.kind == "item" and colon and label in (say.scope, say.where):
        yield from _places(layout, make, block)
    elif block.kind == "item" and colon and label == say.kind:
        yield make("label", block.text, "purposed", purpose=block.text[start:].strip())
    elif block.kind == "item" and colon and label in (say.risk, say.advice):
        yield from said(layout, make, block, start, "risk" if label == say.risk else "advice", pull=pull)
    elif block.kind == "item" and block.text.strip() != say.changed:
        first = named is not None and named.pair and block.text.startswith(_undone(layout))
        told = About(block.line, named.subject, make.repo) if first and named and named.subject else make
        yield from said(layout, told, block, 0, "fact", pull=pull)
    elif block.kind == "paragraph" and colon and label == say.speech:
        yield from speech(make, block, start, pull=pull)
    elif block.kind == "paragraph" and is_path_line(block):
        yield make("path", block.text, "touches", path=block.text.strip(), exact="yes")


def _undone(layout: Layout) -> str:
    """Give how the sentence begins that says of the first of a pair that it was undone."""
    return (sentence("undone", {}, layout.lang) or "").partition("[")[0]


def _times(page: Page, layout: Layout, make: About, named: Naming, block: Block) -> Iterator[Statement]:
    """Read when and by whom a change landed and was undone."""
    first = named.subject
    told = undone_pair(layout, block, first, make.subject) if first else []
    if not told:
        yield structural(block.line, "date", block.text, "malformed", "no authors and no times")
    for subject, when, author in told:
        of = About(block.line, subject, make.repo)
        at = when if len(when) > len("00:00") else f"{layout.label} {when}"
        yield of("date", when, "dated", at=at, tz=zone_told(page, layout), exact="yes")
        yield of("author", author, "authored", author=author, exact="yes")


def _about(page: Page, layout: Layout, make: About, text: str) -> Iterator[Statement]:
    """Read the line that tells by whom, when and how large."""
    say, parts = layout.say, text.split(_DOT)
    late = form_of(say.late)
    whens = [found["p0"] if (found := late.fullmatch(part)) else part for part in parts]
    at = next((place for place, when in enumerate(whens) if _TIME.fullmatch(when)), None)
    if not at:
        yield structural(make.line, "date", text, "malformed", "no author and no time")
        return
    who = parts[:at]
    who = who[1:] if len(who) > 1 and who[0] == say.breaking else who
    if len(who) > 1 and who[0] in say.purposes.values():
        yield make("label", who[0], "purposed", purpose=who[0])
        who = who[1:]
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
    else:
        for note in part.split(say.comma):
            yield from _note(layout, make, note)


def _note(layout: Layout, make: About, note: str) -> Iterator[Statement]:
    say = layout.say
    if note == say.one_commit or form_of(say.commits).fullmatch(note):
        yield make("count", note, "brought", members=str(number_in(note) or 0))
    elif found := form_of(say.unreadable).fullmatch(note):
        yield make("statistics", note, "unreadable", count=found["p0"], files=found["p1"])
    elif re.match(r"[+−]?\d", note):
        yield structural(make.line, "statistics", note, "malformed", "no size that we would print")


def _places(layout: Layout, make: About, block: Block) -> Iterator[Statement]:
    """Hold the files that are named, the number of the others, and the functions in them to the commit."""
    files, inside, functions = block.text.partition(layout.say.inside)
    shown = [span for span in block.spans if span.kind == "code" and span.at < len(files)]
    for span in shown:
        yield make("path", span.text, "touches", path=span.text, exact="yes")
    rest = files[shown[-1].end :].strip() if shown else ""
    more = number_in(rest) or 0 if form_of(layout.say.more).fullmatch(rest) else 0
    told = f"{len(shown)} {rest}".strip()
    yield make("statistics", told, "counts", files=str(len(shown) + more), scope="whole", paths="")
    for names in functions.split(inside) if inside else ():
        yield tells(make, of_names_alone(names, layout.lang), "fact")


def _without_threads(page: Page, layout: Layout, repo: RepoId) -> bool:
    """Tell whether the report says that it read no thread of a repository."""
    return coverage_told(page, layout).get(repo) == layout.say.coverage["not read"]
