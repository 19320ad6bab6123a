"""Which branch of a repository counts as its default, and where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.errors import InputError
from tools.git.process import LOCAL, Finished, run
from tools.git.repository import Repository

_LOCAL = "refs/heads/"
_ORIGIN = "refs/remotes/origin/"
_USUAL = ("main", "master")


@dataclass(frozen=True)
class Tip:
    """A branch and its newest commit; None when there is no commit yet."""

    branch: str
    sha: str | None


async def find_tip(repository: Repository, branch: str | None = None) -> Tip:
    """Find the branch to report on.

    A branch that was named is taken, from the repository itself or from its `origin`. Otherwise the default branch is
    the one that `origin` calls so (a clone remembers that, whatever branch is checked out), else the one HEAD names
    (the rule for bare repositories), else, with a detached or dangling HEAD, `main`, `master` or the only branch there
    is, else the commit HEAD stands on, labelled `HEAD`. Where a clone has the branch twice, its own copy is taken
    unless origin's is further along on the same line: work of one's own counts, and so does what was fetched and not
    yet merged.
    """
    if branch is not None:
        sha = await _stand(repository, branch)
        if sha is None:
            raise InputError(f"{repository.path} has no branch {branch!r}; {await _existing(repository)}")
        return Tip(branch, sha)
    named = [await _origins_default(repository), await _checked_out(repository)]
    for name in [*filter(None, named), *_USUAL]:
        if sha := await _stand(repository, name):
            return Tip(name, sha)
    for name in await _only_branch(repository):
        if sha := await _stand(repository, name):
            return Tip(name, sha)
    if detached := await _commit(repository, "HEAD"):
        return Tip("HEAD", detached)
    return Tip(next(filter(None, reversed(named)), "HEAD"), None)


async def _stand(repository: Repository, name: str) -> str | None:
    """Find the newest commit of a branch, here or as last fetched from origin."""
    own, theirs = await _commit(repository, _LOCAL + name), await _commit(repository, _ORIGIN + name)
    if own and theirs and own != theirs:
        behind = await _git(repository, ["merge-base", "--is-ancestor", own, theirs])
        return theirs if behind.code == 0 else own
    return own or theirs


async def _origins_default(repository: Repository) -> str | None:
    """Read which branch origin called its default when it was last asked."""
    told = await _git(repository, ["for-each-ref", "--format=%(symref)", f"{_ORIGIN}HEAD"])
    return _short(told, _ORIGIN)


async def _checked_out(repository: Repository) -> str | None:
    """Read which branch HEAD names; it need not exist yet."""
    return _short(await _git(repository, ["symbolic-ref", "--quiet", "HEAD"]), _LOCAL)


def _short(told: Finished, prefix: str) -> str | None:
    """Take the branch's own name from a full one."""
    name = told.out.decode("utf-8", "surrogateescape").rstrip("\n")
    return name.removeprefix(prefix) if name.startswith(prefix) else None


async def _commit(repository: Repository, ref: str) -> str | None:
    """Find the commit that a reference names; whether it is there is seen when it is read."""
    told = await _git(repository, ["rev-parse", "--quiet", "--verify", "--end-of-options", ref])
    return told.out.decode("ascii").strip() if told.code == 0 else None


async def _only_branch(repository: Repository) -> Sequence[str]:
    """Name the branch of a repository that has just one."""
    names = await _branches(repository, 2)
    return names if len(names) == 1 else ()


async def _existing(repository: Repository) -> str:
    """Tell which branches there are, for a message."""
    names = await _branches(repository, 8)
    return f"it has {', '.join(names)}" if names else "it has no branch at all"


async def _branches(repository: Repository, most: int) -> list[str]:
    """List the first few local branches."""
    told = await _git(repository, ["for-each-ref", f"--count={most}", "--format=%(refname)", _LOCAL])
    return [line.removeprefix(_LOCAL) for line in told.out.decode("utf-8", "surrogateescape").splitlines()]


async def ask_refs(repository: Repository, arguments: Sequence[str]) -> str:
    """Ask the repository about its references, and give what it tells."""
    return (await _git(repository, arguments)).out.decode("utf-8", "replace")


async def _git(repository: Repository, arguments: Sequence[str]) -> Finished:
    """Ask the repository itself, with its references; naming the directory also spares git's question who owns it.

    A "no" is an exit status of 1. Anything worse must not be taken for one: the repository would look empty.
    """
    told = await run([f"--git-dir={repository.git_dir}", *arguments], env=LOCAL)
    if told.code > 1 or told.code < 0:
        raise InputError(f"{repository.path} cannot be read: {told.reason}")
    return told
