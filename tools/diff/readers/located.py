"""The nodes of a tree that was parsed from bones: their text, and where they stand in the file."""

from dataclasses import dataclass

from tree_sitter import Node

from tools.diff.readers import syntax
from tools.diff.readers.bones import Bones
from tools.diff.readers.masked import Masked


@dataclass(frozen=True, slots=True)
class Located:
    """Tells a node's text and lines; `shift` is how much of the bones a fragment's frame put before the text."""

    masked: Masked
    bones: Bones
    shift: int = 0

    def line(self, offset: int) -> int:
        """Return the file's line of an offset in the bones."""
        return self.masked.line(self._origin(offset))

    def head(self, node: Node, body: Node | None) -> int:
        """Return the last line before the body."""
        if body is None:
            return self.line(node.end_byte)
        before = body.prev_sibling
        return self.line(before.end_byte if before is not None else body.start_byte)

    def shape(self, body: Node | None, name: str) -> str:
        """Return the digest of what is between a body's braces."""
        if body is None:
            return ""
        return self.masked.shape(self._origin(body.start_byte + 1), self._origin(body.end_byte - 1), name)

    def fold(self, node: Node) -> str:
        """Return the node's text with its white space folded."""
        return syntax.fold(self.bones.text[node.start_byte : node.end_byte])

    def ends(self, node: Node) -> bool:
        """Say whether the node ends inside the text, or was only closed by a fragment's frame."""
        return self.bones.origin(node.end_byte) - self.shift <= len(self.masked.text)

    def field(self, node: Node, name: str) -> str | None:
        """Return the text of a node's field."""
        child = node.child_by_field_name(name)
        return None if child is None else self.fold(child)

    def _origin(self, offset: int) -> int:
        return max(0, self.bones.origin(offset) - self.shift)
