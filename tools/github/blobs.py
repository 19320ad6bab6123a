"""Blobs, the whole files of commits: prefetched many at a time by GraphQL, or fetched one by one."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from urllib.parse import quote

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.errors import NotFound
from agent.ports import Study
from tools.git.diff_parser import versions_of
from tools.github import graphql_queries
from tools.github.client import GitHubClient
from tools.github.graphql_batches import Batches, Question
from tools.github.graphql_shapes import Answer, BlobNode
from tools.github.server_address import repo_path

_RAW = "application/vnd.github.raw"
_FILES = Question[str, BlobNode](
    graphql_queries.files,
    graphql_queries.file_alias,
    Answer[BlobNode],
    40,
    graphql_queries.file_variables,
)
"""GitHub sends at most half a megabyte of a file, so that a full batch stays below `max_bytes`."""
_BATCHES_HELD = 2


class Blobs:
    """Reads files of one repository by `<commit>:<path>`.

    Foreseen files are fetched when the first of them is asked for, together with those that come
    next. Two batches are held at a time, however long the list.
    """

    def __init__(self, client: GitHubClient) -> None:
        self._client = client
        # Foreseen files that are not fetched yet, in the order in which they will be asked for.
        self._ahead: dict[str, None] = {}
        self._held: dict[str, bytes] = {}
        self._fetching = asyncio.Lock()

    def foresee(self, studies: Iterable[Study]) -> None:
        """Note which files will be asked for; without a token there is no GraphQL to gain from it."""
        if not self._client.has_token:
            return
        for study in studies:
            for versions in versions_of(study.change, study.read).values():
                for file in versions:
                    if file and file not in self._held:
                        self._ahead[file] = None

    async def read(
        self, name: str, change: Change, paths: Sequence[str]
    ) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Return both versions of these files of a change; a version that does not exist is None."""
        contents: dict[str, tuple[bytes | None, bytes | None]] = {}
        for path, versions in versions_of(change, paths).items():
            old = await self._version(name, versions.old)
            new = await self._version(name, versions.new)
            contents[path] = (old, new)
        return contents

    async def _version(self, name: str, file: str | None) -> bytes | None:
        if file is None:
            return None
        if file in self._ahead:
            async with self._fetching:
                # Another reader may have fetched it while this one waited for the lock.
                if file in self._ahead:
                    await self._fetch_batch(name, file)
        if file in self._held:
            return self._held[file]
        return await self.content(name, file)

    async def _fetch_batch(self, name: str, file: str) -> None:
        others = (other for other in self._ahead if other != file)
        batch = [file, *islice(others, _FILES.size - 1)]
        answers = await Batches(self._client, RepoId(name), None).ask(_FILES, batch)
        for requested in batch:
            del self._ahead[requested]
        for answered, node in answers.found.items():
            if node.content is not None:
                self._held[answered] = node.content
        # The oldest were asked for; a commit's new version may be the old one of the next commit.
        for oldest in list(self._held)[: -_BATCHES_HELD * _FILES.size]:
            del self._held[oldest]
        if not answers.found:
            # During an outage do not send ever more queries; the rest is fetched file by file.
            self._ahead.clear()

    async def content(self, name: str, file: str) -> bytes | None:
        """Fetch a file as it was at a commit, or return None if there was none."""
        sha, _, path = file.partition(":")
        url_path = f"{repo_path(name, 'contents')}/{quote(path)}"
        try:
            return await self._client.text(url_path, _RAW, {"ref": sha})
        except NotFound:
            return None
