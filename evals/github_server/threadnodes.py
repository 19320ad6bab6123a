"""What a GraphQL query can reach of threads: issues, pull requests, their labels, comments and timelines."""

from functools import cached_property
from typing import Any

from evals.github_server.connection import Connection
from evals.github_server.diffs import FileDiff
from evals.github_server.hub import Hosted, Thread
from evals.github_server.nodes import Actor, Context, actor, place
from evals.github_server.pulls import base_sha, changed
from evals.github_server.shapes import label_colour, node_id
from evals.github_server.threads import thread_id
from evals.github_server.wire import maybe_stamp, parse_time, stamp
from evals.worlds.model import Comment, Event, Issue, Pull

_TYPES = {
    "closed": "ClosedEvent",
    "connected": "ConnectedEvent",
    "cross-referenced": "CrossReferencedEvent",
    "labeled": "LabeledEvent",
    "referenced": "ReferencedEvent",
    "reopened": "ReopenedEvent",
}


class _ThreadNode:
    """What issues and pull requests have in common."""

    kind = ""
    locked = False

    def __init__(self, context: Context, hosted: Hosted, found: Thread) -> None:
        self.context, self.hosted, self._thread = context, hosted, found
        self.typename = self.kind
        self.number, self.title, self.body = found.number, found.title, found.body
        self.created_at, self.updated_at = stamp(found.created_at), stamp(found.updated_at)
        self.closed, self.closed_at = found.state == "closed", maybe_stamp(found.closed_at)
        self.database_id = thread_id(hosted, found.number)
        self.id = node_id(self.kind, self.database_id)

    @property
    def author(self) -> Actor | None:
        """Who opened it."""
        return actor(self.context, self._thread.author)

    @property
    def repository(self) -> Any:
        """Where it is."""
        return self.context.nodes.repository(self.context, self.hosted)

    @property
    def url(self) -> str:
        """Its page."""
        place = "pull" if isinstance(self._thread, Pull) else "issues"
        return f"{self.context.web}/{self.hosted.full_name}/{place}/{self.number}"

    def labels(self, **page: Any) -> Connection:
        """List its labels."""
        return Connection(self._thread.labels, lambda name: LabelNode(self, name), **page)

    def comments(self, **page: Any) -> Connection:
        """List its comments, oldest first."""
        return Connection(self._thread.comments, lambda found: CommentNode(self, found), **page)

    def reactions(self, **page: Any) -> Connection:
        """Count its reactions."""
        return Connection(range(self._thread.reactions), lambda _: None, **page)


class LabelNode:
    """A label."""

    def __init__(self, thread: _ThreadNode, name: str) -> None:
        self.name, self.color, self.repository = name, label_colour(name), thread.repository
        self.id = node_id("Label", f"{thread.hosted.full_name}:{name}")


class CommentNode:
    """A comment."""

    typename = "IssueComment"

    def __init__(self, thread: _ThreadNode, found: Comment) -> None:
        self.author = actor(thread.context, found.author)
        self.body, self.database_id, self.id = found.body, found.id, node_id("IssueComment", found.id)
        self.created_at = self.updated_at = stamp(found.created_at)
        self.url = f"{thread.url}#issuecomment-{found.id}"


class EventNode:
    """An entry of a timeline."""

    def __init__(self, thread: _ThreadNode, found: Event) -> None:
        self._context, self._hosted, self._thread, self._event = thread.context, thread.hosted, thread, found
        self.typename = _TYPES[found.kind]
        self.id, self.created_at = node_id(self.typename, found.id), stamp(found.at)
        self.url = f"{thread.url}#event-{found.id}"
        self.state_reason = found.state_reason.upper() if found.state_reason else None
        self.will_close_target = found.will_close

    @property
    def actor(self) -> Actor | None:
        """Who did it."""
        return actor(self._context, self._event.actor)

    @property
    def label(self) -> LabelNode:
        """Which label was added."""
        return LabelNode(self._thread, self._event.label or "")

    @property
    def commit(self) -> Any:
        """The commit that closed or mentioned the thread; it may be in another repository."""
        for hosted in (self._hosted, *self._context.hub):
            if (found := self._context.nodes.commit(self._context, hosted, self._event.commit)) is not None:
                return found
        return None

    @property
    def source(self) -> Any:
        """The thread that mentions, closes or is connected with this one."""
        found = self._context.hub.thread(*self._event.source) if self._event.source else None
        return self._context.nodes.thread(self._context, *found) if found else None

    @property
    def closer(self) -> Any:
        """What closed the thread: a pull request, a commit, or a person's hand (null)."""
        source = self.source
        return source if source is not None and source.typename == "PullRequest" else self.commit


class IssueNode(_ThreadNode):
    """An issue."""

    kind = "Issue"

    def __init__(self, context: Context, hosted: Hosted, found: Issue) -> None:
        super().__init__(context, hosted, found)
        self._issue = found
        self.state = found.state.upper()

    def state_reason(self, enable_duplicate: bool = False) -> str | None:
        """Why it is in its state; clients that do not know of duplicates are told it was not planned."""
        reason = (self._issue.state_reason or "").upper()
        if reason == "DUPLICATE" and not enable_duplicate:
            return "NOT_PLANNED"
        return reason or None

    def closed_by_pull_requests_references(
        self,
        include_closed_prs: bool = False,
        order_by_state: bool = False,
        user_linked_only: bool = False,
        **page: Any,
    ) -> Connection:
        """List the pull requests that say they close it: the open ones, or all."""
        pulls = self.context.hub.closers(self.hosted, self.number)
        wanted = [pair for pair in pulls if include_closed_prs or pair[1].state == "open"]
        wanted = [] if user_linked_only else wanted
        if order_by_state:
            wanted.sort(key=lambda pair: pair[1].state != "open")
        return Connection(wanted, lambda pair: PullNode(self.context, *pair), **page)

    def timeline_items(
        self, item_types: list[str] | None = None, since: str | None = None, skip: int | None = None, **page: Any
    ) -> Connection:
        """List what happened to it, oldest first."""
        pairs: list[tuple[Any, int, Any]] = [
            (event.at, event.id, EventNode(self, event)) for event in self._issue.events if event.kind in _TYPES
        ]
        pairs += [(found.created_at, found.id, CommentNode(self, found)) for found in self._issue.comments]
        pairs.sort(key=lambda pair: pair[:2])
        names = None if item_types is None else {name.replace("_", "").lower() for name in item_types}
        start = parse_time(since, "Issue", "since") if since else None
        wanted = [
            node
            for at, _, node in pairs
            if (names is None or node.typename.lower() in names) and (start is None or at >= start)
        ]
        return Connection(wanted[skip or 0 :], lambda node: node, whole=len(pairs), **page)


class PullNode(_ThreadNode):
    """A pull request."""

    kind = "PullRequest"
    is_draft = False

    def __init__(self, context: Context, hosted: Hosted, found: Pull) -> None:
        super().__init__(context, hosted, found)
        self._pull = found
        self.label_names = frozenset(found.labels)
        self.merged, self.merged_at = found.merged_at is not None, maybe_stamp(found.merged_at)
        self.state = "MERGED" if self.merged else found.state.upper()
        self.base_ref_name, self.head_ref_name, self.head_ref_oid = found.base, found.head_ref, found.head_sha
        self.is_cross_repository = found.head_repo != hosted.full_name

    @property
    def base_ref_oid(self) -> str:
        """What it is compared with."""
        return base_sha(self.hosted, self._pull)

    @property
    def merge_commit(self) -> Any:
        """The commit that landed it; null while it is open."""
        return self.context.nodes.commit(self.context, self.hosted, self._pull.merge_commit)

    @cached_property
    def _files(self) -> tuple[FileDiff, ...]:
        return changed(self.hosted, self._pull)

    @property
    def additions(self) -> int:
        """Lines added."""
        return sum(entry.additions for entry in self._files)

    @property
    def deletions(self) -> int:
        """Lines deleted."""
        return sum(entry.deletions for entry in self._files)

    @property
    def changed_files(self) -> int:
        """Files changed."""
        return len(self._files)

    def commits(self, **page: Any) -> Connection:
        """List its commits, oldest first."""
        return Connection(self._pull.commits, self._commit, **page)

    def _commit(self, sha: str) -> dict[str, Any] | None:
        found = self.context.nodes.commit(self.context, self.hosted, sha)
        name = node_id("PullRequestCommit", f"{self.number}:{sha}")
        return {"commit": found, "id": name, "pullRequest": self} if found else None

    def closing_issues_references(
        self, order_by: dict[str, str] | None = None, user_linked_only: bool = False, **page: Any
    ) -> Connection:
        """List the issues, of any repository, that GitHub says it closes."""
        found = [self.context.hub.thread(*name) for name in self._pull.closes]
        issues = [pair for pair in found if pair is not None and isinstance(pair[1], Issue)]
        if order_by:
            issues.sort(key=lambda pair: place(pair[1], order_by), reverse=order_by["direction"] == "DESC")
        return Connection([] if user_linked_only else issues, lambda pair: thread_node(self.context, *pair), **page)


def thread_node(context: Context, hosted: Hosted, thread: Thread) -> IssueNode | PullNode:
    """Show an issue or pull request."""
    if isinstance(thread, Pull):
        return PullNode(context, hosted, thread)
    return IssueNode(context, hosted, thread)
