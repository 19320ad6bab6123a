"""Blobs that are not there: found without fetching, then fetched together in one go."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from agent.errors import UpstreamError
from tools.git.log import Framing
from tools.git.patch import Entry, read_entries
from tools.git.process import Finished, run
from tools.git.remote import failure, patiently
from tools.git.repository import Repository
from tools.git.view import View

# Without renames git compares trees only and needs no blob.
_TREES_ONLY = ("--raw", "--no-abbrev", "--no-renames", "--diff-merges=first-parent")
_NOT_THERE = re.compile(r"not our ref ([0-9a-f]{40})|unadvertised object ([0-9a-f]{40})")
_SECONDS = 1800.0
_PURGED_AT_MOST = 20
"""How many blobs may turn out to be gone from the remote before the rest is given up."""


async def present_commits(view: View, shas: Sequence[str]) -> list[str]:
    """Leave out what is not a commit here, and what was named twice."""
    asked = [sha for sha in dict.fromkeys(shas) if re.fullmatch(r"[0-9a-f]{40}", sha)]
    found = await view.objects.known([sha.encode() for sha in asked])
    return [sha for sha, one in zip(asked, found, strict=True) if one and one.kind == b"commit"]


async def entries_of(view: View, shas: Sequence[str]) -> dict[str, list[Entry]]:
    """List the files of these commits with their blobs; a commit whose trees are missing is left out."""
    framing, found = Framing(), dict[str, list[Entry]]()
    selection = [*framing.options, *_TREES_ONLY, "--no-walk=unsorted", "--stdin"]
    async with view.running(selection, stdin=_lines(shas)) as git:
        async for record in framing.records(git.read):
            if not record.last or (await git.finish()).code == 0:
                found[record.header[:40].decode("ascii")] = read_entries(record.body)[0]
    return found


@dataclass(frozen=True)
class Gaps:
    """The commits of which something is not here, and why."""

    shas: frozenset[str] = frozenset()
    why: str = "its content is not in this repository"


async def close_gaps(repository: Repository, view: View, shas: Sequence[str], environ: Mapping[str, str]) -> Gaps:
    """Fetch the blobs that a partial clone lacks of these commits, all together, and say what is still missing."""
    if repository.promisor is None or not shas:
        return Gaps()
    listed, why = await entries_of(view, shas), Gaps.why
    missing = await missing_blobs(view, chain.from_iterable(listed.values()))
    if missing:
        try:
            await patiently(lambda: fetch_blobs(repository, missing, environ))
        except UpstreamError as error:
            # Told file by file: the rest of the day can still be read.
            why = f"its content could not be fetched ({error})"
        missing = await missing_blobs(view, chain.from_iterable(listed.values()))
    lacking = {sha for sha, entries in listed.items() if any(not missing.isdisjoint(e.blobs) for e in entries)}
    return Gaps(frozenset(lacking | (set(shas) - listed.keys())), why)


async def missing_blobs(view: View, entries: Iterable[Entry]) -> set[bytes]:
    """Tell which blobs of these files are not here."""
    blobs = list(dict.fromkeys(blob for entry in entries for blob in entry.blobs))
    return {blob for blob, one in zip(blobs, await view.objects.known(blobs), strict=True) if one is None}


async def fetch_blobs(repository: Repository, blobs: Iterable[bytes], environ: Mapping[str, str]) -> None:
    """Fetch blobs from the remote that promised them, as git itself would, but all at once.

    Git's own check of who owns the repository stays on here: its configuration names the program that is run.
    """
    wanted = {blob.decode("ascii") for blob in blobs}
    for _ in range(_PURGED_AT_MOST):
        told = await _fetch(repository, wanted, environ)
        gone = {sha for pair in _NOT_THERE.findall(told.err) for sha in pair if sha} & wanted
        wanted -= gone
        if told.code == 0 or not wanted:
            return
        if not gone:
            raise failure(told, f"git fetch {repository.promisor}")


async def _fetch(repository: Repository, wanted: Iterable[str], environ: Mapping[str, str]) -> Finished:
    """Ask the promising remote for objects by name."""
    options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none")
    command = ["-c", "fetch.negotiationAlgorithm=noop", "fetch", *options, "--stdin", str(repository.promisor)]
    try:
        return await run(command, env=environ, cwd=repository.path, stdin=_lines(sorted(wanted)), seconds=_SECONDS)
    except TimeoutError as error:
        raise UpstreamError(
            f"git fetch {repository.promisor}: not done after {_SECONDS:.0f} s", retryable=False
        ) from error


def _lines(names: Iterable[str]) -> bytes:
    """Write one name on each line."""
    return "".join(f"{name}\n" for name in names).encode("ascii")
