"""Griffe: what an oracle that shares no code with ours calls a breakage is what we tell, and nothing else is.

Compared is what the two have in common: symbols that are gone (renamed and moved ones are gone from where they were),
and parameters removed, added without a default, renamed, moved, required now, or with another default. Griffe works
file by file and names every function, our sheets join what changes alike: so each file is read by itself, and the
functions that one fact speaks of are found by its places, with Python's own parser. Names that a module only imports
are left out unless they are in `__all__`: griffe takes no others for public.
"""

import ast
import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from agent.domain import Change, FileChange
from agent.errors import UsageError
from agent.facts import Fact, FactKind, Severity
from agent.settings import RepoSpec
from evals.figures import Score, Target, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.fact_matching import names_of
from evals.sets.griffe_oracle import Breakage, breakages
from evals.sets.oracle import ask_git, first_parent_line, git_dir_of
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

LIMIT = 150
"""How many of the latest commits with a breakage are compared."""
SCANNED = 3000
"""How far back they are looked for."""
_BESIDE = re.compile(r"^(tests?|testing|bench\w*|examples?|docs?|scripts?|ci|tools|third_?party|3rdparty)$")
_PARAMETER = {
    "parameter-removed",
    "parameter-added-required",
    "parameter-moved",
    "parameter-required",
    "parameter-kind",
}
_GONE = {FactKind.SYMBOL_REMOVED, FactKind.FIELD_REMOVED, FactKind.MEMBER_REMOVED}
_RENAMED = {FactKind.SYMBOL_RENAMED, FactKind.FIELD_RENAMED, FactKind.MEMBER_RENAMED}
_SIGNATURE = {
    FactKind.PARAMETER_ADDED,
    FactKind.PARAMETER_REMOVED,
    FactKind.PARAMETER_RENAMED,
    FactKind.PARAMETER_REORDERED,
    FactKind.PARAMETER_REQUIRED,
    FactKind.PARAMETER_DEFAULT,
    FactKind.SIGNATURE_CHANGED,
}

Blobs = Mapping[str, tuple[bytes | None, bytes | None]]


@dataclass(frozen=True)
class Claim:
    """What one of our facts says of one object of one file."""

    file: str
    names: frozenset[str]
    """Qualified inside the file, one or the other where a fact joins several; empty for the file itself."""
    kind: FactKind
    params: frozenset[str] = frozenset()
    """The parameters it is about; none for a signature as a whole."""
    sure: bool = True
    """Whether it says that callers break; what only mentions the change cannot be wrong about that."""

    @property
    def is_removal(self) -> bool:
        """Whether something is gone from its place."""
        return self.kind not in _SIGNATURE


async def run(bench: Bench) -> Figures:
    """Compare on every mirror."""
    if importlib.util.find_spec("griffe") is None:
        raise UsageError("the set griffe needs griffe: uv sync --group dev")
    recall: list[Score] = []
    precision: list[Score] = []
    for spec in bench.mirrors:
        for found, right in await compare_latest(bench, spec, LIMIT):
            recall += found
            precision += right
    return {"recall": share(recall, Target(0.9)), "precision": share(precision, Target(0.95))}


async def compare_latest(bench: Bench, spec: RepoSpec, limit: int) -> list[tuple[list[Score], list[Score]]]:
    """Score the latest commits in which griffe finds something, each apart."""
    assert spec.path is not None
    git_dir = git_dir_of(spec.path)
    folders = await packages(spec)
    source = GitSource(spec.name, spec.path)
    line = await first_parent_line(git_dir)
    scored: list[tuple[list[Score], list[Score]]] = []
    bench.say(f"griffe: {spec.name}, {', '.join(folders) or 'no package'}")
    for row, parent in pairwise(line[:SCANNED]):
        if len(scored) >= limit or not folders:
            break
        found = [one for one in await breakages(git_dir, parent.sha, row.sha, folders) if _compared(one)]
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
    homes = [path.parent for path in paths if path.name == "__init__.py" and _is_own(path.as_posix())]
    depth = min((len(home.parts) for home in homes), default=0)
    return sorted({home.as_posix() for home in homes if len(home.parts) == depth})


def score(found: Sequence[Breakage], ours: Sequence[Claim], where: str) -> tuple[list[Score], list[Score]]:
    """Score each finding by whether we have it, and each claim by whether griffe confirms it."""
    recall = [
        Score(
            f"{where}: not found: {one.kind} {one.file} {one.name} {one.parameter}",
            float(any(tells(claim, one) for claim in ours)),
        )
        for one in found
    ]
    precision = [
        Score(
            f"{where}: not confirmed: {claim.kind} {claim.file} {'/'.join(sorted(claim.names))} "
            f"{', '.join(sorted(claim.params))}",
            float(any(confirms(one, claim) for one in found)),
        )
        for claim in ours
        if claim.sure
    ]
    return recall, precision


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


def claims(change: Change, blobs: Blobs, folders: Sequence[str]) -> list[Claim]:
    """List what our facts say of the public Python of a commit, file by file."""
    made: list[Claim] = []
    for file in change.files:
        old = file.previous_path or file.path
        if not (file.path.endswith(".py") and old.startswith(tuple(f"{folder}/" for folder in folders))):
            continue
        if not (_is_own(old) and _is_public(old)):
            continue
        if file.status in ("removed", "renamed"):
            made.append(Claim(old, frozenset(), FactKind.FILE_REMOVED))
            continue
        sheet = read_facts(change.model_copy(update={"files": (file,)}), blobs)
        texts = blobs.get(file.path, (None, None))
        public = [fact for fact in sheet.facts if fact.severity is not Severity.INTERNAL]
        made += [claim for fact in public for claim in _claims_of(fact, file, texts)]
    return list(dict.fromkeys(made))


def _claims_of(fact: Fact, file: FileChange, texts: tuple[bytes | None, bytes | None]) -> Iterator[Claim]:
    if fact.kind in _RENAMED:
        old = (fact.old or "").rpartition(".")[2]
        for name in {fact.name, *(_functions(fact, texts) if len(fact.places) > 1 else ())}:
            owner = name.rpartition(".")[0]
            yield Claim(file.path, frozenset({f"{owner}.{old}" if owner else old}), fact.kind)
    elif fact.kind in _GONE and re.match(r"\d+ ", fact.detail or ""):
        # Several of one class are one fact under the name of the class.
        members = re.findall(r"(?:^|, )(\w+)", fact.old or "")
        yield Claim(file.path, frozenset(f"{fact.name}.{member}" for member in members), fact.kind)
    elif fact.kind in _GONE or fact.kind is FactKind.SYMBOL_MOVED:
        passed_on = imported(texts[0] or b"")
        for name in names_of(fact):
            if name not in passed_on:
                yield Claim(file.path, frozenset({name}), fact.kind)
    elif fact.kind in _SIGNATURE and not (fact.kind is FactKind.SIGNATURE_CHANGED and fact.detail):
        yield from _signature_claims(fact, file, texts)


def _signature_claims(fact: Fact, file: FileChange, texts: tuple[bytes | None, bytes | None]) -> Iterator[Claim]:
    """Speak of each function; of those to which a parameter came, the gravest gave the fact its severity."""
    added = fact.kind is FactKind.PARAMETER_ADDED
    whole = fact.kind in (FactKind.SIGNATURE_CHANGED, FactKind.PARAMETER_REORDERED)
    params = frozenset(set() if whole else {fact.detail or "", *_renamed_params(fact)} - {""})
    sure = fact.severity is Severity.BREAKING or not (added or whole)
    names = {*names_of(fact), *(_functions(fact, texts) if len(fact.places) > 1 else ())}
    public = frozenset(name for name in names if _is_public_name(name))
    for group in [public] if added else [frozenset({name}) for name in sorted(public)]:
        yield Claim(file.path, group, fact.kind, params, sure)


def _renamed_params(fact: Fact) -> tuple[str, ...]:
    return (fact.old or "", fact.new or "") if fact.kind is FactKind.PARAMETER_RENAMED else ()


def _functions(fact: Fact, texts: tuple[bytes | None, bytes | None]) -> Iterator[str]:
    """Name the functions in which a fact shows."""
    for place in fact.places:
        text = texts[1] if any(line.startswith("+") for line in place.lines) else texts[0]
        if text is not None and (name := function_at(text, place.line)):
            yield name


def function_at(text: bytes, line: int) -> str | None:
    """Name the innermost function around a line, qualified inside the file."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    best: str | None = None
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, prefix = todo.pop()
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                if not first <= line <= (child.end_lineno or first):
                    continue
                name = f"{prefix}.{child.name}" if prefix else child.name
                best = best if isinstance(child, ast.ClassDef) else name
            todo.append((child, name))
    return best


def imported(text: bytes) -> set[str]:
    """List the names that a module has only by an import and does not offer on purpose."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    offered: set[object] = set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            inside = isinstance(node, ast.ImportFrom) and not node.module
            # Modules of the package itself are files to griffe, not names.
            names |= {f"{one.asname or one.name}{'.' * inside}" for one in node.names}
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets) and node.value:
                offered |= {one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)}
    return {name.rstrip(".") for name in names if name not in offered}


def _is_public_name(name: str) -> bool:
    return not any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def _compared(found: Breakage) -> bool:
    wanted = found.kind in _PARAMETER or found.kind in ("removed", "parameter-default")
    return wanted and _is_own(found.file)


def _is_own(path: str) -> bool:
    return not any(_BESIDE.match(part) for part in PurePosixPath(path).parts[:-1])


def _is_public(path: str) -> bool:
    parts = PurePosixPath(path).with_suffix("").parts
    return all(not part.startswith("_") or part == "__init__" for part in parts)


GRIFFE = EvalSet("griffe", "what breaks for callers is what griffe says breaks", run, needs_mirrors=True)
