"""The earlier commit that a change undoes, brings back or copies: asked of git, or of a history read once."""

from collections.abc import Iterator, Sequence
from typing import Self

from agent.domain import Change
from tools.diff.lineage import Lineage, find_partner
from tools.diff.patch_id import PatchIds, patch_ids
from tools.git.source import GitSource

_EARLIER = 60
"""As many earlier commits as the command compares with."""


class Past:
    """A short history in memory: asking git for the sixty commits before each of a thousand would take minutes."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._paths: dict[str, frozenset[str]] = {}
        self._ids: dict[str, PatchIds] = {}

    @classmethod
    async def of(cls, source: GitSource, shas: Sequence[str]) -> Self:
        """Read these commits once."""
        past = cls()
        async for change in source.changes(shas):
            sha = change.commit.sha
            past._parent[sha] = change.commit.parents[0] if change.commit.parents else ""
            past._ids[sha] = patch_ids(change.files)
            past._paths[sha] = frozenset(
                path for file in change.files for path in (file.path, file.previous_path) if path
            )
        return past

    async def partner(self, change: Change) -> Lineage | None:
        """Compare the patch with those of earlier commits to the same file."""
        if not change.files:
            return None
        before = list(self._before(change.commit.sha, change.files[0].path))
        return find_partner(self._ids[change.commit.sha], {sha: self._ids[sha] for sha in reversed(before)})

    def _before(self, sha: str, path: str) -> Iterator[str]:
        found = 0
        while (sha := self._parent.get(sha, "")) in self._ids and found < _EARLIER:
            if path in self._paths[sha]:
                found += 1
                yield sha
