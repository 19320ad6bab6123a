"""Griffe: what an oracle that shares no code with ours calls a breakage is what we tell, and nothing else is.

Compared is what the two have in common: symbols that are gone (renamed and moved ones are gone from where they were),
and parameters removed, added without a default, renamed, moved, required now, or with another default. Griffe works
file by file and names every function, our sheets join what changes alike: so each file is read by itself, and the
functions that one fact speaks of are found by its places, with Python's own parser. Names that a module only imports
are left out unless they are in `__all__`: griffe takes no others for public. Who is meant is another matter: griffe
goes by underscores, facts by who can call a thing, and the methods of a kernel only its class does. So recall asks
whether a change was found at all; how much of it was told to callers is a figure beside it, with nothing to reach.
"""

import importlib.util
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from agent.errors import UsageError
from agent.facts import FactKind
from agent.settings import RepoSpec
from evals.figures import Score, Target, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.griffe_claims import Claim, claims, is_own
from evals.sets.griffe_oracle import Breakage, breakages
from evals.sets.oracle import ask_git, first_parent_line, git_dir_of
from tools.diff.sheet import paths_to_read
from tools.git.source import GitSource

LIMIT = 150
"""How many of the latest commits with a breakage are compared."""
SCANNED = 3000
"""How far back they are looked for."""
_PARAMETER = {
    "parameter-removed",
    "parameter-added-required",
    "parameter-moved",
    "parameter-required",
    "parameter-kind",
}


class Compared(NamedTuple):
    """The scores of one commit."""

    recall: list[Score]
    precision: list[Score]
    told: list[Score]
    """Whether each finding was told as something that callers notice."""


async def run(bench: Bench) -> Figures:
    """Compare on every mirror."""
    if importlib.util.find_spec("griffe") is None:
        raise UsageError("the set griffe needs griffe: uv sync --group dev")
    scored = [one for spec in bench.mirrors for one in await compare_latest(bench, spec, LIMIT)]
    return {
        "recall": share([score for one in scored for score in one.recall], Target(0.9)),
        "precision": share([score for one in scored for score in one.precision], Target(0.95)),
        "told to callers, of what griffe finds": share([score for one in scored for score in one.told], Target(0.0)),
    }


async def compare_latest(bench: Bench, spec: RepoSpec, limit: int) -> list[Compared]:
    """Score the latest commits in which griffe finds something, each apart."""
    assert spec.path is not None
    git_dir = git_dir_of(spec.path)
    folders = await packages(spec)
    source = GitSource(spec.name, spec.path)
    line = await first_parent_line(git_dir)
    scored: list[Compared] = []
    bench.say(f"griffe: {spec.name}, {', '.join(folders) or 'no package'}")
    for row, parent in pairwise(line[:SCANNED]):
        if len(scored) >= limit or not folders:
            break
        found = [one for one in await breakages(git_dir, parent.sha, row.sha, folders) if _is_compared(one)]
        if found:
            async for change in source.changes([row.sha]):
                blobs = await source.blobs(change, paths_to_read(change))
                scored.append(score(found, claims(change, blobs, folders), f"{spec.name}@{row.sha[:10]}"))
    return scored


async def packages(spec: RepoSpec) -> list[str]:
    """Find the repository's own packages: the topmost folders with an `__init__.py`, beside tests and the like."""
    assert spec.path is not None
    out = await ask_git(git_dir_of(spec.path), "ls-tree", "-r", "--name-only", "-z", "HEAD")
    paths = [PurePosixPath(name) for name in out.decode("utf-8", "replace").split("\0")]
    homes = [path.parent for path in paths if path.name == "__init__.py" and is_own(path.as_posix())]
    depth = min((len(home.parts) for home in homes), default=0)
    return sorted({home.as_posix() for home in homes if len(home.parts) == depth})


def score(found: Sequence[Breakage], ours: Sequence[Claim], where: str) -> Compared:
    """Score each finding by whether we have it, and each claim by whether griffe confirms it."""
    meant = [claim for claim in ours if not claim.internal]
    right = [
        Score(
            f"{where}: not confirmed: {claim.kind} {claim.file} {'/'.join(sorted(claim.names))} "
            f"{', '.join(sorted(claim.params))}",
            float(any(confirms(one, claim) for one in found)),
        )
        for claim in meant
        if claim.sure
    ]
    return Compared(_found(found, ours, f"{where}: not found"), right, _found(found, meant, f"{where}: not told"))


def _found(found: Sequence[Breakage], claims: Sequence[Claim], missing: str) -> list[Score]:
    return [
        Score(
            f"{missing}: {one.kind} {one.file} {one.name} {one.parameter}",
            float(any(tells(claim, one) for claim in claims)),
        )
        for one in found
    ]


def tells(claim: Claim, found: Breakage) -> bool:
    """Tell whether a claim says what griffe found."""
    if claim.file != found.file:
        return False
    if found.kind == "removed":
        return claim.is_removal and (found.name in claim.names if found.name else not claim.names)
    if claim.is_removal or found.name not in claim.names:
        return False
    # A parameter moves when another comes or goes before it; and a whole signature says everything.
    if found.kind in ("parameter-moved", "parameter-kind") or not claim.params:
        return claim.kind is not FactKind.PARAMETER_DEFAULT
    return found.parameter in claim.params


def confirms(found: Breakage, claim: Claim) -> bool:
    """Tell whether a finding bears a claim out."""
    if claim.file != found.file:
        return False
    if claim.is_removal:
        return found.kind == "removed" and (found.name in claim.names if claim.names else not found.name)
    if found.kind == "removed" or found.name not in claim.names:
        return False
    return not claim.params or found.parameter in claim.params or found.kind in ("parameter-moved", "parameter-kind")


def _is_compared(found: Breakage) -> bool:
    wanted = found.kind in _PARAMETER or found.kind in ("removed", "parameter-default")
    return wanted and is_own(found.file)


GRIFFE = EvalSet("griffe", "what breaks for callers is what griffe says breaks", run, needs_mirrors=True)
