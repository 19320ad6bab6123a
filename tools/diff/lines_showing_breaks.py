"""The changed lines showing breaks: why something public is gone or called otherwise.

Only what a module binds or lists and what a function declares counts: a word in a body, in a comment or in
another file shows nothing.
"""

from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from agent.domain.facts import FactLocation
from agent.domain.patch import Side
from agent.domain.surface import PublicBreak
from tools.diff.changed_file_declarations import Versions
from tools.diff.declaration_reader import Declaration, Language, language_of
from tools.diff.file_roles import module_of

_MAX_SHOWN_LINES = 3
_SIDES: tuple[Side, Side] = ("new", "old")
_SEPARATORS = ("*", "/")
_CONSTRUCTORS = ("", ".__init__", ".__new__")
_DEFINITIONS = ("function_definition", "class_definition")
_IMPORTS = ("import_statement", "import_from_statement")


def parameter_place(files: Sequence[Versions], broken: PublicBreak) -> FactLocation | None:
    """Return the changed lines that declare a parameter, else those that say how it is passed."""
    tests: list[Callable[[Declaration], bool]] = [
        lambda declared: declared.name.lstrip("*") == broken.parameter,
        lambda declared: declared.name in _SEPARATORS,
    ]
    if broken.kind == "parameter-reordered":
        tests.append(lambda declared: True)
    for is_meant in tests:
        for versions in _files_of(files, broken):
            for side in _SIDES:
                location = _declared_place(versions, side, broken, is_meant)
                if location is not None:
                    return location
    return None


def _files_of(files: Sequence[Versions], broken: PublicBreak) -> Iterator[Versions]:
    for versions in files:
        if broken.file in (versions.file.path, versions.file.previous_path):
            yield versions


def _declared_place(
    versions: Versions, side: Side, broken: PublicBreak, is_meant: Callable[[Declaration], bool]
) -> FactLocation | None:
    """Return the changed lines of the parameters that are meant, of any definition of that name."""
    owners = {f"{broken.name}{constructor}" for constructor in _CONSTRUCTORS}
    rows: set[int] = set()
    for declared in versions.new if side == "new" else versions.old:
        is_argument = declared.kind == "parameter" and declared.owner in owners
        is_field = declared.kind == "field" and declared.owner == broken.name
        if (is_argument or is_field) and is_meant(declared):
            rows.update(range(declared.first, declared.last + 1))
    return _place(versions, side, rows)


def _place(versions: Versions, side: Side, rows: set[int]) -> FactLocation | None:
    changed = versions.patch.lines(side)
    shown = sorted(rows & changed.keys())
    if not shown:
        return None
    texts = tuple(changed[row] for row in shown[:_MAX_SHOWN_LINES])
    return FactLocation(file=versions.file.path, line=shown[0], lines=texts)


def export_place(files: Sequence[Versions], broken: PublicBreak) -> FactLocation | None:
    """Return the removed lines by which a module gave a name on, or a class declared its member."""
    module, _, name = broken.path.rpartition(".")
    if "." in broken.name:
        return _member_place(files, broken)
    candidates: list[Versions] = []
    for versions in files:
        old_path = versions.file.previous_path or versions.file.path
        if old_path.endswith(".py") and _gives_on(old_path, module, broken.file):
            candidates.append(versions)
    candidates.sort(key=lambda versions: _old_module(versions) != module)
    for versions in candidates:
        location = _place(versions, "old", set(_rows_giving(versions, name)))
        if location is not None:
            return location
    return None


def _old_module(versions: Versions) -> str:
    return module_of(versions.file.previous_path or versions.file.path)


def _gives_on(path: str, module: str, defining_file: str) -> bool:
    """Return True for a module, the file that defines what it gives on, and the packages on the way."""
    if path == defining_file or module_of(path) == module:
        return True
    folder, _, name = path.rpartition("/")
    is_above = defining_file.startswith(f"{folder}/") and module_of(path).startswith(f"{module}.")
    return name == "__init__.py" and is_above


def _member_place(files: Sequence[Versions], broken: PublicBreak) -> FactLocation | None:
    for versions in _files_of(files, broken):
        rows = {declared.line for declared in versions.old if declared.path == broken.name}
        location = _place(versions, "old", rows)
        if location is not None:
            return location
    return None


def _rows_giving(versions: Versions, name: str) -> Iterator[int]:
    """Yield the lines of the older version in which the module itself binds or lists a name."""
    path = versions.file.previous_path or versions.file.path
    language = language_of(path)
    if language is None:
        return
    if versions.texts:
        yield from _rows_in(versions.texts[0], language, name)
        return
    for hunk in versions.patch.hunks:
        text = "\n".join(hunk.side("old")).encode("utf-8", "replace")
        # Lines in the middle of something say nothing of what stands around them.
        if text[:1].isspace():
            continue
        for row in _rows_in(text, language, name):
            yield row + hunk.start("old") - 1


def _rows_in(text: bytes, language: Language, name: str) -> Iterator[int]:
    wanted = name.encode()
    # Looking for the name first saves parsing the file.
    if wanted not in text:
        return
    nodes = [language.parse(text + b"\n")]
    while nodes:
        node = nodes.pop()
        for found in _named_by(node):
            if found.text == wanted:
                yield found.start_point[0] + 1
        if node.type not in (*_DEFINITIONS, "lambda"):
            nodes += node.named_children


def _named_by(node: Node) -> Iterator[Node]:
    """Yield the names that a statement binds, or lists in `__all__`."""
    if node.type in _DEFINITIONS:
        yield from node.children_by_field_name("name")
    elif node.type in _IMPORTS:
        for imported in node.children_by_field_name("name"):
            yield imported.child_by_field_name("alias") or imported
    elif node.type in ("assignment", "augmented_assignment"):
        yield from node.children_by_field_name("left")
        yield from _listed_by(node, node.child_by_field_name("left"))
    elif node.type == "call":
        function = node.child_by_field_name("function")
        yield from _listed_by(node, function and function.child_by_field_name("object"))


def _listed_by(node: Node, changed: Node | None) -> Iterator[Node]:
    """Yield the texts of strings in a statement that sets or changes `__all__`."""
    if changed is None or changed.text != b"__all__":
        return
    nodes = [node]
    while nodes:
        inner = nodes.pop()
        if inner.type == "string_content":
            yield inner
        nodes += inner.named_children
