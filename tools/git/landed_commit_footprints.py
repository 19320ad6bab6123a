"""The footprints of landed commits: earlier ones that share words, files and identifiers with others."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from agent.domain.base import RepoId
from agent.domain.commits import Change, Headline
from agent.links.footprints import Footprint, footprint_of, title_footprint
from agent.links.similar_commit_index import EarlierCommits, SimilarCommit
from agent.links.unlabelled_reverts import EditedLines, taken_back
from agent.ports import Past

_MAX_COMMITS = 5_000  # The latest commits that are looked at, of a busy repository
_MAX_FETCHED = 300  # Commits whose contents are fetched into a partial clone to be compared
_MAX_FETCHED_EACH = 12  # Of them, those that one commit is compared with
_MIN_FETCHED_EACH = 2


class LandedCommits(Protocol):
    """The landed commits of a clone, with their titles, files and diffs."""

    @property
    def repo(self) -> RepoId:
        """The repository."""

    async def headed(self, pattern: str, *, upto: str, since: datetime) -> Past:
        """List the landed commits up to this one and since a moment whose title fits."""

    def changes(self, shas: Sequence[str]) -> AsyncIterator[Change]:
        """Read commits with their patches."""

    async def is_partial(self) -> bool:
        """Return True if contents are fetched when they are needed."""

    async def paths_of(self, shas: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the paths that commits touch, by their hashes; no content is needed for it."""


class SimilarCommits:
    """Footprints of a repository's landed commits; a commit never changes, so each is read once."""

    def __init__(self) -> None:
        self._footprints: dict[str, Footprint] = {}
        self._edits: dict[str, EditedLines] = {}
        self._reading = asyncio.Lock()  # Every repository of a report asks for the same commits

    async def find(
        self,
        source: LandedCommits,
        queries: Sequence[Footprint],
        upto: str,
        since: datetime,
        limit: int,
    ) -> dict[str, tuple[SimilarCommit, ...]]:
        """Return the most similar commits before each of these, by the hash of the query."""
        past = await source.headed("", upto=upto, since=since)
        commits = past.found[:_MAX_COMMITS]
        async with self._reading:
            if await source.is_partial():
                footprints, with_diffs = await self._partial_footprints(source, queries, commits)
            else:
                footprints = await self._read(source, commits)
                with_diffs = list(commits)
        # Not of whatever others asked for before: their order must not matter.
        edits = [self._edits[commit.sha] for commit in with_diffs if commit.sha in self._edits]
        # Answers of models come in while two months of commits are compared.
        return await asyncio.to_thread(_ranked, footprints, edits, source.repo, queries, limit)

    async def _read(self, source: LandedCommits, commits: Sequence[Headline]) -> list[Footprint]:
        """Return the footprints of commits with their diffs; of what cannot be read, the title."""
        headlines = {commit.sha: commit for commit in commits}
        unread = [sha for sha in headlines if sha not in self._footprints]
        async for change in source.changes(unread):
            commit = headlines[change.commit.sha]
            # What was there from the beginning was brought by nobody.
            is_root = not change.commit.parents
            footprint = title_footprint(commit) if is_root else footprint_of(change, commit)
            self._footprints[commit.sha] = footprint
            if not is_root:
                self._edits[commit.sha] = EditedLines(change, commit)
        footprints: list[Footprint] = []
        for sha, commit in headlines.items():
            footprints.append(self._footprints.get(sha) or title_footprint(commit))
        return footprints

    async def _partial_footprints(
        self, source: LandedCommits, queries: Sequence[Footprint], commits: Sequence[Headline]
    ) -> tuple[list[Footprint], list[Headline]]:
        """Return footprints by titles and files, and the nearest commits, of which diffs are read.

        A partial clone has no contents: to read every diff of two months would fetch them all.
        """
        paths = await source.paths_of([commit.sha for commit in commits])
        by_sha: dict[str, Footprint] = {}
        for commit in commits:
            by_sha[commit.sha] = title_footprint(commit, paths.get(commit.sha, ()))
        index = EarlierCommits(list(by_sha.values()), source.repo)
        each = _MAX_FETCHED // max(1, len(queries))
        each = max(_MIN_FETCHED_EACH, min(_MAX_FETCHED_EACH, each))
        nearest: dict[str, Headline] = {}
        for query in queries:
            for similar in index.ranked(query, each):
                nearest[similar.commit.sha] = similar.commit
        asked = {query.commit.sha for query in queries if query.repo == source.repo}
        nearest_commits = [commit for commit in commits if commit.sha in asked]
        nearest_commits += list(nearest.values())[:_MAX_FETCHED]
        for footprint in await self._read(source, nearest_commits):
            by_sha[footprint.commit.sha] = footprint
        return list(by_sha.values()), nearest_commits


def _ranked(
    footprints: Sequence[Footprint],
    edits: Sequence[EditedLines],
    repo: RepoId,
    queries: Sequence[Footprint],
    limit: int,
) -> dict[str, tuple[SimilarCommit, ...]]:
    """Return the commits that queries take lines back of, and then the most similar ones."""
    index = EarlierCommits(footprints, repo)
    asked = {query.commit.sha for query in queries if query.repo == repo}
    undone = taken_back([edit for edit in edits if edit.commit.sha in asked], edits)
    similar: dict[str, tuple[SimilarCommit, ...]] = {}
    for query in queries:
        sha = query.commit.sha
        ranked = {similar.commit.sha: similar for similar in index.ranked(query, limit)}
        reverted: dict[str, SimilarCommit] = {}
        for earlier in undone.get(sha, ()):
            commit = earlier.commit
            same = ranked.get(commit.sha) or SimilarCommit(commit=commit, score=0.0)
            reverted[commit.sha] = same.model_copy(update={"undone": earlier.lines})
        similar[sha] = tuple((reverted | {**ranked, **reverted}).values())
    return similar
