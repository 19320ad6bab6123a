"""A report that was read: its blocks, and for each the repository and the change that it speaks of."""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from agent.audit.markdown_blocks import Block, Inline, read_blocks
from agent.audit.mentions import Mention, mentions_of
from agent.audit.vocabulary import ATTRIBUTE, COMMIT_COLUMN, ISSUE_COLUMN, PULL_COLUMN, SAME_CHANGE, SUBPART, plain
from agent.audit.whereabouts import Days, Names, days_of, language_of, repos_of
from agent.ids import RepoId
from agent.settings import Language

# The point behind an initial ends no sentence.
_SENTENCE_END = re.compile(r"[。！？；\n]|(?<! [A-Z])[.](?=\s)|[!?;](?=\s)|[:：](?=\n)")
_WRAPPED = 60
_AN_ISSUE = re.compile(
    r"(?:\b(?:issues?|fix(?:es|ed)?|close[sd]?|resolve[sd]?|report(?:s|ed)?|see|follow-?up (?:to|of)|reverts?|since"
    r"|after|like|builds? on|supersedes?|on top of)"
    r"|修复|关闭|解决|问题|请求|回退|自|参见|见|与|同|建立在|基于|取代)[^\n.。,，;；]{0,16}$",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[，,;；:：。]|\.\s")
# Who says "it reverts `abc1234`" goes on about what "it" is.
_IN_PASSING = re.compile(
    r"^\W*(?:it|its|this|that|these|they|the (?:commit|change|patch))\b|^\W*(?:它|其|该|此|这)"
    r"|\b(?:reverts?|since|after|before|like|unlike|besides|on top of|builds? on|follow(?:s|ing)?(?:-?up)?(?: to| of)?)"
    r"\W*$"
    r"|(?:回退|回滚|基于|建立在|继|自|参见|见|与|同|不同于)\W*$",
    re.IGNORECASE,
)
_EARLY = 40
"""How far into a line the commit of a section may stand."""
_OPENING = 16
"""How long a phrase may stand before the clause that opens a paragraph."""


@dataclass(frozen=True)
class _Around:
    """What a cell names, by place."""

    mentions: list[Mention]
    changes: list[Mention]
    pulls: list[Mention]
    ends: list[int]
    """Where its sentences end."""
    repos: list[tuple[int, RepoId]]


def _ends(inline: Inline) -> list[int]:
    """Find where sentences end, never inside code; a long line that breaks was only wrapped."""
    found, line = list[int](), 0
    code = [span for span in inline.spans if span.kind == "code"]
    for end in _SENTENCE_END.finditer(inline.text):
        place = bisect_right(code, end.start(), key=attrgetter("at"))
        if place and end.start() < code[place - 1].end:
            continue
        if end[0] == "\n":
            wrapped, line = end.start() - line > _WRAPPED, end.end()
            if wrapped:
                continue
        found.append(end.end())
    return found


def _beside(mentions: list[Mention], at: int) -> tuple[Mention | None, Mention | None]:
    """Give the last before a place and the first at it or behind."""
    place = bisect_left(mentions, at, key=attrgetter("at"))
    return mentions[place - 1] if place else None, mentions[place] if place < len(mentions) else None


@dataclass(frozen=True)
class Page:
    """Everything that reading alone can tell."""

    text: str
    name: str
    blocks: tuple[Block, ...]
    names: Names
    days: Days
    lang: Language
    repos: tuple[RepoId | None, ...]
    mentions: tuple[tuple[Mention, ...], ...]
    subjects: tuple[Mention | None, ...]
    _seen: dict[tuple[int, int], "_Around"] = field(default_factory=dict, repr=False, compare=False)
    _ids: dict[int, set[int]] = field(default_factory=dict, repr=False, compare=False)

    def repo_of(self, mention: Mention, block: int) -> RepoId | None:
        """Tell to which repository a mention points: its own, its part's, or the one named last before it."""
        if mention.repo:
            return self.names.known(mention.repo)
        if self.repos[block] is not None or id(mention) not in self._own(block):
            return self.repos[block]
        placed = self._around(block, mention.cell).repos
        last = bisect_left(placed, mention.at, key=itemgetter(0))
        return placed[last - 1][1] if last else None

    def nearest(self, block: int, at: int, cell: int = 0) -> Mention | None:
        """Find the change that a place in a block speaks of: one of its own sentence, the last before, the block's."""
        around = self._around(block, cell)
        subject = self.subjects[block]
        if not around.changes and len({m.number for m in around.pulls}) < 2:
            return subject
        ends = bisect_right(around.ends, at)
        start = around.ends[ends - 1] if ends else 0
        end = around.ends[ends] if ends < len(around.ends) else sys.maxsize
        before, behind = _beside(around.changes, at)
        if before is not None and before.at >= start:
            return before
        if behind is not None and behind.at < end:
            return behind
        # A sentence that names no commit speaks of the pull request that it names.
        asked, asked_behind = _beside(around.pulls, at) if subject is not None else (None, None)
        if asked is not None and asked.at >= start:
            return asked
        if asked_behind is not None and asked_behind.at < end:
            return asked_behind
        return before or subject

    def within(self, block: int, cell: int, start: int, end: int) -> list[Mention]:
        """List what a stretch of a cell names."""
        here = self._around(block, cell).mentions
        return here[bisect_left(here, start, key=attrgetter("at")) : bisect_left(here, end, key=attrgetter("at"))]

    def sentence_ends(self, block: int, cell: int) -> list[int]:
        """Tell where the sentences of a cell end."""
        return self._around(block, cell).ends

    def _around(self, block: int, cell: int) -> "_Around":
        """Look a cell through once, however often it is asked about: a paragraph may be endless."""
        if (block, cell) not in self._seen:
            inline = self.blocks[block].inlines[cell] if cell < len(self.blocks[block].inlines) else Inline()
            here = sorted((m for m in self.mentions[block] if m.cell == cell), key=attrgetter("at"))
            self._seen[block, cell] = _Around(
                mentions=here,
                changes=[m for m in here if _changes(m)],
                pulls=[m for m in here if m.kind == "thread" and m.told == "pull"],
                ends=_ends(inline),
                repos=self.names.placed(inline.text) if self.repos[block] is None else [],
            )
        return self._seen[block, cell]

    def _own(self, block: int) -> set[int]:
        if block not in self._ids:
            self._ids[block] = {id(mention) for mention in self.mentions[block]}
        return self._ids[block]

    @property
    def spoken_of(self) -> list[RepoId]:
        """List the repositories that the report names, in its order."""
        linked = (m.repo for mentions in self.mentions for m in mentions if m.repo)
        return list(dict.fromkeys(self.names.known(repo) for repo in (*self.repos, *linked) if repo))


def read_page(text: str, name: str, given: Iterable[RepoId]) -> Page:
    """Read a report."""
    blocks = read_blocks(text)
    names = Names(given, blocks)
    mentions = tuple(tuple(mentions_of(block)) for block in blocks)
    return Page(
        text=text,
        name=name,
        blocks=blocks,
        names=names,
        days=days_of(blocks, name, text),
        lang=language_of(text),
        repos=tuple(repos_of(blocks, names)),
        mentions=mentions,
        subjects=tuple(_subjects(blocks, mentions)),
    )


def _changes(mention: Mention) -> bool:
    # A damaged hash is still what its lines are about: they cannot be checked, and must not be checked against another.
    return mention.kind == "commit" and mention.sure


def _own(block: Block, mentions: Sequence[Mention]) -> Mention | None:
    """Find the change or thread that a block is about, if it names one."""
    linked = [m for m in mentions if _changes(m) and m.words.startswith("http")]
    commits = [m for m in mentions if _changes(m)]
    threads = [m for m in mentions if m.kind == "thread" and not m.damaged]
    if block.kind == "fence":
        return next(iter(commits), None)
    if block.kind == "row":
        return _of_row(block, mentions) or next(iter(commits), None) or _closing(block, threads)
    if block.kind in ("item", "paragraph", "heading"):
        # A link is worth more than the abbreviation that stands beside it.
        if commits:
            first = commits[0]
            return next((m for m in linked if m.sha.startswith(first.sha)), first)
        pulls = [m for m in threads if m.told == "pull"]
        issues = [m for m in threads if m.told == "issue" and m.repo]
        bare = (m for m in threads if not m.told and not _AN_ISSUE.search(_lead(block, m)))
        return next(iter(pulls), None) or _closing(block, threads) or next(iter(issues), None) or next(bare, None)
    return None


def _lead(block: Block, mention: Mention) -> str:
    """Give the words right before a mention."""
    return plain(block.inlines[mention.cell].text[max(0, mention.at - _EARLY) : mention.at])


def _of_row(block: Block, mentions: Sequence[Mention]) -> Mention | None:
    for form in (COMMIT_COLUMN, PULL_COLUMN, ISSUE_COLUMN):
        columns = {place for place, name in enumerate(block.header) if form.match(plain(name))}
        for mention in mentions:
            if mention.cell in columns and not mention.damaged and (mention.kind == "thread" or mention.sure):
                return mention
    return None


def _closing(block: Block, threads: Sequence[Mention]) -> Mention | None:
    """Find the number that closes a title, as squash merges write it."""
    for mention in reversed(threads):
        text = block.inlines[mention.cell].text
        before, after = text[: mention.at], text[mention.at + len(mention.words) :]
        if before.endswith("(") and after.startswith(")"):
            return mention
    return None


def _subjects(blocks: Sequence[Block], mentions: Sequence[Sequence[Mention]]) -> list[Mention | None]:
    """Follow the report from top to bottom and keep what it speaks of."""
    own = [_own(block, found) for block, found in zip(blocks, mentions, strict=True)]
    below = _from_below(blocks, own)
    subjects: list[Mention | None] = []
    section: Mention | None = None
    running: Mention | None = None
    named = False
    for place, block in enumerate(blocks):
        if block.kind in ("rule", "heading"):
            section = _headed(blocks, own, place) if block.kind == "heading" else None
            if section is None and block.kind == "heading" and SUBPART.search(block.text) and place:
                section = subjects[place - 1] if blocks[place - 1].kind != "rule" else None
            named = block.kind == "heading" and section is not None and section is own[place]
            running = section
            subjects.append(section)
            continue
        subject = below.get(place) or own[place]
        if subject is None and block.parent is not None:
            subject = subjects[block.parent]
        if subject is None and block.kind == "fence" and block.parent is not None:
            # Set in too little to be part of the item above it, it is still shown for that item.
            subject = subjects[place - 1] if blocks[place - 1].parent == block.parent else None
        if subject is None and block.kind == "item" and _goes_on(block.text):
            subject = _of_sibling(blocks, subjects, place)
        if not named and block.parent is None and block.kind in ("paragraph", "item"):
            running, section = _going_on(block, mentions[place], running, section)
        subjects.append(subject or (running if block.kind == "paragraph" and block.parent is None else section))
    return subjects


def _going_on(
    block: Block, mentions: Sequence[Mention], running: Mention | None, section: Mention | None
) -> tuple[Mention | None, Mention | None]:
    """Tell of what the next paragraphs and the next items speak: of the commit named last, where it is sure."""
    commits = {m.sha[:7]: m for m in reversed(mentions) if _changes(m)}
    if not commits or (running is not None and set(commits) == {running.sha[:7]}):
        return running, section
    first = next(m for m in mentions if _changes(m))
    lead = plain(block.inlines[first.cell].text[: first.at])
    opens = not _CLAUSE_END.search(lead[_OPENING:])
    if block.kind == "paragraph" and len(commits) == 1 and opens and not _IN_PASSING.search(lead):
        # Items may each be about something else, which nothing says.
        return first, section if section is not None and section.sha[:7] in commits else None
    return None, None


def _headed(blocks: Sequence[Block], own: Sequence[Mention | None], place: int) -> Mention | None:
    """Find what a heading is about: the commit it names, or that the lines below name, or its pull request."""
    named = own[place]
    if named is not None and named.kind == "commit":
        return named
    return _section_subject(blocks, own, place) or named


def _section_subject(blocks: Sequence[Block], own: Sequence[Mention | None], place: int) -> Mention | None:
    """Find the commit that the first lines below a heading name as its subject."""
    if len(_early(blocks, own, place)) > 1:
        # Each paragraph is about another one: the heading is that of a group.
        return None
    for after in range(place + 1, min(place + 3, len(blocks))):
        if blocks[after].kind != "paragraph" or blocks[after].parent is not None:
            return None
        mention = own[after]
        if mention is not None and mention.kind == "commit" and mention.at <= _EARLY:
            return mention
    return None


def _early(blocks: Sequence[Block], own: Sequence[Mention | None], place: int) -> set[str]:
    """List the commits that paragraphs of a part begin with."""
    found: set[str] = set()
    for after in range(place + 1, len(blocks)):
        mention = own[after]
        if blocks[after].kind == "heading" or len(found) > 1:
            break
        if (
            blocks[after].kind == "paragraph"
            and mention is not None
            and mention.kind == "commit"
            and mention.at <= _EARLY
        ):
            found.add(mention.sha[:7])
    return found


def _from_below(blocks: Sequence[Block], own: Sequence[Mention | None]) -> dict[int, Mention]:
    """Give an item the change that the first of its own items names."""
    named: dict[int, list[Mention]] = {}
    for block, mention in zip(blocks, own, strict=True):
        above = None if block.parent is None else own[block.parent]
        # The number that closes a title says less than the commit that its own lines name.
        bare = above is None or (above.kind == "thread" and not above.told)
        if block.parent is not None and mention is not None and bare and (above is None or mention.kind == "commit"):
            named.setdefault(block.parent, []).append(mention)
    # Where every sub-item names another change, the item above is only their heading.
    return {parent: ms[0] for parent, ms in named.items() if len({m.sha or m.number for m in ms}) == 1}


def _goes_on(text: str) -> bool:
    """Tell whether an item says more of what the one before it is about."""
    return bool(ATTRIBUTE.match(text) or SAME_CHANGE.match(text))


def _of_sibling(blocks: Sequence[Block], subjects: Sequence[Mention | None], place: int) -> Mention | None:
    """Find what the item before an attribute is about."""
    for before in range(place - 1, -1, -1):
        one = blocks[before]
        if one.kind in ("heading", "rule"):
            return None
        if one.kind == "item" and one.level == blocks[place].level:
            return subjects[before] if one.parent == blocks[place].parent else None
    return None
