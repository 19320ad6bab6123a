"""An index of similar earlier commits, ranked by what they have in common with a commit.

Words of titles, files and identifiers of changed lines are weighed by how rare they are. The three
count alike, each as a cosine. Between two repositories it is the identifiers that count: projects
share words of titles by chance, and have no files in common.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Literal, NamedTuple

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Headline
from agent.links.footprints import Footprint
from agent.links.searchable_issues import is_name

LOOK_BACK = timedelta(days=60)
_HALF_LIFE_DAYS = 30.0  # After which what two commits share counts half as much
_SAME_AUTHOR = 1.3  # By which the score of a commit of the same author is multiplied
_BIRTH = 2.0  # How much a name counts for the commit that brought it, compared with its users
_MAX_SHARE = 0.05  # A term that more of the commits have says nothing, and costs the most
_MIN_COMMON = 20  # In fewer commits no term is common
_MAX_SHARED = 6  # Shared terms that are named with a commit
_MAX_RARE = 4  # Commits that may have a term that is called rare

_NAMES_REPO = 2.0
"""By which the score of a commit is multiplied that names the repository of the other commit."""
_MIN_REPO_NAME = 4  # Characters: shorter names occur in other words

Field = Literal["word", "path", "name"]
_WITHIN_REPO: Mapping[Field, float] = {"word": 1.0, "path": 1.0, "name": 1.0}
_BETWEEN_REPOS: Mapping[Field, float] = {"word": 0.1, "path": 0.0, "name": 1.0}


class SimilarCommit(Frozen):
    """An earlier commit, and what it shares with another one."""

    commit: Headline
    score: float
    shared: tuple[str, ...] = ()  # The rarest files and identifiers that both touch
    has_rare_name: bool = False  # Whether hardly any other commit has one of the identifiers
    shares_code: bool = False  # Whether both touch the same file and the same identifier
    undone: int = 0  # How many of its lines the other commit takes back, where these are most


class _Term(NamedTuple):
    field: Field
    text: str


class EarlierCommits:
    """An inverted index of the landed commits of a repository."""

    def __init__(self, footprints: Sequence[Footprint], repo: RepoId | None = None) -> None:
        """Index commits; the repository separates queries of another one."""
        self._repo = repo
        ordered = sorted(footprints, key=lambda footprint: footprint.commit.at)
        self._commits = [footprint.commit for footprint in ordered]
        self._positions: dict[_Term, list[int]] = defaultdict(list)
        self._births: dict[str, int] = {}  # The first commit that has a file or an identifier
        for position, footprint in enumerate(ordered):
            for term in _terms(footprint):
                self._positions[term].append(position)
            for birth in footprint.births:
                self._births.setdefault(birth, position)
        self._lengths = [self._length(footprint) for footprint in ordered]
        self._naming: dict[str, set[int]] = {}  # The commits that name a repository

    def ranked(self, query: Footprint, limit: int) -> list[SimilarCommit]:
        """Return the commits before another one that share the most with it."""
        products, shared = self._products(query)
        query_length = self._length(query)
        is_abroad = self._is_abroad(query)
        weights = _BETWEEN_REPOS if is_abroad else _WITHIN_REPO
        naming = self._commits_naming(query.repo) if is_abroad else set()
        similar: list[SimilarCommit] = []
        for position, product in products.items():
            commit = self._commits[position]
            age = query.commit.at - commit.at
            if commit.sha == query.commit.sha or not timedelta() <= age <= LOOK_BACK:
                continue
            length = self._lengths[position]
            score = 0.0
            for field, weight in weights.items():
                if field in product:
                    score += weight * product[field] / (query_length[field] * length[field])
            if score == 0:
                continue
            score *= 0.5 ** (age / timedelta(days=1) / _HALF_LIFE_DAYS)
            if position in naming:
                score *= _NAMES_REPO
            if commit.author == query.commit.author:
                score *= _SAME_AUTHOR
            similar.append(self._similar(commit, score, shared[position]))
        similar.sort(key=lambda candidate: (-candidate.score, candidate.commit.sha))
        return similar[:limit]

    def _is_abroad(self, query: Footprint) -> bool:
        return None not in (query.repo, self._repo) and query.repo != self._repo

    def _commits_naming(self, repo: RepoId | None) -> set[int]:
        """Return the commits whose title, files or changed lines have the name of a repository."""
        name = (repo or "").rpartition("/")[2].lower()
        if len(name) < _MIN_REPO_NAME:
            return set()
        if name not in self._naming:
            naming: set[int] = set()
            for term, positions in self._positions.items():
                if name in term.text.lower():
                    naming.update(positions)
            self._naming[name] = naming
        return self._naming[name]

    def _products(
        self, query: Footprint
    ) -> tuple[dict[int, dict[Field, float]], dict[int, list[_Term]]]:
        """Return the weight of what each commit shares with a query, and what that is."""
        products: dict[int, dict[Field, float]] = defaultdict(lambda: defaultdict(float))
        shared: dict[int, list[_Term]] = defaultdict(list)
        common = max(_MIN_COMMON, _MAX_SHARE * len(self._commits))
        for term in _terms(query):
            positions = self._positions.get(term, ())
            if len(positions) > common:
                continue
            weight = self._rarity(term) ** 2
            birth = self._births.get(term.text) if term.field != "word" else None
            for position in positions:
                factor = _BIRTH if position == birth else 1.0
                products[position][term.field] += factor * weight
                shared[position].append(term)
        return products, shared

    def _similar(self, commit: Headline, score: float, terms: Sequence[_Term]) -> SimilarCommit:
        names: list[_Term] = []
        for term in terms:
            if term.field == "path" or (term.field != "word" and is_name(term.text)):
                names.append(term)
        names.sort(key=lambda term: (len(self._positions[term]), term.text))
        rare_names = [term for term in names if len(self._positions[term]) <= _MAX_RARE]
        return SimilarCommit(
            commit=commit,
            score=round(score, 6),
            shared=tuple(term.text for term in names[:_MAX_SHARED]),
            has_rare_name=any(term.field == "name" for term in rare_names),
            shares_code={"path", "name"} <= {term.field for term in names},
        )

    def _rarity(self, term: _Term) -> float:
        """Return the inverse document frequency of a term."""
        count = len(self._positions.get(term, ()))
        return math.log(1 + len(self._commits) / (count + 1))

    def _length(self, footprint: Footprint) -> dict[Field, float]:
        """Return the length of each of the three vectors of a commit."""
        squares: dict[Field, float] = defaultdict(float)
        for term in _terms(footprint):
            squares[term.field] += self._rarity(term) ** 2
        return {field: math.sqrt(square) or 1.0 for field, square in squares.items()}


def _terms(footprint: Footprint) -> Iterator[_Term]:
    for word in footprint.words:
        yield _Term("word", word)
    for path in footprint.paths:
        yield _Term("path", path)
    for name in {*footprint.added, *footprint.removed}:
        yield _Term("name", name)
