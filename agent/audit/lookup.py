"""What the repositories have of what a report names, and which commits each of its blocks is about."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agent.audit.markdown import Block
from agent.audit.references import Reference
from agent.audit.structure import Days, Field, Page
from agent.domain import Commit, Issue, PullRequest
from agent.evidence import CommitEvidence
from agent.ids import CommitId, RepoId

_PULL = re.compile(r"\(#([1-9]\d{0,8})\)\s*$")
_MERGED = re.compile(r"Merge pull request #([1-9]\d{0,8})\b")
_LOGIN = re.compile(r"\A(?:\d{1,20}\+)?([\w-]{1,60}(?:\[bot\])?)@users\.noreply\.github\.com")
_LISTED = 2
"""How many other commits the parts of a section name where it is a list and not about one of them."""
_CO_AUTHOR = re.compile(r"^Co-authored-by: {0,4}([^<\n]{1,200})<([^>\n]{0,200})>", re.MULTILINE | re.IGNORECASE)


def pull_of(commit: Commit) -> int | None:
    """Give the number of the pull request that a commit says it came by."""
    found = _PULL.search(commit.subject) or _MERGED.match(commit.subject)
    return int(found[1]) if found else None


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
    failure: str = ""
    """Why it could not be read."""
    named: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The full hashes that digits of the report may mean."""
    commits: dict[str, Commit] = field(default_factory=dict)
    line: tuple[Commit, ...] = ()
    """The landed commits around those that are cited."""
    whole: bool = False
    """Whether all of history is here: a shallow clone or an API cannot say that a commit does not exist."""
    changes: dict[str, CommitEvidence] = field(default_factory=dict)
    threads: dict[int, Issue | PullRequest] = field(default_factory=dict)
    missing: frozenset[int] = frozenset()
    """Numbers that the API does not have."""
    paths: frozenset[str] = frozenset()
    """All files of the trees that were searched."""
    words: frozenset[str] = frozenset()
    """The names of the report that these trees hold, in lower case."""
    searched: bool = False

    @cached_property
    def pulls(self) -> dict[int, str]:
        """Give the landed commit of each pull request."""
        rows = [*reversed(self.line), *self.commits.values()]
        return {number: commit.sha for commit in rows if (number := pull_of(commit))}

    @cached_property
    def people(self) -> frozenset[str]:
        """Name everybody who landed something."""
        return frozenset(name for commit in self.line for name in people_of(commit))

    @cached_property
    def newest(self) -> Commit | None:
        """Give the last landed commit."""
        return max(self.line, key=lambda one: one.committed_at, default=None)


class Library:
    """Everything that was looked up for a report."""

    def __init__(self, repositories: Mapping[str, Repository]) -> None:
        self.repositories = {name.casefold(): one for name, one in repositories.items()}

    def get(self, repo: RepoId | None) -> Repository | None:
        """Find what was read of a repository."""
        found = self.repositories.get((repo or "").casefold())
        return found if found and not found.failure else None

    @property
    def readable(self) -> list[Repository]:
        """List the repositories that could be read."""
        return [one for one in self.repositories.values() if not one.failure]

    def commit(self, name: CommitId) -> Commit:
        """Give a commit that was found."""
        repo, _, sha = name.rpartition("@")
        return self.repositories[repo.casefold()].commits[sha]

    def evidence(self, name: CommitId) -> CommitEvidence | None:
        """Give a commit with its diff, where that was read."""
        repo, _, sha = name.rpartition("@")
        return self.repositories[repo.casefold()].changes.get(sha)

    def meant(self, reference: Reference, scope: frozenset[RepoId]) -> list[CommitId]:
        """List the commits that a hash may mean: in the repository that it names, in its scope, or anywhere."""
        for repos in ([reference.repo] if reference.repo else [], scope, [one.repo for one in self.readable]):
            found = [
                self.repositories[repo.casefold()].commits[sha].id
                for repo in repos
                if (one := self.get(repo))
                for sha in one.named.get(reference.value, ())
            ]
            if found:
                return found
        return []

    def landed(self, number: int, scope: frozenset[RepoId], repo: RepoId | None = None) -> CommitId | None:
        """Find the landed commit of a pull request; without a scope only where one repository alone can be meant."""
        alone = [one.repo for one in self.readable] if len(self.readable) == 1 else []
        read = [one for name in ([repo] if repo else list(scope) or alone) if (one := self.get(name))]
        return next((one.commits[one.pulls[number]].id for one in read if one.pulls.get(number) in one.commits), None)


@dataclass(frozen=True)
class Entry:
    """A block of a report with everything that is known of it."""

    block: Block
    fields: Sequence[Field]
    references: Sequence[Reference]
    scope: frozenset[RepoId]
    mentioned: frozenset[RepoId]
    days: Days | None
    commits: tuple[CommitId, ...]
    """The commits that it is about."""
    direct: bool
    """Whether it names them itself."""
    evidence: tuple[CommitEvidence, ...]
    """Those of which the diff was read."""

    @property
    def whole(self) -> bool:
        """Tell whether all of its commits are there, with all of their files."""
        complete = not any(one.change.incomplete or one.change.unreadable for one in self.evidence)
        return 0 < len(self.evidence) == len(self.commits) and complete

    def line_of(self, field: Field) -> int:
        """Give the line of a value."""
        return self.block.line_at(field.start)


def entries_of(page: Page, library: Library) -> list[Entry]:
    """Say for every block which commits it is about."""
    own = [_own(page, index, library) for index in range(len(page.blocks))]
    items, found = _items(page, own), list[Entry]()
    sections = {i: _section(page, i, own) for i, one in enumerate(page.blocks) if one.kind == "heading"}
    for index, block in enumerate(page.blocks):
        before = found[-1].commits if found else ()
        named = (sections[one] for one in page.above(index))
        commits = own[index] or next(filter(None, (*_above(page, index, items, before), *named)), ())
        evidence = tuple(one for name in commits if (one := library.evidence(name)))
        parts = (
            page.fields[index],
            page.references[index],
            page.scopes[index],
            page.mentioned[index],
            page.days[index],
        )
        found.append(Entry(block, *parts, commits, bool(own[index]), evidence))
    return found


def _own(page: Page, index: int, library: Library) -> tuple[CommitId, ...]:
    """Give the commits that a block names: by hash, or else by the pull request that brought them."""
    scope = page.scopes[index]
    found: dict[CommitId, None] = {}
    last: CommitId | None = None
    for one in page.references[index]:
        if one.kind == "commit":
            meant = library.meant(one, scope)
            found |= dict.fromkeys(meant if len(meant) == 1 else ())
        elif one.place in ("", "pull"):
            last = library.landed(one.number, scope, one.repo) or last
    return tuple(found) or ((last,) if last else ())


def _items(page: Page, own: list[tuple[CommitId, ...]]) -> list[tuple[CommitId, ...]]:
    """Give the commits of list items: those they name, or the one commit that the items below them name."""
    below: list[set[CommitId]] = [set() for _ in own]
    for index in reversed(range(len(own))):
        parent = page.parents[index]
        if parent is not None:
            below[parent] |= {*own[index], *below[index]}
    return [mine or (tuple(names) if len(names) == 1 else ()) for mine, names in zip(own, below, strict=True)]


def _above(
    page: Page, index: int, items: list[tuple[CommitId, ...]], before: tuple[CommitId, ...]
) -> Iterator[tuple[CommitId, ...]]:
    """Look in the item itself and those above it, then in the entry that a labelled line or a fence follows."""
    at: int | None = index
    while at is not None:
        yield items[at]
        at = page.parents[at]
    block, last = page.blocks[index], page.blocks[max(0, index - 1)]
    follows = last.kind not in ("heading", "rule") and block.kind not in ("heading", "row")
    labelled = bool(page.fields[index]) and block.level >= last.level and (block.kind != "item" or last.kind == "item")
    if follows and (block.kind == "fence" or labelled):
        yield before


def _section(page: Page, heading: int, own: list[tuple[CommitId, ...]]) -> tuple[CommitId, ...]:
    """Give the commits of a section: those of its heading, or the one commit that its first block names."""
    first = next(page.members(heading), None)
    if own[heading] or first is None or page.blocks[first].kind not in ("text", "item") or len(own[first]) != 1:
        return own[heading]
    # An entry has its hash in front and may name another commit; a list of entries has a hash in each of them.
    listed = {
        name
        for index in page.members(heading)
        if page.blocks[index].kind != "text" and any(one.kind == "commit" for one in page.references[index])
        for name in own[index]
    }
    return own[first] if len(listed - set(own[first])) < _LISTED else ()
