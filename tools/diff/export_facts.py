"""Facts of names and calls that break though no declaration differs: a package gave them on."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, FactLocation, Severity
from agent.domain.patch import read_patch
from agent.domain.surface import PublicBreak, SurfaceChange
from tools.diff.kinds import Difference
from tools.diff.roles import module_of
from tools.diff.surface_breaks import is_certain_member

_MAX_SHOWN_LINES = 3


def export_facts(
    change: Change,
    surface: SurfaceChange | None,
    shown_by_facts: set[PublicBreak],
    differences: Iterable[Difference],
) -> Iterator[Fact]:
    """Yield the names that a package stopped giving on, by the removed lines that gave them."""
    if surface is None:
        return
    new_paths = _moved_paths(differences)
    yield from _call_facts(change, surface, shown_by_facts)
    reported = {(broken.file, broken.name) for broken in shown_by_facts}
    for broken in surface.breaks:
        definition = (broken.file, broken.name)
        if broken.kind != "gone" or not broken.is_certain or definition in reported:
            continue
        reported.add(definition)
        module, _, name = broken.path.rpartition(".")
        location = _export_place(change.files, module, name)
        if location is None:
            continue
        yield Fact(
            kind="symbol-removed",
            severity=Severity.BREAKING,
            name=name,
            replacement=broken.replacement or _new_path(broken, change.files, new_paths),
            detail="export",
            path=broken.path,
            module=module,
            places=(location,),
        )


def _call_facts(
    change: Change, surface: SurfaceChange, shown_by_facts: set[PublicBreak]
) -> Iterator[Fact]:
    """Yield the calls that fail though no single declaration shows it: by names only, by branches."""
    seen = {(broken.file, broken.name, broken.parameter) for broken in shown_by_facts}
    for broken in surface.breaks:
        key = (broken.file, broken.name, broken.parameter)
        if broken.kind == "gone" or not broken.is_certain or key in seen:
            continue
        seen.add(key)
        location = _parameter_place(change.files, broken)
        if location is None:
            continue
        is_certain = is_certain_member(surface, broken.file, broken.name)
        yield Fact(
            kind=broken.kind,
            severity=Severity.BREAKING if is_certain else Severity.MAY_BREAK,
            name=broken.name,
            detail=broken.parameter,
            path=broken.path,
            module=module_of(broken.file),
            places=(location,),
        )


def _parameter_place(files: Sequence[FileChange], broken: PublicBreak) -> FactLocation | None:
    """Return the changed lines of a file that show a parameter: as one, or else its name."""
    name = re.escape(broken.parameter)
    as_parameter = (
        rf"^.?\s*(?:async\s+)?(?:def\s+\w+\(.*(?<!\w){name}(?!\w)|{name}\s*(?:[:,]|=(?!=)|$))"
    )
    patterns = [re.compile(as_parameter)]
    if broken.kind == "parameter-keyword-only":
        patterns.append(re.compile(r"^.?\s*\*,\s*$"))
    patterns.append(re.compile(rf"(?<!\w){name}(?!\w)"))
    for pattern in patterns:
        location = _changed_place(files, broken, pattern)
        if location is not None:
            return location
    return None


def _changed_place(
    files: Sequence[FileChange], broken: PublicBreak, pattern: re.Pattern[str]
) -> FactLocation | None:
    for file in files:
        if broken.file not in (file.path, file.previous_path):
            continue
        patch = read_patch(file.patch)
        for side in ("new", "old"):
            lines = patch.lines("new" if side == "new" else "old")
            location = _lines_with(pattern, file.path, lines)
            if location is not None:
                return location
    return None


def _moved_paths(differences: Iterable[Difference]) -> dict[tuple[str, str], str]:
    """Return where definitions are now, by the files and names under which they were."""
    paths: dict[tuple[str, str], str] = {}
    for difference in differences:
        if difference.kind == "symbol-moved" and difference.newest.is_python:
            oldest = difference.oldest
            paths[oldest.file, oldest.path] = f"{difference.new}.{oldest.path}"
    return paths


def _new_path(
    broken: PublicBreak, files: Sequence[FileChange], new_paths: Mapping[tuple[str, str], str]
) -> str | None:
    """Return the path of a definition that moved, by itself or with its file."""
    if (broken.file, broken.name) in new_paths:
        return new_paths[broken.file, broken.name]
    for file in files:
        if file.status == "renamed" and file.previous_path == broken.file:
            return f"{module_of(file.path)}.{broken.name}"
    return None


def _export_place(files: Sequence[FileChange], module: str, name: str) -> FactLocation | None:
    """Return the removed lines of a module that hold a name, or of any file if it has none."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    candidates = [file for file in files if file.path.endswith(".py") and file.patch]
    candidates.sort(key=lambda file: module_of(file.previous_path or file.path) != module)
    for file in candidates:
        location = _lines_with(word, file.path, read_patch(file.patch).lines("old"))
        if location is not None:
            return location
    return None


def _lines_with(word: re.Pattern[str], path: str, lines: Mapping[int, str]) -> FactLocation | None:
    """Return the first lines that hold a word."""
    matches = {number: line for number, line in lines.items() if word.search(line)}
    if not matches:
        return None
    texts = tuple(matches.values())[:_MAX_SHOWN_LINES]
    return FactLocation(file=path, line=next(iter(matches)), lines=texts)
