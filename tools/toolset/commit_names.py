"""The commits of a window by the names that an agent gives them: handles, hashes, citations."""

from collections.abc import Mapping, Sequence

from agent.domain.base import RepoId, parse_reference
from agent.domain.commits import Commit

_LINE = 300


class CommitNames:
    """Finds commits of one window; others are not at hand."""

    def __init__(self, repo: RepoId, commits: Sequence[Commit], handles: Mapping[str, str]) -> None:
        self._repo = repo
        self._commits = {commit.sha: commit for commit in commits}
        self._handles = {handle.lower(): sha for handle, sha in handles.items()}

    def matching(self, name: str) -> list[str]:
        """Give the full hashes that a handle, a full or abbreviated hash or a citation may mean."""
        name = name.strip(" []`@").lower()
        if name in self._handles:
            return [self._handles[name]]
        reference = parse_reference(name, self._repo)
        if reference is not None and reference.kind == "commit":
            if reference.repo is None or reference.repo.lower() != self._repo.lower():
                return []
            name = reference.sha
        return [sha for sha in self._commits if sha.startswith(name)] if name else []

    @property
    def newest(self) -> str | None:
        """The commit that no other one of the window builds on: several may have landed in the same second."""
        parents = {parent for commit in self._commits.values() for parent in commit.parents}
        tips = [commit for sha, commit in self._commits.items() if sha not in parents]
        return max(tips, key=lambda commit: commit.committed_at).sha if tips else None

    def listed(self, notes: Mapping[str, str]) -> list[str]:
        """Write a line for each commit: its handle if it has one, its hash, and the note or else its title."""
        handle_of = {sha: handle for handle, sha in self._handles.items()}
        lines = []
        for sha, commit in self._commits.items():
            note = notes.get(sha) or f"{commit.committed_at:%Y-%m-%d} {commit.author.name}: {commit.title}"
            lines.append(f"{handle_of[sha]} {sha[:12]}  {note}" if sha in handle_of else f"{sha[:12]}  {note}")
        return [line[:_LINE] for line in lines]
