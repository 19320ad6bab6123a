"""The changed lines that facts tell: whole declarations, not only the lines that are displayed."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.patch import Side
from tools.diff.kinds import Difference, FoundDeclaration

if TYPE_CHECKING:
    from tools.diff.declarations import Declaration
    from tools.diff.file_versions import Versions

_SIDES: tuple[Side, ...] = ("old", "new")


class LineOfSide(NamedTuple):
    """A line by its number in one version of a file; the file goes by its new path."""

    file: str
    side: Side
    number: int


def told_lines(differences: Iterable[Difference]) -> set[LineOfSide]:
    """Return the lines of what differs: a declaration as a whole, of a function its signature."""
    lines: set[LineOfSide] = set()
    for difference in differences:
        for declared in (difference.before, difference.after):
            if declared is not None:
                lines.update(_lines_of(declared))
    return lines


def _lines_of(declared: FoundDeclaration) -> Iterator[LineOfSide]:
    versions = declared.versions
    declaration = declared.declaration
    if declared.kind == "parameter":
        # What was added to a signature changes the line that it had before.
        for side in _SIDES:
            yield from _signature_lines(versions, side, declaration.owner)
    elif not declaration.is_scope:
        yield from _lines(versions, declared.side, declaration.first, declaration.last)
    else:
        yield from _signature_lines(versions, declared.side, declaration.path)


def _signature_lines(versions: "Versions", side: Side, path: str) -> Iterator[LineOfSide]:
    """Yield the lines of a function from its name to the end of its parameters."""
    declarations = versions.old if side == "old" else versions.new
    for declaration in declarations:
        if declaration.kind not in ("function", "class") or declaration.path != path:
            continue
        last = declaration.line
        for parameter in declarations:
            if parameter.kind == "parameter" and parameter.owner == path:
                last = max(last, parameter.last)
        if _closes_brackets(declaration, last + 1):
            last += 1
        yield from _lines(versions, side, declaration.line, last)


def _closes_brackets(declaration: "Declaration", number: int) -> bool:
    """Return True if a line of a declaration's file only ends what began above it."""
    if number > declaration.last:
        return False
    text = declaration.source[declaration.start : declaration.end].split(b"\n")
    index = number - declaration.first
    return 0 <= index < len(text) and text[index].lstrip().startswith((b")", b"]"))


def _lines(versions: "Versions", side: Side, first: int, last: int) -> Iterator[LineOfSide]:
    for number in range(first, last + 1):
        yield LineOfSide(versions.file.path, side, number)
