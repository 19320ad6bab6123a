"""Reads whole trees of a repository: listings, files, tags and the history of a file."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agent.domain.errors import InputError
from tools.git.isolated_repository import View, view_of
from tools.git.missing_blobs import fetch_blobs
from tools.git.opened_repository import Repository, open_repository
from tools.git.process import patiently, remote_environment

MAX_FILE_BYTES = 8_000_000
_MAX_TREE_FILES = 200_000
_SUBMODULE = "160000"
_LINK = "120000"
_SHA = re.compile(r"[0-9a-f]{40}")
_REVISION = re.compile(r"[\w./+@^~{}-]{1,250}")


class TreeEntry(NamedTuple):
    """A file, a link or a submodule of a tree."""

    mode: str
    sha: str

    @property
    def is_submodule(self) -> bool:
        """True for the commit of a submodule."""
        return self.mode == _SUBMODULE

    @property
    def is_file(self) -> bool:
        """True for a file with a content of its own; links are not followed."""
        return self.mode not in (_SUBMODULE, _LINK)


Listing = Mapping[str, TreeEntry]


class TreeReader:
    """Reads the trees of a clone or a mirror; a partial one is given what it lacks."""

    def __init__(self, repository: Repository, network: Mapping[str, str] | None = None) -> None:
        self._repository = repository
        self._view: View | None = None
        self._network = remote_environment({}) if network is None else network
        self._listings: dict[str, dict[str, TreeEntry]] = {}
        self._tags: dict[str, str] | None = None

    @classmethod
    async def at(cls, path: Path, network: Mapping[str, str] | None = None) -> "TreeReader":
        """Open the clone or mirror at a path."""
        return cls(await open_repository(path), network)

    async def commit(self, revision: str) -> str:
        """Return the commit that a revision names; empty if there is none."""
        if revision.startswith("-") or not _REVISION.fullmatch(revision):
            return ""
        options = ["rev-parse", "--quiet", "--verify", "--end-of-options"]
        try:
            output = await self._repository.ask([*options, f"{revision}^{{commit}}"])
        except InputError:
            return ""
        sha = output.strip()
        return sha if _SHA.fullmatch(sha) else ""

    async def merge_base(self, first: str, second: str) -> str:
        """Return the commit at which two lines of history part; empty if they share none."""
        finished = await self._read_view().run(["merge-base", first, second])
        return finished.out.decode("ascii").strip() if finished.code == 0 else ""

    async def tags(self) -> Mapping[str, str]:
        """Return the commit of each tag."""
        if self._tags is None:
            form = "--format=%(refname:strip=2) %(objectname) %(*objectname)"
            output = await self._repository.ask(["for-each-ref", form, "refs/tags"])
            self._tags = {}
            for line in output.splitlines():
                name, *shas = line.split(" ")
                commits = [sha for sha in shas if sha]
                if commits:
                    self._tags[name] = commits[-1]
        return self._tags

    async def listing(self, sha: str) -> Listing:
        """Return the entries of a commit's tree by their paths."""
        if sha not in self._listings:
            output = await self._read_view().read(["ls-tree", "-r", "-z", sha])
            entries: dict[str, TreeEntry] = {}
            for record in output.split(b"\0")[: _MAX_TREE_FILES + 1]:
                details, separator, path = record.partition(b"\t")
                if separator:
                    mode, _, name = details.decode("ascii").split(" ")
                    entries[path.decode("utf-8", "replace")] = TreeEntry(mode, name)
            self._listings[sha] = entries
        return self._listings[sha]

    async def blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of blobs, without those that are missing or very large."""
        hashes = [name.encode("ascii") for name in dict.fromkeys(names)]
        view = self._read_view()
        objects = await view.objects.known(hashes)
        missing = [name for name, blob in zip(hashes, objects, strict=True) if blob is None]
        if missing and self._repository.promisor is not None:
            repository = self._repository
            await patiently(lambda: fetch_blobs(repository, missing, self._network))
            objects = await view.objects.known(hashes)
        readable: list[bytes] = []
        for name, blob in zip(hashes, objects, strict=True):
            if blob is not None and blob.kind == b"blob" and blob.size <= MAX_FILE_BYTES:
                readable.append(name)
        contents: dict[str, bytes] = {}
        for name, blob in zip(readable, await view.objects.contents(readable), strict=True):
            if blob is not None:
                contents[name.decode("ascii")] = blob.content
        return contents

    async def texts(self, sha: str, paths: Sequence[str]) -> dict[str, str]:
        """Return files of a commit's tree; one that is missing, a link or very large is left out."""
        listing = await self.listing(sha)
        entries = {path: listing[path] for path in paths if path in listing}
        blobs = await self.blobs(entry.sha for entry in entries.values() if entry.is_file)
        texts: dict[str, str] = {}
        for path, entry in entries.items():
            if entry.is_file and entry.sha in blobs:
                texts[path] = blobs[entry.sha].decode("utf-8", "replace")
        return texts

    async def changed_paths(self, old: str, new: str) -> list[str]:
        """Return the paths whose entries differ between two trees."""
        before = await self.listing(old)
        after = await self.listing(new)
        return [path for path in {**before, **after} if before.get(path) != after.get(path)]

    async def file_history(
        self, tip: str, path: str, limit: int, *, with_branches: bool = False
    ) -> list[str]:
        """Return the landed commits that changed a file, the newest first.

        `with_branches` adds the commits of branches that were merged.
        """
        followed = [] if with_branches else ["--first-parent"]
        command = ["rev-list", *followed, f"--max-count={limit}", tip, "--", path]
        finished = await self._read_view().run(command)
        return finished.out.decode("ascii").split() if finished.code == 0 else []

    async def tip(self) -> str:
        """Return the newest commit of the default branch; empty where there is none."""
        tip = await self._repository.tip()
        return tip.sha or ""

    def _read_view(self) -> View:
        self._view = view_of(self._repository, self._view)
        return self._view
