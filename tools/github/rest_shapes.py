"""The shapes of GitHub's REST answers: frozen models that tolerate nulls, and their domain objects."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AliasPath, AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.functional_validators import AfterValidator, BeforeValidator

from agent.domain.base import RepoId
from agent.domain.commits import Commit, FileStatus, Person
from agent.domain.threads import Comment, Issue, PullRequest, Release


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _empty_for_null(text: Any) -> Any:
    return "" if text is None else text


def _label_name(label: Any) -> Any:
    """Return the name of a label, which old answers give as a bare name."""
    if isinstance(label, dict):
        return label.get("name") or ""
    return label


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
Text = Annotated[str, BeforeValidator(_empty_for_null)]
Label = Annotated[str, BeforeValidator(_label_name)]
_DOMAIN_STATUS: dict[str, FileStatus] = {
    "added": "added",
    "removed": "removed",
    "modified": "modified",
    "renamed": "renamed",
    "copied": "copied",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def at(first: str, *path: str | int, default: Any = None) -> Any:
    """Declare a field read from a nested path, with a default if a part of it is missing or null."""
    return Field(default, validation_alias=AliasPath(first, *path))


class Shape(BaseModel):
    """Foreign data; unknown fields are ignored, because GitHub adds some every month."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    def shared(self, target: type[BaseModel]) -> dict[str, Any]:
        """Return the fields that have the same name in a type of our own."""
        names = [name for name in target.model_fields if name in type(self).model_fields]
        return {name: getattr(self, name) for name in names}


class RepositoryShape(Shape):
    """`GET /repos/{owner}/{repo}`."""

    full_name: str
    default_branch: str


class ParentShape(Shape):
    """A parent by its hash."""

    sha: str


class FileShape(Shape):
    """A file of a commit; binary, renamed, empty and very large ones have no `patch`."""

    filename: str
    status: str
    additions: int = 0
    deletions: int = 0
    changes: int = 0
    patch: str | None = None
    previous_filename: str | None = None
    sha: str | None = None

    @property
    def domain_status(self) -> FileStatus:
        """The status as the domain names it; an unknown one is at least a change."""
        return _DOMAIN_STATUS.get(self.status, "changed")


class CommitShape(Shape):
    """A commit in a list, or alone with its files; damaged commits lack parts of who and when."""

    sha: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    message: Text = Field(validation_alias=AliasPath("commit", "message"))
    author: Text = at("commit", "author", "name", default="")
    author_email: Text = at("commit", "author", "email", default="")
    authored_at: Moment | None = at("commit", "author", "date")
    committer: Text = at("commit", "committer", "name", default="")
    committer_email: Text = at("commit", "committer", "email", default="")
    committed_at: Moment | None = at("commit", "committer", "date")
    parents: tuple[ParentShape, ...]
    # Over all files, also those that are not listed.
    additions: int | None = at("stats", "additions")
    deletions: int | None = at("stats", "deletions")
    files: tuple[FileShape, ...] | None = None

    def to_commit(self, repo: RepoId) -> Commit:
        """Convert it to a commit of the domain, under the user's name for the repository."""
        return Commit(
            repo=repo,
            sha=self.sha,
            parents=tuple(parent.sha for parent in self.parents),
            author=Person(name=self.author, email=self.author_email),
            authored_at=self.authored_at or self.committed_at or _EPOCH,
            committer=Person(name=self.committer, email=self.committer_email),
            committed_at=self.committed_at or self.authored_at or _EPOCH,
            message=self.message.rstrip("\n"),
        )


class ComparisonShape(Shape):
    """`GET /repos/{owner}/{repo}/compare/{base}...{head}`, one page of it."""

    status: str
    commits: tuple[CommitShape, ...]


class IssueShape(Shape):
    """An issue, or a pull request seen as one (then it has the key `pull_request`)."""

    number: int
    title: Text
    body: Text = ""
    state: Literal["open", "closed"]
    state_reason: str | None = None
    author: str | None = at("user", "login")
    labels: tuple[Label, ...] = ()
    created_at: Moment
    updated_at: Moment
    closed_at: Moment | None = None
    comments: int = 0
    reactions: int = at("reactions", "total_count", default=0)
    pull_request: Shape | None = None
    repository_url: str = ""

    @property
    def is_pull(self) -> bool:
        """True for a pull request."""
        return self.pull_request is not None

    def to_issue(self, repo: RepoId) -> Issue:
        """Convert it to an issue of the domain."""
        return Issue(repo=repo, **self.shared(Issue))


class PullShape(Shape):
    """`GET /repos/{owner}/{repo}/pulls/{number}`; the head is not read: it is null without its fork."""

    number: int
    title: Text
    body: Text = ""
    state: Literal["open", "closed"]
    merged_at: Moment | None = None
    merge_commit_sha: str | None = None
    base: Text = at("base", "ref", default="")
    author: str | None = at("user", "login")
    labels: tuple[Label, ...] = ()
    created_at: Moment
    updated_at: Moment

    def to_pull(self, repo: RepoId) -> PullRequest:
        """Convert it to a pull request of the domain; REST does not say which issues it closes."""
        # While a pull request is open this is a trial merge that nobody else can see.
        merged = self.merge_commit_sha if self.merged_at else None
        return PullRequest(repo=repo, merge_commit=merged, **self.shared(PullRequest))


class CommentShape(Shape):
    """One comment below a thread."""

    author: str | None = at("user", "login")
    body: Text = ""
    created_at: Moment

    def to_comment(self) -> Comment:
        """Convert it to a comment of the domain."""
        return Comment(**self.shared(Comment))


class ReleaseShape(Shape):
    """A release; a draft has no date of publication."""

    tag: str = Field(validation_alias="tag_name")
    name: Text = ""
    body: Text = ""
    created_at: Moment
    published_at: Moment | None = None
    prerelease: bool = False
    draft: bool = False

    def to_release(self, repo: RepoId) -> Release:
        """Convert it to a release of the domain."""
        return Release(repo=repo, **self.shared(Release))


REPOSITORY = TypeAdapter(RepositoryShape)
COMMIT = TypeAdapter(CommitShape)
COMMITS = TypeAdapter(tuple[CommitShape, ...])
COMPARISON = TypeAdapter(ComparisonShape)
ISSUE = TypeAdapter(IssueShape)
ISSUES = TypeAdapter(tuple[IssueShape, ...])
PULL = TypeAdapter(PullShape)
COMMENTS = TypeAdapter(tuple[CommentShape, ...])
RELEASES = TypeAdapter(tuple[ReleaseShape, ...])

# Asking again gives the same answer: the thing is not there, or this token may not see it.
_FINAL_ERRORS = {"NOT_FOUND", "FORBIDDEN", "INSUFFICIENT_SCOPES", "UNAUTHORIZED"}
_LIMIT_ERRORS = {"RATE_LIMITED", "RATE_LIMIT"}


class GraphError(Shape):
    """An entry of `errors` in a GraphQL answer; `path` leads to the part that the data lacks."""

    message: str = ""
    type: str | None = None
    path: tuple[str | int, ...] | None = None
    # The rule that the question breaks, if the question itself is wrong.
    code: object = at("extensions", "code")

    @property
    def is_final(self) -> bool:
        """True if the missing part stays missing."""
        return self.type in _FINAL_ERRORS

    @property
    def is_limit(self) -> bool:
        """True if the question was not answered because of a limit."""
        return self.type in _LIMIT_ERRORS or "rate limit" in self.message.lower()


class GraphAnswer(Shape):
    """The envelope of GraphQL; each query's own shape adds `data`."""

    errors: tuple[GraphError, ...] | None = None

    @property
    def has_data(self) -> bool:
        """True if at least a part was answered."""
        return getattr(self, "data", None) is not None

    @property
    def unanswered(self) -> frozenset[str]:
        """The aliases below `repository` that are missing for now; `*` if an error names none."""
        aliases: set[str] = set()
        for error in self.errors or ():
            if error.is_final:
                continue
            if error.path and len(error.path) > 1:
                aliases.add(str(error.path[1]))
            else:
                aliases.add("*")
        return frozenset(aliases)
