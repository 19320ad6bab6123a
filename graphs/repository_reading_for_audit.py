"""Reading what an audited report speaks of: hashes, lines of commits, threads, diffs and trees."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import TypeVar

from agent.audit.code_span_checks import Trees, names_to_locate
from agent.audit.entries import AuditEntry, thread_repos
from agent.audit.fenced_code_checks import fences_of
from agent.audit.repository_lookup_results import AuditedRepository
from agent.audit.versions import has_versions
from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit
from agent.domain.errors import NotFound, UpstreamError
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import pull_number
from agent.domain.window import Window
from agent.ports import CloneSource, CodeSource, NoThreads, Progress, RepositorySources

K = TypeVar("K")
V = TypeVar("V")
_MAX_CONCURRENT = 4  # Requests to a source
_MAX_THREADS = 300
_MAX_DIFFS = 800
_MAX_FENCED_FILES = 40
_MAX_TREES = 100  # That are searched for names
_READ_AROUND = timedelta(days=45)  # What is read of the line before and after the cited commits
_EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
_LATEST = datetime(2099, 12, 30, tzinfo=UTC)


async def resolve_hashes(code: CodeSource, entries: Sequence[AuditEntry]) -> AuditedRepository:
    """Return a repository with the commits that the hashes of a report may mean in it."""
    hashes: dict[str, None] = {}
    for entry in entries:
        for reference in entry.references:
            if reference.kind == "commit":
                hashes[reference.value] = None
    if isinstance(code, CloneSource):
        return AuditedRepository(repo=code.repo, commits_by_hash=await code.named(list(hashes)))
    answers = await _ask_each(code.resolve, hashes)
    commits = {prefix: [commit] for prefix, commit in answers.items() if commit}
    unanswered = frozenset(hashes.keys() - answers.keys())
    return AuditedRepository(repo=code.repo, commits_by_hash=commits, unanswered=unanswered)


async def read_repository(
    sources: RepositorySources,
    repository: AuditedRepository,
    entries: Sequence[AuditEntry],
    repos: Sequence[RepoId],
    progress: Progress,
) -> AuditedRepository:
    """Return a repository, one of `repos`, with the commits, threads and diffs a report names."""
    code = sources.code
    commits: dict[str, Commit] = {}
    for meant_commits in repository.commits_by_hash.values():
        commits.update({commit.sha: commit for commit in meant_commits})
    numbers = _thread_numbers(entries, repository.repo, repos)
    is_in_scope = any(repository.repo in entry.scope for entry in entries)
    if not (len(repos) == 1 or commits or numbers or is_in_scope):
        return repository
    repository = await _with_line(repository, code, entries, list(commits.values()))
    for number in numbers:
        landed = repository.pulls.get(number)
        if landed is not None:
            commits[landed.sha] = landed
    await _read_threads(repository, sources, numbers)
    shas = list(commits)[:_MAX_DIFFS]
    async for change in code.changes(shas):
        pull = pull_number(change.commit.subject)
        repository.changes[change.commit.sha] = CommitEvidence(change=change, pull=pull)
        progress.step(repository.repo, "reading commits", len(repository.changes), len(shas))
    return repository


async def _read_threads(
    repository: AuditedRepository, sources: RepositorySources, numbers: set[int]
) -> None:
    """Read the threads that no landed commit names, where there is an API to ask."""
    if isinstance(sources.threads, NoThreads):
        return
    unknown = sorted(numbers - repository.pulls.keys())[:_MAX_THREADS]
    answers = await _ask_each(sources.threads.issue, unknown)
    repository.threads = {number: thread for number, thread in answers.items() if thread}
    # A server that has nothing of all this may not have the repository.
    if repository.threads:
        repository.missing = frozenset(answers.keys() - repository.threads.keys())


def _thread_numbers(
    entries: Sequence[AuditEntry], repo: RepoId, repos: Sequence[RepoId]
) -> set[int]:
    """Return the numbers of threads that a report may mean in a repository."""
    numbers = set()
    for entry in entries:
        for reference in entry.references:
            if reference.kind == "thread" and repo in thread_repos(entry, reference, repos):
                numbers.add(int(reference.value))
    return numbers


async def _ask_each(ask: Callable[[K], Awaitable[V]], keys: Iterable[K]) -> dict[K, V | None]:
    """Ask for each key, a few at once: None for what does not exist, nothing after an outage."""
    slots = asyncio.Semaphore(_MAX_CONCURRENT)
    answers = dict[K, V | None]()

    async def ask_one(key: K) -> None:
        async with slots:
            with suppress(UpstreamError):
                try:
                    answers[key] = await ask(key)
                except NotFound:
                    answers[key] = None

    await asyncio.gather(*map(ask_one, keys))
    return answers


async def _with_line(
    repository: AuditedRepository,
    code: CodeSource,
    entries: Sequence[AuditEntry],
    commits: Sequence[Commit],
) -> AuditedRepository:
    """Return the repository with the commits that landed around the report's days and commits."""
    report_days = {entry.days for entry in entries if entry.days}
    moments = [commit.committed_at for commit in commits]
    for days in report_days:
        moments.extend(datetime.combine(day, time(12), UTC) for day in days)
    is_clone = isinstance(code, CloneSource)
    if not moments and not is_clone:
        return repository
    start = min(moments, default=_EARLIEST) - _READ_AROUND
    end = max(moments, default=_LATEST) + _READ_AROUND
    window = Window(start=max(start, _EARLIEST), end=min(end, _LATEST), tz="UTC")
    landing = await code.landed(window)
    line = tuple(row.commit for row in landing.rows)
    # A copy that ends before the report's days cannot have its commits.
    newest = max((commit.committed_at.date() for commit in line), default=date.max)
    is_shallow = any(notice.kind == "shallow" for notice in landing.notices)
    is_recent = all(days.first <= newest for days in report_days)
    return replace(
        repository,
        line=line,
        is_complete=is_clone and not is_shallow and is_recent,
        tags=await _tags(code, entries),
    )


async def _tags(code: CodeSource, entries: Sequence[AuditEntry]) -> dict[str, datetime]:
    """Return the tags of a clone and when they were made, if the report speaks of versions."""
    if not isinstance(code, CloneSource) or not has_versions(entries):
        return {}
    releases = await code.tags_made(_EARLIEST, _LATEST)
    return {release.tag: release.published_at for release in releases}


async def read_trees(codes: Mapping[RepoId, CodeSource], entries: Sequence[AuditEntry]) -> Trees:
    """Return which of the names that a diff has not stand elsewhere in the files of the commit.

    Only a clone is searched, and only for a limited number of commits.
    """
    trees: dict[EvidenceId, frozenset[str]] = {}
    names_by_commit = names_to_locate(entries)
    for commit, sought in islice(names_by_commit.items(), _MAX_TREES):
        code = codes.get(commit.repo)
        if not isinstance(code, CloneSource):
            continue
        with suppress(UpstreamError):
            names = await code.names_in_tree(commit.sha, sorted(sought.names))
            values = await code.names_in_tree(commit.sha, sorted(sought.values), sought.paths)
            if names is not None and values is not None:
                trees[commit] = names | values
    return trees


async def read_fenced_files(
    codes: Mapping[RepoId, CodeSource], entries: Sequence[AuditEntry]
) -> dict[EvidenceId, list[str]]:
    """Return the texts of the files that a commit touches, where a fence stands below it."""
    changes: dict[EvidenceId, Change] = {}
    for entry in fences_of(entries):
        for evidence in entry.evidence:
            changes[evidence.change.commit.id] = evidence.change
    files: dict[EvidenceId, list[str]] = {}
    for name, change in changes.items():
        paths = [file.path for file in change.files if file.patch][:_MAX_FENCED_FILES]
        blobs = await codes[change.commit.repo].blobs(change, paths)
        texts: list[str] = []
        for versions in blobs.values():
            texts.extend(blob.decode("utf-8", "replace") for blob in versions if blob)
        files[name] = texts
    return files
