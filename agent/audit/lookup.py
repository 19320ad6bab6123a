"""What an audit says of a report: one finding for each statement, and how many there are of each verdict."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agent.audit.entries import Entry, Reference
from agent.domain.base import CommitId, RepoId
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


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by line, each once."""
    return sorted(dict.fromkeys(findings), key=lambda one: (one.line, one.kind, one.claim))


def summary(findings: Sequence[Finding], **about: Any) -> dict[str, Any]:
    """Count the verdicts."""
    counts = Counter("wrong" if finding.wrong else finding.verdict for finding in findings)
    verdicts = ("wrong", RIGHT, UNVERIFIABLE, NOT_CHECKED)
    return {"findings": len(findings), **{one.replace("-", "_"): counts[one] for one in verdicts}, **about}


_LOGIN = re.compile(r"\A(?:\d{1,20}\+)?([\w-]{1,60}(?:\[bot\])?)@users\.noreply\.github\.com")
Commits = tuple[CommitId, ...]
_CO_AUTHOR = re.compile(r"^Co-authored-by: {0,4}([^<\n]{1,200})<([^>\n]{0,200})>", re.MULTILINE | re.IGNORECASE)


def people_of(commit: Commit) -> set[str]:
    """Name everybody who made a commit, by name and by login."""
    pairs = [(commit.author.name, commit.author.email), (commit.committer.name, commit.committer.email)]
    pairs += _CO_AUTHOR.findall(commit.message)
    names = [name for name, _ in pairs]
    for _, email in pairs:
        login = _LOGIN.fullmatch(email.strip())
        names.append(login[1] if login else email.partition("@")[0])
    return {folded(name) for name in names} - {"", "noreply", "github"}


def folded(name: str) -> str:
    """Write a name so that case, dots and spaces do not matter."""
    return re.sub(r"[\W_]+", "", name.casefold())


@dataclass
class Repository:
    """What one repository has of what a report names."""

    repo: RepoId
    named: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The full hashes that digits of the report may mean."""
    commits: dict[str, Commit] = field(default_factory=dict)
    line: tuple[Commit, ...] = ()  # The landed commits around those that are cited
    whole: bool = False
    """Whether all of history is here: a shallow clone or an API cannot say that a commit does not exist."""
    changes: dict[str, CommitEvidence] = field(default_factory=dict)
    threads: dict[int, Issue | PullRequest] = field(default_factory=dict)
    missing: frozenset[int] = frozenset()  # Numbers that the API does not have

    @cached_property
    def pulls(self) -> dict[int, str]:
        """Give the landed commit of each pull request."""
        rows = [*reversed(self.line), *self.commits.values()]
        return {number: commit.sha for commit in rows if (number := pull_named(commit.subject))}

    @cached_property
    def people(self) -> frozenset[str]:
        """Name everybody who landed something."""
        return frozenset(name for commit in self.line for name in people_of(commit))


class Library(dict[RepoId, Repository]):
    """Everything that was looked up for a report, by repository; those that failed are not in it."""

    def commit(self, name: CommitId) -> Commit:
        """Give a commit that was found."""
        repo, _, sha = name.rpartition("@")
        return self[RepoId(repo)].commits[sha]

    def evidence(self, name: CommitId) -> CommitEvidence | None:
        """Give a commit with its diff, where that was read."""
        repo, _, sha = name.rpartition("@")
        return self[RepoId(repo)].changes.get(sha)

    def meant(self, one: Reference, scope: frozenset[RepoId]) -> list[CommitId]:
        """List the commits that a hash may mean: in the repository that it names, in its scope, or anywhere."""
        for repos in ([one.repo] if one.repo else [], scope, self):
            read = [self[repo] for repo in repos if repo in self]
            if found := [each.commits[sha].id for each in read for sha in each.named.get(one.value, ())]:
                return found
        return []

    def landed(self, number: int, scope: frozenset[RepoId], repo: RepoId | None = None) -> CommitId | None:
        """Find the landed commit of a pull request; without a scope only where one repository alone can be meant."""
        repos = [repo] if repo else list(scope) or (list(self) if len(self) == 1 else [])
        read = [self[name] for name in repos if name in self]
        return next((one.commits[one.pulls[number]].id for one in read if one.pulls.get(number) in one.commits), None)


def touched(path: str, change: Change) -> list[FileChange]:
    """Find the files of a change that a path names, whole or by its last folders."""
    wanted = f"/{path.removeprefix('./').strip('/').casefold()}"
    names = ((file, name) for file in change.files for name in (file.path, file.previous_path) if name)
    return list({file.path: file for file, name in names if f"/{name}".casefold().endswith(wanted)}.values())


def find_commits(entries: Sequence[Entry], library: Library) -> None:
    """Say for every block which commits it is about: those it names, or those of what it stands under or behind."""
    own = {entry: _own(entry, library) for entry in entries}
    about = _about(entries, own)
    last: Entry | None = None
    for entry in entries:
        followed = last.commits if last and _follows(entry, last) else ()
        items = (about[entry], *(about[one] for one in entry.above("parent")), followed)
        entry.commits = next(filter(None, (*items, *(about[one] for one in entry.above("heading")))), ())
        entry.direct = bool(own[entry])
        entry.evidence = tuple(one for name in entry.commits if (one := library.evidence(name)))
        last = entry


def _own(entry: Entry, library: Library) -> Commits:
    """Give the commits that a block names: by hash, or else by the pull request that brought them."""
    pulls = [one for one in entry.references if one.kind == "thread" and one.place in ("", "pull")]
    landed = [name for one in pulls if (name := library.landed(one.number, entry.scope, one.repo))][-1:]
    # The title of a commit may have the hash of another one: that of what it reverts.
    titles = " ".join(library.commit(name).subject for name in landed)
    hashes = [one for one in entry.references if one.kind == "commit" and one.value[:7] not in titles]
    meant = [found[0] for one in hashes if len(found := library.meant(one, entry.scope)) == 1]
    return tuple(dict.fromkeys(meant or landed))


def _about(entries: Sequence[Entry], own: Mapping[Entry, Commits]) -> dict[Entry, Commits]:
    """Give the commits of items and headings: those they name, or the one commit that everything below them names."""
    below: dict[Entry, set[CommitId]] = {entry: set() for entry in entries}
    for entry in entries:
        for one in (*entry.above("parent"), *entry.above("heading")):
            below[one].update(own[entry])
    return {entry: own[entry] or (tuple(names) if len(names) == 1 else ()) for entry, names in below.items()}


def _follows(entry: Entry, last: Entry) -> bool:
    """Tell whether a labelled line or a fence belongs to the entry right before it."""
    block, before = entry.block, last.block
    if before.kind in ("heading", "rule") or block.kind in ("heading", "row"):
        return False
    labelled = bool(entry.fields) and block.level >= before.level and (block.kind != "item" or before.kind == "item")
    return block.kind == "fence" or labelled
