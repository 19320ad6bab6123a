"""What is in a repository's objects, told by one git that stays: a day asks for them some hundred times."""

import asyncio
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from agent.errors import UpstreamError
from tools.git.process import git_program, reason_in, scratch

_FORM = "--batch-command=%(objectname) %(objecttype) %(objectsize)"
_ANSWER = re.compile(rb"([0-9a-f]{40,64}) (\w+) (\d+)\n")


class Found(NamedTuple):
    """One object as git knows it; `content` only where it was asked for."""

    sha: bytes
    kind: bytes
    content: bytes = b""


class Objects:
    """Looks objects up by any name that git takes, with a `git cat-file` that waits for the next question.

    It ends when its questions do: git reads to the end of its input, whoever closes that.
    """

    def __init__(self, env: Mapping[str, str], cwd: Path) -> None:
        self._env = dict(env)
        self._cwd = cwd
        self._git: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._turn = threading.Lock()

    async def known(self, names: Sequence[bytes]) -> list[Found | None]:
        """Tell what each name stands for; None where there is no such object, or several."""
        return await self._ask(b"info", names)

    async def contents(self, names: Sequence[bytes]) -> list[Found | None]:
        """Read the object behind each name; None where there is none."""
        return await self._ask(b"contents", names)

    def close(self) -> None:
        """Let git go, and see that it is gone."""
        git, self._git = self._git, None
        if git is not None:
            assert git.stdin is not None
            assert git.stdout is not None
            git.kill()
            git.stdout.close()
            _close(git.stdin)
            git.wait()
        if self._said is not None:
            self._said.close()
            self._said = None

    async def _ask(self, order: bytes, names: Sequence[bytes]) -> list[Found | None]:
        return await asyncio.to_thread(self._answers, order, names) if names else []

    def _answers(self, order: bytes, names: Sequence[bytes]) -> list[Found | None]:
        """Ask for all names, then take the answers: until told to, git says nothing, so neither waits for the other."""
        with self._turn:
            git = self._git or self._start()
            assert git.stdin is not None
            assert git.stdout is not None
            try:
                git.stdin.write(b"".join(b"%s %s\n" % (order, name) for name in names) + b"flush\n")
                git.stdin.flush()
                return [_answer(git.stdout, whole=order == b"contents") for _ in names]
            except (BrokenPipeError, EOFError) as error:
                raise UpstreamError(f"git cat-file: {self._reason()}", retryable=False) from error
            except BaseException:
                # Half an answer would be taken for the next one.
                self.close()
                raise

    def _start(self) -> subprocess.Popen[bytes]:
        self._said = scratch()
        self._git = subprocess.Popen(
            [git_program(self._env.get("PATH")), "cat-file", _FORM, "--buffer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=self._env,
            cwd=self._cwd,
            # A key that stops us is no business of its; it ends with its input.
            start_new_session=True,
        )
        return self._git

    def _reason(self) -> str:
        """Tell why git ended, and forget it."""
        assert self._git is not None
        assert self._said is not None
        status = self._git.wait()
        self._said.seek(0)
        reason = reason_in(self._said.read().decode("utf-8", "replace"), status)
        self.close()
        return reason


def _answer(out: IO[bytes], *, whole: bool) -> Found | None:
    """Read one answer; one that is not about an object says that there is none, or several."""
    line = out.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    found = _ANSWER.fullmatch(line)
    if found is None:
        return None
    size = int(found[3]) if whole else 0
    content = out.read(size)
    if whole and (len(content) < size or out.read(1) != b"\n"):
        raise EOFError
    return Found(found[1], found[2], content)


def _close(pipe: IO[bytes]) -> None:
    """Close what nobody may read any more."""
    try:
        pipe.close()
    except BrokenPipeError:
        return
