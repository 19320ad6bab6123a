"""A real bare mirror, with whatever is known of its threads, in the shape of a world's repository."""

import hashlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.worlds.model import Comment, Event, Issue, Pull, Push, Repo

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{0,500}`", re.DOTALL)
_NAMED = re.compile(r"(?<![\w/#&.-])([\w-]{1,39}/[\w.-]{1,100})?#([1-9]\d{0,8})\b", re.ASCII)
_ADDRESS = re.compile(r"https?://github\.com/([\w-]{1,39}/[\w.-]{1,100})/pull/([1-9]\d{0,8})\b", re.ASCII)
Row = Mapping[str, Any]


def repo_from_mirror(full_name: str, git_dir: Path, threads: Sequence[Row]) -> Repo:
    """Wrap a mirror; of the threads, those of this repository count, as far as their fields are given.

    A thread has `repo`, `kind` (`issue` or `pull`), `number`, `title`, `created_at` and may have `state`, `author`,
    `closed_at`, `labels`, `body`, `state_reason`, `comments`, for issues `closed_by` (the number of a pull request),
    for pulls `merged`, `merged_at`, `merge_commit_sha`, `base`, `closes` (numbers). Which issues name a pull is read
    from the texts of all threads, as GitHub does.
    """
    owner, _, name = full_name.partition("/")
    branch = _git(git_dir, "symbolic-ref", "--short", "HEAD") or "main"
    tip = _git(git_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    mine = [thread for thread in threads if thread["repo"] == full_name]
    naming = _cross_references(full_name, threads)
    issues = tuple(_issue(one) for one in mine if one["kind"] == "issue")
    pulls = tuple(_pull(git_dir, branch, one, naming) for one in mine if one["kind"] == "pull")
    number = int.from_bytes(hashlib.sha256(full_name.encode()).digest()[:4], "big")
    moved = _committed(git_dir, tip) if tip else None
    return Repo(number, owner, name, branch, git_dir, issues, pulls, (), (Push(moved, tip),) if moved else ())


def _thread(row: Row) -> dict[str, Any]:
    """Give the fields that issues and pull requests have alike."""
    created, state = _moment(row, "created_at"), row.get("state", "open")
    closed = _moment(row, "closed_at", "created_at") if state == "closed" else None
    comments = tuple(
        Comment(row["number"] * 1_000 + place, one.get("author"), one["body"], _moment(one, "created_at"))
        for place, one in enumerate(row.get("comments") or ())
    )
    return {
        **{name: row[name] for name in ("number", "title")},
        "body": row.get("body") or "",
        "author": row.get("author"),
        "created_at": created,
        "updated_at": max([closed or created, *(one.created_at for one in comments)]),
        "state": state,
        "closed_at": closed,
        "labels": tuple(row.get("labels") or ()),
        "comments": comments,
    }


def _issue(row: Row) -> Issue:
    """Make an issue, with a record of what closed it: a pull request, or somebody by hand."""
    fields, by = _thread(row), row.get("closed_by")
    closed = fields["closed_at"]
    source = (str(row["repo"]), int(by)) if by else None
    reason = row.get("state_reason") or ("completed" if closed else None)
    events = (Event("closed", closed, source=source, state_reason=reason),) if closed else ()
    return Issue(**fields, events=events, state_reason=reason)


def _pull(git_dir: Path, branch: str, row: Row, naming: Mapping[int, tuple[Event, ...]]) -> Pull:
    fields, landed = _thread(row), row.get("merge_commit_sha")
    known = _moment(row, "merged_at") if row.get("merged_at") else fields["closed_at"]
    merged = ((landed and _committed(git_dir, landed)) or known) if row.get("merged") else None
    if merged:
        fields |= {"closed_at": merged, "updated_at": max(fields["updated_at"], merged)}
    return Pull(
        **fields,
        base=row.get("base") or branch,
        head_ref=f"pull-{row['number']}",
        head_sha=landed or "0" * 40,
        merged_at=merged,
        merge_commit=landed,
        commits=(landed,) if landed else (),
        closes=tuple((str(row["repo"]), number) for number in row.get("closes") or ()),
        events=naming.get(row["number"], ()),
    )


def _cross_references(full_name: str, threads: Sequence[Row]) -> dict[int, tuple[Event, ...]]:
    """Record for each number of a repository which issues name it in their texts, each once, by when they do."""
    found: dict[int, dict[tuple[str, int], Event]] = {}
    for issue in (one for one in threads if one["kind"] == "issue"):
        for text in (issue, *sorted(issue.get("comments") or (), key=lambda one: str(one["created_at"]))):
            body, at = _CODE.sub(" ", text.get("body") or ""), _moment(text, "created_at")
            for repo, number in (*_NAMED.findall(body), *_ADDRESS.findall(body)):
                source = (str(issue["repo"]), int(issue["number"]))
                if (repo or issue["repo"]).lower() == full_name.lower() and (repo or source[1] != int(number)):
                    event = Event("cross-referenced", at, source=source)
                    found.setdefault(int(number), {}).setdefault(source, event)
    return {number: tuple(sorted(events.values(), key=lambda one: one.at)) for number, events in found.items()}


def _moment(row: Row, *names: str) -> datetime:
    said = next(row[name] for name in names if row.get(name))
    return datetime.fromisoformat(said).astimezone(UTC)


def _committed(git_dir: Path, sha: str) -> datetime | None:
    epoch = _git(git_dir, "show", "-s", "--format=%ct", sha)
    return datetime.fromtimestamp(int(epoch), UTC) if epoch else None


def _git(git_dir: Path, *args: str) -> str:
    """Ask git; an answer that it cannot give is empty."""
    command = ["git", f"--git-dir={git_dir}", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
