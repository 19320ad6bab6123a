"""Commits for tests: what is not said of one is ordinary."""

from datetime import UTC, datetime
from typing import Any

from agent.domain.commits import Change, Commit, FileChange, Person

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
MIRA = Person(name="Mira", email="mira@example.com")


def made_commit(message: str = "Mend", **more: Any) -> Commit:
    """Make a commit of octo/router."""
    ordinary = {
        "repo": "octo/router",
        "sha": "a" * 40,
        "parents": (),
        "author": MIRA,
        "committer": MIRA,
    }
    return Commit.model_validate(
        ordinary | {"authored_at": NOON, "committed_at": NOON, "message": message} | more
    )


def made_change(*files: FileChange, message: str = "Mend") -> Change:
    """Make a commit that changes these files."""
    return Change(commit=made_commit(message), files=files)
