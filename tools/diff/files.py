"""What a commit does to whole files: those that come, go or get another name, and what all of them are for."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from agent.domain import FileChange
from agent.facts import Fact, FactKind, Place, Severity
from tools.diff.declarations import Declaration
from tools.diff.patch import Patch, read_patch
from tools.diff.reach import is_public_header
from tools.diff.roles import Role, is_product, role
from tools.diff.versions import Versions

_ONLY = {
    frozenset({Role.TEST}): FactKind.ONLY_TESTS,
    frozenset({Role.DOCUMENT}): FactKind.ONLY_DOCS,
    frozenset({Role.CI}): FactKind.ONLY_CI,
    frozenset({Role.GENERATED}): FactKind.GENERATED,
    frozenset({Role.LOCK}): FactKind.GENERATED,
    frozenset({Role.VENDORED}): FactKind.VENDORED,
}
_UPKEEP = {
    Role.TEST: "tests", Role.DOCUMENT: "docs", Role.CI: "CI", Role.SCRIPT: "scripts", Role.BENCHMARK: "benchmarks",
    Role.EXAMPLE: "examples",
}  # fmt: skip
_ROLES_TOLD = (Role.MODEL, Role.KERNEL, Role.OPERATOR, Role.SOURCE, Role.HEADER, Role.DEVICE_CONFIG)
_NAMES = 6
_FOLDER = 3
"""From so many files of one role in a folder they are told together."""


def only_facts(files: Sequence[FileChange]) -> Iterator[Fact]:
    """Say of a commit that touches nothing of the product what it touches."""
    roles = {role(path) for file in files for path in (file.path, file.previous_path) if path is not None}
    roles = roles - {Role.ASSET} if len(roles) > 1 else roles
    kind = _ONLY.get(frozenset(roles))
    if kind is None and roles and roles <= _UPKEEP.keys():
        kind = FactKind.ONLY_UPKEEP
    if kind is not None:
        what = ", ".join(_UPKEEP[one] for one in _UPKEEP if one in roles) if kind is FactKind.ONLY_UPKEEP else None
        place = Place(file=files[0].path, line=0, lines=())
        name = f"{len(files)} files"
        yield Fact(kind=kind, severity=Severity.INTERNAL, name=name, detail=what, places=(place,))


def file_facts(files: Sequence[FileChange], read: Sequence[Versions]) -> Iterator[Fact]:
    """Tell the product's files that come, go or get another name."""
    declared = {versions.file.path: versions.new for versions in read}
    added: dict[tuple[Role, str], list[FileChange]] = defaultdict(list)
    for file in files:
        if file.status == "added" and role(file.path) in _ROLES_TOLD:
            added[role(file.path), file.path.rpartition("/")[0]].append(file)
        elif file.status == "removed" and is_product(file.path):
            yield _gone(file)
        elif file.status == "renamed" and is_product(file.path) and file.previous_path:
            yield _moved(file, file.previous_path)
    for (what, folder), group in added.items():
        if len(group) >= _FOLDER:
            yield _came(what, ", ".join(file.path for file in group), group, f"{len(group)} files of {folder}")
        else:
            for file in group:
                yield _came(what, file.path, [file], _names(declared.get(file.path, ())) or file.path)


def _came(what: Role, name: str, files: Sequence[FileChange], new: str) -> Fact:
    places = tuple(_place(file, read_patch(file.patch)) for file in files[:4])
    # Sources that are compiled into something are told by what they declare for users.
    told = what is Role.MODEL or name.endswith(".py") or is_public_header(name)
    severity = Severity.ADDITIVE if told else Severity.INTERNAL
    return Fact(kind=FactKind.FILE_ADDED, severity=severity, name=name, new=new, detail=what.value, places=places)


def _gone(file: FileChange) -> Fact:
    severity = Severity.BREAKING if is_public_header(file.path) else Severity.INTERNAL
    place = _place(file, read_patch(file.patch))
    return Fact(
        kind=FactKind.FILE_REMOVED, severity=severity, name=file.path, old=file.path, detail=role(file.path).value,
        places=(place,),
    )  # fmt: skip


def _moved(file: FileChange, before: str) -> Fact:
    severity = Severity.BREAKING if is_public_header(before) else Severity.INTERNAL
    place = _place(file, read_patch(file.patch))
    return Fact(
        kind=FactKind.FILE_RENAMED, severity=severity, name=file.path, old=before, new=file.path,
        detail=role(file.path).value, places=(place,),
    )  # fmt: skip


def _names(declared: Sequence[Declaration]) -> str:
    """List the public functions and classes of a new file."""
    names = [
        one.name
        for one in declared
        if one.kind in ("class", "enum", "function")
        and not one.owner
        and not one.local
        and not one.name.startswith("_")
    ]
    return ", ".join(dict.fromkeys(names[:_NAMES]))


def _place(file: FileChange, patch: Patch) -> Place:
    """Show the first lines of a file that say something."""
    lines = [line for hunk in patch.hunks[:1] for line in hunk.changed if len(line.strip("+-#/* \t")) > 2]
    return Place(file=file.path, line=1 if lines else 0, lines=tuple(lines[:3]))
