"""The declarations of a TypeScript or JavaScript syntax tree."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from tools.diff.readers.located import Located
from tools.diff.reading import Param, Symbol, SymbolKind

_FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration", "function_signature"})
_METHODS = frozenset({"method_definition", "abstract_method_signature", "method_signature"})
_FIELDS = frozenset({"public_field_definition", "field_definition", "property_signature"})
_BLOCKS: dict[str, SymbolKind] = {
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "interface_declaration": "trait",
    "enum_declaration": "enum",
}
_VALUES = frozenset({"lexical_declaration", "variable_declaration"})
_CALLABLE = frozenset({"arrow_function", "function_expression", "function", "generator_function"})
_TRANSPARENT = frozenset({"program", "ERROR", "ambient_declaration", "expression_statement", "statement_block"})
_MAX_VALUE = 300


@dataclass(frozen=True, slots=True)
class _Place:
    """In which names a node stands, whether in a type, whether exported, and where its statement begins."""

    names: tuple[str, ...] = ()
    member: bool = False
    public: bool = False
    start: int | None = None


class SymbolReader:
    """Reads the declarations of one tree; afterwards `exports` holds the names it exports."""

    def __init__(self, at: Located) -> None:
        self._at = at
        self.exports: set[str] = set()

    def read(self, root: Node) -> list[Symbol]:
        """Return every declaration, in the order of the file."""
        found: list[Symbol] = []
        stack = [(root, _Place())]
        while stack:
            node, place = stack.pop()
            stack.extend(reversed(list(self._enter(node, place, found))))
        self.exports |= {symbol.name for symbol in found if symbol.public and "." not in symbol.name}
        return [
            symbol._replace(public=True) if symbol.name.split(".")[0] in self.exports and self._open(symbol) else symbol
            for symbol in found
        ]

    def _open(self, symbol: Symbol) -> bool:
        """Say whether a symbol is public as soon as the name it begins with is."""
        return not any(mark in ("private", "protected") for mark in symbol.decorators) and not any(
            part.startswith(("_", "#")) for part in symbol.name.split(".")
        )

    def _enter(self, node: Node, place: _Place, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        kind = node.type
        if kind in _TRANSPARENT:
            yield from ((child, place) for child in node.named_children)
        elif kind == "export_statement":
            yield from self._export(node, place)
        elif kind in ("internal_module", "module"):
            body = node.child_by_field_name("body")
            name = (self._at.field(node, "name") or "").strip("'\"")
            if body is not None:
                yield body, replace(place, names=(*place.names, name), start=None)
        elif kind in _BLOCKS:
            yield from self._block(node, place, found)
        elif kind in _FUNCTIONS or kind in _METHODS:
            self._function(node, node, place, found)
        elif kind in _FIELDS or kind == "variable_declarator":
            self._value(node, place, found)
        elif kind in _VALUES:
            start = node.start_byte if place.start is None else place.start
            yield from ((child, replace(place, start=start)) for child in node.named_children)
        elif kind == "type_alias_declaration":
            self._add(node, place, found, "type", value=self._at.field(node, "value"))

    def _export(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        """Give what an export declares; names in a list are noted as exported."""
        for child in node.named_children:
            if child.type == "export_clause":
                for item in child.named_children:
                    self.exports.add(self._at.field(item, "name") or "")
            elif child.type == "identifier":
                self.exports.add(self._at.fold(child))
            elif child.type != "comment":
                yield child, replace(place, public=True, start=node.start_byte)

    def _block(self, node: Node, place: _Place, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        body, name = node.child_by_field_name("body"), self._at.field(node, "name")
        if body is None or name is None:
            return
        self._add(node, place, found, _BLOCKS[node.type], body=body, bases=self._bases(node))
        inner = _Place((*place.names, name), member=True, public=place.public)
        for child in body.named_children:
            if node.type != "enum_declaration":
                yield child, inner
            elif child.type in ("enum_assignment", "property_identifier"):
                self._add(child, inner, found, "member", value=self._at.field(child, "value"))

    def _bases(self, node: Node) -> tuple[str, ...]:
        bases: list[str] = []
        for child in node.named_children:
            if child.type in ("class_heritage", "extends_type_clause"):
                clauses = [part for part in child.named_children if part.type.endswith("_clause")] or [child]
                bases += [self._at.fold(item) for clause in clauses for item in clause.named_children]
        return tuple(bases)

    def _value(self, node: Node, place: _Place, found: list[Symbol]) -> None:
        """Note a field, constant or variable, or the function that it holds."""
        value = node.child_by_field_name("value")
        if value is not None and value.type in _CALLABLE:
            self._function(node, value, place, found)
            return
        kind: SymbolKind = "field" if place.member else "variable"
        if node.type == "variable_declarator" and node.parent is not None and node.parent.children[0].type == "const":
            kind = "constant"
        text = self._at.fold(value) if value is not None and self._at.ends(value) else None
        self._add(node, place, found, kind, value=text if text is None or len(text) <= _MAX_VALUE else None)

    def _function(self, node: Node, function: Node, place: _Place, found: list[Symbol]) -> None:
        parameters = function.child_by_field_name("parameters")
        returns = self._at.field(function, "return_type")
        single = self._at.field(function, "parameter")
        self._add(
            node,
            place,
            found,
            "method" if place.member else "function",
            body=function.child_by_field_name("body"),
            params=tuple(self._params(parameters)) if parameters is not None else (Param(single),) if single else (),
            returns=returns.removeprefix(":").strip() if returns else None,
        )

    def _params(self, parameters: Node) -> Iterator[Param]:
        for node in parameters.named_children:
            if node.type == "comment":
                continue
            if node.type == "assignment_pattern":
                name, default, annotation = self._at.field(node, "left"), self._at.field(node, "right"), None
            elif node.type in ("required_parameter", "optional_parameter"):
                name, default = self._at.field(node, "pattern"), self._at.field(node, "value")
                annotation = (self._at.field(node, "type") or "").removeprefix(":").strip() or None
                if node.type == "optional_parameter" and default is None:
                    default = "undefined"
            else:
                name, default, annotation = self._at.fold(node), None, None
            name = name or ""
            yield Param(name.removeprefix("..."), default, annotation, star="*" if name.startswith("...") else "")

    def _add(
        self,
        node: Node,
        place: _Place,
        found: list[Symbol],
        kind: SymbolKind,
        *,
        body: Node | None = None,
        params: tuple[Param, ...] | None = None,
        returns: str | None = None,
        bases: tuple[str, ...] = (),
        value: str | None = None,
    ) -> None:
        name = self._at.field(node, "name") or (self._at.fold(node) if kind == "member" else "")
        if not name.replace("#", "").isidentifier() and not name.replace("$", "_").isidentifier():
            return
        start = node.start_byte if place.start is None else place.start
        if start < self._at.shift:
            return
        marks = tuple(
            self._at.fold(c) for c in node.named_children[:3] if c.type in ("accessibility_modifier", "decorator")
        )
        annotation = (self._at.field(node, "type") or "").removeprefix(":").strip() or None
        if annotation and any(child.type == "?" for child in node.children):
            annotation = f"?: {annotation}"
        symbol = Symbol(
            name=".".join((*place.names, name)),
            kind=kind,
            start=self._at.line(start),
            end=self._at.line(node.end_byte),
            head=self._at.head(node, body),
            public=place.public,
            params=params,
            returns=returns,
            bases=bases,
            value=value,
            annotation=annotation,
            decorators=marks,
            shape=self._at.shape(body, name),
        )
        found.append(symbol if self._open(symbol) else symbol._replace(public=False))
