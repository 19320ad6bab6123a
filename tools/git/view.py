"""A view of a repository: its objects and nothing else, so that all machines read the same patch from them."""

import contextlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from agent.errors import StorageError, UpstreamError
from tools.git.objects import Objects
from tools.git.process import LOCAL, Finished, Running, run, running
from tools.git.repository import Repository

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

    It has no branches, no user, system or repository configuration, no attributes but ours and no remote: whatever
    somebody configured, a patch comes out the same, and a blob that is not there is an error at once, never a fetch.
    """

    def __init__(self, folder: Path, objects: Path, shallow: frozenset[str]) -> None:
        self._folder = folder
        # Whoever is killed leaves a small folder behind, as every program does that has one.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._env = LOCAL | {"GIT_DIR": str(folder), "GIT_OBJECT_DIRECTORY": str(objects)}
        self.objects = Objects(self._env, folder)
        weakref.finalize(self, self.objects.close)
        self.shallow = shallow

    @property
    def stands(self) -> bool:
        """Tell whether the folder is still there: what lies long in a temporary place may be swept away."""
        return (self._folder / "HEAD").is_file()

    async def run(self, arguments: Sequence[str | bytes], *, stdin: bytes = b"") -> Finished:
        """Run git on the objects, to its end."""
        return await run(arguments, env=self._env, cwd=self._folder, stdin=stdin)

    async def read(self, arguments: Sequence[str], *, stdin: bytes = b"") -> bytes:
        """Run git on the objects and give its output; UpstreamError when it fails."""
        finished = await self.run(arguments, stdin=stdin)
        self.expect_success(arguments[0], finished)
        return finished.out

    @staticmethod
    def expect_success(command: str, finished: Finished) -> None:
        """Turn a failed git into an UpstreamError."""
        if finished.code != 0:
            raise UpstreamError(f"git {command}: {finished.reason}", retryable=False)

    def running(
        self, arguments: Sequence[str | bytes], *, stdin: bytes = b""
    ) -> contextlib.AbstractAsyncContextManager[Running]:
        """Start git on the objects and read its output as it comes."""
        return running(arguments, env=self._env, cwd=self._folder, stdin=stdin)


def view_of(repository: Repository, earlier: View | None = None) -> View:
    """Lay out a view in a temporary folder that goes with it, or use an earlier one that still shows the repository.

    Nothing is written to the repository.
    """
    shallow = repository.shallow()
    if earlier is not None and earlier.shallow == shallow and earlier.stands:
        return earlier
    try:
        folder = Path(tempfile.mkdtemp(prefix="gitzette-view-"))
        view = View(folder, repository.objects, shallow)
        _lay_out(folder, shallow)
    except OSError as error:
        raise StorageError(f"no temporary folder can be made: {error.strerror}") from error
    return view


def _lay_out(folder: Path, shallow: frozenset[str]) -> None:
    """Write what git takes for a repository."""
    for part in ("refs", "info"):
        (folder / part).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    (folder / "config").write_text(_CONFIG)
    (folder / "info" / "attributes").write_bytes(files("tools.git").joinpath("github.attributes").read_bytes())
    if shallow:
        (folder / "shallow").write_text("".join(f"{sha}\n" for sha in sorted(shallow)))
