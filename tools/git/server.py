"""One repository on a git server: asked for its default branch, fetched from."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from agent.errors import UpstreamError
from agent.ids import RepoId
from tools.git.process import Finished, run
from tools.git.remote import failure

_FALLBACKS = ("main", "master")
_REDIRECTED = re.compile(r"^warning: redirecting to (\S+?)/?$", re.MULTILINE)


@dataclass(frozen=True)
class Server:
    """Where a repository is fetched from, and with what."""

    repo: RepoId
    url: str
    environ: Mapping[str, str]
    token: str | None
    seconds: float
    """After which a single command is given up."""
    named: str | None = None
    """A branch to fetch beside the default one."""
    branch: str | None = None
    """The default branch; None while nobody asked, and for an empty repository."""

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches to fetch, the default one first."""
        return tuple(dict.fromkeys(name for name in (self.branch, self.named) if name))

    async def ask_for_default_branch(self) -> Self:
        """Learn the default branch; where the server names none, what branches there are decides."""
        for line in await self._list("--symref", self.url, "HEAD"):
            if line.startswith("ref: refs/heads/"):
                return replace(self, branch=line.partition("\t")[0].removeprefix("ref: refs/heads/"))
        heads = [line.partition("\trefs/heads/")[2] for line in await self._list("--heads", self.url)]
        return replace(self, branch=next((name for name in (*_FALLBACKS, *heads) if name in heads), None))

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
        """List references of the server; their names may be any bytes."""
        told = await self.run(["ls-remote", *arguments])
        self.expect_success(told)
        return told.out.decode("utf-8", "surrogateescape").splitlines()
