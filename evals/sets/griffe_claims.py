"""What our facts say breaks in the Python of a commit, function by function, so that it can be held to griffe's."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from agent.domain import Change, FileChange
from agent.facts import Fact, FactKind, Severity
from evals.sets.fact_matching import names_of
from tools.diff.sheet import read_facts

Blobs = Mapping[str, tuple[bytes | None, bytes | None]]
_BESIDE = re.compile(r"^(\w*tests?|testing|bench\w*|examples?|docs?|scripts?|ci|tools|third_?party|3rdparty)$")
_GONE = {FactKind.SYMBOL_REMOVED, FactKind.FIELD_REMOVED, FactKind.MEMBER_REMOVED}
_FILES = {FactKind.FILE_REMOVED, FactKind.FILE_RENAMED}
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
    internal: bool = False
    """Whether it says that callers are not meant: griffe goes by underscores alone, facts by who can call a thing."""

    @property
    def is_removal(self) -> bool:
        """Whether something is gone from its place."""
        return self.kind not in _SIGNATURE


def claims(change: Change, blobs: Blobs, folders: Sequence[str]) -> list[Claim]:
    """List what our facts say of the public Python of a commit, file by file."""
    made: list[Claim] = []
    for file in change.files:
        old = file.previous_path or file.path
        if not (file.path.endswith(".py") and old.startswith(tuple(f"{folder}/" for folder in folders))):
            continue
        if not (is_own(old) and _is_public(old)):
            continue
        sheet = read_facts(change.model_copy(update={"files": (file,)}), blobs)
        texts = blobs.get(file.path, (None, None))
        if file.status in ("removed", "renamed"):
            # Nothing else can be said of a module that is not there.
            gone = (fact for fact in sheet.facts if fact.kind in _FILES)
            made += [Claim(old, frozenset(), fact.kind, internal=_is_internal(fact)) for fact in gone][:1]
            continue
        for fact in sheet.facts:
            made += [replace(claim, internal=_is_internal(fact)) for claim in _claims_of(fact, file, texts)]
    return list(dict.fromkeys(made))


def _is_internal(fact: Fact) -> bool:
    return fact.severity is Severity.INTERNAL


def _claims_of(fact: Fact, file: FileChange, texts: tuple[bytes | None, bytes | None]) -> Iterator[Claim]:
    if fact.kind in _RENAMED:
        old = (fact.old or "").rpartition(".")[2]
        for name in {fact.name, *(_functions(fact, texts) if len(fact.places) > 1 else ())}:
            owner = name.rpartition(".")[0]
            if _is_public_name(owner) and (owner or old not in imported(texts[0] or b"")):
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
    listed = offered(_parsed(texts[0] or b""))
    public = frozenset(name for name in names if _is_public_name(name) or name in listed)
    for group in [public][: len(public)] if added else [frozenset({name}) for name in sorted(public)]:
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
    best: str | None = None
    todo: list[tuple[ast.AST, str]] = [(_parsed(text), "")]
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
    tree = _parsed(text)
    listed = offered(tree)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            # Modules of the package itself are files to griffe, not names.
            inside = isinstance(node, ast.ImportFrom) and not node.module
            bound = {one.asname or one.name for one in node.names}
            names |= bound if inside else bound - listed
    return names


def offered(tree: ast.Module) -> set[str]:
    """List what a module has in its `__all__`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
                values = [one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)]
                found |= {value for value in values if isinstance(value, str)}
    return found


def _parsed(text: bytes) -> ast.Module:
    """Parse a module; what cannot be parsed has nothing in it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


def is_own(path: str) -> bool:
    """Tell the project's own code from tests, examples and the like beside it."""
    return not any(_BESIDE.match(part) for part in PurePosixPath(path).parts[:-1])


def _is_public_name(name: str) -> bool:
    return not any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def _is_public(path: str) -> bool:
    parts = PurePosixPath(path).with_suffix("").parts
    return all(not part.startswith("_") or part == "__init__" for part in parts)
