"""Looking up what a report names in one repository: all hashes in one pass, all diffs in another."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from typing import TypeVar

from agent.audit.code import fences_of, unknown_lines
from agent.audit.entries import Entry
from agent.audit.lookup import Library, Repository
from agent.domain.base import CommitId, NotFound, RepoId, UpstreamError
from agent.domain.commits import Commit, NoticeKind
from agent.domain.evidence import CommitEvidence
from agent.domain.window import Window
from agent.ports import Desk, Progress
from agent.sources import CloneSource, CodeSource, NoThreads
from agent.stories.timeline import pull_named
from tools.diff.sheet import read_facts

K = TypeVar("K")
V = TypeVar("V")
_AT_ONCE, _THREADS = 6, 300
_AROUND = timedelta(days=45)
_MOST_DIFFS, _MOST_FILES = 800, 40
_EARLIEST, _LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2099, 12, 30, tzinfo=UTC)


async def look_up(desk: Desk, entries: Sequence[Entry], progress: Progress, *, alone: bool) -> Repository:
    """Find the commits, pull requests and diffs of a repository that a report names; `alone`: there is no other."""
    code, found = desk.code, Repository(repo=desk.code.repo)
    progress.step(found.repo, "looking up commits")
    digits = dict.fromkeys(one.value for entry in entries for one in entry.references if one.kind == "commit")
    named = await _named(code, list(digits))
    found.named = {prefix: tuple(one.sha for one in some) for prefix, some in named.items() if some}
    found.commits = {one.sha: one for some in named.values() for one in some}
    numbers = _numbers(entries, found.repo, alone=alone)
    if not (alone or found.commits or numbers or any(found.repo in entry.scope for entry in entries)):
        return found
    await _read_line(found, code, entries)
    landed = {found.pulls[number] for number in numbers if number in found.pulls}
    found.commits |= {one.sha: one for one in found.line if one.sha in landed}
    wanted = sorted(numbers - found.pulls.keys())[:_THREADS] if not isinstance(desk.threads, NoThreads) else []
    answers = await _each(desk.threads.issue, wanted)
    found.threads = {number: thread for number, thread in answers.items() if thread}
    # A server that has nothing of all this may not have the repository.
    found.missing = frozenset(answers.keys() - found.threads.keys()) if found.threads else frozenset()
    shas = list(found.commits)[:_MOST_DIFFS]
    async for change in code.changes(shas):
        sha, pull = change.commit.sha, pull_named(change.commit.subject)
        found.changes[sha] = CommitEvidence(change=change, pull=pull)
        progress.step(found.repo, "reading commits", len(found.changes), len(shas))
    return found


def _numbers(entries: Sequence[Entry], repo: RepoId, *, alone: bool) -> set[int]:
    """List the threads that a report may mean in a repository: by address, by a heading, or as the only one."""
    found: set[int] = set()
    for entry in entries:
        for one in entry.references:
            named = {one.repo} if one.repo else entry.scope
            if one.kind == "thread" and (repo in named or (alone and not named)):
                found.add(one.number)
    return found


async def _named(code: CodeSource, digits: Sequence[str]) -> Mapping[str, Sequence[Commit]]:
    if isinstance(code, CloneSource):
        return await code.named(digits)
    found = await _each(code.resolve, digits)
    return {prefix: (commit,) if commit else () for prefix, commit in found.items()}


async def _each(ask: Callable[[K], Awaitable[V]], keys: Iterable[K]) -> dict[K, V | None]:
    """Ask for one after the other, a few at once: None for what does not exist, nothing where nobody could say."""
    gate, found = asyncio.Semaphore(_AT_ONCE), dict[K, V | None]()

    async def one(key: K) -> None:
        async with gate:
            with suppress(UpstreamError):
                try:
                    found[key] = await ask(key)
                except NotFound:
                    found[key] = None

    await asyncio.gather(*map(one, keys))
    return found


async def _read_line(found: Repository, code: CodeSource, entries: Sequence[Entry]) -> None:
    """Read the landed commits around the report's days and commits."""
    times = [commit.committed_at for commit in found.commits.values()]
    times += [datetime.combine(day, time(12), UTC) for entry in entries for day in entry.days or ()]
    start = max(min(times) - _AROUND, _EARLIEST) if times else _EARLIEST
    end = min(max(times) + _AROUND, _LATEST) if times else _LATEST
    cheap = isinstance(code, CloneSource)
    if not times and not cheap:
        return
    landing = await code.landed(Window(start=start, end=end, tz="UTC"))
    found.line = tuple(row.commit for row in landing.rows)
    found.whole = cheap and not any(notice.kind is NoticeKind.SHALLOW for notice in landing.notices)


async def read_fenced_files(codes: Mapping[RepoId, CodeSource], entries: Sequence[Entry]) -> dict[CommitId, list[str]]:
    """Read the files that a commit touches, where a fence below it has lines that the diff lacks."""
    files: dict[CommitId, list[str]] = {}
    for entry in fences_of(entries):
        for one in entry.evidence:
            if one.change.commit.id not in files and unknown_lines(entry.block, [one]):
                paths = [file.path for file in one.change.files if file.patch][:_MOST_FILES]
                blobs = await codes[one.repo].blobs(one.change, paths)
                texts = [blob.decode("utf-8", "replace") for pair in blobs.values() for blob in pair if blob]
                files[one.change.commit.id] = texts
    return files


def with_facts(library: Library, names: Iterable[CommitId]) -> None:
    """Read the facts of commits that a judge is shown."""
    for name in names:
        if (one := library.evidence(name)) and one.sheet is None:
            read = one.model_copy(update={"sheet": read_facts(one.change, None)})
            library[one.repo].changes[one.change.commit.sha] = read
