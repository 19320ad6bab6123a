"""Threads of a file are served as they were: what happened later has not happened."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.domain.errors import UsageError
from evals.mirror_threads import ThreadFile
from evals.worlds.data_model import Repo
from tests.made_repos import Work

ISSUE = {
    "repo": "octo/router",
    "kind": "issue",
    "number": 7,
    "title": "Routes are lost",
    "body": "The cache is full.",
    "author": "cy",
    "created_at": "2026-02-02T09:00:00Z",
    "state": "closed",
    "closed_at": "2026-02-05T09:00:00Z",
    "state_reason": "completed",
    "labels": ["bug"],
    "comments": [
        {"author": "bo", "body": "Seen too.", "created_at": "2026-02-03T09:00:00Z"},
        {"author": "bo", "body": "Thanks!", "created_at": "2026-02-06T09:00:00Z"},
    ],
}
PULL = {
    "repo": "octo/router",
    "kind": "pull",
    "number": 8,
    "title": "Keep routes",
    "created_at": "2026-02-03T09:00:00Z",
    "state": "closed",
    "closed_at": "2026-02-04T09:00:00Z",
    "merged": True,
    "merge_commit_sha": "a" * 40,
    "closes": [["octo/router", 7]],
}


def served(folder: Path, threads: list[object], moment: datetime) -> Repo:
    file = folder / "threads.json"
    file.write_text(json.dumps(threads), encoding="utf-8")
    Work(folder / "router").commit("Begin", {"a.py": "A = 1\n"})
    return ThreadFile(file).repository("octo/router", folder / "router" / ".git", moment)


def test_an_issue_that_is_closed_later_is_open_and_has_the_comments_of_its_time(
    tmp_path: Path,
) -> None:
    (issue,) = served(tmp_path, [ISSUE], datetime(2026, 2, 4, tzinfo=UTC)).issues
    assert (issue.state, issue.closed_at, issue.state_reason) == ("open", None, None)
    assert [comment.body for comment in issue.comments] == ["Seen too."]
    assert issue.updated_at == datetime(2026, 2, 3, 9, tzinfo=UTC)
    (issue,) = served(tmp_path, [ISSUE], datetime(2026, 2, 7, tzinfo=UTC)).issues
    assert (issue.state, issue.state_reason) == ("closed", "completed")
    assert len(issue.comments) == 2


def test_a_pull_request_is_merged_only_once_it_was(tmp_path: Path) -> None:
    (pull,) = served(tmp_path, [ISSUE, PULL], datetime(2026, 2, 4, tzinfo=UTC)).pulls
    assert (pull.state, pull.merged_at, pull.merge_commit) == ("open", None, None)
    (pull,) = served(tmp_path, [ISSUE, PULL], datetime(2026, 2, 5, tzinfo=UTC)).pulls
    assert pull.merged_at == datetime(2026, 2, 4, 9, tzinfo=UTC)
    assert pull.merge_commit == "a" * 40
    assert pull.closes == (("octo/router", 7),)


def test_threads_of_the_future_and_of_other_repositories_are_not_served(tmp_path: Path) -> None:
    elsewhere = ISSUE | {"repo": "octo/worker"}
    repo = served(tmp_path, [elsewhere, PULL], datetime(2026, 2, 3, tzinfo=UTC))
    assert repo.issues == ()
    assert repo.pulls == ()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"threads\.json cannot be read"):
        served(tmp_path, [{"kind": "issue"}], datetime(2026, 2, 4, tzinfo=UTC))
