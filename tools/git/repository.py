"""A repository on disk, as it is found: where its objects are, and where what it lacks can be fetched from."""

import re
from dataclasses import dataclass
from pathlib import Path

from agent.errors import InputError
from tools.git.process import LOCAL, git_program, run

OLDEST_GIT = (2, 37)
"""The first version that knows `--since-as-filter`."""
_VERSIONS: dict[str, str] = {}
"""What each program has said of itself, asked once."""


@dataclass(frozen=True)
class Repository:
    """A clone, a bare mirror or a linked worktree."""

    path: Path
    """What the user named."""
    git_dir: Path
    """Where HEAD is; of a linked worktree, its own."""
    common_dir: Path
    """Where objects, branches and configuration are."""
    promisor: str | None
    """The remote of a partial clone that has promised the missing objects."""

    @property
    def objects(self) -> Path:
        """The object database."""
        return self.common_dir / "objects"

    def shallow(self) -> frozenset[str]:
        """Read which commits are the ends of a shallow clone: their parents exist, but not here."""
        try:
            return frozenset((self.common_dir / "shallow").read_text("ascii", "replace").split())
        except FileNotFoundError:
            return frozenset()


def checkout_above(start: Path) -> Path | None:
    """Find the checkout that a folder lies in: itself or the nearest one above."""
    start = start.absolute()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)


async def open_repository(path: Path) -> Repository:
    """Look at the repository at exactly this path; folders above are not searched, a mistyped path must not hit one."""
    await git_version()
    try:
        git_dir = _git_dir(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    common_dir = _common_dir(git_dir)
    config = await _read_config(common_dir / "config") if (common_dir / "config").is_file() else {}
    if config.get("extensions.objectformat", "sha1") != "sha1":
        raise InputError(f"{path} uses {config['extensions.objectformat']} hashes; only SHA-1 repositories can be read")
    return Repository(path, git_dir, common_dir, _promisor(config))


async def git_version() -> str:
    """Tell which git is used; one that lacks what we need is refused."""
    program = git_program()
    if program not in _VERSIONS:
        _VERSIONS[program] = (await run(["version"], env=LOCAL)).out.decode("utf-8", "replace").strip()
    told = _VERSIONS[program]
    match = re.search(r"(\d+)\.(\d+)", told)
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        raise InputError(f"{told or 'git'} is too old; install git {OLDEST_GIT[0]}.{OLDEST_GIT[1]} or newer")
    return told


def _git_dir(path: Path) -> Path:
    """Find the git directory of a checkout, where a file named .git may point to it, or of a bare repository."""
    path = path.absolute()
    if not path.exists():
        raise InputError(f"{path} does not exist; give the path of a clone or a bare mirror")
    git_dir = path / ".git" if (path / ".git").exists() else path
    if git_dir.is_file():
        git_dir = path / git_dir.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
    common_dir = _common_dir(git_dir)
    if not ((git_dir / "HEAD").is_file() and (common_dir / "objects").is_dir() and (common_dir / "refs").is_dir()):
        raise InputError(f"{path} is not a git repository; give the path of a clone or a bare mirror")
    return git_dir


def _common_dir(git_dir: Path) -> Path:
    """Find what a linked worktree shares with its main checkout."""
    try:
        return git_dir / (git_dir / "commondir").read_text("utf-8", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return git_dir


async def _read_config(path: Path) -> dict[str, str]:
    """Read a repository's own configuration."""
    listed = await run(["config", "--file", str(path), "--null", "--list"], env=LOCAL)
    if listed.code != 0:
        raise InputError(f"{path} cannot be read: {listed.reason}")
    pairs = (entry.partition("\n") for entry in listed.out.decode("utf-8", "replace").split("\0") if entry)
    # A key without a value is git's way of writing `true`.
    return {key: value if separator else "true" for key, separator, value in pairs}


def _promisor(config: dict[str, str]) -> str | None:
    """Find the remote that a partial clone was made from."""
    marked = [
        key.removeprefix("remote.").removesuffix(".promisor")
        for key, value in config.items()
        if key.startswith("remote.") and key.endswith(".promisor") and value.lower() in ("true", "yes", "on", "1")
    ]
    return next(iter(marked), config.get("extensions.partialclone"))
