"""A mirror and its server: which branches there are, and fetching them in increments."""

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from agent.domain.base import RepoId
from agent.domain.errors import NotFound, UpstreamError
from tools.git.process import LOCAL, Finished, failure, run

_USUAL_BRANCHES = ("main", "master")
_REDIRECTED = re.compile(r"^warning: redirecting to (\S+?)/?$", re.MULTILINE)


@dataclass(frozen=True)
class Server:
    """The server that a repository is fetched from, with its credentials."""

    repo: RepoId
    url: str
    environ: Mapping[str, str]
    token: str | None
    seconds: float  # After which a single command is given up
    named: str | None = None  # A branch to fetch beside the default one
    branch: str | None = (
        None  # The default branch; None before it is asked for, and if there is none
    )

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches to fetch, the default one first."""
        names = [name for name in (self.branch, self.named) if name]
        return tuple(dict.fromkeys(names))

    async def ask_for_default_branch(self) -> Self:
        """Return the server with its default branch; if it names none, a usual or the first one."""
        for line in await self._list("--symref", self.url, "HEAD"):
            if line.startswith("ref: refs/heads/"):
                ref = line.partition("\t")[0]
                return replace(self, branch=ref.removeprefix("ref: refs/heads/"))
        listed = await self._list("--heads", self.url)
        branches = [line.partition("\trefs/heads/")[2] for line in listed]
        for name in (*_USUAL_BRANCHES, *branches):
            if name in branches:
                return replace(self, branch=name)
        return replace(self, branch=None)

    async def ask_for_new_address(self, environ: Mapping[str, str]) -> str:
        """Return where a repository has moved to, asked without the token; git warns of it."""
        finished = await replace(self, environ=environ).run(["ls-remote", self.url, "HEAD"])
        match = _REDIRECTED.search(finished.err)
        return match[1] if match else ""

    async def run(self, arguments: Sequence[str], *, mirror: Path | None = None) -> Finished:
        """Run a git command that talks to the server."""
        try:
            return await run(arguments, env=self.environ, cwd=mirror, seconds=self.seconds)
        except TimeoutError as error:
            message = f"{self.repo}: git {arguments[0]} was not done after {self.seconds:.0f} s"
            raise UpstreamError(message, retryable=False) from error

    def expect_success(self, finished: Finished) -> None:
        """Raise the error that says why a command failed."""
        if finished.code != 0:
            raise failure(finished, self.repo, token=self.token)

    async def _list(self, *arguments: str) -> list[str]:
        finished = await self.run(["ls-remote", *arguments])
        self.expect_success(finished)
        return finished.out.decode("utf-8", "surrogateescape").splitlines()


_ABANDONED_SECONDS = 3600.0


def damage(mirror: Path) -> str | None:
    """Return what is missing from a mirror, or None; git itself reports damage inside of a pack."""
    if not (mirror / "HEAD").is_file() or not (mirror / "HEAD").stat().st_size:
        return "HEAD is missing"
    if not (mirror / "refs").is_dir() or not (mirror / "objects").is_dir():
        return "its folders are missing"
    for pack in sorted((mirror / "objects" / "pack").glob("*.pack")):
        if not pack.with_suffix(".idx").is_file():
            return f"the index of {pack.name} is missing"
    return None


def clear_leftovers(mirror: Path) -> None:
    """Remove the locks and partial packs of a killed run; the caller must hold the mirror's lock."""
    locks = [
        *mirror.glob("*.lock"),
        *(mirror / "refs").rglob("*.lock"),
        *(mirror / "objects" / "info").rglob("*.lock"),
    ]
    for lock in locks:
        lock.unlink(missing_ok=True)
    abandoned_before = time.time() - _ABANDONED_SECONDS
    for partial_pack in (mirror / "objects" / "pack").glob("tmp_*"):
        # A reader may be fetching blobs into one; git itself also judges them by age.
        if partial_pack.stat().st_mtime < abandoned_before:
            partial_pack.unlink(missing_ok=True)


def size(mirror: Path) -> int:
    """Return the bytes of a mirror's files."""
    return sum(file.stat().st_size for file in mirror.rglob("*") if file.is_file())


_MAX_PACKS = 50
_FETCH_OPTIONS = (
    "--quiet",
    "--prune",
    "--no-tags",
    "--no-write-fetch-head",
    "--filter=blob:none",
    "--no-auto-gc",
    "--recurse-submodules=no",
)
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
    """Fetch the default branch and the tags in one session; blobs are fetched when they are read.

    The new tip has a name of its own until it is complete, so that a changed default branch, a
    forced update or a kill at any moment leaves either the old state or the new.
    """
    clear_leftovers(mirror)
    _replace(mirror / "config", _CONFIG.format(url=_quoted(server.url)))
    if server.branch is None:
        return
    await _fetch(mirror, server)
    await _remove_conflicting(mirror, server.branches)
    for branch in server.branches:
        await _advance(mirror, branch)
    await _expect(mirror, ["symbolic-ref", "HEAD", f"refs/heads/{server.branch}"])
    await _tidy(mirror)


async def _fetch(mirror: Path, server: Server) -> None:
    """Fetch without blobs; changed tags are moved, and removed ones are deleted."""
    refs = [f"+refs/heads/{branch}:{_FETCHED}{_slot(branch)}" for branch in server.branches]
    refs.append("+refs/tags/*:refs/tags/*")
    finished = await server.run(["fetch", *_FETCH_OPTIONS, "origin", *refs], mirror=mirror)
    errors = finished.err
    if finished.code != 0 and _DAMAGED.search(errors) and not _INTERRUPTED.search(errors):
        raise DamagedMirror(f"{server.repo}: {finished.reason}")
    if server.named and f"find remote ref refs/heads/{server.named}" in errors:
        raise NotFound(f"{server.repo} has no branch {server.named!r} on the server")
    server.expect_success(finished)


async def _remove_conflicting(mirror: Path, branches: Sequence[str]) -> None:
    """Remove branches that prevent others: `dev` and `dev/next` cannot both exist."""
    command = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"]
    finished = await _git(mirror, command)
    for line in finished.out.decode("utf-8", "surrogateescape").splitlines():
        sha, _, ref = line.partition(" ")
        old_branch = ref.removeprefix("refs/heads/")
        if any(_conflict(old_branch, branch) for branch in branches):
            await _expect(mirror, ["update-ref", f"{_TIPS}{sha}", sha])
            await _expect(mirror, ["update-ref", "-d", ref])


def _conflict(one_branch: str, other_branch: str) -> bool:
    """Return True if one branch is a folder of the other."""
    return one_branch.startswith(f"{other_branch}/") or other_branch.startswith(f"{one_branch}/")


async def _advance(mirror: Path, branch: str) -> None:
    """Move a branch to the fetched tip; an old tip that is no longer part of it is kept alive."""
    old = await _commit(mirror, f"refs/heads/{branch}")
    new = await _commit(mirror, f"{_FETCHED}{_slot(branch)}")
    if new is None:
        raise DamagedMirror(f"the mirror lacks {branch}, which was just fetched")
    if old == new:
        return
    if old is not None:
        is_ancestor = await _git(mirror, ["merge-base", "--is-ancestor", old, new])
        if is_ancestor.code != 0:
            await _expect(mirror, ["update-ref", f"{_TIPS}{old}", old])
    await _expect(mirror, ["update-ref", f"refs/heads/{branch}", new])


def _slot(branch: str) -> str:
    """Return a name for the ref of a fetched tip, so that no two branches can conflict."""
    name = branch.encode("utf-8", "surrogateescape")
    return hashlib.sha1(name, usedforsecurity=False).hexdigest()


async def _tidy(mirror: Path) -> None:
    """Join the packs of many small fetches; nothing is dropped, since the server promised it all."""
    if len(list((mirror / "objects" / "pack").glob("*.pack"))) > _MAX_PACKS:
        await _git(mirror, ["repack", "-a", "-d", "-q", "--no-write-bitmap-index"])


async def _commit(mirror: Path, name: str) -> str | None:
    finished = await _git(mirror, ["rev-parse", "--quiet", "--verify", f"{name}^{{commit}}"])
    if finished.code != 0:
        return None
    return finished.out.decode("ascii").strip()


async def _expect(mirror: Path, arguments: Sequence[str]) -> None:
    """Run git on the mirror; raise DamagedMirror if it fails."""
    finished = await _git(mirror, arguments)
    if finished.code != 0:
        raise DamagedMirror(f"git {arguments[0]}: {finished.reason}")


async def _git(mirror: Path, arguments: Sequence[str]) -> Finished:
    return await run([f"--git-dir={mirror}", *arguments], env=LOCAL)


def _quoted(url: str) -> str:
    """Return a value quoted so that git's configuration reads it back unchanged."""
    escaped = url.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _replace(file: Path, text: str) -> None:
    """Write a file so that it is either the old or the new one."""
    new = file.with_name(f"{file.name}.new")
    new.write_text(text)
    new.replace(file)
