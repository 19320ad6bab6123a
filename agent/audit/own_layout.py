"""The parts of a report of ours, and how statements about them are made."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent.audit.markdown_blocks import Block
from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.statement import Kind, Statement, shortened, structural
from agent.ids import RepoId
from agent.settings import Language
from agent.wordings import words
from agent.words import Words

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_COLUMNS = 8
_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_ELSEWHERE = re.compile(rf"({_NAME.pattern})[#@]")


@dataclass
class Section:
    """The part about one repository."""

    repo: RepoId
    place: int
    rows: list[int] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    told: int = 0
    """How many commits it says there are, where it has no table of them."""
    behind: int = 0
    """How many of its lines tell of a late commit, where it has no table of them."""

    @property
    def size(self) -> int:
        """How many commits the part is about."""
        return len(self.rows) + len(self.late) or self.told + self.behind

    @property
    def lateness(self) -> int:
        """How many of them landed late."""
        return len(self.late) or self.behind


@dataclass
class Layout:
    """A report of ours, by its parts."""

    lang: Language
    title: Block
    label: str
    head: list[int]
    sections: list[Section]
    footer: list[int]

    @property
    def say(self) -> Words:
        """Give the fixed words of its language."""
        return words(self.lang)


def read_layout(page: Page) -> Layout | None:
    """Find the parts; None where the title is not ours."""
    first = page.blocks[0] if page.blocks else None
    if first is None or first.kind != "heading" or first.level != 1:
        return None
    lang = _language(page)
    found = form_of(words(lang).title).fullmatch(first.text.strip())
    if found is None:
        return None
    layout = Layout(lang, first, found["p0"], [], [], [])
    _sort(page, layout)
    for section in layout.sections:
        section.behind = sum(_is_late(layout, page.blocks[place]) for place in section.others)
    return layout


def coverage_told(page: Page, layout: Layout) -> dict[str, str]:
    """Read from the footer how much was read of each repository's threads; repositories of the same state share it."""
    say = layout.say
    states = "|".join(re.escape(state) for state in sorted(say.coverage.values(), key=len, reverse=True))
    told: dict[str, str] = {}
    for place in layout.footer:
        found = form_of(say.threads).fullmatch(page.blocks[place].text.strip())
        for part in re.split(re.escape(say.semicolon), found["p0"]) if found else ():
            if shared := re.match(rf"(.+?) ({states})(?![^\s(]).*", part):
                told |= dict.fromkeys(shared[1].split(say.comma), shared[2])
    return told


def _language(page: Page) -> Language:
    """Tell the language by the words of the layout: the period, the columns, the contents."""
    head = page.blocks[1].text.split(" · ")[0] if len(page.blocks) > 1 else ""
    headers = {block.header for block in page.blocks if block.kind == "row" and block.level}
    for lang in LANGUAGES:
        say = words(lang)
        if form_of(say.period).fullmatch(head) or say.columns in headers or say.contents in page.text[:400]:
            return lang
    return page.lang


def _sort(page: Page, layout: Layout) -> None:
    """Put each block into its part."""
    section, late, ended = None, False, False
    for place, block in enumerate(page.blocks[1:], 1):
        if block.kind == "rule":
            ended = True
        elif ended:
            layout.footer.append(place)
        elif block.kind == "heading" and block.level == 2 and _NAME.fullmatch(block.text.strip()):
            section, late = Section(RepoId(block.text.strip()), place), False
            layout.sections.append(section)
        elif section is None:
            layout.head.append(place)
        elif block.kind == "heading":
            late = block.text.strip() == layout.say.late_heading
            section.others.append(place)
        elif block.kind == "row" and len(block.header) == _COLUMNS:
            if not block.level:
                (section.late if late else section.rows).append(place)
        else:
            section.others.append(place)
            found = (
                form_of(layout.say.branch).search(block.text.replace("\n", " ")) if block.kind == "paragraph" else None
            )
            section.told = (number_in(found["commits"]) or 0) if found else section.told


def _is_late(layout: Layout, block: Block) -> bool:
    """Tell whether a line tells of a commit that landed late."""
    form = form_of(layout.say.late)
    if block.kind == "paragraph":
        return any(form.fullmatch(part) for part in block.text.split(" · ")[1:])
    links = [span for span in block.spans if span.kind == "link" and "/commit/" in span.url]
    marked = re.compile(rf" \({form.pattern}\)")
    return block.kind == "item" and bool(links) and bool(marked.match(block.text, links[0].end))


def form_of(template: str) -> re.Pattern[str]:
    """Make a pattern of a template, with a group for each gap."""
    parts, count = re.split(r"(\{\w*\})", template), 0
    pattern = ""
    for part in parts:
        if gap := re.fullmatch(r"\{(\w*)\}", part):
            name = gap[1] if gap[1] and not gap[1].isdigit() else f"p{gap[1] or count}"
            count += 1
            pattern += f"(?P<{name}>.+?)"
        else:
            pattern += re.escape(part)
    return re.compile(pattern, re.DOTALL)


def number_in(text: str) -> int | None:
    """Read the first number of a text."""
    found = re.search(r"\d+", text)
    return int(found[0]) if found else None


def equal(line: int, words_: str, stated_: int | None, real: int, what: str) -> Statement:
    """State that a count on the page is the count of what it counts."""
    why = "right" if stated_ == real else "count"
    return structural(line, "count", words_, why, f"{what}: {real}")


def links_here(section: Section, block: Block) -> Iterator[Statement]:
    """Check that a line's links lead to the repository it is about."""
    for span in block.spans:
        if span.kind != "link" or span.url.startswith("#"):
            continue
        # What belongs elsewhere is called by its whole name.
        named = _ELSEWHERE.match(span.text)
        there = re.match("https?://", span.url) and f"/{named[1] if named else section.repo}/" in f"{span.url}/"
        why = "right" if there else "out of scope"
        yield structural(span.line, "repository", span.url, why, f"this part is about {section.repo}")


def members_told(layout: Layout, row: Block) -> int:
    """Read how many commits a row says that it brought in."""
    notes = row.inlines[2].text.rpartition(" — ")[2] if " — " in row.inlines[2].text else ""
    for note in re.split(r",\s|，", notes):
        if note == layout.say.one_commit or form_of(layout.say.commits).fullmatch(note.strip()):
            return number_in(note) or 0
    return 0


@dataclass(frozen=True)
class About:
    """Makes statements about one commit or thread of a line."""

    line: int
    subject: Mention
    repo: RepoId

    def __call__(self, kind: Kind, told: str, predicate: str, **params: str) -> Statement:
        """State one thing."""
        return Statement(self.line, kind, shortened(told), self.subject, self.repo, predicate, params)


def zone_told(page: Page, layout: Layout) -> str:
    """Give the time zone that the period names."""
    for place in layout.head:
        if found := form_of(layout.say.period).match(page.blocks[place].text.split(" · ")[0]):
            return found["tz"]
    return "UTC"
