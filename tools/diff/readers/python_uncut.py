"""Digests of what was left out of a Python text before it was parsed: each is made from all of its lines."""

from tools.diff.readers.python_cut import began, ended
from tools.diff.readers.python_digest import Tokens
from tools.diff.readers.python_fragment import Mended
from tools.diff.readers.python_syntax import Code
from tools.diff.readers.syntax import parser


class Uncut(Tokens):
    """The tokens of a text without some statements; what is asked about is looked up in the whole text."""

    def __init__(self, code: Code, text: bytes, mended: Mended) -> None:
        super().__init__(code)
        self._whole = text
        self._mended = mended

    def shape(self, start: int, end: int, name: str, *, always: bool = False) -> str:
        """Digest a span without a name, with what was left out of it."""
        first = began(self._mended.gaps, start - self._mended.start)
        last = ended(self._mended.gaps, end - self._mended.start)
        line = self._whole.rfind(b"\n", 0, first) + 1
        body = self._whole[line:last]
        code = Code(body, parser("tree_sitter_python").parse(body).root_node, 1, 1, 0)
        return Tokens(code).shape(first - line, len(body), name, always=always)
