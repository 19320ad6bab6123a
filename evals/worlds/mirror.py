"""A real bare mirror, with whatever is known of its threads, in the shape of a world's repository."""

import hashlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.worlds.model import Comment, Event, Issue, Pull, Push, Repo, User

_NOBODY = "0" * 40
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{0,500}`", re.DOTALL)
_NAMED = re.compile(r"(?<![\w/#&.-])([\w-]{1,39}/[\w.-]{1,100})?#([1-9]\d{0,8})\b", re.ASCII)
_ADDRESS = re.compile(r"https?://github\.com/([\w-]{1,39}/[\w.-]{1,100})/pull/([1-9]\d{0,8})\b", re.ASCII)


def repo_from_mirror(full_name: str, git_dir: Path, threads: Sequence[Mapping[str, Any]]) -> Repo:
    """Wrap a mirror; of the threads, those of this repository count, as far as their fields are given.

    A thread has `repo`, `kind` (`issue` or `pull`), `number`, `title`, `created_at` and may have `state`, `author`,
    `closed_at`, `labels`, `body`, `state_reason`, `comments`, for issues `closed_by` (the number of a pull request),
    for pulls `merged`, `merged_at`, `merge_commit_sha`, `base`, `closes` (numbers). Which issues name a pull is read
    from the texts of all threads, as GitHub does.
    """
    owner, _, name = full_name.partition("/")
    branch = _branch(git_dir)
    tip = _git(git_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    mine = [thread for thread in threads if thread["repo"] == full_name]
    naming = _cross_references(full_name, threads)
    pulls = tuple(_pull(full_name, git_dir, branch, one, naming) for one in mine if one["kind"] == "pull")
    issues = tuple(_issue(one) for one in mine if one["kind"] == "issue")
    said = [*mine, *(comment for one in mine for comment in one.get("comments") or ())]
    logins = sorted({str(one["author"]) for one in said if one.get("author")})
    users = tuple(User(login, login, f"{login}@users.noreply.github.com") for login in logins)
    number = int.from_bytes(hashlib.sha256(full_name.encode()).digest()[:4], "big")
    moved = _committed(git_dir, tip) if tip else None
    pushes = (Push(moved, tip),) if moved else ()
    return Repo(number, owner, name, branch, git_dir, users, issues, pulls, (), pushes)


def _issue(thread: Mapping[str, Any]) -> Issue:
    created, state = _moment(thread, "created_at"), thread.get("state", "open")
    closed = _moment(thread, "closed_at", "created_at") if state == "closed" else None
    comments = _comments(thread)
    return Issue(
        thread["number"],
        thread["title"],
        thread.get("body") or "",
        thread.get("author"),
        created,
        max([closed or created, *(one.created_at for one in comments)]),
        state=state,
        state_reason=thread.get("state_reason") or ("completed" if closed else None),
        closed_at=closed,
        labels=tuple(thread.get("labels") or ()),
        comments=comments,
        events=_closing(thread, closed) if closed else (),
    )


def _closing(thread: Mapping[str, Any], closed: datetime) -> tuple[Event, ...]:
    """Record what closed an issue: a pull request, or somebody by hand."""
    by = thread.get("closed_by")
    source = (str(thread["repo"]), int(by)) if by else None
    reason = thread.get("state_reason") or "completed"
    return (Event(thread["number"], "closed", None, closed, source=source, state_reason=reason),)


def _comments(thread: Mapping[str, Any]) -> tuple[Comment, ...]:
    said = thread.get("comments") or ()
    return tuple(
        Comment(thread["number"] * 1_000 + place, one.get("author"), one["body"], _moment(one, "created_at"))
        for place, one in enumerate(said)
    )


def _cross_references(full_name: str, threads: Sequence[Mapping[str, Any]]) -> dict[int, tuple[Event, ...]]:
    """Record for each number of a repository which issues name it in their texts, each once, by when they do."""
    found: dict[int, dict[tuple[str, int], Event]] = {}
    for issue in (one for one in threads if one["kind"] == "issue"):
        for text in (issue, *sorted(issue.get("comments") or (), key=lambda one: str(one["created_at"]))):
            body, at = _CODE.sub(" ", text.get("body") or ""), _moment(text, "created_at")
            for repo, number in (*_NAMED.findall(body), *_ADDRESS.findall(body)):
                source = (str(issue["repo"]), int(issue["number"]))
                if (repo or issue["repo"]).lower() == full_name.lower() and (repo or source[1] != int(number)):
                    event = Event(source[1], "cross-referenced", text.get("author"), at, source=source)
                    found.setdefault(int(number), {}).setdefault(source, event)
    return {number: tuple(sorted(events.values(), key=lambda one: one.at)) for number, events in found.items()}


def _pull(
    full_name: str,
    git_dir: Path,
    branch: str,
    thread: Mapping[str, Any],
    naming: Mapping[int, tuple[Event, ...]],
) -> Pull:
    created, state = _moment(thread, "created_at"), thread.get("state", "open")
    landed = thread.get("merge_commit_sha")
    closed = _moment(thread, "closed_at", "created_at") if state == "closed" else None
    known = _moment(thread, "merged_at") if thread.get("merged_at") else closed
    merged = ((landed and _committed(git_dir, landed)) or known) if thread.get("merged") else None
    return Pull(
        thread["number"],
        thread["title"],
        thread.get("body") or "",
        thread.get("author"),
        created,
        max(filter(None, (created, closed, merged))),
        base=thread.get("base") or branch,
        head_ref=f"pull-{thread['number']}",
        head_sha=landed or _NOBODY,
        head_repo=None,
        state=state,
        closed_at=merged or closed,
        merged_at=merged,
        merge_commit=landed,
        labels=tuple(thread.get("labels") or ()),
        commits=(landed,) if landed else (),
        closes=tuple((full_name, number) for number in thread.get("closes") or ()),
        comments=_comments(thread),
        events=naming.get(thread["number"], ()),
    )


def _moment(thread: Mapping[str, Any], *names: str) -> datetime:
    said = next(thread[name] for name in names if thread.get(name))
    return datetime.fromisoformat(said).astimezone(UTC)


def _branch(git_dir: Path) -> str:
    head = (git_dir / "HEAD").read_text(encoding="utf-8").strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else "main"


def _committed(git_dir: Path, sha: str) -> datetime | None:
    epoch = _git(git_dir, "show", "-s", "--format=%ct", sha)
    return datetime.fromtimestamp(int(epoch), UTC) if epoch else None


def _git(git_dir: Path, *args: str) -> str:
    """Ask git; an answer that it cannot give is empty."""
    command = ["git", f"--git-dir={git_dir}", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
