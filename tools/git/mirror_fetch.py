"""One mirror and its server: asked for its branches, then fetched in increments into what was checked before."""

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from agent.domain.base import NotFound, RepoId, UpstreamError
from tools.git.process import LOCAL, Finished, failure, run

_FALLBACKS = ("main", "master")
_REDIRECTED = re.compile(r"^warning: redirecting to (\S+?)/?$", re.MULTILINE)


@dataclass(frozen=True)
class Server:
    """Where a repository is fetched from, and with what."""

    repo: RepoId
    url: str
    environ: Mapping[str, str]
    token: str | None
    seconds: float  # After which a single command is given up
    named: str | None = None  # A branch to fetch beside the default one
    branch: str | None = (
        None  # The default branch; None while nobody asked, and for an empty repository
    )

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches to fetch, the default one first."""
        return tuple(dict.fromkeys(name for name in (self.branch, self.named) if name))

    async def ask_for_default_branch(self) -> Self:
        """Learn the default branch; where the server names none, what branches there are decides."""
        for line in await self._list("--symref", self.url, "HEAD"):
            if line.startswith("ref: refs/heads/"):
                return replace(
                    self, branch=line.partition("\t")[0].removeprefix("ref: refs/heads/")
                )
        heads = [
            line.partition("\trefs/heads/")[2] for line in await self._list("--heads", self.url)
        ]
        return replace(
            self, branch=next((name for name in (*_FALLBACKS, *heads) if name in heads), None)
        )

    async def ask_for_new_address(self, environ: Mapping[str, str]) -> str:
        """Learn where a repository has moved to, asking without the token; git says so in a warning."""
        told = await replace(self, environ=environ).run(["ls-remote", self.url, "HEAD"])
        found = _REDIRECTED.search(told.err)
        return found[1] if found else ""

    async def run(self, arguments: Sequence[str], *, mirror: Path | None = None) -> Finished:
        """Run a git command that talks to the server."""
        try:
            return await run(arguments, env=self.environ, cwd=mirror, seconds=self.seconds)
        except TimeoutError as error:
            message = f"{self.repo}: git {arguments[0]} was not done after {self.seconds:.0f} s"
            raise UpstreamError(message, retryable=False) from error

    def expect_success(self, told: Finished) -> None:
        """Turn a failed command into the error that says what went wrong."""
        if told.code != 0:
            raise failure(told, self.repo, token=self.token)

    async def _list(self, *arguments: str) -> list[str]:
        told = await self.run(["ls-remote", *arguments])
        self.expect_success(told)
        return told.out.decode("utf-8", "surrogateescape").splitlines()


_ABANDONED_SECONDS = 3600.0


def damage(mirror: Path) -> str | None:
    """Say what is missing from a mirror, None if nothing is; what is damaged inside of a pack git itself tells."""
    if not (mirror / "HEAD").is_file() or not (mirror / "HEAD").stat().st_size:
        return "HEAD is missing"
    if not (mirror / "refs").is_dir() or not (mirror / "objects").is_dir():
        return "its folders are missing"
    packs = sorted((mirror / "objects" / "pack").glob("*.pack"))
    return next(
        (
            f"the index of {pack.name} is missing"
            for pack in packs
            if not pack.with_suffix(".idx").is_file()
        ),
        None,
    )


def clear_leftovers(mirror: Path) -> None:
    """Remove the locks and half packs of a run that was killed; only for who holds the mirror's own lock."""
    for lock in (
        *mirror.glob("*.lock"),
        *(mirror / "refs").rglob("*.lock"),
        *(mirror / "objects" / "info").rglob("*.lock"),
    ):
        lock.unlink(missing_ok=True)
    old = time.time() - _ABANDONED_SECONDS
    for part in (mirror / "objects" / "pack").glob("tmp_*"):
        # A reader may just be fetching blobs into one; git itself also judges them by age.
        if part.stat().st_mtime < old:
            part.unlink(missing_ok=True)


def size(mirror: Path) -> int:
    """Add up the bytes of a mirror's files."""
    return sum(file.stat().st_size for file in mirror.rglob("*") if file.is_file())


_PACKS_AT_MOST = 50
_FETCHED = "refs/gitzette/fetched/"
_TIPS = "refs/gitzette/tips/"
# No gc: a tip that was pushed away must stay readable, because the next report asks what came after it.
_CONFIG = """\
[core]
	repositoryFormatVersion = 1
	bare = true
[extensions]
	partialClone = origin
[remote "origin"]
	url = {url}
	promisor = true
	partialCloneFilter = blob:none
[gc]
	auto = 0
[maintenance]
	auto = false
"""
# What git says of its own files, and of what comes in over the network: the second says nothing against the mirror.
_INTERRUPTED = re.compile(
    r"index-pack|pack has|early EOF|RPC failed|hung up|disconnect|remote error"
)
_DAMAGED = re.compile(
    r"bad object|corrupt|inflate|loose object|packfile|did not send all necessary objects|not a git repository"
    r"|bad (tree|config)|unable to (read|find|parse) |missing (tree|commit)|bad signature|invalid HEAD"
)


class DamagedMirror(UpstreamError):
    """The mirror has to be made anew."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


def lay_out(mirror: Path) -> None:
    """Make the folders of an empty mirror."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (mirror / folder).mkdir(parents=True)
    _replace(mirror / "HEAD", "ref: refs/heads/main\n")


async def increment(mirror: Path, server: Server) -> None:
    """Fetch what is new on the default branch, and the tags, in one session; blobs come when somebody reads them.

    The new tip waits under a name of its own until it is whole, so that a changed default branch, a forced update or
    a kill at any moment leaves either the old state or the new.
    """
    clear_leftovers(mirror)
    _replace(mirror / "config", _CONFIG.format(url=_quoted(server.url)))
    if server.branch is None:
        return
    await _fetch(mirror, server)
    await _let_go(mirror, server.branches)
    for branch in server.branches:
        await _advance(mirror, branch)
    await _expect(mirror, ["symbolic-ref", "HEAD", f"refs/heads/{server.branch}"])
    await _tidy(mirror)


async def _fetch(mirror: Path, server: Server) -> None:
    """Fetch without blobs; tags that point elsewhere now are moved, those that are gone are dropped."""
    options = (
        "--quiet",
        "--prune",
        "--no-tags",
        "--no-write-fetch-head",
        "--filter=blob:none",
        "--no-auto-gc",
    )
    heads = [f"+refs/heads/{branch}:{_FETCHED}{_slot(branch)}" for branch in server.branches]
    command = [
        "fetch",
        *options,
        "--recurse-submodules=no",
        "origin",
        *heads,
        "+refs/tags/*:refs/tags/*",
    ]
    told = await server.run(command, mirror=mirror)
    if told.code != 0 and _DAMAGED.search(told.err) and not _INTERRUPTED.search(told.err):
        raise DamagedMirror(f"{server.repo}: {told.reason}")
    if server.named and f"find remote ref refs/heads/{server.named}" in told.err:
        raise NotFound(f"{server.repo} has no branch {server.named!r} on the server")
    server.expect_success(told)


async def _let_go(mirror: Path, branches: Sequence[str]) -> None:
    """Remove branches that are in the way of others: `dev` and `dev/next` cannot both exist."""
    told = await _git(mirror, ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"])
    for line in told.out.decode("utf-8", "surrogateescape").splitlines():
        sha, _, name = line.partition(" ")
        old = name.removeprefix("refs/heads/")
        if any(old.startswith(f"{branch}/") or branch.startswith(f"{old}/") for branch in branches):
            await _expect(mirror, ["update-ref", f"{_TIPS}{sha}", sha])
            await _expect(mirror, ["update-ref", "-d", name])


async def _advance(mirror: Path, branch: str) -> None:
    """Let a branch stand where the server's stands; a tip that is no longer part of it is kept alive."""
    old, new = (
        await _commit(mirror, f"refs/heads/{branch}"),
        await _commit(mirror, f"{_FETCHED}{_slot(branch)}"),
    )
    if new is None:
        raise DamagedMirror(f"the mirror lacks {branch}, which was just fetched")
    if old == new:
        return
    if (
        old is not None
        and (await _git(mirror, ["merge-base", "--is-ancestor", old, new])).code != 0
    ):
        await _expect(mirror, ["update-ref", f"{_TIPS}{old}", old])
    await _expect(mirror, ["update-ref", f"refs/heads/{branch}", new])


def _slot(branch: str) -> str:
    """Name the place where a fetched tip waits, so that no two branches can be in each other's way."""
    return hashlib.sha1(
        branch.encode("utf-8", "surrogateescape"), usedforsecurity=False
    ).hexdigest()


async def _tidy(mirror: Path) -> None:
    """Join the packs of many small fetches; nothing is dropped, since all of it was promised by the server."""
    if len(list((mirror / "objects" / "pack").glob("*.pack"))) > _PACKS_AT_MOST:
        await _git(mirror, ["repack", "-a", "-d", "-q", "--no-write-bitmap-index"])


async def _commit(mirror: Path, name: str) -> str | None:
    told = await _git(mirror, ["rev-parse", "--quiet", "--verify", f"{name}^{{commit}}"])
    return told.out.decode("ascii").strip() if told.code == 0 else None


async def _expect(mirror: Path, arguments: Sequence[str]) -> None:
    """Run git on the mirror; failing means that the mirror is not what it should be."""
    told = await _git(mirror, arguments)
    if told.code != 0:
        raise DamagedMirror(f"git {arguments[0]}: {told.reason}")


async def _git(mirror: Path, arguments: Sequence[str]) -> Finished:
    return await run([f"--git-dir={mirror}", *arguments], env=LOCAL)


def _quoted(url: str) -> str:
    """Write a value so that git's configuration reads it back unchanged."""
    escaped = url.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _replace(file: Path, text: str) -> None:
    """Write a file so that it is either the old or the new one."""
    new = file.with_name(f"{file.name}.new")
    new.write_text(text)
    new.replace(file)
