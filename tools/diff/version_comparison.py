"""The comparison of two versions: what differs for users, and by which commits."""

from collections.abc import AsyncIterator, Callable, Sequence

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit
from agent.domain.errors import InputError
from agent.domain.facts import Fact
from agent.domain.upgrade import Upgrade, Version
from agent.ports import CloneSource, CodeSource
from tools.diff.changed_file_declarations import paths_of_blobs
from tools.diff.commit_facts import gather
from tools.diff.commits_behind_facts import Trail, items_of, undone_pairs
from tools.diff.files_read_for_facts import look_up

_STEP_EVERY = 25  # Commits after which progress is shown
LARGEST_RANGE = 200_000_000  # Bytes that are parsed of all files that differ
Step = Callable[[str, int, int], None]
"""Is called with what is being done, how much of it is done, and of how much."""


async def compare_versions(
    code: CodeSource, old: str, new: str, *, tz: str = "UTC", step: Step = lambda *_: None
) -> Upgrade:
    """Return what users of one version meet in the other, and by which commits.

    What was taken back between the versions is left out.
    """
    if not isinstance(code, CloneSource):
        raise InputError("versions are compared in a clone or a mirror; leave out --source api")
    first = await code.version(old, tz=tz)
    last = await code.version(new, tz=tz)
    if first.sha == last.sha:
        raise InputError(f"{old} and {new} are the same commit, {first.sha[:12]}")
    ahead = await code.between(first.sha, last.sha)
    behind = await code.between(last.sha, first.sha)
    if not ahead:
        raise InputError(f"{new} has no commit that {old} has not; give the older version first")
    step("comparing trees", 0, 1)
    facts, skipped = await _facts_between(code, await code.tree_change(first.sha, last.sha))
    trail = Trail(facts)
    back = Trail(facts, backwards=True)
    await trail.follow(_counted(code, ahead, "reading commits", step))
    await back.follow(_counted(code, behind, "reading commits of the older version", step))
    return Upgrade(
        repo=RepoId(code.repo),
        old=Version(name=old, sha=first.sha, at=first.committed_at),
        new=Version(name=new, sha=last.sha, at=last.committed_at),
        titles={commit.sha: commit.title for commit in (*ahead, *behind)},
        commits=len(ahead),
        items=tuple(items_of(facts, trail, back)),
        undone=tuple(undone_pairs(trail.commits, trail.patches)),
        skipped=skipped,
    )


async def _facts_between(code: CloneSource, change: Change) -> tuple[list[Fact], tuple[str, ...]]:
    """Return what differs between the declarations of two trees, and which files were not read."""
    old = change.commit.parents[0]
    new = change.commit.sha
    blobs = await code.blobs(change, paths_of_blobs(change.files))
    gathered = gather(change, blobs, largest=LARGEST_RANGE)
    trees = await look_up(code, old, new, gathered.names)
    surface = await code.surface_between(old, new)
    facts = (*gathered.declared(trees, surface), *gathered.removed_modules())
    return list(dict.fromkeys(facts)), gathered.skipped


async def _counted(
    code: CodeSource, commits: Sequence[Commit], what: str, step: Step
) -> AsyncIterator[Change]:
    done = 0
    async for change in code.changes([commit.sha for commit in commits]):
        done += 1
        if done % _STEP_EVERY == 0 or done == len(commits):
            step(what, done, len(commits))
        yield change
