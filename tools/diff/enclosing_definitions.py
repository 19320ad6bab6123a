"""The definitions that enclose the lines a commit changed, and which names decide there."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from agent.domain.code_around_changes import CodePassage
from agent.domain.patch import Hunk, read_hunks
from tools.diff.declaration_reader import language_of

_FUNCTIONS = frozenset(
    {
        "function_definition",  # Python, C++
        "function_item",  # Rust
        "function_declaration",  # Go, JavaScript, TypeScript
        "generator_function_declaration",
        "method_declaration",  # Go
        "method_definition",  # JavaScript, TypeScript
        "preproc_function_def",  # A macro with parameters
    }
)
_CONTAINERS = frozenset(
    {
        "class_definition",  # Python
        "class_specifier",  # C++
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "namespace_definition",
        "impl_item",  # Rust
        "trait_item",
        "mod_item",
        "struct_item",
        "enum_item",
        "class_declaration",  # TypeScript
        "abstract_class_declaration",
        "interface_declaration",
        "type_declaration",  # Go
    }
)
_CONDITIONS = frozenset({"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_else"})
_WRAPPERS = frozenset({"decorated_definition", "template_declaration", "export_statement"})
_BRANCHES = frozenset({"if_statement", "elif_clause", "while_statement", "if_expression"})
_ASSERTIONS = frozenset({"assert_statement", "conditional_expression", "preproc_if"})
_NAMES = frozenset({"identifier", "attribute", "field_identifier", "property_identifier"})

_LINES_AROUND = 12  # Unchanged lines shown around a change that no function encloses
_MAX_BYTES = 2_000_000  # Larger files are generated or data; parsing them is not worth the time
_MAX_SCOPE_LINE = 200


class Span(NamedTuple):
    """A stretch of lines, first and last included, counted from 1."""

    first: int
    last: int

    def overlaps(self, other: "Span") -> bool:
        """Return True where the two stretches touch or share lines."""
        return self.first <= other.last + 1 and other.first <= self.last + 1

    def joined(self, other: "Span") -> "Span":
        """Return the stretch from the beginning of the first to the end of the last."""
        return Span(min(self.first, other.first), max(self.last, other.last))


class Outline:
    """The syntax tree of one version of a file; without a grammar, only its lines."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")
        source = text.encode("utf-8", "replace")
        language = language_of(path) if len(source) <= _MAX_BYTES else None
        self._root = language.parse(source) if language else None

    def enclosing(self, span: Span) -> Span:
        """Return the function around some lines, with its decorators, or else some lines around them."""
        functions = [node for node in self._around(span) if node.type in _FUNCTIONS]
        if functions:
            return _span(_with_wrapper(functions[-1]))
        first = max(1, span.first - _LINES_AROUND)
        last = min(len(self.lines), span.last + _LINES_AROUND)
        return Span(first, last)

    def definition_at(self, line: int) -> Span | None:
        """Return the function or class whose name stands on this line."""
        for node in self._around(Span(line, line)):
            name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
            if node.type not in _FUNCTIONS | _CONTAINERS or name is None:
                continue
            if name.start_point[0] <= line - 1 <= name.end_point[0]:
                return _span(_with_wrapper(node))
        return None

    def scopes(self, span: Span, line: int) -> list[str]:
        """Return the first lines of everything that encloses a line and begins before a stretch.

        Decorators stand before them: they may decide how a class is called.
        """
        headings = []
        for node in self._around(Span(line, line)):
            if node.type not in _FUNCTIONS | _CONTAINERS | _CONDITIONS:
                continue
            first = node.start_point[0] + 1
            if first < span.first:
                words = [*_decorators(node), self.lines[first - 1].strip()]
                headings.append(" ".join(words)[:_MAX_SCOPE_LINE])
        return headings

    def defined_names(self, span: Span) -> Iterator[str]:
        """Yield the names of the functions and classes that enclose some lines, innermost last."""
        for node in self._around(span):
            if node.type in _FUNCTIONS | _CONTAINERS and (name := _name_of(node)):
                yield name

    def deciding_names(self, span: Span) -> Iterator[str]:
        """Yield the names in the conditions and decorators that decide whether some lines take effect.

        Parameters and variables of the function itself are left out: the function shows them.
        """
        around = self._around(span)
        functions = [node for node in around if node.type in _FUNCTIONS]
        function_text = _text(functions[-1]) if functions else ""
        for name in self._names_in_conditions(around, span):
            if not _is_local(name, function_text):
                yield name

    def family_names(self, span: Span) -> Iterator[str]:
        """Yield what makes the code around some lines one implementation among others.

        These are the base classes of the classes around them, and the decorators of functions and
        classes that take arguments, as those that register a name do.
        """
        for node in self._around(span):
            if node.type == "class_definition":
                yield from _names_in(node.child_by_field_name("superclasses"))
            for child in node.children:
                if child.type == "base_class_clause":
                    yield from _type_names(child)
                if child.type == "decorator":
                    yield from _names_in(_called_function(child))

    def is_local(self, line: int) -> bool:
        """Return True where a line stands inside the body of a function."""
        return any(node.type in _FUNCTIONS for node in self._around(Span(line, line)))

    def _names_in_conditions(self, around: Sequence[Node], span: Span) -> Iterator[str]:
        for node in around:
            if node.type in _BRANCHES:
                yield from _names_in(node.child_by_field_name("condition"))
            if node.type == "decorated_definition":
                for child in node.children:
                    if child.type == "decorator":
                        yield from _names_in(child)
        if around:
            yield from self._conditions_on(around[-1], span)

    def _conditions_on(self, node: Node, span: Span) -> Iterator[str]:
        """Yield the names in conditions that begin on one of these lines, below a node."""
        waiting = [node]
        while waiting:
            inner = waiting.pop()
            if inner.end_point[0] + 1 < span.first or inner.start_point[0] + 1 > span.last:
                continue
            begins_here = inner.start_point[0] + 1 >= span.first
            if begins_here and inner.type in _BRANCHES:
                yield from _names_in(inner.child_by_field_name("condition"))
            if begins_here and inner.type in _ASSERTIONS:
                yield from _names_in(inner)
            waiting.extend(inner.children)

    def _around(self, span: Span) -> list[Node]:
        """Return the nodes that contain these lines, outermost first; none where nothing was parsed."""
        if self._root is None:
            return []
        start = (span.first - 1, _indent(self.lines, span.first))
        end = (span.last - 1, _indent(self.lines, span.last))
        node = self._root.descendant_for_point_range(start, end)
        around: list[Node] = []
        while node is not None:
            around.append(node)
            node = node.parent
        around.reverse()
        return around


def passages(path: str, patch: str, new_text: str) -> list[CodePassage]:
    """Return the changed parts of a file with the whole functions around them, in the order of the file."""
    outline = Outline(path, new_text)
    hunks = read_hunks(patch)
    stretches: list[Span] = []
    for hunk in hunks:
        for changed in changed_spans(hunk):
            stretches.append(outline.enclosing(changed))
    merged = _merged(stretches)
    return [_passage(outline, span, hunks) for span in merged]


def changed_spans(hunk: Hunk) -> list[Span]:
    """Return the stretches of the new version that a hunk changes; a removal is the lines around it."""
    spans: list[Span] = []
    number = hunk.new_start
    for line in hunk.lines:
        sign = line[:1]
        if sign == "\\":
            continue
        if sign in ("+", "-"):
            first = number if sign == "+" else max(1, number - 1)
            span = Span(first, number)
            if spans and spans[-1].overlaps(span):
                span = spans.pop().joined(span)
            spans.append(span)
        if sign != "-":
            number += 1
    return spans


def _passage(outline: Outline, span: Span, hunks: Sequence[Hunk]) -> CodePassage:
    """Lay the removed and added lines of the hunks into the lines of the new version."""
    added: set[int] = set()
    removed: dict[int, list[str]] = {}
    for hunk in hunks:
        number = hunk.new_start
        for line in hunk.lines:
            sign = line[:1]
            if sign == "\\":
                continue
            if sign == "-":
                removed.setdefault(number, []).append(line)
                continue
            if sign == "+":
                added.add(number)
            number += 1
    changed = [number for number in (*added, *removed) if span.first <= number <= span.last]
    first_changed = min(changed, default=span.first)
    lines: list[str] = []
    for number in range(span.first, span.last + 1):
        lines += removed.get(number, [])
        if number <= len(outline.lines):
            sign = "+" if number in added else " "
            lines.append(f"{sign}{outline.lines[number - 1]}")
    # What was removed at the very end of the file stands behind its last line.
    if span.last >= len(outline.lines):
        for number in sorted(number for number in removed if number > span.last):
            lines += removed[number]
    return CodePassage(
        file=outline.path,
        first=span.first,
        lines=tuple(lines),
        scopes=tuple(outline.scopes(span, first_changed)),
    )


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and merged[-1].overlaps(span):
            merged.append(merged.pop().joined(span))
        else:
            merged.append(span)
    return merged


def _indent(lines: Sequence[str], number: int) -> int:
    line = lines[min(number, len(lines)) - 1]
    return len(line.encode()) - len(line.lstrip().encode())


def _with_wrapper(node: Node) -> Node:
    """Return the decorators, the template or the export around a definition with it."""
    while node.parent is not None and node.parent.type in _WRAPPERS:
        node = node.parent
    return node


def _decorators(node: Node) -> Iterator[str]:
    """Yield the first lines of the decorators of a definition."""
    if node.parent is None or node.parent.type != "decorated_definition":
        return
    for child in node.parent.children:
        if child.type == "decorator":
            yield _text(child).partition("\n")[0].strip()


def _called_function(decorator: Node) -> Node | None:
    """Return what a decorator calls; None where it takes no arguments."""
    decorating = decorator.named_children[0]
    return decorating.child_by_field_name("function") if decorating.type == "call" else None


def _span(node: Node) -> Span:
    first = node.start_point[0] + 1
    ends_before_line = node.end_point[1] == 0 and node.end_point[0] > node.start_point[0]
    last = node.end_point[0] + (0 if ends_before_line else 1)
    return Span(first, last)


def _name_of(node: Node) -> str:
    name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while name is not None and name.type not in _NAMES | {"type_identifier"}:
        inner = name.child_by_field_name("declarator") or name.child_by_field_name("name")
        if inner is None:
            return ""
        name = inner
    return _text(name) if name is not None else ""


def _is_local(name: str, function_text: str) -> bool:
    """Return True where a function has a parameter or assigns a variable of this name."""
    escaped = re.escape(name)
    # Blanks only, because a pattern that may run over lines takes long on very many empty ones.
    assigned = rf"^[ \t]*(?:[\w:<>*&]+[ \t]+)?{escaped}[ \t]*(?::[^=\n]*)?=(?!=)"
    listed = rf"[(,]\s*(?:[\w:<>*& ]+\s[*&]?)?{escaped}\s*[,:)=]"
    signature = function_text.partition("\n")[0][:2_000]
    if re.search(assigned, function_text, re.MULTILINE):
        return True
    return re.search(listed, signature) is not None


def _names_in(node: Node | None) -> Iterator[str]:
    """Yield the names of an expression, of `a.b.c` the last one."""
    waiting = [node] if node is not None else []
    while waiting:
        inner = waiting.pop()
        if inner.type == "attribute":
            yield _text(inner).rpartition(".")[2]
        elif inner.type in _NAMES:
            yield _text(inner)
        else:
            waiting.extend(inner.children)


def _type_names(node: Node) -> Iterator[str]:
    for child in node.named_children:
        if child.type in ("type_identifier", "qualified_identifier"):
            yield _text(child).rpartition("::")[2]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
