"""A view of a repository's objects alone, so that every machine reads the same patches."""

import asyncio
import contextlib
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from agent.domain.errors import StorageError, UpstreamError
from tools.git.process import (
    LOCAL,
    Finished,
    Running,
    git_program,
    reason_in,
    run,
    running,
    scratch,
)

if TYPE_CHECKING:
    from tools.git.repository import Repository

_FORM = "--batch-command=%(objectname) %(objecttype) %(objectsize)"
_ANSWER = re.compile(rb"([0-9a-f]{40,64}) (\w+) (\d+)\n")


class GitObject(NamedTuple):
    """An object of a repository; `content` only where it was asked for."""

    sha: bytes
    kind: bytes
    content: bytes = b""
    size: int = 0


class Objects:
    """Looks objects up by any name that git accepts, with a `git cat-file` that stays running.

    The process ends when its input is closed.
    """

    def __init__(self, env: Mapping[str, str], cwd: Path) -> None:
        self._env = dict(env)
        self._cwd = cwd
        self._git: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._lock = threading.Lock()

    async def known(self, names: Sequence[bytes]) -> list[GitObject | None]:
        """Return the object of each name, without content; None if there is none, or several."""
        return await self._ask(b"info", names)

    async def contents(self, names: Sequence[bytes]) -> list[GitObject | None]:
        """Return the object of each name with its content; None if there is none."""
        return await self._ask(b"contents", names)

    def close(self) -> None:
        """End the process and wait for its end."""
        git = self._git
        self._git = None
        if git is not None:
            assert git.stdin is not None
            assert git.stdout is not None
            git.kill()
            git.stdout.close()
            _close(git.stdin)
            git.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    async def _ask(self, order: bytes, names: Sequence[bytes]) -> list[GitObject | None]:
        if not names:
            return []
        return await asyncio.to_thread(self._answers, order, names)

    def _answers(self, order: bytes, names: Sequence[bytes]) -> list[GitObject | None]:
        """Send all names, then read the answers.

        Git answers only on a command to flush, so that neither side waits for the other.
        """
        with self._lock:
            git = self._git or self._start()
            assert git.stdin is not None
            assert git.stdout is not None
            try:
                orders = [b"%s %s\n" % (order, name) for name in names]
                git.stdin.write(b"".join(orders) + b"flush\n")
                git.stdin.flush()
                has_content = order == b"contents"
                return [_read_answer(git.stdout, has_content=has_content) for _ in names]
            except (BrokenPipeError, EOFError) as error:
                raise UpstreamError(f"git cat-file: {self._reason()}", retryable=False) from error
            except BaseException:
                # Half an answer would be taken for the next one.
                self.close()
                raise

    def _start(self) -> subprocess.Popen[bytes]:
        self._errors = scratch()
        self._git = subprocess.Popen(
            [git_program(self._env.get("PATH")), "cat-file", _FORM, "--buffer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=self._env,
            cwd=self._cwd,
            # An interrupt from the keyboard must not reach it; it ends with its input.
            start_new_session=True,
        )
        return self._git

    def _reason(self) -> str:
        assert self._git is not None
        assert self._errors is not None
        status = self._git.wait()
        self._errors.seek(0)
        reason = reason_in(self._errors.read().decode("utf-8", "replace"), status)
        self.close()
        return reason


def _read_answer(out: IO[bytes], *, has_content: bool) -> GitObject | None:
    """Return the object of one answer, or None if it says that there is none, or several."""
    line = out.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    match = _ANSWER.fullmatch(line)
    if match is None:
        return None
    size = int(match[3])
    if not has_content:
        return GitObject(match[1], match[2], size=size)
    content = out.read(size)
    if len(content) < size or out.read(1) != b"\n":
        raise EOFError
    return GitObject(match[1], match[2], content, size)


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return


# The limit is git's own default, written down so that a newer git cannot change reports: with more than 1,000
# candidates on both sides only exact renames are found.
_CONFIG = """\
[core]
	repositoryFormatVersion = 0
	bare = true
	quotePath = false
[diff]
	renameLimit = 1000
[i18n]
	logOutputEncoding = UTF-8
"""


class View:
    """A bare repository of our own that borrows another's objects.

    It has no branches, no configuration of a user, the system or the repository, no attributes but
    ours, and no remote. So a patch is the same whatever is configured, and a missing blob is an
    error at once instead of a fetch.
    """

    def __init__(self, folder: Path, objects: Path, shallow: frozenset[str]) -> None:
        self._folder = folder
        # A killed process leaves this small folder behind.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._env = LOCAL | {"GIT_DIR": str(folder), "GIT_OBJECT_DIRECTORY": str(objects)}
        self.objects = Objects(self._env, folder)
        weakref.finalize(self, self.objects.close)
        self.shallow = shallow
        # Commits whose blobs were all seen here: a partial clone only ever gets more of them.
        self.complete: set[str] = set()

    @property
    def exists(self) -> bool:
        """True if the folder is still there: old temporary folders may be cleaned up."""
        return (self._folder / "HEAD").is_file()

    async def run(self, arguments: Sequence[str | bytes], *, stdin: bytes = b"") -> Finished:
        """Run git on the objects, to its end."""
        return await run(arguments, env=self._env, cwd=self._folder, stdin=stdin)

    async def read(self, arguments: Sequence[str], *, stdin: bytes = b"") -> bytes:
        """Run git on the objects and return its output; raise UpstreamError if it fails."""
        finished = await self.run(arguments, stdin=stdin)
        self.expect_success(arguments[0], finished)
        return finished.out

    @staticmethod
    def expect_success(command: str, finished: Finished) -> None:
        """Raise UpstreamError if git failed."""
        if finished.code != 0:
            raise UpstreamError(f"git {command}: {finished.reason}", retryable=False)

    def running(
        self, arguments: Sequence[str | bytes], *, stdin: bytes = b""
    ) -> contextlib.AbstractAsyncContextManager[Running]:
        """Start git on the objects and read its output as it comes."""
        return running(arguments, env=self._env, cwd=self._folder, stdin=stdin)


def view_of(repository: "Repository", earlier: View | None = None) -> View:
    """Return a view in a temporary folder of its own, or an earlier one that is still valid.

    Nothing is written to the repository.
    """
    shallow = repository.shallow()
    if earlier is not None and earlier.shallow == shallow and earlier.exists:
        return earlier
    try:
        folder = Path(tempfile.mkdtemp(prefix="gitzette-view-"))
        view = View(folder, repository.objects, shallow)
        _lay_out(folder, shallow)
    except OSError as error:
        raise StorageError(f"no temporary folder can be made: {error.strerror}") from error
    return view


def _lay_out(folder: Path, shallow: frozenset[str]) -> None:
    for part in ("refs", "info"):
        (folder / part).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    (folder / "config").write_text(_CONFIG)
    (folder / "info" / "attributes").write_bytes(
        files("tools.git").joinpath("github.attributes").read_bytes()
    )
    if shallow:
        (folder / "shallow").write_text("".join(f"{sha}\n" for sha in sorted(shallow)))
