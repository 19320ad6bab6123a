"""The changed lines stated by facts: whole declarations, not only the lines that are displayed."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.patch import Side
from tools.diff.located_differences import Difference

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions
    from tools.diff.declaration_reader import Declaration


class LineOfSide(NamedTuple):
    """A line by its number in one version of a file; the file goes by its new path."""

    file: str
    side: Side
    number: int


def declared_lines(differences: Iterable[Difference]) -> set[LineOfSide]:
    """Return the lines of what differs: a declaration as a whole, of a function its signature."""
    lines: set[LineOfSide] = set()
    functions: dict[str, _Functions] = {}
    for difference in differences:
        for declared in (difference.before, difference.after):
            if declared is None:
                continue
            declaration = declared.declaration
            versions = declared.versions
            in_file = functions.setdefault(versions.file.path, _Functions(versions))
            if declared.kind == "parameter":
                # What was added to a signature changes the line that it had before.
                in_file.add("old", declaration.owner)
                in_file.add("new", declaration.owner)
            elif declaration.is_scope:
                in_file.add(declared.side, declaration.path)
            else:
                lines.update(_lines(versions, declared.side, declaration.first, declaration.last))
    for in_file in functions.values():
        lines.update(in_file.signature_lines())
    return lines


class _Functions:
    """The functions and classes of a file whose signatures differ."""

    def __init__(self, versions: "Versions") -> None:
        self._versions = versions
        self._paths: dict[Side, set[str]] = {"old": set(), "new": set()}

    def add(self, side: Side, path: str) -> None:
        """Add a function by its name behind those of what it stands in."""
        self._paths[side].add(path)

    def signature_lines(self) -> Iterator[LineOfSide]:
        """Yield the lines of each function from its name to the end of its parameters."""
        for side, paths in self._paths.items():
            declarations = self._versions.old if side == "old" else self._versions.new
            ends = _ends_of_parameters(declarations) if paths else {}
            for declaration in declarations:
                if declaration.kind not in ("function", "class") or declaration.path not in paths:
                    continue
                last = max(declaration.line, ends.get(declaration.path, 0))
                if _closes_brackets(declaration, last + 1):
                    last += 1
                yield from _lines(self._versions, side, declaration.line, last)


def _ends_of_parameters(declarations: Iterable["Declaration"]) -> dict[str, int]:
    """Return the last line of the parameters of each function."""
    ends: dict[str, int] = {}
    for declaration in declarations:
        if declaration.kind == "parameter":
            ends[declaration.owner] = max(declaration.last, ends.get(declaration.owner, 0))
    return ends


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
