"""Weighs landed changes against the issues that nobody linked, by what both are about, when, and by whom."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.domain import Commit, PullRequest, Threads
from agent.ids import CommitId, RepoId, ThreadId, commit_id
from agent.linking.candidates import (
    Sort,
    about_tests,
    candidates,
    change_sort,
    closed_after,
    in_time,
    issue_sort,
    mends,
)
from agent.linking.digest import Digest, digest
from agent.linking.lineage import is_revert
from agent.linking.rarity import Index, norm, rarity
from agent.linking.sketch import Sketch
from agent.linking.terms import bare_title, terms
from agent.links import Link, Relation

WEIGHTS: Mapping[str, float] = {
    "title": 6.0,
    "text": 10.0,
    "names": 3.0,
    "touched": 2.0,
    "error": 1.5,
    "closed": 5.0,
    "reporter": 1.2,
    "sort": 1.5,
    "named": 2.5,
}
"""How much each feature counts; all of them lie between 0 and 1."""
BIAS = -6.5
_LOW_TITLE, _LOW_TEXT, _LOW_NAMES = 0.15, 0.05, 0.35
"""A pair that reaches none of these, and was not closed soon after, cannot become likely."""
_TITLE_WORDS, _TEXT_WORDS = 4, 2
_NAMES_SCALE, _COMMON_SIZE = 40.0, 300
_CLASH = 0.5
"""What is left of a score where the titles speak of other versions, models or devices."""
_SAME_TITLE = 0.3
"""From here on the titles are what speaks for a guess, and must not contradict one another."""
_FIGURED = re.compile(r"[a-z]+\d[\w.]*|\d+[a-z]\w*|\d+(?:\.\d+)+")


@dataclass(frozen=True)
class Guess:
    """One issue and one change that may belong together."""

    issue: ThreadId
    sha: str
    score: float
    """How likely it is, between 0 and 1."""
    features: Mapping[str, float]

    def change(self, repo: RepoId) -> CommitId:
        """Name the change in full."""
        return commit_id(repo, self.sha)


@dataclass(frozen=True)
class Side:
    """The words of an issue or a change, sorted."""

    title: tuple[str, ...]
    whole: tuple[str, ...]
    figured: frozenset[str]
    """Words of the title with figures: versions, models, devices."""


@dataclass(frozen=True)
class _Change:
    commit: Commit
    side: Side
    sort: Sort
    author: str | None
    """Who opened the pull request."""
    sketch: Sketch | None


class Guesser:
    """Weighs the changes of a window against what is known of issues."""

    def __init__(
        self,
        repo: RepoId,
        commits: Sequence[Commit],
        threads: Threads,
        sketches: Mapping[str, Sketch],
        explicit: Sequence[Link] = (),
        known: Sequence[Digest] = (),
    ) -> None:
        """Prepare everything once; `known` are the open issues of earlier days."""
        explained = {link.issue for link in explicit if link.relation is not Relation.MENTIONS}
        fresh = {issue.number: digest(issue) for issue in threads.issues}
        older = [one for one in known if one.number not in fresh]
        self.issues = candidates((*fresh.values(), *older), threads.closings, explained)
        pulls = {pull.number: pull for pull in threads.pulls}
        self.changes = {
            one.sha: _change(one, pulls.get(threads.pull_of.get(one.sha, 0)), sketches.get(one.sha))
            for one in commits
            if not is_revert(one) and mends(one.title)
        }
        self._repo = repo
        self._named = {(link.issue, link.change) for link in explicit if link.relation is Relation.MENTIONS}
        self.sides = [_issue_side(issue) for issue in self.issues]
        sketched = [sorted(one.sketch.names) for one in self.changes.values() if one.sketch]
        wholes = [side.whole for side in self.sides]
        self.rare = rarity([*wholes, *(one.side.whole for one in self.changes.values())])
        self.rare_names = rarity([*sketched, *(issue.names for issue in self.issues)])
        self._norms = [norm(whole, self.rare) for whole in wholes]
        self._title_norms = [norm(side.title, self.rare) for side in self.sides]
        self._title_sums = [sum(self.rare[word] for word in side.title) for side in self.sides]
        self._texts, self._titles = Index(wholes, self.rare), Index([side.title for side in self.sides], self.rare)
        self._names = Index([issue.names for issue in self.issues], self.rare_names)
        self._sorts = [issue_sort(issue) for issue in self.issues]
        self._beside = [self._sorts[place] is Sort.DOCS or about_tests(one) for place, one in enumerate(self.issues)]
        self._closed = [place for place, issue in enumerate(self.issues) if issue.closed_at]

    def guesses(self) -> list[Guess]:
        """Weigh every change against every issue that shares words with it or was closed soon after."""
        return [guess for change in self.changes.values() for guess in self._of(change)]

    def _of(self, change: _Change) -> list[Guess]:
        side, sketch = change.side, change.sketch
        texts, text_counts = self._texts.shared(side.whole)
        titles, title_counts = self._titles.shared(side.title)
        names = self._names.shared(sorted(sketch.names))[0] if sketch else {}
        size, title_size, scale = norm(side.whole, self.rare), norm(side.title, self.rare), _name_scale(sketch)
        soon = self._closed_soon(change.commit)
        found = []
        for place in sorted({*texts, *titles, *names, *soon}):
            title = titles.get(place, 0.0) / (title_size * self._title_norms[place] or 1.0)
            text = texts.get(place, 0.0) / (size * self._norms[place] or 1.0)
            shared = names.get(place, 0.0) / scale
            if text < _LOW_TEXT and title < _LOW_TITLE and shared < _LOW_NAMES and place not in soon:
                continue
            if not self._may(place, change):
                continue
            features = {
                "title": title * min(1.0, title_counts[place] / _TITLE_WORDS),
                "text": text * min(1.0, text_counts[place] / _TEXT_WORDS),
                "names": 1 - math.exp(-shared),
                "closed": soon.get(place, 0.0),
                **self._further(place, change),
            }
            found.append(
                Guess(self.issues[place].id, change.commit.sha, self._score(place, change, features), features)
            )
        return found

    def _may(self, place: int, change: _Change) -> bool:
        """Tell whether the change can have fixed the issue at all."""
        if change.sketch and change.sketch.beside and not self._beside[place]:
            return False
        return in_time(self.issues[place], change.commit.committed_at)

    def _closed_soon(self, commit: Commit) -> dict[int, float]:
        weights = ((place, closed_after(self.issues[place], commit.committed_at)) for place in self._closed)
        return {place: weight for place, weight in weights if weight}

    def _further(self, place: int, change: _Change) -> dict[str, float]:
        issue, sort, sketch = self.issues[place], self._sorts[place], change.sketch
        return {
            "touched": self._touched(place, sketch) if sketch else 0.0,
            "error": float(bool(sketch and sketch.alarms and not sketch.alarms.isdisjoint(issue.alarms))),
            "reporter": float(change.author is not None and change.author == issue.author),
            "sort": float(sort is change.sort and sort in (Sort.BUG, Sort.DOCS)),
            "named": float(bool(self._named) and (issue.id, change.commit.id) in self._named),
        }

    def _touched(self, place: int, sketch: Sketch) -> float:
        """Tell how much of the issue's title is on the changed lines."""
        whole = self._title_sums[place]
        return (
            sum(self.rare[word] for word in self.sides[place].title if word in sketch.words) / whole if whole else 0.0
        )

    def _score(self, place: int, change: _Change, features: Mapping[str, float]) -> float:
        score = likelihood(features)
        own, other = self.sides[place].figured, change.side.figured
        clash = features["title"] >= _SAME_TITLE and own and other and own.isdisjoint(other)
        return score * _CLASH if clash else score


def likelihood(features: Mapping[str, float]) -> float:
    """Make one figure of all features."""
    return 1 / (1 + math.exp(-(BIAS + sum(WEIGHTS[name] * features[name] for name in WEIGHTS))))


def _name_scale(sketch: Sketch | None) -> float:
    """Say how much shared names must weigh to count: in a huge diff every name is found sooner or later."""
    return _NAMES_SCALE * max(1.0, len(sketch.names) / _COMMON_SIZE) if sketch else _NAMES_SCALE


def _change(commit: Commit, pull: PullRequest | None, sketch: Sketch | None) -> _Change:
    title = terms(bare_title(commit.title)) | (terms(bare_title(pull.title)) if pull else frozenset())
    side = Side(
        title=tuple(sorted(title)),
        whole=tuple(sorted(title | terms(commit.message))),
        figured=frozenset(_FIGURED.findall(bare_title(commit.title).lower())),
    )
    return _Change(commit, side, change_sort(commit.title), pull.author if pull else None, sketch)


def _issue_side(issue: Digest) -> Side:
    bare = bare_title(issue.title)
    title = terms(bare)
    return Side(
        title=tuple(sorted(title)),
        whole=tuple(sorted(title.union(issue.words))),
        figured=frozenset(_FIGURED.findall(bare.lower())),
    )
