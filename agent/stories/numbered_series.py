"""Series of numbered parts: `[Router][2/N] …`, `Split the cache (2/3)`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.links import Story
from agent.domain.references import without_pull_number
from agent.domain.revert_messages import reverts_in
from agent.stories.timeline import NEAR, step, story
from agent.triage.title_conventions import purposes_of

PARTS = r"[0-9][.0-9a-z]* ?/ ?[0-9nNxX]"  # Matches every marker and more, in git and in Python
_MAX_MISSING = 6
_MAX_PARTS = 24
_MAX_TITLE = 400
_MARKER = re.compile(
    r"(?<![\w./=])(?P<label>(?P<number>\d{1,2})(?:\.\d|[a-z])?)\s?/\s?(?P<total>\d{1,2}|[nx])(?![\w/.])",
    re.IGNORECASE,
)
_HOLE = "\0"  # Stands for the marker while the rest of a title is taken apart
_TAG = re.compile(r"\[([^\[\]]{0,60})\]|【([^【】]{0,60})】")
_AROUND_MARKER = re.compile(rf"[(（]([^()（）]{{0,60}}{_HOLE}[^()（）]{{0,60}})[)）]")
_SEPARATOR = re.compile(r"[:：]|\s[-–—|]\s")
_WORD = re.compile(r"[A-Za-z][\w+.]{3,}|[\u4e00-\u9fff]{2,}")


class SeriesPart(NamedTuple):
    """A title taken apart: which part it is, of what, and its words."""

    number: int
    label: str  # The number as it is written: `11b`
    total: int | None  # None for an open end, as in `2/N`
    tags: frozenset[str]
    """The texts in brackets, also those beside the number, in lower case."""
    stem: str
    """The words in front of a colon or a dash, else all words outside of brackets."""
    words: frozenset[str]  # The longer words outside of brackets


class SeriesMember(NamedTuple):
    """A commit whose title says which part it is."""

    commit: Headline
    part: SeriesPart


Series = list[SeriesMember]  # Oldest first


@lru_cache(maxsize=8192)
def read_part(title: str) -> SeriesPart | None:
    """Parse the part of a series from a title; None if it names none, or reverts one."""
    text = without_pull_number(title.strip())[:_MAX_TITLE].replace(_HOLE, " ")
    marker = next((match for match in _MARKER.finditer(text) if _is_counted(match, text)), None)
    if marker is None or reverts_in(text):
        return None
    total = marker["total"]
    text = f"{text[: marker.start()]}{_HOLE}{text[marker.end() :]}"
    tags = frozenset(filter(None, map(_normal, _bracketed(text))))
    rest = _AROUND_MARKER.sub(" ", _TAG.sub(" ", text)).replace(_HOLE, " ")
    return SeriesPart(
        number=int(marker["number"]),
        label=marker["label"].lower(),
        total=int(total) if total.isdigit() else None,
        tags=tags,
        stem=_stem(rest),
        words=frozenset(word.lower().strip(".") for word in _WORD.findall(rest)),
    )


def _is_counted(match: re.Match[str], text: str) -> bool:
    """Return True for `(2/3)`, and False for a fraction, a date or a pair of alternatives."""
    if not match["total"].isdigit():
        return True
    if not 0 < int(match["number"]) <= int(match["total"]) > 1:
        return False
    before = text[: match.start()]
    after = text[match.end() :]
    if not re.search(r"[\[(（【][^\])）】]{0,50}$", before):
        return False
    if not re.match(r"[^\[(（【]{0,30}[\])）】]", after):
        return False
    # Inside brackets the number may follow a name, but not a sign: `(k = 2/4)`.
    return not re.search(r"[=<>~×*]\s*$", before)


def _bracketed(text: str) -> Iterator[str]:
    """Yield the texts in square brackets, and in round ones beside the marker."""
    for match in _TAG.finditer(text):
        yield match[1] or match[2] or ""
    for match in _AROUND_MARKER.finditer(text):
        yield match[1]


def _stem(text: str) -> str:
    """Return the words by which the parts of a series are called."""
    scope, separator, rest = _split(text)
    # `refactor:` says what kind of change it is, and not of what.
    while separator and (purposes_of([scope]) or not _normal(scope)):
        scope, separator, rest = _split(rest)
    return _normal(scope)


def _split(text: str) -> tuple[str, str, str]:
    match = _SEPARATOR.search(text)
    if match is None:
        return text, "", ""
    return text[: match.start()], match[0], text[match.end() :]


def _normal(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def series_stories(
    repo: RepoId, commits: Sequence[Headline], today: set[str], *, has_all: bool
) -> list[Story]:
    """Return the series to which today's commits belong; the commits are given oldest first.

    Which parts are missing is said only where the whole line was read (`has_all`).
    """
    every: list[Series] = []
    for commit in commits:
        part = read_part(commit.title)
        if part is None:
            continue
        member = SeriesMember(commit, part)
        series = _series_of(member, every)
        if series is None:
            every.append([member])
        else:
            series.append(member)
    stories = []
    for series in every:
        if len(series) > 1 and any(member.commit.sha in today for member in series):
            missing = _missing(series, commits) if has_all else ()
            stories.append(_series_story(repo, series, missing))
    return stories


def _series_of(member: SeriesMember, every: Sequence[Series]) -> Series | None:
    """Return the one series that a part goes on with; None where none or several fit alike."""
    ranks = [_rank(member, series) for series in every]
    best = max(ranks, default=0)
    fitting = [series for series, rank in zip(every, ranks, strict=True) if rank == best]
    if best == 0 or (best < _SAME_NAME and len(fitting) > 1):
        return None
    return fitting[-1]


_SAME_NAME = 3
_SAME_AUTHOR = 2
_GROWN = 1


def _rank(member: SeriesMember, series: Series) -> int:
    """Rank a part's fit: by tags and stem, else by tags and author; 0 if it does not fit.

    A number alone says nothing: the next number of an author may be of another series.
    """
    part = member.part
    for other in series:
        if other.part.label == part.label and not _have_one_title(other.part, part):
            return 0  # The same number under another title begins another series
    return max(_likeness(member, other) for other in series)


def _likeness(member: SeriesMember, other: SeriesMember) -> int:
    same_author = member.commit.author == other.commit.author
    same_total = member.part.total == other.part.total
    # A series may grow while its author works on it: `[1/2]`, `[2/3]`.
    grown = same_author and member.part.number - other.part.number == 1
    if member.commit.at - other.commit.at > NEAR or not (same_total or grown):
        return 0
    if member.part.tags != other.part.tags:
        return 0
    if _have_one_stem(member.part, other.part):
        return _SAME_NAME
    if same_author and member.part.tags:
        return _SAME_AUTHOR if same_total else _GROWN
    return 0


def _have_one_stem(part: SeriesPart, other: SeriesPart) -> bool:
    return (part.stem != "" and part.stem == other.stem) or _have_one_title(part, other)


def _have_one_title(part: SeriesPart, other: SeriesPart) -> bool:
    """Return True if two titles share most of their words, and more than one."""
    shared = part.words & other.words
    return len(shared) > 1 and len(shared) >= 0.75 * min(len(part.words), len(other.words))


def _missing(series: Series, commits: Iterable[Headline]) -> tuple[int, ...]:
    """Return the numbers below the last part that no title has at all.

    Any title with the number may be the missing part under another name.
    """
    numbers = {member.part.number for member in series}
    gaps = set(range(min(numbers), max(numbers))) - numbers
    if len(gaps) > min(_MAX_MISSING, len(numbers)) or len(series) > _MAX_PARTS:
        return ()
    for commit in commits if gaps else ():
        gaps -= {int(match["number"]) for match in _MARKER.finditer(commit.title[:_MAX_TITLE])}
    return tuple(sorted(gaps))


def _series_story(repo: RepoId, series: Series, missing: tuple[int, ...]) -> Story:
    steps = []
    for commit, part in series[-_MAX_PARTS:]:
        steps.append(step(repo, commit, "part", part=part.number))
    totals = [member.part.total for member in series if member.part.total is not None]
    update = {"missing": missing, "total": totals[-1] if totals else None}
    return story("series", repo, steps).model_copy(update=update)
