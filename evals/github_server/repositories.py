"""The repositories of a server with their threads, and a request about one of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request

from agent.domain.errors import InputError
from evals.github_server.git_store import GitStore, StoredCommit
from evals.github_server.http_responses import ListPage, Refusal, not_found
from evals.worlds.data_model import (
    Pull,
    Repo,
    WorldComment,
    WorldIssue,
    WorldRelease,
    WorldThread,
)


class ServedRepository:
    """One repository as it is served."""

    def __init__(self, repo: Repo, folder: Path, now: datetime | None) -> None:
        self.repo = repo
        self.full_name = repo.full_name
        self.git = GitStore(repo, folder)
        self.move_to(now)

    def move_to(self, now: datetime | None) -> None:
        """Make a moment the present: later pushes have not happened, later threads do not exist."""
        self._now = now
        self._threads: dict[int, WorldThread] = {}
        self._pulls_by_commit: dict[str, list[Pull]] = {}
        for thread in (*self.repo.issues, *self.repo.pulls):
            if self._is_past(thread.created_at):
                self._add(thread)
        self.show(self._present_push())

    def _add(self, thread: WorldThread) -> None:
        self._threads[thread.number] = thread
        if not isinstance(thread, Pull):
            return
        for sha in {thread.merge_commit, *thread.commits}:
            if sha is not None:
                self._pulls_by_commit.setdefault(sha, []).append(thread)

    def _present_push(self) -> int | None:
        """Return the index of the last push that has happened, or of the first; None without any."""
        if not self.repo.pushes:
            return None
        done = [index for index, push in enumerate(self.repo.pushes) if self._is_past(push.at)]
        return done[-1] if done else 0

    def _is_past(self, moment: datetime) -> bool:
        return self._now is None or moment <= self._now

    def show(self, push: int | None) -> None:
        """Move the default branch to where a push left it."""
        count = len(self.repo.pushes)
        if push is not None and not -count <= push < count:
            raise InputError(f"{self.full_name} has {count} pushes, there is no push {push}")
        self.git.show(push)

    @property
    def tip(self) -> str:
        """The tip of the default branch; an empty repository is refused as GitHub refuses it."""
        tip = self.git.tip
        if tip is None:
            raise Refusal(409, "Git Repository is empty.")
        return tip

    def commit(self, name: str) -> StoredCommit:
        """Return the commit that a branch, a tag or a hash names; refuse an empty repository."""
        commit = self.git.resolve(name) if self.tip else None
        if commit is None:
            raise Refusal(422, f"No commit found for SHA: {name}")
        return commit

    def find(self, number: int) -> WorldThread | None:
        """Return an issue or pull request that exists and was not deleted."""
        thread = self._threads.get(number)
        if isinstance(thread, WorldIssue) and thread.deleted:
            return None
        return thread

    def threads(self) -> list[WorldThread]:
        """List all threads that were not deleted."""
        return [thread for number, thread in self._threads.items() if self.find(number)]

    def thread(self, number: int) -> WorldThread:
        """Return a thread, or refuse the request: 404 for an unknown one, 410 for a deleted one."""
        if number not in self._threads:
            raise not_found()
        thread = self.find(number)
        if thread is None:
            raise Refusal(410, "This issue was deleted")
        return thread

    def add_comment(self, number: int, author: str, body: str) -> WorldComment:
        """Add a comment below a thread."""
        thread = self.thread(number)
        comment_ids = [0]
        for other in self._threads.values():
            comment_ids += [comment.id for comment in other.comments]
        comment = WorldComment(max(comment_ids) + 1, author, body, thread.updated_at)
        self._threads[number] = replace(thread, comments=(*thread.comments, comment))
        return comment

    def edit_comment(self, identifier: int, body: str) -> WorldComment:
        """Replace the text of a comment, or refuse the request if there is none."""
        for number, thread in self._threads.items():
            for index, comment in enumerate(thread.comments):
                if comment.id == identifier:
                    edited = replace(comment, body=body)
                    comments = (*thread.comments[:index], edited, *thread.comments[index + 1 :])
                    self._threads[number] = replace(thread, comments=comments)
                    return edited
        raise not_found()

    def releases(self) -> list[WorldRelease]:
        """List the published releases, newest commit first, as GitHub sorts them."""
        published = []
        for release in self.repo.releases:
            if release.draft or release.published_at is None:
                continue
            if self._is_past(release.published_at):
                published.append(release)
        return sorted(published, key=lambda release: (release.created_at, release.id), reverse=True)

    def pulls_of(self, sha: str) -> list[Pull]:
        """List the pull requests with a commit; once it has landed, only the merged ones."""
        pulls = self._pulls_by_commit.get(sha, [])
        if not pulls:
            return []
        tip = self.git.tip
        landed = tip is not None and sha in self.git.history(tip)
        associated = []
        for pull in pulls:
            if pull.merged_at or (pull.state == "open" and not landed):
                associated.append(pull)
        return sorted(associated, key=lambda pull: (pull.created_at, pull.number))


class FoundThread(NamedTuple):
    """A thread and the repository that it belongs to."""

    repository: ServedRepository
    thread: WorldThread


class Hub:
    """All repositories of a server."""

    def __init__(self, repos: Iterable[Repo], folder: Path, now: datetime | None) -> None:
        self._hosted: list[ServedRepository] = []
        for index, repo in enumerate(repos):
            self._hosted.append(ServedRepository(repo, folder / f"{index}.git", now))
        self._by_name: dict[str, ServedRepository] = {}
        for repository in self._hosted:
            for name in repository.repo.former_names:
                self._by_name[name.lower()] = repository
        for repository in self._hosted:
            self._by_name[repository.full_name.lower()] = repository

    def __iter__(self) -> Iterator[ServedRepository]:
        """Iterate over the repositories in the order in which they were given."""
        return iter(self._hosted)

    def close(self) -> None:
        """End every process of git."""
        for repository in self:
            repository.git.close()

    def named(self, full_name: str) -> ServedRepository | None:
        """Return a repository by its name or a former one."""
        return self._by_name.get(full_name.lower())

    def numbered(self, identifier: int) -> ServedRepository | None:
        """Return a repository by its id."""
        for repository in self:
            if repository.repo.id == identifier:
                return repository
        return None

    def thread(self, full_name: str, number: int) -> FoundThread | None:
        """Return a thread of any repository; None if it is not here or was deleted."""
        repository = self.named(full_name)
        if repository is None:
            return None
        thread = repository.find(number)
        return FoundThread(repository, thread) if thread else None


@dataclass(frozen=True)
class RestCall:
    """One REST request about one repository."""

    request: Request
    repository: ServedRepository
    api: str  # The address of the API, with which every link begins
    tail: str  # What follows the repository in the path, as the client wrote it

    @property
    def here(self) -> str:
        """The repository's address in the API."""
        return f"{self.api}/repos/{self.repository.full_name}"

    def page(self, default: int = 30) -> ListPage:
        """Return the requested page of a list; links use the repository's id, which never changes."""
        address = f"{self.api}/repositories/{self.repository.repo.id}{self.tail}"
        return ListPage(self.request, address, default)

    def query(self, name: str) -> str | None:
        """Return a query parameter; None if it is empty or missing."""
        return self.request.query_params.get(name) or None

    def thread(self) -> WorldThread:
        """Return the thread whose number is in the path."""
        return self.repository.thread(int(self.request.path_params["number"]))
