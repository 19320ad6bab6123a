"""Links that nobody wrote down: inferred from what issue and change are about, when, and by whom."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.domain import Commit, Issue, PullRequest, Threads
from agent.ids import CommitId, RepoId, ThreadId, commit_id
from agent.linking.candidates import Sort, candidates, change_sort, closed_after, in_time, issue_sort
from agent.linking.lineage import is_revert
from agent.linking.sketch import Sketch
from agent.linking.terms import alarms, bare_title, code_terms, terms
from agent.links import Grade, Link, Relation

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
ASSERTED = 0.75
"""Nothing below this is told."""
MARGIN = 0.15
_ALIKE = 0.7
"""Two changes whose titles both say what the issue's does are steps of one work, not rivals."""
_LOW_TITLE, _LOW_TEXT, _LOW_NAMES = 0.15, 0.05, 0.35
"""A pair that reaches none of these, and was not closed soon after, cannot become likely."""
_TITLE_WORDS, _TEXT_WORDS = 4, 2
_NAMES_SCALE, _COMMON_SIZE = 40.0, 300


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

    @property
    def evidence(self) -> tuple[str, ...]:
        """Name what speaks for it, the strongest first."""
        parts = sorted(self.features.items(), key=lambda item: -WEIGHTS[item[0]] * item[1])
        return (f"score {self.score:.2f}", *(f"{name} {value:.2f}" for name, value in parts if value > 0))


@dataclass(frozen=True)
class _Text:
    """The words of an issue or a change."""

    title: frozenset[str]
    whole: frozenset[str]


def inferred_links(
    repo: RepoId,
    commits: Sequence[Commit],
    threads: Threads,
    sketches: Mapping[str, Sketch],
    explicit: Sequence[Link] = (),
) -> tuple[Link, ...]:
    """Assert what is likely and stands out; an issue that somebody linked needs no guess."""
    guesses = Guesser(repo, commits, threads, sketches, explicit).guesses()
    return tuple(
        Link(
            issue=one.issue,
            change=one.change(repo),
            relation=Relation.FIXES,
            grade=Grade.C,
            evidence=one.evidence,
        )
        for one in asserted(guesses)
    )


def asserted(guesses: Sequence[Guess]) -> list[Guess]:
    """Keep the guesses that are likely, and clearly likelier than any other for the same issue or change."""
    by_issue: dict[str, list[Guess]] = defaultdict(list)
    by_change: dict[str, list[Guess]] = defaultdict(list)
    for guess in sorted(guesses, key=lambda one: (-one.score, one.issue, one.sha)):
        by_issue[guess.issue].append(guess)
        by_change[guess.sha].append(guess)
    return [
        one
        for rivals in by_issue.values()
        for one in rivals
        if one.score >= ASSERTED and _stands_out(one, rivals) and _stands_out(one, by_change[one.sha])
    ]


def _stands_out(one: Guess, rivals: Sequence[Guess]) -> bool:
    others = (other for other in rivals if other is not one and not _same_work(one, other))
    return all(one.score - other.score >= MARGIN for other in others)


def _same_work(one: Guess, other: Guess) -> bool:
    return one.issue == other.issue and min(one.features["title"], other.features["title"]) >= _ALIKE


class Guesser:
    """Weighs landed changes against the issues that nobody linked."""

    def __init__(
        self,
        repo: RepoId,
        commits: Sequence[Commit],
        threads: Threads,
        sketches: Mapping[str, Sketch],
        explicit: Sequence[Link] = (),
    ) -> None:
        explained = {link.issue for link in explicit if link.relation is not Relation.MENTIONS}
        self._issues = candidates(threads, explained)
        self._commits = [one for one in commits if not is_revert(one)]
        self._pulls = {pull.number: pull for pull in threads.pulls}
        self._pull_of = threads.pull_of
        self._sketches = sketches
        self._named = {(link.issue, link.change) for link in explicit if link.relation is Relation.MENTIONS}
        self._repo = repo
        self._texts = [_issue_text(issue) for issue in self._issues]
        self._names = [code_terms(f"{issue.title}\n{issue.body}") for issue in self._issues]
        self._changes = {one.sha: self._change_text(one) for one in self._commits}
        self._rare = _rarity([text.whole for text in (*self._texts, *self._changes.values())])
        touched = [sketch.names for sha, sketch in sketches.items() if sha in self._changes]
        self._rare_names = _rarity([*touched, *self._names])
        self._norms = [_norm(text.whole, self._rare) for text in self._texts]
        self._title_norms = [_norm(text.title, self._rare) for text in self._texts]
        self._sorts = [issue_sort(issue) for issue in self._issues]
        self._closed = [place for place, issue in enumerate(self._issues) if issue.closed_at]
        self._index = _index([text.whole for text in self._texts])
        self._title_index = _index([text.title for text in self._texts])
        self._name_index = _index(self._names)

    def guesses(self) -> list[Guess]:
        """Weigh every change against every issue that shares a word with it or was closed soon after."""
        return [guess for commit in self._commits for guess in self._of(commit)]

    def _of(self, commit: Commit) -> list[Guess]:
        change, sketch = self._changes[commit.sha], self._sketches.get(commit.sha)
        texts = _shared(change.whole, self._index, self._rare)
        titles = _shared(change.title, self._title_index, self._rare)
        names = _shared(sketch.names, self._name_index, self._rare_names) if sketch else {}
        norm, title_norm, scale = _norm(change.whole, self._rare), _norm(change.title, self._rare), _name_scale(sketch)
        found = []
        soon = {place: weight for place in self._closed if (weight := self._closed_after(place, commit))}
        for place in sorted({*texts, *titles, *names, *soon}):
            title = titles.get(place, 0.0) / (title_norm * self._title_norms[place] or 1.0)
            text = texts.get(place, 0.0) / (norm * self._norms[place] or 1.0)
            shared = names.get(place, 0.0) / scale
            if text < _LOW_TEXT and title < _LOW_TITLE and shared < _LOW_NAMES and place not in soon:
                continue
            issue, likeness = self._issues[place], {"title": title, "text": text, "names": 1 - math.exp(-shared)}
            if in_time(issue, commit.committed_at):
                features = self._features(place, commit, {**likeness, "closed": soon.get(place, 0.0)})
                found.append(Guess(issue.id, commit.sha, _likelihood(features), features))
        return found

    def _closed_after(self, place: int, commit: Commit) -> float:
        return closed_after(self._issues[place], commit.committed_at)

    def _features(self, place: int, commit: Commit, likeness: Mapping[str, float]) -> dict[str, float]:
        issue, own, change = self._issues[place], self._texts[place], self._changes[commit.sha]
        pull, sketch = self._pulls.get(self._pull_of.get(commit.sha, 0)), self._sketches.get(commit.sha)
        alike = self._sorts[place] is change_sort(commit.title) and self._sorts[place] in (Sort.BUG, Sort.DOCS)
        return {
            **likeness,
            "title": likeness["title"] * _enough(own.title & change.title, _TITLE_WORDS),
            "text": likeness["text"] * _enough(own.whole & change.whole, _TEXT_WORDS),
            "touched": _covered(own.title, sketch.words, self._rare) if sketch else 0.0,
            "error": float(bool(sketch and sketch.alarms and sketch.alarms & alarms(issue.body))),
            "reporter": float(_is_reporter(issue, pull)),
            "sort": float(alike),
            "named": float((issue.id, commit_id(self._repo, commit.sha)) in self._named),
        }

    def _change_text(self, commit: Commit) -> _Text:
        pull = self._pulls.get(self._pull_of.get(commit.sha, 0))
        title = terms(bare_title(commit.title)) | (terms(bare_title(pull.title)) if pull else frozenset())
        return _Text(title, title | terms(commit.message))


def _name_scale(sketch: Sketch | None) -> float:
    """Say how much shared names must weigh to count: in a huge diff every name is found sooner or later."""
    return _NAMES_SCALE * max(1.0, len(sketch.names) / _COMMON_SIZE) if sketch else _NAMES_SCALE


def _issue_text(issue: Issue) -> _Text:
    title = terms(bare_title(issue.title))
    return _Text(title, title | terms(issue.body))


def _is_reporter(issue: Issue, pull: PullRequest | None) -> bool:
    return pull is not None and pull.author is not None and pull.author == issue.author


def _likelihood(features: Mapping[str, float]) -> float:
    return 1 / (1 + math.exp(-(BIAS + math.fsum(WEIGHTS[name] * value for name, value in features.items()))))


# ---------------------------------------------------------------- rare words


def _rarity(texts: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """Weigh words by how few texts have them."""
    counts = Counter(word for text in texts for word in text)
    return {word: math.log((len(texts) + 1) / count) for word, count in counts.items()}


def _index(texts: Sequence[frozenset[str]]) -> Mapping[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        for word in text:
            places[word].append(place)
    return places


def _shared(words: frozenset[str], index: Mapping[str, list[int]], rare: Mapping[str, float]) -> dict[int, float]:
    found: dict[int, float] = defaultdict(float)
    for word in words:
        for place in index.get(word, ()):
            found[place] += rare[word] ** 2
    return found


def _norm(words: frozenset[str], rare: Mapping[str, float]) -> float:
    return math.sqrt(math.fsum(rare[word] ** 2 for word in words))


def _enough(shared: frozenset[str], wanted: int) -> float:
    """Discount what rests on a word or two: short titles are alike by chance."""
    return min(1.0, len(shared) / wanted)


def _covered(words: frozenset[str], by: frozenset[str], rare: Mapping[str, float]) -> float:
    whole = math.fsum(rare[word] for word in words)
    return math.fsum(rare[word] for word in words & by) / whole if whole else 0.0
