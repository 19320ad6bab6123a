"""Griffe: what an oracle that shares no code with ours calls a breakage of the public API is what we tell.

Compared is what the two have in common: names that are gone (renamed and moved ones are gone from where they were) and
parameters removed, added without a default, renamed, moved, required now, or with another default. Recall asks of each
finding whether a fact that is not internal tells it; precision asks of each name that a fact calls broken whether
griffe finds it broken too. A field of a record is left out of precision: users may set it without importing the record.
"""

import importlib.util
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from agent.domain.base import UsageError
from agent.domain.facts import Fact, Severity
from agent.settings.values import RepoSpec
from evals.figures import Score, Target, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.griffe_oracle import Breakage, Visits, breakages
from evals.sets.oracle import ask_git, first_parent_line, git_dir_of
from tools.diff.sheet import study
from tools.git.source import GitSource

SCANNED = 1000
"""How many of the latest commits are compared."""
_BESIDE = re.compile(r"^(\w*tests?|testing|bench\w*|examples?|docs?|scripts?|ci|tools|third_?party|3rdparty)$")
_GONE = ("symbol-removed", "symbol-renamed", "symbol-moved", "enum-member-removed", "enum-member-renamed")
_FIELDS = ("field-removed", "field-renamed")


@dataclass(frozen=True)
class Claim:
    """What a fact says of one name."""

    name: str
    """As it was, qualified inside its file."""
    kind: str
    params: frozenset[str] = frozenset()
    breaking: bool = True

    @property
    def is_removal(self) -> bool:
        """Whether something is gone from its place."""
        return not self.kind.startswith(("parameter-", "signature-"))


async def run(bench: Bench) -> Figures:
    """Compare on every mirror."""
    if importlib.util.find_spec("griffe") is None:
        raise UsageError("the set griffe needs griffe: uv sync --group dev")
    recall, precision = list[Score](), list[Score]()
    for spec in bench.mirrors:
        await compare_latest(bench, spec, recall, precision)
    return {"recall": share(recall, Target(0.9)), "precision": share(precision, Target(0.95))}


async def compare_latest(bench: Bench, spec: RepoSpec, recall: list[Score], precision: list[Score]) -> None:
    """Score the latest commits that change a Python file of a package."""
    assert spec.path is not None
    git_dir, folders = git_dir_of(spec.path), await packages(spec)
    source, visits = GitSource(spec.name, spec.path), Visits(git_dir)
    bench.say(f"griffe: {spec.name}, {', '.join(folders) or 'no package'}")
    for row, parent in pairwise((await first_parent_line(git_dir))[: SCANNED + 1]):
        files = (await ask_git(git_dir, "diff", "--name-only", parent.sha, row.sha)).decode("utf-8", "replace")
        found: set[Breakage] = set()
        touched = [folder for folder in folders if re.search(rf"^{re.escape(folder)}/.*\.py$", files, re.MULTILINE)]
        for folder in touched:
            found |= await breakages(await visits.tree(parent.sha, folder), await visits.tree(row.sha, folder))
        async for change in source.changes([row.sha] if touched else []):
            told = claims((await study(source, change)).facts, touched)
            where = f"{spec.name}@{row.sha[:10]}"
            recall += [_score(f"{where}: not found: {one}", (tells(claim, one) for claim in told)) for one in found]
            precision += [
                _score(f"{where}: not confirmed: {claim}", (tells(claim, one) for one in found))
                for claim in told
                if claim.breaking and claim.kind not in _FIELDS
            ]


def _score(reason: str, right: Iterable[bool]) -> Score:
    return Score(reason, float(any(right)))


async def packages(spec: RepoSpec) -> list[str]:
    """Find the repository's own packages: the topmost folders with an `__init__.py`, beside tests and the like."""
    assert spec.path is not None
    out = await ask_git(git_dir_of(spec.path), "ls-tree", "-r", "--name-only", "-z", "HEAD")
    paths = [PurePosixPath(name) for name in out.decode("utf-8", "replace").split("\0")]
    homes = [path.parent for path in paths if path.name == "__init__.py" and not any(map(_BESIDE.match, path.parts))]
    depth = min((len(home.parts) for home in homes), default=0)
    return sorted({home.as_posix() for home in homes if len(home.parts) == depth})


def claims(facts: Sequence[Fact], folders: Sequence[str]) -> list[Claim]:
    """List what facts about Python say of each name; a fact that joins several has all of their names."""
    inside = tuple(f"{folder}/" for folder in folders)
    made: list[Claim] = []
    for fact in facts:
        files = [place.file for place in fact.places]
        if fact.severity is not Severity.INTERNAL and any(f.endswith(".py") and f.startswith(inside) for f in files):
            breaking = fact.severity is Severity.BREAKING
            params = frozenset(text for text in (fact.detail, fact.old, fact.new) if text)
            if fact.kind in (*_GONE, *_FIELDS):
                made += [Claim(name, fact.kind, breaking=breaking) for name in old_names(fact)]
            elif fact.kind.startswith(("parameter-", "signature-")):
                made += [Claim(name, fact.kind, params, breaking) for name in fact.name.split(", ")]
    return list(dict.fromkeys(made))


def old_names(fact: Fact) -> list[str]:
    """Name what a fact says is gone, as it was called before."""
    if re.match(r"\d+ (fields|members)", fact.detail or ""):
        return [f"{fact.name}.{member}" for member in re.findall(r"(?:^|, )(\w+)", fact.old or "")]
    if fact.kind.endswith("-renamed") and fact.old:
        return [".".join([*name.split(".")[:-1], fact.old]) for name in fact.name.split(", ")]
    return fact.name.split(", ")


def tells(claim: Claim, found: Breakage) -> bool:
    """Tell whether a claim says what griffe found; a class that is gone takes its members along."""
    if claim.is_removal or found.kind == "removed":
        same = claim.name == found.name or claim.name.startswith(f"{found.name}.")
        return claim.is_removal and found.kind == "removed" and same
    # A parameter moves when another comes or goes before it.
    moved = found.kind in ("parameter-moved", "parameter-kind") and claim.kind != "parameter-default-changed"
    return claim.name == found.name and (moved or found.parameter in claim.params)


GRIFFE = EvalSet("griffe", "what breaks for callers is what griffe says breaks", run, needs_mirrors=True)
