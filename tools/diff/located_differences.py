"""Located differences of declarations: file, lines, and how both versions differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.facts import FactKind, FactLocation
from agent.domain.patch import Side

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions
    from tools.diff.declaration_reader import Declaration

_LONGEST_TYPE = 40  # Characters of an annotation that is shown with its name
_MAX_LINES = 4  # Lines shown of each side; the rest is in the commit
_MAX_WORDS = 4  # Words of a value by which its lines are found


@dataclass(frozen=True, slots=True)
class FoundDeclaration:
    """A declaration with the file and the side that have it."""

    declaration: "Declaration"
    versions: "Versions"
    side: Side

    @property
    def kind(self) -> str:
        """The kind of declaration."""
        return self.declaration.kind

    @property
    def name(self) -> str:
        """The name without what it stands in."""
        return self.declaration.name

    @property
    def path(self) -> str:
        """The name behind the names of what it stands in."""
        return self.declaration.path

    @property
    def owner(self) -> str:
        """The names of the classes, namespaces and functions around it."""
        return self.declaration.owner

    @property
    def parts(self) -> Mapping[str, str]:
        """Further captures by name: default, type, value, message."""
        return self.declaration.parts

    @property
    def module(self) -> str:
        """The module of the file."""
        return self.versions.module

    @property
    def file(self) -> str:
        """The path of the file on the side that has the declaration."""
        file = self.versions.file
        if self.side == "old" and file.previous_path:
            return file.previous_path
        return file.path

    @property
    def siblings(self) -> Sequence["Declaration"]:
        """Everything that the same version of the file declares."""
        return self.versions.old if self.side == "old" else self.versions.new

    @property
    def is_changed(self) -> bool:
        """True if the line with the name was added or removed."""
        declaration = self.declaration
        return (declaration.line or declaration.first) in self.versions.patch.lines(self.side)

    @property
    def is_python(self) -> bool:
        """True for Python, where callers name parameters and types are not enforced."""
        return self.versions.file.path.endswith((".py", ".pyi"))


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs, not yet judged by whom it concerns."""

    kind: FactKind
    name: str
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    before: FoundDeclaration | None = None
    after: FoundDeclaration | None = None
    replacement: str = ""  # What took the place of something that is gone, where that is in sight
    is_certain: bool = True  # False where only some of the calls break that worked before

    @property
    def is_required_parameter(self) -> bool:
        """True for a new parameter without a default."""
        return self.kind == "parameter-added" and not {"=", "*"} & set(self.new or "=")

    @property
    def newest(self) -> FoundDeclaration:
        """The newer of both declarations."""
        newest = self.after or self.before
        assert newest is not None
        return newest

    @property
    def oldest(self) -> FoundDeclaration:
        """The older of both declarations."""
        return self.before or self.newest


def written(declared: FoundDeclaration) -> str | None:
    """Return a declaration as users would write it: a parameter with its default, an error by its words."""
    parts = declared.parts
    if declared.kind in ("parameter", "argument", "field", "member"):
        value = parts.get("default") or parts.get("value")
        written_type = parts.get("type", "") if declared.kind != "member" else ""
        is_readable = len(written_type) <= _LONGEST_TYPE and '"' not in written_type
        annotation = f": {written_type}" if written_type and is_readable else ""
        return f"{declared.name}{annotation}" + (f" = {value}" if value else "")
    if declared.kind in ("function", "class", "enum", "hook"):
        return None
    for part in ("default", "value", "version", "message", "condition"):
        if part in parts:
            return parts[part]
    return None


def place_of(difference: Difference) -> FactLocation | None:
    """Return the lines that show a difference; None where no changed line does: then it is no fact."""
    removed = _lines_of(difference.before, difference.old)
    added = _lines_of(difference.after, difference.new)
    newer = added if difference.after else removed
    lines = [*removed, *added] if _is_in_one_file(difference) else newer
    if not lines:
        return None
    return FactLocation(
        file=difference.newest.versions.file.path,
        line=(newer or lines)[0][0],
        lines=tuple(line for _, line in lines),
    )


def _is_in_one_file(difference: Difference) -> bool:
    before = difference.before
    after = difference.after
    if before is None or after is None:
        return True
    return before.versions.file.path == after.versions.file.path


def _lines_of(declared: FoundDeclaration | None, value: str | None) -> list[tuple[int, str]]:
    """Return the changed lines of a declaration: the one with its name, and those with its value."""
    if declared is None:
        return []
    declaration = declared.declaration
    lines = declared.versions.patch.within(declared.side, declaration.first, declaration.last)
    if len(lines) <= _MAX_LINES:
        return lines
    naming = [entry for entry in lines if entry[0] == declaration.line]
    words = [word for word in (value or "").split() if len(word) > 2][:_MAX_WORDS]
    valued = [entry for entry in lines if _has_any(entry[1], words)]
    if naming:
        return sorted({*naming, *valued[: _MAX_LINES - 1]})
    return (valued or lines)[:_MAX_LINES]


def _has_any(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)
