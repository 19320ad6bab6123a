"""Threads of a mirror: issues and pull requests from a file, as they were at a moment."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from agent.domain.errors import UsageError
from evals.worlds.data_model import Pull, Repo, WorldComment, WorldIssue
from evals.worlds.worlds import repo_from_mirror


class FiledComment(BaseModel):
    """A comment below a thread."""

    author: str | None = None
    body: str
    created_at: datetime


class FiledThread(BaseModel):
    """What the file says of every thread."""

    repo: str
    number: int
    title: str
    body: str = ""
    author: str | None = None
    created_at: datetime
    state: Literal["open", "closed"] = "open"
    closed_at: datetime | None = None
    labels: list[str] = Field(default_factory=list)
    comments: list[FiledComment] = Field(default_factory=list)

    def comments_until(self, moment: datetime) -> tuple[WorldComment, ...]:
        """Return the comments that had been written."""
        comments = []
        for number, comment in enumerate(self.comments, start=1):
            if comment.created_at <= moment:
                identifier = self.number * 1_000 + number
                comments.append(
                    WorldComment(identifier, comment.author, comment.body, comment.created_at)
                )
        return tuple(comments)

    def closing(self, moment: datetime) -> "_Closing":
        """Return when it had been closed, if it had; without a time it was closed from the start."""
        if self.state == "open":
            return _Closing("open", None)
        closed_at = self.closed_at or self.created_at
        return _Closing("closed", closed_at) if closed_at <= moment else _Closing("open", None)

    def updated_at(self, moment: datetime) -> datetime:
        """Return when it had last been written to, opened or closed."""
        times = [self.created_at]
        times += [comment.created_at for comment in self.comments_until(moment)]
        closed_at = self.closing(moment).at
        if closed_at is not None:
            times.append(closed_at)
        return max(times)


class _Closing(NamedTuple):
    state: str
    at: datetime | None


class FiledIssue(FiledThread):
    """An issue."""

    kind: Literal["issue"]
    state_reason: str | None = None

    def at(self, moment: datetime) -> WorldIssue:
        """Return the issue as it was."""
        closing = self.closing(moment)
        return WorldIssue(
            number=self.number,
            title=self.title,
            body=self.body,
            author=self.author,
            created_at=self.created_at,
            updated_at=self.updated_at(moment),
            state=closing.state,
            closed_at=closing.at,
            labels=tuple(self.labels),
            comments=self.comments_until(moment),
            state_reason=self.state_reason if closing.at else None,
        )


class FiledPull(FiledThread):
    """A pull request."""

    kind: Literal["pull"]
    merged: bool = False
    merged_at: datetime | None = None
    merge_commit_sha: str | None = None
    closes: list[tuple[str, int]] = Field(default_factory=list)
    """The issues that GitHub lists as those that it closes: `owner/name` and number."""

    def at(self, moment: datetime) -> Pull:
        """Return the pull request as it was."""
        closing = self.closing(moment)
        is_merged = self.merged and closing.at is not None
        merge_commit = self.merge_commit_sha if is_merged else None
        return Pull(
            number=self.number,
            title=self.title,
            body=self.body,
            author=self.author,
            created_at=self.created_at,
            updated_at=self.updated_at(moment),
            state=closing.state,
            closed_at=closing.at,
            labels=tuple(self.labels),
            comments=self.comments_until(moment),
            merged_at=(self.merged_at or closing.at) if is_merged else None,
            merge_commit=merge_commit,
            commits=(merge_commit,) if merge_commit else (),
            closes=tuple(self.closes),
        )


_THREADS = TypeAdapter(list[Annotated[FiledIssue | FiledPull, Field(discriminator="kind")]])


class ThreadFile:
    """The threads of a file."""

    def __init__(self, path: Path) -> None:
        try:
            self._threads = _THREADS.validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise UsageError(f"the threads in {path} cannot be read: {error}") from error

    def repository(self, full_name: str, git_dir: Path, moment: datetime) -> Repo:
        """Return a mirror with its threads as they were at a moment."""
        threads = list(self._of(full_name, moment))
        issues = [thread.at(moment) for thread in threads if isinstance(thread, FiledIssue)]
        pulls = [thread.at(moment) for thread in threads if isinstance(thread, FiledPull)]
        mirror = repo_from_mirror(full_name, git_dir, tuple(issues))
        return replace(mirror, pulls=tuple(pulls))

    def _of(self, full_name: str, moment: datetime) -> Iterator[FiledIssue | FiledPull]:
        for thread in self._threads:
            if thread.repo == full_name and thread.created_at <= moment:
                yield thread

    def missing(self, full_names: Sequence[str]) -> int:
        """Return how many threads belong to none of these repositories."""
        return sum(thread.repo not in full_names for thread in self._threads)
