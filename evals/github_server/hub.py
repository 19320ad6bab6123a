"""Everything the server knows: the repositories with their threads, the people, and which push each one shows."""

import threading
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from agent.errors import InputError
from evals.github_server.gitstore import GitStore
from evals.github_server.objects import Signature
from evals.github_server.view import View
from evals.github_server.wire import Refusal, not_found
from evals.worlds.model import Issue, Pull, Release, Repo, User

Thread = Issue | Pull


class Hosted:
    """One repository as it is served."""

    def __init__(self, repo: Repo, folder: Path, now: datetime | None) -> None:
        self.repo = repo
        self.git = GitStore(View(repo, folder))
        self._now = now
        threads: tuple[Thread, ...] = (*repo.issues, *repo.pulls)
        self.threads = {thread.number: thread for thread in threads if now is None or thread.created_at <= now}
        self.pulls = [thread for thread in self.threads.values() if isinstance(thread, Pull)]
        self._bringing: dict[str, list[Pull]] = {}
        for pull in self.pulls:
            for sha in {pull.merge_commit, *pull.commits} - {None}:
                self._bringing.setdefault(str(sha), []).append(pull)
        self.show(self._first_push())

    def _first_push(self) -> int | None:
        done = [i for i, push in enumerate(self.repo.pushes) if self._now is None or push.at <= self._now]
        if self.repo.pushes and not done:
            return 0
        return done[-1] if done else None

    def show(self, push: int | None) -> None:
        """Let the default branch stand where a push left it."""
        if push is not None and not -len(self.repo.pushes) <= push < len(self.repo.pushes):
            raise InputError(f"{self.repo.full_name} has {len(self.repo.pushes)} pushes, there is no push {push}")
        self.push = push
        self.git.view.show(push)

    @property
    def full_name(self) -> str:
        """The repository as people write it."""
        return self.repo.full_name

    @property
    def tip(self) -> str:
        """The head of the default branch; an empty repository is refused as GitHub refuses it."""
        if (tip := self.git.view.tip) is None:
            raise Refusal(409, "Git Repository is empty.")
        return tip

    def on_default_branch(self, sha: str) -> bool:
        """Tell whether the default branch has the commit."""
        return self.git.view.tip is not None and sha in self.git.history(self.tip).members

    def thread(self, number: int) -> Thread:
        """Find an issue or pull request."""
        found = self.threads.get(number)
        if found is None:
            raise not_found()
        if isinstance(found, Issue) and found.deleted:
            raise Refusal(410, "This issue was deleted")
        return found

    def pull(self, number: int) -> Pull:
        """Find a pull request."""
        found = self.threads.get(number)
        if not isinstance(found, Pull):
            raise not_found()
        return found

    def living(self) -> list[Thread]:
        """List all threads that were not deleted."""
        return [thread for thread in self.threads.values() if not (isinstance(thread, Issue) and thread.deleted)]

    def releases(self) -> list[Release]:
        """List the published releases, newest first by the date of their commit, as GitHub sorts them."""
        shown = [
            release
            for release in self.repo.releases
            if not release.draft and release.published_at and (self._now is None or release.published_at <= self._now)
        ]
        return sorted(shown, key=lambda release: (release.created_at, release.id), reverse=True)

    def latest_release(self) -> Release | None:
        """Find the newest release that is not a pre-release."""
        return next((release for release in self.releases() if not release.prerelease), None)

    def pulls_of(self, sha: str) -> list[Pull]:
        """Find the pull requests that brought a commit: on the default branch only merged ones count."""
        having = self._bringing.get(sha, [])
        landed = bool(having) and self.on_default_branch(sha)
        wanted = [pull for pull in having if pull.merged_at or (not landed and pull.state == "open")]
        return sorted(wanted, key=lambda pull: pull.number)


class Hub:
    """All repositories of a server."""

    def __init__(self, repos: Iterable[Repo], folder: Path, now: datetime | None) -> None:
        self._by_name: dict[str, Hosted] = {}
        self._former: dict[str, Hosted] = {}
        self._by_id: dict[int, Hosted] = {}
        self._people: dict[str, User] = {}
        self._addresses: dict[str, User] = {}
        self.lock = threading.Lock()
        for index, repo in enumerate(repos):
            hosted = Hosted(repo, folder / f"{index}.git", now)
            self._by_name[repo.full_name.lower()] = self._by_id[repo.id] = hosted
            self._former.update({name.lower(): hosted for name in repo.former_names})
            self._people.update({user.login.lower(): user for user in repo.users})
            self._addresses.update({user.email.lower(): user for user in repo.users})

    def __iter__(self) -> Iterator[Hosted]:
        """Go through the repositories in the order they were given."""
        return iter(self._by_name.values())

    def close(self) -> None:
        """End every process of git."""
        for hosted in self:
            hosted.git.close()

    def named(self, full_name: str) -> Hosted | None:
        """Find a repository by its present name."""
        return self._by_name.get(full_name.lower())

    def renamed(self, full_name: str) -> Hosted | None:
        """Find a repository by a name it had before."""
        return self._former.get(full_name.lower())

    def numbered(self, identifier: int) -> Hosted | None:
        """Find a repository by its id."""
        return self._by_id.get(identifier)

    def person(self, login: str) -> User:
        """Find an account; one that no repository lists is made up from its login."""
        known = self._people.get(login.lower())
        return known or User(login, login, f"{login}@users.noreply.github.com", bot=login.endswith("[bot]"))

    def account(self, signature: Signature) -> User | None:
        """Find whose account a commit's address belongs to."""
        address = signature.email.lower()
        if address in self._addresses:
            return self._addresses[address]
        local, _, domain = address.partition("@")
        return self._people.get(local.rpartition("+")[2]) if domain == "users.noreply.github.com" else None

    def thread(self, full_name: str, number: int) -> tuple[Hosted, Thread] | None:
        """Find a thread of any repository; None if it is not here or was deleted."""
        hosted = self.named(full_name) or self.renamed(full_name)
        thread = hosted.threads.get(number) if hosted else None
        if hosted is None or thread is None or (isinstance(thread, Issue) and thread.deleted):
            return None
        return hosted, thread

    def closers(self, hosted: Hosted, number: int) -> list[tuple[Hosted, Pull]]:
        """Find the pull requests, of any repository, whose closing references name an issue."""
        names = {name.lower() for name in (hosted.full_name, *hosted.repo.former_names)}
        return [
            (other, pull)
            for other in self
            for pull in other.pulls
            if any(name.lower() in names and wanted == number for name, wanted in pull.closes)
        ]


def number_of(text: str) -> int:
    """Give a stable number to something that has only a name."""
    return zlib.crc32(text.lower().encode()) or 1
