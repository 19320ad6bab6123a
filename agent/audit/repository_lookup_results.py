"""Results of looking up repositories: what an audited report names, and what each has of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import pull_number
from agent.domain.threads import Issue, PullRequest

_SURE_BEGINNING = 10  # Digits of a hash that no two commits of a repository have in common


@dataclass(frozen=True)
class ReportReference:
    """A commit or thread that a block names."""

    kind: str  # commit or thread
    value: str  # Hexadecimal digits, or the number
    line: int
    repo: RepoId | None = None  # The repository that the reference itself names
    label: str = ""  # The text of a link
    field: str = ""  # The name of the field whose value it is
    start: int = 0  # Where it begins in the text of its block, with the label of a link
    end: int = 0
    is_set_apart: bool = False  # It is in a code span, or leads an item before a colon
    is_pull: bool = False  # A link that leads to a pull request

    @property
    def written(self) -> str:
        """Return the reference as people write it."""
        if self.repo is None:
            return f"#{self.value}" if self.kind == "thread" else self.value
        if self.kind == "thread":
            return str(EvidenceId.listed(self.repo, number=int(self.value)))
        return str(EvidenceId.listed(self.repo, revision=self.value))

    @property
    def is_surely_hash(self) -> bool:
        """Return True for what cannot be a plain number or a word."""
        if self.label or self.field == "commit":
            return True
        digits = sum(character.isdigit() for character in self.value)
        letters = len(self.value) - digits
        if self.is_set_apart:
            return digits > 0 and letters > 0
        return digits > 1 and letters > 1


@dataclass
class AuditedRepository:
    """The parts of one repository that a report names."""

    repo: RepoId
    # The commits that abbreviated hashes may mean.
    commits_by_hash: Mapping[str, Sequence[Commit]] = field(default_factory=dict)
    unanswered: frozenset[str] = frozenset()  # Hashes that the source could not be asked about
    line: tuple[Commit, ...] = ()  # The landed commits around those that are cited
    is_complete: bool = False  # A shallow clone or an API cannot say that a commit does not exist
    changes: dict[str, CommitEvidence] = field(default_factory=dict)
    threads: dict[int, Issue | PullRequest] = field(default_factory=dict)
    missing: frozenset[int] = frozenset()  # Numbers that the API does not have
    # The tags with the moments at which they were made, if the report speaks of versions.
    tags: Mapping[str, datetime] = field(default_factory=dict)

    @cached_property
    def pulls(self) -> dict[int, Commit]:
        """Return the landed commit of each pull request."""
        commits = [*reversed(self.line), *chain.from_iterable(self.commits_by_hash.values())]
        pulls = {}
        for commit in commits:
            number = pull_number(commit.subject)
            if number:
                pulls[number] = commit
        return pulls

    def nearest(self, dead_hash: str) -> list[Commit]:
        """Return the one landed commit whose hash a dead one resembles; none if several do.

        It has one digit wrong, or goes on in another way behind a beginning that is long enough.
        """
        size = len(dead_hash)
        beginning = dead_hash[:_SURE_BEGINNING]
        commits = []
        for commit in self.line:
            has_beginning = size > _SURE_BEGINNING and commit.sha.startswith(beginning)
            if has_beginning or _differs_in_one_digit(commit.sha[:size], dead_hash):
                commits.append(commit)
        return commits if len(commits) == 1 else []

    @cached_property
    def landed_hashes(self) -> frozenset[str]:
        """Return the hashes of the landed commits that were read."""
        return frozenset(commit.sha for commit in self.line)

    @cached_property
    def authors(self) -> dict[str, set[str]]:
        """Return the names of everybody who landed something, with their addresses."""
        addresses_by_name: dict[str, set[str]] = {}
        for commit in self.line:
            addresses = addresses_by_name.setdefault(folded(commit.author.name), set())
            addresses.add(commit.author.email.casefold())
        return addresses_by_name


class Doubt(NamedTuple):
    """Hashes that are not where they ought to be, probably because of the wrong repository."""

    text: str  # What is said once, in place of a finding for each
    references: tuple[ReportReference, ...]
    repos: frozenset[RepoId]  # Where they ought to be
    doubtful: frozenset[RepoId]  # Those of which nothing else is to be believed, either


class Library(dict[RepoId, AuditedRepository]):
    """Everything that was looked up for a report, without repositories that could not be read."""

    def __init__(
        self,
        repositories: Iterable[AuditedRepository] = (),
        doubts: Sequence[Doubt] = (),
        other_names: Mapping[RepoId, RepoId] | None = None,
    ) -> None:
        super().__init__({repository.repo: repository for repository in repositories})
        self.doubts = tuple(doubts)
        self.other_names = (
            other_names or {}
        )  # Names under which the report links given repositories

    @property
    def doubtful(self) -> frozenset[RepoId]:
        """Return the repositories that the report is probably not about."""
        return frozenset(chain.from_iterable(doubt.doubtful for doubt in self.doubts))

    def meant(self, reference: ReportReference, scope: frozenset[RepoId]) -> list[Commit]:
        """Return the commits that a hash may mean: in the repository it names, in scope, or in any."""
        stated = [reference.repo] if reference.repo else []
        for repos in (stated, scope, self):
            commits: list[Commit] = []
            for repo in repos:
                if repo in self:
                    commits += self[repo].commits_by_hash.get(reference.value, ())
            if commits:
                return commits
        return []

    def nearest(self, reference: ReportReference, scope: frozenset[RepoId]) -> list[Commit]:
        """Return the one commit that a dead hash was probably meant for; none if it is not known."""
        repos = {reference.repo} if reference.repo else scope or self.keys()
        commits: list[Commit] = []
        for repo in repos:
            if repo in self and repo not in self.doubtful:
                commits += self[repo].nearest(reference.value)
        return commits if len(commits) == 1 else []

    def homes(self, reference: ReportReference) -> frozenset[RepoId]:
        """Return the repositories that have a commit of this hash."""
        return frozenset(repo for repo in self if self[repo].commits_by_hash.get(reference.value))

    def landed(self, reference: ReportReference, repos: Iterable[RepoId]) -> Commit | None:
        """Return the landed commit of a pull request in one of these repositories."""
        for repo in repos:
            if repo not in self or repo in self.doubtful:
                continue
            commit = self[repo].pulls.get(int(reference.value))
            if commit is not None:
                return commit
        return None


def folded(name: str) -> str:
    """Return a name so that case, dots and spaces do not matter."""
    return re.sub(r"[\W_]+", "", name.casefold())


def _differs_in_one_digit(first: str, second: str) -> bool:
    differing = 0
    for digit, other in zip(first, second, strict=True):
        if digit != other:
            differing += 1
            if differing > 1:
                return False
    return differing == 1


def count_differing(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the words or letters of the longer one between a common beginning and end."""
    shortest = min(len(first), len(second))
    start = 0
    while start < shortest and first[start] == second[start]:
        start += 1
    end = 0
    while end < shortest - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return max(len(first), len(second)) - start - end


def touched(path: str, change: Change) -> list[FileChange]:
    """Return the files of a change that a path names, whole or by its last folders."""
    ending = f"/{path.removeprefix('./').strip('/').casefold()}"
    files = {}
    for file in change.files:
        for name in (file.path, file.previous_path):
            if name and f"/{name}".casefold().endswith(ending):
                files[file.path] = file
    return list(files.values())
