"""What a GraphQL query can reach of a repository's code: refs, commits and releases."""

from functools import cached_property
from typing import Any
from urllib.parse import quote

from evals.github_server.connection import Connection
from evals.github_server.diffs import FileDiff
from evals.github_server.filenodes import FileNode, file_node
from evals.github_server.hub import Hosted
from evals.github_server.nodes import Actor, Context, actor, missing
from evals.github_server.objects import CommitObject, Signature
from evals.github_server.shapes import first_day, node_id
from evals.github_server.wire import parse_time, stamp
from evals.worlds.model import Issue, Pull, Release


class RefNode:
    """A branch or tag."""

    def __init__(self, context: Context, hosted: Hosted, full: str) -> None:
        self.prefix = full[: full.index("/", len("refs/")) + 1]
        self.name = full.removeprefix(self.prefix)
        self.id = node_id("Ref", full)
        self.repository = context.nodes.repository(context, hosted)
        sha = hosted.git.view.peeled.get(full) or hosted.git.view.refs[full]
        self.target = context.nodes.commit(context, hosted, sha)


class RepositoryNode:
    """A repository."""

    is_fork = is_private = False

    def __init__(self, context: Context, hosted: Hosted) -> None:
        self.context, self.hosted = context, hosted
        self.id, self.database_id = node_id("Repository", hosted.repo.id), hosted.repo.id
        self.name, self.name_with_owner = hosted.repo.name, hosted.full_name
        self.url = f"{context.web}/{hosted.full_name}"

    @property
    def created_at(self) -> str:
        """When it began."""
        return stamp(first_day(self.hosted))

    @property
    def owner(self) -> Actor | None:
        """Whose it is."""
        return actor(self.context, self.hosted.repo.owner)

    @property
    def default_branch_ref(self) -> RefNode | None:
        """The default branch; null while the repository is empty."""
        return self.ref(f"refs/heads/{self.hosted.repo.default_branch}")

    def ref(self, qualified_name: str) -> RefNode | None:
        """Find a branch or tag."""
        known = self.hosted.git.view.refs
        names = (qualified_name, f"refs/heads/{qualified_name}", f"refs/tags/{qualified_name}")
        found = next((name for name in names if name.startswith("refs/") and name in known), None)
        return RefNode(self.context, self.hosted, found) if found else None

    def object(self, oid: str | None = None, expression: str | None = None) -> "CommitNode | FileNode | None":
        """Find a commit, or what a commit has at a path; what is not there is null without an error."""
        wanted = oid if oid is not None else (expression or "")
        revision, colon, path = wanted.partition(":")
        sha = self.hosted.git.resolve(revision) if revision else None
        if sha and colon:
            return file_node(self.context, self.hosted, sha, path)
        return commit_node(self.context, self.hosted, sha)

    def issue(self, number: int) -> Any:
        """Find an issue."""
        return self._thread(number, "an Issue", Issue)

    def pull_request(self, number: int) -> Any:
        """Find a pull request."""
        return self._thread(number, "a PullRequest", Pull)

    def issue_or_pull_request(self, number: int) -> Any:
        """Find either."""
        return self._thread(number, "an issue or pull request", (Issue, Pull))

    def _thread(self, number: int, kind: str, wanted: Any) -> Any:
        found = self.context.hub.thread(self.hosted.full_name, number)
        if found is None or not isinstance(found[1], wanted):
            raise missing(kind, f"number of {number}")
        return self.context.nodes.thread(self.context, *found)

    def issues(self, **arguments: Any) -> Connection:
        """List issues, without pull requests."""
        return self.context.nodes.issues(self.context, self.hosted, **arguments)

    def pull_requests(self, **arguments: Any) -> Connection:
        """List pull requests."""
        return self.context.nodes.pulls(self.context, self.hosted, self.hosted.pulls, **arguments)

    def releases(self, order_by: dict[str, str] | None = None, **page: Any) -> Connection:
        """List published releases, newest first unless told otherwise."""
        shown = self.hosted.releases()
        if order_by and order_by["field"] == "NAME":
            shown.sort(key=lambda release: release.name, reverse=order_by["direction"] == "DESC")
        elif order_by and order_by["direction"] == "ASC":
            shown.reverse()
        return Connection(shown, lambda release: ReleaseNode(self, release), **page)


class GitActorNode:
    """A name in a commit."""

    def __init__(self, context: Context, signature: Signature) -> None:
        self.name, self.email, self.date = signature.name, signature.email, stamp(signature.at)
        account = context.hub.account(signature)
        # An app is no user, so its commits have none.
        self.user = Actor(context, account) if account and not account.bot else None


class CommitNode:
    """A commit."""

    typename = "Commit"

    def __init__(self, context: Context, hosted: Hosted, found: CommitObject) -> None:
        self.context, self.hosted, self._found = context, hosted, found
        self.oid, self.abbreviated_oid, self.id = found.sha, found.sha[:7], node_id("Commit", found.sha)
        self.message = found.message
        self.message_headline, _, rest = found.message.partition("\n")
        self.message_body = rest.strip("\n")
        self.authored_date, self.committed_date = stamp(found.author.at), stamp(found.committer.at)
        self.url = self.commit_url = f"{context.web}/{hosted.full_name}/commit/{found.sha}"

    @property
    def repository(self) -> RepositoryNode:
        """Where the commit is."""
        return RepositoryNode(self.context, self.hosted)

    @property
    def author(self) -> GitActorNode:
        """Who wrote it."""
        return GitActorNode(self.context, self._found.author)

    @property
    def committer(self) -> GitActorNode:
        """Who committed it."""
        return GitActorNode(self.context, self._found.committer)

    @cached_property
    def _files(self) -> tuple[FileDiff, ...]:
        parents = self._found.parents
        return self.hosted.git.diff(parents[0] if parents else None, self.oid)

    @property
    def additions(self) -> int:
        """Lines added, against the first parent."""
        return sum(entry.additions for entry in self._files)

    @property
    def deletions(self) -> int:
        """Lines deleted, against the first parent."""
        return sum(entry.deletions for entry in self._files)

    @property
    def changed_files_if_available(self) -> int:
        """Files changed, against the first parent."""
        return len(self._files)

    def _commits(self, shas: Any, **page: Any) -> Connection:
        return Connection(shas, lambda sha: commit_node(self.context, self.hosted, sha), **page)

    def parents(self, **page: Any) -> Connection:
        """List the parents."""
        return self._commits(self._found.parents, **page)

    def history(
        self, path: str | None = None, since: str | None = None, until: str | None = None, **page: Any
    ) -> Connection:
        """List what the commit reaches, itself first."""
        history = self.hosted.git.history(self.oid, path or None)
        low = parse_time(since, "Commit", "since").timestamp() if since else float("-inf")
        high = parse_time(until, "Commit", "until").timestamp() if until else float("inf")
        pairs = zip(history.shas, history.times, strict=True)
        return self._commits([sha for sha, at in pairs if low <= at <= high], **page)

    def associated_pull_requests(self, order_by: dict[str, str] | None = None, **page: Any) -> Connection:
        """List the pull requests that brought the commit."""
        pulls = self.hosted.pulls_of(self.oid)
        return self.context.nodes.pulls(self.context, self.hosted, pulls, order_by=order_by, **page)


def commit_node(context: Context, hosted: Hosted, sha: str | None) -> CommitNode | None:
    """Show a commit; None if it is not there."""
    found = hosted.git.commit(sha) if sha else None
    return CommitNode(context, hosted, found) if found else None


class ReleaseNode:
    """A release."""

    def __init__(self, repository: RepositoryNode, found: Release) -> None:
        self.author = actor(repository.context, found.author)
        self.created_at, self.updated_at = stamp(found.created_at), stamp(found.published_at or found.created_at)
        self.published_at = stamp(found.published_at) if found.published_at else None
        self.database_id, self.id = found.id, node_id("Release", found.id)
        self.description, self.name, self.tag_name = found.body, found.name, found.tag
        self.is_draft, self.is_prerelease = found.draft, found.prerelease
        self.is_latest = found == repository.hosted.latest_release()
        self.tag_commit = repository.object(oid=found.commit)
        self.url = f"{repository.url}/releases/tag/{quote(found.tag)}"
