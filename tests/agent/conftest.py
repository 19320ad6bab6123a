"""Reports for the tests, made the way the daily run makes them."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from agent.domain.commits import Change, FileChange, Landed
from agent.domain.evidence import CommitEvidence, Read
from agent.domain.ledger import LedgerRow
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.reports.chapter import ledger_row
from agent.triage.collected_commits import UnreadCommit
from agent.triage.weights import weigh
from tests.made_commits import made_commit

DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")


@pytest.fixture
def make_row() -> Callable[..., LedgerRow]:
    """Make a row of the ledger; what is not said is ordinary."""

    def make(
        sha: str = "a" * 40,
        message: str = "Speed up the router",
        *,
        repo: str = "octo/router",
        read: bool = True,
        members: int | None = 0,
        unreadable: int = 0,
        late: bool = False,
        pull: int | None = None,
    ) -> LedgerRow:
        at = datetime(2026, 2, 4, 9, 30, tzinfo=UTC)
        landed = Landed(
            commit=made_commit(message, repo=repo, sha=sha, committed_at=at), members=members
        )
        if not read:
            return ledger_row(
                landed, UnreadCommit(depth="failed", reason="timed out"), late=late, pull=pull
            )
        files = [FileChange(path="src/0.py", status="modified", additions=10, deletions=2)]
        files += [
            FileChange(
                path=f"big/{n}", status="modified", additions=0, deletions=0, unreadable="not here"
            )
            for n in range(unreadable)
        ]
        change = Change(commit=landed.commit, files=tuple(files))
        skimmed = Read(
            evidence=CommitEvidence(change=change), triage=weigh(change, None), depth="skim"
        )
        return ledger_row(landed, skimmed, late=late, pull=pull)

    return make


@pytest.fixture
def make_report() -> Callable[..., Report]:
    """Make a report of these rows; each repository gets a section, with what `about` says of it."""

    def make(
        rows: Sequence[LedgerRow] = (),
        *,
        repos: Sequence[str] = (),
        window: Window = DAY,
        about: dict[str, dict[str, Any]] | None = None,
        failures: Sequence[dict[str, str]] = (),
        unread: Sequence[str] = (),
    ) -> Report:
        ordinary = {"branch": "main", "tip": "a" * 40, "coverage": "read"}
        names = list(dict.fromkeys([*repos, *(row.repo for row in rows)]))
        sections = [
            RepoSection.model_validate(ordinary | {"repo": name} | (about or {}).get(name, {}))
            for name in names
            if name not in unread
        ]
        return Report.model_validate(
            {
                "window": window,
                "repos": names,
                "sections": sections,
                "ledger": rows,
                "failures": failures,
            }
        )

    return make
