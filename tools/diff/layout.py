"""Commits that only lay code out or comment on it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node, Parser

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
            old_code = _read_code(_side(hunk, "old"), language)
            new_code = _read_code(_side(hunk, "new"), language)
            if old_code.tokens != new_code.tokens:
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
        old_code = _read_code(old_text, language)
        new_code = _read_code(new_text, language)
        if old_code.structure != new_code.structure:
            return
        has_other_comments |= old_code.comments != new_code.comments
    kind = "only-comments" if has_other_comments else "only-formatting"
    place = FactLocation(file=change.files[0].path, line=0, lines=())
    name = f"{len(change.files)} files"
    yield Fact(kind=kind, severity=Severity.INTERNAL, name=name, places=(place,))


def _may_only_lay_out(change: Change) -> bool:
    if not change.files or change.incomplete:
        return False
    if sum(len(file.patch or "") for file in change.files) > _MAX_LAYOUT_PATCH:
        return False
    return all(file.status == "modified" and file.patch for file in change.files)


def _side(hunk: Hunk, side: Side) -> bytes:
    return ("\n".join(hunk.side(side)) + "\n").encode("utf-8", "replace")


class _Code(NamedTuple):
    """A text as its grammar reads it."""

    tokens: list[bytes]
    structure: list[tuple[str, bytes]]
    """The tokens with the beginnings and ends of what they stand in: a line that is indented
    otherwise has the same tokens and is part of another block."""
    comments: list[bytes]


def _read_code(text: bytes, language: Language) -> _Code:
    """Return the tokens and comments of a text; a string that is a statement counts as a comment.

    White space does not count, except inside of strings.
    """
    tokens: list[bytes] = []
    structure: list[tuple[str, bytes]] = []
    comments: list[bytes] = []
    # The marks of CUDA are part of what is compared, so they are not blanked here.
    stack: list[Node | None] = [Parser(language.grammar).parse(text).root_node]
    while stack:
        node = stack.pop()
        if node is None:
            structure.append(("end", b""))
        elif "comment" in node.type or _is_docstring(node):
            comments.append(b"".join((node.text or b"").split()))
        elif not node.children or "string" in node.type:
            tokens.append(node.text or b"")
            structure.append((node.type, node.text or b""))
        else:
            structure.append((node.type, b""))
            stack.append(None)
            stack += reversed(node.children)
    return _Code(tokens, structure, comments)


def _is_docstring(node: Node) -> bool:
    return (
        node.type == "expression_statement"
        and len(node.children) == 1
        and node.children[0].type == "string"
    )
