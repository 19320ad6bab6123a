"""Changes of the layout of code, or of its comments, and of nothing else."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node, Query, QueryCursor

from agent.domain.commits import Change
from agent.domain.facts import Fact, FactKind, FactLocation
from agent.domain.patch import Hunk, Side, read_patch
from tools.diff.declaration_reader import Language, language_of
from tools.diff.severity.table import severity_of

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Blobs

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
            if not _has_same_tokens(hunk, language):
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
        common = _common_length(old_text, new_text)
        old_code = _CodeReader(old_text, language, common)
        new_code = _CodeReader(new_text, language, common)
        # Most files differ, and are not read beyond their first difference.
        for old_part, new_part in zip_longest(old_code.parts(), new_code.parts()):
            if old_part != new_part:
                return
        has_other_comments |= old_code.comments != new_code.comments
    kind: FactKind = "only-comments" if has_other_comments else "only-formatting"
    location = FactLocation(file=change.files[0].path, line=0, lines=())
    name = f"{len(change.files)} files"
    yield Fact(kind=kind, severity=severity_of(kind), name=name, places=(location,))


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
    end: int = 0  # Where a part ends that stands before all differences


_END = _CodePart("end")


class _CodeReader:
    """Reads a text as its grammar does; a string that is a statement counts as a comment.

    White space does not count, except inside of strings. What ends within the first `common` bytes,
    which another text begins with too, is one part, whatever it consists of.
    """

    def __init__(self, text: bytes, language: Language, common: int = 0) -> None:
        self._text = text
        self._language = language
        self._common = common
        self.comments: list[bytes] = []  # Those among the parts that were read so far

    def parts(self) -> Iterator[_CodePart]:
        """Yield the tokens with the beginnings and ends of what they stand in.

        A line that is indented otherwise has the same tokens and is part of another block.
        """
        # The marks of CUDA are part of what is compared, so they are not blanked here.
        root = self._language.parse_literally(self._text)
        stack: list[Node | None] = [root]
        while stack:
            node = stack.pop()
            if node is None:
                yield _END
                continue
            node_type = node.type
            if node.end_byte < self._common and self._is_closed(stack):
                yield _CodePart(node_type, end=node.end_byte)
            elif "comment" in node_type or _is_docstring(node, node_type):
                self.comments.append(b"".join((node.text or b"").split()))
            elif "string" in node_type or not node.child_count:
                yield _CodePart(node_type, node.text or b"")
            else:
                yield _CodePart(node_type)
                stack.append(None)
                stack += reversed(node.children)

    def _is_closed(self, following: Sequence[Node | None]) -> bool:
        """Return True if the next code begins in the common bytes too.

        Otherwise a comment behind a block may be part of it in one text and not in the other.
        """
        for node in reversed(following):
            if node is not None:
                return node.start_byte < self._common and "comment" not in node.type
        return False


def _common_length(first: bytes, second: bytes) -> int:
    """Return how many bytes two texts have in common at their beginning."""
    shortest = min(len(first), len(second))
    return bisect_left(range(shortest), 1, key=lambda end: first[: end + 1] != second[: end + 1])


def _has_same_tokens(hunk: Hunk, language: Language) -> bool:
    """Return True if both sides of a hunk have the same tokens; most differ early."""
    old_tokens = _tokens(_side(hunk, "old"), language)
    new_tokens = _tokens(_side(hunk, "new"), language)
    return all(old == new for old, new in zip_longest(old_tokens, new_tokens))


def _tokens(text: bytes, language: Language) -> Iterator[bytes]:
    for part in _CodeReader(text, language).parts():
        if part.text is not None:
            yield part.text


def _is_docstring(node: Node, node_type: str) -> bool:
    if node_type != "expression_statement" or node.child_count != 1:
        return False
    return node.children[0].type == "string"
