"""Blobs that a partial clone lacks: which ones, and fetching them from the remote that has them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from agent.domain.errors import UpstreamError
from tools.git.blobs_of_commits import entries_of
from tools.git.diff_parser import RawEntry
from tools.git.process import Finished, failure, patiently, run

if TYPE_CHECKING:
    from tools.git.isolated_repository import View
    from tools.git.opened_repository import Repository

_NOT_THERE = re.compile(r"not our ref ([0-9a-f]{40})|unadvertised object ([0-9a-f]{40})")
_FETCH_SECONDS = 1800.0
_MAX_FETCHES = 20  # Each without the blobs that the remote turned out not to have any more


@dataclass(frozen=True)
class UnreadCommits:
    """The commits of which something is not here, and why."""

    shas: frozenset[str] = frozenset()
    why: str = "its content is not in this repository"


async def close_gaps(
    repository: "Repository", view: "View", shas: Sequence[str], environ: Mapping[str, str]
) -> UnreadCommits:
    """Fetch the blobs that a partial clone lacks of these commits, and return what is still missing."""
    unchecked = [sha for sha in shas if sha not in view.complete]
    if repository.promisor is None or not unchecked:
        return UnreadCommits()
    entries_by_sha = await entries_of(view, unchecked)
    all_entries = list(chain.from_iterable(entries_by_sha.values()))
    why = UnreadCommits.why
    missing = await missing_blobs(view, all_entries)
    if missing:
        try:
            await patiently(lambda: fetch_blobs(repository, missing, environ))
        except UpstreamError as error:
            # The reason is given file by file: the rest of the day can still be read.
            why = f"its content could not be fetched ({error})"
        missing = await missing_blobs(view, all_entries)
    incomplete = set(unchecked) - entries_by_sha.keys()
    for sha, entries in entries_by_sha.items():
        if any(not missing.isdisjoint(entry.blobs) for entry in entries):
            incomplete.add(sha)
    view.complete.update(set(unchecked) - incomplete)
    return UnreadCommits(frozenset(incomplete), why)


async def missing_blobs(view: "View", entries: Iterable[RawEntry]) -> set[bytes]:
    """Return the blobs of these files that are not here."""
    blobs = list(dict.fromkeys(chain.from_iterable(entry.blobs for entry in entries)))
    git_objects = await view.objects.known(blobs)
    return {blob for blob, git_object in zip(blobs, git_objects, strict=True) if git_object is None}


async def fetch_blobs(
    repository: "Repository", blobs: Iterable[bytes], environ: Mapping[str, str]
) -> None:
    """Fetch blobs from the remote that promised them, as git itself would, but all at once.

    Git's own check of the repository's owner stays on: its configuration names the program to run.
    """
    missing = {blob.decode("ascii") for blob in blobs}
    for _ in range(_MAX_FETCHES):
        finished = await _fetch(repository, missing, environ)
        purged = missing.intersection(chain.from_iterable(_NOT_THERE.findall(finished.err)))
        missing -= purged
        if finished.code == 0 or not missing:
            return
        if not purged:
            raise failure(finished, f"git fetch {repository.promisor}")


async def _fetch(
    repository: "Repository", missing: Iterable[str], environ: Mapping[str, str]
) -> Finished:
    options = (
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--recurse-submodules=no",
        "--filter=blob:none",
    )
    command = [
        "-c",
        "fetch.negotiationAlgorithm=noop",
        "fetch",
        *options,
        "--stdin",
        str(repository.promisor),
    ]
    try:
        return await run(
            command,
            env=environ,
            cwd=repository.path,
            stdin="".join(f"{name}\n" for name in sorted(missing)).encode("ascii"),
            seconds=_FETCH_SECONDS,
        )
    except TimeoutError as error:
        problem = f"git fetch {repository.promisor}: not done after {_FETCH_SECONDS:.0f} s"
        raise UpstreamError(problem, retryable=False) from error
