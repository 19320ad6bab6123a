"""Reads Python: a whole module or a fragment of one."""

from typing import Final

from tools.diff.readers.python_declared import Place
from tools.diff.readers.python_digest import Tokens
from tools.diff.readers.python_fragment import mend
from tools.diff.readers.python_interface import Interface
from tools.diff.readers.python_lead import without_lead
from tools.diff.readers.python_sites import Sites
from tools.diff.readers.python_symbols import Walk
from tools.diff.readers.python_syntax import Code
from tools.diff.readers.python_uncut import Uncut
from tools.diff.readers.syntax import overgrown, parser, refusal
from tools.diff.reading import EMPTY, Reading, Source

JOINED: Final = b"\\\n"
MOST_JOINED: Final = 500


def read(source: Source) -> Reading:
    """Say what the Python source declares; what cannot be parsed is a problem in words, never an exception."""
    problem = refusal(source) or _entangled(source)
    if problem is not None:
        return Reading(problems=(problem,))
    if not source.digest:
        source = without_lead(source)
        if not source.text:
            return EMPTY
    mended = mend(source, cutting=not source.digest)
    root = parser("tree_sitter_python").parse(mended.text).root_node
    if root.has_error and mended.gaps:
        mended = mend(source, cutting=False)
        root = parser("tree_sitter_python").parse(mended.text).root_node
    problem = overgrown(root, source.path)
    if problem is not None:
        return Reading(problems=(problem,))
    last_line = source.first_line + source.text.rstrip(b"\n").count(b"\n")
    code = Code(mended.text, root, source.first_line, last_line, mended.lines_before)
    tokens = Uncut(code, source.text, mended) if mended.gaps else Tokens(code)
    interface = Interface(code, source.path, whole=source.whole)
    walk = Walk(code, tokens, interface, source, mended.clipped)
    places, around = ([Place(node, None) for node in root.named_children], []) if source.whole else mended.places(root)
    found = walk.run(places)
    found.spans.extend(around)
    sites = Sites(code, found, source.path).read()
    exports = None if interface.exports is None else frozenset(interface.exports)
    digest = tokens.digest() if source.digest else ""
    return Reading(interface.publish(found.symbols), sites, exports, interface.imports(), digest)


def _entangled(source: Source) -> str | None:
    """Say that hundreds of blank lines are joined into one: the grammar's time grows with their square."""
    if source.text.count(b"\\") >= MOST_JOINED and JOINED * MOST_JOINED in source.text.replace(b"\r", b""):
        return f"{source.path}: more than {MOST_JOINED} blank lines joined by backslashes"
    return None
