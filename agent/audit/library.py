"""What was looked up for a report: each artefact once, under every way the report writes it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.audit.mentions import Mention
from agent.audit.reckoning import Reckoning
from agent.audit.whereabouts import Days
from agent.domain import Commit
from agent.evidence import Evidence, EvidenceId, Unresolved
from agent.ids import RepoId, thread_id
from agent.links import Link
from agent.window import Window


@dataclass(frozen=True)
class Answer:
    """What a mention turned out to be."""

    id: EvidenceId
    """Of what was found, or the words under which it was not."""
    found: bool
    elsewhere: bool = False
    """Found, but in another repository than the report says."""


@dataclass(kw_only=True)
class Library:
    """Everything that was read, and what could not be."""

    found: dict[EvidenceId, Evidence] = field(default_factory=dict)
    unresolved: dict[EvidenceId, Unresolved] = field(default_factory=dict)
    commits: dict[tuple[RepoId, str], EvidenceId] = field(default_factory=dict)
    """By repository and the digits that the report writes."""
    pulls: dict[tuple[RepoId, int], EvidenceId] = field(default_factory=dict)
    """The commit that a pull request brought, by its number."""
    readable: set[RepoId] = field(default_factory=set)
    """Repositories whose commits could be looked up."""
    landed: dict[RepoId, tuple[Commit, ...]] = field(default_factory=dict)
    """What landed in the report's days."""
    lines: dict[RepoId, tuple[Commit, ...]] = field(default_factory=dict)
    """What landed around these days, as far as it was read."""
    days: Days = field(default_factory=Days)
    """What the report is about, as labelled or worked out."""
    branches: dict[RepoId, str] = field(default_factory=dict)
    members: dict[EvidenceId, int] = field(default_factory=dict)
    """How many commits a merge brought in."""
    sizes: dict[EvidenceId, tuple[int, int]] = field(default_factory=dict)
    """The added and deleted lines of commits of these days, where the report compares or sums them up."""
    tz: str = "UTC"
    window: Window | None = None
    links: tuple[Link, ...] = ()
    reckoned: dict[EvidenceId, Reckoning] = field(default_factory=dict)
    """The facts of commits that a report of ours speaks of."""
    people: set[str] = field(default_factory=set)
    """Who landed something around these days, in lower case."""
    around: dict[EvidenceId, frozenset[str]] = field(default_factory=dict)
    """The names that a change's diff lacks and its whole files have, for each commit where these were read."""
    failures: dict[RepoId, str] = field(default_factory=dict)
    """Why a repository could not be read."""

    def answer(self, mention: Mention, repo: RepoId | None, among: Iterable[RepoId]) -> Answer:
        """Find what a mention means: in the repository it names, else in any other that was read."""
        if mention.kind == "commit":
            return self._commit(mention, repo, among)
        if repo is None or (mention.kind == "thread" and not mention.number):
            return Answer(mention.words, found=False)
        if mention.kind == "thread":
            name: EvidenceId = thread_id(repo, mention.number)
            return Answer(name, found=name in self.found)
        name = f"{repo}@{mention.tag}"
        return Answer(name, found=name in self.found)

    def _commit(self, mention: Mention, repo: RepoId | None, among: Iterable[RepoId]) -> Answer:
        if repo is not None and (own := self.commits.get((repo, mention.sha))):
            return Answer(own, found=True)
        others = [self.commits[other, mention.sha] for other in among if (other, mention.sha) in self.commits]
        if len(others) == 1:
            return Answer(others[0], found=True, elsewhere=repo is not None)
        name = f"{repo}@{mention.sha}" if repo else mention.sha
        return Answer(name, found=False)

    def change_of(self, mention: Mention, repo: RepoId | None, among: Iterable[RepoId]) -> Answer:
        """Find the commit behind a mention, also where a pull request is named."""
        if mention.kind == "thread" and repo is not None and (commit := self.pulls.get((repo, mention.number))):
            return Answer(commit, found=True)
        return self.answer(mention, repo, among)

    def unread(self, repo: RepoId | None) -> str:
        """Say why nothing can be told of a repository."""
        if repo is None:
            return "it is not said which repository is meant"
        return self.failures.get(repo, f"no source for {repo}; give it with --repo {repo} or --repo {repo}=PATH")
