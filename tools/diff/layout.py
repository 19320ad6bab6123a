"""Commits that only lay code out or comment on it."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node, Parser, Query, QueryCursor

from agent.domain.commits import Change
from agent.domain.facts import Fact, FactLocation, Severity
from agent.domain.patch import Hunk, Side, read_patch
from tools.diff.declarations import Language, language_of

if TYPE_CHECKING:
    from tools.diff.file_versions import Blobs

_MAX_LAYOUT_PATCH = 200_000  # Characters of patches above which nobody only lays out code


def layout_paths(change: Change) -> list[str]:
    """Return all files of a commit that seems to change no code; they must be compared as a whole.

    A hunk may begin inside of a string or of a block, so its tokens alone prove nothing.
    """
    if not _may_only_lay_out(change):
        return []
    for file in change.files:
        language = language_of(file.path)
        if language is None:
            return []
        for hunk in read_patch(file.patch).hunks:
            if _tokens(_side(hunk, "old"), language) != _tokens(_side(hunk, "new"), language):
                return []
    return [file.path for file in change.files]


def layout_facts(change: Change, blobs: "Blobs") -> Iterator[Fact]:
    """Yield a fact if whole files show that a commit only lays code out or comments on it."""
    if not _may_only_lay_out(change):
        return
    has_other_comments = False
    for file in change.files:
        language = language_of(file.path)
        old_text, new_text = blobs.get(file.path, (None, None))
        if language is None or old_text is None or new_text is None:
            return
        old_code = _CodeReader(old_text, language)
        new_code = _CodeReader(new_text, language)
        # Most files differ, and are not read beyond their first difference.
        for old_part, new_part in zip_longest(old_code.parts(), new_code.parts()):
            if old_part != new_part:
                return
        has_other_comments |= old_code.comments != new_code.comments
    kind = "only-comments" if has_other_comments else "only-formatting"
    place = FactLocation(file=change.files[0].path, line=0, lines=())
    name = f"{len(change.files)} files"
    yield Fact(kind=kind, severity=Severity.INTERNAL, name=name, places=(place,))


def docstring_lines(path: str, text: bytes) -> frozenset[int]:
    """Return the lines of a Python file that are part of strings which are statements."""
    language = language_of(path)
    if language is None or language.name != "python":
        return frozenset()
    lines: set[int] = set()
    cursor = QueryCursor(_docstring_query(language))
    for nodes in cursor.captures(language.parse(text)).values():
        for node in nodes:
            lines.update(range(node.start_point[0] + 1, node.end_point[0] + 2))
    return frozenset(lines)


@lru_cache
def _docstring_query(language: Language) -> Query:
    return Query(language.grammar, "(expression_statement . (string) @docstring .)")


def _may_only_lay_out(change: Change) -> bool:
    if not change.files or change.incomplete:
        return False
    if sum(len(file.patch or "") for file in change.files) > _MAX_LAYOUT_PATCH:
        return False
    return all(file.status == "modified" and file.patch for file in change.files)


def _side(hunk: Hunk, side: Side) -> bytes:
    return ("\n".join(hunk.side(side)) + "\n").encode("utf-8", "replace")


class _CodePart(NamedTuple):
    """A token, or the beginning or the end of what tokens stand in."""

    type: str
    text: bytes | None = None  # Only tokens have a text


_END = _CodePart("end")


class _CodeReader:
    """Reads a text as its grammar does; a string that is a statement counts as a comment.

    White space does not count, except inside of strings.
    """

    def __init__(self, text: bytes, language: Language) -> None:
        self._text = text
        self._language = language
        self.comments: list[bytes] = []  # Those among the parts that were read so far

    def parts(self) -> Iterator[_CodePart]:
        """Yield the tokens with the beginnings and ends of what they stand in.

        A line that is indented otherwise has the same tokens and is part of another block.
        """
        # The marks of CUDA are part of what is compared, so they are not blanked here.
        tree = Parser(self._language.grammar).parse(self._text)
        stack: list[Node | None] = [tree.root_node]
        while stack:
            node = stack.pop()
            if node is None:
                yield _END
                continue
            node_type = node.type
            if "comment" in node_type or _is_docstring(node, node_type):
                self.comments.append(b"".join((node.text or b"").split()))
            elif "string" in node_type or not node.child_count:
                yield _CodePart(node_type, node.text or b"")
            else:
                yield _CodePart(node_type)
                stack.append(None)
                stack += reversed(node.children)


def _tokens(text: bytes, language: Language) -> list[bytes]:
    parts = _CodeReader(text, language).parts()
    return [part.text for part in parts if part.text is not None]


def _is_docstring(node: Node, node_type: str) -> bool:
    if node_type != "expression_statement" or node.child_count != 1:
        return False
    return node.children[0].type == "string"
