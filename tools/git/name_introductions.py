"""Introductions of names: the commits that brought what later ones change, without another walk.

Of each file the landed commits that touched it are known. Which of its versions was the first to
have a name is found by halving: a dozen versions are read for a thousand commits.
"""

from collections import defaultdict
from typing import TYPE_CHECKING

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.links.changed_names import Birth, RemovedLineNames, changed_names, occurrences_in
from agent.stories.timeline import headline
from tools.git.file_trails import FileTrail, FollowedChanges, LeftFile, Trails, as_bytes
from tools.git.log import read_commits

if TYPE_CHECKING:
    from tools.git.isolated_repository import View

_MAX_NAMES = 3  # Names of a commit that are looked up, the rarest of each file first
_MAX_FILES = 3  # Files of a commit whose names are looked up
_MAX_SIZE = 1_000_000  # Bytes of a file that is searched


async def births(
    view: "View", repo: RepoId, followed: FollowedChanges
) -> dict[str, tuple[Birth, ...]]:
    """Return the commits that brought the rarest names which each change alters or takes out.

    Nobody brought what a repository began with, and what is older than the walk.
    """
    names_by_change: dict[str, dict[str, list[str]]] = {}
    shas: dict[str, None] = {}
    for change in followed.changes:
        names_by_birth = await _names_by_birth(view, change, followed.trails)
        names_by_change[change.commit.sha] = names_by_birth
        shas |= dict.fromkeys(names_by_birth)
    if not shas:
        return {}
    selection = ["--no-walk=unsorted", "--stdin"]
    commits = await read_commits(view, repo, selection, stdin="\n".join(shas).encode("ascii"))
    heads = {commit.sha: headline(commit) for commit in commits}
    births_by_change: dict[str, tuple[Birth, ...]] = {}
    for change_sha, names_by_birth in names_by_change.items():
        births_of_change: list[Birth] = []
        for sha, names in names_by_birth.items():
            births_of_change.append(Birth(commit=heads[sha], names=tuple(names)))
        births_by_change[change_sha] = tuple(births_of_change)
    return births_by_change


async def _names_by_birth(view: "View", change: Change, trails: Trails) -> dict[str, list[str]]:
    """Return the names that commits brought, by their hashes, that of the most names first."""
    names_by_birth: dict[str, list[str]] = defaultdict(list)
    names_left = _MAX_NAMES
    for file in changed_names(change)[:_MAX_FILES]:
        trail = trails.by_file.get((change.commit.sha, as_bytes(file.path)))
        if trail is None or not trail.versions:
            continue
        names = await _rarest(view, trail, file, names_left)
        names_left -= len(names)
        for name in names:
            birth = await _birth(view, trail, name)
            if birth and birth not in trails.roots:
                names_by_birth[birth].append(name)
    by_count = sorted(names_by_birth, key=lambda sha: -len(names_by_birth[sha]))
    return {sha: names_by_birth[sha] for sha in by_count}


async def _rarest(view: "View", trail: FileTrail, file: RemovedLineNames, limit: int) -> list[str]:
    if limit == 0:
        return []
    text = await _content(view, LeftFile(trail.start, as_bytes(file.path)))
    return file.rarest(text, limit)


async def _birth(view: "View", trail: FileTrail, name: str) -> str:
    """Return the commit that brought a name into a file, or an empty string if it is older."""
    newest = 0  # The version before the change has the name
    oldest = len(trail.versions)
    while oldest - newest > 1:
        middle = (newest + oldest) // 2
        if occurrences_in(await _content(view, trail.versions[middle]), name):
            newest = middle
        else:
            oldest = middle
    is_last = newest == len(trail.versions) - 1
    return "" if is_last and trail.boundary else trail.versions[newest].sha


async def _content(view: "View", version: LeftFile) -> str:
    (file,) = await view.objects.contents([version.name])
    if file is None or len(file.content) > _MAX_SIZE:
        return ""
    return file.content.decode("utf-8", "replace")
