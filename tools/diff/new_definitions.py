"""The definitions that a commit adds, and which of them changed lines use."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.facts import FactLocation
from agent.triage.line_visibility import is_visible_to_users
from tools.diff.changed_runs import ChangedLine, is_comment, is_sentence

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions
    from tools.diff.declaration_reader import Declaration

_NAME = re.compile(r"[A-Za-z_]\w{3,}")
_KINDS = ("function", "class", "enum", "constant")
_MAX_COMMENT = 4  # Lines of a comment above a definition, or of its docstring
_MAX_SIGNATURE = 30  # Lines below the name of a definition in which its docstring begins
_MAX_VALUE = 5  # Lines of a constant below the one with its name
_MAX_VISIBLE = 4  # Lines of a body that users meet
_MAX_PLACES = 6
_MAX_FAMILY = 6  # Definitions of one name; more say only that the name is common


class _AddedDefinition(NamedTuple):
    """A definition with the file that gets it."""

    versions: "Versions"
    declaration: "Declaration"


class NewDefinitions:
    """The functions, classes and constants that only the newer version of a commit's files has."""

    def __init__(self, files: Sequence["Versions"]) -> None:
        self._by_name: dict[str, list[_AddedDefinition]] = defaultdict(list)
        for definition in _added(files):
            self._by_name[definition.declaration.name].append(definition)

    def used_by(self, file: str, lines: Iterable[ChangedLine]) -> list[FactLocation]:
        """Return where the definitions stand that changed lines of a file use, the explained first."""
        used: dict[str, None] = {}
        shown: set[int] = set()
        for line in lines:
            if line.side == "new" and line.is_code:
                used.update(dict.fromkeys(_NAME.findall(line.text[1:])))
                shown.add(line.number)
        locations: list[FactLocation] = []
        for name in used:
            family = self._by_name.get(name, [])
            if len(family) > _MAX_FAMILY:
                continue
            for definition in family:
                is_shown = (
                    definition.versions.file.path == file and definition.declaration.line in shown
                )
                if not is_shown:
                    locations.append(_location(definition))
        locations.sort(key=lambda location: len(location.lines) == 1)
        return locations[:_MAX_PLACES]


def _added(files: Sequence["Versions"]) -> Iterator[_AddedDefinition]:
    for versions in files:
        added = versions.patch.lines("new")
        old = {(before.kind, before.path) for before in versions.old}
        for declaration in versions.new:
            if declaration.kind not in _KINDS or declaration.local:
                continue
            if declaration.kind == "constant" and declaration.name.islower():
                continue  # A module's own object, such as its logger
            is_new = declaration.line in added and (declaration.kind, declaration.path) not in old
            if is_new and not versions.has_elsewhere(declaration, "new"):
                yield _AddedDefinition(versions, declaration)


def _location(definition: _AddedDefinition) -> FactLocation:
    """Return the heading of a definition, the words that explain it, and those that users meet."""
    versions, declaration = definition
    added = versions.patch.lines("new")
    numbers = [*_comment(added, declaration.line), declaration.line]
    if declaration.kind == "constant":
        last = min(declaration.last, declaration.line + _MAX_VALUE)
        numbers += range(declaration.line + 1, last + 1)
    else:
        docstring = _docstring(added, declaration)
        numbers += docstring or []
        numbers += _visible(added, declaration, numbers[-1])
    return FactLocation(
        file=versions.file.path,
        line=declaration.line,
        lines=tuple(added[number] for number in numbers if number in added),
    )


def _visible(added: dict[int, str], declaration: "Declaration", after: int) -> list[int]:
    """Return the first lines of a body that users read or run into."""
    visible: list[int] = []
    for number in range(after + 1, declaration.last + 1):
        text = added.get(number, "+")[1:]
        if is_visible_to_users(text) and not is_comment(text):
            visible.append(number)
    return visible[:_MAX_VISIBLE]


def _comment(added: dict[int, str], line: int) -> list[int]:
    """Return the lines of the comment above a definition."""
    first = line
    while line - first < _MAX_COMMENT and is_comment(added.get(first - 1, "+")[1:]):
        first -= 1
    numbers = range(first, line)
    return [*numbers] if any(is_sentence(added[number]) for number in numbers) else []


def _docstring(added: dict[int, str], declaration: "Declaration") -> list[int]:
    """Return the lines of the first paragraph of a docstring, if it follows the signature."""
    last = min(declaration.last, declaration.line + _MAX_SIGNATURE)
    for number in range(declaration.line + 1, last + 1):
        text = added.get(number, "+")[1:].strip()
        if not text.startswith(('"""', 'r"""')):
            continue
        numbers: list[int] = []
        for inner in range(number, min(number + _MAX_COMMENT, declaration.last + 1)):
            line = added.get(inner, "+")[1:].strip()
            if not line:
                break
            numbers.append(inner)
            if line.endswith('"""') and (inner > number or len(line) > 3):
                break
        return numbers
    return []
