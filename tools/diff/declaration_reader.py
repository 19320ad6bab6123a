"""The declarations in a version of a file, by the tree-sitter queries of its language."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

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
_LANGUAGE_BY_EXTENSION = {
    "py": "python",
    "pyi": "python",
    "c": "cpp",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "h": "cpp",
    "hh": "cpp",
    "hpp": "cpp",
    "hxx": "cpp",
    "inl": "cpp",
    "cu": "cpp",
    "cuh": "cpp",
    "rs": "rust",
    "go": "go",
    "js": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "ts": "typescript",
    "mts": "typescript",
    "tsx": "tsx",
}
_MIN_FILE = 2_000  # Bytes of a text that is worth keeping its tree
_MAX_TREES_KEPT = 16


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
        """Return the tree of a text; what does not fit the grammar is in error nodes."""
        if self.name == "cpp" and b"__" in text:
            # The grammar of C++ does not know the marks of CUDA; blanks keep every offset.
            text = _CUDA.sub(lambda mark: b" " * len(mark[0]), text)
        return self.parse_literally(text)

    def parse_literally(self, text: bytes) -> Node:
        """Return the tree of a text with everything that is written in it, the marks of CUDA too."""
        if len(text) < _MIN_FILE:
            return Parser(self.grammar).parse(text).root_node
        return _file_tree(self.name, text)


def language_of(path: str) -> Language | None:
    """Return the language of a file by its extension; None where no grammar reads it."""
    name = language_name(path)
    return _language(name) if name else None


def language_name(path: str) -> str:
    """Return the name of the language of a file by its extension; empty where no grammar reads it."""
    extension = path.rpartition(".")[2].lower()
    return _LANGUAGE_BY_EXTENSION.get(extension, "")


@lru_cache(_MAX_TREES_KEPT)
def _file_tree(language: str, text: bytes) -> Node:
    """Return the tree of a whole file: what reads it one after the other parses it once."""
    return Parser(_language(language).grammar).parse(text).root_node


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


SCOPES = ("namespace", "class", "enum", "function")
"""Kinds of declaration that other declarations stand in."""
Range = tuple[int, int]  # First and last line, both included, counted from 1
_MORE_GENERAL = {"enum": ("class",), "member": ("constant", "field"), "env": ("constant", "field")}
"""Of two declarations of one name the more general one is left out."""
_WORD_PARTS = ("message", "help")
_STRING = re.compile(r"\"\"\"(.*?)\"\"\"|\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'")
_MAX_PART = 2_000
"""Characters kept of a captured part; a longer one is compared by its beginning and its length."""
_MAX_UNFINISHED = 256
"""Matches that a query may have begun at once.

Code needs fewer than 64; without a limit, a list of a thousand equal items takes minutes.
"""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One thing that a file declares.

    A capture `@flag` in a query makes a declaration of the kind `flag`; captures such as
    `@flag.name` and `@flag.default` make its name and its parts.
    """

    kind: str
    name: str  # As users write it: a flag with its dashes, a member without its class
    first: int
    last: int
    line: int = 0  # The line that has the name
    owner: str = ""  # The dotted names of the classes, namespaces and functions around it
    parts: Mapping[str, str] = field(default_factory=dict)
    """Further captures by name: default, type, value, base, message, condition, choices, help."""
    local: bool = False  # Whether it stands inside the body of a function
    position: int = 0  # Its place among declarations of the same kind and owner
    source: bytes = b""  # The whole file, and where in it the declaration stands
    start: int = 0
    end: int = 0

    @property
    def is_scope(self) -> bool:
        """True if other declarations can be inside it."""
        return self.kind in SCOPES

    @property
    def path(self) -> str:
        """Its name behind the names of what it stands in."""
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @property
    def text(self) -> str:
        """The declaration without its own name and white space; equal for what was only renamed."""
        text = self.source[self.start : self.end].decode("utf-8", "replace")
        bare_name = self.name.lstrip("-") if self.kind == "flag" else self.name
        for name in filter(None, (bare_name, bare_name.replace("-", "_"))):
            text = text.replace(name, "\0")
        return "".join(text.split())


def read_declarations(
    text: bytes, language: Language, ranges: Sequence[Range] = (), root: Node | None = None
) -> list[Declaration]:
    """Return what a text declares; with ranges, only what these lines touch."""
    root = root or language.parse(text)
    matches: dict[tuple[str, int, int], _Match] = {}
    for start, end in ranges or ((1, text.count(b"\n") + 1),):
        cursor = QueryCursor(language.query, match_limit=_MAX_UNFINISHED)
        cursor.set_point_range((max(start - 1, 0), 0), (end, 0))
        for _, captures in cursor.matches(root):
            match = _match(captures)
            if match is not None:
                matches.setdefault(match.key, match).add(captures)
    _join_nameless(matches)
    for kind, start, end in tuple(matches):
        # A class of members is an enumeration, an assignment to a variable that is read is that variable.
        for general in _MORE_GENERAL.get(kind, ()):
            matches.pop((general, start, end), None)
    ordered = sorted(matches.values(), key=lambda match: match.order)
    return _Declarations(text).read(ordered)


@dataclass(slots=True)
class _Match:
    """A node that queries match, with the nodes of its parts by their offsets."""

    kind: str
    node: Node
    name: Node | None
    captured: dict[str, dict[Range, Node]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int]:
        node = self.name or self.node
        return (self.kind, node.start_byte, node.end_byte)

    @property
    def order(self) -> tuple[int, int, bool]:
        """Outer ones come first; of two with the same span the scope comes last, as the other one names it."""
        return (self.node.start_byte, -self.node.end_byte, self.kind in SCOPES)

    @property
    def first(self) -> int:
        """The first line, with a condition or a default that stands above it, as an `if`."""
        nodes = [self.node]
        nodes += self.captured.get("condition", {}).values()
        nodes += self.captured.get("default", {}).values()
        return min(node.start_point[0] for node in nodes) + 1

    @property
    def line(self) -> int:
        """The line with the name, where that stands inside; a decorator names what stands below it."""
        node = self.node
        if self.name is not None and node.start_byte <= self.name.start_byte < node.end_byte:
            node = self.name
        return node.start_point[0] + 1

    def add(self, captures: Mapping[str, list[Node]]) -> None:
        for capture, nodes in captures.items():
            kind, _, part = capture.partition(".")
            if kind == self.kind and part not in ("", "name"):
                nodes_by_offset = {(node.start_byte, node.end_byte): node for node in nodes}
                self.captured.setdefault(part, {}).update(nodes_by_offset)

    def parts(self, source: bytes) -> dict[str, str]:
        """Return the text of each part, in the order of the source."""
        parts: dict[str, str] = {}
        for part, nodes_by_offset in self.captured.items():
            nodes = [node for _, node in sorted(nodes_by_offset.items())]
            text = _joined(nodes, source)
            parts[part] = words_of(text) if part in _WORD_PARTS else text
        return parts


def _join_nameless(matches: dict[tuple[str, int, int], _Match]) -> None:
    """Move parts that were captured without a name to the match of the same node with a name."""
    matches_by_node: dict[tuple[str, int, int], _Match] = {}
    for match in matches.values():
        if match.name:
            matches_by_node[match.kind, match.node.start_byte, match.node.end_byte] = match
    for key, match in tuple(matches.items()):
        if match.name is not None or key not in matches_by_node:
            continue
        for part, nodes in match.captured.items():
            matches_by_node[key].captured.setdefault(part, {}).update(nodes)
        del matches[key]


def _match(captures: Mapping[str, list[Node]]) -> _Match | None:
    for kind in captures:
        if "." in kind or kind.startswith("_"):
            continue
        node = captures[kind][0]
        if kind == "env" and _is_assigned(node):
            return None
        names = captures.get(f"{kind}.name")
        return _Match(kind, node, names[0] if names else None)
    return None


def _is_assigned(node: Node) -> bool:
    """Return True for an environment variable that code sets for others instead of reading it."""
    statement = node.parent
    if statement is None or statement.type not in ("assignment", "delete_statement"):
        return False
    left = statement.child_by_field_name("left")
    return left is None or left.id == node.id


class _Scope(NamedTuple):
    """A declaration around others."""

    match: _Match
    path: str
    is_local: bool  # Whether it stands inside the body of a function
    has_local_content: bool


class _Declarations:
    """Names matches by what they stand in."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._scopes: list[_Scope] = []  # The innermost last
        self._counts: Counter[tuple[str, str]] = Counter()

    def read(self, matches: Iterable[_Match]) -> list[Declaration]:
        """Return the declarations of matches, which come in the order of the text, outer ones first."""
        declarations: list[Declaration] = []
        for match in matches:
            while self._scopes and self._scopes[-1].match.node.end_byte <= match.node.start_byte:
                self._scopes.pop()
            scope = self._scopes[-1] if self._scopes else None
            if match.kind == "parameter" and not (scope and _is_parameter_of(match, scope.match)):
                continue
            declaration = self._declaration(match, scope)
            declarations.append(declaration)
            if match.kind in SCOPES:
                self._scopes.append(_scope(match, declaration))
        return declarations

    def _declaration(self, match: _Match, scope: _Scope | None) -> Declaration:
        parts = match.parts(self._text)
        around = scope.path if scope else ""
        owner = parts.pop("owner", around)
        family = (match.kind, owner)
        position = self._counts[family]
        self._counts[family] += 1
        return Declaration(
            kind=match.kind,
            name=_declared_name(match, around),
            first=match.first,
            last=match.node.end_point[0] + (match.node.end_point[1] > 0),
            line=match.line,
            owner=owner,
            parts=parts,
            local=_is_local(match, scope),
            position=position,
            source=self._text,
            start=match.node.start_byte,
            end=match.node.end_byte,
        )


def _is_local(match: _Match, scope: _Scope | None) -> bool:
    if scope is None:
        return False
    # A parameter is as local as its function.
    return scope.is_local if match.kind == "parameter" else scope.has_local_content


def _scope(match: _Match, declaration: Declaration) -> _Scope:
    return _Scope(
        match,
        path=declaration.path if declaration.name else declaration.owner,
        is_local=declaration.local,
        has_local_content=declaration.local or match.kind == "function",
    )


def _declared_name(match: _Match, around: str) -> str:
    """Return the name as users write it; without one of its own, that of what it stands in."""
    name = around.rpartition(".")[2]
    if match.name is not None:
        name = unquoted(_text(match.name))
    if match.kind == "registration":
        # An operator is registered with its signature: `add(Tensor a) -> Tensor`.
        return name.partition("(")[0]
    if match.kind == "flag" and match.name and name[:1] != "-":
        # Go and Rust name an option without its dashes; of a field clap makes one with dashes.
        is_field = match.name.type == "field_identifier"
        return f"--{name.replace('_', '-') if is_field else name}"
    return name


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
    """Return captures with commas between them.

    Those with only white space between them, like `const T *`, are one text.
    """
    texts: list[str] = []
    end: int | None = None
    for node in nodes:
        between = b"," if end is None else source[end : node.start_byte]
        if between.strip():
            texts.append(_text(node))
        else:
            texts[-1] += (" " if between else "") + _text(node)
        end = node.end_byte
    return ", ".join(dict.fromkeys(texts))


def _text(node: Node) -> str:
    """Return the source of a node on one line, without comments and layout."""
    source = node.text or b""
    if b"\n" in source:
        for comment in _comments(node):
            start = comment.start_byte - node.start_byte
            end = comment.end_byte - node.start_byte
            source = source[:start] + b" " * (end - start) + source[end:]
    text = source.decode("utf-8", "replace")
    text = " ".join(text.split()) if "\n" in text else text.strip()
    return text if len(text) <= _MAX_PART else f"{text[:_MAX_PART]}…{len(text)}"


def _comments(node: Node) -> Iterator[Node]:
    waiting = [*node.children]
    while waiting:
        inner = waiting.pop()
        if "comment" in inner.type:
            yield inner
        else:
            waiting += inner.children


def unquoted(text: str) -> str:
    """Return a written string without its quotation marks and prefixes."""
    for quote in ('"""', "'''", '"', "'", "`"):
        start = text.find(quote)
        is_closed = text.endswith(quote) and len(text) >= start + 2 * len(quote)
        if 0 <= start <= 2 and is_closed:
            return text[start + len(quote) : -len(quote)]
    return text


def words_of(text: str) -> str:
    """Return the joined strings of an expression; an expression without strings stays as it is."""
    strings = ["".join(groups) for groups in _STRING.findall(text)]
    if not any(strings):
        return text
    return " ".join("".join(strings).split())
