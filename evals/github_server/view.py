"""A git directory of our own that shows somebody's repository as it stood after one of its pushes.

It borrows the objects of the repository (alternates) and has its own refs, so nothing is ever written into a world or a
mirror, and a mirror without a configuration file is served like any other.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from agent.errors import InputError
from evals.worlds.model import Repo

# Whoever owns the files, and whatever the machine's own configuration says, answers must be the same.
_SETTINGS = {"safe.directory": "*", "uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true"}


def git_environment(**extra: str) -> Mapping[str, str]:
    """Give the environment in which every git process of the server runs."""
    settings = {"GIT_CONFIG_COUNT": str(len(_SETTINGS))}
    for index, (key, value) in enumerate(_SETTINGS.items()):
        settings |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    fixed = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    return (
        {"PATH": os.pathsep.join(os.get_exec_path())}
        | fixed
        | settings
        | {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
        | extra
    )


def _git(git_dir: Path, *arguments: str) -> bytes:
    command = ["git", f"--git-dir={git_dir}", *arguments]
    done = subprocess.run(command, env=git_environment(), capture_output=True, check=False)
    if done.returncode:
        raise InputError(f"{git_dir} cannot be served: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


class View:
    """The refs and objects of a repository as the server shows them."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.git_dir = folder
        self._repo = repo
        self._source = repo.git_dir / ".git" if (repo.git_dir / ".git").is_dir() else repo.git_dir
        self.refs: dict[str, str] = {}
        """Every ref with the object it names."""
        self.peeled: dict[str, str] = {}
        """The commit below an annotated tag."""
        self._prepare()

    def _prepare(self) -> None:
        objects = Path(os.fsdecode(_git(self._source, "rev-parse", "--git-path", "objects").strip()))
        for part in ("objects/info", "objects/pack", "refs/heads"):
            (self.git_dir / part).mkdir(parents=True)
        (self.git_dir / "objects/info/alternates").write_text(f"{objects.resolve()}\n")
        (self.git_dir / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
        (self.git_dir / "HEAD").write_text(f"ref: refs/heads/{self._repo.default_branch}\n")
        if (self._source / "shallow").is_file():
            (self.git_dir / "shallow").write_bytes((self._source / "shallow").read_bytes())

    def show(self, push: int | None) -> None:
        """Move the default branch to a push of the repository; None takes the branch as it is in the repository."""
        listing = _git(self._source, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(*objectname)")
        rows = [line.split("\0") for line in listing.decode("utf-8", "surrogateescape").splitlines()]
        self.refs = {name: sha for name, sha, _ in rows}
        self.peeled = {name: below for name, _, below in rows if below}
        if push is not None:
            self.refs[f"refs/heads/{self._repo.default_branch}"] = self._repo.pushes[push].tip
            for name in self._future_tags(push):
                self.refs.pop(name, None)
        self._write()

    def _future_tags(self, push: int) -> list[str]:
        """Find the tags that stand on commits which this push does not have yet."""
        tip, last = self._repo.pushes[push].tip, self._repo.pushes[-1].tip
        if tip == last:
            return []
        options = [f"--no-merged={tip}", f"--merged={last}", "--format=%(refname)", "refs/tags"]
        return _git(self._source, "for-each-ref", *options).decode("utf-8", "surrogateescape").splitlines()

    def _write(self) -> None:
        lines = ["# pack-refs with: peeled fully-peeled sorted "]
        for name in sorted(self.refs, key=os.fsencode):
            lines.append(f"{self.refs[name]} {name}")
            if name in self.peeled:
                lines.append(f"^{self.peeled[name]}")
        fresh = self.git_dir / "packed-refs.new"
        fresh.write_bytes(os.fsencode("\n".join(lines) + "\n"))
        # A clone that is reading refs right now sees the old file or the new one, never half of it.
        fresh.replace(self.git_dir / "packed-refs")

    @property
    def tip(self) -> str | None:
        """The commit at the head of the default branch; None for an empty repository."""
        return self.refs.get(f"refs/heads/{self._repo.default_branch}")
