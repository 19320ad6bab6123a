"""Reads the syntax trees of other languages than Python."""

from collections.abc import Iterator

from tree_sitter import Node

from tools.diff.declaration_reader import language_of

_MAX_SOURCE_BYTES = 2_000_000


def syntax_tree(path: str, source: str | bytes) -> Node | None:
    """Return the tree of a file; None for another language, or a file that is too large."""
    language = language_of(path)
    content = source.encode("utf-8", "replace") if isinstance(source, str) else source
    if language is None or len(content) > _MAX_SOURCE_BYTES:
        return None
    return language.parse(content)


def walk(node: Node | None) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text; no nesting is too deep."""
    waiting = [node] if node is not None else []
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.named_children)


def nodes_of(root: Node | None, *kinds: str) -> list[Node]:
    """Return the nodes of some kinds."""
    return [node for node in walk(root) if node.type in kinds]


def nodes_here(node: Node, *kinds: str) -> list[Node]:
    """Return the nodes of some kinds directly below a node."""
    return [child for child in node.named_children if child.type in kinds]


def text_of(node: Node | None) -> str:
    """Return the source of a node; empty without one."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def field_text(node: Node, name: str) -> str:
    """Return the source of a field of a node; empty without one."""
    return text_of(node.child_by_field_name(name))


def line_of(node: Node) -> int:
    """Return the line that a node begins at."""
    return node.start_point[0] + 1


def string_text(node: Node | None) -> str:
    """Return what a written string holds."""
    return text_of(node).strip("\"'`")
