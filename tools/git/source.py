"""The source of commits and diffs of one repository by git, from a clone or a mirror on disk."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, Landing
from agent.domain.errors import NotFound, UpstreamError
from agent.domain.release_notes import ReleaseNotes
from agent.domain.surface import SurfaceChange
from agent.domain.window import Window
from agent.links.changed_names import Birth
from agent.links.footprints import Footprint
from agent.links.similar_commit_index import SimilarCommit
from agent.links.touched_lines import LineWriter
from agent.ports import Study
from agent.stories.timeline import NEAR
from tools.git.blobs_of_commits import entries_of, present_commits
from tools.git.commit_change_reader import ChangeReader, tree_change
from tools.git.file_trails import FollowedChanges, follow
from tools.git.first_parent_line import FirstParentLine
from tools.git.isolated_repository import View, view_of
from tools.git.landed_commit_footprints import SimilarCommits
from tools.git.landing import read_landing
from tools.git.line_writers import line_writers
from tools.git.log import FirstParentWalk, read_commits
from tools.git.mentions_in_commits import Mentions
from tools.git.missing_blobs import UnreadCommits, close_gaps, fetch_blobs
from tools.git.name_introductions import births
from tools.git.opened_repository import Repository, open_repository
from tools.git.process import patiently, remote_environment
from tools.git.public_surfaces import Surfaces
from tools.git.revisions import Revisions
from tools.git.word_frequencies import Messages
from tools.release_notes_from_commits import release_notes
from tools.surface.public_paths import Documented
from tools.worker_processes import UnansweredError, WorkerProcesses


class GitSource(Revisions, Surfaces, Messages, Mentions):
    """A `CodeSource` over a clone or mirror; only missing blobs are ever written to it."""

    def __init__(
        self,
        repo: RepoId,
        path: Path,
        *,
        branch: str | None = None,
        network: Mapping[str, str] | None = None,
        workers: WorkerProcesses | None = None,
    ) -> None:
        """Read `path` as `repo`; `network` is the environment for fetching (`remote_environment`).

        Public surfaces are read in the processes of `workers`.
        """
        super().__init__()
        self.repo = repo
        self._path = path
        self._branch = branch
        self._network = remote_environment({}) if network is None else network
        self._workers = workers or WorkerProcesses(0)
        self._repository: Repository | None = None
        self._line = FirstParentLine()
        self._walk: FirstParentWalk | None = None
        self._last_view: View | None = None
        self._existing: set[str] = set()  # Commits that were seen to be here
        self._similar = SimilarCommits()
        self._followed: FollowedChanges | None = None

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List the first-parent commits whose landing time is in the window, and what arrived late."""
        repository = await self._open()
        tip = await repository.tip(self._branch)
        view = self._view_of(repository)
        if tip.sha and not (self._walk and self._walk.reaches(tip.sha, window.start)):
            self._walk = await FirstParentWalk.down(view, tip.sha, window.start)
        now = datetime.now(UTC)
        landing = await read_landing(view, self.repo, tip, self._walk, window, known_tip, now)
        self._existing.update(row.commit.sha for row in (*landing.rows, *landing.late))
        return landing

    async def changes(self, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
        """Read these commits with their patches in this order, each once, one in memory at a time."""
        repository = await self._open()
        view = self._view_of(repository)
        present = await self._present(view, shas)
        gaps = await close_gaps(repository, view, present, self._network)
        async with ChangeReader(view, self.repo, present, gaps) as reader:
            while (change := await reader.next()) is not None:
                yield change

    async def foresee(self, studies: Sequence[Study]) -> None:
        """Fetch what a partial clone lacks of these commits and of those they are compared with."""
        repository = await self._open()
        if repository.promisor is None:
            return
        view = self._view_of(repository)
        shas = [study.change.commit.sha for study in studies if study.lineage_paths]
        present = await self._present(view, shas)
        # Most are complete because they were read, but maybe in another mirror.
        await close_gaps(repository, view, present, self._network)
        earlier: dict[str, None] = {}
        for sha in present:
            earlier |= dict.fromkeys(await self._line.before(view, sha))
        await close_gaps(repository, view, list(earlier), self._network)

    async def _complete(self, shas: Sequence[str]) -> None:
        """Fetch what this partial clone lacks of these commits; raise UpstreamError in an outage."""
        repository = await self._open()
        gaps = await close_gaps(repository, self._view_of(repository), shas, self._network)
        if gaps.shas and gaps.why != UnreadCommits.why:
            raise UpstreamError(f"{self.repo}: {gaps.why}", retryable=True)

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in, newest first; empty for a plain commit."""
        view = await self._view()
        commit = await self._commit(sha)
        if not commit.is_merge or sha in view.shallow:
            return ()
        selection = [f"^{commit.parents[0]}", *commit.parents[1:]]
        return tuple(await read_commits(view, self.repo, selection))

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the latest landed commits before this one that may be the same change or undo it."""
        if not paths:
            return ()
        repository = await self._open()
        view = self._view_of(repository)
        if not await self._present(view, [sha]):
            raise NotFound(f"{self.repo} has no commit {sha}")
        candidates = await self._line.before(view, sha)
        await close_gaps(repository, view, candidates, self._network)
        return tuple(reversed(await self._line.alike(view, sha, candidates)))

    async def surface_changes(self, shas: Sequence[str]) -> dict[str, SurfaceChange | None]:
        """Return for each commit the public names in its files and what breaks, as it is above.

        Another process reads them, if there is one.
        """
        if not self._workers.are_wanted:
            return await super().surface_changes(shas)
        changes: dict[str, SurfaceChange | None] = dict.fromkeys(shas)
        # What this clone lacks is fetched here, so that the other process only reads.
        complete = await self._completed(shas)
        try:
            surfaces, _ = await self._workers.call(
                _read_surfaces, self.repo, self._path, complete, self._documented
            )
        except UnansweredError:
            return await super().surface_changes(shas)
        self._documented = surfaces.documented
        return changes | surfaces.changes

    async def read_surfaces(
        self, shas: Sequence[str], documented: Documented | None
    ) -> "SurfacesRead":
        """Read what commits do to public names, by what documents import if that was read before."""
        self._documented = documented
        changes = await super().surface_changes(shas)
        return SurfacesRead(changes, self._documented)

    async def _completed(self, shas: Sequence[str]) -> list[str]:
        """Fetch what this clone lacks of commits, and return those that lack nothing."""
        repository = await self._open()
        view = self._view_of(repository)
        present = await self._present(view, shas)
        gaps = await close_gaps(repository, view, present, self._network)
        return [sha for sha in present if sha not in gaps.shas]

    async def similar(
        self, queries: Sequence[Footprint], *, upto: str, since: datetime, limit: int
    ) -> Mapping[str, tuple[SimilarCommit, ...]]:
        """Return for each of these commits the landed ones that share the most with it."""
        return await self._similar.find(self, queries, upto, since, limit)

    async def line_writers(self, shas: Sequence[str]) -> Mapping[str, tuple[LineWriter, ...]]:
        """Return for each commit who wrote the lines that it changes, and those next to them.

        A partial clone has contents only of the last weeks, if of any.
        """
        writers: dict[str, tuple[LineWriter, ...]] = dict.fromkeys(shas, ())
        with suppress(UpstreamError):  # Without them, fewer earlier commits are compared
            writers |= await line_writers(await self._view(), self.repo, await self._follow(shas))
        return writers

    async def births(self, shas: Sequence[str]) -> Mapping[str, tuple[Birth, ...]]:
        """Return for each commit the earlier ones that brought the rarest names that it changes.

        A partial clone has too few contents to say.
        """
        found: dict[str, tuple[Birth, ...]] = dict.fromkeys(shas, ())
        if await self.is_partial():
            return found
        with suppress(UpstreamError):  # Without them, fewer earlier commits are compared
            found |= await births(await self._view(), self.repo, await self._follow(shas))
        self._followed = None
        return found

    async def _follow(self, shas: Sequence[str]) -> FollowedChanges:
        """Follow the files of commits down the landed line; the last answer is kept."""
        if self._followed is None or self._followed.shas != tuple(shas):
            changes = [change async for change in self.changes(shas)]
            since = None
            if await self.is_partial() and changes:
                since = min(change.commit.committed_at for change in changes) - NEAR
            self._followed = await follow(await self._view(), tuple(shas), changes, since)
        return self._followed

    async def has_whole_history(self) -> bool:
        """Return False for a shallow clone."""
        return not (await self._view()).shallow

    async def is_partial(self) -> bool:
        """Return True if contents are fetched when they are needed."""
        return (await self._open()).promisor is not None

    async def paths_of(self, shas: Sequence[str]) -> dict[str, list[str]]:
        """Return the paths that commits touch, by their hashes; no content is needed for it."""
        entries_by_sha = await entries_of(await self._view(), shas)
        paths: dict[str, list[str]] = {}
        for sha, entries in entries_by_sha.items():
            paths[sha] = [entry.path.decode("utf-8", "replace") for entry in entries]
        return paths

    async def tree_change(self, old: str, new: str) -> Change:
        """Return how the tree of one commit differs from another's, as one change."""
        repository = await self._open()
        view = self._view_of(repository)
        return await tree_change(repository, view, self.repo, old, new, self._network)

    async def release_notes(self, tag: str) -> ReleaseNotes | None:
        """Return what is new in a version; None where there is no earlier one to compare with."""
        return await release_notes(self, tag)

    async def _fetch(self, *blobs: bytes) -> None:
        repository = await self._open()
        if repository.promisor is not None:
            await patiently(lambda: fetch_blobs(repository, blobs, self._network))

    async def _open(self) -> Repository:
        if self._repository is None:
            self._repository = await open_repository(self._path)
        return self._repository

    async def _view(self) -> View:
        return self._view_of(await self._open())

    def _view_of(self, repository: Repository) -> View:
        self._last_view = view_of(repository, self._last_view)
        return self._last_view

    async def _present(self, view: View, shas: Sequence[str]) -> list[str]:
        """Return those that are commits here, each once; existing ones are not looked up again."""
        unchecked = [sha for sha in dict.fromkeys(shas) if not self._exists(sha)]
        if unchecked:
            self._existing.update(await present_commits(view, unchecked))
        return [sha for sha in dict.fromkeys(shas) if self._exists(sha)]

    def _exists(self, sha: str) -> bool:
        return sha in self._existing or sha in self._line


class SurfacesRead(NamedTuple):
    """What another process read of the public surfaces of a repository."""

    changes: dict[str, SurfaceChange | None]
    documented: Documented | None


def _read_surfaces(
    repo: RepoId, path: Path, shas: Sequence[str], documented: Documented | None
) -> SurfacesRead:
    return asyncio.run(GitSource(repo, path).read_surfaces(shas, documented))
