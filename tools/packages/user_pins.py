"""The pins of the user's repository at its base and at its tip."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from agent.bumps.non_python_pin_readers import npm_direct_names
from agent.bumps.pin_files import GITMODULES, fixes_versions, reader_of
from agent.bumps.pins import PinChanges, PinFile, pin_changes
from agent.bumps.python_pin_readers import UnreadableFile, direct_names, included_files
from agent.bumps.version_range_changes import range_changes
from tools.packages.pin_process import read_pins_in_time
from tools.packages.repository_trees import MAX_FILE_BYTES, Listing, TreeReader

_MAX_FILES = 2_000  # Files of pins that are read at one commit
_PROJECT_FILES = ("pyproject.toml", "package.json")
_MAX_INCLUDES = 200  # Files that requirements include


async def read_pin_changes(trees: TreeReader, base: str, tip: str) -> PinChanges:
    """Return what the files of two commits pin differently."""
    changed = set(await trees.changed_paths(base, tip))
    before = await _pin_files(trees, base, changed)
    after = await _pin_files(trees, tip, changed)
    changes = pin_changes(before, after)
    own_dependencies = await _direct_names(trees, tip)
    bumps = []
    for bump in changes.bumps:
        is_named = (bump.ecosystem, bump.name) in own_dependencies
        is_direct = bump.is_direct or is_named
        bumps.append(bump.model_copy(update={"is_direct": is_direct}))
    ranges = range_changes(before, after)
    if ranges.bumps or ranges.unclear:
        bumped = {bump.name for bump in bumps}
        fixed = await _fixed_versions(trees, tip)
        ranges = ranges.without(bumped).where_not_fixed(fixed)
    return changes.model_copy(
        update={
            "bumps": (*bumps, *ranges.bumps),
            "unclear": (*changes.unclear, *ranges.unclear),
        }
    )


async def _fixed_versions(trees: TreeReader, sha: str) -> dict[str, set[str]]:
    """Return the versions of Python packages that files of a commit fix."""
    paths = {path for path in await trees.listing(sha) if fixes_versions(path)}
    versions: dict[str, set[str]] = {}
    for file in (await _pin_files(trees, sha, paths)).values():
        for pin in file.pins:
            if pin.ecosystem == "pypi":
                versions.setdefault(pin.name, set()).add(pin.version)
    return versions


async def _pin_files(trees: TreeReader, sha: str, changed: set[str]) -> dict[str, PinFile]:
    """Return the changed files of pins as they are at a commit."""
    listing = await trees.listing(sha)
    submodules = {path: entry.sha for path, entry in listing.items() if entry.is_submodule}
    paths = [path for path in sorted(changed) if path in listing and reader_of(path) is not None]
    paths += await _included(trees, sha, listing, changed)
    if changed & {GITMODULES, *submodules} and GITMODULES in listing:
        paths.append(GITMODULES)
    paths = list(dict.fromkeys(paths))
    texts = await trees.texts(sha, paths[:_MAX_FILES])
    files: dict[str, PinFile] = {}
    for path in paths:
        if path in texts:
            files[path] = await read_pins_in_time(path, texts[path], submodules)
        else:
            limit = f"{MAX_FILE_BYTES // 1_000_000} MB"
            files[path] = PinFile(problem=f"it is a link, larger than {limit}, or one of too many")
    return files


async def _included(trees: TreeReader, sha: str, listing: Listing, changed: set[str]) -> list[str]:
    """Return the changed files that requirements include; files may include one another."""
    waiting = [path for path in listing if _may_include(path)]
    seen = set(waiting)
    included: list[str] = []
    while waiting and len(seen) <= _MAX_FILES:
        texts = await trees.texts(sha, waiting)
        waiting = []
        for path, text in texts.items():
            for target in _targets(path, text):
                if target in listing and target not in seen:
                    seen.add(target)
                    waiting.append(target)
                    included.append(target)
        if len(included) > _MAX_INCLUDES:
            break
    return [path for path in included if path in changed]


def _may_include(path: str) -> bool:
    if reader_of(path) is None:
        return False
    file = PurePosixPath(path)
    return file.suffix in (".txt", ".in") and file.name != "CMakeLists.txt"


def _targets(path: str, text: str) -> Sequence[str]:
    """Return the included files as paths of the tree; none leads out of it."""
    folder = PurePosixPath(path).parent
    targets: list[str] = []
    for name in included_files(text):
        parts: list[str] = []
        for part in (folder / name).parts:
            if part == ".." and parts:
                parts.pop()
            else:
                parts.append(part)
        if parts and parts[0] not in ("..", "/"):
            targets.append("/".join(parts))
    return targets


async def _direct_names(trees: TreeReader, sha: str) -> set[tuple[str, str]]:
    """Return the packages of Python and npm that the repository's own projects depend on by name."""
    listing: Mapping[str, object] = await trees.listing(sha)
    projects = [path for path in listing if path.rpartition("/")[2] in _PROJECT_FILES]
    names: set[tuple[str, str]] = set()
    for path, text in (await trees.texts(sha, projects[:_MAX_FILES])).items():
        try:
            if path.endswith(".json"):
                names |= {("npm", name) for name in npm_direct_names(text)}
            else:
                names |= {("pypi", str(canonicalize_name(name))) for name in direct_names(text)}
        except UnreadableFile:
            continue
    return names
