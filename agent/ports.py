"""The ports of a run, as protocols: repositories, memory, publisher, display."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Change, Commit, Headline, Landing, Notice, NoticeKind
from agent.domain.errors import NotFound
from agent.domain.evidence import Card, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.release_notes import ReleaseNotes
from agent.domain.surface import SurfaceChange
from agent.domain.threads import Comment, Issue, PullRequest, Release, Threads
from agent.domain.window import Window
from agent.links.changed_names import Birth
from agent.links.footprints import Footprint
from agent.links.similar_commit_index import SimilarCommit
from agent.links.touched_lines import LineWriter

if TYPE_CHECKING:
    from agent.domain.links import Link
    from agent.domain.report import Report
    from agent.settings.values import RepoSpec
    from agent.stories.timeline import Remembered


class Past(Frozen):
    """The matches of a search in an earlier stretch of the landed line."""

    found: tuple[Headline, ...] = ()  # Newest first
    since: datetime | None = None
    """From this moment on nothing is left out; None where that cannot be said."""


class Usage(Frozen):
    """One line of a file that holds an identifier."""

    path: str
    line: int
    text: str


class Usages(Frozen):
    """Where an identifier stands in the files of a commit."""

    found: tuple[Usage, ...] = ()  # In the order of the paths
    more: bool = False  # Whether there are others beyond the limit


class CommitMentions(Frozen):
    """The landed commits of a window that mention something."""

    shas: tuple[str, ...]  # Newest first
    unread_files: int = 0  # Changed files that could not be searched


class Pick(Frozen):
    """A commit of a release branch, and the landed commits that it copies."""

    sha: str
    title: str
    originals: tuple[Headline, ...] = ()


class BranchRevert(Frozen):
    """A commit of a release branch that takes a landed one back."""

    revert: Headline
    branch: str  # The branch, or a tag on it


class BranchReverts(Frozen):
    """What release branches take back of some landed commits."""

    by_sha: Mapping[str, tuple[BranchRevert, ...]] = {}
    branches: tuple[str, ...] = ()  # The branches and tags with commits that were read


class ReleaseRange(Frozen):
    """The release to compare with, and the commits that only the branch of the release has."""

    previous: str  # The tag of the release that its users had before
    picks: tuple[Pick, ...] = ()  # The newest first


class Study(Frozen):
    """The requests that a closer look at a change will make."""

    change: Change
    read: tuple[str, ...] = ()  # The files of which both versions will be read
    lineage_paths: tuple[str, ...] = ()  # The paths by which earlier commits will be looked for


class CodeSource(Protocol):
    """Commits and diffs of one repository; a mirror and the API give equal objects."""

    repo: RepoId

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List the first-parent commits that landed in the window, newest first, without diffs.

        With `known_tip`, also list as `late` what landed since that tip with an earlier date.
        """

    def changes(self, shas: Sequence[str]) -> AsyncIterator[Change]:
        """Read these commits with their patches, in the order given, one in memory at a time.

        A commit that cannot be read at all is left out; the caller compares.
        """

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in, newest first; empty for a plain commit."""

    async def blobs(
        self, change: Change, paths: Sequence[str]
    ) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Read the old and the new version of these files of a change; None where there is none."""

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the latest landed commits before this one that touched these paths, oldest first.

        Their number is bounded.
        """

    async def resolve(self, prefix: str) -> Commit:
        """Return the commit of a full or abbreviated hash; NotFound if there is none or several."""

    async def file(self, sha: str, path: str) -> str | None:
        """Read a file as it stands at a commit; None where there is no such file."""

    async def usages(
        self, sha: str, name: str, *, path: str = "", limit: int = 200
    ) -> Usages | None:
        """Find the lines that hold an identifier, in one file or folder or everywhere.

        None means that the source cannot search.
        """

    async def usages_of(
        self, sha: str, names: Sequence[str], *, limit: int = 200
    ) -> Mapping[str, Usages] | None:
        """Find the lines that hold any of some identifiers, up to `limit` lines for each of them.

        None where the source cannot search the files of a commit.
        """

    async def foresee(self, studies: Sequence[Study]) -> None:
        """Hint which studies come next, in this order, so that the source can prefetch them."""


@runtime_checkable
class CloneSource(CodeSource, Protocol):
    """A clone: it has all of history at hand and answers questions that the API cannot."""

    async def refs(self) -> str:
        """Return a hash of what HEAD, all branches and all tags point at."""

    async def has_whole_history(self) -> bool:
        """Return False for a shallow clone: deepening it may change answers about the past."""

    async def named(self, prefixes: Sequence[str]) -> Mapping[str, tuple[Commit, ...]]:
        """Find the commits of full or abbreviated hashes.

        Where a prefix is ambiguous, commits on the default branch are preferred.
        """

    async def headed(self, pattern: str, *, upto: str, since: datetime) -> Past | None:
        """List the landed commits from a moment up to this commit whose titles match a pattern.

        The pattern must mean the same in Python and POSIX; case does not matter. None means that
        the source cannot say.
        """

    async def similar(
        self, queries: Sequence[Footprint], *, upto: str, since: datetime, limit: int
    ) -> Mapping[str, tuple[SimilarCommit, ...]]:
        """Return for each of these commits the landed ones that share the most with it.

        Commits up to `upto` and since a moment count. The queries may be of another repository.
        """

    async def fetch_writers(self, since: Mapping[str, datetime]) -> None:
        """Prefetch the lines that `written_by` reads of each commit, back to its moment."""

    async def written_by(
        self, sha: str, *, since: datetime, moved: bool = False, share: float = 0.0
    ) -> Mapping[str, int]:
        """Count the lines that this commit removes, by the landed commits that wrote them.

        Lines written before `since` are counted under an empty name, and so are all of them if no
        commit wrote this share. With `moved`, a line that was moved from another file in the same
        commit counts for the commit that wrote it there.
        """

    async def line_writers(self, shas: Sequence[str]) -> Mapping[str, tuple[LineWriter, ...]]:
        """Return for each commit the writers of the lines that it changes and of those next to them.

        The likeliest to matter come first, however old. The lines with which a repository began
        have no writer.
        """

    async def births(self, shas: Sequence[str]) -> Mapping[str, tuple[Birth, ...]]:
        """Return for each commit the earlier ones that brought the rarest names which it changes.

        The commit that brought the most of them comes first, however old.
        """

    async def lines_with(
        self, sha: str, words: Sequence[str], *, called: str = "", tests: bool = False
    ) -> Sequence[tuple[str, str]]:
        """Find the lines of a commit's product code that hold one of these words, with their paths.

        With `called` only the files of this name are searched, with `tests` its tests instead.
        """

    async def commits_with(self, pattern: str, window: Window) -> CommitMentions:
        """Find the landed commits of a window whose message, paths or changed lines match.

        The pattern must mean the same in Python and POSIX; case does not matter.
        """

    async def document_lines(
        self, sha: str, words: Sequence[str]
    ) -> Sequence[tuple[str, str]] | None:
        """Find the lines of a commit's documents and examples that hold one of these words.

        What is written for contributors is left out. None where the files cannot be searched.
        """

    async def names_in_tree(
        self, sha: str, names: Sequence[str], paths: Sequence[str] = ()
    ) -> frozenset[str] | None:
        """Return which of some names occur in the text files or the paths of a commit.

        With `paths` only these files and folders are searched. Case, hyphens and underscores do
        not matter. None where the files cannot be searched.
        """

    async def surface_changes(self, shas: Sequence[str]) -> Mapping[str, SurfaceChange | None]:
        """Return for each commit the public names in its Python files, and what breaks for users.

        None stands for a commit of which this is unknown.
        """

    async def surface_between(self, old: str, new: str) -> SurfaceChange | None:
        """Return what is public in one version, and what of it breaks in another."""

    async def tagged(self, names: Sequence[str]) -> Release | None:
        """Find the first of these tags that exists, as a release of its day."""

    async def first_tags(
        self, heads: Sequence[Headline], *, until: datetime, candidates: bool = False
    ) -> Mapping[str, Release]:
        """Return by hash the first release before a moment that has a landed commit or its copy.

        With `candidates`, tags of release candidates count as well.
        """

    async def releases_with(
        self, heads: Sequence[Headline], *, until: datetime
    ) -> Mapping[str, tuple[Release, ...]]:
        """Return by hash the releases before a moment that have a landed commit or a copy of it.

        Candidates are among them; the oldest come first.
        """

    async def reverts_on_branches(self, heads: Sequence[Headline]) -> BranchReverts:
        """Return which landed commits a release branch takes back, and which branches were read."""

    async def release_range(self, tag: str) -> ReleaseRange | None:
        """Return the release before a version, and the commits that only its branch has.

        None where the repository has no such version, or none before it.
        """

    async def release_notes(self, tag: str) -> ReleaseNotes | None:
        """Return what is new in a version; None where there is no earlier one to compare with."""

    async def tags_made(self, start: datetime, end: datetime) -> tuple[Release, ...]:
        """List the tags that were made between two moments, as releases of their days."""

    async def word_shares(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return in which share of the latest messages of commits each word occurs, in any case."""

    async def version(self, name: str, *, tz: str = "UTC") -> Commit:
        """Find the commit that a tag, a hash or a day means."""

    async def between(self, old: str, new: str, *, members: bool = False) -> tuple[Commit, ...]:
        """List the commits that one version has and the other has not, newest first.

        With `members`, what merges brought in is listed, too.
        """

    async def tree_change(self, old: str, new: str) -> Change:
        """Read how the tree of one commit differs from another's, as one change."""


class ThreadSource(Protocol):
    """Issues, pull requests and releases of one repository."""

    repo: RepoId

    async def threads(
        self, window: Window, commits: Sequence[Commit], *, known_open: Collection[int] = ()
    ) -> Threads:
        """Read the threads of the window and the pull request of each of these commits."""

    async def issue(self, number: int) -> Issue | PullRequest:
        """Read one issue or pull request by its number."""

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments below one issue or pull request, oldest first."""

    async def discussions(self, numbers: Sequence[int]) -> tuple[ThreadEvidence, ...]:
        """Read several issues and pull requests at once, with their last comments.

        Those that do not exist are left out.
        """


class NoThreads:
    """A source without issues and pull requests, where none may be read; the report says so."""

    def __init__(self, repo: RepoId, why: NoticeKind) -> None:
        self.repo = repo
        self._why = why

    async def threads(
        self, window: Window, commits: Sequence[Commit], *, known_open: Collection[int] = ()
    ) -> Threads:
        """Return no threads, with a notice that says why."""
        del window, commits, known_open
        return Threads(coverage="not read", notices=(Notice(kind=self._why),))

    async def issue(self, number: int) -> Issue | PullRequest:
        """Raise NotFound."""
        raise NotFound(f"{EvidenceId.thread(self.repo, number)} was not read: {self._why}")

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Raise NotFound."""
        raise NotFound(
            f"comments of {EvidenceId.thread(self.repo, number)} were not read: {self._why}"
        )

    async def discussions(self, numbers: Sequence[int]) -> tuple[ThreadEvidence, ...]:
        """Return no discussions."""
        del numbers
        return ()


@dataclass(frozen=True, kw_only=True)
class RepositorySources:
    """The sources of one repository."""

    code: CodeSource
    threads: ThreadSource
    diffs: int | None  # How many diffs may be read; None where they cost nothing
    is_current: bool = True  # False for a clone of the user's, which may not have been fetched


# `langgraph dev` describes the context of a question; every protocol in it must be checkable.
@runtime_checkable
class Repositories(Protocol):
    """Opens the sources of a repository, once per run."""

    async def open(self, spec: "RepoSpec") -> RepositorySources:
        """Prepare the sources: fetch a mirror, find the API."""


class Publisher(Protocol):
    """Makes a report public, whole or not at all."""

    def publish(self, report: "Report") -> "Report":
        """Write the report and return what the window's report is now."""


@dataclass(frozen=True)
class Step:
    """Progress of a repository, streamed by the nodes of a graph; numbers where they are known."""

    repo: RepoId
    what: str
    done: int = 0
    total: int = 0


@runtime_checkable
class Progress(Protocol):
    """Shows a person what is going on."""

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Report what is being done for a repository, and how far it is where that is known."""


class StoryMemory(Protocol):
    """Remembers the stories of published reports."""

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> "Remembered":
        """Return the earlier reports that have these commits, and the stories of these."""

    def past(self, repo: RepoId, window: Window) -> Past:
        """Return what earlier reports list of a repository."""


class QuestionMemory(Protocol):
    """Remembers what was read, so that questions about it read nothing again."""

    def keep(self, repo: RepoId, cards: Sequence[Card]) -> None:
        """Store commits with their facts."""

    def connect(self, repo: RepoId, threads: Threads, links: "Sequence[Link]") -> None:
        """Store threads, and what connects them with commits."""

    def complete(self, repo: RepoId, window: Window, landed: Sequence[str]) -> None:
        """Record a window as complete, if each of the commits that landed in it is stored."""

    def stored_shas(self, repo: RepoId, shas: Sequence[str]) -> Collection[str]:
        """Return the commits among these that are stored."""

    def gaps(self, repo: RepoId, window: Window) -> Sequence[Window]:
        """Return the parts of a window of which not every landed commit is stored."""

    def resolve(self, text: str, repos: Sequence[RepoId]) -> Sequence[EvidenceId]:
        """Return the stored commits, threads and releases that a text names."""

    def put_thread(self, thread: Issue | PullRequest) -> None:
        """Store one thread as it is now."""

    def put_tags(self, tags: Sequence[Release]) -> None:
        """Store tags of git."""
