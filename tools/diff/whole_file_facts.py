"""Facts about whole files of a commit: which are added and removed, and what for."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agent.domain.commits import FileChange
from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.domain.patch import NumberedLine, read_patch
from agent.domain.surface import SurfaceChange
from agent.triage.line_visibility import is_import, is_licence, is_visible_to_users
from tools.diff.changed_runs import is_comment, is_sentence
from tools.diff.declaration_reader import Declaration
from tools.diff.documented_names import Lines, is_run_by_documents, path_taken_away
from tools.diff.file_roles import Role, is_product, is_tool_among_tests, role
from tools.diff.severity.added_and_missing_files import (
    severity_of_added_file,
    severity_of_missing_file,
)
from tools.diff.severity.table import severity_of

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions

_ONLY: dict[frozenset[Role], FactKind] = {
    frozenset({Role.TEST}): "only-tests",
    frozenset({Role.DOCUMENT}): "only-docs",
    frozenset({Role.CI}): "only-ci",
    frozenset({Role.GENERATED}): "generated",
    frozenset({Role.LOCK}): "generated",
    frozenset({Role.VENDORED}): "vendored",
}
_UPKEEP = {
    Role.TEST: "tests",
    Role.DOCUMENT: "docs",
    Role.CI: "CI",
    Role.SCRIPT: "scripts",
    Role.BENCHMARK: "benchmarks",
    Role.EXAMPLE: "examples",
}
_REPORTED_ROLES = (
    Role.MODEL,
    Role.KERNEL,
    Role.OPERATOR,
    Role.SOURCE,
    Role.HEADER,
    Role.DEVICE_CONFIG,
)
"""Roles of new files that are told, the most telling first."""
_REPORTED_BESIDE_PRODUCT = (Role.EXAMPLE, Role.BENCHMARK)
_LISTED_APART = (Role.MODEL, Role.DEVICE_CONFIG)
_MAX_NAMES = 6  # Names of a new file that are listed
_MIN_GROUP = 3  # From so many files of one role in a folder they are one fact
_MAX_GROUP_PLACES = 4
_MAX_SHOWN_LINES = 3
_MAX_EXPLAINING = 3  # Lines of a new file that say what it is for
_MAX_VISIBLE = 8  # Lines of a new file that users read or run into
_QUOTES = '"""'
_SOURCES = (Role.SOURCE, Role.KERNEL, Role.OPERATOR)
_EXAMPLE_DEPTH = 2  # Folders by which one example is told from another
_MIN_TEXT = 3  # Characters of a line that says something


def only_facts(files: Sequence[FileChange]) -> Iterator[Fact]:
    """Yield what a commit touches that touches nothing of the product."""
    if any(is_tool_among_tests(file.path) for file in files):
        return
    roles: set[Role] = set()
    for file in files:
        roles.add(role(file.path))
        if file.previous_path is not None:
            roles.add(role(file.previous_path))
    if len(roles) > 1:
        roles.discard(Role.ASSET)
    kind = _ONLY.get(frozenset(roles))
    detail = None
    if kind is None and roles and roles <= _UPKEEP.keys():
        kind = "only-upkeep"
        detail = ", ".join(words for upkeep, words in _UPKEEP.items() if upkeep in roles)
    if kind is None:
        return
    location = FactLocation(file=files[0].path, line=0, lines=())
    name = f"{len(files)} files"
    yield Fact(kind=kind, severity=severity_of(kind), name=name, detail=detail, places=(location,))


def file_facts(
    files: Sequence[FileChange],
    read: Sequence["Versions"],
    surface: SurfaceChange | None,
    documents: Lines,
) -> Iterator[Fact]:
    """Yield the product's files that come, go or get another name.

    Of other files those are told that documents tell to run, and, where a commit leaves the product
    alone, new examples and benchmarks.
    """
    reported_roles: tuple[Role, ...] = _REPORTED_ROLES
    if not any(is_product(file.path) for file in files):
        reported_roles = _REPORTED_BESIDE_PRODUCT
    declared = {versions.file.path: versions.new for versions in read}
    added: dict[tuple[bool, str], list[FileChange]] = defaultdict(list)
    for file in files:
        file_role = role(file.path)
        if _is_empty(file):
            continue
        if file.status == "added" and file_role in reported_roles:
            added[file_role in _LISTED_APART, _group_folder(file.path)].append(file)
            continue
        old_path = path_taken_away(file)
        if not old_path:
            continue
        is_run = is_run_by_documents(old_path, documents)
        if is_run or is_product(file.path):
            yield _missing_file(file, old_path, surface, is_run=is_run)
    used_file = _largest_used_file(files)
    for (_, folder), group in added.items():
        if len(group) >= _MIN_GROUP:
            yield _added_group(group, folder, reported_roles)
            continue
        for file in group:
            fact = _added_file(file, _public_names(declared.get(file.path, ())))
            yield _told_file(fact, file) if file == used_file else fact


def _group_folder(path: str) -> str:
    """Return the folder by which new files are told together: of an example with all of its parts."""
    folder = path.rpartition("/")[0]
    if role(path) is not Role.EXAMPLE:
        return folder
    return "/".join(folder.split("/")[:_EXAMPLE_DEPTH])


def _largest_used_file(files: Sequence[FileChange]) -> FileChange | None:
    """Return the largest new source file that code which was there before imports or includes now."""
    imports: list[str] = []
    for file in files:
        if file.status != "added" and is_product(file.path):
            added = read_patch(file.patch).lines("new").values()
            imports += [line[1:] for line in added if is_import(line[1:])]
    used: list[FileChange] = []
    for file in files:
        if file.status == "added" and role(file.path) in _SOURCES:
            module = re.compile(rf"(?<!\w){re.escape(_module_name(file.path))}(?!\w)")
            if any(module.search(line) for line in imports):
                used.append(file)
    return max(used, key=lambda file: file.additions, default=None)


def _module_name(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _told_file(fact: Fact, file: FileChange) -> Fact:
    """Return the fact of a file that existing code uses, with what its author and its errors say."""
    said = _words_of(file)
    if not said.lines:
        return fact
    return fact.model_copy(update={"severity": Severity.ADDITIVE, "places": (said,)})


def _words_of(file: FileChange) -> FactLocation:
    """Return the sentences in a new file: the first that explain it, then those that users meet."""
    added = read_patch(file.patch).lines("new")
    licence = max((number for number, line in added.items() if is_licence(line)), default=0)
    explaining: list[int] = []
    visible: list[int] = []
    is_docstring = False
    for number, line in added.items():
        text = line[1:]
        is_text = is_docstring or is_comment(text) or _QUOTES in text
        is_docstring = is_docstring != (text.count(_QUOTES) == 1)
        if not is_sentence(text):
            continue
        if not is_text and is_visible_to_users(text):
            visible.append(number)
        elif is_text and number > licence:
            explaining.append(number)
    numbers = sorted({*explaining[:_MAX_EXPLAINING], *visible[:_MAX_VISIBLE]})
    return FactLocation(
        file=file.path,
        line=numbers[0] if numbers else 0,
        lines=tuple(added[number] for number in numbers),
    )


def _is_empty(file: FileChange) -> bool:
    """Return True for a file without a line, which git pairs with any other of these."""
    is_whole = file.status != "modified" and not file.omitted
    return is_whole and file.path.endswith("__init__.py") and not file.additions + file.deletions


def _added_group(files: Sequence[FileChange], folder: str, reported_roles: Sequence[Role]) -> Fact:
    """Return the fact of several new files in a folder; the most telling role stands for all."""
    roles = [role(file.path) for file in files]
    group_role = min(roles, key=reported_roles.index)
    return Fact(
        kind="file-added",
        severity=severity_of_added_file(group_role),
        name=", ".join(file.path for file in files),
        new=f"{len(files)} files of {folder}",
        detail=group_role.value,
        places=tuple(_location(file) for file in files[:_MAX_GROUP_PLACES]),
    )


def _added_file(file: FileChange, names: Sequence[str]) -> Fact:
    """Return the fact of a new file, with the public names that it declares."""
    file_role = role(file.path)
    return Fact(
        kind="file-added",
        severity=severity_of_added_file(file_role),
        name=file.path,
        new=", ".join(names) or file.path,
        detail=file_role.value,
        places=(_location(file, names),),
    )


def _missing_file(
    file: FileChange, old_path: str, surface: SurfaceChange | None, *, is_run: bool
) -> Fact:
    """Return the fact that a file is not where it was."""
    kind: FactKind = "file-removed" if file.status == "removed" else "file-renamed"
    severity = severity_of_missing_file(kind, old_path, surface)
    return Fact(
        kind=kind,
        severity=Severity.BREAKING if is_run else severity,
        name=file.path,
        old=old_path,
        new=file.path if kind == "file-renamed" else None,
        detail=role(file.path).value,
        places=(_location(file),),
    )


def _public_names(declared: Sequence[Declaration]) -> list[str]:
    names: list[str] = []
    for declaration in declared:
        if declaration.kind not in ("class", "enum", "function"):
            continue
        if not declaration.owner and not declaration.local and declaration.name[:1] != "_":
            names.append(declaration.name)
    return list(dict.fromkeys(names[:_MAX_NAMES]))


def _location(file: FileChange, names: Sequence[str] = ()) -> FactLocation:
    """Return the lines that have one of the names, else the first ones with words in them."""
    lines = _lines_with_words(file)
    shown = [line for line in lines if _has_any(line.text, names)]
    if not shown:
        shown = _code_behind_licence(lines) or lines
    shown = shown[:_MAX_SHOWN_LINES]
    return FactLocation(
        file=file.path,
        line=_first_number(shown),
        lines=tuple(line.text for line in shown),
    )


def _lines_with_words(file: FileChange) -> list[NumberedLine]:
    """Return the changed lines of the first hunk that have words in them."""
    hunks = read_patch(file.patch).hunks
    if not hunks:
        return []
    lines: list[NumberedLine] = []
    for line in hunks[0].numbered():
        if line.sign != " " and len(line.text.strip("+-#/* \t")) >= _MIN_TEXT:
            lines.append(line)
    return lines


def _has_any(text: str, names: Sequence[str]) -> bool:
    return any(name in text for name in names)


def _code_behind_licence(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines behind the last one of a licence that are no comments."""
    begin = 0
    for position, line in enumerate(lines, start=1):
        if is_licence(line.text):
            begin = position
    return [line for line in lines[begin:] if not is_comment(line.text[1:])]


def _first_number(lines: Sequence[NumberedLine]) -> int:
    """Return the number of the first line that came, or of the first that went if none came."""
    added = [line for line in lines if line.sign == "+"]
    first = next(iter(added or lines), None)
    return first.number if first else 0
