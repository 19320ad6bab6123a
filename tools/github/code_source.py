"""A source of code over GitHub's API: commits and diffs of one repository."""

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import httpx

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, Landed, Landing, Notice
from agent.domain.errors import NotFound, RateLimited, UpstreamError
from agent.domain.future_dated_commits import DatedCommit, future_commits, future_notices
from agent.domain.window import Window
from agent.ports import Study, Usages
from tools.github.blobs import Blobs
from tools.github.client import GitHubClient
from tools.github.commit_files import read_change
from tools.github.http_requests import RequestRefused
from tools.github.rest_shapes import COMMIT, COMMITS, RepositoryShape
from tools.github.server_address import repo_path
from tools.github.thread_and_commit_lists import History, Walk, fetch_repository, first_parents

_BARE_HASH = "application/vnd.github.sha"
_MAX_DIFFS_AHEAD = 4  # Diffs in memory or on their way
_FAILURES_OF_AN_OUTAGE = 3  # Commits in a row that GitHub cannot send: an outage, not bad commits
_ACCESS_REFUSED = (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN)
_NO_SUCH_COMMIT = (httpx.codes.CONFLICT, httpx.codes.UNPROCESSABLE_ENTITY)


class _AboveTip(NamedTuple):
    """The commits that landed above an earlier tip."""

    commits: list[Commit] | None  # None if no earlier tip is known, or if it is gone
    notices: tuple[Notice, ...] = ()

    @property
    def shas(self) -> set[str] | None:
        if self.commits is None:
            return None
        return {commit.sha for commit in self.commits}


class GitHubCode:
    """A source of code that needs no clone; to read whole histories, a git mirror is better."""

    def __init__(
        self, client: GitHubClient, repo: RepoId, branch: str | None = None, *, max_pages: int = 50
    ) -> None:
        self.repo = repo
        self._client = client
        self._branch = branch
        self._blobs = Blobs(client)
        self._history = History(client, repo, max_pages=max_pages)
        self._repository: RepositoryShape | None = None

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List the first-parent commits that landed in the window, newest first, without diffs.

        Costs two requests to find the tip, one for each hundred commits (members of merges
        included) since the window's start, and one more below it: a window long past is cheaper to
        read from a mirror.
        """
        repository = await self._fetch_repository()
        branch = self._branch or repository.default_branch
        renamed = self._rename_notices(repository)
        tip = await self._tip(branch)
        if tip is None:
            return Landing(repo=self.repo, branch=branch, tip=None, rows=(), notices=renamed)
        walk = await self._history.walk(repository.full_name, tip, window)
        above_tip = await self._above_tip(known_tip, tip, walk)
        line = [DatedCommit(commit.sha, commit.committed_at) for commit in walk.line]
        futures = future_commits(line, datetime.now(UTC))
        misdated = {future.sha for future in futures if future.belongs_to(window, above_tip.shas)}
        future = future_notices(futures, window, above_tip.shas)
        return Landing(
            repo=self.repo,
            branch=branch,
            tip=tip,
            rows=tuple(_row(commit) for commit in walk.line if commit.committed_at in window),
            late=_late_rows(window, above_tip.commits or (), walk.line, misdated),
            notices=(*renamed, *above_tip.notices, *future),
        )

    async def changes(self, shas: Sequence[str]) -> AsyncIterator[Change]:
        """Yield these commits with their patches, in the order given, each once, read ahead.

        A commit that GitHub does not have or cannot send is left out; a limit, or several such
        commits in a row, is an error.
        """
        if not shas:
            return
        name = (await self._fetch_repository()).full_name
        waiting = list(reversed(dict.fromkeys(shas)))
        ahead: list[asyncio.Task[Change]] = []
        failures = 0
        try:
            while waiting or ahead:
                while waiting and len(ahead) < _MAX_DIFFS_AHEAD:
                    reading = read_change(self._client, self.repo, name, waiting.pop())
                    ahead.append(asyncio.create_task(reading))
                try:
                    change = await ahead.pop(0)
                except UpstreamError as error:
                    failures = _count_failure(error, failures)
                    continue
                failures = 0
                yield change
        finally:
            for task in ahead:
                task.cancel()
            await asyncio.gather(*ahead, return_exceptions=True)

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in, newest first; empty for a plain commit."""
        name = (await self._fetch_repository()).full_name
        params: dict[str, str | int] = {"sha": sha, "per_page": 1}
        page = await self._client.get(repo_path(name, "commits"), COMMITS, params)
        merge = next((shape for shape in page.value if shape.sha == sha), None)
        if merge is None:
            raise NotFound(f"{self.repo} has no commit {sha}")
        if len(merge.parents) < 2:
            return ()
        comparison = await self._history.between(name, merge.parents[0].sha, sha)
        return tuple(commit for commit in reversed(comparison.commits) if commit.sha != sha)

    async def blobs(
        self, change: Change, paths: Sequence[str]
    ) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Read both versions of these files; foreseen ones cost a request for forty, else one each."""
        name = (await self._fetch_repository()).full_name
        return await self._blobs.read(name, change, paths)

    async def file(self, sha: str, path: str) -> str | None:
        """Return a file as it is at a commit, or None if there is no such file."""
        name = (await self._fetch_repository()).full_name
        content = await self._blobs.content(name, f"{sha}:{path}")
        if content is None:
            return None
        return content.decode("utf-8", "replace")

    async def usages(
        self, sha: str, name: str, *, path: str = "", limit: int = 200
    ) -> Usages | None:
        """Return None: GitHub searches the default branch only, not the files of a commit."""
        del sha, name, path, limit
        return None

    async def usages_of(
        self, sha: str, names: Sequence[str], *, limit: int = 200
    ) -> Mapping[str, Usages] | None:
        """Return None: GitHub searches the default branch only, not the files of a commit."""
        del sha, names, limit
        return None

    async def foresee(self, studies: Sequence[Study]) -> None:
        """Note that these changes are studied next: their files are then fetched in batches."""
        self._blobs.foresee(studies)

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Return nothing: a comparison with earlier commits would cost a request for each of them."""
        del sha, paths
        return ()

    async def resolve(self, prefix: str) -> Commit:
        """Return the commit with this full or abbreviated hash.

        Raise NotFound if there is none or more than one.
        """
        missing = NotFound(f"{self.repo} has no single commit {prefix[:40]!r}")
        sha = prefix.lower()
        if not re.fullmatch(r"[0-9a-f]{4,40}", sha):
            raise missing
        name = (await self._fetch_repository()).full_name
        try:
            page = await self._client.get(repo_path(name, "commits", sha), COMMIT, {"per_page": 1})
        except NotFound as error:
            raise missing from error
        except RequestRefused as error:
            if error.status in _NO_SUCH_COMMIT:
                raise missing from error
            raise
        # A branch or tag may be named like a hash.
        if not page.value.sha.startswith(sha):
            raise missing
        return page.value.to_commit(self.repo)

    async def _fetch_repository(self) -> RepositoryShape:
        if self._repository is None:
            self._repository = await fetch_repository(self._client, self.repo)
        return self._repository

    async def _tip(self, branch: str) -> str | None:
        """Return the hash of a branch's tip, or None if the repository is empty."""
        name = (await self._fetch_repository()).full_name
        missing = NotFound(f"{self.repo} has no branch {branch!r}")
        try:
            body = await self._client.text(repo_path(name, "commits", branch), _BARE_HASH)
        except NotFound as error:
            raise missing from error
        except RequestRefused as error:
            if error.status == httpx.codes.CONFLICT:
                return None
            if error.status == httpx.codes.UNPROCESSABLE_ENTITY:
                raise missing from error
            raise
        tip = body.decode(errors="replace").strip()
        if not re.fullmatch(r"[0-9a-f]{40}", tip):
            problem = f"{self.repo}: the tip of {branch!r} is not a commit hash"
            raise UpstreamError(problem, retryable=False)
        return tip

    async def _above_tip(self, known_tip: str | None, tip: str, walk: Walk) -> _AboveTip:
        """Return the line above an earlier tip, and what a reader must know about it."""
        if known_tip is None:
            return _AboveTip(None)
        if walk.reaches(known_tip):
            return _AboveTip(walk.above(known_tip))
        name = (await self._fetch_repository()).full_name
        try:
            comparison = await self._history.between(name, known_tip, tip)
        except NotFound:
            return _AboveTip(None, (Notice(kind="tip-gone", about=(known_tip[:12],)),))
        commits = first_parents(tip, comparison.commits)
        if comparison.status in ("diverged", "behind"):
            return _AboveTip(commits, (Notice(kind="rewritten", about=(known_tip[:12],)),))
        return _AboveTip(commits)

    def _rename_notices(self, repository: RepositoryShape) -> tuple[Notice, ...]:
        if repository.full_name.lower() == self.repo.lower():
            return ()
        return (Notice(kind="renamed", about=(self.repo, repository.full_name)),)


def _late_rows(
    window: Window, above_tip: Iterable[Commit], line: Iterable[Commit], misdated: Collection[str]
) -> tuple[Landed, ...]:
    """Return the rows of late commits: new above the earlier tip, but dated outside the window."""
    late: dict[str, Commit] = {}
    for commit in above_tip:
        if commit.committed_at < window.start or commit.sha in misdated:
            late[commit.sha] = commit
    for commit in line:
        if commit.sha in misdated:
            late.setdefault(commit.sha, commit)
    return tuple(_row(commit) for commit in late.values())


def _row(commit: Commit) -> Landed:
    """Return a row; counting what a merge brought in costs a request, so that is left open."""
    return Landed(commit=commit, members=None if commit.is_merge else 0)


def _count_failure(error: UpstreamError, failures: int) -> int:
    """Return the failures in a row, if this one concerns a single commit; else raise it."""
    if isinstance(error, RateLimited):
        raise error
    if isinstance(error, RequestRefused) and error.status in _ACCESS_REFUSED:
        raise error
    if not error.retryable:
        return failures
    if failures + 1 >= _FAILURES_OF_AN_OUTAGE:
        raise error
    return failures + 1
