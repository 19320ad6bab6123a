"""The repositories of a server with their threads, which push each one shows, and a request about one of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from starlette.requests import Request

from agent.domain.base import InputError
from evals.github_server.git_store import Commit, GitStore
from evals.github_server.responses import Refusal, not_found
from evals.worlds.model import Issue, Pull, Release, Repo

Thread = Issue | Pull


class Repository:
    """One repository as it is served."""

    def __init__(self, repo: Repo, folder: Path, now: datetime | None) -> None:
        self.repo = repo
        self.full_name = repo.full_name
        self.git = GitStore(repo, folder)
        self._now = now
        threads: tuple[Thread, ...] = (*repo.issues, *repo.pulls)
        self._threads = {thread.number: thread for thread in threads if now is None or thread.created_at <= now}
        self._bringing: dict[str, list[Pull]] = {}
        for pull in self._threads.values():
            if isinstance(pull, Pull):
                for sha in {pull.merge_commit, *pull.commits} - {None}:
                    self._bringing.setdefault(str(sha), []).append(pull)
        self.show(self._first_push())

    def _first_push(self) -> int | None:
        if not self.repo.pushes:
            return None
        done = [i for i, push in enumerate(self.repo.pushes) if self._now is None or push.at <= self._now]
        return done[-1] if done else 0

    def show(self, push: int | None) -> None:
        """Let the default branch stand where a push left it."""
        if push is not None and not -len(self.repo.pushes) <= push < len(self.repo.pushes):
            raise InputError(f"{self.full_name} has {len(self.repo.pushes)} pushes, there is no push {push}")
        self.git.show(push)

    @property
    def tip(self) -> str:
        """The head of the default branch; an empty repository is refused as GitHub refuses it."""
        if (tip := self.git.tip) is None:
            raise Refusal(409, "Git Repository is empty.")
        return tip

    def commit(self, name: str) -> Commit:
        """Find a commit by anything that names it."""
        if self.tip and (found := self.git.resolve(name)) is not None:
            return found
        raise Refusal(422, f"No commit found for SHA: {name}")

    def thread(self, number: int) -> Thread:
        """Find an issue or pull request; a deleted issue is gone (410)."""
        found = self._threads.get(number)
        if found is None:
            raise not_found()
        if isinstance(found, Issue) and found.deleted:
            raise Refusal(410, "This issue was deleted")
        return found

    def threads(self) -> list[Thread]:
        """List all threads that were not deleted."""
        return [thread for thread in self._threads.values() if not (isinstance(thread, Issue) and thread.deleted)]

    def releases(self) -> list[Release]:
        """List the published releases, newest first by the date of their commit, as GitHub sorts them."""
        shown = [
            release
            for release in self.repo.releases
            if not release.draft and release.published_at and (self._now is None or release.published_at <= self._now)
        ]
        return sorted(shown, key=lambda release: (release.created_at, release.id), reverse=True)

    def pulls_of(self, sha: str) -> list[Pull]:
        """Find the pull requests that brought a commit: on the default branch only merged ones count."""
        having = self._bringing.get(sha, [])
        landed = bool(having) and self.git.tip is not None and sha in self.git.history(self.git.tip)
        wanted = [pull for pull in having if pull.merged_at or (not landed and pull.state == "open")]
        return sorted(wanted, key=lambda pull: (pull.created_at, pull.number))


class Hub:
    """All repositories of a server."""

    def __init__(self, repos: Iterable[Repo], folder: Path, now: datetime | None) -> None:
        self._by_name: dict[str, Repository] = {}
        self._by_former_name: dict[str, Repository] = {}
        self._by_id: dict[int, Repository] = {}
        for index, repo in enumerate(repos):
            hosted = Repository(repo, folder / f"{index}.git", now)
            self._by_name[repo.full_name.lower()] = self._by_id[repo.id] = hosted
            self._by_former_name.update({name.lower(): hosted for name in repo.former_names})

    def __iter__(self) -> Iterator[Repository]:
        """Go through the repositories in the order they were given."""
        return iter(self._by_name.values())

    def close(self) -> None:
        """End every process of git."""
        for repository in self:
            repository.git.close()

    def named(self, full_name: str) -> Repository | None:
        """Find a repository by its present name."""
        return self._by_name.get(full_name.lower())

    def renamed(self, full_name: str) -> Repository | None:
        """Find a repository by a name it had before."""
        return self._by_former_name.get(full_name.lower())

    def numbered(self, identifier: int) -> Repository | None:
        """Find a repository by its id."""
        return self._by_id.get(identifier)

    def thread(self, full_name: str, number: int) -> tuple[Repository, Thread] | None:
        """Find a thread of any repository; None if it is not here or was deleted."""
        repository = self.named(full_name) or self.renamed(full_name)
        if repository is None:
            return None
        try:
            return repository, repository.thread(number)
        except Refusal:
            return None


@dataclass(frozen=True)
class Call:
    """One REST request about one repository."""

    request: Request
    repository: Repository
    api: str
    """The address under which this client reaches the API; every link leads back to it."""
    tail: str
    """What follows the repository in the path, as the client wrote it."""

    @property
    def here(self) -> str:
        """The repository's address in the API."""
        return f"{self.api}/repos/{self.repository.full_name}"

    @property
    def address(self) -> str:
        """The request's own address as Link headers have it: by the repository's id, which never changes."""
        return f"{self.api}/repositories/{self.repository.repo.id}{self.tail}"

    def query(self, name: str) -> str | None:
        """Read a query parameter; an empty one is as good as none."""
        return self.request.query_params.get(name) or None

    def number(self) -> int:
        """Read the number of a thread from the path."""
        return int(self.request.path_params["number"])
