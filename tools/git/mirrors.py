"""Gitzette's mirrors: bare partial clones, locked during a fetch, replaced if damaged."""

import asyncio
import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.errors import StorageError, UpstreamError
from agent.domain.references import repo_id
from tools.git.mirror_fetch import DamagedMirror, Server, damage, increment, lay_out, size
from tools.git.process import STALL_SECONDS, Moved, patiently, remote_environment
from tools.token_addresses import check_encrypted

_POLL_SECONDS = 0.1


@contextlib.asynccontextmanager
async def exclusively(path: Path, *, patience: float, what: str) -> AsyncIterator[None]:
    """Hold the lock at `path`; wait at most `patience` seconds for another holder.

    The kernel releases it with its process, so that a killed run leaves nothing to clean up.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    try:
        await _acquire(descriptor, patience, what)
        holder = f"process {os.getpid()} since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode(), 0)
        yield
    finally:
        os.close(descriptor)


async def _acquire(descriptor: int, patience: float, what: str) -> None:
    """Try until the lock is held or patience is over; waiting in the kernel would block all others."""
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                written = os.pread(descriptor, 200, 0).decode("utf-8", "replace")
                holder = written or "another process"
                message = f"{what} is in use by {holder}; try again when it is done"
                raise UpstreamError(message, retryable=True) from error
            await asyncio.sleep(_POLL_SECONDS)
        else:
            return


@dataclass(frozen=True, kw_only=True)
class Patience:
    """The times that the keeper waits."""

    lock: float = 600.0
    fetch: float = 3600.0
    stall: int = STALL_SECONDS
    attempts: int = 3
    pause: float = 1.0


class MirrorKeeper:
    """Keeps one mirror for each repository below `home`, fetched from `base_url`."""

    def __init__(
        self,
        home: Path,
        base_url: str,
        token: str | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Keep mirrors; git takes proxies, certificates and keys from `environ`, the user's."""
        if token is not None:
            check_encrypted(base_url, "git_url")
        self._root = home / "mirrors"
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._environ = {} if environ is None else environ
        self._patience = patience or Patience()

    def path(self, repo: RepoId) -> Path:
        """Return the path of a repository's mirror, whether it exists or not."""
        owner, name = repo_id(repo).split("/")
        return self._root / owner / f"{name}.git"

    def mirrors(self) -> tuple[tuple[RepoId, Path], ...]:
        """List the mirrors that exist."""
        mirrors: list[tuple[RepoId, Path]] = []
        for path in sorted(self._root.glob("[!.]*/*.git")):
            if path.is_dir():
                mirrors.append((RepoId(f"{path.parent.name}/{path.stem}"), path))
        return tuple(mirrors)

    def size(self, repo: RepoId) -> int:
        """Return the bytes that the mirror of a repository takes; 0 if there is none."""
        return size(self.path(repo))

    @property
    def network(self) -> Mapping[str, str]:
        """The environment in which a `GitSource` fetches what a mirror lacks: same server, same token."""
        return remote_environment(
            self._environ, token=self._token, origin=self._base_url, stall=self._patience.stall
        )

    async def refresh(self, repo: RepoId, *, branch: str | None = None) -> Path:
        """Bring the mirror of a repository up to date, or make it; return its path.

        It holds the default branch and the tags, and `branch` if another one is to be read.
        """
        path = self.path(repo)
        patience = self._patience
        lock = self._root / ".locks" / f"{_flat(repo)}.lock"
        async with exclusively(lock, patience=patience.lock, what=f"the mirror of {repo}"):
            try:
                await patiently(
                    lambda: self._update(repo, path, branch),
                    attempts=patience.attempts,
                    pause=patience.pause,
                )
            except OSError as error:
                problem = f"the mirror of {repo}: {error.strerror} ({error.filename})"
                raise StorageError(problem) from error
        return path

    async def _update(self, repo: RepoId, path: Path, branch: str | None) -> None:
        server = await self._server(repo, branch)
        if await asyncio.to_thread(damage, path) is None:
            with contextlib.suppress(DamagedMirror):
                await increment(path, server)
                return
        await self._clone(repo, path, server)

    async def _clone(self, repo: RepoId, path: Path, server: Server) -> None:
        incoming = self._root / ".incoming"
        incoming.mkdir(parents=True, exist_ok=True)
        # We hold the lock, so these were left by a run that was killed.
        for leftover in incoming.glob(f"{_flat(repo)}-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        new = Path(tempfile.mkdtemp(prefix=f"{_flat(repo)}-", dir=incoming))
        try:
            lay_out(new)
            await increment(new, server)
            self._put_in_place(repo, new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)

    def _put_in_place(self, repo: RepoId, new: Path, path: Path) -> None:
        """Move a new mirror to its place; a damaged one is kept aside for inspection."""
        if path.exists():
            aside = self._root / ".damaged" / _flat(repo)
            shutil.rmtree(aside, ignore_errors=True)
            aside.parent.mkdir(exist_ok=True)
            path.rename(aside)
        path.parent.mkdir(parents=True, exist_ok=True)
        new.rename(path)

    async def _server(self, repo: RepoId, branch: str | None) -> Server:
        """Return the server; the token follows a repository that moved within the same server."""
        server = Server(
            repo,
            f"{self._base_url}/{repo}.git",
            self.network,
            self._token,
            self._patience.fetch,
            branch,
        )
        try:
            return await server.ask_for_default_branch()
        except Moved:
            address = await server.ask_for_new_address(
                remote_environment(self._environ, stall=self._patience.stall)
            )
            if not address.startswith(f"{self._base_url}/"):
                raise
            return await replace(server, url=address).ask_for_default_branch()


def _flat(repo: RepoId) -> str:
    return repo.replace("/", "+")
