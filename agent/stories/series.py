"""Numbered parts of one piece of work (`[2/N]`, `(2/3)`, `Part 2:`), put together as the series they belong to."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.links import Act, Story, StoryKind
from agent.stories.reverts import is_revert
from agent.stories.timeline import step, story

_APART, _NEXT_APART, _STRAIGHT = timedelta(days=60), timedelta(days=14), timedelta(days=3)
_SAME, _LIKE, _MOST_MISSING, _MOST_PARTS = 0.75, 0.5, 6, 24
_WORD = r"part|stage|phase|step"
PARTS = rf"[0-9][.0-9a-z]* ?/ ?[0-9nNxX]|({_WORD}) ?[#-]? ?[0-9]"
"""A rough form of every marker, for git and for Python alike."""
_PULL = re.compile(r"\s*\(#\d{1,9}\)\s*$")
_COUNTED = re.compile(
    rf"(?<![\w./=])(?P<word>(?:{_WORD}|stack)\s{{0,2}})?(?P<index>\d{{1,2}})(?:\.\d|[a-z])?\s?/\s?"
    r"(?P<total>\d{1,2}|[nx])(?![\w/.])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"(?<![^\s\[(（])(?P<word>{_WORD})[\s#-]{{0,2}}(?P<index>\d{{1,2}})(?=\s*(?:$|[\])）]|[:：,;]|[-–—]|\.(?:\s|$)))",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\[([^\[\]]{1,60})\]|【([^】]{1,60})】")
_LEAD = re.compile(r"\s*([\w][\w\s./+()-]{2,40}?)\s*(?:[:：]|\s[-–—]\s)")
_TOKEN = re.compile(r"[A-Za-z][\w+.]{3,}|[\u4e00-\u9fff]{2,}")
_SIGNS = " :：,;|-–—."


@dataclass(frozen=True)
class Part:
    """A title taken apart: which part of how many, `/` or a word before it, names in brackets or up to a colon."""

    index: int
    total: int | None
    form: str
    names: frozenset[str]
    words: frozenset[str]


Series = list[tuple[Headline, Part]]
"""The parts of one piece of work, oldest first."""


@lru_cache(maxsize=8192)
def read_part(title: str) -> Part | None:
    """Read which part a title says it is; None where it says nothing of the kind, or takes a part back."""
    text = _PULL.sub("", title.strip())[:400]
    match = next((one for one in _COUNTED.finditer(text) if _is_counted(one, text)), None) or _NUMBERED.search(text)
    if match is None or is_revert(text):
        return None
    total = match.groupdict().get("total")
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    return Part(
        index=int(match["index"]),
        total=int(total) if total and total.isdigit() else None,
        form="/" if total else match["word"].lower(),
        names=_names(rest),
        words=frozenset(word.lower().strip(".") for word in _TOKEN.findall(rest)),
    )


def _is_counted(match: re.Match[str], text: str) -> bool:
    """Tell `(2/3)` and `Part 2/3` from a fraction, a date and a pair of alternatives."""
    if not match["total"].isdigit():
        return True
    if not 0 < int(match["index"]) <= int(match["total"]) > 1:
        return False
    before, after = text[: match.start()], text[match.end() :]
    enclosed = re.search(r"[\[(（【][^\])）】]{0,50}$", before) and re.match(r"[^\[(（【]{0,30}[\])）】]", after)
    # Inside brackets the number may follow a name, but not a sign: `(k = 2/4)`.
    return bool(match["word"]) or (bool(enclosed) and not re.search(r"[=<>~×*]\s*$", before))


def _names(rest: str) -> frozenset[str]:
    tags = [" ".join((one[1] or one[2]).split()).strip(_SIGNS).lower() for one in _BRACKETS.finditer(rest)]
    lead = _LEAD.match(_BRACKETS.sub(" ", rest).replace("()", " "))
    return frozenset(filter(None, [*tags, lead[1].strip(_SIGNS).lower() if lead else ""]))


def series_of(heads: Sequence[Headline]) -> list[Series]:
    """Sort everything on a line, oldest first, that calls itself a part into series."""
    own = _own_names([head for head in heads if heads[-1].at - head.at <= _APART])
    found: list[Series] = []
    for head in heads:
        if part := read_part(head.title):
            home = _home(head, part, found, own)
            if home is None:
                found.append(home := [])
            home.append((head, part))
    return found


def _own_names(heads: Sequence[Headline]) -> frozenset[str]:
    """Tell which names are those of one work: most titles with them are parts, or all are by the parts' authors."""
    authors: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for head in heads:
        part = read_part(head.title)
        for name in part.names if part else _names(head.title):
            authors[name][part is None].append(head.author)
    return frozenset(
        name
        for name, (counted, others) in authors.items()
        if len(counted) >= len(others) or set(others) <= set(counted)
    )


def _home(head: Headline, part: Part, known: Sequence[Series], own: frozenset[str]) -> Series | None:
    """Find the series that a part goes on with: the one most like it, of equal ones the newest."""
    near = [one for one in reversed(known) if head.at - one[-1][0].at <= _APART]
    weighed = [(max(_kinship(head, part, *member, own) for member in one), one) for one in near]
    fits, best = max(weighed, key=lambda pair: pair[0], default=(0, []))
    same = [other for _, other in best if other.index == part.index]
    # A second first part is the beginning of something else, unless it is the same one again.
    begins = part.index <= 1 and same and all(_alike(part, one) < _SAME for one in same)
    return best if fits and not begins else None


def _kinship(head: Headline, one: Part, of: Headline, other: Part, own: frozenset[str]) -> int:
    """Weigh whether two parts are of one work: by its own name (4), their words (3), numbers that go on (2, 1)."""
    alike, same_author, next_one = _alike(one, other), head.author == of.author, one.index - other.index == 1
    named, apart = bool(one.names & other.names & own), head.at - of.at
    mine, theirs = ({word for name in part.names & own for word in name.split()} for part in (one, other))
    if one.form != other.form or (not named and mine and theirs and not mine & theirs):
        return 0
    if one.total != other.total:
        # A series may grow: `[1/2]`, `[2/3]`.
        return 2 * (same_author and next_one and (named or alike >= _LIKE))
    if named or alike >= (_LIKE if same_author else _SAME):
        return 4 if named else 3
    if not next_one or apart > _NEXT_APART:
        return 0
    same_names = one.names == other.names
    if same_author and (one.words & other.words or (one.names and same_names)):
        return 2
    return int(same_names and (apart <= _STRAIGHT if same_author else bool(one.names) and one.total is None))


def _alike(one: Part, other: Part) -> float:
    """Give the share of the words that two titles have in common; one word in common is none."""
    shared = one.words & other.words
    return len(shared) / min(len(one.words), len(other.words)) if len(shared) > 1 else 0.0


def series_stories(repo: RepoId, heads: Sequence[Headline], today: set[str], *, whole: bool) -> list[Story]:
    """Tell the series to which today's commits belong; only a line that was read whole shows what is missing."""
    if not any(head.sha in today and read_part(head.title) for head in heads):
        return []
    found = [one for one in series_of(heads) if len(one) > 1 and any(head.sha in today for head, _ in one)]
    return [_story(repo, one, whole=whole) for one in found]


def _story(repo: RepoId, series: Series, *, whole: bool) -> Story:
    steps = [step(repo, head, Act.PART, part=part.index) for head, part in series[-_MOST_PARTS:]]
    have = {part.index for _, part in series}
    gaps = tuple(index for index in range(min(have), max(have)) if index not in have)
    told = whole and len(series) <= _MOST_PARTS and len(gaps) <= min(_MOST_MISSING, len(have))
    totals = [part.total for _, part in series if part.total is not None]
    update = {"missing": gaps if told else (), "total": totals[-1] if totals else None}
    return story(StoryKind.SERIES, repo, steps).model_copy(update=update)
