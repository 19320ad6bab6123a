"""What stands around a fragment of C, C++ or CUDA, as far as git's heading and the brackets tell."""

import re
from dataclasses import dataclass
from functools import lru_cache

from tools.diff.readers.fragment import OPENING, Closer, Edges, edges, surface

_NAMESPACE = re.compile(rb"^\s*(?:inline\s+)?namespace\s+([\w:]+)")
_TYPE = re.compile(
    rb"^\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(enum\s+class|enum\s+struct|enum|class|struct|union)\s+"
    rb"(?:(?:alignas|__align__|__attribute__)\s*\([^{]*\)\s*|[A-Z_]+\s+)?([A-Za-z_]\w*)(?!.*;\s*$)(?![\w\s*&:]*\()"
)
_FUNCTION = re.compile(rb"(~?[A-Za-z_][\w:]*(?:<[^<>()]*>)?(?:::~?\w+)*)\s*\(")
_NOT_NAMES = re.compile(rb"^(?:__\w+__|alignas|decltype|if|for|while|switch|return|sizeof|defined)$")
_BODY_FOLLOWS = re.compile(rb"\)\s*(?:const|noexcept|override|final|->[^;{]*|:[^;{]*|\s)*([;{])")
_PARAMETER = re.compile(rb"\s*(?:const\s+)?[A-Za-z_][\w:]*(?:<[^()]*>)?(?:\s+const\b)?[\s*&]+\w+\s*(?:=.*)?", re.S)
_STATEMENT = re.compile(
    rb"^[ \t]*(?:(?:return|if|for|while|else|switch|case|break|continue|do|throw|delete|goto)\b|\}\s*else\b"
    rb"|(?:const\s+)?auto\b[^(){};]*=|[\w.\->\[\]*]+\s*(?:[-+*/|&^]?=(?!=)|\+\+|--)"
    rb"|[\w.:]*\w(?:\.|->|::)\w+\s*\(\)?;|[A-Z_]{4,}\s*\(\)?;"
    rb"|  (?=\S)(?!static\b|constexpr\b|inline\b|using\b)[\w:<>,*& ]+ = [^;\n]*(?:[A-Za-z_]\w*\.[A-Za-z_]|->|\?))",
    re.M,
)
_TYPE_ENDS = re.compile(rb"\}\s*(?:\w+\s*)?;")
_ARGUMENTS = re.compile(rb"[^;{()]*,[ \t]*\n")
_DEEP = 4
"""Members of a class at the left margin are not indented further than this."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What to put around a fragment, on its first and last line, so that it parses like the place it was cut from."""

    before: bytes = b""
    after: bytes = b""
    scope: str = ""
    """The function the fragment begins in."""
    until: int = 0
    """The offset up to which it does."""
    hidden: int = 0
    """The offset before which nothing is to be taken for a declaration."""
    continued: bool = False
    """Whether the fragment holds the rest of the heading's own signature."""


def frame(mask: bytes, heading: str) -> Frame:
    """Say what to put around a masked fragment under git's heading."""
    cut = edges(mask)
    title = heading.encode()
    after = b"\n" + cut.tail + b";"
    name = _function_name(title)
    if name and _goes_on(mask, cut, title):
        return Frame(b"void %s(" % name, after, continued=True)
    if (found := _NAMESPACE.match(title)) and b";" not in title:
        return Frame(_braces(cut.closers) + b"namespace %s {" % found.group(1), after + b"}")
    if title.rstrip().endswith(b";") or not cut.inside:
        # What is above the first line at the margin belongs to something that is not in sight.
        return Frame(_braces(cut.closers), after, hidden=cut.margin or 0 if mask[:1].isspace() else 0)
    if found := _TYPE.match(title):
        if title.rstrip().endswith((b"<", b",")) and _ARGUMENTS.match(mask):
            return Frame(hidden=len(mask))  # still among the arguments of a specialisation
        return _in_type(mask, cut, found.group(1), found.group(2), after)
    if not name and not cut.closers and not mask[:1].isspace():
        return Frame(b"", after)
    until = next((closer.offset for closer in cut.closers if not closer.indented), len(mask))
    return Frame(_body(cut.closers, b"void %s() {" % (name or b"_")), after + _ends(cut), _dots(name), until)


def _goes_on(mask: bytes, cut: Edges, title: bytes) -> bool:
    """Say whether the fragment begins in the parameters that the heading opened."""
    if title.count(b"(") <= title.count(b")") or not cut.closers or cut.closers[0].sign != b")":
        return False
    end = cut.closers[0].offset
    follows = _BODY_FOLLOWS.match(mask, end)
    if follows is None or b"{" in mask[:end] or b";" in mask[:end]:
        return False
    # Arguments of a call that ends here look like the rest of a declaration, but for the types.
    return follows.group(1) == b"{" or all(_PARAMETER.fullmatch(part) for part in mask[:end].strip(b", \n").split(b","))


def _in_type(mask: bytes, cut: Edges, keyword: bytes, name: bytes, after: bytes) -> Frame:
    """Put a fragment into the class or enum of its heading, and into a nameless method where it is one's body."""
    margin = next((index for index, closer in enumerate(cut.closers) if not closer.indented), len(cut.closers))
    outer = cut.closers[margin:]
    if outer and not _TYPE_ENDS.match(mask, outer[0].offset):
        return Frame(_braces(cut.closers), after)
    opening = _braces(outer[1:]) + b"%s %s {" % (keyword, name)
    closing = b"" if outer else b"};"
    if keyword.startswith(b"enum"):
        return Frame(opening, b"\n" + cut.tail + closing)
    nested = cut.closers[:margin]
    braces = [closer for closer in nested if closer.sign == b"}"]
    shown = surface(mask, braces[0].offset if braces else outer[0].offset if outer else len(mask))
    inner = b"".join(OPENING[closer.sign] for closer in reversed(nested))
    if braces:
        rest = mask[braces[-1].offset + 1 : outer[0].offset if outer else len(mask)]
        if not outer and _STATEMENT.search(surface(rest, len(rest))):
            return Frame(opening + b"void _() {" + inner, after + b"}" + closing)
        return Frame(opening + b"void _() " + inner, after + closing)
    if _STATEMENT.search(shown) or _indentation(shown) > _DEEP:
        return Frame(opening + b"void _() {" + inner, after + (b"" if outer else b"}") + closing)
    return Frame(opening + (b"void _(" if nested else b""), after + closing)


def _indentation(text: bytes) -> int:
    lines = [line for line in text.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    return min((len(line) - len(line.lstrip()) for line in lines), default=0)


def _braces(closers: tuple[Closer, ...] | list[Closer]) -> bytes:
    """Open what the closers close, as blocks that give no name."""
    return b'extern "C" {' * sum(closer.sign == b"}" for closer in closers)


def _body(closers: tuple[Closer, ...], opening: bytes) -> bytes:
    """Open a function's body and what the fragment closes inside it."""
    margin = [index for index, closer in enumerate(closers) if not closer.indented and closer.sign == b"}"]
    own = margin[0] if margin else len(closers)
    inner = b"".join(OPENING[closer.sign] for closer in reversed(closers[:own]))
    return _braces(closers[own + 1 :]) + opening + inner


def _ends(cut: Edges) -> bytes:
    """Close the frame's own block where the fragment does not reach its end."""
    return b"" if any(not closer.indented and closer.sign == b"}" for closer in cut.closers) else b"}"


@lru_cache(maxsize=256)
def _function_name(title: bytes) -> bytes:
    head, opened, _ = title.partition(b"(")
    if not opened or b"=" in head:
        return b""
    names = [found.group(1) for found in _FUNCTION.finditer(title)]
    return next((name for name in names if not _NOT_NAMES.match(name)), b"")


def _dots(name: bytes) -> str:
    return re.sub(r"<[^<>]*>", "", name.decode()).replace("::", ".")
