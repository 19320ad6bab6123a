"""The search of the memory: one ranked list over commits, threads, releases and tags in a window."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from agent.domain.base import LANGUAGES, RepoId, short_name
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window
from agent.questions_and_replies import Hit, Named
from agent.report_languages import catalogue
from memory.column_values import stamp
from memory.protocols import Database, EvidenceHit, EvidenceScope
from memory.search_words import Term, phrase_of, terms_of

ALWAYS = EvidenceScope(repos=(), start="", end="9")
_BEFORE_ALL = "0"  # Before any moment, and behind the empty end of a thread that is open
_MAX_RANKED = 200  # Rows that are taken by their words
_MAX_EXPLAINED = 20  # Hits that are shown with the words by which they were found
_MAX_WITH_NAME = 5_000
_MAX_EXPANDED = 30  # Hits whose neighbours join the list
_MAX_RELEASED = 5  # Commits whose next release joins the list
_NEIGHBOUR_SHARE = 0.4  # What a neighbour gains of the score of a hit
_NAME_WEIGHT = 3.0  # How much more a name counts that occurs whole than its words
_RELEASE_WEIGHT = 2.0  # How much releases count in a question that speaks of releases
_REFERENCE_SCORE = 1_000.0  # What is named by hash, number or tag precedes all that words find
_FIRST_OF_A_KIND = 10  # Commits, and other things, that precede everything else
_COMMON_SHARE = 0.1  # A name that so much of the evidence has singles nothing out
_MIN_COMMON = 20  # Pieces of evidence that may have a name in any case
_UNNAMED_REPO_SHARE = 0.5  # Of its score, for evidence of a repository that is not asked about


class _Exact(NamedTuple):
    """The evidence that contains a name as a phrase, or that a reference names."""

    text: str
    row_ids: set[int]
    is_reference: bool


class SearchIndex:
    """Searches the evidence of some repositories; nothing outside of the window is found."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._evidence = db.evidence

    def search(
        self,
        text: str,
        names: Sequence[Named],
        repos: Sequence[RepoId],
        window: Window | None,
        limit: int = 60,
        *,
        common_words: Collection[str] = (),
        asked_repos: Collection[RepoId] = (),
    ) -> list[Hit]:
        """Return the evidence that has a word of the text or is named outright, the best first.

        Neighbours of the best hits join the list. `common_words`, in lower case, are ignored;
        `asked_repos` are the repositories that the text asks about, if it names any.
        """
        scope = _scope(repos, window)
        all_terms = terms_of(text)
        common = self._common_chinese(all_terms, scope).union(common_words)
        terms = _specific_terms(all_terms, common)
        scores = self._word_scores(terms, scope)
        if not scores:
            # Common words are better than none that occurs: a question may have no others.
            terms = all_terms
            scores = self._word_scores(terms, scope)
        if any(_names_releases(term) for term in all_terms):
            self._add_release_scores(scores, scope)
        exact_matches = self._exact_matches(text, names, scope)
        self._add_exact_scores(scores, exact_matches, scope)
        self._add_neighbour_scores(scores, scope)
        in_reach = self._evidence.in_scope(_reach(scope), row_ids=list(scores))
        if asked_repos:
            for hit in in_reach:
                if hit.id.repo not in asked_repos:
                    scores[hit.row_id] *= _UNNAMED_REPO_SHARE
        ranked = _ranked(in_reach, scores)[:limit]
        return self._explained_hits(ranked, scores, exact_matches, terms)

    def _explained_hits(
        self,
        ranked: Sequence[EvidenceHit],
        scores: Mapping[int, float],
        exact_matches: Sequence[_Exact],
        terms: Sequence[Term],
    ) -> list[Hit]:
        """Return hits with their scores, and the names and words by which they were found."""
        explained = [hit.row_id for hit in ranked[:_MAX_EXPLAINED]]
        terms_by_row = self._evidence.matches(explained, terms)
        hits: list[Hit] = []
        for hit in ranked:
            names = [match.text for match in exact_matches if hit.row_id in match.row_ids]
            matching_terms = terms_by_row.get(hit.row_id, ())
            words = _specific_terms(matching_terms, {short_name(hit.id.repo).lower()})
            explained_hit = Hit(
                id=hit.id,
                kind=hit.kind,
                opened=hit.opened,
                author=hit.author,
                score=round(scores[hit.row_id], 4),
                named=tuple(names),
                words=tuple(term.text for term in words),
            )
            hits.append(explained_hit)
        return hits

    def _common_chinese(self, terms: Sequence[Term], scope: EvidenceScope) -> set[str]:
        """Return the Chinese of a question that much of the evidence has.

        Most of it are particles and words of the sentences in which code states facts.
        """
        limit = max(_MIN_COMMON, int(self._evidence.count(scope) * _COMMON_SHARE))
        common = set()
        for term in terms:
            if term.han and len(self._evidence.scores(scope, [term], limit + 1)) > limit:
                common.add(term.han)
        return common

    def _word_scores(self, terms: Sequence[Term], scope: EvidenceScope) -> dict[int, float]:
        """Return the scores of what has some of the words.

        The name of a repository finds what others say of it; in its own evidence it says nothing.
        """
        words = {term.word for term in terms}
        named_repos = [repo for repo in scope.repos if short_name(repo).lower() in words]
        scores: dict[int, float] = {}
        for repo in named_repos:
            repo_scope = scope._replace(repos=[repo])
            repo_terms = _specific_terms(terms, {short_name(repo).lower()})
            scores |= self._evidence.scores(repo_scope, repo_terms, _MAX_RANKED)
        other_repos = [repo for repo in scope.repos if repo not in named_repos]
        if other_repos or not named_repos:
            other_scope = scope._replace(repos=other_repos)
            scores |= self._evidence.scores(other_scope, terms, _MAX_RANKED)
        return scores

    def entries(self, repos: Sequence[RepoId], window: Window | None) -> list[Hit]:
        """Return everything in a window, without scores."""
        return [_hit(hit) for hit in self._evidence.in_scope(_scope(repos, window))]

    def cited_before(
        self, names: Sequence[EvidenceId], repos: Sequence[RepoId], window: Window | None
    ) -> list[Hit]:
        """Return the evidence of earlier answers that this window allows, in the order of `names`.

        Threads may be older than the window, and releases of any time.
        """
        scope = _scope(repos, window)
        allowed = {hit.id: hit for hit in self._evidence.in_scope(scope, names=names)}
        for hit in self._evidence.in_scope(_until_end(scope), names=names):
            if hit.kind in ("issue", "pull"):
                allowed[hit.id] = hit
        for hit in self._evidence.in_scope(_reach(scope), names=names):
            if hit.kind == "release":
                allowed[hit.id] = hit
        hits = []
        for name in dict.fromkeys(names):
            if name in allowed:
                cited_hit = _hit(allowed[name])
                hits.append(cited_hit.model_copy(update={"from_conversation": True}))
        return hits

    def outright(
        self, names: Sequence[Named], repos: Sequence[RepoId], window: Window | None
    ) -> list[Named]:
        """Return the names that single something out: references, and names that are not common.

        A version that is no tag of these repositories is a name: it may be that of a dependency.
        """
        scope = _scope(repos, window)
        limit = max(_MIN_COMMON, int(self._evidence.count(scope) * _COMMON_SHARE))
        specific_names = []
        for name in names:
            row_ids = self._exact_match(name, scope).row_ids
            if name.kind == "tag" and not row_ids:
                specific_names.append(Named(kind="name", text=name.text))
            elif name.kind != "name" or len(row_ids) <= limit:
                specific_names.append(name)
        return specific_names

    def _exact_matches(
        self, text: str, names: Sequence[Named], scope: EvidenceScope
    ) -> list[_Exact]:
        """Return the matches of names and of people in the text, one for each of them."""
        matches: dict[str, _Exact] = {}
        for name in names:
            matches[name.text] = self._exact_match(name, scope)
        for match in self._by_people(text, scope):
            matches[match.text] = match
        return list(matches.values())

    def _exact_match(self, name: Named, scope: EvidenceScope) -> _Exact:
        """Return the evidence that a reference names, or all that contains a name as a phrase.

        A thread that is named may be older than the window, and a tag of any time.
        """
        if name.kind == "name":
            phrase = phrase_of(name.text)
            row_ids = self._evidence.with_phrase(scope, phrase, _MAX_WITH_NAME)
            return _Exact(name.text, set(row_ids), is_reference=False)
        repos = scope.repos
        if name.repo is not None:
            repos = [repo for repo in repos if repo.lower() == name.repo.lower()]
        hits: list[EvidenceHit] = []
        if name.kind == "commit":
            for repo in repos:
                hits += self._evidence.with_prefix(scope, EvidenceId.commit_prefix(repo, name.text))
        else:
            ids = _ids_of(name, repos)
            hits = self._evidence.in_scope(scope, names=self._brought_by(ids))
            hits += self._evidence.in_scope(_reach_of(name, scope), names=ids)
        return _Exact(name.text, {hit.row_id for hit in hits}, is_reference=True)

    def _brought_by(self, pulls: Sequence[EvidenceId]) -> list[EvidenceId]:
        """Return the commits that pull requests brought."""
        rows = self._db.select("evidence_refs", ["source"], {"brought": 1, "target": pulls})
        return [source for (source,) in rows]

    def _by_people(self, text: str, scope: EvidenceScope) -> list[_Exact]:
        """Return the evidence of each author whose git or GitHub name occurs in the text."""
        authors = self._evidence.authors()
        matches = []
        for name in _names_in(text, authors):
            same_author = [author for author in authors if _has_name(author, name)]
            hits = self._evidence.in_scope(scope, authors=same_author)
            if hits:
                matches.append(_Exact(name, {hit.row_id for hit in hits}, is_reference=False))
        return matches

    def _add_exact_scores(
        self, scores: dict[int, float], matches: Sequence[_Exact], scope: EvidenceScope
    ) -> None:
        """Raise the scores of what has a name whole; the rarer the name, the more."""
        count = self._evidence.count(scope)
        for match in matches:
            gain = _REFERENCE_SCORE
            if not match.is_reference:
                gain = _NAME_WEIGHT * _rarity(len(match.row_ids), count)
            for row_id in match.row_ids:
                scores[row_id] = scores.get(row_id, 0.0) + gain

    def _add_release_scores(self, scores: dict[int, float], scope: EvidenceScope) -> None:
        """Raise the scores of the releases of a window; the fewer there are, the more."""
        evidence = self._evidence.in_scope(scope)
        row_ids = [hit.row_id for hit in evidence if hit.kind == "release"]
        others = len(evidence) - len(row_ids)
        gain = _RELEASE_WEIGHT * math.log(1 + others / (len(row_ids) + 0.5))
        for row_id in row_ids:
            scores[row_id] = scores.get(row_id, 0.0) + gain

    def _add_neighbour_scores(self, scores: dict[int, float], scope: EvidenceScope) -> None:
        """Add a part of the scores of the best hits to those of their neighbours.

        A thread that belongs to a hit may be older than the window.
        """
        best = self._evidence.in_scope(_reach(scope), row_ids=list(scores))
        best.sort(key=lambda hit: (-scores[hit.row_id], hit.id))
        gains: dict[EvidenceId, float] = {}
        for rank, hit in enumerate(best[:_MAX_EXPANDED]):
            gain = scores[hit.row_id] * _NEIGHBOUR_SHARE
            for neighbour in self._neighbours(hit, with_release=rank < _MAX_RELEASED):
                gains[neighbour] = max(gains.get(neighbour, 0.0), gain)
        names = list(gains)
        hits = {hit.row_id: hit for hit in self._evidence.in_scope(scope, names=names)}
        for hit in self._evidence.in_scope(_until_end(scope), names=names):
            if hit.kind in ("issue", "pull"):
                hits[hit.row_id] = hit
        for row_id, hit in hits.items():
            scores[row_id] = scores.get(row_id, 0.0) + gains[hit.id]

    def _neighbours(self, hit: EvidenceHit, *, with_release: bool) -> set[EvidenceId]:
        """Return the evidence that belongs to a hit; of a commit also the next release."""
        neighbours = self._evidence.neighbours(hit.id)
        if with_release and hit.kind == "commit":
            release = self._evidence.next_release(hit.id.repo, hit.opened)
            if release is not None:
                neighbours.add(release)
        return neighbours


def _hit(hit: EvidenceHit) -> Hit:
    """Return a row of evidence as a hit without a score."""
    return Hit(id=hit.id, kind=hit.kind, opened=hit.opened, author=hit.author)


def _scope(repos: Sequence[RepoId], window: Window | None) -> EvidenceScope:
    """Return the bounds of a search; no repositories means all."""
    if window is None:
        return ALWAYS._replace(repos=repos)
    return EvidenceScope(repos, stamp(window.start), stamp(window.cutoff or window.end))


def _reach_of(name: Named, scope: EvidenceScope) -> EvidenceScope:
    """Return the scope in which to look up a reference, which may be older than the window."""
    return _until_end(scope) if name.kind == "thread" else _reach(scope)


def _until_end(scope: EvidenceScope) -> EvidenceScope:
    """Return a scope that has an end and no beginning."""
    return scope._replace(start=_BEFORE_ALL)


def _reach(scope: EvidenceScope) -> EvidenceScope:
    """Return a scope without its bounds in time."""
    return ALWAYS._replace(repos=scope.repos)


def _names_releases(term: Term) -> bool:
    """Return True if a word is one by which releases are called, in either language."""
    for lang in LANGUAGES:
        for name in terms_of(catalogue(lang)["ask"]["release_words"]):
            if term.han and term.han == name.han:
                return True
            if term.word and term.word in (name.word, f"{name.word}s", f"{name.word}d"):
                return True
    return False


def _specific_terms(terms: Sequence[Term], common_words: Collection[str]) -> Sequence[Term]:
    """Return the terms without common words, unless there are no others."""
    specific = [term for term in terms if (term.word or term.han) not in common_words]
    return specific or terms


def _ids_of(name: Named, repos: Iterable[RepoId]) -> list[EvidenceId]:
    """Return the ids that a number or a tag may have in some repositories."""
    ids: list[EvidenceId] = []
    for repo in repos:
        if name.kind == "thread":
            ids.append(EvidenceId.listed(repo, number=int(name.text)))
        else:
            for tag in (name.text, f"v{name.text}"):
                ids.append(EvidenceId.listed(repo, revision=tag))
    return ids


def _names_in(text: str, authors: Iterable[str]) -> list[str]:
    """Return the names of authors that occur in a text as whole words."""
    names = set()
    for author in authors:
        for name in author.split(", "):
            if len(name) > 1 and name in text:
                names.add(name)
    return [name for name in sorted(names) if _is_whole_word(name, text)]


def _has_name(author: str, name: str) -> bool:
    """Return True if an author, whose names are separated by commas, has a name."""
    return name.lower() in author.lower().split(", ")


def _is_whole_word(name: str, text: str) -> bool:
    """Return True if nothing continues a name; Chinese names have no spaces around them."""
    return not name.isascii() or re.search(rf"\b{re.escape(name)}\b", text) is not None


def _rarity(matches: int, count: int) -> float:
    """Return the inverse document frequency of a name that so many of all documents have."""
    others = max(0.0, count - matches + 0.5)
    return math.log(1 + others / (matches + 0.5))


def _ranked(hits: Iterable[EvidenceHit], scores: dict[int, float]) -> list[EvidenceHit]:
    """Return hits by score, of equals the newest first; the best of each kind precede the rest."""
    newest = sorted(hits, key=lambda hit: (hit.opened, hit.id), reverse=True)
    ranked = sorted(newest, key=lambda hit: -round(scores[hit.row_id], 6))
    commits = [hit for hit in ranked if hit.kind == "commit"]
    others = [hit for hit in ranked if hit.kind != "commit"]
    first = {*commits[:_FIRST_OF_A_KIND], *others[:_FIRST_OF_A_KIND]}
    return sorted(ranked, key=lambda hit: hit not in first)
