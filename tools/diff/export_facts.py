"""Facts of exports: names and calls that break though no declaration differs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, Severity
from agent.domain.surface import PublicBreak, SurfaceChange
from tools.diff.argument_positions import argument_position
from tools.diff.changed_file_declarations import Versions
from tools.diff.file_roles import module_of
from tools.diff.lines_showing_breaks import export_place, parameter_place
from tools.diff.located_differences import Difference
from tools.diff.surface_breaks_by_difference import is_certain_member


def export_facts(
    change: Change,
    files: Sequence[Versions],
    surface: SurfaceChange | None,
    shown_by_facts: set[PublicBreak],
    differences: Iterable[Difference],
) -> Iterator[Fact]:
    """Yield the names that a package stopped giving on, by the removed lines that gave them.

    What may break are names that packages give on which documents do not show.
    """
    if surface is None:
        return
    new_paths = _moved_paths(differences)
    yield from _call_facts(files, surface, shown_by_facts)
    reported = {(broken.file, broken.name) for broken in shown_by_facts}
    for broken in surface.breaks:
        definition = (broken.file, broken.name)
        if broken.kind != "gone" or definition in reported:
            continue
        if not broken.is_certain and not broken.is_given_on:
            continue
        reported.add(definition)
        module, _, name = broken.path.rpartition(".")
        location = export_place(files, broken)
        if location is None:
            continue
        yield Fact(
            kind="symbol-removed",
            severity=Severity.BREAKING if broken.is_certain else Severity.MAY_BREAK,
            name=name,
            replacement=broken.replacement or _new_path(broken, change.files, new_paths),
            detail="export",
            path=broken.path,
            module=module,
            places=(location,),
        )


def _call_facts(
    files: Sequence[Versions], surface: SurfaceChange, shown_by_facts: set[PublicBreak]
) -> Iterator[Fact]:
    """Yield the calls that fail though no single declaration shows it: by names only, by branches."""
    seen = {(broken.file, broken.name, broken.parameter) for broken in shown_by_facts}
    for broken in surface.breaks:
        key = (broken.file, broken.name, broken.parameter)
        if broken.kind == "gone" or key in seen:
            continue
        if not broken.is_certain and broken.kind != "parameter-keyword-only":
            continue  # Its declaration shows what may break
        seen.add(key)
        location = parameter_place(files, broken)
        if location is None:
            continue
        is_member = is_certain_member(surface, broken.file, broken.name)
        is_certain = broken.is_certain and is_member
        yield Fact(
            kind=broken.kind,
            severity=Severity.BREAKING if is_certain else Severity.MAY_BREAK,
            name=broken.name,
            detail=broken.parameter,
            position=_position(files, broken),
            path=broken.path,
            module=module_of(broken.file),
            places=(location,),
        )


def _position(files: Sequence[Versions], broken: PublicBreak) -> int | None:
    """Return the position by which callers passed an argument before the change."""
    for versions in files:
        if broken.file not in (versions.file.path, versions.file.previous_path):
            continue
        for owner in (broken.name, f"{broken.name}.__init__"):
            position = argument_position(versions.old, owner, broken.parameter)
            if position is not None:
                return position
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
