"""Changes of layout and comments: the tokens of both sides of every hunk are the same."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from agent.facts import Fact, FactKind, Place, Severity
from tools.diff.languages import Language, language_of
from tools.diff.patch import Hunk, Side
from tools.diff.roles import Role, role
from tools.diff.versions import Versions

_LARGEST = 200_000
"""Characters of patches above which nobody only lays out code."""
_ASIDE = (Role.TEST, Role.DOCUMENT, Role.CI, Role.ASSET)


def layout_facts(files: Sequence[Versions]) -> Iterator[Fact]:
    """Say of a commit whose code is the same token by token that it only lays it out or comments on it."""
    code = [versions for versions in files if role(versions.file.path) not in _ASIDE]
    if not code or sum(len(versions.file.patch or "") for versions in code) > _LARGEST:
        return
    if any(versions.file.status != "modified" for versions in code):
        return
    commented = False
    for versions in code:
        language = language_of(versions.file.path)
        if language is None:
            return
        for hunk in versions.patch.hunks:
            if _tokens(hunk, "old", language, comments=False) != _tokens(hunk, "new", language, comments=False):
                return
            commented |= _tokens(hunk, "old", language, comments=True) != _tokens(hunk, "new", language, comments=True)
    kind = FactKind.ONLY_COMMENTS if commented else FactKind.ONLY_FORMATTING
    place = Place(file=code[0].file.path, line=0, lines=())
    yield Fact(kind=kind, severity=Severity.INTERNAL, name=f"{len(code)} files", places=(place,))


def _tokens(hunk: Hunk, side: Side, language: Language, *, comments: bool) -> list[tuple[str, bytes]]:
    text = ("\n".join(hunk.side(side)) + "\n").encode("utf-8", "replace")
    return list(_leaves(language.parse(text), comments=comments))


def _leaves(root: Node, *, comments: bool) -> Iterator[tuple[str, bytes]]:
    """Walk over the tokens of a tree, strings whole; a string that is a statement is a comment."""
    stack = [root]
    while stack:
        node = stack.pop()
        remark = "comment" in node.type or (node.type == "expression_statement" and _is_docstring(node))
        if remark and not comments:
            continue
        if not node.children or node.type in ("string", "string_literal", "raw_string_literal"):
            yield node.type, b"".join((node.text or b"").split()) if remark else node.text or b""
        else:
            stack += reversed(node.children)


def _is_docstring(node: Node) -> bool:
    return len(node.children) == 1 and node.children[0].type == "string"
