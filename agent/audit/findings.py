"""What a report refers to, what was found of it in the repositories, and what an audit says of each statement."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange, Issue, PullRequest, pull_named
from agent.domain.evidence import CommitEvidence

RIGHT, UNVERIFIABLE, NOT_CHECKED = "right", "unverifiable", "not-checked"


@dataclass(frozen=True)
class Finding:
    """One statement of a report with its verdict: right, unverifiable, not-checked or `wrong:<why>`."""

    line: int
    kind: str
    claim: str
    verdict: str
    evidence: str

    @property
    def wrong(self) -> bool:
        """Tell whether it must be corrected."""
        return self.verdict.startswith("wrong:")


def finding(line: int, kind: str, claim: str, evidence: str, *, wrong: str) -> Finding:
    """Make a finding that is right where nothing is wrong."""
    return Finding(line, kind, claim, f"wrong:{wrong}" if wrong else RIGHT, evidence)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by line, each once."""
    return sorted(dict.fromkeys(findings), key=lambda one: (one.line, one.kind, one.claim))


def summary(findings: Sequence[Finding], **about: Any) -> dict[str, Any]:
    """Count the verdicts."""
    counts = Counter("wrong" if finding.wrong else finding.verdict for finding in findings)
    verdicts = ("wrong", RIGHT, UNVERIFIABLE, NOT_CHECKED)
    return {
        "findings": len(findings),
        **{one.replace("-", "_"): counts[one] for one in verdicts},
        **about,
    }


@dataclass(frozen=True)
class Reference:
    """A commit or thread that a block names."""

    kind: str  # commit or thread
    value: str  # Hexadecimal digits, or the number
    line: int
    repo: RepoId | None = None  # The repository that the reference itself names
    label: str = ""  # What a link shows
    field: str = ""  # The name of the field that it stands in

    @property
    def shown(self) -> str:
        """Write it as people do."""
        sign = "#" if self.kind == "thread" else "@" if self.repo else ""
        return f"{self.repo or ''}{sign}{self.value}"


@dataclass
class Repository:
    """What one repository has of what a report names."""

    repo: RepoId
    named: Mapping[str, Sequence[Commit]] = field(
        default_factory=dict
    )  # The commits that digits may mean
    line: tuple[Commit, ...] = ()  # The landed commits around those that are cited
    whole: bool = False  # A shallow clone or an API cannot say that a commit does not exist
    changes: dict[str, CommitEvidence] = field(default_factory=dict)
    threads: dict[int, Issue | PullRequest] = field(default_factory=dict)
    missing: frozenset[int] = frozenset()  # Numbers that the API does not have

    @cached_property
    def pulls(self) -> dict[int, Commit]:
        """Give the landed commit of each pull request."""
        rows = [*reversed(self.line), *(commit for some in self.named.values() for commit in some)]
        return {number: commit for commit in rows if (number := pull_named(commit.subject))}

    @cached_property
    def authors(self) -> frozenset[str]:
        """Name everybody who landed something."""
        return frozenset(folded(commit.author.name) for commit in self.line)


class Library(dict[RepoId, Repository]):
    """Everything that was looked up for a report, by repository; those that failed are not in it."""

    def meant(self, one: Reference, scope: frozenset[RepoId]) -> list[Commit]:
        """List the commits that a hash may mean: in the repository that it names, in its scope, or anywhere."""
        for repos in ([one.repo] if one.repo else [], scope, self):
            if found := [
                each
                for repo in repos
                if repo in self
                for each in self[repo].named.get(one.value, ())
            ]:
                return found
        return []

    def landed(self, one: Reference, scope: frozenset[RepoId]) -> Commit | None:
        """Find the landed commit of a pull request; without a scope only where one repository alone can be meant."""
        repos = [one.repo] if one.repo else list(scope) or (list(self) if len(self) == 1 else [])
        return next(
            filter(None, (self[repo].pulls.get(int(one.value)) for repo in repos if repo in self)),
            None,
        )


def folded(name: str) -> str:
    """Write a name so that case, dots and spaces do not matter."""
    return re.sub(r"[\W_]+", "", name.casefold())


def touched(path: str, change: Change) -> list[FileChange]:
    """Find the files of a change that a path names, whole or by its last folders."""
    wanted = f"/{path.removeprefix('./').strip('/').casefold()}"
    names = (
        (file, name) for file in change.files for name in (file.path, file.previous_path) if name
    )
    return list(
        {file.path: file for file, name in names if f"/{name}".casefold().endswith(wanted)}.values()
    )
