"""The declarations of a C, C++ or CUDA text without what its functions do, so that a grammar can parse them.

Macros in bodies and branches of the preprocessor are what breaks a parser on such code; declarations seldom do.
"""

import re

from tools.diff.readers.bones import Bones
from tools.diff.readers.masked import blank
from tools.diff.readers.syntax import mentions

_DIRECTIVE = re.compile(rb"#[ \t]*(\w*)[^\n\\]*(?:\\(?:\r\n|.)[^\n\\]*)*", re.S)
_FOREIGN = bytes(32 if byte in b"`@$\\" else byte for byte in range(256))
_SPACE = 32
_TOKEN = re.compile(rb"[{};#]")
_WORD = re.compile(rb"[A-Za-z_]")
_IN_BODY = re.compile(rb"[{}#]")
_CONTAINER = re.compile(rb"\b(?:namespace|class|struct|union|enum|extern)\b")
_FUNCTION = re.compile(
    rb"\)\s*(?:(?:const|noexcept|override|final|mutable|volatile|try|requires|&|&&|[A-Z][A-Z0-9_]+)\s*)*$"
    rb"|\)\s*(?:const\s*)?(?:noexcept\s*)?->[^;{}=]*$"
    rb"|\b(?:else|do|try)\s*$"
    rb"|\}\s*$"
)
_ANNOTATION = re.compile(
    rb"\b(?:__align__|__cluster_dims__|__maxnreg__|__launch_bounds__|__attribute__|__declspec|alignas|\w+_ALIGNAS"
    rb"|\w+_LAUNCH_BOUNDS)\s*"
    rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    rb"|\b__grid_constant__\b|\b[A-Z]\w*_GRID_CONSTANT\b|\b__CUDA_ALIGN__\(\d+\)"
    rb"|\[\[\s*(?:maybe_unused|nodiscard)\s*\]\]"
    rb"|\b(?:[A-Z][A-Z0-9]*_)*(?:FORCE_?INLINE|INLINE|NOINLINE|HOST_DEVICE|DEVICE|HOST|GLOBAL|KERNEL|EXPORT|API|PUBLIC"
    rb"|LOCAL|HIDDEN|VISIBLE|NODISCARD|UNUSED|CONSTEXPR|NO_SANITIZE)\b(?=\s+[\w:~])(?!\s+operator\b\s*\()"
)
_ASSERTION = re.compile(
    rb"\s*(?:(?:public|private|protected)\s*:\s*)?((?:static_assert|[A-Z]\w*STATIC_ASSERT\w*)\s*\()"
)
"""A check of the compiler's: it declares nothing, and written as a macro no grammar takes it for what it is."""
_WRAPPED = re.compile(
    rb"\s*(?:[A-Z]\w*\s+)?(\w*DEPRECATED\w*\s*\()(?:[^\"]*[(]|\s*(?:[\w:]+[\s*&]+)+\w+(?:\[\w*\])?(?=\s*,))"
)
_HINT = re.compile(rb",\s*(?:\"\x01*\"\s*)+\)\s*$")
"""A declaration handed to a macro with a word of advice: `DEPRECATED(int old(void), "use new instead");`."""
_MARKED = re.compile(
    rb"\s*(?:(?:public|private|protected)\s*:\s*)?((?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\s+)+)"
    rb"(?:(?:const|static|extern|inline|volatile|virtual|constexpr|struct|enum|union|unsigned|signed|long|short)\s+)*"
    rb"(?!(?:const|volatile|operator)\b)[A-Za-z_][\w:]*(?:<[^;{}()]*>)?[\s*&]+[A-Za-z_~][\w:]*\s*\("
)
"""Macros of the project before the type and the name of a function: how it is called, who may, where it runs."""
_BROUGHT = re.compile(
    rb"\n[ \t]*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[ \t]*\n\s*(?=[A-Za-z_][\w:]*(?:<[^;{}()]*>)?[\s*&]+[A-Za-z_]|template\b)"
)
"""A macro on a line of its own that brings whole declarations with it: the type of the next one it is not."""
_FAR = 400
_ANNOTATED = tuple(
    b"__ [[ align ALIGN LAUNCH INLINE DEVICE HOST GLOBAL KERNEL EXPORT API PUBLIC LOCAL HIDDEN VISIBLE NODISCARD UNUSED"
    b" CONSTEXPR NO_SANITIZE".split()
)
"""One of these is in every annotation, and in most texts there is none."""


class _Directives:
    """The lines of the preprocessor, blanked on the way.

    A branch after the first is left out where the first one leaves a brace open; meanwhile `dead` is not 0.
    """

    def __init__(self, mask: bytes, out: bytearray) -> None:
        self._mask = mask
        self._out = out
        self._open: list[tuple[int, int | None]] = []
        self.dead = 0

    def at(self, start: int, depth: int) -> int:
        """Note the directive at `start`, with `depth` braces open, and return where it ends."""
        line = self._mask.rfind(b"\n", 0, start) + 1
        match = _DIRECTIVE.match(self._mask, start)
        if match is None or (not self._mask[line:start].isspace() and line != start):
            return start
        self._branch(match.group(1), start, depth)
        self._out[start : match.end()] = blank(match.group())
        return match.end()

    def _branch(self, word: bytes, start: int, depth: int) -> None:
        if word == b"endif" and self._open:
            _, since = self._open.pop()
            if since is not None:
                self.dead -= 1
                self._out[since:start] = blank(self._out[since:start])
        elif word.startswith(b"if"):
            self._open.append((depth, None))
        elif word.startswith(b"el") and self._open:
            before, since = self._open[-1]
            if since is None and depth != before:
                self._open[-1] = (before, start)
                self.dead += 1


def _kind(head: bytes) -> str:
    """Say what a brace after `head` opens: a container `c`, the body `b` of a function, an initialiser `i`.

    A brace with no word before it belongs to nothing that C declares, `n`: data under a wrong name take a parser hours.
    """
    head = head.rstrip()
    if not _WORD.search(head):
        return "n"
    if _FUNCTION.search(head[-200:]) and not head.endswith(b"="):
        return "b"
    return "c" if _CONTAINER.search(head) and not head.endswith((b"=", b",", b"(")) else "i"


def _body_end(mask: bytes, start: int, directives: _Directives) -> int | None:
    """Return where the brace that was opened just before `start` is closed."""
    depth, skip = 1, start
    for match in _IN_BODY.finditer(mask, start):
        at = match.start()
        if at < skip:
            continue  # the braces of a macro's text do not count
        token = match.group()
        if token == b"#":
            skip = directives.at(at, depth)
        elif not directives.dead:
            depth += 1 if token == b"{" else -1
            if depth == 0:
                return at
    return None


def _declarations(mask: bytes, out: bytearray) -> None:
    """Blank bodies and directives in `out`, going from declaration to declaration."""
    directives = _Directives(mask, out)
    opened: list[str] = []
    position = since = skip = 0
    while position < len(mask):
        for match in _TOKEN.finditer(mask, position):
            token, at = match.group(), match.start()
            if at < skip:
                continue
            if token == b"#":
                skip = directives.at(at, len(opened))
            elif directives.dead:
                continue
            elif token == b"{":
                kind = opened[-1] if opened and opened[-1] == "i" else _kind(mask[since:at])
                end = _body_end(mask, at + 1, directives) if kind in "bn" else None
                if kind == "b":
                    _unmark(out, since, at)
                if kind == "n" and end is None:
                    end = len(mask)
                if end is not None:
                    # The semicolon keeps a body a body: `f() { };` could be a variable with an initialiser.
                    out[at + 1 : end] = b";" + blank(mask[at + 2 : end]) if end > at + 1 else b""
                    position = since = end + 1
                    break
                opened.append("i" if kind == "b" else kind)
                since = at + 1 if kind == "c" else since
            elif token == b";":
                if not opened or opened[-1] != "i":
                    _simplify(mask, out, since, at)
                    since = at + 1
            elif not opened:
                out[at] = _SPACE  # a brace too many costs a parser more than the rest of the file
                since = at + 1
            elif opened.pop() == "c":
                since = at + 1
        else:
            return


def _unmark(out: bytearray, start: int, end: int) -> None:
    """Blank the macros before a function, which a grammar takes for its type."""
    if found := _MARKED.match(out, start, end):
        out[found.start(1) : found.end(1)] = blank(out[found.start(1) : found.end(1)])


def _simplify(mask: bytes, out: bytearray, start: int, end: int) -> None:
    """Blank what hides that a statement is a declaration, or is none."""
    _unmark(out, start, end)
    if found := _ASSERTION.match(out, start, end):
        out[found.start(1) : end + 1] = blank(out[found.start(1) : end + 1])
    elif (found := _WRAPPED.match(out, start, end)) and (hint := _HINT.search(mask, found.end(), end)):
        for left, right in (found.span(1), hint.span()):
            out[left:right] = blank(out[left:right])


def _without_macro(found: re.Match[bytes]) -> bytes:
    whole, first = found.group(), found.start(1) - found.start()
    before = found.string[max(0, found.start() - _FAR) : found.start()].rstrip()
    if before and not before.endswith((b";", b"{", b"}", b":")):
        return whole  # in the midst of a declaration
    return whole[:first] + blank(found.group(1)) + whole[first + len(found.group(1)) :]


def skeleton(bare: bytes, mask: bytes) -> Bones:
    """Return the text without function bodies, directives and annotations."""
    out = bytearray(bare)
    _declarations(mask, out)
    bones = Bones(bytes(out))
    text = bones.text
    if mentions(text, _ANNOTATED):
        text = _ANNOTATION.sub(lambda match: blank(match.group()), text)
    text = _BROUGHT.sub(_without_macro, text)
    if b"\\" in text:
        # What is escaped neither ends a string nor begins one.
        for escaped in (rb"\\", rb"\"", rb"\'"):
            text = text.replace(escaped, b"  ")
    bones.text = text.translate(_FOREIGN)
    return bones
