"""Numbered parts of one piece of work (`[2/N]`, `(2/3)`, `Part 2:`), put together as the series they belong to."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache

from agent.ids import RepoId
from agent.sources import Headline
from agent.stories import Act, Story, StoryKind
from agent.story_finding.joining import step, story
from agent.story_finding.reverts import is_revert

_APART, _NEXT_APART, _STRAIGHT = timedelta(days=60), timedelta(days=14), timedelta(days=3)
_SAME, _LIKE, _HALF = 0.75, 0.5, 0.5
_MOST_MISSING, _MOST_PARTS = 6, 24
_WORD = r"part|stage|phase|step"
PARTS = rf"[0-9][.0-9a-z]* ?/ ?[0-9nNxX]|({_WORD}) ?[#-]? ?[0-9]"
"""A rough form of every marker, for git and for Python alike."""
_PULL = re.compile(r"\s*\(#\d{1,9}\)\s*$")
_COUNTED = re.compile(
    rf"(?<![\w./=])(?:(?P<word>{_WORD}|stack)\s{{0,2}})?(?P<index>\d{{1,2}})(?:\.\d|[a-z])?\s?/\s?(?P<total>\d{{1,2}}|[nx])"
    r"(?![\w/.])",
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
    """A title taken apart: which part it is, and what the whole is called."""

    index: int
    total: int | None
    """None for an open end."""
    form: str
    """`/` or the word in front of the number."""
    names: frozenset[str]
    """What stands in brackets, and the words up to a colon."""
    words: frozenset[str]


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


@dataclass
class Series:
    """The parts of one piece of work, oldest first."""

    members: list[tuple[Headline, Part]] = field(default_factory=list)

    @property
    def indexes(self) -> frozenset[int]:
        """Which parts have landed."""
        return frozenset(part.index for _, part in self.members)

    def missing(self) -> tuple[int, ...]:
        """Name the parts between the first and the last that have not landed; none where too many are unknown."""
        have = self.indexes
        gaps = tuple(index for index in range(min(have), max(have)) if index not in have)
        return gaps if len(gaps) <= min(_MOST_MISSING, len(have)) else ()


def series_of(heads: Sequence[Headline]) -> list[Series]:
    """Sort everything on a line that calls itself a part into series."""
    parts = [(head, part) for head in heads if (part := read_part(head.title))]
    own = _own_names(heads, parts) if parts else frozenset()
    found: list[Series] = []
    for head, part in sorted(parts, key=lambda one: (one[0].at, one[0].sha)):
        home = _home(head, part, found, own)
        if home is None:
            found.append(home := Series())
        home.members.append((head, part))
    return found


def _own_names(heads: Iterable[Headline], parts: Sequence[tuple[Headline, Part]]) -> frozenset[str]:
    """Tell which names are those of one work: most titles with them are parts, or all are by the parts' authors."""
    counted: dict[str, list[str]] = defaultdict(list)
    others: dict[str, list[str]] = defaultdict(list)
    numbered = {head.sha for head, _ in parts}
    for head, part in parts:
        for name in part.names:
            counted[name].append(head.author)
    for head in heads:
        for name in _names(head.title) & counted.keys() if head.sha not in numbered else ():
            others[name].append(head.author)
    return frozenset(
        name
        for name, authors in counted.items()
        if len(authors) >= _HALF * (len(authors) + len(others[name])) or set(others[name]) <= set(authors)
    )


def _home(head: Headline, part: Part, known: Sequence[Series], own: frozenset[str]) -> Series | None:
    """Find the series that a part goes on with: the one most like it, of equal ones the newest with room for it."""
    best: tuple[int, Series | None] = (0, None)
    for series in reversed(known):
        if head.at - series.members[-1][0].at <= _APART:
            fits = max(_kinship(head, part, of, other, own) for of, other in series.members)
            best = max(best, (fits, series), key=lambda one: one[0])
    if best[1] is None:
        return _next_number(head, part, known)
    same = [other for _, other in best[1].members if other.index == part.index]
    # A second first part is the beginning of something else, unless it is the same one again.
    return None if part.index <= 1 and same and not any(_alike(part, one) >= _SAME for one in same) else best[1]


def _kinship(head: Headline, one: Part, of: Headline, other: Part, own: frozenset[str]) -> int:
    """Weigh whether two parts are of one work: by its own name (4), their words (3), their author (2, 1)."""
    alike, same_author, apart = _alike(one, other), head.author == of.author, head.at - of.at
    named = bool(one.names & other.names & own)
    if one.form != other.form:
        return 0
    if one.total != other.total:
        # A series may grow: `[1/2]`, `[2/3]`.
        return 2 * (same_author and one.index - other.index == 1 and (named or alike >= _LIKE))
    if named:
        return 4
    if _named_apart(one.names & own, other.names & own):
        return 0
    if alike >= (_LIKE if same_author else _SAME):
        return 3
    if not same_author or one.index - other.index != 1:
        return 0
    common = one.words & other.words or (one.names and one.names == other.names)
    return 2 * (apart <= _NEXT_APART and bool(common)) or int(apart <= _STRAIGHT and one.names == other.names)


def _named_apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether both have names of their own that have no word in common."""
    words = [{word for name in names for word in name.split()} for names in (one, other)]
    return bool(one) and bool(other) and not words[0] & words[1]


def _alike(one: Part, other: Part) -> float:
    """Give the share of the words that two titles have in common; one word in common is none."""
    shared = one.words & other.words
    return len(shared) / max(1, min(len(one.words), len(other.words))) if len(shared) > 1 else 0.0


def _next_number(head: Headline, part: Part, known: Sequence[Series]) -> Series | None:
    """Find the one open series under the same names, perhaps of others, that has come to the number before this one."""
    fitting = [
        series
        for series in known
        if part.names
        and part.total is None
        and part.index == max(series.indexes) + 1 > 1
        and series.members[-1][1].names == part.names
        and series.members[-1][1].total is None
        and series.members[-1][1].form == part.form
        and head.at - series.members[-1][0].at <= _NEXT_APART
    ]
    return fitting[0] if len(fitting) == 1 else None


def series_stories(repo: RepoId, heads: Sequence[Headline], today: set[str], *, whole: bool) -> list[Story]:
    """Tell the series to which today's commits belong; only a line that was read whole shows what is missing."""
    if not any(head.sha in today and read_part(head.title) for head in heads):
        return []
    found = [one for one in series_of(heads) if len(one.members) > 1 and any(h.sha in today for h, _ in one.members)]
    return [_story(repo, one, whole=whole) for one in found]


def _story(repo: RepoId, series: Series, *, whole: bool) -> Story:
    members = series.members[-_MOST_PARTS:]
    steps = [step(repo, head, Act.PART, part=part.index) for head, part in members]
    gaps = series.missing() if whole and len(members) == len(series.members) else ()
    totals = [part.total for _, part in series.members if part.total is not None]
    told = story(StoryKind.SERIES, repo, steps)
    return told.model_copy(update={"missing": gaps, "total": totals[-1] if totals else None})
