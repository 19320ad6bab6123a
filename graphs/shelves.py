"""Looking things up in one repository: hashes in one pass, diffs in another, threads a few at a time."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from agent.audit.library import Library
from agent.audit.reckoning import Reckoning
from agent.audit.relations import closed_by
from agent.audit.wanted import Wanted
from agent.desks import Desk, Progress
from agent.domain import Change, Commit, Issue, Landing, PullRequest, Release
from agent.errors import AppError, NotFound, UpstreamError
from agent.evidence import CommitEvidence, EvidenceId, ReleaseEvidence, ThreadEvidence, Unresolved
from agent.ids import RepoId, commit_id, thread_id
from agent.links import Grade, Link, Relation
from agent.sources import CodeSource, Named, NamesCommits, NoThreads, ThreadSource
from agent.window import Window
from graphs.reader import Reader

_AT_ONCE = 6
_AROUND = timedelta(days=60)
_ALL = Window(start=datetime(1970, 1, 2, tzinfo=UTC), end=datetime(2099, 12, 30, tzinfo=UTC), tz="UTC")
_NEVER = Window(start=datetime(1970, 1, 2, tzinfo=UTC), end=datetime(1970, 1, 3, tzinfo=UTC), tz="UTC")
_CLOSING = re.compile(r"\(#([1-9]\d{0,8})\)\s*$")
_MERGED = re.compile(r"^Merge pull request #([1-9]\d{0,8})\b")
_CREDIBLE = 0.9
_OFFSET = timedelta(hours=14)
_SIZED = 400
"""How many commits are read only to count their lines."""
_FILES = 60
"""How many whole files of a change are read."""
_WORD = re.compile(rb"\w+")


@dataclass
class Shelf:
    """What one repository has of what a report names."""

    repo: RepoId
    failure: str = ""
    named: dict[str, Named] = field(default_factory=dict)
    """By the digits that the report writes."""
    ambiguous: dict[str, str] = field(default_factory=dict)
    commits: dict[str, CommitEvidence] = field(default_factory=dict)
    line: tuple[Commit, ...] = ()
    """The first-parent line around the report's days."""
    line_read: bool = False
    branch: str = ""
    members: dict[str, int] = field(default_factory=dict)
    pulls: dict[int, str] = field(default_factory=dict)
    """The commit that a pull request brought, by its number."""
    threads: dict[int, Issue | PullRequest] = field(default_factory=dict)
    unread: dict[int, Unresolved] = field(default_factory=dict)
    releases: tuple[Release, ...] = ()
    pulls_wanted: list[str] = field(default_factory=list)
    """The commits of pull requests that the report names."""
    reckoned: dict[str, Reckoning] = field(default_factory=dict)
    around: dict[str, frozenset[str]] = field(default_factory=dict)
    """The names that a report gives a change and only its whole files have."""
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The added and deleted lines of what landed in the report's days."""


async def fill(desk: Desk, wanted: Wanted, progress: Progress, reader: Reader) -> Shelf:
    """Look up everything that a report names in one repository."""
    shelf = Shelf(repo=desk.code.repo)
    progress.step(shelf.repo, "looking up commits")
    await _name(shelf, desk.code, wanted)
    await _line(shelf, desk.code, wanted)
    await _read_threads(shelf, desk.threads, wanted, progress)
    asked = dict.fromkeys((*wanted.threads, *wanted.beside))
    shelf.pulls_wanted = [shelf.pulls[number] for number in asked if number in shelf.pulls]
    await _read_commits(shelf, desk.code, progress)
    await _look_around(shelf, desk.code, wanted)
    await _measure(shelf, desk.code, wanted)
    if wanted.members:
        await _count_members(shelf, desk.code)
    await _reckon(shelf, desk.code, wanted, reader, progress)
    return shelf


async def _name(shelf: Shelf, code: CodeSource, wanted: Wanted) -> None:
    """Find the commits that the report's hashes mean."""
    if isinstance(code, NamesCommits):
        found: Mapping[str, tuple[Named, ...]] = await code.named([*wanted.own, *wanted.others])
    else:
        found = await _one_by_one(code, wanted.own)
        if not any(found.values()):
            # An API that has nothing of all this may not have the repository at all, which is told in other words.
            await code.landed(wanted.window or _NEVER)
    for digits, candidates in found.items():
        if len(candidates) == 1:
            shelf.named[digits] = candidates[0]
        elif candidates:
            several = ", ".join(one.commit.sha[:12] for one in candidates[:4])
            shelf.ambiguous[digits] = f"{digits} may mean {several} in {shelf.repo}"


async def _one_by_one(code: CodeSource, digits: Iterable[str]) -> dict[str, tuple[Named, ...]]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(prefix: str) -> tuple[str, tuple[Named, ...]]:
        async with gate:
            try:
                return prefix, (Named(commit=await code.resolve(prefix), landed=None),)
            except NotFound:
                return prefix, ()

    return dict(await asyncio.gather(*(one(prefix) for prefix in digits)))


# ---------------------------------------------------------------- the line and its pull requests


async def _line(shelf: Shelf, code: CodeSource, wanted: Wanted) -> None:
    """Read the line around the report's days, and further back where a pull request is not on it."""
    near = _near(shelf, wanted)
    cheap = isinstance(code, NamesCommits)
    window = near if near is not None and (cheap or wanted.window is None) else wanted.window
    if window is None:
        window = _ALL if cheap and wanted.pulls else None
    if window is None or not (cheap or wanted.window):
        return
    _index(shelf, await code.landed(window))
    if cheap and window != _ALL and any(number not in shelf.pulls for number in wanted.pulls):
        _index(shelf, await code.landed(_ALL))


def _near(shelf: Shelf, wanted: Wanted) -> Window | None:
    """Span the report's days and the commits it cites, with room on both sides."""
    moments = [one.commit.committed_at for digits, one in shelf.named.items() if digits in wanted.own]
    if wanted.window is not None:
        moments += [wanted.window.start, wanted.window.end]
    if not moments:
        return None
    start, end = max(min(moments) - _AROUND, _ALL.start), min(max(moments) + _AROUND, _ALL.end)
    return Window(start=start, end=end, tz="UTC")


def _index(shelf: Shelf, landing: Landing) -> None:
    """Keep the line, and which pull request each commit of it says it came by."""
    shelf.line = tuple(row.commit for row in landing.rows)
    shelf.line_read, shelf.branch = True, landing.branch
    shelf.members = {row.commit.sha: row.members for row in landing.rows if row.members is not None}
    for commit in reversed(shelf.line):
        for form in (_CLOSING, _MERGED):
            if found := form.search(commit.subject):
                shelf.pulls[int(found[1])] = commit.sha


# ---------------------------------------------------------------- threads


async def _read_threads(shelf: Shelf, source: ThreadSource, wanted: Wanted, progress: Progress) -> None:
    """Read the issues and pull requests that the report names."""
    numbers = [number for number in wanted.threads if number not in shelf.pulls or number in wanted.issues]
    if isinstance(source, NoThreads):
        why = "issues and pull requests were not read: set GITHUB_TOKEN or GITZETTE_GITHUB_URL"
        shelf.unread = {number: Unresolved(kind="unread", reason=why) for number in numbers}
        return
    gate, gone = asyncio.Semaphore(_AT_ONCE), list[int]()

    async def one(number: int) -> None:
        async with gate:
            try:
                shelf.threads[number] = await source.issue(number)
            except NotFound:
                gone.append(number)
            except UpstreamError as error:
                shelf.unread[number] = Unresolved(kind="unread", reason=str(error))
            progress.step(shelf.repo, "reading issues and pull requests", len(shelf.threads), len(numbers))

    await asyncio.gather(*(one(number) for number in numbers))
    shelf.unread |= {number: _missing(shelf, number, len(gone), len(numbers)) for number in gone}
    await _releases(shelf, source, wanted)


def _missing(shelf: Shelf, number: int, gone: int, asked: int) -> Unresolved:
    """Tell a number that never was from one that this server does not have."""
    name = thread_id(shelf.repo, number)
    highest = max([*shelf.pulls, *shelf.threads], default=0)
    if number > highest or 1 - gone / asked >= _CREDIBLE:
        return Unresolved(kind="missing", reason=f"there is no {name}")
    return Unresolved(
        kind="unread", reason=f"the API has no {name}, though it has higher numbers: deleted or not served"
    )


async def _releases(shelf: Shelf, source: ThreadSource, wanted: Wanted) -> None:
    if not wanted.releases or wanted.window is None:
        return
    try:
        shelf.releases = (await source.threads(wanted.window, ())).releases
    except AppError:
        shelf.releases = ()


# ---------------------------------------------------------------- diffs


async def _read_commits(shelf: Shelf, code: CodeSource, progress: Progress) -> None:
    """Read each commit that is spoken of, once, whatever it is called."""
    landed = {one.commit.sha: one.landed for one in shelf.named.values()}
    brought = {sha: number for number, sha in shelf.pulls.items()}
    for thread in shelf.threads.values():
        if (
            isinstance(thread, PullRequest)
            and thread.merge_commit
            and re.fullmatch("[0-9a-f]{40}", thread.merge_commit)
        ):
            shelf.pulls.setdefault(thread.number, thread.merge_commit)
    merged = [shelf.pulls[number] for number in shelf.threads if number in shelf.pulls]
    shas = list(dict.fromkeys([*landed, *shelf.pulls_wanted, *merged]))
    async for change in code.changes(shas):
        sha = change.commit.sha
        evidence = CommitEvidence(change=change, landed=landed.get(sha), pull=brought.get(sha))
        shelf.commits[sha] = evidence
        progress.step(shelf.repo, "reading commits", len(shelf.commits), len(shas))


async def _look_around(shelf: Shelf, code: CodeSource, wanted: Wanted) -> None:
    """Look in the whole files of a change for names that its diff lacks: a hunk does not show what stands around it."""
    if not isinstance(code, NamesCommits):
        return
    keys = [(digits, one.commit.sha) for digits, one in shelf.named.items()]
    keys += [(f"#{number}", sha) for number, sha in shelf.pulls.items()]
    asked: dict[str, set[str]] = {}
    for key, sha in keys:
        if sha in shelf.commits and key in wanted.names:
            asked.setdefault(sha, set()).update(wanted.names[key])
    for sha, names in asked.items():
        evidence = shelf.commits[sha]
        lacking = {name for name in names if not any(name in text for text in evidence.texts)}
        paths = [file.path for file in evidence.change.files if file.patch]
        if lacking and len(paths) > _FILES:
            continue
        blobs = await code.blobs(evidence.change, paths) if lacking else {}
        shelf.around[sha] = frozenset(_found(lacking, [blob for pair in blobs.values() for blob in pair if blob]))


def _found(names: Iterable[str], blobs: Sequence[bytes]) -> Iterator[str]:
    """Find names by their parts, and any other code letter by letter."""
    words = {word for blob in blobs for word in _WORD.findall(blob)}
    for name in names:
        parts = set(_WORD.findall(name.encode()))
        whole = re.fullmatch(r"[\w.:]+(?:\(\))?", name) is not None
        if parts <= words and (whole or any(name.encode() in blob for blob in blobs)):
            yield name


async def _measure(shelf: Shelf, code: CodeSource, wanted: Wanted) -> None:
    """Count the lines of everything that landed in the report's days, whatever their zone is."""
    if not wanted.sizes or wanted.window is None or not isinstance(code, NamesCommits):
        return
    start, end = wanted.window.start - _OFFSET, wanted.window.end + _OFFSET
    shas = [row.sha for row in shelf.line if start <= row.committed_at < end]
    if len(shas) > _SIZED:
        return
    for sha in shas:
        if sha in shelf.commits:
            shelf.sizes |= _size(shelf.commits[sha].change)
    missing = [sha for sha in shas if sha not in shelf.commits]
    async for change in code.changes(missing):
        shelf.sizes |= _size(change)


def _size(change: Change) -> dict[str, tuple[int, int]]:
    """Give the lines of a change by its hash; nothing where a part of it could not be read."""
    if change.incomplete or change.unreadable:
        return {}
    sides = sum(file.additions for file in change.files), sum(file.deletions for file in change.files)
    return {change.commit.sha: sides}


async def _count_members(shelf: Shelf, code: CodeSource) -> None:
    """Count what merges brought in where the listing did not."""
    merges = [sha for sha, one in shelf.commits.items() if one.change.commit.is_merge and sha not in shelf.members]
    for sha in merges:
        shelf.members[sha] = len(await code.members(sha))


async def _reckon(shelf: Shelf, code: CodeSource, wanted: Wanted, reader: Reader, progress: Progress) -> None:
    """Read the facts of what our rules speak of, with whole files where they cost nothing."""
    named = dict.fromkeys(one.commit.sha for digits, one in shelf.named.items() if digits in wanted.told)
    shas = [sha for sha in named if sha in shelf.commits]
    studied = isinstance(code, NamesCommits)
    for number, sha in enumerate(shas, start=1):
        shelf.reckoned[sha] = await reader.reckon(code, shelf.commits[sha].change, whole=studied)
        progress.step(shelf.repo, "reading facts", number, len(shas))


# ---------------------------------------------------------------- all together


def put_together(shelves: Sequence[Shelf]) -> Library:
    """Make one library of what all repositories have."""
    library = Library()
    links: list[Link] = []
    for shelf in shelves:
        if shelf.failure:
            library.failures[shelf.repo] = shelf.failure
            continue
        library.readable.add(shelf.repo)
        _put_commits(library, shelf)
        _put_threads(library, shelf)
        library.around |= {commit_id(shelf.repo, sha): names for sha, names in shelf.around.items()}
        library.sizes |= {commit_id(shelf.repo, sha): size for sha, size in shelf.sizes.items()}
        library.reckoned |= {commit_id(shelf.repo, sha): one for sha, one in shelf.reckoned.items()}
        links += _links(shelf)
    library.links = tuple(links)
    return library


def _put_commits(library: Library, shelf: Shelf) -> None:
    library.people |= {commit.author.name.casefold() for commit in shelf.line}
    if shelf.line_read:
        library.lines[shelf.repo] = shelf.line
    library.people |= {one.change.commit.author.name.casefold() for one in shelf.commits.values()}
    for evidence in shelf.commits.values():
        library.found[evidence.id] = evidence
    if shelf.branch:
        library.branches[shelf.repo] = shelf.branch
    library.members |= {commit_id(shelf.repo, sha): count for sha, count in shelf.members.items()}
    for digits, named in shelf.named.items():
        if named.commit.sha in shelf.commits:
            library.commits[shelf.repo, digits] = named.commit.id
    for digits, reason in shelf.ambiguous.items():
        library.unresolved[f"{shelf.repo}@{digits}"] = Unresolved(kind="ambiguous", reason=reason)
    for number, sha in shelf.pulls.items():
        if sha in shelf.commits:
            library.pulls[shelf.repo, number] = commit_id(shelf.repo, sha)


def _put_threads(library: Library, shelf: Shelf) -> None:
    for number, thread in shelf.threads.items():
        library.found[thread_id(shelf.repo, number)] = ThreadEvidence(thread=thread)
    for number, unresolved in shelf.unread.items():
        library.unresolved[thread_id(shelf.repo, number)] = unresolved
    for release in shelf.releases:
        evidence = ReleaseEvidence(release=release)
        library.found[evidence.id] = evidence


def _links(shelf: Shelf) -> list[Link]:
    """Find what says of itself that it closes an issue."""
    found: list[Link] = []
    for evidence in shelf.commits.values():
        said = closed_by(evidence.change.commit.message, shelf.repo)
        found += [_link(shelf.repo, number, evidence.id) for number in sorted(said)]
    for thread in shelf.threads.values():
        if isinstance(thread, PullRequest) and thread.merged_at is not None:
            closed = {int(name.rpartition("#")[2]) for name in thread.closes if name.startswith(f"{shelf.repo}#")}
            closed |= closed_by(thread.body, shelf.repo)
            change: EvidenceId = commit_id(shelf.repo, thread.merge_commit) if thread.merge_commit else thread.id
            found += [_link(shelf.repo, number, change) for number in sorted(closed)]
    return found


def _link(repo: RepoId, number: int, change: EvidenceId) -> Link:
    issue = thread_id(repo, number)
    return Link(issue=issue, change=change, relation=Relation.FIXES, grade=Grade.A)
