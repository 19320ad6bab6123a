"""Commits that go on with earlier ones: numbered parts of a series (`[2/N]`), references, changed lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.commits import Headline, reverts_in
from agent.domain.links import Act, Reference, Related, Relation, Story, StoryKind
from agent.stories.timeline import NEAR, Line, Pair, Said, step, story

_SOON = timedelta(days=14)
"""How long the next number alone makes a series, and how long it is news by itself that lines are changed again."""
_MOST_MISSING, _MOST_PARTS = 6, 24
PARTS = (
    r"[0-9][.0-9a-z]* ?/ ?[0-9nNxX]"  # A rough form of every marker, for git and for Python alike
)
_PULL = re.compile(r"\s*\(#\d{1,9}\)\s*$")
_COUNTED = re.compile(
    r"(?<![\w./=])(?P<index>\d{1,2})(?:\.\d|[a-z])?\s?/\s?(?P<total>\d{1,2}|[nx])(?![\w/.])",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[A-Za-z][\w+.]{3,}|[\u4e00-\u9fff]{2,}")


class Part(NamedTuple):
    """A title taken apart: which part of how many, and its words."""

    number: int
    total: int | None
    words: frozenset[str]


Series = list[tuple[Headline, Part]]  # The parts of one piece of work, oldest first


@lru_cache(maxsize=8192)
def read_part(title: str) -> Part | None:
    """Read which part a title says it is; None where it says nothing of the kind, or takes a part back."""
    text = _PULL.sub("", title.strip())[:400]
    match = next((one for one in _COUNTED.finditer(text) if _is_counted(one, text)), None)
    if match is None or reverts_in(text):
        return None
    words = _TOKEN.findall(f"{text[: match.start()]} {text[match.end() :]}")
    total = int(match["total"]) if match["total"].isdigit() else None
    return Part(int(match["index"]), total, frozenset(word.lower().strip(".") for word in words))


def _is_counted(match: re.Match[str], text: str) -> bool:
    """Tell `(2/3)` from a fraction, a date and a pair of alternatives."""
    if not match["total"].isdigit():
        return True
    if not 0 < int(match["index"]) <= int(match["total"]) > 1:
        return False
    before, after = text[: match.start()], text[match.end() :]
    enclosed = re.search(r"[\[(（【][^\])）】]{0,50}$", before) and re.match(
        r"[^\[(（【]{0,30}[\])）】]", after
    )
    # Inside brackets the number may follow a name, but not a sign: `(k = 2/4)`.
    return bool(enclosed) and not re.search(r"[=<>~×*]\s*$", before)


def series_stories(
    repo: RepoId, heads: Sequence[Headline], today: set[str], *, whole: bool
) -> list[Story]:
    """Tell the series to which today's commits belong; only a line that was read whole shows what is missing."""
    found: list[Series] = []
    for head in heads:
        if part := read_part(head.title):
            home = next((one for one in reversed(found) if _goes_on(head, part, one)), None)
            if home is None:
                found.append(home := [])
            home.append((head, part))
    mine = [one for one in found if len(one) > 1 and any(head.sha in today for head, _ in one)]
    return [_series_story(repo, one, whole=whole) for one in mine]


def _goes_on(head: Headline, part: Part, series: Series) -> bool:
    """Tell whether a part goes on with a series: one title, or one author with a word in common or the next number.

    A second first part begins something else, and a series may grow: `[1/2]`, `[2/3]`.
    """
    if part.number <= 1 and any(
        one.number == part.number and not _has_title(part, one) for _, one in series
    ):
        return False
    for of, one in series:
        apart, is_next, same_total = (
            head.at - of.at,
            part.number - one.number == 1,
            part.total == one.total,
        )
        alike = bool(part.words & one.words) or (is_next and same_total and apart <= _SOON)
        one_work = alike if head.author == of.author else same_total and _has_title(part, one)
        if one_work and apart <= NEAR and (same_total or is_next):
            return True
    return False


def _has_title(one: Part, other: Part) -> bool:
    """Tell whether two titles have most of their words in common; one word in common is none."""
    shared = one.words & other.words
    return len(shared) > 1 and len(shared) >= 0.75 * min(len(one.words), len(other.words))


def _series_story(repo: RepoId, series: Series, *, whole: bool) -> Story:
    steps = [step(repo, head, "part", part=part.number) for head, part in series[-_MOST_PARTS:]]
    have = {part.number for _, part in series}
    gaps = tuple(index for index in range(min(have), max(have)) if index not in have)
    told = whole and len(series) <= _MOST_PARTS and len(gaps) <= min(_MOST_MISSING, len(have))
    totals = [part.total for _, part in series if part.total is not None]
    update = {"missing": gaps if told else (), "total": totals[-1] if totals else None}
    return story("series", repo, steps).model_copy(update=update)


_MOST = 5
OF_COMMITS = (
    "title",
    "message",
    "pull request",
)  # Where a day's commits and their pull requests speak


def own_references(repo: RepoId, references: Iterable[Reference]) -> list[Reference]:
    """Keep what the day's commits and their pull requests name of their own repository, the commits' words first."""
    own = [
        one
        for one in references
        if one.place in OF_COMMITS and one.target.startswith((f"{repo}#", f"{repo}@"))
    ]
    return sorted(own, key=lambda one: one.place == "pull request")


def named_pairs(
    repo: RepoId, today: Sequence[Headline], references: Iterable[Reference], line: Line
) -> Iterator[Pair]:
    """Pair commits with the landed commits that they or their pull requests name by number or hash."""
    heads: dict[EvidenceId, Headline] = {commit_id(repo, head.sha): head for head in today}
    seen: set[tuple[str, str]] = set()
    for one in references:
        doer = heads.get(one.source)
        sha, number = one.target.partition("@")[2], one.target.partition("#")[2]
        earlier = line.earlier(doer, Said(False, sha, int(number or 0))) if doer else None
        if doer and earlier and (doer.sha, earlier.sha) not in seen:
            seen.add((doer.sha, earlier.sha))
            said_in = (
                thread_id(repo, doer.pull) if one.place == "pull request" and doer.pull else ""
            )
            yield Pair(doer=doer, earlier=earlier, said_in=said_in)


READ: Mapping[Relation, Act] = {
    Relation.INTRODUCED: "mended",
    Relation.CONTINUES: "follow-up",
    Relation.SAME_WORK: "same work",
}
"""What a reader of both sides may find between two changes."""
KINDS: Mapping[Act, StoryKind] = {
    "mended": "follow-up",
    "follow-up": "follow-up",
    "same work": "same-work",
    "changed lines": "same-lines",
    "refers": "reference",
    "taken in": "bump",
}


def follow_up_stories(
    repo: RepoId, pairs: Iterable[Pair], related: Iterable[Related], told: Sequence[Story]
) -> list[Story]:
    """Tell each pair as what a reader of both sides called it, else as the bare fact; not what other stories tell."""
    read: dict[tuple[str, str], Act] = {}
    read |= {(one.change, one.other): READ[one.relation] for one in related if one.relation in READ}
    grouped: dict[tuple[str, Act], dict[str, Pair]] = defaultdict(dict)
    seen = {frozenset((a, b)) for one in told for a in one.steps for b in one.steps}
    for one in sorted(pairs, key=lambda one: not one.by_lines):
        doer, earlier = f"{repo}@{one.doer.sha}", f"{repo}@{one.earlier.sha}"
        bare: Act = "changed lines" if one.by_lines else "refers"
        act = read.get((doer, earlier)) or read.get((doer, f"{repo}#{one.earlier.pull}")) or bare
        late = act == "changed lines" and one.doer.at - one.earlier.at > _SOON
        if frozenset((doer, earlier)) not in seen and not late:
            seen.add(frozenset((doer, earlier)))
            grouped[one.doer.sha, act][one.earlier.sha] = one
    return [_story(repo, act, list(group.values())[:_MOST]) for (_, act), group in grouped.items()]


def _story(repo: RepoId, act: Act, group: Sequence[Pair]) -> Story:
    earlier = [step(repo, one.earlier, "landed") for one in group]
    doer = step(repo, group[0].doer, act, after=tuple(one.cite for one in earlier))
    return story(KINDS[act], repo, [*earlier, doer])
