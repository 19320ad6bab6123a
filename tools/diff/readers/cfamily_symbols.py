"""The symbols of a C, C++ or CUDA syntax tree."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from tools.diff.readers import cfamily_declarators as declarators
from tools.diff.readers import syntax
from tools.diff.readers.bones import Bones
from tools.diff.readers.cfamily_marks import Marks
from tools.diff.readers.masked import Masked
from tools.diff.reading import Late, Param, Special, Symbol, SymbolKind
from tools.diff.values import nameless, parameter_names

_CLASSES: dict[str, SymbolKind] = {
    "class_specifier": "class",
    "struct_specifier": "struct",
    "union_specifier": "struct",
}
_TRANSPARENT = frozenset({"translation_unit", "declaration_list", "linkage_specification", "ERROR"})
_HIDDEN = re.compile(r"^_|^(?:.*_)?(?:details?|internal|impl|utils?|helpers?)$")
MAX_VALUE = 300
_KEYWORDS = {"if", "for", "while", "switch", "return", "constexpr", "else", "sizeof", "decltype", "catch"}
_MACRO = re.compile(r"^[A-Z][A-Z0-9_]+$")
_OPENED = re.compile(rb"\bnamespace\b\s*([\w:]*)\s*\{")
_BRACKET = re.compile(rb"[{}]")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu")


class Space(NamedTuple):
    """A namespace, from its opening bracket to the closing one; one without a name is its file's own."""

    start: int
    end: int
    name: str


def spaces(text: bytes) -> list[Space]:
    """Find the namespaces of a text by its brackets alone, the outer ones first; none where they do not pair."""
    opened = {found.end() - 1: found.group(1).decode() for found in _OPENED.finditer(text)}
    found: list[Space] = []
    held: list[int] = []
    for bracket in _BRACKET.finditer(text) if opened else ():
        if bracket.group() == b"{":
            held.append(bracket.start())
        elif not held:
            return []
        elif (start := held.pop()) in opened:
            found.append(Space(start, bracket.start(), opened[start]))
    return [] if held else sorted(found)


class _Place(NamedTuple):
    """Where a node stands: inside which names, what has the innermost, who sees it, where its template begins."""

    names: tuple[str, ...] = ()
    owner: str = ""
    public: bool = True
    start: Node | None = None
    special: Special | None = None
    space: tuple[str, ...] = ()
    """The namespace, whatever classes are open: a friend is a function of it."""
    guessed: bool = False
    """In a class whose access sections lie outside the fragment: methods count as public, data does not."""


class SymbolReader:
    """Reads the symbols of one tree; `shift` is how far the whole of the bones is ahead of the masked text."""

    def __init__(
        self, masked: Masked, bones: Bones, path: str, shift: int = 0, continued: bool = False, whole: bool = True
    ) -> None:
        self._masked = masked
        self._bones = bones
        self._text = bones.text
        self._shift = shift
        self._framed = not whole
        self._from = 0 if continued else shift
        self._source_file = path.endswith(_SOURCES)
        self._marks = Marks(masked.mask)
        self._spaces: list[Space] = []
        self.imports: set[str] = set()
        """Names that a declaration takes over from another namespace: `using other::name;`."""
        self.generics: set[str] = set()
        """What templates call their parameters."""

    def read(self, root: Node) -> list[Symbol]:
        """Return every symbol, in the order of the file."""
        found: list[Symbol] = []
        stack = [(root, _Place())]
        if root.has_error and not self._framed:
            self._spaces = spaces(self._text)
        while stack:
            node, place = stack.pop()
            stack.extend(reversed(list(self._enter(node, place, found))))
        return [symbol for symbol in found if symbol.start > 0]

    def _enter(self, node: Node, place: _Place, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        """Note what the node declares and give the nodes inside it that may declare more."""
        kind = node.type
        if kind in _TRANSPARENT:
            yield from ((child, self._housed(child, place)) for child in node.named_children)
        elif kind == "friend_declaration":
            outer = place._replace(names=place.space, owner="", special=None)
            yield from ((child, outer) for child in node.named_children)
        elif kind == "template_declaration":
            inner = place._replace(start=place.start or node)
            self.generics.update(parameter_names(self._template(place._replace(start=node))))
            yield from ((child, inner) for child in node.named_children[1:])
        elif kind == "namespace_definition":
            yield from self._namespace(node, place)
        elif kind in ("function_definition", "declaration", "field_declaration"):
            yield from self._declaration(node, place, found)
        elif kind == "type_definition":
            yield from self._typedef(node, place, found)
        elif kind in _CLASSES or kind == "enum_specifier":
            yield from self._type(node, place, found, node)
        elif kind == "using_declaration":
            self._import(node, place)
        elif kind in ("alias_declaration", "concept_definition"):
            self._alias(node, place, found)
        elif kind == "enumerator":
            value = node.child_by_field_name("value")
            name = node.child_by_field_name("name")
            if name is not None:
                found.append(self._symbol(node, place, "member", self._fold(name), value=self._maybe(value)))

    def _namespace(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is None:
            return
        if name is None:
            inner = place._replace(public=False)
        else:
            parts = tuple(part.strip() for part in self._fold(name).removeprefix("inline ").split("::"))
            hidden = any(_HIDDEN.search(part) for part in parts)
            names = place.names + parts
            inner = place._replace(names=names, space=names, public=place.public and not hidden)
        yield from ((child, self._housed(child, inner)) for child in body.named_children)

    def _housed(self, node: Node, place: _Place) -> _Place:
        """Correct the namespace of what stands in no class, where the tree has lost its way among the brackets."""
        if not self._spaces or place.owner or place.names != place.space:
            return place
        around = [space.name for space in self._spaces if space.start < node.start_byte < space.end]
        names = tuple(part for name in around for part in name.split("::") if part)
        public = all(around) and not any(map(_HIDDEN.search, names))
        return place._replace(names=names, space=names, public=public)

    def _type(
        self, node: Node, place: _Place, found: list[Symbol], whole: Node, alias: str = ""
    ) -> Iterator[tuple[Node, _Place]]:
        """Note a class, struct, union or enum that has a body; `alias` names one that a typedef declares."""
        body, name_node = node.child_by_field_name("body"), node.child_by_field_name("name")
        template = self._template(place)
        specialised = name_node is not None and name_node.type == "template_type"
        if body is None:
            if name_node is not None and not specialised and "=" in template:
                name, kind = self._dotted(name_node), _CLASSES.get(node.type, "enum")
                found.append(self._symbol(whole, place, kind, name, decorators=(template,))._replace(announced=True))
            return
        name = self._dotted(name_node) if name_node is not None else alias
        if specialised and name_node is not None and template == "template <>":
            # What is said of one set of arguments is a thing of its own beside the template.
            name += self._fold(name_node.child_by_field_name("arguments") or name_node).replace(".", " ")
        elif specialised and name_node is not None and place.special is None:
            arguments = self._fold(name_node.child_by_field_name("arguments") or name_node).replace(".", " ")
            likened = nameless(arguments, parameter_names(template))
            place = place._replace(special=Special(".".join((*place.names, name)), arguments, likened))
        inner = place._replace(start=None, owner=node.type)
        if name:
            kind = _CLASSES.get(node.type, "enum")
            # Nobody gives the parameters of a specialisation: they are found from those of the template.
            given = (template,) if template and not specialised else ()
            symbol = self._symbol(
                whole,
                place,
                kind,
                name,
                body=body,
                bases=tuple(map(self._fold, declarators.bases_of(node))),
                decorators=given,
            )
            found.append(symbol)
            inner = inner._replace(names=(*place.names, *name.split(".")), public=symbol.public)
        visible = inner.public
        if node.type == "class_specifier":
            framed = node.start_byte < self._shift
            inner = inner._replace(public=visible and framed, guessed=framed)
        for child in body.named_children:
            if child.type == "access_specifier":
                inner = inner._replace(public=visible and child.text == b"public", guessed=False)
            else:
                yield child, inner

    def _declaration(self, node: Node, place: _Place, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        """Note the functions, fields, constants and variables that a declaration declares, and its inner type."""
        kind = node.child_by_field_name("type")
        if kind is not None and kind.child_by_field_name("body") is not None:
            yield kind, self._inside_object(node, kind, place)._replace(start=node)
        for index, child in enumerate(node.children):
            if node.field_name_for_child(index) != "declarator":
                continue
            value = None
            declarator = child
            if child.type == "init_declarator":
                value = child.child_by_field_name("value")
                declarator = child.child_by_field_name("declarator") or child
                name = declarators.named(declarator)
                if name is not None and value is not None and value.type == "argument_list" and value.has_error:
                    # A function whose parameters no grammar understands is one all the same.
                    found.append(self._symbol(node, place, "function", self._dotted(name)))
                    continue
            elif (following := declarators.default_after(node, index)) is not None:
                value = following
            function = declarators.function_in(declarator)
            if function is not None and (value is None or value.type in ("number_literal", "initializer_list")):
                self._function(node, kind, function, place, found, value)
            else:
                self._variable(node, kind, declarator, value, place, found)

    def _inside_object(self, node: Node, kind: Node, place: _Place) -> _Place:
        """Return where the members of a class without a name are: in the field that is declared with it, if any."""
        declarator = node.child_by_field_name("declarator")
        name = declarators.named(declarator) if declarator is not None else None
        if name is None or kind.type not in _CLASSES or kind.child_by_field_name("name") is not None:
            return place
        return place._replace(names=(*place.names, self._dotted(name)))

    def _function(
        self,
        node: Node,
        kind: Node | None,
        declarator: Node,
        place: _Place,
        found: list[Symbol],
        value: Node | None,
    ) -> None:
        name_node = declarators.named(declarator)
        if name_node is None:
            return
        name = self._dotted(name_node)
        member = place.owner in _CLASSES or "." in name
        if (
            not name
            or name in _KEYWORDS
            or (kind is None and not member and (_MACRO.match(name) or node.type != "function_definition"))
        ):
            return  # a macro that looks like a function: TEST(Suite, Case) { … }
        body = node.child_by_field_name("body")
        if body is None and not member and self._source_file and not self._framed:
            return  # what a source file only announces is declared elsewhere
        head = self._text[node.start_byte : declarator.start_byte]
        static = self._source_file and not member and re.search(rb"\bstatic\b", head) is not None
        trailing = next((child for child in declarator.named_children if child.type == "trailing_return_type"), None)
        parameters = declarator.child_by_field_name("parameters")
        params = tuple(declarators.parameters_of(parameters, self._text)) if parameters is not None else ()
        special = name.lstrip("~") == (place.names[-1] if place.names else "") and not params
        found.append(
            self._symbol(
                node,
                place if not static else place._replace(public=False),
                "method" if member else "function",
                name,
                body=body,
                head=declarator,
                params=params,
                returns=self._fold(trailing).removeprefix("->").strip() if trailing is not None else self._maybe(kind),
                decorators=(
                    *filter(None, [self._template(place)]),
                    *self._marks.of(self._origin(node.start_byte), head),
                ),
            )._replace(
                implied=declarators.is_unwritten(node)
                or (special and declarators.does_nothing(node, self._inside(body))),
                pure=member and declarators.is_pure(head, value),
            )
        )

    def _variable(
        self, node: Node, kind: Node | None, declarator: Node, value: Node | None, place: _Place, found: list[Symbol]
    ) -> None:
        name_node = declarators.named(declarator)
        # Where the parser misses a name it puts an empty one.
        if name_node is None or name_node.is_missing or kind is None or node.type == "function_definition":
            return
        head = self._text[node.start_byte : declarator.start_byte]
        constant = value is not None and re.search(rb"\b(?:constexpr|const|constinit)\b", head) is not None
        static = re.search(rb"\bstatic\b", head) is not None
        in_class = place.owner in _CLASSES
        what: SymbolKind = "field" if in_class else "variable"
        if constant and (static or not in_class):
            what = "constant"
        start, end = name_node.start_byte, name_node.end_byte
        around = self._text[declarator.start_byte : start] + self._text[end : declarator.end_byte]
        # What an inner class or union has, its members tell.
        inner = kind.child_by_field_name("body")
        first, last = declarators.pointee(node, kind, declarator)
        annotation = syntax.fold(self._text[first : last if inner is None else inner.start_byte] + around)
        if place.guessed or (static and self._source_file and not in_class and not constant):
            place = place._replace(public=False)
        if what == "variable" and self._framed and self._bones.text[node.start_byte - 1 : node.start_byte] in b" \t":
            return  # in a fragment, what is indented may as well be local
        ends = self._bones.origin(node.end_byte) - self._shift <= len(self._masked.text)
        value_text = self._maybe(value) if ends else None
        if len(value_text or "") > MAX_VALUE:
            value_text = None
        found.append(self._symbol(node, place, what, self._dotted(name_node), value=value_text, annotation=annotation))

    def _typedef(self, node: Node, place: _Place, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        kind, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
        name = declarators.named(declarator) if declarator is not None else None
        if kind is None or name is None:
            return
        if kind.child_by_field_name("body") is not None:
            yield from self._type(kind, place, found, node, alias=self._dotted(name))
        else:
            value = syntax.fold(
                self._text[kind.start_byte : name.start_byte] + self._text[name.end_byte : node.end_byte - 1]
            )
            found.append(self._symbol(node, place, "type", self._dotted(name), value=value))

    def _import(self, node: Node, place: _Place) -> None:
        """Note a name that stands here for the one of another namespace."""
        name = node.named_children[-1] if node.named_child_count else None
        whole = any(child.type == "namespace" for child in node.children)
        if name is not None and not whole:
            self.imports.add(".".join((*place.names, self._dotted(name).rpartition(".")[2])))

    def _alias(self, node: Node, place: _Place, found: list[Symbol]) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            value = syntax.fold(self._text[name.end_byte : node.end_byte]).lstrip("= ").rstrip(";")
            found.append(self._symbol(node, place, "type", self._dotted(name), value=value))

    def _symbol(
        self,
        node: Node,
        place: _Place,
        kind: SymbolKind,
        name: str,
        *,
        body: Node | None = None,
        head: Node | None = None,
        params: tuple[Param, ...] | None = None,
        returns: str | None = None,
        bases: tuple[str, ...] = (),
        value: str | None = None,
        annotation: str | None = None,
        decorators: tuple[str, ...] = (),
    ) -> Symbol:
        last: int = node.end_byte
        shape: str | Late = ""
        if body is not None:
            before = head or body.prev_sibling
            last = before.end_byte if before is not None else body.start_byte
            first, end = self._origin(body.start_byte + 1), self._origin(body.end_byte - 1)
            shape = Late(lambda: self._masked.shape(first, end, name.rsplit(".", 1)[-1]))
        begin = (place.start or node).start_byte
        return Symbol(
            name=".".join((*place.names, name)),
            kind=kind,
            # What the frame of a fragment opened is not declared in it; line 0 marks it.
            start=self._line(begin) if begin >= self._from else 0,
            end=self._line(node.end_byte),
            head=self._line(last),
            public=place.public and not any(part.startswith("_") for part in name.split(".")),
            params=params,
            returns=returns,
            bases=bases,
            value=value,
            annotation=annotation,
            decorators=decorators,
            shape=shape,
            special=place.special,
        )

    def _template(self, place: _Place) -> str:
        """Return the parameters of the template that a declaration stands in."""
        parameters = None if place.start is None else place.start.child_by_field_name("parameters")
        return "" if parameters is None else f"template {self._fold(parameters)}"

    def _line(self, offset: int) -> int:
        return self._masked.line(self._origin(offset))

    def _origin(self, offset: int) -> int:
        return max(0, self._bones.origin(offset) - self._shift)

    def _inside(self, body: Node | None) -> bytes | None:
        if body is None:
            return None
        return self._masked.mask[self._origin(body.start_byte) + 1 : self._origin(body.end_byte) - 1]

    def _fold(self, node: Node) -> str:
        return syntax.fold(self._text[node.start_byte : node.end_byte])

    def _dotted(self, node: Node) -> str:
        return declarators.dotted(self._fold(node))

    def _maybe(self, node: Node | None) -> str | None:
        return None if node is None else self._fold(node)
