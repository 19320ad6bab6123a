"""A local repository: its objects, the remote of missing ones, and its default branch."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.domain.errors import InputError
from tools.git.process import LOCAL, Finished, git_program, run

OLDEST_GIT = (2, 37)  # The first version that knows `--since-as-filter`
_VERSIONS: dict[str, str] = {}  # What each program has said of itself, asked once


_LOCAL = "refs/heads/"
_ORIGIN = "refs/remotes/origin/"
_ORIGINS_DEFAULT = f"{_ORIGIN}HEAD"
_USUAL_BRANCHES = ("main", "master")
_MAX_BRANCHES_LISTED = 8


@dataclass(frozen=True)
class Tip:
    """A branch and its newest commit; None when there is no commit yet."""

    branch: str
    sha: str | None


@dataclass(frozen=True)
class _Heads:
    """What some branches point at, by the full names of their references."""

    branches: tuple[str, ...]
    commits: Mapping[str, str]
    origins_default: str | None


@dataclass(frozen=True)
class Repository:
    """A clone, a bare mirror or a linked worktree."""

    path: Path  # What the user named
    git_dir: Path  # Where HEAD is; of a linked worktree, its own
    common_dir: Path  # Where objects, branches and configuration are
    promisor: str | None  # The remote of a partial clone that has promised the missing objects
    _behind: dict[tuple[str, str, frozenset[str]], bool] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Whether one commit is below another, with the ends of history as they were then."""
    _packed_refs: dict[tuple[int, int, int], bytes] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The hash of the file of packed references, by its state when it was read."""
    _tips: dict[tuple[str | None, str], Tip] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The last answer of `tip`, by the branch that was asked for and the state of the references."""

    @property
    def objects(self) -> Path:
        """The object database."""
        return self.common_dir / "objects"

    def shallow(self) -> frozenset[str]:
        """Return the commits at the ends of a shallow clone: their parents exist, but not here."""
        try:
            return frozenset((self.common_dir / "shallow").read_text("ascii", "replace").split())
        except FileNotFoundError:
            return frozenset()

    def refs_digest(self) -> str:
        """Return a hash of the files in which HEAD, all branches and all tags are stored.

        Reading them takes a fiftieth of what git takes to list ten thousand references. Packing
        references changes the hash although they point where they did.
        """
        digest = hashlib.sha256((self.git_dir / "HEAD").read_bytes())
        digest.update(self._packed_refs_digest())
        for file in self._reference_files():
            try:
                content = file.read_bytes()
            except OSError:  # Deleted in this moment
                continue
            name = file.relative_to(self.common_dir).as_posix()
            digest.update(f"\0{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
            digest.update(content)
        return digest.hexdigest()

    def _packed_refs_digest(self) -> bytes:
        """Return a hash of the packed references, which are megabytes and seldom change."""
        file = self.common_dir / "packed-refs"
        try:
            # Git, too, takes the file for unchanged as long as these are: it replaces it as a whole.
            stamp = file.stat()
            state = (stamp.st_ino, stamp.st_size, stamp.st_mtime_ns)
            if state not in self._packed_refs:
                self._packed_refs.clear()
                self._packed_refs[state] = hashlib.sha256(file.read_bytes()).digest()
        except FileNotFoundError:
            return b""
        return self._packed_refs[state]

    def _reference_files(self) -> Iterator[Path]:
        """Yield the files of branches and tags: one each, or in the newer format of tables."""
        for name in ("refs", "reftable"):
            for folder, folders, files in os.walk(self.common_dir / name):
                folders.sort()
                for file in sorted(files):
                    yield Path(folder, file)

    async def tip(self, branch: str | None = None) -> Tip:
        """Return the branch to report on and its newest commit; found once while references stay.

        A branch that is named is taken, from the repository itself or from its `origin`. Otherwise
        it is the one that `origin` calls its default (a clone remembers that, whatever is checked
        out), else the one HEAD names (the rule for bare repositories), else, with a detached or
        dangling HEAD, `main`, `master` or the only branch there is, else the commit that HEAD is
        on, labelled `HEAD`.
        """
        state = (branch, self.refs_digest())
        if state not in self._tips:
            tip = await self._find_tip(branch)
            self._tips.clear()
            self._tips[state] = tip
        return self._tips[state]

    async def _find_tip(self, branch: str | None) -> Tip:
        if branch is not None:
            return await self._named_tip(branch)
        heads = await self._heads(_USUAL_BRANCHES)
        origins_default = heads.origins_default
        if origins_default:
            sha = await self._newest_commit(origins_default, heads)
            if sha:
                return Tip(origins_default, sha)
        checked_out = await self._checked_out()
        for name in filter(None, (checked_out, *_USUAL_BRANCHES)):
            sha = await self._newest_commit(name, heads)
            if sha:
                return Tip(name, sha)
        branches = await self._branches(2)
        if len(branches) == 1:
            sha = await self._newest_commit(branches[0])
            if sha:
                return Tip(branches[0], sha)
        detached = await self._commit("HEAD")
        if detached:
            return Tip("HEAD", detached)
        return Tip(checked_out or origins_default or "HEAD", None)

    async def _named_tip(self, branch: str) -> Tip:
        sha = await self._newest_commit(branch)
        if sha is None:
            branches = ", ".join(await self._branches(_MAX_BRANCHES_LISTED)) or "no branch at all"
            raise InputError(f"{self.path} has no branch {branch!r}; it has {branches}")
        return Tip(branch, sha)

    async def _newest_commit(self, branch: str, heads: "_Heads | None" = None) -> str | None:
        """Return the newest commit of a branch, which is among these heads or is looked up.

        Where a clone has the branch twice, its own copy counts unless origin's is further along on
        the same line: that is what was fetched and is not merged yet.
        """
        if heads is None or branch not in heads.branches:
            heads = await self._heads([branch])
        local = heads.commits.get(_LOCAL + branch)
        remote = heads.commits.get(_ORIGIN + branch)
        if local is None or remote is None or local == remote:
            return local or remote
        return remote if await self._is_behind(local, remote) else local

    async def _is_behind(self, commit: str, other: str) -> bool:
        """Return True if a commit is below another; found once, since it takes a walk of history."""
        question = (commit, other, self.shallow())
        if question not in self._behind:
            command = ["merge-base", "--is-ancestor", commit, other]
            self._behind[question] = (await self._git(command)).code == 0
        return self._behind[question]

    async def _heads(self, branches: Sequence[str]) -> "_Heads":
        """Look up branches, here and at `origin`, and the default branch of `origin`, at once."""
        names = [_ORIGINS_DEFAULT]
        for branch in branches:
            names += [_LOCAL + branch, _ORIGIN + branch]
        command = ["for-each-ref", "--format=%(refname) %(objectname) %(symref)", *names]
        finished = await self._git(command)
        commits: dict[str, str] = {}
        origins_default = None
        for line in finished.out.decode("utf-8", "surrogateescape").splitlines():
            name, sha, target = line.split(" ")
            commits[name] = sha
            if name == _ORIGINS_DEFAULT and target.startswith(_ORIGIN):
                origins_default = target.removeprefix(_ORIGIN)
        if finished.err:
            # Git passes over a reference that it cannot read; naming it makes that an error.
            for name in names[1:]:
                if name not in commits:
                    await self._commit(name)
        return _Heads(tuple(branches), commits, origins_default)

    async def _checked_out(self) -> str | None:
        finished = await self._git(["symbolic-ref", "--quiet", "HEAD"])
        return _short(finished, _LOCAL)

    async def _commit(self, ref: str) -> str | None:
        """Return the commit that a reference names; whether it exists is seen when it is read."""
        command = ["rev-parse", "--quiet", "--verify", "--end-of-options", ref]
        finished = await self._git(command)
        if finished.code != 0:
            return None
        return finished.out.decode("ascii").strip()

    async def _branches(self, limit: int) -> list[str]:
        command = ["for-each-ref", f"--count={limit}", "--format=%(refname)", _LOCAL]
        finished = await self._git(command)
        lines = finished.out.decode("utf-8", "surrogateescape").splitlines()
        return [line.removeprefix(_LOCAL) for line in lines]

    async def ask(self, arguments: Sequence[str]) -> str:
        """Return what git prints about the repository's references."""
        finished = await self._git(arguments)
        return finished.out.decode("utf-8", "replace")

    async def _git(self, arguments: Sequence[str]) -> Finished:
        """Run git on the repository itself, which has its references.

        Naming the directory also avoids git's check of its owner. Status 1 means "no"; anything
        worse is an error, because the repository would look empty.
        """
        finished = await run([f"--git-dir={self.git_dir}", *arguments], env=LOCAL)
        if finished.code > 1 or finished.code < 0:
            raise InputError(f"{self.path} cannot be read: {finished.reason}")
        return finished


def _short(finished: Finished, prefix: str) -> str | None:
    name = finished.out.decode("utf-8", "surrogateescape").rstrip("\n")
    if not name.startswith(prefix):
        return None
    return name.removeprefix(prefix)


def checkout_above(start: Path) -> Path | None:
    """Return the checkout that contains a folder: itself or the nearest one above."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return None


def config_file(path: Path) -> Path:
    """Return the file with the configuration of a repository; a linked worktree shares it."""
    return _common_dir(_git_dir(path)) / "config"


async def open_repository(path: Path) -> Repository:
    """Return the repository at exactly this path; folders above are not searched."""
    await git_version()
    try:
        git_dir = _git_dir(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    common_dir = _common_dir(git_dir)
    config: dict[str, str] = {}
    if (common_dir / "config").is_file():
        config = await _read_config(common_dir / "config")
    hashes = config.get("extensions.objectformat", "sha1")
    if hashes != "sha1":
        raise InputError(f"{path} uses {hashes} hashes; only SHA-1 repositories can be read")
    return Repository(path, git_dir, common_dir, _promisor(config))


async def git_version() -> str:
    """Return which git is used; raise InputError if it is too old for us."""
    program = git_program()
    if program not in _VERSIONS:
        finished = await run(["version"], env=LOCAL)
        _VERSIONS[program] = finished.out.decode("utf-8", "replace").strip()
    version = _VERSIONS[program]
    match = re.search(r"(\d+)\.(\d+)", version)
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        oldest = f"{OLDEST_GIT[0]}.{OLDEST_GIT[1]}"
        raise InputError(f"{version or 'git'} is too old; install git {oldest} or newer")
    return version


def _git_dir(path: Path) -> Path:
    """Return the git directory of a checkout (a file `.git` may point to it) or of a bare one."""
    path = path.absolute()
    if not path.exists():
        raise InputError(f"{path} does not exist; give the path of a clone or a bare mirror")
    git_dir = path / ".git" if (path / ".git").exists() else path
    if git_dir.is_file():
        git_dir = path / git_dir.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
    common_dir = _common_dir(git_dir)
    has_folders = (common_dir / "objects").is_dir() and (common_dir / "refs").is_dir()
    if not has_folders or not (git_dir / "HEAD").is_file():
        problem = f"{path} is not a git repository"
        raise InputError(f"{problem}; give the path of a clone or a bare mirror")
    return git_dir


def _common_dir(git_dir: Path) -> Path:
    try:
        return git_dir / (git_dir / "commondir").read_text("utf-8", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return git_dir


async def _read_config(path: Path) -> dict[str, str]:
    listed = await run(["config", "--file", str(path), "--null", "--list"], env=LOCAL)
    if listed.code != 0:
        raise InputError(f"{path} cannot be read: {listed.reason}")
    config: dict[str, str] = {}
    for entry in listed.out.decode("utf-8", "replace").split("\0"):
        if entry:
            key, separator, value = entry.partition("\n")
            # A key without a value is git's way of writing `true`.
            config[key] = value if separator else "true"
    return config


def _promisor(config: dict[str, str]) -> str | None:
    """Return the remote that promised the objects which a partial clone lacks."""
    for key, value in config.items():
        is_mark = key.startswith("remote.") and key.endswith(".promisor")
        if is_mark and value.lower() in ("true", "yes", "on", "1"):
            return key.removeprefix("remote.").removesuffix(".promisor")
    return config.get("extensions.partialclone")
