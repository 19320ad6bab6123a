"""Our own reports: every number, date, name and count in their layout is a statement."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from agent.audit.markdown_blocks import Block
from agent.audit.mentions import linked
from agent.audit.own_claims import claims
from agent.audit.own_entries import commits_told, entries, naming
from agent.audit.own_layout import (
    About,
    Layout,
    Section,
    coverage_told,
    equal,
    form_of,
    links_here,
    members_told,
    number_in,
    read_layout,
    zone_told,
)
from agent.audit.own_lists import counted, listed, statistics
from agent.audit.page import Page
from agent.audit.statement import Statement, shortened, structural
from agent.dates import stated
from agent.errors import UsageError
from agent.web import Web
from agent.window import Window, zone


def own(page: Page) -> Iterator[Statement]:
    """State everything that a report of ours prints; nothing for a report of somebody else."""
    layout = read_layout(page)
    if layout is None:
        return
    yield from _heads(page, layout)
    yield from _releases(page)
    said: list[Statement] = []
    for section in layout.sections:
        yield from _section(page, layout, section)
        said += entries(page, layout, section)
        yield from counted(page, layout, section)
        yield from statistics(page, layout, section)
    yield from said
    yield from claims(page, layout, said)
    yield from listed(page, layout)
    yield from _footer(page, layout)


def own_window(page: Page) -> Window | None:
    """Read the period that a report of ours prints, to the minute."""
    layout = read_layout(page)
    for place in layout.head if layout else ():
        if layout and (found := form_of(layout.say.period).fullmatch(page.blocks[place].text.split(" · ")[0])):
            return _window(found["start"], found["end"], found["tz"])
    return None


def _releases(page: Page) -> Iterator[Statement]:
    """Hold each link to a release to the name that it shows."""
    for block in page.blocks:
        for span in block.spans:
            target = linked(span) if span.kind == "link" else None
            if target is not None and target.kind == "release":
                same = span.text.strip() in (target.tag, f"{target.repo}@{target.tag}")
                why = "right" if same else "label"
                yield structural(span.line, "label", span.text, why, f"the link goes to {target.tag}")


# ---------------------------------------------------------------- the head


def _heads(page: Page, layout: Layout) -> Iterator[Statement]:
    total = sum(one.size for one in layout.sections)
    failed = _failed(page, layout)
    # What stands below a repository in the table of contents is checked as an anchor only.
    names = tuple(f"{one.repo} (" for one in layout.sections) if _has_entries(page, layout) else ("",)
    listed = True
    for place in layout.head:
        block = page.blocks[place]
        listed = listed and block.kind != "heading"
        if block.kind == "paragraph" and " · " in block.text:
            yield from _period(layout, block)
            for part in block.text.split(" · ")[1:]:
                yield from _part(layout, block, part, total, failed)
        elif listed and _is_entry(block) and block.text.startswith(names):
            yield from _entry(layout, block)
    name = page.name.removesuffix(".md").removesuffix(".zh").removesuffix(".en")
    if re.match(r"\d{4}-\d\d-\d\d", name) and name != layout.label:
        told = f"the file is called {page.name}"
        yield structural(layout.title.line, "date", layout.label, "metadata", told)


def _is_entry(block: Block) -> bool:
    """Tell whether a line is one of the table of contents, at its first level."""
    return block.kind == "item" and block.level == 1 and any(span.url.startswith("#") for span in block.spans)


def _has_entries(page: Page, layout: Layout) -> bool:
    """Tell whether the table of contents goes further than repositories."""
    return any(page.blocks[place].kind == "item" and page.blocks[place].level > 1 for place in layout.head)


def _failed(page: Page, layout: Layout) -> int:
    """Count the repositories that the report says it could not cover."""
    form = form_of(layout.say.failed["code"])
    return sum(bool(form.search(page.blocks[place].text)) for place in layout.head)


def _period(layout: Layout, block: Block) -> Iterator[Statement]:
    head = block.text.split(" · ")[0]
    found = form_of(layout.say.period).fullmatch(head)
    window = _window(found["start"], found["end"], found["tz"]) if found else None
    label = window.label if window else "no period at all"
    why = "right" if label == layout.label else "metadata"
    yield structural(block.line, "date", f"{layout.label}: {head}", why, f"the period is {label}")


def _window(start: str, end: str, tz: str) -> Window | None:
    first, last = stated(start), stated(end)
    if first is None or last is None or first.hour is None or last.hour is None:
        return None
    try:
        where = zone(tz)
        moments = [datetime.fromisoformat(text).replace(tzinfo=where) for text in (start, end)]
        return Window(start=moments[0], end=moments[1], tz=tz)
    except (UsageError, ValueError):
        return None


def _part(layout: Layout, block: Block, part: str, total: int, failed: int) -> Iterator[Statement]:
    say, count = layout.say, number_in(part)
    late = sum(one.lateness for one in layout.sections)
    if part == say.one_repo or form_of(say.repos).fullmatch(part):
        yield equal(block.line, part, count, len(layout.sections) + failed, "repositories in this report")
    elif form_of(say.late_total).fullmatch(part):
        yield equal(block.line, part, count, late, "late commits in this report")
    elif form_of(say.landed).fullmatch(part):
        yield equal(block.line, part, count, total, "commits in this report")
    elif re.match(r"\d", part):
        yield structural(block.line, "count", part, "malformed", "no count that we would print")


def _entry(layout: Layout, block: Block) -> Iterator[Statement]:
    """Compare a line of the table of contents with its section."""
    text = block.text.strip()
    section = next((one for one in layout.sections if text.startswith(f"{one.repo} (")), None)
    if section is None:
        yield structural(block.line, "repository", text, "metadata", "the report has no part about this repository")
        return
    count = section.size
    yield equal(block.line, text, number_in(text.removeprefix(section.repo)), count, "commits listed")


# ---------------------------------------------------------------- a repository


def _section(page: Page, layout: Layout, section: Section) -> Iterator[Statement]:
    heading = page.blocks[section.place]
    yield from _totals(page, layout, section)
    for place in (*section.rows, *section.late):
        yield from _row(page, layout, section, place, late=place in section.late)
    params = {"label": layout.label, "shown": str(len(section.rows)), "late": str(len(section.late))}
    if section.rows:
        yield Statement(heading.line, "coverage", section.repo, None, section.repo, "complete", params)
    event: str | None = None
    for place in section.others:
        block = page.blocks[place]
        if block.kind == "heading":
            event = "" if block.text.strip() == layout.say.releases else None
        named = _event(layout, block)
        if named:
            event = named[0]
            items = _items_after(page, place)
            yield equal(block.line, block.text, named[1], items, "entries that follow")
        elif block.kind == "item" and event is not None and naming(layout, block) is None:
            yield from _entry_of(page, layout, section, place, event)


def _event(layout: Layout, block: Block) -> tuple[str, int] | None:
    if block.kind != "paragraph":
        return None
    for event, name in layout.say.events.items():
        if found := re.fullmatch(rf"{re.escape(name)} \((\d+)\)", block.text.strip()):
            return event, int(found[1])
    if re.fullmatch(r".{2,40} \(\d*\)", block.text.strip()):
        return "", number_in(block.text) or 0
    return None


def _items_after(page: Page, place: int) -> int:
    count = 0
    for block in page.blocks[place + 1 :]:
        if block.kind != "item":
            break
        count += 1
    return count


def _totals(page: Page, layout: Layout, section: Section) -> Iterator[Statement]:
    form = form_of(layout.say.branch)
    for place in section.others:
        block = page.blocks[place]
        if block.kind != "paragraph" or not any(span.kind == "link" for span in block.spans):
            continue
        text = block.text.replace("\n", " ")
        found = form.search(text)
        if found is None:
            continue
        rows = [page.blocks[row] for row in section.rows]
        yield from links_here(section, block)
        yield from _list_linked(page, section, block, found["branch"].strip("`"))
        params = {"branch": found["branch"].strip("`")}
        yield Statement(block.line, "coverage", found["branch"], None, section.repo, "branch", params)
        if not rows:
            params = {"commits": str(section.told)}
            yield Statement(block.line, "count", found["commits"], None, section.repo, "landed", params)
            yield _summed(page, layout, section, block, found)
            continue
        yield equal(block.line, found["commits"], number_in(found["commits"]), len(rows), "commits listed")
        added, deleted = _lines(rows)
        sums = (("files", _files(rows)), ("additions", added), ("deletions", deleted))
        for name, real in sums:
            yield equal(block.line, f"{name}: {found[name]}", number_in(found[name]), real, f"{name} of the rows")
        yield from _merges(layout, section, page, block, text)


def _list_linked(page: Page, section: Section, block: Block, branch: str) -> Iterator[Statement]:
    """Hold a link to a list of commits to the branch and the days of the report."""
    window = own_window(page)
    for span in block.spans:
        if window is not None and span.kind == "link" and "/commits/" in span.url:
            address = Web("").commits(section.repo, branch, window)
            why = "right" if span.url.endswith(address) else "label"
            yield structural(span.line, "label", span.url, why, f"the list of these commits is {address}")


def _summed(page: Page, layout: Layout, section: Section, block: Block, found: re.Match[str]) -> Statement:
    """State the files and lines of all commits of a part that has no table, where late ones do not count."""
    params = {name: str(number_in(found[name])) for name in ("files", "additions", "deletions")}
    merged = re.search(form_of(layout.say.merges).pattern + r"(?=$|\s)", block.text.replace("\n", " "))
    params |= {name: str(number_in(merged[name]) if merged else 0) for name in ("merges", "members")}
    commits = tuple(commits_told(page, layout, section).values())
    words = shortened(block.text)
    return Statement(block.line, "count", words, None, section.repo, "summed", params, also=commits)


def _merges(layout: Layout, section: Section, page: Page, block: Block, text: str) -> Iterator[Statement]:
    counts = [members_told(layout, page.blocks[row]) for row in section.rows]
    merged = [count for count in counts if count]
    found = re.search(form_of(layout.say.merges).pattern + r"(?=$|\s)", text)
    if found is None:
        if merged:
            yield structural(block.line, "count", text, "count", f"{len(merged)} merges are listed")
        return
    yield equal(block.line, found[0], number_in(found["merges"]), len(merged), "merges listed")
    yield equal(block.line, found[0], number_in(found["members"]), sum(merged), "commits in the merges listed")


def _files(rows: list[Block]) -> int:
    return sum(int(text) for row in rows if (text := row.inlines[4].text.strip()).isdecimal())


def _lines(rows: list[Block]) -> tuple[int, int]:
    pairs = [re.fullmatch(r"\+(\d+) −(\d+)", row.inlines[5].text.strip()) for row in rows]
    return sum(int(one[1]) for one in pairs if one), sum(int(one[2]) for one in pairs if one)


# ---------------------------------------------------------------- a row


def _row(page: Page, layout: Layout, section: Section, place: int, *, late: bool) -> Iterator[Statement]:
    block = page.blocks[place]
    yield from links_here(section, block)
    subject = page.subjects[place]
    if subject is None:
        yield structural(block.line, "commit", block.text, "malformed", "the row names no commit")
        return
    repo, cells = section.repo, [inline.text.strip() for inline in block.inlines]
    make = About(block.line, subject, repo)
    day = "" if late or ".." in layout.label else f"{layout.label} "
    yield make("date", cells[1], "dated", at=f"{day}{cells[1]}", tz=zone_told(page, layout), exact="yes")
    yield make("title", cells[2], "titled", title=cells[2], exact="yes")
    yield make("author", cells[3], "authored", author=cells[3], exact="yes")
    if members := members_told(layout, block):
        yield make("count", cells[2], "brought", members=str(members))
    if cells[4].isdecimal():
        yield make("statistics", cells[4], "counts", files=cells[4], scope="whole", paths="")
    elif cells[4] != layout.say.not_counted:
        yield structural(block.line, "statistics", cells[4], "malformed", "no number of files")
    lines = re.fullmatch(r"\+(\d+) −(\d+)", cells[5])
    if lines:
        yield make("statistics", cells[5], "counts", additions=lines[1], deletions=lines[2], scope="whole", paths="")
    elif cells[5]:
        yield structural(block.line, "statistics", cells[5], "malformed", "no number of lines")


def _entry_of(page: Page, layout: Layout, section: Section, place: int, event: str) -> Iterator[Statement]:
    """Read a line about an issue or a release."""
    block = page.blocks[place]
    yield from links_here(section, block)
    span = next((one for one in block.spans if one.kind == "link"), None)
    target = linked(span) if span is not None else None
    if span is None or target is None:
        return
    rest = block.text[span.end :].strip()
    target = replace(target, told="issue") if target.kind == "thread" else target
    make = About(block.line, target, section.repo)
    if target.kind == "thread":
        if waiting := re.search(f"{form_of(layout.say.waiting).pattern}$", rest.rpartition(" → ")[2]):
            count = str(number_in(waiting["comments"]))
            yield make("count", waiting[0], "waiting", thread="yes", comments=count)
        rest = _without_news(layout, rest)
        title, dash, author = rest.rpartition(" — ")
        yield make("title", title or rest, "titled", title=title or rest, exact="yes", thread="yes")
        if dash:
            yield make("author", author, "authored", author=author, exact="yes", thread="yes")
        if event:
            yield make("state", f"{event}: #{target.number}", "happened", event=event)
    else:
        if rest:
            yield make("title", rest, "named", name=re.sub(r" \([^()]*\)$", "", rest))


def _without_news(layout: Layout, text: str) -> str:
    """Take away what stands behind an issue's author: what addresses it, how it stands, how many wait for it."""
    say = layout.say
    starts = [*say.fixed.values(), *say.standings.values(), say.first_in, say.unreleased, say.waiting]
    heads = [re.escape(one.partition("{")[0]) if not one.startswith("{") else r"\d" for one in starts]
    return re.sub(rf" → (?:{'|'.join(heads)}).*$", "", text, flags=re.DOTALL)


# ---------------------------------------------------------------- the footer


def _footer(page: Page, layout: Layout) -> Iterator[Statement]:
    total = sum(one.size for one in layout.sections)
    for place in layout.footer:
        block = page.blocks[place]
        if block.kind != "paragraph":
            continue
        if found := form_of(layout.say.footer).fullmatch(block.text.strip()):
            yield equal(block.line, found["landed"], number_in(found["landed"]), total, "commits in this report")
            depths = ("deep", "skim", "list", "group", "failed")
            numbers = [number_in(found[name]) for name in depths]
            added = sum(number or 0 for number in numbers)
            yield equal(block.line, block.text, added, total, "commits in this report")
            unread = sum(
                page.blocks[row].inlines[4].text.strip() == layout.say.not_counted
                for one in layout.sections
                for row in (*one.rows, *one.late)
            )
            if (numbers[4] or 0) > unread:
                yield structural(block.line, "count", block.text, "count", f"{unread} rows were not read")
        elif form_of(layout.say.threads).fullmatch(block.text.strip()):
            yield from _coverage(page, layout, block)
        elif found := form_of(layout.say.graded).fullmatch(block.text.strip()):
            real = ", ".join(f"{grade} {count}" for grade, count in _grades(page, layout).items())
            why = "right" if found["p0"].split(layout.say.comma) == real.split(", ") else "count"
            yield structural(block.line, "count", block.text, why, f"linked on this page: {real}")


def _grades(page: Page, layout: Layout) -> dict[str, int]:
    """Count the links between issues and commits that the page prints, each once, by grade."""
    found: set[tuple[str, str, str]] = set()
    words = "|".join(map(re.escape, layout.say.fixed.values()))
    for section in layout.sections:
        for block in (page.blocks[place] for place in section.others):
            links = [one for one in block.spans if one.kind == "link"]
            for told in re.finditer(rf"(?:{words}) \S+ \(([A-C])\)", block.text):
                change = [one.url for one in links if told.start() <= one.at < told.end()]
                found |= {(links[0].url, url, told[1]) for url in change}
    return dict(sorted(Counter(grade for _, _, grade in found).items()))


def _coverage(page: Page, layout: Layout, block: Block) -> Iterator[Statement]:
    """Hold the repositories whose threads are accounted for to those that the page covers."""
    told, covered = coverage_told(page, layout), [section.repo for section in layout.sections]
    for repo in dict.fromkeys((*covered, *told)):
        why = "right" if repo in told and repo in covered else "metadata"
        yield structural(block.line, "repository", repo, why, f"how much of {repo} was read")
