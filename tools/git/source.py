"""Commits and diffs of one repository, read with git from a clone or a mirror on disk."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from agent.domain.base import NotFound, RepoId
from agent.domain.commits import Change, Commit, Headline, Landing, Release
from agent.domain.window import Window
from agent.sources import Past, Study, Usages
from tools.git.changes import ChangeReader, close_gaps, entries_of, fetch_blobs, present_commits, tree_change
from tools.git.earlier import Line
from tools.git.files import lines_with, product_paths, read_blobs, read_file, tree_paths, usages, words_in
from tools.git.landing import read_landing
from tools.git.log import Walk, read_commits
from tools.git.process import patiently, remote_environment
from tools.git.repository import Repository, open_repository
from tools.git.revisions import (
    ancestors,
    commits_between,
    find_version,
    first_tags,
    headed,
    name_commits,
    tagged,
    tags_made,
    tags_with,
    written_by,
)
from tools.git.view import View, view_of

_CANDIDATES = 5
_AT_ONCE = 500


class GitSource:
    """A `CodeSource` over a clone, a bare mirror or a partial clone; only missing blobs are ever written to it."""

    def __init__(
        self, repo: RepoId, path: Path, *, branch: str | None = None, network: Mapping[str, str] | None = None
    ) -> None:
        """Read `path` under the name `repo`; `network` is the environment for fetching blobs (`remote_environment`)."""
        self.repo = repo
        self._path = path
        self._branch = branch
        self._network = remote_environment({}) if network is None else network
        self._repository: Repository | None = None
        self._line = Line()
        self._walk: Walk | None = None
        self._last_view: View | None = None
        self._known: set[str] = set()

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List the first-parent commits whose landing time is in the window, and what arrived late."""
        repository = await self._open()
        tip = await repository.tip(self._branch)
        view = self._shown(repository)
        if tip.sha and not (self._walk and self._walk.reaches(tip.sha, window.start)):
            self._walk = await Walk.down(view, tip.sha, window.start)
        landing = await read_landing(view, self.repo, tip, self._walk, window, known_tip)
        self._known.update(row.commit.sha for row in (*landing.rows, *landing.late))
        return landing

    async def changes(self, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
        """Read these commits with their patches, in the order given, each once, one in memory at a time."""
        repository = await self._open()
        view = self._shown(repository)
        present = await self._present(view, shas)
        gaps = await close_gaps(repository, view, present, self._network)
        async with ChangeReader(view, self.repo, present, gaps) as reader:
            while (change := await reader.next()) is not None:
                self._line.count(change)
                yield change

    async def foresee(self, studies: Sequence[Study]) -> None:
        """Fetch what a partial clone lacks of these commits and of those they are compared with, in one go."""
        repository = await self._open()
        if repository.promisor is None:
            return
        view = self._shown(repository)
        present = await self._present(view, [study.change.commit.sha for study in studies if study.telling])
        # Most often they are here, for somebody has read them; not where that is remembered from another mirror.
        await close_gaps(repository, view, present, self._network)
        earlier = [old for sha in present for old in await self._line.before(view, sha)]
        await close_gaps(repository, view, list(dict.fromkeys(earlier)), self._network)

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in, newest first; empty for a plain commit."""
        view = await self._view()
        commit = await self._commit(view, sha)
        if not commit.is_merge or sha in view.shallow:
            return ()
        selection = [f"^{commit.parents[0]}", *commit.parents[1:]]
        return tuple(await read_commits(view, self.repo, selection))

    async def blobs(self, change: Change, paths: Sequence[str]) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Read both versions of these files of a change; a version that is not there is None."""
        view = await self._view()
        return await read_blobs(view, change, paths)

    async def lines_with(self, sha: str, words: Sequence[str], *, called: str = "") -> tuple[tuple[str, str], ...]:
        """Find the lines of a commit's product code that hold one of these words; none in a partial clone."""
        repository = await self._open()
        if repository.promisor is not None:
            return ()
        view = self._shown(repository)
        fits = (lambda path: path.endswith(f"/{called}".encode())) if called else _has_lines_of_code
        where = await product_paths(view, sha, fits, examples=not called) if words else []
        return await lines_with(view, sha, words, where) if where else ()

    async def file(self, sha: str, path: str) -> str | None:
        """Read a file as it stands at a commit; None where there is no such file."""
        repository = await self._open()

        async def fetch(blob: bytes) -> None:
            if repository.promisor is not None:
                await patiently(lambda: fetch_blobs(repository, [blob], self._network))

        return await read_file(self._shown(repository), sha, path, fetch)

    async def usages(self, sha: str, name: str, *, path: str = "", limit: int = 200) -> Usages | None:
        """Find the lines that hold an identifier; None in a partial clone, which lacks most files."""
        repository = await self._open()
        if repository.promisor is not None:
            return None
        return await usages(self._shown(repository), sha, name, path=path, limit=limit)

    async def tree(self, sha: str) -> frozenset[str]:
        """Name all files of a commit."""
        return await tree_paths(await self._view(), sha)

    async def words_in(self, sha: str, words: Sequence[str]) -> frozenset[str] | None:
        """Tell which of these words a commit's files hold; None in a partial clone, which lacks most files."""
        repository = await self._open()
        return None if repository.promisor is not None else await words_in(self._shown(repository), sha, words)

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Name the latest landed commits before this one that may be the same change to these paths or its opposite."""
        if not paths:
            return ()
        repository = await self._open()
        view = self._shown(repository)
        if not await self._present(view, [sha]):
            raise NotFound(f"{self.repo} has no commit {sha}")
        found = await self._line.before(view, sha)
        await close_gaps(repository, view, found, self._network)
        return tuple(reversed(await self._line.alike(view, sha, found)))

    async def headed(self, pattern: str, *, upto: str, since: datetime) -> Past:
        """List the landed commits up to this one, and not before that moment, whose title fits a pattern."""
        view = await self._view()
        return await headed(view, self.repo, self._walk, pattern, upto, since)

    async def touching(self, shas: Sequence[str], paths: Sequence[str]) -> tuple[str, ...]:
        """Name those of these commits that touched one of these paths; no content is read for it."""
        view, wanted = await self._view(), set(paths)
        entries = await entries_of(view, await self._present(view, shas))
        return tuple(
            sha for sha in entries if not wanted.isdisjoint(one.path.decode("utf-8", "replace") for one in entries[sha])
        )

    async def written_by(self, sha: str, *, since: datetime, moved: bool = False) -> Mapping[str, int]:
        """Tell which landed commits since then wrote the lines that this one takes out, and how many each."""
        view = await self._view()
        return await written_by(view, sha, since, moved=moved)

    async def resolve(self, prefix: str) -> Commit:
        """Find one commit by its full or abbreviated hash; NotFound when there is none or several."""
        prefix = prefix.lower()
        if not re.fullmatch(r"[0-9a-f]{4,40}", prefix):
            raise NotFound(f"{prefix!r} is not a commit hash; give 4 to 40 hexadecimal digits")
        view = await self._view()
        found = (await name_commits(view, [prefix]))[prefix]
        if len(found) > 1:
            named = ", ".join(sha[:12] for sha in found[:_CANDIDATES])
            raise NotFound(f"{self.repo}@{prefix} is ambiguous: {named}{', …' if len(found) > _CANDIDATES else ''}")
        return await self._commit(view, found[0] if found else prefix)

    async def tags_with(self, sha: str) -> tuple[str, ...] | None:
        """Name the tags whose history has this commit, the oldest first; None where there are no tags at all."""
        return await tags_with(await self._open(), sha)

    async def first_tags(self, heads: Sequence[Headline], *, until: datetime) -> Mapping[str, Release]:
        """Name for landed commits the first release before a moment that has them, by one walk over its tags."""
        repository = await self._open()
        return await first_tags(repository, self._shown(repository), self.repo, heads, until)

    async def tagged(self, names: Sequence[str]) -> Release | None:
        """Find the first of these tags that there is, as a release of its day."""
        return await tagged(await self._open(), self.repo, names)

    async def tags_made(self, start: datetime, end: datetime) -> tuple[Release, ...]:
        """List the tags that were made between two moments, as releases of their days."""
        return await tags_made(await self._open(), self.repo, start, end)

    async def version(self, name: str, *, tz: str = "UTC") -> Commit:
        """Find the commit that a tag, a hash or a day means."""
        repository = await self._open()
        view = self._shown(repository)
        return await self._commit(view, await find_version(repository, view, name, branch=self._branch, tz=tz))

    async def between(self, old: str, new: str) -> tuple[Commit, ...]:
        """List the commits that one version has and the other has not, newest first."""
        return tuple(await commits_between(await self._view(), self.repo, old, new))

    async def tree_change(self, old: str, new: str) -> Change:
        """Read how the tree of one commit differs from another's, as one change."""
        repository = await self._open()
        return await tree_change(repository, self._shown(repository), self.repo, old, new, self._network)

    async def named(self, prefixes: Sequence[str]) -> Mapping[str, tuple[Commit, ...]]:
        """Find the commits that full or abbreviated hashes mean; of several, those on the default branch if any is."""
        repository = await self._open()
        tip = await repository.tip(self._branch)
        view = self._shown(repository)
        found = await name_commits(view, [prefix.lower() for prefix in prefixes])
        line = await ancestors(view, tip.sha) if tip.sha else frozenset()
        chosen = {one: [sha for sha in shas if sha in line] or shas for one, shas in found.items()}
        wanted = list(dict.fromkeys(sha for shas in chosen.values() for sha in shas))
        commits = await self._read_some(view, wanted)
        return {prefix: tuple(commits[sha] for sha in chosen[prefix.lower()]) for prefix in prefixes}

    async def _read_some(self, view: View, shas: Sequence[str]) -> dict[str, Commit]:
        """Read commits without their diffs, as many at once as fit on a command line."""
        commits: dict[str, Commit] = {}
        for start in range(0, len(shas), _AT_ONCE):
            some = await read_commits(view, self.repo, ["--no-walk=unsorted", *shas[start : start + _AT_ONCE]])
            commits |= {commit.sha: commit for commit in some}
        return commits

    async def _commit(self, view: View, sha: str) -> Commit:
        """Read one commit by its full hash."""
        if not await self._present(view, [sha]):
            raise NotFound(f"{self.repo} has no commit {sha}")
        (commit,) = await read_commits(view, self.repo, ["--no-walk", sha])
        return commit

    async def _open(self) -> Repository:
        """Look at the repository, once."""
        if self._repository is None:
            self._repository = await open_repository(self._path)
        return self._repository

    async def _view(self) -> View:
        """Open a view of the repository."""
        return self._shown(await self._open())

    def _shown(self, repository: Repository) -> View:
        """Use one view for all that is read."""
        self._last_view = view_of(repository, self._last_view)
        return self._last_view

    async def _present(self, view: View, shas: Sequence[str]) -> list[str]:
        """Leave out what is no commit here, and what was named twice; what was found once is not looked for again."""
        asked = dict.fromkeys(shas)
        unknown = [sha for sha in asked if sha not in self._known and sha not in self._line]
        if unknown:
            self._known.update(await present_commits(view, unknown))
        return [sha for sha in asked if sha in self._known or sha in self._line]


def _has_lines_of_code(path: bytes) -> bool:
    """Leave out data: a third of some trees is tables of what ran fastest."""
    return not path.endswith(b".json")
