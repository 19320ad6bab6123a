"""A repository isolated from settings: every machine reads the same patches from its objects."""

import contextlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from agent.domain.errors import StorageError, UpstreamError
from tools.git.object_reader import Objects
from tools.git.process import LOCAL, Finished, Running, run, running

if TYPE_CHECKING:
    from tools.git.opened_repository import Repository

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
