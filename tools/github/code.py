"""Commits and diffs of one repository, read from GitHub's API."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import httpx

from agent.domain.base import NotFound, RateLimited, RepoId, UpstreamError
from agent.domain.commits import Change, Commit, Landed, Landing, Notice
from agent.domain.future_dates import DatedCommit, future_commits, future_notices
from agent.domain.window import Window
from agent.ports import Study, Usages
from tools.github.address import repo_path
from tools.github.blobs import Blobs
from tools.github.files import read_change
from tools.github.listing import History, about, first_parents
from tools.github.shapes import COMMIT, COMMITS, RepositoryShape
from tools.github.wire import RequestRefused

if TYPE_CHECKING:
    from tools.github.client import GitHubClient

_BARE_HASH = "application/vnd.github.sha"
_READ_AHEAD = 4  # How many diffs are in memory or on their way
_OUTAGE = 3  # So many commits in a row that GitHub could not send are an outage, not bad commits
_DOORS = (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN)
_NO_SUCH_COMMIT = (httpx.codes.CONFLICT, httpx.codes.UNPROCESSABLE_ENTITY)


class GitHubCode:
    """A source of code that needs no clone; give it a git mirror instead where whole histories are read."""

    def __init__(
        self,
        client: "GitHubClient",
        repo: RepoId,
        branch: str | None = None,
        *,
        max_pages: int = 50,
    ) -> None:
        self.repo = repo
        self._client, self._branch = client, branch
        self._blobs = Blobs(client)
        self._history = History(client, repo, max_pages=max_pages)
        self._repository: RepositoryShape | None = None

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List the first-parent commits whose landing time is in the window, newest first, without diffs.

        Costs two requests to find the tip, one for each hundred commits (members of merges included) since the
        window's start, and one more below it: a window long past is cheaper to read from a mirror.
        """
        repository = await self._about()
        branch = self._branch or repository.default_branch
        notices = self._renamed(repository)
        tip = await self._tip(branch)
        if tip is None:
            return Landing(repo=self.repo, branch=branch, tip=None, rows=(), notices=notices)
        walk = await self._history.walk(repository.full_name, tip, window)
        rows = tuple(_row(commit) for commit in walk.line if commit.committed_at in window)
        above_tip: list[Commit] | None = None  # None where no earlier tip is known
        if known_tip is not None and walk.met(known_tip):
            above_tip = walk.above(known_tip)
        elif known_tip is not None:
            above_tip, tip_notices = await self._since_tip(known_tip, tip)
            notices += tip_notices
        shas_above = None if above_tip is None else {commit.sha for commit in above_tip}
        line = [DatedCommit(commit.sha, commit.committed_at) for commit in walk.line]
        futures = future_commits(line, datetime.now(UTC))
        misdated = {future.sha for future in futures if future.belongs_to(window, shas_above)}
        late: dict[str, Commit] = {}
        for commit in above_tip or ():
            if commit.committed_at < window.start or commit.sha in misdated:
                late[commit.sha] = commit
        for commit in walk.line:
            if commit.sha in misdated:
                late.setdefault(commit.sha, commit)
        return Landing(
            repo=self.repo,
            branch=branch,
            tip=tip,
            rows=rows,
            late=tuple(map(_row, late.values())),
            notices=(*notices, *future_notices(futures, window, shas_above)),
        )

    async def changes(self, shas: Sequence[str]) -> AsyncIterator[Change]:
        """Read these commits with their patches, in the order given, each once, a few ahead of the reader.

        A commit that GitHub does not have or cannot send is left out; a limit, or several such commits in a row, is
        an error.
        """
        if not shas:
            return
        name = (await self._about()).full_name
        ahead: list[asyncio.Task[Change]] = []
        waiting, failed = list(reversed(dict.fromkeys(shas))), 0
        try:
            while waiting or ahead:
                while waiting and len(ahead) < _READ_AHEAD:
                    ahead.append(
                        asyncio.create_task(
                            read_change(self._client, self.repo, name, waiting.pop())
                        )
                    )
                try:
                    change = await ahead.pop(0)
                except UpstreamError as error:
                    failed = _tolerate(error, failed)
                    continue
                failed = 0
                yield change
        finally:
            for task in ahead:
                task.cancel()
            await asyncio.gather(*ahead, return_exceptions=True)

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in, newest first; empty for a plain commit."""
        name = (await self._about()).full_name
        page = await self._client.get(
            repo_path(name, "commits"), COMMITS, {"sha": sha, "per_page": 1}
        )
        found = next((shape for shape in page.value if shape.sha == sha), None)
        if found is None:
            raise NotFound(f"{self.repo} has no commit {sha}")
        if len(found.parents) < 2:
            return ()
        _, commits = await self._history.between(name, found.parents[0].sha, sha)
        return tuple(commit for commit in reversed(commits) if commit.sha != sha)

    async def blobs(
        self, change: Change, paths: Sequence[str]
    ) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Read both versions of these files of a change; what was foreseen costs a request for forty, else one each."""
        return await self._blobs.read((await self._about()).full_name, change, paths)

    async def file(self, sha: str, path: str) -> str | None:
        """Read a file as it stands at a commit; None where there is no such file."""
        content = await self._blobs.content((await self._about()).full_name, f"{sha}:{path}")
        return None if content is None else content.decode("utf-8", "replace")

    async def usages(
        self, sha: str, name: str, *, path: str = "", limit: int = 200
    ) -> Usages | None:
        """Give None: GitHub searches the default branch only, not the files of a commit."""
        del sha, name, path, limit
        return None

    async def usages_of(
        self, sha: str, names: Sequence[str], *, limit: int = 200
    ) -> Mapping[str, Usages] | None:
        """Return None: GitHub searches the default branch only, not the files of a commit."""
        del sha, names, limit
        return None

    async def foresee(self, studies: Sequence[Study]) -> None:
        """Read the files of these changes in batches, when the first of them is asked for."""
        self._blobs.foresee(studies)

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Name none: comparing with earlier commits would cost a request for each of them."""
        del sha, paths
        return ()

    async def resolve(self, prefix: str) -> Commit:
        """Find one commit by its full or abbreviated hash; NotFound when there is none or several."""
        missing = NotFound(f"{self.repo} has no single commit {prefix[:40]!r}")
        if not re.fullmatch(r"[0-9a-f]{4,40}", prefix.lower()):
            raise missing
        name = (await self._about()).full_name
        try:
            page = await self._client.get(
                repo_path(name, "commits", prefix.lower()), COMMIT, {"per_page": 1}
            )
        except NotFound as error:
            raise missing from error
        except RequestRefused as error:
            if error.status in _NO_SUCH_COMMIT:
                raise missing from error
            raise
        # A branch or tag may be named like a hash.
        if not page.value.sha.startswith(prefix.lower()):
            raise missing
        return page.value.to_commit(self.repo)

    async def _about(self) -> RepositoryShape:
        if self._repository is None:
            self._repository = await about(self._client, self.repo)
        return self._repository

    async def _tip(self, branch: str) -> str | None:
        name, missing = (
            (await self._about()).full_name,
            NotFound(f"{self.repo} has no branch {branch!r}"),
        )
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
            raise UpstreamError(
                f"{self.repo}: the tip of {branch!r} is not a commit hash", retryable=False
            )
        return tip

    async def _since_tip(
        self, known_tip: str, tip: str
    ) -> tuple[list[Commit] | None, tuple[Notice, ...]]:
        """Return the line above an earlier tip, None where that is gone, and what a reader must know."""
        name = (await self._about()).full_name
        try:
            status, commits = await self._history.between(name, known_tip, tip)
        except NotFound:
            return None, (Notice(kind="tip-gone", about=(known_tip[:12],)),)
        line = first_parents(tip, commits)
        if status in ("diverged", "behind"):
            return line, (Notice(kind="rewritten", about=(known_tip[:12],)),)
        return line, ()

    def _renamed(self, repository: RepositoryShape) -> tuple[Notice, ...]:
        if repository.full_name.lower() == self.repo.lower():
            return ()
        return (Notice(kind="renamed", about=(self.repo, repository.full_name)),)


def _row(commit: Commit) -> Landed:
    """Make a row; what a merge brought in is counted only when somebody reads it, for that costs a request."""
    return Landed(commit=commit, members=None if commit.is_merge else 0)


def _tolerate(error: UpstreamError, failed: int) -> int:
    """Leave one commit out; raise what concerns all of them."""
    if isinstance(error, RateLimited) or (
        isinstance(error, RequestRefused) and error.status in _DOORS
    ):
        raise error
    if error.retryable and failed + 1 >= _OUTAGE:
        raise error
    return failed + error.retryable
