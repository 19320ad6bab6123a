"""A reader of git objects: a `git cat-file` that stays running."""

import asyncio
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from agent.domain.errors import UpstreamError
from tools.git.process import git_program, reason_in, scratch

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
