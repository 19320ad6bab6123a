"""Two versions of a repository: what their names mean, how their trees differ, and the commits between them."""

import difflib
import re
from collections.abc import Mapping

from agent.domain import Change, Commit
from agent.errors import InputError, UpstreamError
from agent.ids import RepoId
from agent.window import moment
from tools.git.branch import ask_refs, find_tip
from tools.git.landing import read_commits
from tools.git.log import PATCH_OPTIONS
from tools.git.missing import fetch_blobs, missing_blobs
from tools.git.names import name_commits
from tools.git.patch import MalformedDiff, read_entries, read_files
from tools.git.remote import patiently
from tools.git.repository import Repository
from tools.git.view import View

_TAGS = ("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
_OF_COMMITS = "--diff-merges=first-parent"
_RENAMES = "-l4000"
"""How many files git compares to find renames: by default it gives up where many came and went."""


async def find_version(repository: Repository, view: View, name: str, *, branch: str | None, tz: str) -> str:
    """Find the commit that a tag, a hash or a day means; a day means how the branch stood when it began."""
    for tag in (name, f"v{name}"):
        ref = f"refs/tags/{tag}^{{commit}}"
        if sha := (await ask_refs(repository, ["rev-parse", "--quiet", "--verify", "--end-of-options", ref])).strip():
            return sha
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}(?:T[\d:]{4,8}(?:Z|[+-][\d:]{4,5})?)?", name):
        return await _at_day(repository, view, name, branch, tz)
    found = (await name_commits(view, [name.lower()]))[name.lower()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{name} fits several commits: {', '.join(sha[:12] for sha in found[:5])}")
    tags = (await ask_refs(repository, [*_TAGS, "--sort=-creatordate"])).split("\n")
    near = difflib.get_close_matches(name, tags, n=3) or [tag for tag in tags if tag][:3]
    hint = f"tags like it are {', '.join(near)}" if near else "the repository has no tags"
    raise InputError(f"{name[:60]!r} is no tag, hash or day of {repository.path.name}; {hint}")


async def _at_day(repository: Repository, view: View, day: str, branch: str | None, tz: str) -> str:
    tip = await find_tip(repository, branch)
    before = int(moment(day, tz).timestamp()) - 1
    asked = ["rev-list", "--first-parent", "-1", f"--before={before}", tip.sha or "HEAD"]
    sha = (await view.read(asked)).decode("ascii").strip() if tip.sha else ""
    if not sha:
        raise InputError(f"nothing had landed on {tip.branch} before {day}")
    return sha


async def commits_between(view: View, repo: RepoId, old: str, new: str) -> list[Commit]:
    """List the commits that the newer version has and the older has not, newest first, on the newer one's own line."""
    return await read_commits(view, repo, ["--first-parent", new, f"^{old}"])


async def tree_change(
    repository: Repository, view: View, repo: RepoId, old: str, new: str, environ: Mapping[str, str]
) -> Change:
    """Read how one tree differs from another, as if one commit had made it."""
    options = [option for option in PATCH_OPTIONS if option != _OF_COMMITS]
    if repository.promisor is not None:
        raw = await view.read(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new])
        if missing := await missing_blobs(view, read_entries(raw)[0]):
            await patiently(lambda: fetch_blobs(repository, missing, environ))
    body = await view.read(["diff-tree", "-r", "-z", _RENAMES, *options, old, new])
    try:
        files = read_files(body)
    except MalformedDiff as error:
        raise UpstreamError(f"git diff {old[:12]} {new[:12]}: {error}", retryable=False) from error
    (commit,) = await read_commits(view, repo, ["--no-walk", new])
    return Change(commit=commit.model_copy(update={"parents": (old,)}), files=files)
