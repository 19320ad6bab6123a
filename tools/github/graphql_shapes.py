"""The shapes of GraphQL answers, and their conversion to the domain."""

import hashlib
from collections.abc import Iterable
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AliasChoices, AliasPath, BeforeValidator, Field

from agent.domain.base import RepoId
from agent.domain.evidence import ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.threads import Closing, Comment, Issue, PullRequest
from tools.github.rest_shapes import GraphAnswer, Label, Moment, Shape, Text, at

N = TypeVar("N")
_REASONS = {
    "COMPLETED": "completed",
    "NOT_PLANNED": "not_planned",
    "DUPLICATE": "duplicate",
    "REOPENED": "reopened",
}
State = Annotated[
    Literal["open", "closed"],
    BeforeValidator(lambda state: "open" if state == "OPEN" else "closed"),
]
Reason = Annotated[str | None, BeforeValidator(lambda reason: _REASONS.get(str(reason)))]


def _without_nulls(nodes: Any) -> Any:
    if isinstance(nodes, list | tuple):
        return [node for node in nodes if node is not None]
    return nodes or ()


Nodes = Annotated[tuple[N, ...], BeforeValidator(_without_nulls)]
"""A connection; GitHub sends null in place of something that may not be seen."""


class Names:
    """The names of repositories in our ids: the user's own for the one being read."""

    def __init__(self, repo: RepoId, current_name: str) -> None:
        self._repo = repo
        self._current_name = current_name.lower()

    def is_ours(self, name: str) -> bool:
        """Return True for the repository being read."""
        return name.lower() == self._current_name

    def of(self, name: str) -> RepoId:
        """Return the name of a repository in our ids."""
        if self.is_ours(name):
            return self._repo
        return RepoId(name)

    def threads(self, nodes: "Iterable[IssueNode | NamingNode]") -> tuple[EvidenceId, ...]:
        """Return the ids of these issues, each once."""
        ids: dict[EvidenceId, None] = {}
        for node in nodes:
            if node.repository and node.number:
                ids[EvidenceId.listed(self.of(node.repository), number=node.number)] = None
        return tuple(ids)


class IssueNode(Shape):
    """An issue that a pull request closes."""

    number: int
    repository: str = Field(validation_alias=AliasPath("repository", "nameWithOwner"))


class NamingNode(Shape):
    """The record of a commit that names a pull request; for other pull requests it is empty."""

    number: int | None = at("source", "number")
    repository: str | None = at("source", "repository", "nameWithOwner")


class PullNode(Shape):
    """A pull request."""

    number: int
    title: Text
    body: Text = ""
    state: State
    merged_at: Moment | None = Field(None, validation_alias="mergedAt")
    base: Text = Field("", validation_alias="baseRefName")
    created_at: Moment = Field(validation_alias="createdAt")
    updated_at: Moment = Field(validation_alias="updatedAt")
    author: str | None = at("author", "login")
    merged_as: str | None = at("mergeCommit", "oid")
    repository: str = Field(validation_alias=AliasPath("repository", "nameWithOwner"))
    labels: Nodes[Label] = at("labels", "nodes", default=())
    closing: Nodes[IssueNode] = at("closingIssuesReferences", "nodes", default=())
    naming: Nodes[NamingNode] = at("timelineItems", "nodes", default=())

    def to_pull(self, repo: RepoId, names: Names) -> PullRequest:
        """Convert it to a pull request of the domain."""
        return PullRequest(
            repo=repo,
            merge_commit=self.merged_as if self.merged_at else None,
            closes=names.threads(self.closing),
            named_by=names.threads(self.naming),
            **self.shared(PullRequest),
        )


class CommentNode(Shape):
    """A comment."""

    author: str | None = at("author", "login")
    body: Text = ""
    created_at: Moment = Field(validation_alias="createdAt")


class ThreadNode(PullNode):
    """An issue or a pull request, with its last comments."""

    kind: str = Field(validation_alias="__typename")
    # GraphQL refuses one name for two types.
    state: State = Field(validation_alias=AliasChoices("state", "issueState"))
    closed_at: Moment | None = Field(None, validation_alias="closedAt")
    state_reason: Reason = Field(None, validation_alias="stateReason")
    comments: int = at("comments", "totalCount", default=0)
    last_comments: Nodes[CommentNode] = at("comments", "nodes", default=())
    reactions: int = at("reactions", "totalCount", default=0)

    def to_evidence(self, repo: RepoId, names: Names) -> ThreadEvidence:
        """Convert it to a thread with its last comments."""
        comments = tuple(Comment(**node.shared(Comment)) for node in self.last_comments)
        return ThreadEvidence(thread=self._to_thread(repo, names), comments=comments)

    def _to_thread(self, repo: RepoId, names: Names) -> Issue | PullRequest:
        if self.kind == "Issue":
            return Issue(repo=repo, **self.shared(Issue))
        return self.to_pull(repo, names)


class LandedNode(Shape):
    """A commit with the pull requests it belongs to."""

    pulls: Nodes[PullNode] = at("associatedPullRequests", "nodes", default=())

    def origin(self, sha: str, names: Names) -> PullNode | None:
        """Return the pull request merged as this commit, else the first one that was merged."""
        first_merged: PullNode | None = None
        for pull in self.pulls:
            if pull.merged_at is None or not names.is_ours(pull.repository):
                continue
            if pull.merged_as == sha:
                return pull
            first_merged = first_merged or pull
        return first_merged


class CloserNode(Shape):
    """The closer of an issue: a commit, a pull request, or something else that we do not cite."""

    kind: str = Field(validation_alias="__typename")
    oid: str | None = None
    number: int | None = None
    repository: str | None = at("repository", "nameWithOwner")


class ClosedNode(Shape):
    """An issue with the last record of its closing."""

    number: int
    closed_at: Moment | None = Field(None, validation_alias="closedAt")
    reason: Reason = Field(None, validation_alias="stateReason")
    closer: CloserNode | None = at("timelineItems", "nodes", 0, "closer")

    def to_closing(self, issue: EvidenceId, names: Names) -> Closing | None:
        """Return what closed it, or None if it is open by now."""
        if self.closed_at is None:
            return None
        closer = self.closer
        by_commit = None
        by_pull = None
        if closer is not None and closer.repository is not None:
            repo = names.of(closer.repository)
            if closer.kind == "Commit" and closer.oid:
                by_commit = EvidenceId.listed(repo, revision=closer.oid)
            if closer.kind == "PullRequest" and closer.number:
                by_pull = EvidenceId.listed(repo, number=closer.number)
        return Closing(
            issue=issue,
            closed_at=self.closed_at,
            reason=self.reason,
            by_commit=by_commit,
            by_pull=by_pull,
        )


class BlobNode(Shape):
    """A file as text; other objects have neither field, a binary file has no text."""

    oid: str | None = None
    text: str | None = None

    @property
    def content(self) -> bytes | None:
        """The bytes of the file; None if the text was cut, or the file has another encoding."""
        if self.text is None:
            return None
        content = self.text.encode("utf-8", "replace")
        blob = b"blob %d\0" % len(content) + content
        if hashlib.sha1(blob, usedforsecurity=False).hexdigest() != self.oid:
            return None
        return content


class RepositoryNode(Shape, Generic[N], extra="allow"):
    """The repository, under its name of today, with the aliases that were asked for."""

    full_name: str = Field(validation_alias="nameWithOwner")
    __pydantic_extra__: dict[str, N | None] = Field(init=False)

    def node(self, alias: str) -> N | None:
        """Return what an alias was answered with."""
        return self.__pydantic_extra__.get(alias)


class Data(Shape, Generic[N]):
    """The answered part."""

    repository: RepositoryNode[N] | None


class Answer(GraphAnswer, Generic[N]):
    """A whole answer about one repository."""

    data: Data[N] | None = None
