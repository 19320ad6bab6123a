"""Whole files of commits: many in one GraphQL query where they were foreseen, else a request each."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote

from agent.domain.base import NotFound, RepoId
from agent.domain.commits import Change
from agent.ports import Study
from tools.git.patch import versions_of
from tools.github import queries
from tools.github.address import repo_path
from tools.github.graphql import Answer, Batches, BlobNode, Question

if TYPE_CHECKING:
    from tools.github.client import GitHubClient

_RAW = "application/vnd.github.raw"
_FILES = Question[str, BlobNode](
    queries.files, queries.file_alias, Answer[BlobNode], 40, queries.file_variables
)
"""GitHub sends at most half a megabyte of a file, so the largest batch is well below what an answer may have."""


class Blobs:
    """Reads files of one repository by `<commit>:<path>`.

    What was foreseen is read when the first of it is asked for, together with what comes next; two batches are all
    that is held at a time, however long the list.
    """

    def __init__(self, client: "GitHubClient") -> None:
        self._client = client
        self._ahead: dict[str, None] = {}
        """What was foreseen and not read yet, in the order in which it will be asked for."""
        self._held: dict[str, bytes] = {}
        self._reading = asyncio.Lock()

    def foresee(self, studies: Iterable[Study]) -> None:
        """Note what will be asked for; without a token there is no GraphQL, and nothing to be gained."""
        if self._client.has_token:
            pairs = [
                pair for study in studies for pair in versions_of(study.change, study.read).values()
            ]
            self._ahead |= {
                name: None for pair in pairs for name in pair if name and name not in self._held
            }

    async def read(
        self, name: str, change: Change, paths: Sequence[str]
    ) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Read both versions of these files of a change; a version that is not there is None."""
        pairs = versions_of(change, paths).items()
        return {
            path: (await self._version(name, old), await self._version(name, new))
            for path, (old, new) in pairs
        }

    async def _version(self, name: str, file: str | None) -> bytes | None:
        if file is None:
            return None
        if file in self._ahead:
            async with self._reading:
                # Another reader may have brought it in the meantime.
                if file in self._ahead:
                    await self._read_ahead(name, file)
        return self._held[file] if file in self._held else await self.content(name, file)

    async def _read_ahead(self, name: str, file: str) -> None:
        others = (other for other in self._ahead if other != file)
        batch = [file, *islice(others, _FILES.size - 1)]
        answers = await Batches(self._client, RepoId(name), None).ask(_FILES, batch)
        for one in batch:
            del self._ahead[one]
        found = ((one, node.content) for one, node in answers.found.items())
        self._held |= {one: content for one, content in found if content is not None}
        # What was read longest ago was asked for; the new version of a commit may still be the old one of the next.
        for old in list(self._held)[: -2 * _FILES.size]:
            del self._held[old]
        if not answers.found:
            # An outage is not met with ever more requests; what is left is asked for file by file.
            self._ahead.clear()

    async def content(self, name: str, file: str) -> bytes | None:
        """Read a file as it stood at a commit; None when it did not."""
        sha, _, path = file.partition(":")
        try:
            return await self._client.text(
                f"{repo_path(name, 'contents')}/{quote(path)}", _RAW, {"ref": sha}
            )
        except NotFound:
            return None
