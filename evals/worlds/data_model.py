"""The data model of a world: repositories with their threads, and the gold known by construction.

These are the things as GitHub would keep them, not as Gitzette sees them: nothing here imports the
code under test.
"""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class WorldComment:
    """A comment below a thread."""

    id: int
    author: str | None
    body: str
    created_at: datetime


@dataclass(frozen=True)
class TimelineEvent:
    """An entry of a thread's timeline: `closed`, `reopened`, `cross-referenced` and so on."""

    kind: str
    at: datetime
    commit: str | None = None  # The commit that closed or referenced the thread
    source: tuple[str, int] | None = None
    """The thread (`owner/name`, number) that cross-references, closes or connects this one."""
    state_reason: str | None = None


@dataclass(frozen=True)
class WorldThread:
    """The fields that issues and pull requests share, as they are at the world's present."""

    number: int
    title: str
    body: str
    author: str | None
    created_at: datetime
    updated_at: datetime
    state: str = "open"
    closed_at: datetime | None = None
    labels: tuple[str, ...] = ()
    comments: tuple[WorldComment, ...] = ()
    events: tuple[TimelineEvent, ...] = ()
    reactions: int = 0


@dataclass(frozen=True)
class WorldIssue(WorldThread):
    """An issue."""

    state_reason: str | None = None
    deleted: bool = False  # Answered with 410
    reports: str | None = None
    """The bug that it is about, as the edit that fixes it names it; no server shows this."""


@dataclass(frozen=True)
class Pull(WorldThread):
    """A pull request."""

    base: str = "main"
    base_sha: str = ""  # The commit of its base, where a world cares
    head_ref: str = ""
    head_sha: str = ""
    merged_at: datetime | None = None
    merge_commit: str | None = None
    commits: tuple[str, ...] = ()
    closes: tuple[tuple[str, int], ...] = ()  # What GitHub lists as closing references


@dataclass(frozen=True)
class WorldRelease:
    """A release; `created_at` is the date of its commit, as GitHub has it."""

    id: int
    tag: str
    name: str
    body: str
    author: str
    commit: str
    created_at: datetime
    published_at: datetime | None = None
    prerelease: bool = False
    draft: bool = False


@dataclass(frozen=True)
class Push:
    """A moment at which the default branch moved."""

    at: datetime
    tip: str
    forced: bool = False


@dataclass(frozen=True)
class Repo:
    """A repository with its threads; the git directory holds the objects of every push."""

    id: int
    owner: str
    name: str
    default_branch: str
    git_dir: Path
    issues: tuple[WorldIssue, ...] = ()
    pulls: tuple[Pull, ...] = ()
    releases: tuple[WorldRelease, ...] = ()
    pushes: tuple[Push, ...] = ()
    former_names: tuple[str, ...] = ()  # Earlier `owner/name`s, answered with 301

    @property
    def full_name(self) -> str:
        """The repository as people write it."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True)
class Edit:
    """One thing that a commit was meant to do: `change_default`, `rename_function`, `revert` and so on."""

    kind: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    """What was done in detail, as pairs: `function`, `parameter`, `old`, `new`, …"""

    def param(self, name: str) -> str:
        """Return one detail by name."""
        return dict(self.params)[name]


def commit_name(repo: str, sha: str) -> str:
    """Return the name under which a report cites a commit; worlds do not use the product's type."""
    return f"{repo}@{sha}"


def thread_name(repo: str, number: int | str) -> str:
    """Return the name under which a report cites an issue or a pull request."""
    return f"{repo}#{number}"


@dataclass(frozen=True)
class LandedGold:
    """A row that a correct ledger has, and the push from which on it has it."""

    repo: str
    sha: str
    committed_at: datetime
    members: tuple[str, ...]  # What the merge brought in, as the generator made it
    push: int  # The index of the first push that contains the commit
    files: tuple[tuple[str, str], ...]
    """(path, status) of each file that the generator touched, against the first parent, by path.

    The status is one of GitHub's: `added`, `removed`, `modified`, `renamed`, `changed` (a file
    became a link or a link a file). A path that is not UTF-8 has its odd bytes as surrogates.
    """
    tags: tuple[str, ...] = ()
    """What the generator meant by it: `bot`, `release`, `late`, `chinese`, `huge`, `binary`, …"""
    edits: tuple[Edit, ...] = ()
    """What was changed, as the generator changed it; a merge has the edits of its members."""
    dropped_by: int | None = None
    """The index of the push that took the commit off the first-parent line, which tags it `dropped`."""

    @property
    def id(self) -> str:
        """The name under which a report cites it."""
        return commit_name(self.repo, self.sha)


@dataclass(frozen=True)
class WorldStory:
    """A commit that continues others: it reverts, relands, extends, mentions or includes them."""

    kind: str
    doer: str  # `owner/name@sha`
    targets: tuple[str, ...]
    missing: tuple[int, ...] = ()  # The parts of a series that have not landed yet


@dataclass(frozen=True)
class World:
    """Repositories with everything that is known about them."""

    now: datetime
    """The world's present: no thread or commit is younger, except commits with a skewed clock."""
    repos: tuple[Repo, ...]
    landed: tuple[LandedGold, ...]
    notes: dict[str, str] = field(default_factory=dict)
    """Where to find the special days and commits, by name: `busy day`, `empty day`, `dst day`, …"""
    stories: tuple[WorldStory, ...] = ()

    def repo(self, full_name: str) -> Repo:
        """Return a repository by its `owner/name`."""
        return next(repo for repo in self.repos if repo.full_name == full_name)
