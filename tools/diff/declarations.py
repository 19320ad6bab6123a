"""What one version of a file declares, found by the tree-sitter queries of its language."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "go": ("tree_sitter_go", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
_ECMASCRIPT = ("ecmascript", "typescript")
_QUERIES = {
    "javascript": ("ecmascript", "javascript"),
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
}
"""The folders of queries of a language where it shares them with another one."""
_CUDA = re.compile(
    rb"\b__(?:global|device|host|forceinline|noinline|shared|constant)__\b|\b__launch_bounds__\([^()\n]*\)"
)
_EXTENSIONS = {
    "python": "py pyi",
    "cpp": "c cc cpp cxx h hh hpp hxx inl cu cuh",
    "rust": "rs",
    "go": "go",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts",
    "tsx": "tsx",
}
_BY_EXTENSION = {
    extension: name for name, all_of in _EXTENSIONS.items() for extension in all_of.split()
}


@dataclass(frozen=True)
class Language:
    """A grammar with all of its queries as one."""

    name: str
    grammar: Grammar

    @cached_property
    def query(self) -> Query:
        """The queries, compiled when they are first needed; those of C++ take a second."""
        texts = []
        for file in _query_files(self.name):
            texts.append(file.read_text("utf-8"))
        return Query(self.grammar, "\n".join(texts))

    def parse(self, text: bytes) -> Node:
        """Parse a text; what does not fit the grammar becomes error nodes, which no query looks into."""
        if self.name == "cpp" and b"__" in text:
            # The grammar of C++ does not know what CUDA marks functions with; blanks keep every place where it is.
            text = _CUDA.sub(lambda found: b" " * len(found[0]), text)
        return Parser(self.grammar).parse(text).root_node


def language_of(path: str) -> Language | None:
    """Choose the language of a file by its extension; None where no grammar reads it."""
    name = _BY_EXTENSION.get(path.rpartition(".")[2].lower())
    return _language(name) if name else None


@lru_cache
def _language(name: str) -> Language:
    module, function = _GRAMMARS[name]
    grammar = Grammar(getattr(import_module(module), function)())
    return Language(name, grammar)


def _query_files(language: str) -> list[Traversable]:
    """Return the files with the queries of a language, in the order of their names."""
    query_files: list[Traversable] = []
    for folder in _QUERIES.get(language, (language,)):
        for file in files("tools.diff").joinpath("queries", folder).iterdir():
            if file.name.endswith(".scm"):
                query_files.append(file)
    return sorted(query_files, key=lambda file: file.name)


SCOPES = (
    "namespace",
    "class",
    "enum",
    "function",
)  # Kinds of declaration that other declarations stand in
Range = tuple[int, int]  # First and last line, both included, counted from 1
_MORE_GENERAL = {"enum": ("class",), "member": ("constant", "field"), "env": ("constant", "field")}
"""Of two declarations of one name the more general one is left out."""
_WORDS = ("message", "help")
_STRING = re.compile(r"\"\"\"(.*?)\"\"\"|\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'")
_LONGEST = 2_000  # Characters kept of one captured part; a longer one is compared by its beginning and its length
_UNFINISHED = 256
"""Matches that a query may have begun at once. Code needs fewer than 64; without a limit, a list of a thousand equal
items takes minutes."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One thing that a file declares.

    A capture `@flag` in a query makes a declaration of the kind `flag`; captures such as `@flag.name` and
    `@flag.default` make its name and its parts.
    """

    kind: str
    name: str  # As users write it: a flag with its dashes, a member without its class
    first: int
    last: int
    line: int = 0  # The line that has the name
    owner: str = (
        ""  # The names of the classes, namespaces and functions around it, with dots between them
    )
    parts: Mapping[str, str] = field(default_factory=dict)
    """Further captures by name: default, type, value, base, message, condition, choices, help."""
    local: bool = False  # Whether it stands inside the body of a function
    position: int = 0  # Its place among declarations of the same kind and owner
    source: bytes = b""  # The whole file, and where in it the declaration stands
    start: int = 0
    end: int = 0

    @property
    def is_scope(self) -> bool:
        """Whether other declarations can stand in it."""
        return self.kind in SCOPES

    @property
    def path(self) -> str:
        """Its name behind the names of what it stands in."""
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @property
    def text(self) -> str:
        """The whole declaration without its own name and without white space; equal for what was only renamed."""
        whole = self.source[self.start : self.end].decode("utf-8", "replace")
        bare = self.name.lstrip("-") if self.kind == "flag" else self.name
        for name in filter(None, (bare, bare.replace("-", "_"))):
            whole = whole.replace(name, "\0")
        return "".join(whole.split())


def read_declarations(
    text: bytes, language: Language, ranges: Sequence[Range] = (), root: Node | None = None
) -> list[Declaration]:
    """Run the queries of a language over a text; with ranges, only over what these lines touch."""
    root = root or language.parse(text)
    matches: dict[tuple[str, int, int], _Match] = {}
    for start, end in ranges or ((1, text.count(b"\n") + 1),):
        cursor = QueryCursor(language.query, match_limit=_UNFINISHED)
        cursor.set_point_range((max(start - 1, 0), 0), (end, 0))
        for _, captures in cursor.matches(root):
            if found := _match(captures):
                matches.setdefault(found.key, found).add(captures)
    _complete(matches)
    for kind, start, end in tuple(matches):
        # A class of members is an enumeration, an assignment to a variable that is read is that variable.
        for general in _MORE_GENERAL.get(kind, ()):
            matches.pop((general, start, end), None)
    return _declared(text, sorted(matches.values(), key=lambda one: one.order))


@dataclass(slots=True)
class _Match:
    """One node that queries found, with the nodes of its parts by their places."""

    kind: str
    node: Node
    name: Node | None
    captured: dict[str, dict[Range, Node]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int]:
        at = self.name or self.node
        return (self.kind, at.start_byte, at.end_byte)

    @property
    def order(self) -> tuple[int, int, bool]:
        """Outer ones come first; of two with the same span the scope comes last, as the other one names it."""
        return (self.node.start_byte, -self.node.end_byte, self.kind in SCOPES)

    @property
    def first(self) -> int:
        """The first line, with a condition or a default that stands above: an `if`, an attribute of a field."""
        above = (
            node
            for part in ("condition", "default")
            for node in self.captured.get(part, {}).values()
        )
        return min(node.start_point[0] for node in (self.node, *above)) + 1

    @property
    def line(self) -> int:
        """The line with the name, where that stands inside; a decorator names what stands below it."""
        inside = (
            self.name is not None
            and self.node.start_byte <= self.name.start_byte < self.node.end_byte
        )
        return ((self.name if inside else None) or self.node).start_point[0] + 1

    def add(self, captures: Mapping[str, list[Node]]) -> None:
        for capture, nodes in captures.items():
            kind, _, part = capture.partition(".")
            if kind == self.kind and part not in ("", "name"):
                self.captured.setdefault(part, {}).update(
                    {(one.start_byte, one.end_byte): one for one in nodes}
                )

    def parts(self, source: bytes) -> dict[str, str]:
        joined = {
            part: _joined([node for _, node in sorted(at.items())], source)
            for part, at in self.captured.items()
        }
        return {part: words_of(text) if part in _WORDS else text for part, text in joined.items()}


def _complete(matches: dict[tuple[str, int, int], _Match]) -> None:
    """Give the parts that were found without a name to the declaration that has the same node and a name."""
    named = {
        (one.kind, one.node.start_byte, one.node.end_byte): one
        for one in matches.values()
        if one.name
    }
    for key, one in tuple(matches.items()):
        if one.name is None and (whole := named.get(key)):
            for part, nodes in one.captured.items():
                whole.captured.setdefault(part, {}).update(nodes)
            del matches[key]


def _match(captures: Mapping[str, list[Node]]) -> _Match | None:
    kind = next(
        (capture for capture in captures if "." not in capture and not capture.startswith("_")),
        None,
    )
    if kind is None or (kind == "env" and _is_assigned(captures[kind][0])):
        return None
    names = captures.get(f"{kind}.name")
    return _Match(kind, captures[kind][0], names[0] if names else None)


def _is_assigned(node: Node) -> bool:
    """Return True for an environment variable that code sets for others instead of reading it."""
    statement = node.parent
    if statement is None or statement.type not in ("assignment", "delete_statement"):
        return False
    left = statement.child_by_field_name("left")
    return left is None or left.id == node.id


def _declared(text: bytes, matches: Iterable[_Match]) -> list[Declaration]:
    """Name each match by what it stands in; matches come in the order of the text, outer ones first."""
    found: list[Declaration] = []
    around: list[tuple[_Match, str, bool, bool]] = []
    counts: dict[tuple[str, str], int] = {}
    for match in matches:
        while around and around[-1][0].node.end_byte <= match.node.start_byte:
            around.pop()
        if match.kind == "parameter" and not (around and _is_parameter_of(match, around[-1][0])):
            continue
        owner, local, own = around[-1][1:] if around else ("", False, False)
        # A parameter is as local as its function.
        local = own if match.kind == "parameter" else local
        # A warning that has no name of its own is named by what it stands in.
        name = unquoted(_text(match.name)) if match.name else owner.rpartition(".")[2]
        if match.kind == "registration":
            # An operator is registered with its signature: `add(Tensor a) -> Tensor`.
            name = name.partition("(")[0]
        elif match.kind == "flag" and match.name and name[:1] != "-":
            # Go and Rust name an option without its dashes; of a field clap makes one with dashes.
            name = f"--{name.replace('_', '-') if match.name.type == 'field_identifier' else name}"
        parts = match.parts(text)
        owner = parts.pop("owner", owner)
        position = counts[match.kind, owner] = counts.get((match.kind, owner), -1) + 1
        one = Declaration(
            kind=match.kind,
            name=name,
            first=match.first,
            last=match.node.end_point[0] + (match.node.end_point[1] > 0),
            line=match.line,
            owner=owner,
            parts=parts,
            local=local,
            position=position,
            source=text,
            start=match.node.start_byte,
            end=match.node.end_byte,
        )
        found.append(one)
        if match.kind in SCOPES:
            around.append(
                (match, one.path if name else owner, local or match.kind == "function", local)
            )
    return found


def _is_parameter_of(parameter: _Match, scope: _Match) -> bool:
    """Return True if a scope is a named function and the parameter one of its own.

    Not one of a lambda in its body, nor one of a function whose name is outside of the hunk.
    """
    if scope.kind != "function" or scope.name is None:
        return False
    node = parameter.node
    while node.id != scope.node.id and node.parent is not None:
        body = node.parent.child_by_field_name("body")
        if body is not None and body.id == node.id:
            return False
        node = node.parent
    return True


def _joined(nodes: Sequence[Node], source: bytes) -> str:
    """Join captures with commas; those with only white space between them, like `const T *`, are one text."""
    texts: list[str] = []
    for at, node in enumerate(nodes):
        between = source[nodes[at - 1].end_byte : node.start_byte] if at else b","
        if between.strip():
            texts.append(_text(node))
        else:
            texts[-1] += (" " if between else "") + _text(node)
    return ", ".join(dict.fromkeys(texts))


def _text(node: Node) -> str:
    """Give the source of a node on one line, without comments and the white space that only lays it out."""
    source = node.text or b""
    for comment in _comments(node) if b"\n" in source else ():
        start, end = comment.start_byte - node.start_byte, comment.end_byte - node.start_byte
        source = source[:start] + b" " * (end - start) + source[end:]
    raw = source.decode("utf-8", "replace")
    text = " ".join(raw.split()) if "\n" in raw else raw.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…{len(text)}"


def _comments(node: Node) -> Iterator[Node]:
    waiting = [*node.children]
    while waiting:
        inner = waiting.pop()
        if "comment" in inner.type:
            yield inner
        else:
            waiting += inner.children


def unquoted(text: str) -> str:
    """Take the quotation marks and prefixes off a written string."""
    for quote in ('"""', "'''", '"', "'", "`"):
        at = text.find(quote)
        if 0 <= at <= 2 and text.endswith(quote) and len(text) >= at + 2 * len(quote):
            return text[at + len(quote) : -len(quote)]
    return text


def words_of(text: str) -> str:
    """Join the written strings of an expression: what a message says; an expression without strings stays as it is."""
    pieces = ["".join(found) for found in _STRING.findall(text)]
    return " ".join("".join(pieces).split()) if any(pieces) else text
