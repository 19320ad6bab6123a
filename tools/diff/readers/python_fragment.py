"""Makes a piece of Python, cut out by a hunk, parse: what began before it is opened, what ends after it is closed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tree_sitter import Node

from tools.diff.readers.python_cut import Gap, cut
from tools.diff.readers.python_declared import UNKNOWN, Owner, Place, class_kind
from tools.diff.readers.python_syntax import DEFINITIONS
from tools.diff.reading import Source, SymbolKind

HEADING: Final = re.compile(r"^\s*(?:(class)|(?:async\s+)?def)\s+(\w+)\s*(.*)$", re.DOTALL)
LEX: Final = re.compile(
    rb"\"\"\"[^\"\\]*(?:(?:\\.|\"(?!\"\"))[^\"\\]*)*\"\"\"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    rb"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|#[^\n]*|[()\[\]{}]",
    re.DOTALL,
)
STRINGS: Final = re.compile(LEX.pattern.removesuffix(rb"|[()\[\]{}]"), re.DOTALL)
NO_BRACKETS: Final = bytes(set(range(256)) - set(b"()[]{}"))
CLOSERS: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
OPENERS: Final = {opener: closer for closer, opener in CLOSERS.items()}
PARAMETER: Final = re.compile(
    rb"([ \t]+)(?:\*{1,2}\w+|\w+\s*(:[^=\n]+)?(?:=[^=][^\n]*)?|\*|/)\s*,[ \t\r]*(?:#[^\n]*)?(?:\n|\Z)"
)
ENTRY: Final = re.compile(rb"\s+(\"[^\"\n]+\"|'[^'\n]+')\s*:(\s|\Z)")
BLANK: Final = re.compile(rb"(?:[ \t\r]*(?:#[^\n]*)?\n)*")
AFTER_SIGNATURE: Final = re.compile(rb"\s*(->|:)")
BARE: Final = re.compile(r"^(?:async )?def \w+\(\)")
SHALLOW: Final = re.compile(rb"\n(?: {0,7}|\t)[^\s#]")
SMALL_INDENT: Final = re.compile(rb"\n( {1,3}+|\t{1,3}+)(?=\S)")
HEADER_END: Final = re.compile(rb"(:|=|\(|,|\[|\breturn)\s*\Z")
PREFIX: Final = re.compile(rb"(?<![\w)\]])[rfbuRFBU]{1,2}\Z")
WORDS: Final = re.compile(rb"[\w\"'`*:<{\[-]")
COMMENTED: Final = re.compile(rb"\s*(?:#|\Z)")
# What a string may stand behind and describe: a field, a constant, the end of one that has several lines.
DECLARED: Final = re.compile(
    rb"\s*(?:\w+\s*:\s*[\w.\[\]\"']+(?:\s*[|,]\s*[\w.\[\]\"']+)*\s*(?:=.*)?|\w+\s*=\s*\S.*|[)\]}]+)\s*\Z"
)
UNIT: Final = 4
"""How far a member stands in, unless the fragment shows that it is less."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The declaration around a fragment, as far as git's one line of it tells."""

    name: str = ""
    is_class: bool = False
    method: bool = False
    kind: SymbolKind = "class"
    open: str = ""
    """What the line says after the name, when its bracket is not closed on it: the fragment may be in the signature."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text that parses, and how it relates to the one that was given."""

    text: bytes
    lines_before: int = 0
    clipped: int | None = None
    """Where the given text ends, if something was added behind it."""
    heading: Heading = Heading()
    start: int = 0
    """Where the given text starts."""
    gaps: tuple[Gap, ...] = ()
    """What was left out of it."""

    def places(self, root: Node) -> tuple[list[Place], list[tuple[int, int, str]]]:
        """Say what is declared at module or class level, and how far the heading's declaration reaches."""
        unit = min((len(found[1]) for found in SMALL_INDENT.finditer(b"\n" + self.text)), default=UNIT)
        owner = self._owner()
        places: list[Place] = []
        reach: int | None = None
        for node in _flattened(root):
            column = node.start_byte - self.text.rfind(b"\n", 0, node.start_byte) - 1
            inside = node.start_byte < self.start
            if not inside and (column == 0 or (column <= unit and self.heading.method)):
                reach = node.start_byte if reach is None else reach
            if column == 0 and not inside:
                owner = None
                places.append(Place(node, None))
            elif inside or column <= unit:
                places.extend(self._indented(node, owner, inside))
        name = self.heading.name
        return places, [(0, len(self.text) if reach is None else reach, name)] if name else []

    def _owner(self) -> Owner | None:
        if self.heading.is_class:
            return Owner(self.heading.name, self.heading.kind)
        return Owner() if self.heading.method or not self.heading.name else None

    def _indented(self, node: Node, owner: Owner | None, inside: bool) -> Iterator[Place]:
        if inside:
            yield Place(node, Owner() if self.heading.method else None)
        elif owner is not None and owner.name:
            yield Place(node, owner)
        elif node.type in DEFINITIONS and b"(self" in self._signature(node):
            yield Place(node, Owner())
        elif owner is not None and not self.heading.name and node.type in DEFINITIONS:
            yield Place(node, None, conditional=True)

    def _signature(self, node: Node) -> bytes:
        definition = node.child_by_field_name("definition") or node
        params = definition.child_by_field_name("parameters")
        text = b"" if params is None else self.text[params.start_byte : params.end_byte]
        return re.sub(rb"^\(\s*(self|cls)\b", b"(self", text)


def mend(source: Source, *, cutting: bool = True) -> Mended:
    """Close and open what the cut left open; whole files are taken as they are, without what nobody asks about."""
    if source.whole:
        text, gaps = cut(source.text, source.near) if cutting and source.near is not None else (source.text, ())
        return Mended(text, gaps=gaps)
    heading = read_heading(source.heading)
    if BARE.search(source.heading) and not SHALLOW.search(b"\n" + source.text):
        # Git prints such a line without its indentation: mostly a helper inside a method, and it may have ended.
        heading = Heading()
    before, after = _string_ends(source.text, bool(heading.name))
    # Where a text begins in a string, what looks like one is code.
    given, gaps = cut(source.text, None) if cutting and not before else (source.text, ())
    opening, closing = _brackets(before + given + after, heading)
    before, after = opening + before, after + closing
    start = len(before)
    end = start + len(given)
    return Mended(before + given + after, before.count(b"\n"), end if after else None, heading, start, gaps)


@lru_cache(maxsize=256)
def read_heading(line: str) -> Heading:
    """Read the declaration that git prints behind `@@`."""
    found = HEADING.match(line)
    if found is None:
        return Heading()
    rest = found[3]
    unclosed = rest.startswith("(") and rest.count("(") > rest.count(")")
    method = not found[1] and bool(re.match(r"\(\s*(self|cls)\b", rest))
    kept = rest if rest.rstrip().endswith((",", "(")) else rest[: rest.rfind(",") + 1] or "("
    bases = tuple(base.strip() for base in rest.partition(")")[0].lstrip("(").split(",")) if found[1] else ()
    return Heading(found[2], bool(found[1]), method, class_kind(bases, ()), kept if unclosed else "")


def begins_inside(text: bytes, heading: Heading) -> bool:
    """Say whether a text begins with the parameters of its heading, or with an entry of a dictionary."""
    code = text[BLANK.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty string too
    return ENTRY.match(code) is not None or (bool(heading.open) and _in_signature(code))


def _string_ends(text: bytes, within: bool) -> tuple[bytes, bytes]:
    """Give the quotes that are missing before or behind a text that begins or ends inside a long string."""
    for quote in (b'"""', b"'''"):
        count = text.count(quote)
        if not count:
            continue
        lead, _, rest = text.partition(quote)
        even = count % 2 == 0
        if _opens(lead, rest, certain=even or not within):
            return (b"", b"") if even else (b"", b"\n" + quote)
        return quote + b"\n", b"\n" + quote if even else b""
    return b"", b""


def _opens(lead: bytes, rest: bytes, *, certain: bool) -> bool:
    """Say whether the first quotes of a text open a string; `certain` answers where nothing stands before them."""
    line = PREFIX.sub(b"", lead[lead.rfind(b"\n") + 1 :].strip())
    if line:
        return bool(HEADER_END.search(line))
    if WORDS.match(rest):
        return True
    before = [text for text in lead[: lead.rfind(b"\n") + 1].splitlines() if not COMMENTED.match(text)]
    if not before:
        return certain
    return bool(HEADER_END.search(before[-1]) or DECLARED.match(before[-1]))


def _brackets(text: bytes, heading: Heading) -> tuple[bytes, bytes]:
    """Give the openers missing before a text and the closers missing behind it."""
    if _is_balanced(text):
        opening, closing = _openers(text, [], heading)
        return opening, b"\n" + closing if closing else b""
    pending: list[tuple[bytes, int]] = []
    missing: list[tuple[bytes, int]] = []
    for found in LEX.finditer(text):
        piece = found[0]
        if piece in OPENERS:
            pending.append((piece, found.start()))
        elif piece in CLOSERS:
            if pending and pending[-1][0] == CLOSERS[piece]:
                pending.pop()
            elif not pending:
                missing.append((piece, found.end()))
    closing = b"".join(OPENERS[piece] for piece, _ in reversed(pending))
    if pending and re.match(rb"\s*(async\s+def|def|class)\b", text[text.rfind(b"\n", 0, pending[0][1]) + 1 :][:200]):
        closing += b": ..."
    opening, more = _openers(text, missing, heading)
    return opening, (b"\n" + closing + more if closing + more else b"")


def _is_balanced(text: bytes) -> bool:
    """Say, faster than by going from bracket to bracket, that each one has its partner."""
    if b'"' in text or b"'" in text or b"#" in text:
        text = STRINGS.sub(b"", text)
    left, size = text.translate(None, NO_BRACKETS), -1
    while len(left) != size:
        size = len(left)
        left = left.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
    return not left


def _openers(text: bytes, missing: list[tuple[bytes, int]], heading: Heading) -> tuple[bytes, bytes]:
    code = text[BLANK.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty string too
    if not missing:
        if heading.open and _in_signature(code):
            return _signature(heading), b"): ..."
        return (UNKNOWN.encode() + b" = {\n", b"}") if ENTRY.match(code) else (b"", b"")
    *inner, (outer, end) = missing
    rest = b"".join({b")": b"_(", b"]": b"[", b"}": b"{"}[piece] for piece, _ in reversed(inner))
    # `):` closes a condition as well, but no condition is made of lines that end with a comma.
    if outer == b")" and AFTER_SIGNATURE.match(text, end) and _in_signature(code):
        return _signature(heading) + rest + (b"\n" if rest else b""), b""
    if outer == b"}":
        return UNKNOWN.encode() + b" = {" + rest + b"\n", b""
    return {b")": b"_(", b"]": b"["}[outer] + rest + b"\n", b""


def _in_signature(code: bytes) -> bool:
    """Say whether a text begins with parameters; arguments of a call in the body stand deeper and have no types."""
    at = 0
    while found := PARAMETER.match(code, at):
        if found[2] or len(found[1].expandtabs(UNIT)) <= UNIT:
            return True
        at = found.end()
    return False


def _signature(heading: Heading) -> bytes:
    if not heading.open:
        return f"def {UNKNOWN}(\n".encode()
    return f"{'class' if heading.is_class else 'def'} {heading.name}{heading.open}\n".encode()


def _flattened(root: Node) -> Iterator[Node]:
    """List the statements at the top, those that stand in an error's place too."""
    stack = root.named_children[::-1]
    while stack:
        node = stack.pop()
        if node.type == "ERROR":
            stack.extend(reversed(node.named_children))
        elif node.type != "comment":
            yield node
