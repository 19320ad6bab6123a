"""The facts between two versions of a package, found once and then kept in a file."""

import hashlib
import logging
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from agent.domain.base import Frozen
from agent.domain.facts import Fact
from agent.ports import CloneSource
from tools.diff.changed_file_declarations import paths_of_blobs
from tools.diff.commit_facts import gather
from tools.diff.files_read_for_facts import look_up
from tools.diff.version_comparison import LARGEST_RANGE

_LOG = logging.getLogger(__name__)
_BYTES_PER_SECOND = 500_000  # That are parsed and compared on a slow machine
_FORMAT = 2  # Counts up when facts are found in another way, so that old files are not read


class VersionFacts(Frozen):
    """The facts between two commits of a repository."""

    facts: tuple[Fact, ...] = ()
    skipped: tuple[str, ...] = ()  # What was too large or malformed to be read, and why


_FACTS = TypeAdapter(VersionFacts)


async def facts_between(
    code: CloneSource, old: str, new: str, cache: Path, seconds: float
) -> VersionFacts:
    """Return what users of one commit meet in another, whichever commits brought it.

    Only so much of the files is parsed as there is time for; the others are named in `skipped`.
    """
    name = f"{_FORMAT} {code.repo.lower()} {old} {new}"
    file = cache / f"{hashlib.sha256(name.encode()).hexdigest()}.json"
    cached = _read(file)
    if cached is not None:
        return cached
    change = await code.tree_change(old, new)
    blobs = await code.blobs(change, paths_of_blobs(change.files))
    largest = max(0, min(LARGEST_RANGE, int(seconds * _BYTES_PER_SECOND)))
    gathered = gather(change, blobs, largest=largest)
    trees = await look_up(code, old, new, gathered.names)
    surface = await code.surface_between(old, new)
    facts = dict.fromkeys((*gathered.declared(trees, surface), *gathered.removed_modules()))
    result = VersionFacts(facts=tuple(facts), skipped=gathered.skipped)
    if largest == LARGEST_RANGE or not gathered.skipped:
        _write(file, result)
    return result


def _read(file: Path) -> VersionFacts | None:
    try:
        return _FACTS.validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None


def _write(file: Path, facts: VersionFacts) -> None:
    """Keep the facts; a disk that is full costs time later and nothing now."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".part")
        unfinished.write_bytes(_FACTS.dump_json(facts))
        unfinished.replace(file)
    except OSError as error:
        _LOG.info("%s: %s", file, error.strerror)
