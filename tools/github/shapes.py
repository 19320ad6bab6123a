"""GitHub's REST answers as frozen models, tolerant to the nulls that really happen, and what they mean to us."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from agent.domain.base import RepoId
from agent.domain.commits import Comment, Commit, FileStatus, Issue, Person, PullRequest, Release

Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]
Text = Annotated[str, BeforeValidator(lambda text: "" if text is None else text)]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Shape(BaseModel):
    """Foreign data: fields we do not know are ignored, for GitHub adds some every month."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class RepositoryShape(Shape):
    """`GET /repos/{owner}/{repo}`."""

    full_name: str
    default_branch: str


class SignatureShape(Shape):
    """Who and when, as git records it; damaged commits lack parts of it."""

    name: Text = ""
    email: Text = ""
    date: Moment | None = None

    def person(self) -> Person:
        """Name the person."""
        return Person(name=self.name, email=self.email)


class GitCommitShape(Shape):
    """The part of a commit that comes from git."""

    author: SignatureShape | None
    committer: SignatureShape | None
    message: Text


class ParentShape(Shape):
    """A parent by its hash."""

    sha: str


class FileShape(Shape):
    """One file of a commit; `patch` is absent for binary files, pure renames, empty files and beyond the budget."""

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
        """The status as the domain names it; what is new to us is at least a change."""
        known: dict[str, FileStatus] = {"added": "added", "removed": "removed", "modified": "modified"}
        known |= {"renamed": "renamed", "copied": "copied"}
        return known.get(self.status, "changed")


class StatsShape(Shape):
    """Counts over all files of a commit, also those that are not listed."""

    additions: int = 0
    deletions: int = 0


class CommitShape(Shape):
    """A commit in a list, or alone with its files."""

    sha: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    commit: GitCommitShape
    parents: tuple[ParentShape, ...]
    stats: StatsShape | None = None
    files: tuple[FileShape, ...] | None = None

    def to_commit(self, repo: RepoId) -> Commit:
        """Say what it is, under the name the user gave the repository."""
        author, committer = self.commit.author or SignatureShape(), self.commit.committer or SignatureShape()
        return Commit(
            repo=repo,
            sha=self.sha,
            parents=tuple(parent.sha for parent in self.parents),
            author=author.person(),
            authored_at=author.date or committer.date or _EPOCH,
            committer=committer.person(),
            committed_at=committer.date or author.date or _EPOCH,
            message=self.commit.message.rstrip("\n"),
        )


class ComparisonShape(Shape):
    """`GET /repos/{owner}/{repo}/compare/{base}...{head}`, one page of it."""

    status: str
    total_commits: int
    commits: tuple[CommitShape, ...]


class AccountShape(Shape):
    """An account; absent for deleted ones."""

    login: str


class LabelShape(Shape):
    """A label, which old answers give as a bare name."""

    name: Text = ""


Label = Annotated[LabelShape, BeforeValidator(lambda label: {"name": label} if isinstance(label, str) else label)]


class ReactionsShape(Shape):
    """How many reactions there are."""

    total_count: int = 0


class IssueShape(Shape):
    """An issue, or a pull request seen as one (then it has the key `pull_request`)."""

    number: int
    title: Text
    body: Text = ""
    state: Literal["open", "closed"]
    state_reason: str | None = None
    user: AccountShape | None = None
    labels: tuple[Label, ...] = ()
    created_at: Moment
    updated_at: Moment
    closed_at: Moment | None = None
    comments: int = 0
    reactions: ReactionsShape | None = None
    pull_request: Shape | None = None
    repository_url: str = ""

    @property
    def is_pull(self) -> bool:
        """True for a pull request."""
        return self.pull_request is not None

    def to_issue(self, repo: RepoId) -> Issue:
        """Say what it is."""
        return Issue(
            repo=repo,
            number=self.number,
            title=self.title,
            body=self.body,
            state=self.state,
            state_reason=self.state_reason,
            author=self.user.login if self.user else None,
            labels=tuple(label.name for label in self.labels),
            created_at=self.created_at,
            updated_at=self.updated_at,
            closed_at=self.closed_at,
            comments=self.comments,
            reactions=self.reactions.total_count if self.reactions else 0,
        )


class BranchShape(Shape):
    """The branch a pull request goes to; a deleted fork leaves the other end null, so that one is not read."""

    ref: Text = ""


class PullShape(Shape):
    """`GET /repos/{owner}/{repo}/pulls/{number}`."""

    number: int
    title: Text
    body: Text = ""
    state: Literal["open", "closed"]
    merged_at: Moment | None = None
    merge_commit_sha: str | None = None
    base: BranchShape
    user: AccountShape | None = None
    labels: tuple[Label, ...] = ()
    created_at: Moment
    updated_at: Moment

    def to_pull(self, repo: RepoId) -> PullRequest:
        """Say what it is; REST does not tell which issues it closes."""
        return PullRequest(
            repo=repo,
            number=self.number,
            title=self.title,
            body=self.body,
            state=self.state,
            merged_at=self.merged_at,
            # While a pull request is open this is a trial merge that nobody else can see.
            merge_commit=self.merge_commit_sha if self.merged_at else None,
            base=self.base.ref,
            author=self.user.login if self.user else None,
            labels=tuple(label.name for label in self.labels),
            created_at=self.created_at,
            updated_at=self.updated_at,
        )


class CommentShape(Shape):
    """One comment below a thread."""

    user: AccountShape | None = None
    body: Text = ""
    created_at: Moment

    def to_comment(self) -> Comment:
        """Say what it is."""
        return Comment(author=self.user.login if self.user else None, body=self.body, created_at=self.created_at)


class ReleaseShape(Shape):
    """A release; a draft has no date of publication."""

    tag_name: str
    name: Text = ""
    body: Text = ""
    created_at: Moment
    published_at: Moment | None = None
    prerelease: bool = False
    draft: bool = False

    def to_release(self, repo: RepoId, published_at: datetime) -> Release:
        """Say what it is."""
        return Release(
            repo=repo,
            tag=self.tag_name,
            name=self.name,
            body=self.body,
            published_at=published_at,
            prerelease=self.prerelease,
        )


REPOSITORY = TypeAdapter(RepositoryShape)
COMMIT = TypeAdapter(CommitShape)
COMMITS = TypeAdapter(tuple[CommitShape, ...])
COMPARISON = TypeAdapter(ComparisonShape)
ISSUE = TypeAdapter(IssueShape)
ISSUES = TypeAdapter(tuple[IssueShape, ...])
PULL = TypeAdapter(PullShape)
COMMENTS = TypeAdapter(tuple[CommentShape, ...])
RELEASES = TypeAdapter(tuple[ReleaseShape, ...])
