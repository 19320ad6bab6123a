"""Python's syntax tree as the other modules of this reader see it: one parse, text folded for display.

Points are read by index: tree-sitter 0.26 gives back one reference too many on `point.row` and `point.column`, which
ends in a crash of the interpreter.
"""

import re
from functools import cache, cached_property
from typing import Final

from tree_sitter import Node, Query, QueryCursor

from tools.diff.readers.syntax import parser

STRINGS: Final = ("string", "concatenated_string")
SEQUENCES: Final = ("list", "tuple", "set", "expression_list")
DEFINITIONS: Final = ("function_definition", "class_definition", "decorated_definition")
# A line break inside brackets is layout, and so is the comma before it; neither belongs to the value.
LAYOUT: Final = re.compile(rb"(?<=[(\[{])\s*\n\s*|,?\s*\n\s*(?=[)\]}])")

LAYOUT_CAPTURES: Final = """
(comment) @comment
(string) @string
(expression_statement . (string) @document .)
(expression_statement . (concatenated_string) @document .)
(assignment right: (parenthesized_expression . "(" @wrap _ ")" @wrap .))
(return_statement (parenthesized_expression . "(" @wrap _ ")" @wrap .))
(assert_statement . (parenthesized_expression . "(" @wrap _ ")" @wrap .))
(if_statement condition: (parenthesized_expression . "(" @wrap _ ")" @wrap .))
(for_statement right: (parenthesized_expression . "(" @wrap _ ")" @wrap .))
(keyword_argument value: (parenthesized_expression . "(" @wrap _ ")" @wrap .))
(lambda body: (parenthesized_expression . "(" @wrap _ ")" @wrap .))
(import_from_statement "(" @wrap ")" @wrap)
"""


@cache
def _query() -> Query:
    language = parser("tree_sitter_python").language
    assert language is not None
    return Query(language, LAYOUT_CAPTURES)


class Code:
    """A parsed text: its nodes of interest by kind, in source order, and the words of any node."""

    def __init__(self, text: bytes, root: Node, first_line: int, last_line: int, lines_before: int) -> None:
        self.text = text
        self._first_line = first_line
        self._last_line = max(first_line, last_line)
        self._lines_before = lines_before
        """How many lines were put before the text to make it parse."""
        self.root = root

    def nodes(self, capture: str) -> list[Node]:
        """List the comments, strings, documents or wrapping brackets, in source order."""
        return self._captures.get(capture, [])

    @cached_property
    def _captures(self) -> dict[str, list[Node]]:
        captured = QueryCursor(_query()).captures(self.root)
        return {name: sorted(nodes, key=_start) for name, nodes in captured.items()}

    def raw(self, node: Node) -> bytes:
        """Cut a node's text as it stands."""
        return self.text[node.start_byte : node.end_byte]

    def word(self, node: Node | None) -> str:
        """Decode the text of a name or another short token."""
        return "" if node is None else self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def rest_of_line(self, node: Node) -> bytes:
        """Cut what stands behind a node on its last line."""
        end = self.text.find(b"\n", node.end_byte)
        return self.text[node.end_byte : end if end >= 0 else len(self.text)]

    def fold(self, node: Node) -> str:
        """Give a node's text on one line: comments left out, white space folded."""
        raw = self.text[node.start_byte : node.end_byte]
        if b"\n" not in raw:
            return (b" ".join(raw.split()) if b"  " in raw or b"\t" in raw else raw).decode("utf-8", "replace").strip()
        raw = self._uncommented(node)
        if b'"""' not in raw and b"'''" not in raw:
            raw = LAYOUT.sub(b"", raw)
        return b" ".join(raw.split()).decode("utf-8", "replace")

    def _uncommented(self, node: Node) -> bytes:
        parts, at = list[bytes](), node.start_byte
        sign = self.text.find(b"#", at, node.end_byte)
        while sign >= 0:
            found = node.descendant_for_byte_range(sign, sign + 1)
            end = sign + 1
            if found is not None and found.type == "comment":
                parts.append(self.text[at:sign])
                at = end = found.end_byte
            sign = self.text.find(b"#", end, node.end_byte)
        return b"".join([*parts, self.text[at : node.end_byte]])

    def line(self, node: Node) -> int:
        """Say on which line of the file a node starts."""
        return self._numbered(node.start_point[0])

    def last_line(self, node: Node) -> int:
        """Say on which line of the file a node ends."""
        row, column = node.end_point
        return self._numbered(row - 1 if column == 0 and row > node.start_point[0] else row)

    def line_at(self, offset: int) -> int:
        """Say on which line of the file an offset is."""
        return self._numbered(self.text.count(b"\n", 0, offset))

    def _numbered(self, row: int) -> int:
        return min(max(self._first_line, self._first_line + row - self._lines_before), self._last_line)

    def string(self, node: Node | None) -> str | None:
        """Give what stands between the quotes of a literal, parts joined, placeholders as written."""
        if node is None:
            return None
        if node.type == "string":
            return self._between_quotes(node)
        if node.type == "concatenated_string":
            return "".join(self._between_quotes(part) for part in node.named_children if part.type == "string")
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            inner = node.named_children[0]
            return self.string(inner) if inner.type in STRINGS else None
        return None

    def _between_quotes(self, node: Node) -> str:
        children = node.children
        if len(children) < 2 or children[0].type != "string_start" or children[-1].type != "string_end":
            return ""
        return self.text[children[0].end_byte : children[-1].start_byte].decode("utf-8", "replace")

    def message(self, node: Node | None) -> str | None:
        """Find the literal of an expression that makes a message: plain, formatted, or the first of a sum."""
        for _ in range(16):
            if node is None or node.type in STRINGS:
                break
            node = _towards_literal(node)
        text = self.string(node)
        return None if text is None else " ".join(text.split())[:300]

    def arguments(self, call: Node) -> tuple[list[Node], dict[str, Node]]:
        """Split a call's arguments into positional and named ones; stars are left out."""
        positional, named = [], {}
        holder = call.child_by_field_name("arguments")
        for node in holder.named_children if holder is not None and holder.type == "argument_list" else ():
            if node.type == "keyword_argument":
                value = node.child_by_field_name("value")
                if value is not None:
                    named[self.word(node.child_by_field_name("name"))] = value
            elif node.type not in ("comment", "list_splat", "dictionary_splat", "ERROR"):
                positional.append(node)
        return positional, named

    def callee(self, call: Node) -> str:
        """Give the last name of what is called: `warn` of `warnings.warn(…)`."""
        function = call.child_by_field_name("function")
        return self.word(last_name(function))


def last_name(node: Node | None) -> Node | None:
    """Find the identifier at the end of a dotted expression."""
    if node is not None and node.type == "attribute":
        return node.child_by_field_name("attribute")
    return node if node is not None and node.type == "identifier" else None


def enclosing(node: Node, kind: str) -> Node | None:
    """Find the nearest ancestor of a type, not looking past the statement."""
    up = node.parent
    while up is not None and up.type != kind:
        if up.type == "block" or up.type.endswith("_statement"):
            return None
        up = up.parent
    return up


def _towards_literal(node: Node) -> Node | None:
    if node.type == "call":
        function = node.child_by_field_name("function")
        if function is not None and function.type == "attribute":
            return function.child_by_field_name("object")
        return None
    if node.type == "binary_operator":
        return node.child_by_field_name("left")
    if node.type == "parenthesized_expression" and node.named_child_count:
        return node.named_children[0]
    return None


def _start(node: Node) -> int:
    return node.start_byte
