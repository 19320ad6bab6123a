"""What the readers that parse have in common: parsers made once, limits in bytes and nodes, folded text, digests.

Lines are counted from offsets everywhere: in tree-sitter 0.26.0 a node's `start_point` and `end_point` free numbers
that are still in use, which ends in wrong lines or a crash.
"""

import hashlib
import importlib
from collections.abc import Iterable
from functools import cache

from tree_sitter import Language, Node, Parser

from tools.diff.reading import Source

MAX_BYTES = 2_000_000
MAX_LINE = 20_000
MAX_NODES = 400_000
MAX_OPEN = 1_000
MIN_SHAPE = 40
"""A body shorter than this, white space aside, is no proof that two things are the same."""


@cache
def parser(module: str, language: str = "language") -> Parser:
    """Return the one parser of a grammar wheel: `parser("tree_sitter_rust")`."""
    return Parser(Language(getattr(importlib.import_module(module), language)()))


def refusal(source: Source) -> str | None:
    """Say why the source is too large to be read, or no source at all, if so."""
    if len(source.text) > MAX_BYTES:
        return f"{source.path}: {len(source.text)} bytes, more than {MAX_BYTES}"
    if b"\0" in source.text:
        return f"{source.path}: not text"
    if abs(source.text.count(b"{") - source.text.count(b"}")) > MAX_OPEN:
        return f"{source.path}: more than {MAX_OPEN} braces without a partner"
    if _has_long_line(source.text):
        return f"{source.path}: a line longer than {MAX_LINE} bytes, probably minified"
    return None


def _has_long_line(text: bytes) -> bool:
    """Leap from line end to line end, each the last one within reach."""
    at = 0
    while len(text) - at > MAX_LINE:
        end = text.rfind(b"\n", at, at + MAX_LINE + 1)
        if end < 0:
            return True
        at = end + 1
    return False


def overgrown(root: Node, path: str) -> str | None:
    """Say that a tree has too many nodes to be walked, if it has."""
    if root.descendant_count > MAX_NODES:
        return f"{path}: {root.descendant_count} syntax nodes, more than {MAX_NODES}"
    return None


def mentions(text: bytes, words: Iterable[bytes]) -> bool:
    """Tell whether a text has any of these words: they are found a hundred times as fast as patterns."""
    for word in words:  # noqa: SIM110  # a generator costs more than the search
        if word in text:
            return True
    return False


def fold(text: bytes) -> str:
    """Return the text with its white space folded to single spaces."""
    return b" ".join(text.split()).decode("utf-8", "replace")


def digest(text: bytes) -> str:
    """Return a short fingerprint of the text."""
    return hashlib.blake2b(text, digest_size=12).hexdigest()
