"""Griffe: what breaks for callers of Python packages is what griffe, which shares nothing with our code, says breaks.

Compared is the public API: names that the `__init__.py` of a package, or of one right below it, has. Recall asks of
each finding whether a fact that is not internal tells it; precision asks of each name that a fact calls broken whether
griffe finds it broken too. Fields of records are left out of precision: users set them without importing the record.
"""

import importlib.util
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from agent.domain.base import InputError, UsageError
from agent.domain.facts import Fact, Severity
from agent.settings.values import RepoSpec
from evals.figures import Figures, Score, Target, share
from evals.harness import Bench, EvalSet
from evals.sets.oracle import ask_git, first_parent_line, git_dir_of, path_of
from tools.diff.sheet import study
from tools.git.source import GitSource

_FEW, _MANY = 200, 1000
"""How many of the latest commits are compared."""
_BESIDE = re.compile(r"^(\w*tests?|testing|bench\w*|examples?|docs?|scripts?|ci|tools|third_?party|3rdparty)$")
_GONE = ("symbol-removed", "symbol-renamed", "symbol-moved", "enum-member-removed", "enum-member-renamed")
_FIELDS = ("field-removed", "field-renamed")
_KINDS = {
    "OBJECT_REMOVED": "removed",
    "PARAMETER_REMOVED": "parameter-removed",
    "PARAMETER_ADDED_REQUIRED": "parameter-added",
    "PARAMETER_MOVED": "parameter-moved",
    "PARAMETER_CHANGED_DEFAULT": "parameter-default",
    "PARAMETER_CHANGED_REQUIRED": "parameter-required",
    "PARAMETER_CHANGED_KIND": "parameter-kind",
}


@dataclass(frozen=True)
class Broken:
    """What griffe found, or a fact says, of one name: as it was, qualified inside its file."""

    name: str
    kind: str
    parameters: frozenset[str] = frozenset()
    breaking: bool = True

    @property
    def gone(self) -> bool:
        """Whether something is gone from its place."""
        return not self.kind.startswith(("parameter-", "signature-"))


async def run(bench: Bench) -> Figures:
    """Compare on every mirror."""
    if importlib.util.find_spec("griffe") is None:
        raise UsageError("the set griffe needs griffe: uv sync --group dev")
    recall, precision = list[Score](), list[Score]()
    for spec in bench.mirrors:
        source, folders = GitSource(spec.name, path_of(spec)), await packages(spec)
        bench.say(f"griffe: {spec.name}, {', '.join(folders) or 'no package'}")
        for row, parent in pairwise((await first_parent_line(spec))[: bench.count(_FEW, _MANY) + 1]):
            found = [one for folder in folders for one in await broken(git_dir_of(spec), folder, parent.sha, row.sha)]
            async for change in source.changes([row.sha]):
                told = list(claims((await study(source, change)).facts, folders))
                where = f"{spec.name}@{row.sha[:10]}"
                recall += [_score(f"{where}: not found: {one}", [same(claim, one) for claim in told]) for one in found]
                precision += [
                    _score(f"{where}: not confirmed: {claim}", [same(claim, one) for one in found])
                    for claim in told
                    if claim.breaking and claim.kind not in _FIELDS
                ]
    return {"recall": share(recall, Target(0.9)), "precision": share(precision, Target(0.95))}


def _score(reason: str, right: Sequence[bool]) -> Score:
    return Score(reason, float(any(right)), reason)


async def packages(spec: RepoSpec) -> list[str]:
    """Find the repository's own packages: the topmost folders with an `__init__.py`, beside tests and the like."""
    out = await ask_git(git_dir_of(spec), "ls-tree", "-r", "--name-only", "-z", "HEAD")
    paths = [PurePosixPath(name) for name in out.split("\0")]
    homes = [path.parent for path in paths if path.name == "__init__.py" and not any(map(_BESIDE.match, path.parts))]
    depth = min((len(home.parts) for home in homes), default=0)
    return sorted({home.as_posix() for home in homes if len(home.parts) == depth})


async def broken(git_dir: Path, folder: str, old: str, new: str) -> list[Broken]:
    """List what griffe finds broken between two commits in the changed files of a package, of its public names."""
    names = (await ask_git(git_dir, "diff", "--no-renames", "--name-only", "-z", old, new, "--", folder)).split("\0")
    paths = [name for name in names if name.endswith(".py")]
    if not paths:
        return []
    before, after = await _public(git_dir, folder, old), await _public(git_dir, folder, new)
    found: list[Broken] = []
    for path in paths:
        modules = [await _module(git_dir, commit, path) for commit in (old, new)]
        for one in _compared(*modules):
            top = one.name.partition(".")[0]
            # What went elsewhere and is still given to users is not gone.
            moved = one.gone and top in after and (top == one.name or path not in paths)
            if top in before and not moved:
                found.append(one)
    return found


async def _public(git_dir: Path, folder: str, commit: str) -> set[str]:
    """List the words of the `__init__.py` files that users import from."""
    words: set[str] = set()
    for pattern in (f"{folder}/__init__.py", f":(glob){folder}/*/__init__.py"):
        try:
            out = await ask_git(git_dir, "grep", "-h", "-o", "-w", "-E", "[A-Za-z][A-Za-z0-9_]*", commit, "--", pattern)
        except InputError:
            continue
        words |= set(out.split())
    return words


async def _module(git_dir: Path, commit: str, path: str) -> Any:
    import griffe

    try:
        code = await ask_git(git_dir, "show", f"{commit}:{path}")
        return griffe.visit(PurePosixPath(path).stem, Path(path), code, extensions=griffe.Extensions())
    except (InputError, SyntaxError, ValueError, RecursionError):
        return griffe.Module(PurePosixPath(path).stem)


def _compared(old: Any, new: Any) -> Iterator[Broken]:
    import griffe

    for member in old.members.values():
        # Griffe takes what a module does not list for private; its package may list it.
        member.public = True
    for one in griffe.find_breaking_changes(old, new):
        kind, name = _KINDS.get(one.kind.name), one.obj.path.removeprefix(f"{old.path}.")
        inherited = getattr(one.obj, "inherited", False) or (one.obj.is_attribute and "." in name)
        if kind is None or (kind == "removed" and inherited):
            continue
        values = (one.old_value, one.new_value) if kind != "removed" else ()
        yield Broken(name, kind, frozenset(str(value.name) for value in values if getattr(value, "name", None)))


def claims(facts: Sequence[Fact], folders: Sequence[str]) -> Iterator[Broken]:
    """List what facts about Python say of each name; a fact that joins several has all of their names."""
    inside = tuple(f"{folder}/" for folder in folders)
    for fact in facts:
        files = [place.file for place in fact.places if place.file.endswith(".py") and place.file.startswith(inside)]
        if fact.severity is Severity.INTERNAL or not files:
            continue
        values = frozenset(text for text in (fact.detail, fact.old, fact.new) if text)
        if fact.kind in (*_GONE, *_FIELDS) or fact.kind.startswith(("parameter-", "signature-")):
            breaking = fact.severity is Severity.BREAKING
            yield from (Broken(name, fact.kind, values, breaking) for name in dict.fromkeys(old_names(fact)))


def old_names(fact: Fact) -> list[str]:
    """Name what a fact speaks of, as it was called before."""
    if re.match(r"\d+ (fields|members)", fact.detail or ""):
        return [f"{fact.name}.{member}" for member in re.findall(r"(?:^|, )(\w+)", fact.old or "")]
    if fact.kind.endswith("-renamed") and fact.old and not fact.kind.startswith("parameter-"):
        return [".".join([*name.split(".")[:-1], fact.old]) for name in fact.name.split(", ")]
    return fact.name.split(", ")


def same(claim: Broken, found: Broken) -> bool:
    """Tell whether a claim says what griffe found; a class that is gone takes its members along."""
    if claim.gone or found.gone:
        return claim.gone and found.gone and (claim.name == found.name or claim.name.startswith(f"{found.name}."))
    # A parameter moves when another comes or goes before it.
    moved = found.kind in ("parameter-moved", "parameter-kind") and claim.kind != "parameter-default-changed"
    return claim.name == found.name and (moved or bool(found.parameters & claim.parameters))


GRIFFE = EvalSet("griffe", "what breaks for callers is what griffe says breaks", run, needs_mirrors=True)
