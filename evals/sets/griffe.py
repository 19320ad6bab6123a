"""Griffe: what breaks for callers of Python packages is what griffe, which shares nothing with our code, says breaks.

Compared is the public API: names that the `__init__.py` of a package, or of one right below it, has. Recall asks of
each finding whether a fact that is not internal tells it; precision asks of each name that a fact calls broken whether
griffe finds it broken too. Fields of records are left out of precision: users set them without importing the record.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from agent.domain.base import InputError
from agent.domain.facts import Fact, Severity
from evals.figures import Figures, Score, Target, share
from evals.harness import Bench, evalset
from evals.sets.oracle import ask_git, first_parent_line, git_dir_of, path_of
from tools.diff.sheet import study
from tools.git.source import GitSource

_FEW, _MANY = 200, 1000  # How many of the latest commits are compared
_BESIDE = re.compile(
    r"^(\w*tests?|testing|bench\w*|examples?|docs?|scripts?|ci|tools|third_?party|3rdparty)$"
)
_GONE = ("symbol-", "enum-member-", "field-")


@dataclass(frozen=True)
class Broken:
    """What griffe found, or a fact says, of one name: as it was, qualified inside its file."""

    name: str
    gone: bool
    parameters: frozenset[str] = (
        frozenset()
    )  # The parameters that it is about; empty where all may have moved

    def tells(self, found: "Broken") -> bool:
        """Tell whether a fact says what griffe found; a class that is gone takes its members along."""
        if self.gone or found.gone:
            return (
                self.gone
                and found.gone
                and (self.name == found.name or self.name.startswith(f"{found.name}."))
            )
        return self.name == found.name and (
            not found.parameters or bool(found.parameters & self.parameters)
        )


@evalset("griffe", "what breaks for callers is what griffe says breaks", needs_mirrors=True)
async def run(bench: Bench) -> Figures:
    """Compare the latest commits of every mirror."""
    if bench.mirrors and find_spec("griffe") is None:
        raise InputError("the set griffe needs the package griffe: pip install griffe")
    recall, precision = list[Score](), list[Score]()
    for spec in bench.mirrors:
        git_dir, source = git_dir_of(spec), GitSource(spec.name, path_of(spec))
        folders = await packages(git_dir)
        inside = re.compile(rf"(?:{'|'.join(map(re.escape, folders))})/.*\.py$")
        bench.say(f"griffe: {spec.name}, {', '.join(folders) or 'no package'}")
        for row, parent in pairwise(
            (await first_parent_line(spec))[: bench.count(_FEW, _MANY) + 1]
        ):
            found = [
                one
                for folder in folders
                for one in await broken(git_dir, folder, parent.sha, row.sha)
            ]
            async for change in source.changes([row.sha]):
                every = [
                    fact
                    for fact in (await study(source, change)).facts
                    if fact.severity is not Severity.INTERNAL
                ]
                facts = [
                    one for one in every if any(inside.match(place.file) for place in one.places)
                ]
                told = [claim for fact in facts for claim in claims(fact)]
                sure = [
                    one
                    for fact in facts
                    if fact.severity is Severity.BREAKING
                    for one in claims(fact)
                ]
                recall += [
                    _score(change.commit.id, one, [claim.tells(one) for claim in told])
                    for one in found
                ]
                precision += [
                    _score(change.commit.id, one, [one.tells(other) for other in found])
                    for one in sure
                ]
    return {"recall": share(recall, Target(0.9)), "precision": share(precision, Target(0.95))}


def _score(where: str, one: Broken, right: Sequence[bool]) -> Score:
    return Score(f"{where}: nobody else says {one}", float(any(right)), f"{where} {one.name}")


async def packages(git_dir: Path) -> list[str]:
    """Find the repository's own packages: the topmost folders with an `__init__.py`, beside tests and the like."""
    paths = map(
        PurePosixPath,
        (await ask_git(git_dir, "ls-tree", "-r", "--name-only", "-z", "HEAD")).split("\0"),
    )
    homes = [
        path.parent
        for path in paths
        if path.name == "__init__.py" and not any(map(_BESIDE.match, path.parts))
    ]
    depth = min((len(home.parts) for home in homes), default=0)
    return sorted({home.as_posix() for home in homes if len(home.parts) == depth})


async def broken(git_dir: Path, folder: str, old: str, new: str) -> list[Broken]:
    """List what griffe finds broken between two commits in the changed files of a package, of its public names."""
    names = (
        await ask_git(git_dir, "diff", "--no-renames", "--name-only", "-z", old, new, "--", folder)
    ).split("\0")
    found: list[Broken] = []
    before, after = (
        [await _public(git_dir, folder, commit) for commit in (old, new)]
        if any(names)
        else (set(), set())
    )
    for path in (name for name in names if name.endswith(".py")):
        modules = [await _module(git_dir, commit, path) for commit in (old, new)]
        # What went elsewhere and is still given to users is not gone.
        public = [one for one in _compared(*modules) if one.name.partition(".")[0] in before]
        found += [one for one in public if not (one.gone and one.name in after)]
    return found


async def _public(git_dir: Path, folder: str, commit: str) -> set[str]:
    """List the words of the `__init__.py` files that users import from."""
    files = (f"{folder}/__init__.py", f":(glob){folder}/*/__init__.py")
    try:
        return set(
            (
                await ask_git(
                    git_dir, "grep", "-howE", "[A-Za-z][A-Za-z0-9_]*", commit, "--", *files
                )
            ).split()
        )
    except InputError:
        return set()


async def _module(git_dir: Path, commit: str, path: str) -> Any:
    import griffe

    try:
        code = await ask_git(git_dir, "show", f"{commit}:{path}")
        return griffe.visit(
            PurePosixPath(path).stem, Path(path), code, extensions=griffe.Extensions()
        )
    except (InputError, SyntaxError, ValueError, RecursionError):
        return griffe.Module(PurePosixPath(path).stem)


def _compared(old: Any, new: Any) -> Iterator[Broken]:
    import griffe

    for member in old.members.values():
        # Griffe takes what a module does not list for private; its package may list it.
        member.public = True
    for one in griffe.find_breaking_changes(old, new):
        kind, name = one.kind.name, one.obj.path.removeprefix(f"{old.path}.")
        # What is imported or inherited belongs to another module, which may be of another project.
        own = not one.obj.is_alias and not (one.obj.is_attribute and "." in name)
        if kind == "OBJECT_REMOVED" and own:
            yield Broken(name, gone=True)
        elif kind.startswith("PARAMETER_"):
            values = (getattr(value, "name", None) for value in (one.old_value, one.new_value))
            # A parameter moves when another comes or goes before it.
            moved = kind in ("PARAMETER_MOVED", "PARAMETER_CHANGED_KIND")
            yield Broken(
                name,
                gone=False,
                parameters=frozenset() if moved else frozenset(filter(None, values)),
            )


def claims(fact: Fact) -> Iterator[Broken]:
    """List what a fact about Python says of each name, as it was called; one that joins several has all their names."""
    if fact.kind.startswith(("parameter-", "signature-")):
        values = frozenset(text for text in (fact.detail, fact.old, fact.new) if text)
        yield from (Broken(name, gone=False, parameters=values) for name in fact.name.split(", "))
    elif fact.kind.startswith(_GONE) and fact.kind.endswith(("-removed", "-renamed", "-moved")):
        for name in fact.name.split(", "):
            renamed = fact.kind.endswith("-renamed") and fact.old
            yield Broken(
                ".".join([*name.split(".")[:-1], fact.old]) if renamed and fact.old else name,
                gone=True,
            )
