"""Commits with their diffs, made without a repository."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from agent.domain import Change, Commit, FileChange, FileStatus, Person
from agent.evidence import CommitEvidence
from agent.ids import RepoId

Make = Callable[..., CommitEvidence]
_AT = datetime(2026, 3, 10, 9, 30, tzinfo=UTC)
_ADA = Person(name="Ada Lovelace", email="ada@example.org")


@pytest.fixture
def commit() -> Make:
    """Make a commit by its message and the lines of one file, each with its sign."""

    def make(
        message: str, *lines: str, path: str = "engine/core.py", status: FileStatus = "modified"
    ) -> CommitEvidence:
        added, deleted = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        patch = "\n".join(("@@ -1 +1 @@", *lines)) if lines else None
        file = FileChange(path=path, status=status, additions=added, deletions=deleted, patch=patch)
        made = Commit(
            repo=RepoId("acme/engine"),
            sha="a" * 40,
            parents=(),
            author=_ADA,
            authored_at=_AT,
            committer=_ADA,
            committed_at=_AT,
            message=message,
        )
        return CommitEvidence(change=Change(commit=made, files=(file,)))

    return make
