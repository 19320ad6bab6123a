"""GitHub's GraphQL answers as frozen models, and what they mean to us."""

import hashlib
from collections.abc import Iterator
from typing import Generic, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from agent.domain.base import RepoId, ThreadId, commit_id, thread_id
from agent.domain.commits import Closing, Comment, Issue, PullRequest
from agent.domain.evidence import ThreadEvidence
from tools.github.shapes import AccountShape, Moment, Shape, Text

# Asking again gives the same: the thing is not there, or this token may not see it.
_FINAL = {"NOT_FOUND", "FORBIDDEN", "INSUFFICIENT_SCOPES", "UNAUTHORIZED"}
_LIMIT = {"RATE_LIMITED", "RATE_LIMIT"}


class GraphError(BaseModel):
    """One entry of `errors`; `path` leads to the part that is missing from the data."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    message: str = ""
    type: str | None = None
    path: tuple[str | int, ...] | None = None
    extensions: dict[str, object] | None = None

    @property
    def is_final(self) -> bool:
        """True when the missing part stays missing."""
        return self.type in _FINAL

    @property
    def is_limit(self) -> bool:
        """True when the question was not answered because of a limit."""
        return self.type in _LIMIT or "rate limit" in self.message.lower()

    @property
    def is_ours(self) -> bool:
        """True when the question itself is wrong; GitHub then names the rule that it breaks."""
        return bool(self.extensions and "code" in self.extensions)


class GraphAnswer(BaseModel):
    """The envelope; each query's own shape adds `data`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    errors: tuple[GraphError, ...] | None = None

    @property
    def has_data(self) -> bool:
        """True when at least a part was answered."""
        return getattr(self, "data", None) is not None

    @property
    def unanswered(self) -> frozenset[str]:
        """The aliases below `repository` that are missing for now; `*` when an error does not say where."""
        return frozenset(
            str(error.path[1]) if error.path and len(error.path) > 1 else "*"
            for error in self.errors or ()
            if not error.is_final
        )


N = TypeVar("N")
_REASONS = {"COMPLETED": "completed", "NOT_PLANNED": "not_planned", "DUPLICATE": "duplicate"}


class RepositoryName(Shape):
    """Which repository something is in, under its name of today."""

    full_name: str = Field(validation_alias="nameWithOwner")


class Names:
    """Which name a thing's repository goes by in our ids: the user's own for the one being read."""

    def __init__(self, repo: RepoId, today: str) -> None:
        self._repo, self._today = repo, today.lower()

    def is_ours(self, name: RepositoryName) -> bool:
        """Tell whether something is in the repository being read."""
        return name.full_name.lower() == self._today

    def of(self, name: RepositoryName) -> RepoId:
        """Name the repository of something."""
        return self._repo if self.is_ours(name) else RepoId(name.full_name)


class Nodes(Shape, Generic[N]):
    """A connection; GitHub puts null where something may not be seen."""

    nodes: tuple[N | None, ...] | None = None

    @property
    def present(self) -> tuple[N, ...]:
        """What is there."""
        return tuple(node for node in self.nodes or () if node is not None)


class LabelNode(Shape):
    """A label."""

    name: Text = ""


class CommitNode(Shape):
    """A commit by its hash."""

    oid: str


class IssueNode(Shape):
    """An issue that a pull request closes."""

    number: int
    repository: RepositoryName


class SourceNode(Shape):
    """An issue that names a pull request; a pull request that does has nothing here."""

    number: int | None = None
    repository: RepositoryName | None = None


class NamingNode(Shape):
    """The record that something names a pull request."""

    source: SourceNode | None = None


class PullNode(Shape):
    """A pull request."""

    number: int
    title: Text
    body: Text = ""
    state: str
    merged_at: Moment | None = Field(None, validation_alias="mergedAt")
    base: Text = Field("", validation_alias="baseRefName")
    created_at: Moment = Field(validation_alias="createdAt")
    updated_at: Moment = Field(validation_alias="updatedAt")
    author: AccountShape | None = None
    merge_commit: CommitNode | None = Field(None, validation_alias="mergeCommit")
    repository: RepositoryName
    labels: Nodes[LabelNode] | None = None
    closes: Nodes[IssueNode] | None = Field(None, validation_alias="closingIssuesReferences")
    naming: Nodes[NamingNode] | None = Field(None, validation_alias="timelineItems")

    def to_pull(self, repo: RepoId, names: Names) -> PullRequest:
        """Say what it is."""
        closes = self.closes.present if self.closes else ()
        return PullRequest(
            repo=repo,
            number=self.number,
            title=self.title,
            body=self.body,
            state="open" if self.state == "OPEN" else "closed",
            merged_at=self.merged_at,
            merge_commit=self.merge_commit.oid if self.merge_commit and self.merged_at else None,
            base=self.base,
            author=self.author.login if self.author else None,
            labels=tuple(label.name for label in self.labels.present) if self.labels else (),
            created_at=self.created_at,
            updated_at=self.updated_at,
            closes=tuple(thread_id(names.of(issue.repository), issue.number) for issue in closes),
            named_by=tuple(dict.fromkeys(self._named_by(names))),
        )

    def _named_by(self, names: Names) -> Iterator[ThreadId]:
        for node in self.naming.present if self.naming else ():
            if node.source and node.source.number and node.source.repository:
                yield thread_id(names.of(node.source.repository), node.source.number)


class CommentNode(Shape):
    """A comment."""

    author: AccountShape | None = None
    body: Text = ""
    created_at: Moment = Field(validation_alias="createdAt")


class CommentNodes(Nodes[CommentNode]):
    """The last comments of a thread, and how many there are."""

    count: int = Field(0, validation_alias="totalCount")


class CountNode(Shape):
    """How many there are of something."""

    count: int = Field(0, validation_alias="totalCount")


class ThreadNode(PullNode):
    """An issue or a pull request, with its last comments."""

    kind: str = Field(validation_alias="__typename")
    # GraphQL refuses one name for two types.
    state: str = Field(validation_alias=AliasChoices("state", "issueState"))
    closed_at: Moment | None = Field(None, validation_alias="closedAt")
    reason: str | None = Field(None, validation_alias="stateReason")
    comments: CommentNodes = CommentNodes()
    reactions: CountNode = CountNode()

    def to_evidence(self, repo: RepoId, names: Names) -> ThreadEvidence:
        """Say what it is, and what was said last."""
        said = tuple(
            Comment(author=one.author.login if one.author else None, body=one.body, created_at=one.created_at)
            for one in self.comments.present
        )
        thread = self._to_issue(repo) if self.kind == "Issue" else self.to_pull(repo, names)
        return ThreadEvidence(thread=thread, comments=said)

    def _to_issue(self, repo: RepoId) -> Issue:
        return Issue(
            repo=repo,
            number=self.number,
            title=self.title,
            body=self.body,
            state="open" if self.state == "OPEN" else "closed",
            state_reason=_REASONS.get(self.reason or "", "reopened" if self.reason == "REOPENED" else None),
            author=self.author.login if self.author else None,
            labels=tuple(label.name for label in self.labels.present) if self.labels else (),
            created_at=self.created_at,
            updated_at=self.updated_at,
            closed_at=self.closed_at,
            comments=self.comments.count,
            reactions=self.reactions.count,
        )


class LandedNode(Shape):
    """A commit with the pull requests it belongs to."""

    pulls: Nodes[PullNode] | None = Field(None, validation_alias="associatedPullRequests")

    def origin(self, sha: str, names: Names) -> PullNode | None:
        """Pick the pull request that brought the commit: the one it merged, else one that was merged."""
        ours = [pull for pull in (self.pulls.present if self.pulls else ()) if names.is_ours(pull.repository)]
        merged = [pull for pull in ours if pull.merged_at is not None]
        exact = [pull for pull in merged if pull.merge_commit and pull.merge_commit.oid == sha]
        return next(iter(exact or merged), None)


class CloserNode(Shape):
    """What closed an issue: a commit, a pull request, or something else that we do not cite."""

    kind: str = Field(validation_alias="__typename")
    oid: str | None = None
    number: int | None = None
    repository: RepositoryName | None = None


class ClosedEventNode(Shape):
    """The record of one closing."""

    created_at: Moment | None = Field(None, validation_alias="createdAt")
    closer: CloserNode | None = None


class ClosedNode(Shape):
    """An issue with the last record of its closing."""

    number: int
    closed_at: Moment | None = Field(None, validation_alias="closedAt")
    reason: str | None = Field(None, validation_alias="stateReason")
    events: Nodes[ClosedEventNode] | None = Field(None, validation_alias="timelineItems")

    def to_closing(self, issue: ThreadId, names: Names) -> Closing | None:
        """Say what closed it; None when it is open by now."""
        if self.closed_at is None:
            return None
        events = self.events.present if self.events else ()
        closer = events[-1].closer if events else None
        by_commit, by_pull = None, None
        if closer is not None and closer.repository is not None:
            where = names.of(closer.repository)
            by_commit = commit_id(where, closer.oid) if closer.kind == "Commit" and closer.oid else None
            by_pull = thread_id(where, closer.number) if closer.kind == "PullRequest" and closer.number else None
        reason = _REASONS.get(self.reason or "")
        return Closing(issue=issue, closed_at=self.closed_at, reason=reason, by_commit=by_commit, by_pull=by_pull)


class BlobNode(Shape):
    """A file as text; nothing of what is no file, no text of a binary one."""

    oid: str | None = None
    text: str | None = None

    @property
    def content(self) -> bytes | None:
        """Its bytes; None where the text is not all of them, cut or written in another encoding than the file."""
        data = (self.text or "").encode("utf-8", "replace")
        name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        return data if self.text is not None and name == self.oid else None


class RepositoryNode(RepositoryName, Generic[N], extra="allow"):
    """The repository with the aliases that were asked for."""

    __pydantic_extra__: dict[str, N | None] = Field(init=False)

    def node(self, alias: str) -> N | None:
        """Find what an alias was answered with."""
        return self.__pydantic_extra__.get(alias)


class Data(Shape, Generic[N]):
    """The answered part."""

    repository: RepositoryNode[N] | None


class Answer(GraphAnswer, Generic[N]):
    """A whole answer about one repository."""

    data: Data[N] | None = None
