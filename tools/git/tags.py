"""Which tags contain a commit: by that a release is known to have a change."""

from tools.git.branch import ask_refs
from tools.git.repository import Repository

_MOST = 60


async def tags_with(repository: Repository, sha: str) -> tuple[str, ...] | None:
    """Name the tags whose history has a commit, the oldest first; None where the repository has no tags at all."""
    if not await ask_refs(repository, ["for-each-ref", "--count=1", "refs/tags"]):
        return None
    form = "--format=%(refname:strip=2)"
    told = await ask_refs(repository, ["for-each-ref", f"--contains={sha}", "--sort=creatordate", form, "refs/tags"])
    return tuple(name for name in told.split("\n") if name)[:_MOST]
