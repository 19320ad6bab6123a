"""What stands around a fragment of C, C++ or CUDA, as far as git's heading and the brackets tell."""

import re
from dataclasses import dataclass

from tools.diff.readers.fragment import Closer, Edges, edges

_NAMESPACE = re.compile(rb"^\s*(?:inline\s+)?namespace\s+([\w:]+)")
_TYPE = re.compile(
    rb"^\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(enum\s+class|enum\s+struct|enum|class|struct|union)\s+"
    rb"(?:(?:alignas|__align__|__attribute__)\s*\([^{]*\)\s*|[A-Z_]+\s+)?([A-Za-z_]\w*)(?!.*;\s*$)(?![\w\s*&:]*\()"
)
_FUNCTION = re.compile(rb"(~?[A-Za-z_][\w:]*(?:<[^<>()]*>)?(?:::~?\w+)*)\s*\(")
_NOT_NAMES = re.compile(rb"^(?:__\w+__|alignas|decltype|if|for|while|switch|return|sizeof|defined)$")
_BODY_FOLLOWS = re.compile(rb"\)\s*(?:const|noexcept|override|final|->[^;{]*|:[^;{]*|\s)*[;{]")
_STATEMENT = re.compile(
    rb"^\s*(?:(?:return|if|for|while|else|switch|case|break|continue|do|throw|delete|goto)\b|\}\s*else\b"
    rb"|[\w.\->\[\]*]+\s*(?:[-+*/|&^]?=(?!=)|\+\+|--)|[\w.:]*[\w>][.\->]+\w+\s*\(|[A-Z_]{4,}\s*\(|[a-z_]\w*\([^{]*\);\s*$)",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What to put around a fragment, on its first and last line, so that it parses like the place it was cut from."""

    before: bytes = b""
    after: bytes = b""
    scope: str = ""
    """The function the fragment begins in."""
    until: int = 0
    """The offset up to which it does."""
    continued: bool = False
    """Whether the fragment holds the rest of the heading's own signature."""


def frame(mask: bytes, heading: str) -> Frame:
    """Say what to put around a masked fragment under git's heading."""
    cut = edges(mask)
    title = heading.encode()
    after = b"\n" + cut.tail + (b";" if cut.tail else b"")
    if (found := _NAMESPACE.match(title)) and b";" not in title:
        return Frame(_braces(cut.closers) + b"namespace %s {" % found.group(1), after + b"}")
    inside = cut.inside and not title.rstrip().endswith(b";")
    if inside and (found := _TYPE.match(title)):
        return _in_type(mask, cut, found.group(1), found.group(2), after)
    name = _function_name(title)
    if inside and name:
        signature = title.count(b"(") > title.count(b")") and cut.closers and cut.closers[0].sign == b")"
        if signature and _BODY_FOLLOWS.match(mask, cut.closers[0].offset):
            return Frame(b"void %s(" % name, after, continued=True)
        until = next((closer.offset for closer in cut.closers if not closer.indented), len(mask))
        return Frame(_body(cut.closers, b"void %s() {" % name), after + _ends(cut), _dots(name), until)
    if cut.closers or (cut.inside and mask[:1].isspace()):
        return Frame(_body(cut.closers, b"void _() {"), after + _ends(cut))
    return Frame(b"", after)


def _in_type(mask: bytes, cut: Edges, keyword: bytes, name: bytes, after: bytes) -> Frame:
    opening = b"%s %s {" % (keyword, name)
    nested = [closer for closer in cut.closers if closer.indented]
    if keyword.startswith(b"enum"):
        return Frame(_braces(cut.closers[1:]) + opening, after + _ends(cut))
    end = nested[0].offset if nested else len(mask)
    margin = next((closer for closer in cut.closers if not closer.indented), None)
    if nested or _STATEMENT.search(mask, 0, min(end, margin.offset if margin else end)):
        # Inside a method whose name is not known: what it does is no member of the class.
        inner = b"void _() {" + b"".join(_opener(closer) for closer in reversed(nested[1:]))
        closing = b"" if nested else b"}"
        return Frame(
            _braces([c for c in cut.closers if not c.indented][1:]) + opening + inner, after + closing + _ends(cut)
        )
    return Frame(_braces(cut.closers[1:]) + opening, after + _ends(cut))


def _opener(closer: Closer) -> bytes:
    return {b")": b"f(", b"]": b"a[", b"}": b"{"}[closer.sign]


def _braces(closers: tuple[Closer, ...] | list[Closer]) -> bytes:
    """Open what the closers close, as blocks that give no name."""
    return b'extern "C" {' * sum(closer.sign == b"}" for closer in closers)


def _body(closers: tuple[Closer, ...], opening: bytes) -> bytes:
    """Open a function's body and what the fragment closes inside it."""
    margin = [index for index, closer in enumerate(closers) if not closer.indented and closer.sign == b"}"]
    own = margin[0] if margin else len(closers)
    inner = b"".join(_opener(closer) for closer in reversed(closers[:own]))
    return _braces(closers[own + 1 :]) + opening + inner


def _ends(cut: Edges) -> bytes:
    """Close the frame's own block where the fragment does not reach its end."""
    return b"" if any(not closer.indented and closer.sign == b"}" for closer in cut.closers) else b"}"


def _function_name(title: bytes) -> bytes:
    if b"=" in title.split(b"(", 1)[0]:
        return b""
    names = [found.group(1) for found in _FUNCTION.finditer(title)]
    return next((name for name in names if not _NOT_NAMES.match(name)), b"")


def _dots(name: bytes) -> str:
    return re.sub(r"<[^<>]*>", "", name.decode()).replace("::", ".")
