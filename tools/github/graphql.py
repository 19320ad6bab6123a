"""Asking GraphQL about many things at once, and what the answers mean to us."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

from pydantic import AliasChoices, AliasPath, BeforeValidator, Field

from agent.domain.base import RepoId, UpstreamError
from agent.domain.commits import Closing, Comment, Issue, PullRequest
from agent.domain.evidence import ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from tools.github.shapes import GraphAnswer, Label, Moment, Shape, Text, at

if TYPE_CHECKING:
    from tools.github.client import GitHubClient

K = TypeVar("K", str, int)
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


def _present(nodes: Any) -> Any:
    return (
        [node for node in nodes if node is not None]
        if isinstance(nodes, list | tuple)
        else nodes or ()
    )


Nodes = Annotated[tuple[N, ...], BeforeValidator(_present)]
"""A connection; GitHub puts null where something may not be seen."""


class Names:
    """Which name a thing's repository goes by in our ids: the user's own for the one being read."""

    def __init__(self, repo: RepoId, today: str) -> None:
        self._repo, self._today = repo, today.lower()

    def is_ours(self, name: str) -> bool:
        """Tell whether something is in the repository being read."""
        return name.lower() == self._today

    def of(self, name: str) -> RepoId:
        """Name the repository of something."""
        return self._repo if self.is_ours(name) else RepoId(name)

    def threads(self, nodes: "Iterable[IssueNode | NamingNode]") -> tuple[EvidenceId, ...]:
        """Name issues, each once."""
        known = ((node.repository, node.number) for node in nodes)
        return tuple(
            dict.fromkeys(
                EvidenceId.listed(self.of(name), number=number)
                for name, number in known
                if name and number
            )
        )


class IssueNode(Shape):
    """An issue that a pull request closes."""

    number: int
    repository: str = Field(validation_alias=AliasPath("repository", "nameWithOwner"))


class NamingNode(Shape):
    """The record that something names a pull request; another pull request that does has nothing here."""

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
        """Say what it is."""
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
    said: Nodes[CommentNode] = at("comments", "nodes", default=())
    reactions: int = at("reactions", "totalCount", default=0)

    def to_evidence(self, repo: RepoId, names: Names) -> ThreadEvidence:
        """Say what it is, and what was said last."""
        issue = self.kind == "Issue"
        thread = Issue(repo=repo, **self.shared(Issue)) if issue else self.to_pull(repo, names)
        return ThreadEvidence(
            thread=thread, comments=tuple(Comment(**one.shared(Comment)) for one in self.said)
        )


class LandedNode(Shape):
    """A commit with the pull requests it belongs to."""

    pulls: Nodes[PullNode] = at("associatedPullRequests", "nodes", default=())

    def origin(self, sha: str, names: Names) -> PullNode | None:
        """Pick the pull request that brought the commit: the one it merged, else one that was merged."""
        merged = [
            pull
            for pull in self.pulls
            if names.is_ours(pull.repository) and pull.merged_at is not None
        ]
        exact = [pull for pull in merged if pull.merged_as == sha]
        return next(iter(exact or merged), None)


class CloserNode(Shape):
    """What closed an issue: a commit, a pull request, or something else that we do not cite."""

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
        """Say what closed it; None when it is open by now."""
        if self.closed_at is None:
            return None
        by_commit, by_pull, closer = None, None, self.closer
        if closer is not None and closer.repository is not None:
            where = names.of(closer.repository)
            by_commit = (
                EvidenceId.listed(where, revision=closer.oid)
                if closer.kind == "Commit" and closer.oid
                else None
            )
            by_pull = (
                EvidenceId.listed(where, number=closer.number)
                if closer.kind == "PullRequest" and closer.number
                else None
            )
        return Closing(
            issue=issue,
            closed_at=self.closed_at,
            reason=self.reason,
            by_commit=by_commit,
            by_pull=by_pull,
        )


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


class RepositoryNode(Shape, Generic[N], extra="allow"):
    """The repository, under its name of today, with the aliases that were asked for."""

    full_name: str = Field(validation_alias="nameWithOwner")
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


_SMALLER = (10, 3, 1)


@dataclass
class Answers(Generic[K, N]):
    """What was answered, and what was not."""

    names: Names
    found: dict[K, N] = field(default_factory=dict)
    unanswered: list[K] = field(default_factory=list)
    problem: str = "GitHub answered in part"  # Why they were not answered


@dataclass(frozen=True)
class Question(Generic[K, N]):
    """A query over many keys, the alias of each, and the shape of the answer."""

    query: Callable[[Sequence[K]], str]
    alias: Callable[[K], str]
    shape: type[Answer[N]]
    size: int
    variables: Callable[[Sequence[K]], Mapping[str, str]] = lambda _: {}
    """What goes with the query, beside the name of the repository."""


class Batches:
    """Asks about one repository; the stamp says when stored answers still hold, None that none are stored."""

    def __init__(self, client: "GitHubClient", repo: RepoId, stamp: str | None) -> None:
        self._client, self._repo, self._stamp = client, repo, stamp

    async def ask(self, question: Question[K, N], keys: Sequence[K]) -> Answers[K, N]:
        """Ask about all keys; those without an answer are asked about again, fewer at a time.

        An outage is not met with ever more requests: the first small batch that fails as a whole ends the asking.
        """
        answers: Answers[K, N] = Answers(Names(self._repo, self._repo), unanswered=list(keys))
        for size in (question.size, *_SMALLER):
            failure = await self._round(question, size, answers)
            if failure is not None:
                answers.problem = str(failure)
            if not answers.unanswered or (
                failure is not None and (size in _SMALLER or not failure.retryable)
            ):
                break
        return answers

    async def _round(
        self, question: Question[K, N], size: int, answers: Answers[K, N]
    ) -> UpstreamError | None:
        """Ask about what is unanswered; when a batch fails as a whole, the rest is not asked and the error returned."""
        keys, failed = answers.unanswered, list[K]()
        for start in range(0, len(keys), size):
            try:
                failed += await self._batch(question, keys[start : start + size], answers)
            except UpstreamError as error:
                answers.unanswered = failed + keys[start:]
                return error
        answers.unanswered = failed
        return None

    async def _batch(
        self, question: Question[K, N], keys: list[K], answers: Answers[K, N]
    ) -> list[K]:
        """Ask once; what came is kept, also beside errors. Returns the keys that got no answer."""
        owner, _, name = self._repo.partition("/")
        variables = {"owner": owner, "name": name, **question.variables(keys)}
        answer = await self._client.graphql(
            question.query(keys), variables, question.shape, stamp=self._stamp
        )
        repository = answer.data.repository if answer.data else None
        if repository is None:
            return keys
        answers.names = Names(self._repo, repository.full_name)
        missing, failed = answer.unanswered, []
        for key in keys:
            node = repository.node(question.alias(key))
            # An error below an alias leaves a node with holes, which must not be taken for "nothing there".
            if question.alias(key) in missing or (node is None and "*" in missing):
                failed.append(key)
            elif node is not None:
                answers.found[key] = node
        return failed
