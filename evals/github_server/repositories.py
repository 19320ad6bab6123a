"""The repositories of a server with their threads, which push each one shows, and a request about one of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from starlette.requests import Request

from agent.domain.base import InputError
from evals.github_server.git_store import GitStore, StoredCommit
from evals.github_server.responses import ListPage, Refusal, not_found
from evals.worlds.model import Pull, Repo, WorldIssue, WorldRelease, WorldThread


class ServedRepository:
    """One repository as it is served."""

    def __init__(self, repo: Repo, folder: Path, now: datetime | None) -> None:
        self.repo = repo
        self.full_name = repo.full_name
        self.git = GitStore(repo, folder)
        self._now = now
        threads: tuple[WorldThread, ...] = (*repo.issues, *repo.pulls)
        self._threads = {
            thread.number: thread for thread in threads if self._is_past(thread.created_at)
        }
        self._bringing: dict[str, list[Pull]] = {}
        for pull in self._threads.values():
            if isinstance(pull, Pull):
                for sha in {pull.merge_commit, *pull.commits} - {None}:
                    self._bringing.setdefault(str(sha), []).append(pull)
        done = [place for place, push in enumerate(repo.pushes) if self._is_past(push.at)]
        self.show(done[-1] if done else 0 if repo.pushes else None)

    def _is_past(self, moment: datetime) -> bool:
        return self._now is None or moment <= self._now

    def show(self, push: int | None) -> None:
        """Let the default branch stand where a push left it."""
        if push is not None and not -len(self.repo.pushes) <= push < len(self.repo.pushes):
            raise InputError(
                f"{self.full_name} has {len(self.repo.pushes)} pushes, there is no push {push}"
            )
        self.git.show(push)

    @property
    def tip(self) -> str:
        """The head of the default branch; an empty repository is refused as GitHub refuses it."""
        if (tip := self.git.tip) is None:
            raise Refusal(409, "Git Repository is empty.")
        return tip

    def commit(self, name: str) -> StoredCommit:
        """Find a commit by anything that names it."""
        if self.tip and (found := self.git.resolve(name)) is not None:
            return found
        raise Refusal(422, f"No commit found for SHA: {name}")

    def find(self, number: int) -> WorldThread | None:
        """Find an issue or pull request that was not deleted."""
        found = self._threads.get(number)
        return None if isinstance(found, WorldIssue) and found.deleted else found

    def threads(self) -> list[WorldThread]:
        """List all threads that were not deleted."""
        return [thread for number in self._threads if (thread := self.find(number)) is not None]

    def thread(self, number: int) -> WorldThread:
        """Find a thread, or refuse the request; a deleted issue is gone (410)."""
        if number not in self._threads:
            raise not_found()
        if (found := self.find(number)) is None:
            raise Refusal(410, "This issue was deleted")
        return found

    def releases(self) -> list[WorldRelease]:
        """List the published releases, newest first by the date of their commit, as GitHub sorts them."""
        published = [one for one in self.repo.releases if not one.draft and one.published_at]
        shown = [one for one in published if one.published_at and self._is_past(one.published_at)]
        return sorted(shown, key=lambda one: (one.created_at, one.id), reverse=True)

    def pulls_of(self, sha: str) -> list[Pull]:
        """Find the pull requests that brought a commit: on the default branch only merged ones count."""
        having = self._bringing.get(sha, [])
        landed = bool(having) and self.git.tip is not None and sha in self.git.history(self.git.tip)
        wanted = [
            pull for pull in having if pull.merged_at or (not landed and pull.state == "open")
        ]
        return sorted(wanted, key=lambda pull: (pull.created_at, pull.number))


class Hub:
    """All repositories of a server."""

    def __init__(self, repos: Iterable[Repo], folder: Path, now: datetime | None) -> None:
        self._hosted = [
            ServedRepository(repo, folder / f"{place}.git", now) for place, repo in enumerate(repos)
        ]
        former = {name.lower(): one for one in self._hosted for name in one.repo.former_names}
        self._by_name = former | {one.full_name.lower(): one for one in self._hosted}

    def __iter__(self) -> Iterator[ServedRepository]:
        """Go through the repositories in the order they were given."""
        return iter(self._hosted)

    def close(self) -> None:
        """End every process of git."""
        for repository in self:
            repository.git.close()

    def named(self, full_name: str) -> ServedRepository | None:
        """Find a repository by its name, or by one it had before."""
        return self._by_name.get(full_name.lower())

    def numbered(self, identifier: int) -> ServedRepository | None:
        """Find a repository by its id."""
        return next((one for one in self if one.repo.id == identifier), None)

    def thread(self, full_name: str, number: int) -> tuple[ServedRepository, WorldThread] | None:
        """Find a thread of any repository; None if it is not here or was deleted."""
        repository = self.named(full_name)
        found = repository.find(number) if repository else None
        return (repository, found) if repository and found else None


@dataclass(frozen=True)
class RestCall:
    """One REST request about one repository."""

    request: Request
    repository: ServedRepository
    api: str  # The address under which this client reaches the API; every link leads back to it
    tail: str  # What follows the repository in the path, as the client wrote it

    @property
    def here(self) -> str:
        """The repository's address in the API."""
        return f"{self.api}/repos/{self.repository.full_name}"

    def page(self, default: int = 30) -> ListPage:
        """Tell which page of a list is asked for; links lead by the repository's id, which never changes."""
        return ListPage(
            self.request, f"{self.api}/repositories/{self.repository.repo.id}{self.tail}", default
        )

    def query(self, name: str) -> str | None:
        """Read a query parameter; an empty one is as good as none."""
        return self.request.query_params.get(name) or None

    def thread(self) -> WorldThread:
        """Find the thread whose number is in the path."""
        return self.repository.thread(int(self.request.path_params["number"]))
