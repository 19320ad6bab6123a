"""Everything that was found for a question, before anything is said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agent.asking.inquiry import Inquiry
from agent.asking.matching import Match
from agent.card import Card
from agent.domain import Comment, Commit, Issue, PullRequest, Release
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import RepoId, ThreadId
from agent.links import Link
from agent.window import Window


@dataclass(frozen=True)
class Searched:
    """One repository, and over which time its commits were looked at."""

    repo: RepoId
    start: datetime
    end: datetime
    commits: int
    threads: bool
    """Whether its issues and pull requests were at hand too."""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What fits a question, what nearly does, and what stands around it."""

    inquiry: Inquiry
    window: Window
    """Over which time the answer speaks."""
    searched: tuple[Searched, ...]
    matches: tuple[Match, ...] = ()
    """Commits that fit, the best first."""
    best: tuple[Match, ...] = ()
    """The one commit, or what belongs to it, that fits the question as a whole clearly better than all others."""
    near: tuple[Match, ...] = ()
    """Commits that fit in part, or landed at another time."""
    listed: tuple[Card, ...] = ()
    """Everything that landed in the window, newest first, where the question is about all of it."""
    evidence: Mapping[EvidenceId, CommitEvidence] = field(default_factory=dict)
    """The commits that were read again for the answer."""
    cards: Mapping[EvidenceId, Card] = field(default_factory=dict)
    threads: Mapping[ThreadId, Issue | PullRequest] = field(default_factory=dict)
    unread: Mapping[int, str] = field(default_factory=dict)
    """Threads that are named and could not be read, and why."""
    naming: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    """Commits that name a number of which neither thread nor pull request is known."""
    issues: tuple[Issue, ...] = ()
    """The issues that are known, where the question is about issues in general."""
    labelled: tuple[Issue | PullRequest, ...] = ()
    """The threads with a label that the question names."""
    comments: Mapping[ThreadId, tuple[Comment, ...]] = field(default_factory=dict)
    """What was said below threads, where the question asks why."""
    attempts: Mapping[ThreadId, tuple[PullRequest, ...]] = field(default_factory=dict)
    """Pull requests that name an issue, landed or not."""
    links: tuple[Link, ...] = ()
    releases: Mapping[RepoId, tuple[Release, ...]] = field(default_factory=dict)
    tags: Mapping[EvidenceId, tuple[str, ...]] = field(default_factory=dict)
    """The tags that contain a commit, oldest first, where that was asked and could be told."""
    undone: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    """Which commit undid which."""
    relanded: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    """Which commit brought which back."""
    origins: Mapping[EvidenceId, Commit] = field(default_factory=dict)
    """The commits that others were picked from."""
    members: Mapping[EvidenceId, tuple[Commit, ...]] = field(default_factory=dict)
    """What merges brought in, where that was asked."""
    pins: tuple[Card, ...] = ()
    """Commits that move one repository to a version of another, newest first."""
    causes: tuple[Card, ...] = ()
    """What the commits in question name as the change that broke something."""
    later: tuple[Card, ...] = ()
    """Commits on the same matter that landed after something was undone, oldest first."""
    ambiguous: Mapping[str, tuple[EvidenceId, ...]] = field(default_factory=dict)
    """Hashes that may mean several commits."""
    unknown: tuple[str, ...] = ()
    """Versions that the question is about and that nobody has heard of."""
    between: tuple[tuple[str, datetime], ...] = ()
    """The releases that bound the window, with their moments."""

    @property
    def searched_until(self) -> datetime:
        """The last moment of which anything can be known."""
        return max((one.end for one in self.searched), default=self.window.end)
