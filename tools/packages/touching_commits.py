"""Finds the commits between two versions that change the bodies of what own code uses."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.bumps.bump_report_model import UsedName
from agent.domain.commits import Change, FileChange
from agent.domain.patch import changed_definitions, touched_names
from agent.ports import CloneSource
from tools.diff.file_roles import HEADERS, is_product

MAX_COMMITS_SEARCHED = 400  # Between two versions, the newest first
_CONSTRUCTORS = ("__init__", "__new__", "new", "constructor")


class TouchingCommit(NamedTuple):
    """A commit that changes the code of some names."""

    sha: str
    uses: tuple[UsedName, ...]


class TouchingCommits(NamedTuple):
    """The commits that concern own code most, and how many were not looked through."""

    commits: tuple[TouchingCommit, ...] = ()
    concerning: int = 0  # All that touch a name, also those beyond the limit
    unsearched: int = 0


async def touching_commits(
    code: CloneSource, old: str, new: str, uses: Sequence[UsedName], limit: int
) -> TouchingCommits:
    """Return the commits that change the body of a used name; those of most names come first."""
    uses_by_name: dict[str, list[UsedName]] = {}
    for use in uses:
        uses_by_name.setdefault(use.name, []).append(use)
    between = await code.between(old, new)
    searched = [commit.sha for commit in between[:MAX_COMMITS_SEARCHED]]
    touching: list[TouchingCommit] = []
    async for change in code.changes(searched):
        touched = _touched(change, uses_by_name)
        if touched:
            touching.append(TouchingCommit(change.commit.sha, touched))
    # Sorting is stable: of those with equally many the newest comes first.
    touching.sort(key=lambda commit: -len({use.name for use in commit.uses}))
    return TouchingCommits(tuple(touching[:limit]), len(touching), len(between) - len(searched))


def _touched(
    change: Change, uses_by_name: Mapping[str, Sequence[UsedName]]
) -> tuple[UsedName, ...]:
    touched: dict[UsedName, None] = {}
    for file in change.files:
        if not file.patch or not is_product(file.path):
            continue
        for name in dict.fromkeys(_changed_names(file.path, file.patch)):
            for use in _uses_of(name, uses_by_name):
                if _is_defined_in(use, file):
                    touched[use] = None
    return tuple(touched)


def _changed_names(path: str, patch: str) -> Iterator[str]:
    """Yield the names whose definition a patch changes; functions of C++ are known by its headings."""
    yield from changed_definitions(patch)
    if path.endswith(HEADERS):
        yield from touched_names(patch)


def _uses_of(name: str, uses_by_name: Mapping[str, Sequence[UsedName]]) -> list[UsedName]:
    """Return the uses of a name; a constructor is used by the name of its class."""
    if name not in _CONSTRUCTORS:
        return list(uses_by_name.get(name, ()))
    uses: list[UsedName] = []
    for name_uses in uses_by_name.values():
        uses += [use for use in name_uses if use.is_class and use.defined_in]
    return uses


def _is_defined_in(use: UsedName, file: FileChange) -> bool:
    """Return True for a file that may define a name; of some languages only the name is known."""
    if not use.defined_in:
        return True
    path = file.previous_path or file.path
    return use.defined_in in (path, path.rpartition("/")[0])
